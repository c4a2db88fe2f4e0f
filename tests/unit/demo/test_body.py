"""The limbs and the surface around them."""

from __future__ import annotations

import numpy as np
import pytest

from skinproof.demo.body import Body
from skinproof.demo.rig import make_rig
from tolerances import ROUNDING


@pytest.fixture(scope="module")
def body():
    return Body(make_rig())


def test_every_joint_has_a_limb_and_lies_inside_the_body(body):
    rig = make_rig()
    assert set(body.joint_of_limb.tolist()) == set(range(len(rig)))
    assert np.all(body.field(rig.pivots) < 0)


def test_the_blend_is_never_thinner_than_the_limbs_alone(body):
    points = np.random.default_rng(5).uniform([-0.8, 0.0, -0.2], [0.8, 1.9, 0.2], (2000, 3))
    field, nearest = body.field(points), body.distances(points).min(axis=1)
    assert np.all(field <= nearest)
    assert np.all(field >= nearest - 0.04)  # k·ln(number of limbs) is the most that the soft minimum can add


def test_the_field_is_symmetric(body):
    points = np.random.default_rng(6).uniform([-0.8, 0.0, -0.2], [0.8, 1.9, 0.2], (500, 3))
    np.testing.assert_allclose(body.field(points), body.field(points * [-1, 1, 1]), rtol=0, atol=ROUNDING)
