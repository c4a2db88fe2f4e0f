import numpy as np
import pytest

from blends import random_blend
from characters import about, trs
from skinproof.errors import ArrayError
from skinproof.skinning import reference, skin_normals
from tolerances import NORMAL_CONDITION, ROUNDING

RIGID = np.array([[trs((j, 2, 3), about([1, j, 2], 30 * j)) for j in range(6)]])


def one_matrix(matrix, normals):
    """Normals under a single joint."""
    count = len(normals)
    joints, weights = np.zeros((count, 1), np.uint16), np.ones((count, 1))
    return skin_normals(np.array(normals, np.float64), joints, weights, np.array([matrix], np.float64))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("slots", [1, 3, 4, 7])
def test_any_number_of_influences_as_the_reference_says(dtype, slots):
    blend = random_blend(slots, slots=slots).cast(dtype)
    normals = np.random.default_rng(1).normal(size=(40, 3)).astype(dtype)
    found = skin_normals(normals, *blend[1:])
    assert found.dtype == dtype
    error = np.abs(found - reference.skin_normals(normals, *blend[1:])).max(axis=-1)
    linear = reference.blended_matrices(*blend[1:])[..., :3, :3]
    assert (error <= NORMAL_CONDITION * np.finfo(dtype).eps * np.linalg.cond(linear) ** 2).all()
    assert (np.linalg.det(linear) < 0).any(), "no mirror among them"


def test_non_uniform_scale():
    # The plane x + 2y = 0 stretched by 4 along x: x/4 + 2y = 0.
    found = one_matrix(trs((5, 5, 5), scale=(4, 1, 1)), [[1, 2, 0], [0, 0, -3]])
    np.testing.assert_allclose(found[0], np.array([1, 8, 0]) / np.sqrt(65), rtol=0, atol=ROUNDING)
    assert found[1].tolist() == [0, 0, -1]


def test_a_mirror_keeps_outward_outward():
    # A ball mirrored in x is the same ball: its normals are its points, mirrored.
    points = np.random.default_rng(2).normal(size=(30, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    found = one_matrix(np.diag([-1.0, 1, 1, 1]), points)
    np.testing.assert_allclose(found, points * (-1, 1, 1), rtol=0, atol=ROUNDING)


def test_length_in_does_not_matter_and_length_out_is_one():
    normals = np.random.default_rng(3).normal(size=(20, 3))
    expected = one_matrix(RIGID[0, 4], normals)
    np.testing.assert_allclose(np.linalg.norm(expected, axis=1), 1, rtol=ROUNDING)
    for factor in (1e-200, 0.3, 1e200):
        np.testing.assert_allclose(one_matrix(RIGID[0, 4], factor * normals), expected, rtol=0, atol=ROUNDING)


def test_where_there_is_no_normal_it_is_zero():
    flattened_to_a_line = np.diag([1.0, 0, 0, 1])
    assert one_matrix(flattened_to_a_line, [[0, 1, 0]]).tolist() == [[0, 0, 0]]
    assert one_matrix(np.diag([0.0, 0, 0, 1]), [[0, 1, 0]]).tolist() == [[0, 0, 0]]
    assert one_matrix(np.eye(4), [[0, 0, 0]]).tolist() == [[0, 0, 0]]


def test_a_surface_flattened_in_its_own_plane_keeps_its_normal():
    assert one_matrix(np.diag([1.0, 1, 0, 1]), [[0, 0, 2]]).tolist() == [[0, 0, 1]]


def test_the_door_is_the_same_as_for_positions():
    blend = random_blend(5)
    with pytest.raises(ArrayError, match=r"normals: expected shape \[V, 3\]"):
        skin_normals(np.zeros(3), *blend[1:])
    joints = blend.joints.copy()
    joints[3, 1] = 900
    with pytest.raises(ArrayError, match="vertex 3, slot 1 names joint 900"):
        skin_normals(blend.positions, joints, *blend[2:])
