import numpy as np
import pytest

from skinproof import errors
from skinproof.influences import keep_largest


def kept(joints, weights, count, dtype=np.float64, **options):
    out_joints, out_weights = keep_largest(
        np.array([joints], dtype=np.int64), np.array([weights], dtype=dtype), count, **options
    )
    assert out_joints.dtype == np.int64
    assert out_weights.dtype == dtype
    return out_joints[0].tolist(), out_weights[0].tolist()


def test_the_largest_stay_by_falling_weight():
    joints, weights = kept([0, 1, 2, 3], [0.1, 0.3, 0.2, 0.4], 2)
    assert joints == [3, 1]
    assert weights == pytest.approx([4 / 7, 3 / 7], abs=1e-15)


def test_a_tie_at_the_cut_goes_to_the_lower_joint():
    assert kept([9, 4, 7, 2], [0.5, 0.25, 0.25, 0.25], 2) == ([9, 2], [2 / 3, 1 / 3])


def test_equal_weights_come_by_rising_joint():
    assert kept([9, 4, 7, 2], [1.0, 1.0, 1.0, 1.0], 4) == ([2, 4, 7, 9], [0.25] * 4)


def test_the_output_has_k_columns_also_beyond_the_input():
    assert kept([5, 3], [1.0, 3.0], 5) == ([3, 5, 0, 0, 0], [0.75, 0.25, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("count", [np.int64(2), np.uint8(2)])
def test_k_may_be_a_numpy_integer(count):
    assert kept([5, 3], [1.0, 3.0], count) == ([3, 5], [0.75, 0.25])


@pytest.mark.parametrize("count", [0, -1, 2.0, "4", None, True, 2**16 + 1, 10**11, 2**63])
def test_k_is_a_count(count):
    with pytest.raises(errors.OptionError, match="max_influences: expected an integer from 1 to 65536"):
        kept([0], [1.0], count)


def test_k_may_be_as_large_as_joints_are_many():
    joints, weights = keep_largest(np.array([[5]]), np.array([[2.0]]), 2**16)
    assert joints.shape == weights.shape == (1, 65536)
    assert (joints[0, 0], weights[0, 0], weights.sum()) == (5, 1, 1)


def test_empty_slots_are_ignored_whatever_their_joint():
    assert kept([-7, 3, 99, 3, 5], [0.0, 1.0, -0.0, 0.0, 1.0], 4, joint_count=6) == ([3, 5, 0, 0], [0.5, 0.5, 0, 0])


def test_what_would_be_cut_is_checked():
    with pytest.raises(errors.InfluenceError, match="negative weight, joint 2"):
        kept([0, 1, 2], [0.5, 0.5, -1e-9], 1)
    with pytest.raises(errors.InfluenceError, match="joint 2"):
        kept([0, 1, 2], [0.5, 0.5, 1e-9], 1, joint_count=2)


def test_a_weight_that_underflows_leaves_no_joint_behind():
    assert kept([3, 5], [1e308, 1e-308], 2) == ([3, 0], [1.0, 0.0])
    assert kept([5, 3], [1e-45, 1e10], 2, np.float32) == ([3, 0], [1.0, 0.0])


NEXT = float(np.nextafter(np.float32(1.875), np.float32(2)))


def test_weights_that_rounding_makes_equal_come_by_rising_joint():
    # Joint 9 weighs one unit in the last place more than joint 1; both round to a quarter.
    assert kept([9, 1, 4], [NEXT, 1.875, 3.75], 3, np.float32) == ([4, 1, 9], [0.5, 0.25, 0.25])


def test_the_cut_looks_at_the_weights_as_given_not_as_rounded():
    joints, weights = kept([9, 1, 4], [NEXT, 1.875, 3.75], 2, np.float32)
    assert joints == [4, 9]
    assert weights == pytest.approx([2 / 3, 1 / 3], abs=1e-7)


def test_the_variable_length_form_gives_k_columns_too():
    joints, weights = keep_largest(
        np.array([4, 1, 0, 9, 3], dtype=np.uint16),
        np.array([1.0, 3.0, 1.0, 0.0, 1.0], dtype=np.float32),
        3,
        offsets=np.array([0, 2, 5], dtype=np.int64),
    )
    assert joints.tolist() == [[1, 4, 0], [0, 3, 0]]
    assert weights.tolist() == [[0.75, 0.25, 0.0], [0.5, 0.5, 0.0]]


def test_a_zero_weight_of_the_variable_length_form_leaves_no_joint_and_no_sign():
    joints, weights = keep_largest(np.array([3, 9]), np.array([1.0, -0.0]), 2, offsets=np.array([0, 2], dtype=np.int64))
    assert joints.tolist() == [[3, 0]]
    assert weights.tolist() == [[1.0, 0.0]]
    assert not np.signbit(weights).any()


def test_no_vertices_give_k_columns():
    joints, weights = keep_largest(np.zeros((0, 8), dtype=np.uint8), np.zeros((0, 8), dtype=np.float32), 3)
    assert joints.shape == weights.shape == (0, 3)


def test_the_inputs_stay_as_they_were():
    joints, weights = np.array([[4, 1, 7]]), np.array([[0.5, 2.0, 1.0]])
    keep_largest(joints, weights, 2)
    assert joints.tolist() == [[4, 1, 7]]
    assert weights.tolist() == [[0.5, 2.0, 1.0]]


def test_vertices_of_different_lengths_do_not_mix():
    joints = np.array([[1, 2, 3, 4], [5, 0, 0, 0], [6, 7, 0, 0], [8, 9, 10, 0]])
    weights = np.array([[1.0, 2.0, 3.0, 4.0], [9.0, 0, 0, 0], [1.0, 1.0, 0, 0], [1.0, 2.0, 1.0, 0]])
    out_joints, out_weights = keep_largest(joints, weights, 2)
    assert out_joints.tolist() == [[4, 3], [5, 0], [6, 7], [9, 8]]
    np.testing.assert_allclose(out_weights, [[4 / 7, 3 / 7], [1, 0], [0.5, 0.5], [2 / 3, 1 / 3]], rtol=0, atol=1e-15)
