import numpy as np
import pytest

from characters import make_influences, make_primitive
from skinproof.skinning import rest_positions
from tolerances import ROUNDING

POSITIONS = np.random.default_rng(1).normal(size=(7, 3)).astype(np.float32)
TARGETS = np.random.default_rng(2).normal(size=(3, 7, 3)).astype(np.float32)


def primitive(*, count=3):
    made = make_primitive(make_influences(np.zeros((7, 4)), np.eye(4)[[0] * 7]), positions=POSITIONS)
    return type(made)(**{name: getattr(made, name) for name in made.__slots__} | {"targets": tuple(TARGETS[:count])})


@pytest.mark.parametrize("weights", [(0.3, -2.0, 1.5), (0, 0, 0), (1, 0, 0)])
def test_positions_and_targets_by_their_weights(weights):
    expected = POSITIONS.astype(np.float64) + np.einsum("t,tvc->vc", weights, TARGETS.astype(np.float64))
    np.testing.assert_allclose(rest_positions(primitive(), weights), expected, rtol=0, atol=ROUNDING)


def test_targets_beyond_the_weights_count_nothing_and_weights_beyond_the_targets_neither():
    one = rest_positions(primitive(count=1), (2.0,))
    np.testing.assert_array_equal(rest_positions(primitive(), (2.0,)), one)
    np.testing.assert_array_equal(rest_positions(primitive(count=1), (2.0, 5.0, 7.0)), one)


def test_without_weights_the_positions_in_float64():
    found = rest_positions(primitive())
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, POSITIONS)


def test_what_overflows_is_not_finite():
    assert not np.isfinite(rest_positions(primitive(count=1), (1e308 * 10,))).any()
