from fractions import Fraction

import numpy as np
import pytest

from skinproof import errors
from skinproof.influences import normalize

JOINTS = np.array([[0, 1, 2]], dtype=np.uint8)


def normalized(weights, dtype=np.float64):
    result = normalize(JOINTS, np.array([weights], dtype=dtype))
    assert result.dtype == dtype
    return result[0].tolist()


def test_weights_are_divided_by_their_sum_in_place():
    assert normalized([1.0, 2.0, 1.0]) == [0.25, 0.5, 0.25]


def test_empty_slots_stay_empty_and_lose_their_sign():
    result = normalized([2.0, 0.0, -0.0])
    assert result == [1.0, 0.0, 0.0]
    assert not np.signbit(result).any()


def test_weights_whose_sum_is_one_keep_their_bits():
    weights = [0.7, 0.2, 0.1]
    assert sum(sorted(weights, reverse=True)) != 1, "or this shows nothing"
    exact = [0.625, 0.25, 0.125]
    assert normalized(exact) == exact
    assert normalized(weights) != weights


def test_the_largest_doubles_do_not_overflow():
    top = np.finfo(np.float64).max
    assert normalized([top, top, 0.0]) == [0.5, 0.5, 0.0]
    assert normalized([top, 0.0, 5e-324]) == [1.0, 0.0, 0.0]


def test_the_largest_floats_do_not_overflow():
    assert normalized([3e38, 3e38, 0.0], np.float32) == [0.5, 0.5, 0.0]


def test_denormal_weights_keep_their_proportions():
    assert normalized([1e-310, 0.0, 3e-310]) == [0.25, 0.0, 0.75]
    assert normalized([5e-324, 5e-324, 0.0]) == [0.5, 0.5, 0.0]
    assert normalized([1e-45, 0.0, 1e-45], np.float32) == [0.5, 0.0, 0.5]


def test_a_share_that_is_denormal_is_rounded_once():
    large, small = 2557410351.0, 2.225073858507e-311
    exact = Fraction(small) / (Fraction(large) + Fraction(small))
    assert normalized([large, small, 0.0]) == [1.0, float(exact), 0.0]


def test_a_vertex_does_not_depend_on_its_neighbours():
    joints = np.array([[0, 1], [0, 1], [0, 1]])
    weights = np.array([[1.0, 3.0], [1e300, 1e300], [1e-310, 3e-310]])
    assert normalize(joints, weights).tolist() == [[0.25, 0.75], [0.5, 0.5], [0.25, 0.75]]


def test_the_variable_length_form_keeps_its_places():
    offsets = np.array([0, 2, 5], dtype=np.int64)
    result = normalize(np.array([4, 1, 0, 9, 3]), np.array([1.0, 3.0, 1.0, -0.0, 1.0]), offsets=offsets)
    assert result.tolist() == [0.25, 0.75, 0.5, 0.0, 0.5]
    assert not np.signbit(result).any()


def test_the_input_stays_as_it_was():
    weights = np.array([[1.0, 1.0, 2.0]])
    result = normalize(JOINTS, weights)
    assert weights.tolist() == [[1.0, 1.0, 2.0]]
    assert not np.shares_memory(result, weights)


@pytest.mark.parametrize(
    ("weights", "rule"),
    [([0.5, np.nan, 0.5], "nonfinite_weight"), ([0.5, -0.1, 0.5], "negative_weight"), ([0.0, 0.0, 0.0], "zero_sum")],
)
def test_broken_weights_are_refused(weights, rule):
    with pytest.raises(errors.InfluenceError) as caught:
        normalized(weights)
    assert [problem.rule for problem in caught.value.problems] == [rule]


def test_joints_are_checked_too():
    with pytest.raises(errors.InfluenceError, match="the same joint twice"):
        normalize(np.array([[1, 1]]), np.array([[0.5, 0.5]]))
    with pytest.raises(errors.InfluenceError, match="joint 3"):
        normalize(np.array([[1, 3]]), np.array([[0.5, 0.5]]), joint_count=3)
