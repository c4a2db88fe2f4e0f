import itertools

import numpy as np
import pytest

from skinproof import errors
from skinproof.influences import keep_largest, merge_duplicates


def merged(joints, weights, dtype=np.float64, **options):
    result = merge_duplicates(np.array(joints, dtype=np.uint16), np.array(weights, dtype=dtype), **options)
    assert result.joints.dtype == np.uint16
    assert result.weights.dtype == dtype
    assert result.vertices.dtype == np.intp
    return result.joints.tolist(), result.weights.tolist(), result.vertices.tolist()


def test_weights_of_one_joint_are_added_in_its_first_place():
    joints, weights, vertices = merged([[2, 5, 5, 3]], [[0.25, 0.125, 0.5, 0.125]])
    assert (joints, weights) == ([[2, 5, 0, 3]], [[0.25, 0.625, 0.0, 0.125]])
    assert vertices == [0]


def test_three_of_one_joint_and_two_of_another():
    joints, weights, vertices = merged([[1, 2, 1, 2, 1]], [[1.0, 2.0, 4.0, 8.0, 16.0]])
    assert (joints, weights) == ([[1, 2, 0, 0, 0]], [[21.0, 10.0, 0.0, 0.0, 0.0]])
    assert vertices == [0]


def test_the_sum_does_not_depend_on_the_order_of_storage():
    assert (0.1 + 0.2) + 0.3 != (0.3 + 0.2) + 0.1, "or this shows nothing"
    sums = {merged([[1, 1, 1]], [weights])[1][0][0] for weights in itertools.permutations([0.1, 0.2, 0.3])}
    assert len(sums) == 1


def test_every_vertex_merged_is_reported_and_no_other_is_touched():
    given_joints, given_weights = [[1, 1], [1, 2], [3, 3], [3, 3]], [[1.0, 1.0], [0.1, 0.2], [2.0, 1.0], [1.0, 0.0]]
    joints, weights, vertices = merged(given_joints, given_weights)
    assert vertices == [0, 2]
    assert joints == [[1, 0], [1, 2], [3, 0], [3, 3]]
    assert weights == [[2.0, 0.0], [0.1, 0.2], [3.0, 0.0], [1.0, 0.0]]


def test_an_empty_slot_is_no_duplicate():
    assert merged([[4, 4, 4]], [[1.0, 0.0, -0.0]]) == ([[4, 4, 4]], [[1.0, 0.0, 0.0]], [])


def test_merging_before_ranking_changes_which_joint_is_first():
    joints, weights = np.array([[5, 5, 2, 3]], dtype=np.uint8), np.array([[0.3, 0.3, 0.4, 0.0]])
    result = merge_duplicates(joints, weights)
    assert keep_largest(result.joints, result.weights, 1)[0].tolist() == [[5]]


def test_a_sum_beyond_the_type_scales_the_vertex_down_and_no_other():
    top = np.finfo(np.float64).max
    joints, weights, _ = merged([[5, 5, 2], [5, 5, 2]], [[top, top, top], [1.0, 1.0, 1.0]])
    assert joints == [[5, 0, 2], [5, 0, 2]]
    assert weights == [[top / 2, 0.0, top / 4], [2.0, 0.0, 1.0]]


def test_a_weight_that_underflows_beside_a_sum_beyond_the_type_leaves():
    top = np.finfo(np.float64).max
    assert merged([[5, 5, 2]], [[top, top, 5e-324]])[:2] == ([[5, 0, 0]], [[top / 2, 0.0, 0.0]])
    listed = merge_duplicates(
        np.array([5, 5, 2, 7]), np.array([top, top, 5e-324, 0.0]), offsets=np.array([0, 4], dtype=np.int64)
    )
    assert (listed.joints.tolist(), listed.weights.tolist()) == ([5, 7], [top / 4, 0.0])
    assert listed.offsets.tolist() == [0, 2]


def test_a_float32_sum_beyond_the_type_scales_the_vertex_down():
    result = merge_duplicates(np.array([[5, 5, 2]]), np.array([[3e38, 3e38, 3e38]], dtype=np.float32))
    assert np.isfinite(result.weights).all()
    assert keep_largest(result.joints, result.weights, 2)[1].tolist() == [[np.float32(2 / 3), np.float32(1 / 3)]]


def test_denormal_weights_are_added():
    assert merged([[1, 1]], [[5e-324, 5e-324]]) == ([[1, 0]], [[1e-323, 0.0]], [0])


def test_the_variable_length_form_gets_shorter():
    result = merge_duplicates(
        np.array([5, 2, 5, 7, 3, 3, 0]),
        np.array([0.5, 0.25, 0.25, 1.0, 0.5, -0.0, 0.5]),
        offsets=np.array([0, 3, 4, 7], dtype=np.int64),
    )
    assert result.joints.tolist() == [5, 2, 7, 3, 0]
    assert result.weights.tolist() == [0.75, 0.25, 1.0, 0.5, 0.5]
    assert result.offsets.tolist() == [0, 2, 3, 5]
    assert result.offsets.dtype == np.int64
    assert result.vertices.tolist() == [0, 2]


def test_a_negative_weight_is_not_hidden_in_a_sum():
    with pytest.raises(errors.InfluenceError) as caught:
        merged([[1, 1], [2, 3]], [[0.5, -0.2], [0.0, 0.0]])
    assert [(problem.rule, problem.vertex) for problem in caught.value.problems] == [
        ("negative_weight", 0),
        ("zero_sum", 1),
    ]


@pytest.mark.parametrize(
    ("joints", "weights", "rule"),
    [
        ([[1, 1]], [[0.5, np.nan]], "nonfinite_weight"),
        ([[9, 9]], [[0.5, 0.5]], "joint_out_of_range"),
    ],
)
def test_everything_but_duplicates_is_refused(joints, weights, rule):
    with pytest.raises(errors.InfluenceError) as caught:
        merged(joints, weights, joint_count=9)
    assert {problem.rule for problem in caught.value.problems} == {rule}


def test_the_inputs_stay_as_they_were():
    joints, weights = np.array([[4, 4], [1, 2]]), np.array([[0.5, 0.5], [0.5, 0.5]])
    result = merge_duplicates(joints, weights)
    assert joints.tolist() == [[4, 4], [1, 2]]
    assert weights.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert not np.shares_memory(result.weights, weights)
    assert not np.shares_memory(result.joints, joints)
