from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from characters import about, make_influences, make_primitive, make_skin, trs
from skinproof.measuring.common_space import CommonSpace, binds_of
from tolerances import ROUNDING

ALL = np.arange(3)
FLAT = np.diag([1.0, 1, 0, 1])


def primitive(*, positions=((0, 0, 0), (1, 2, 3), (-1, 0, 4)), joints=((0, 1), (1, 0), (2, 0)), weights=None):
    weights = np.tile([0.75, 0.25], (3, 1)) if weights is None else weights
    made = make_primitive(make_influences(joints, weights), positions=positions)
    return replace(made, normals=np.array([[0, 0, 1], [0, 1, 0], [0.6, 0.8, 0]], np.float32))


def spaces(binds, others, *, labels="abc", other_labels="abc"):
    original, result = make_skin([0, 1, 2], binds), make_skin([0, 1, 2], others)
    return CommonSpace.of(result, tuple(other_labels), binds_of([(original, tuple(labels))]))


def random_binds(seed):
    random = np.random.default_rng(seed)
    return np.stack(
        [trs(random.normal(size=3), about(random.normal(size=3), 50), random.uniform(0.5, 2, 3)) for _ in range(3)]
    )


def test_the_same_bind_matrices_change_nothing():
    positions, normals, moved = spaces(random_binds(1), random_binds(1)).placed(primitive(), ALL)
    np.testing.assert_allclose(positions, primitive().positions, atol=ROUNDING)
    np.testing.assert_allclose(normals, primitive().normals, atol=1e-7)
    assert moved == 0.0


def test_what_an_encoder_folded_in_comes_out_again():
    """Positions scaled and moved, bind matrices that undo it; normals turn the way of the surface."""
    fold = trs((5, 6, 7), about((1, 2, 3), 70), (0.5, 3, 2))
    stored = (np.linalg.inv(fold) @ np.column_stack([primitive().positions, np.ones(3)]).T).T[:, :3].copy()
    across = primitive().normals @ fold[:3, :3]  # so that it stays perpendicular to what lies in the surface
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    folded = replace(primitive(positions=stored), normals=across.astype(np.float32), position_step=0.25)
    positions, normals, moved = spaces(random_binds(2), random_binds(2) @ fold).placed(folded, ALL)
    np.testing.assert_allclose(positions, primitive().positions, atol=1e-5)
    np.testing.assert_allclose(normals, primitive().normals, atol=1e-5)
    assert moved == pytest.approx(np.sqrt(3) / 2 * 0.25 * 3)


def test_each_vertex_goes_by_its_heaviest_joint_that_is_known():
    """The second joint's bind matrix is moved alone; the third has no counterpart."""
    binds = np.tile(np.eye(4), (3, 1, 1))
    others = binds.copy()
    others[1, 0, 3] = 10
    space = spaces(binds, others, other_labels="abx")
    weights = [[0.75, 0.25], [0.75, 0.25], [0.9, 0.1]]
    positions, _, _ = space.placed(primitive(weights=weights), ALL)
    assert (positions - primitive().positions).tolist() == [[0, 0, 0], [10, 0, 0], [0, 0, 0]]


def test_without_a_known_joint_it_goes_by_the_heaviest_of_the_others():
    binds = np.tile(np.eye(4), (3, 1, 1))
    others = binds.copy()
    others[1, 0, 3] = 10
    space = spaces(binds, others, other_labels="abx")
    joints, weights = [[1, 0], [1, 0], [2, 2]], [[1.0, 0], [1.0, 0], [1.0, 0]]
    positions, _, _ = space.placed(primitive(joints=joints, weights=weights), ALL)
    assert (positions - primitive().positions)[2].tolist() == [10, 0, 0]


def test_weights_that_mean_nothing_do_not_count():
    binds = np.tile(np.eye(4), (3, 1, 1))
    others = binds.copy()
    others[1, 0, 3] = 10
    joints = [[1, 0], [1, 0], [60000, 0]]
    weights = [[np.nan, 0.5], [-3, 0.5], [0.9, 0.1]]
    positions, _, _ = spaces(binds, others).placed(primitive(joints=joints, weights=weights), ALL)
    np.testing.assert_array_equal(positions, primitive().positions)


def test_nothing_in_common_is_no_place():
    space = spaces(random_binds(1), random_binds(1), other_labels="xyz")
    positions, normals, moved = space.placed(primitive(), ALL)
    assert np.isnan(positions).all()
    assert np.isnan(normals).all()
    assert moved == 0.0


def test_a_bind_matrix_without_inverse_is_no_way():
    binds = np.stack([FLAT, np.eye(4), np.eye(4)])
    assert set(binds_of([(make_skin([0, 1, 2], binds), ("a", "b", "c"))])) == {"b", "c"}


def test_the_first_skin_that_has_a_joint_places_it():
    first, second = make_skin([0], [trs((1, 0, 0))]), make_skin([0, 1], [trs((2, 0, 0)), trs((3, 0, 0))])
    binds = binds_of([(first, ("a",)), (second, ("a", "b"))])
    assert (binds["a"][0, 3], binds["b"][0, 3]) == (-1, -3)


def test_normals_of_length_zero_and_none_at_all():
    normals = np.array([[0, 0, 0], [0, 2, 0], [np.nan, 0, 0]], np.float32)
    space = spaces(random_binds(1), random_binds(1))
    _, found, _ = space.placed(replace(primitive(), normals=normals), ALL)
    assert np.isnan(found[[0, 2]]).all()
    np.testing.assert_allclose(found[1], [0, 1, 0], atol=ROUNDING)
    assert np.isnan(space.placed(replace(primitive(), normals=None), ALL)[1]).all()
