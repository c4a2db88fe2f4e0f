"""The door of the weight operations, and sorting inside vertices."""

import numpy as np
import pytest

from skinproof import errors
from skinproof.influences import keep_largest, merge_duplicates, normalize, pack, repair, validate
from skinproof.influences._entries import read_entries, sorted_within

OPERATIONS = {
    "validate": validate,
    "merge_duplicates": merge_duplicates,
    "repair": repair,
    "normalize": normalize,
    "keep_largest": lambda joints, weights, **options: keep_largest(joints, weights, 4, **options),
    "pack": lambda joints, weights, **options: pack(joints, weights, format="unorm8", **options),
}
every_operation = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)

JOINTS = np.array([[0, 1]], dtype=np.uint16)
WEIGHTS = np.array([[0.5, 0.5]])


@every_operation
@pytest.mark.parametrize(
    ("joints", "weights", "message"),
    [
        (JOINTS, WEIGHTS.astype(np.float16), "weights: expected dtype float32 or float64 .*got <f2"),
        (JOINTS, WEIGHTS.astype(">f8"), "weights: expected dtype .*native byte order"),
        (JOINTS, np.array([[1, 0]]), "weights: expected dtype float32 or float64"),
        (JOINTS, WEIGHTS[0], r"weights: expected shape \[1, 2\], got \[2\]"),
        (JOINTS, np.ones((1, 3)), r"weights: expected shape \[1, 2\], got \[1, 3\]"),
        (JOINTS, np.ones((2, 2)).T[:1, ::-1], "weights: expected a C-contiguous"),
        (JOINTS, [[0.5, 0.5]], "weights: expected a NumPy array, got list"),
        (JOINTS.astype(np.float32), WEIGHTS, "joints: expected dtype uint8"),
        (JOINTS.astype(bool), WEIGHTS, "joints: expected dtype uint8"),
        (JOINTS.astype(">u2"), WEIGHTS, "joints: expected dtype .*native byte order"),
        (JOINTS[0], WEIGHTS[0], r"joints: expected shape \[V, N\], got \[2\]"),
        (np.zeros((1, 4), dtype=np.uint16)[:, ::2], WEIGHTS, "joints: expected a C-contiguous"),
        ([[0, 1]], WEIGHTS, "joints: expected a NumPy array, got list"),
        (np.ma.masked_array(JOINTS), WEIGHTS, "joints: expected a plain NumPy array, got MaskedArray"),
        (JOINTS, np.ma.masked_array(WEIGHTS, WEIGHTS > 0), "weights: expected a plain NumPy array, got MaskedArray"),
        (JOINTS, WEIGHTS.view(np.matrix), "weights: expected a plain NumPy array, got matrix"),
    ],
)
def test_wrong_arrays_are_refused_by_name(operation, joints, weights, message):
    with pytest.raises(errors.ArrayError, match=message):
        operation(joints, weights)


@every_operation
@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        (np.array([0, 2], dtype=np.int32), "offsets: expected dtype int64"),
        (np.array([[0, 2]], dtype=np.int64), r"offsets: expected shape \[V \+ 1\]"),
        (np.array([0, 1], dtype=np.int64), "offsets: expected to rise from 0 to the number of influences, 2"),
        (np.array([1, 2], dtype=np.int64), "offsets: expected to rise from 0"),
        (np.array([0, 2, 1, 2], dtype=np.int64), "offsets: expected to rise from 0 .* never falling"),
        (np.array([0, 3], dtype=np.int64), "offsets: expected to rise from 0"),
        (np.array([], dtype=np.int64), "offsets: expected to rise from 0"),
        ([0, 2], "offsets: expected a NumPy array, got list"),
    ],
)
def test_wrong_offsets_are_refused(operation, offsets, message):
    with pytest.raises(errors.ArrayError, match=message):
        operation(JOINTS[0], WEIGHTS[0], offsets=offsets)


@every_operation
def test_the_variable_length_form_is_flat(operation):
    with pytest.raises(errors.ArrayError, match=r"joints: expected shape \[n\], got \[1, 2\]"):
        operation(JOINTS, WEIGHTS, offsets=np.array([0, 2], dtype=np.int64))


@every_operation
@pytest.mark.parametrize("joint_count", [-1, 2.0, "2", True, np.float64(2)])
def test_a_joint_count_that_is_no_count_is_refused(operation, joint_count):
    with pytest.raises(errors.OptionError, match="joint_count: expected an integer of at least 0"):
        operation(JOINTS, WEIGHTS, joint_count=joint_count)


@every_operation
def test_no_vertices_are_fine_in_both_forms(operation):
    operation(np.zeros((0, 4), dtype=np.uint16), np.zeros((0, 4)))
    operation(np.zeros((0, 0), dtype=np.uint16), np.zeros((0, 0)))
    operation(np.zeros(0, dtype=np.uint16), np.zeros(0), offsets=np.zeros(1, dtype=np.int64))


@pytest.mark.parametrize("form", ["fixed width", "variable length"])
@pytest.mark.parametrize("name", ["validate", "merge_duplicates", "normalize", "keep_largest", "pack"])
def test_every_vertex_without_influences_is_named(name, form):
    joints, weights, offsets = np.zeros((3, 0), dtype=np.uint16), np.zeros((3, 0)), None
    if form == "variable length":
        joints, weights, offsets = joints.ravel(), weights.ravel(), np.zeros(4, dtype=np.int64)
    with pytest.raises(errors.InfluenceError) as caught:
        OPERATIONS[name](joints, weights, offsets=offsets)
    assert [(problem.rule, problem.vertex) for problem in caught.value.problems] == [
        ("no_influences", 0),
        ("no_influences", 1),
        ("no_influences", 2),
    ]


def test_a_fixed_width_slot_of_weight_zero_is_no_entry():
    joints = np.array([[7, 8, 9], [1, 2, 3]], dtype=np.uint8)
    entries = read_entries(joints, np.array([[0.0, 0.5, -0.0], [0.25, 0.0, np.nan]]), None)
    assert entries.joints.tolist() == [8, 1, 3]
    assert entries.vertices.tolist() == [0, 1, 1]
    assert entries.places.tolist() == [1, 3, 5]
    assert entries.counts.tolist() == [1, 2]
    assert entries.listed.tolist() == [3, 3]
    assert entries.starts.tolist() == [0, 1]
    assert entries.positions().tolist() == [0, 0, 1]


def test_a_variable_length_entry_of_weight_zero_is_one():
    offsets = np.array([0, 0, 2, 3], dtype=np.int64)
    entries = read_entries(np.array([7, 8, 9], dtype=np.uint8), np.array([0.0, 1.0, -0.0]), offsets)
    assert entries.joints.tolist() == [7, 8, 9]
    assert entries.vertices.tolist() == [1, 1, 2]
    assert entries.counts.tolist() == entries.listed.tolist() == [0, 2, 1]


def test_sorting_stays_inside_each_vertex_whatever_their_lengths():
    counts = np.array([3, 0, 1, 3, 2])
    first = np.array([2, 2, 1, 9, 1, 1, 1, 5, 4])
    second = np.array([1, 0, 0, 0, 2, 1, 0, 0, 0])
    order = sorted_within(counts, second, first)
    assert order.tolist() == [2, 1, 0, 3, 6, 5, 4, 8, 7]


def test_sorting_is_stable():
    assert sorted_within(np.array([4]), np.zeros(4)).tolist() == [0, 1, 2, 3]
