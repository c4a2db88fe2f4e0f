import numpy as np
import pytest

from skinproof import errors
from skinproof.influences import REPAIR_POLICIES, repair


def repaired(joints, weights, dtype=np.float64, **options):
    result = repair(np.array(joints, dtype=np.int16), np.array(weights, dtype=dtype), **options)
    assert result.joints.dtype == np.int16
    assert result.weights.dtype == dtype
    return result.joints.tolist(), result.weights.tolist(), {key: v.tolist() for key, v in result.vertices.items()}


def test_nothing_is_repaired_unless_it_is_named():
    joints, weights = np.array([[1, 2], [3, 4]]), np.array([[np.nan, -1.0], [0.0, -0.0]])
    result = repair(joints, weights)
    assert result.joints.tobytes() == joints.tobytes()
    assert result.weights.tobytes() == weights.tobytes()
    assert result.vertices == {}
    assert result.offsets is None


@pytest.mark.parametrize("weight", [np.nan, np.inf, -np.inf])
def test_nonfinite_drop_takes_the_influence_away(weight):
    joints, weights, vertices = repaired([[1, 2], [3, 4]], [[weight, 0.5], [0.5, 0.25]], nonfinite="drop")
    assert (joints, weights) == ([[0, 2], [3, 4]], [[0.0, 0.5], [0.5, 0.25]])
    assert vertices == {"nonfinite=drop": [0]}


def test_negative_drop_takes_the_influence_away():
    joints, weights, vertices = repaired([[3, 4], [1, 2]], [[0.5, 0.25], [-0.1, 0.5]], negative="drop")
    assert (joints, weights) == ([[3, 4], [0, 2]], [[0.5, 0.25], [0.0, 0.5]])
    assert vertices == {"negative=drop": [1]}


def test_negative_absolute_turns_the_sign():
    joints, weights, vertices = repaired([[1, 2]], [[-0.1, 0.5]], np.float32, negative="absolute")
    assert joints == [[1, 2]]
    assert weights == np.array([[0.1, 0.5]], dtype=np.float32).tolist()
    assert vertices == {"negative=absolute": [0]}


def test_minus_infinity_is_not_finite_rather_than_negative():
    assert repaired([[1, 2]], [[-np.inf, 0.5]], negative="absolute")[1:] == (
        [[-np.inf, 0.5]],
        {"negative=absolute": []},
    )


def test_minus_zero_is_empty_rather_than_negative():
    result = repair(np.array([[1, 2]]), np.array([[-0.0, 0.5]]), negative="absolute")
    assert result.vertices["negative=absolute"].tolist() == []
    assert np.signbit(result.weights).tolist() == [[True, False]]


def test_zero_binds_the_vertex_wholly_to_the_joint():
    joints, weights, vertices = repaired([[1, 2], [7, 8]], [[0.5, 0.5], [0.0, -0.0]], zero="joint=3")
    assert (joints, weights) == ([[1, 2], [3, 0]], [[0.5, 0.5], [1.0, 0.0]])
    assert vertices == {"zero=joint=3": [1]}


def test_dropping_everything_without_a_policy_for_zero_names_each_vertex():
    with pytest.raises(errors.InfluenceError) as caught:
        repaired(
            [[1, 2], [3, 4], [5, 6], [7, 8]],
            [[-1.0, np.nan], [0.5, -1.0], [np.nan, 0.0], [0.0, 0.0]],
            negative="drop",
            nonfinite="drop",
        )
    assert [(problem.rule, problem.vertex) for problem in caught.value.problems] == [("zero_sum", 0), ("zero_sum", 2)]


def test_a_vertex_that_was_all_zero_stays_for_validate_to_refuse():
    assert repaired([[1, 2]], [[0.0, 0.0]], negative="drop") == ([[1, 2]], [[0.0, 0.0]], {"negative=drop": []})


