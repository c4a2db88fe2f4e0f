"""Every rule, in both array forms, named with vertex, joint and value."""

import numpy as np
import pytest

from skinproof import errors
from skinproof.influences import find_problems, validate


def problems(joints, weights, dtype=np.int32, **options):
    found = find_problems(np.array(joints, dtype=dtype), np.array(weights, dtype=np.float64), **options)
    return [(problem.rule, problem.vertex, problem.joint, problem.value) for problem in found]


def test_sound_influences_have_no_problems():
    assert problems([[0, 1], [4, 2]], [[0.5, 0.5], [3.0, 1e-310]], joint_count=5) == []
    validate(np.array([[0, 1]]), np.array([[0.5, 0.7]], dtype=np.float32), joint_count=2)


def test_a_negative_joint_is_named():
    assert problems([[0, -3]], [[0.5, 0.25]]) == [("negative_joint", 0, -3, 0.25)]


def test_a_joint_out_of_range_is_named_if_the_count_is_known():
    assert problems([[0, 5]], [[0.5, 0.25]], joint_count=5) == [("joint_out_of_range", 0, 5, 0.25)]
    assert problems([[0, 5]], [[0.5, 0.25]], joint_count=6) == []
    assert problems([[0, 5]], [[0.5, 0.25]]) == []


def test_a_skin_without_joints_has_room_for_none():
    assert problems([[0]], [[1.0]], joint_count=0) == [("joint_out_of_range", 0, 0, 1.0)]


def test_the_second_and_later_of_one_joint_are_named():
    assert problems([[5, 5, 2, 5]], [[0.1, 0.2, 0.3, 0.4]]) == [
        ("duplicate_joint", 0, 5, 0.2),
        ("duplicate_joint", 0, 5, 0.4),
    ]


def test_the_same_joint_on_two_vertices_is_fine():
    assert problems([[5], [5]], [[1.0], [1.0]]) == []


@pytest.mark.parametrize("weight", [np.inf, -np.inf])
def test_an_infinite_weight_is_named(weight):
    assert problems([[0, 1]], [[0.5, weight]]) == [("nonfinite_weight", 0, 1, weight)]


def test_nan_is_named():
    (found,) = find_problems(np.array([[0, 1]]), np.array([[0.5, np.nan]]))
    assert (found.rule, found.vertex, found.joint) == ("nonfinite_weight", 0, 1)
    assert np.isnan(found.value)


def test_a_negative_weight_is_named_down_to_the_smallest():
    assert problems([[0, 1]], [[0.5, -5e-324]]) == [("negative_weight", 0, 1, -5e-324)]


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_all_zero_is_named(zero):
    assert problems([[0, 1]], [[zero, 0.0]]) == [("zero_sum", 0, None, None)]


def test_an_empty_slot_may_hold_any_joint():
    assert problems([[3, 3, -1, 99]], [[1.0, 0.0, -0.0, 0.0]], joint_count=4) == []


def test_the_variable_length_form_has_no_empty_slots():
    offsets = np.array([0, 4], dtype=np.int64)
    assert problems([3, 3, -1, 99], [1.0, 0.0, -0.0, 0.0], joint_count=4, offsets=offsets) == [
        ("negative_joint", 0, -1, 0.0),
        ("joint_out_of_range", 0, 99, 0.0),
        ("duplicate_joint", 0, 3, 0.0),
    ]


def test_the_variable_length_form_tells_none_from_all_zero():
    offsets = np.array([0, 0, 2], dtype=np.int64)
    assert problems([0, 1], [0.0, -0.0], offsets=offsets) == [
        ("no_influences", 0, None, None),
        ("zero_sum", 1, None, None),
    ]


def test_all_problems_come_in_order_of_vertex_then_rule():
    joints = [[1, 0, 9], [0, 1, 2], [0, 0, -1], [0, 1, 2]]
    weights = [[-1.0, np.inf, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [0.0, 0.0, 0.0]]
    assert problems(joints, weights, joint_count=9) == [
        ("joint_out_of_range", 0, 9, 1.0),
        ("nonfinite_weight", 0, 0, np.inf),
        ("negative_weight", 0, 1, -1.0),
        ("negative_joint", 2, -1, -1.0),
        ("duplicate_joint", 2, 0, 1.0),
        ("negative_weight", 2, -1, -1.0),
        ("zero_sum", 3, None, None),
    ]


def test_a_weight_among_zeros_is_no_zero_sum_even_if_it_is_broken():
    assert problems([[0, 1]], [[-1.0, 0.0]]) == [("negative_weight", 0, 0, -1.0)]


def test_the_error_has_every_problem_and_its_message_the_first():
    joints, weights = np.zeros((20, 1), dtype=np.uint8), np.zeros((20, 1))
    with pytest.raises(errors.InfluenceError) as caught:
        validate(joints, weights)
    assert [problem.vertex for problem in caught.value.problems] == list(range(20))
    assert "20 vertices break" in str(caught.value)
    assert "vertex 0: all weights are zero" in str(caught.value)


def test_the_largest_joints_of_unsigned_64_bit_are_told_apart():
    top = np.iinfo(np.uint64).max
    assert problems([[top, top - 1]], [[0.5, 0.5]], dtype=np.uint64) == []
    assert problems([[top, top]], [[0.5, 0.5]], dtype=np.uint64) == [("duplicate_joint", 0, int(top), 0.5)]
    assert problems([[top]], [[1.0]], dtype=np.uint64, joint_count=3) == [("joint_out_of_range", 0, int(top), 1.0)]


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_a_joint_count_beyond_the_type_of_joints_is_fine(dtype):
    assert problems([[100]], [[1.0]], dtype=dtype, joint_count=100_000) == []


def test_a_thousand_influences_on_one_vertex_are_checked():
    joints = np.arange(1000)
    joints[999] = 0
    assert problems([joints], [np.ones(1000)]) == [("duplicate_joint", 0, 0, 1.0)]


def test_problems_become_objects_only_when_looked_at(monkeypatch):
    made = []
    monkeypatch.setattr(errors, "InfluenceProblem", lambda *values: made.append(values) or values)
    joints = np.tile(np.arange(8, dtype=np.uint16), (300_000, 1))
    with pytest.raises(errors.InfluenceError) as caught:
        validate(joints, np.full(joints.shape, np.nan))
    assert len(caught.value.problems) == joints.size
    assert caught.value.problems[-1][:3] == ("nonfinite_weight", 299_999, 7)
    assert 0 < len(made) < 20
