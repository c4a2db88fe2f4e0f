import numpy as np
import pytest

from blends import random_blend
from skinproof.errors import ArrayError
from skinproof.skinning import delta_influences, reference
from tolerances import ROUNDING


def test_skinned_they_are_the_difference_of_the_two():
    before, after = random_blend(1, slots=8), random_blend(2, slots=3)
    after = after._replace(positions=before.positions, palettes=before.palettes, weights=0.8 * after.weights)
    joints, weights = delta_influences(*before[1:3], *after[1:3])
    assert (joints.dtype, weights.dtype) == (np.uint16, np.float64)
    found = reference.skin_positions(before.positions, joints, weights, before.palettes)
    expected = reference.skin_positions(*before) - reference.skin_positions(*after)
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING)


def test_joints_ascend_and_the_table_is_no_wider_than_needed():
    before_joints = np.array([[9, 2, 5], [1, 0, 0]], np.uint16)
    before_weights = np.array([[0.5, 0.25, 0.25], [1, 0, 0]])
    after_joints = np.array([[5, 9, 4, 0], [1, 7, 7, 7]], np.uint16)
    after_weights = np.array([[0.25, 0.5, 0.25, 0], [1, -0.0, 0, 0]])
    joints, weights = delta_influences(before_joints, before_weights, after_joints, after_weights)
    assert joints.tolist() == [[2, 4], [0, 0]]
    assert weights.tolist() == [[0.25, -0.25], [0, 0]]


def test_equal_influences_leave_one_empty_slot():
    blend = random_blend(3)
    joints, weights = delta_influences(*blend[1:3], blend.joints[:, ::-1].copy(), blend.weights[:, ::-1].copy())
    assert joints.shape == (40, 1)
    assert not weights.any()


def test_a_joint_that_stands_twice_counts_with_its_sum():
    joints = np.array([[5, 5, 2]], np.uint16)
    found = delta_influences(joints, np.array([[0.25, 0.5, 0.25]]), joints[:, :1].copy(), np.array([[1.0]]))
    assert [array.tolist() for array in found] == [[[2, 5]], [[0.25, -0.25]]]


def test_no_vertices():
    joints, weights = delta_influences(*random_blend(4, vertices=0)[1:3], *random_blend(4, vertices=0)[1:3])
    assert joints.shape == weights.shape == (0, 1)


def test_wrong_arguments_are_named():
    before, after = random_blend(5)[1:3], random_blend(6)[1:3]
    with pytest.raises(ArrayError, match="weights_before: expected dtype float64"):
        delta_influences(before[0], before[1].astype(np.float32), *after)
    with pytest.raises(ArrayError, match=r"joints_after: expected shape \[40, M\], got \[39, 5\]"):
        delta_influences(*before, after[0][1:], after[1][1:])
    with pytest.raises(ArrayError, match=r"weights_after: expected shape \[40, 5\]"):
        delta_influences(*before, after[0], after[1][:, 1:].copy())