def test_dropping_everything_with_a_policy_for_zero_binds_the_vertex():
    joints, weights, vertices = repaired(
        [[1, 2]], [[-1.0, np.nan]], negative="drop", nonfinite="drop", zero="joint=300"
    )
    assert (joints, weights) == ([[300, 0]], [[1.0, 0.0]])
    assert vertices == {"nonfinite=drop": [0], "negative=drop": [0], "zero=joint=300": [0]}


def test_what_is_not_named_keeps_a_vertex_from_being_all_zero():
    joints, weights, vertices = repaired([[1, 2]], [[-1.0, 0.0]], zero="joint=3")
    assert (joints, weights, vertices) == ([[1, 2]], [[-1.0, 0.0]], {"zero=joint=3": []})


def test_the_variable_length_form_loses_what_is_dropped_and_gains_what_is_bound():
    result = repair(
        np.array([5, 2, 5, 1, 7, 8], dtype=np.uint8),
        np.array([0.5, -0.25, np.nan, -1.0, 0.0, 0.0], dtype=np.float32),
        negative="drop",
        nonfinite="drop",
        zero="joint=4",
        offsets=np.array([0, 3, 3, 4, 6], dtype=np.int64),
    )
    assert result.joints.tolist() == [5, 4, 4, 4]
    assert result.weights.tolist() == [0.5, 1.0, 1.0, 1.0]
    assert (result.joints.dtype, result.weights.dtype) == (np.uint8, np.float32)
    assert result.offsets.tolist() == [0, 1, 2, 3, 4]
    assert {key: value.tolist() for key, value in result.vertices.items()} == {
        "nonfinite=drop": [0],
        "negative=drop": [0, 2],
        "zero=joint=4": [1, 2, 3],
    }


def test_the_variable_length_form_turns_signs_in_place():
    result = repair(
        np.array([5, 2]), np.array([0.5, -0.25]), negative="absolute", offsets=np.array([0, 1, 2], dtype=np.int64)
    )
    assert result.weights.tolist() == [0.5, 0.25]
    assert result.offsets.tolist() == [0, 1, 2]
    assert result.vertices["negative=absolute"].tolist() == [1]


def test_without_a_slot_nothing_can_be_bound():
    result = repair(np.zeros((2, 0), dtype=np.uint8), np.zeros((2, 0)), zero="joint=0")
    assert result.vertices["zero=joint=0"].tolist() == []
    assert result.joints.shape == (2, 0)


@pytest.mark.parametrize(
    "options",
    [
        {"negative": "clamp"},
        {"nonfinite": "absolute"},
        {"zero": "drop"},
        {"zero": "joint"},
        {"zero": "joint="},
        {"zero": "joint=-1"},
        {"zero": "joint=1.5"},
        {"zero": "joint=٣"},
        {"zero": 3},
        {"negative": ""},
    ],
)
def test_an_unknown_policy_is_refused_with_those_there_are(options):
    ((flaw, policy),) = options.items()
    with pytest.raises(errors.OptionError) as caught:
        repaired([[1]], [[1.0]], **options)
    message = str(caught.value)
    assert message.startswith(f"{flaw}: unknown repair policy {policy!r}")
    assert all(name in message for name in REPAIR_POLICIES[flaw])


def test_a_joint_to_bind_to_must_be_in_the_skin():
    with pytest.raises(errors.OptionError, match="zero: joint 9 is not below the joint count 9"):
        repaired([[1]], [[0.0]], zero="joint=9", joint_count=9)
    assert repaired([[1]], [[0.0]], zero="joint=8", joint_count=9)[0] == [[8]]


def test_a_joint_to_bind_to_must_fit_the_type_of_joints():
    with pytest.raises(errors.OptionError, match="zero: joint 256 does not fit the type of joints, uint8"):
        repair(np.array([[1]], dtype=np.uint8), np.array([[0.0]]), zero="joint=256")


def test_the_inputs_stay_as_they_were():
    joints, weights = np.array([[4, 5], [1, 2]]), np.array([[0.5, -0.5], [0.0, 0.0]])
    repair(joints, weights, negative="drop", zero="joint=0")
    assert joints.tolist() == [[4, 5], [1, 2]]
    assert weights.tolist() == [[0.5, -0.5], [0.0, 0.0]]
