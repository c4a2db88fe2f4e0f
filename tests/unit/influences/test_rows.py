"""The kernels of every instruction set against the operations written out in NumPy: the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from skinproof import errors
from skinproof._native import INSTRUCTION_SETS
from skinproof.influences import keep_largest, merge_duplicates, pack, validate
from skinproof.influences._rows import MOST_SLOTS, try_keep_largest, try_pack, try_sound
from skinproof.influences.keep_largest import written_out as keep_written_out
from skinproof.influences.pack import written_out as pack_written_out
from skinproof.model import WeightFormat

each_set = pytest.mark.parametrize("instruction_set", INSTRUCTION_SETS)
each_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])

KINDS = ("even", "skewed", "counted", "tied", "eighths", "tiny", "wide")


def rows(kind, vertices, slots, dtype, seed=0, joint_count=70):
    """Sound influences of one kind; every vertex uses 1 to all of its slots, wherever they stand."""
    generator = np.random.default_rng([seed, slots, vertices, KINDS.index(kind)])
    joints = np.argsort(generator.random((vertices, joint_count)), axis=1)[:, :slots]
    if kind == "wide":  # far apart, and the largest joints there are
        joints = joints.astype(np.int64) * 949
        joints[joints == joints.max(initial=-1)] = 65535
    weights = {
        "even": lambda: generator.random((vertices, slots)),
        "skewed": lambda: generator.random((vertices, slots)) ** 6,
        "counted": lambda: generator.integers(1, 256, (vertices, slots)) / 255,
        "tied": lambda: generator.choice([0.1, 0.25, 0.3], (vertices, slots)),
        "eighths": lambda: generator.integers(1, 9, (vertices, slots)) * 2.0**-24 / 8 + generator.integers(0, 2, slots),
        "tiny": lambda: 2.0 ** generator.integers(-149, -120, (vertices, slots)),
        "wide": lambda: 10.0 ** generator.uniform(-30, 30, (vertices, slots)),
    }[kind]()
    used = generator.random((vertices, slots)) < generator.random((vertices, 1)) * 1.5
    used[np.arange(vertices), generator.integers(0, slots, vertices)] = True
    weights[~used] = generator.choice([0.0, -0.0])
    return joints.astype(np.uint16), weights.astype(dtype)


def same(found, expected):
    assert found is not None
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_array_equal(one, other)
        assert one.tobytes() == other.tobytes()  # −0.0 is not 0.0


@each_set
@each_dtype
@pytest.mark.parametrize("kind", KINDS)
def test_the_largest_are_kept_bit_for_bit(instruction_set, dtype, kind):
    for slots in (1, 2, 4, 5, 8, 12, 16):
        joints, weights = rows(kind, 77, slots, dtype)
        for width in (1, 2, 3, 4, 5, 8, 11, 16, 20):
            found = try_keep_largest(joints, weights, width, None, 65536, instruction_set)
            same(found, keep_written_out(joints, weights, width, joint_count=None, offsets=None))


@each_set
@each_dtype
@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_packed_bit_for_bit(instruction_set, dtype, kind):
    for slots in (1, 3, 4, 7, 8, 12, 16):
        joints, weights = rows(kind, 77, slots, dtype)
        for target in WeightFormat:
            found = try_pack(joints, weights, target.dtype, None, None, instruction_set)
            same(found, pack_written_out(joints, weights, target, joint_count=None, offsets=None)[:2])


@each_set
def test_many_vertices_cut_and_packed_one_after_the_other(instruction_set):
    for kind in KINDS:
        joints, weights = rows(kind, 4001, 8, np.float32, seed=1)
        for precise in (weights, weights.astype(np.float64)):
            kept = try_keep_largest(joints, precise, 4, None, 65536, instruction_set)
            same(kept, keep_written_out(joints, precise, 4, joint_count=None, offsets=None))
            for target in WeightFormat:
                found = try_pack(*kept, target.dtype, None, None, instruction_set)
                same(found, pack_written_out(*kept, target, joint_count=None, offsets=None)[:2])


@each_set
@pytest.mark.parametrize("vertices", [0, 1, 2, 3, 7, 8, 9, 15, 17])
def test_blocks_that_are_not_full(instruction_set, vertices):
    for slots in (4, 8, 16):
        joints, weights = rows("even", vertices, slots, np.float32)
        same(
            try_keep_largest(joints, weights, 4, None, 70, instruction_set),
            keep_written_out(joints, weights, 4, joint_count=70, offsets=None),
        )
        same(
            try_pack(joints, weights, np.dtype(np.uint8), None, 70, instruction_set),
            pack_written_out(joints, weights, WeightFormat.UNORM8, joint_count=70, offsets=None)[:2],
        )


@each_set
def test_arrays_may_begin_anywhere(instruction_set):
    joints, weights = rows("even", 50, 8, np.float32)
    for shift in range(1, 16):
        moved_joints = np.empty(400 + shift, np.uint16)[shift:].reshape(50, 8)
        moved_weights = np.empty(400 + shift, np.float32)[shift:].reshape(50, 8)
        moved_joints[:], moved_weights[:] = joints, weights
        same(
            try_keep_largest(moved_joints, moved_weights, 4, None, None, instruction_set),
            keep_written_out(joints, weights, 4, joint_count=None, offsets=None),
        )


FLAWS = {
    "negative": lambda joints, weights: weights.__setitem__((5, 2), -1e-9),
    "infinite": lambda joints, weights: weights.__setitem__((5, 2), np.inf),
    "not a number": lambda joints, weights: weights.__setitem__((5, 2), np.nan),
    "twice": lambda joints, weights: joints.__setitem__((5, 2), joints[5, 6]),
    "out of range": lambda joints, weights: joints.__setitem__((5, 2), 70),
    "nothing": lambda joints, weights: weights.__setitem__(5, 0.0),
}


@each_set
@each_dtype
@pytest.mark.parametrize("flaw", FLAWS)
def test_no_flaw_is_vouched_for(instruction_set, dtype, flaw):
    joints, weights = rows("even", 21, 8, dtype)
    weights[5] = np.linspace(0.1, 0.9, 8)
    assert try_sound(joints, weights, None, 70, instruction_set)
    FLAWS[flaw](joints, weights)
    assert not try_sound(joints, weights, None, 70, instruction_set)
    assert try_keep_largest(joints, weights, 4, None, 70, instruction_set) is None
    assert try_pack(joints, weights, np.dtype(np.uint8), None, 70, instruction_set) is None
    for operation in (
        lambda: validate(joints, weights, joint_count=70),
        lambda: keep_largest(joints, weights, 4, joint_count=70),
        lambda: pack(joints, weights, format="unorm8", joint_count=70),
    ):
        with pytest.raises(errors.InfluenceError, match="vertex 5"):
            operation()


@each_set
def test_the_joints_of_empty_slots_are_no_flaw(instruction_set):
    joints, weights = np.full((9, 8), 9, np.uint16), np.zeros((9, 8), np.float32)
    joints[:, 3], weights[:, 3] = 1, 0.5
    assert try_sound(joints, weights, None, 2, instruction_set)
    found = try_keep_largest(joints, weights, 3, None, 2, instruction_set)
    same(found, (np.tile(np.array([1, 0, 0], np.uint16), (9, 1)), np.tile(np.array([1, 0, 0], np.float32), (9, 1))))


@each_set
def test_weights_far_from_one_are_left_to_numpy(instruction_set):
    for weight in (1e-300, 5e-324, 1e300):
        joints, weights = rows("even", 9, 4, np.float64)
        weights[3] = [weight, weight / 2, weight / 4, 0]
        assert not try_sound(joints, weights, None, None, instruction_set)
        same(keep_largest(joints, weights, 3), keep_written_out(joints, weights, 3, joint_count=None, offsets=None))


@pytest.mark.parametrize(
    ("joints", "weights", "offsets"),
    [
        (np.zeros((2, 2), np.int64), np.ones((2, 2)), None),
        (np.zeros((2, MOST_SLOTS + 1), np.uint16), np.ones((2, MOST_SLOTS + 1)), None),
        (np.zeros((2, 0), np.uint16), np.ones((2, 0)), None),
        (np.zeros(2, np.uint16), np.ones(2), np.array([0, 1, 2])),
        (np.zeros((2, 4), np.uint16)[:, ::2], np.ones((2, 2)), None),
        (np.zeros((2, 2), ">u2"), np.ones((2, 2)), None),
        (np.zeros((2, 2), np.uint16), np.ones((2, 3)), None),
        (np.zeros((2, 2), np.uint16), np.ones((2, 2), np.float16), None),
        ([[0]], [[1.0]], None),
    ],
)
def test_other_forms_are_left_to_numpy(joints, weights, offsets):
    assert not try_sound(joints, weights, offsets, None)
    assert try_keep_largest(joints, weights, 1, offsets, None) is None
    assert try_pack(joints, weights, np.dtype(np.uint8), offsets, None) is None


def test_merging_what_has_no_duplicates_copies():
    joints, weights = rows("even", 9, 4, np.float32)
    merged = merge_duplicates(joints, weights)
    same(merged[:3], (joints, weights, np.empty(0, np.intp)))
    assert not np.shares_memory(merged.joints, joints)
    assert not np.shares_memory(merged.weights, weights)
