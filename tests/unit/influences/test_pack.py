import numpy as np
import pytest

import tolerances
import weight_oracle as oracle
from skinproof import errors
from skinproof.influences import pack, unpack
from skinproof.model import WeightFormat

STORED = {"float32": np.float32, "unorm8": np.uint8, "unorm16": np.uint16}
each_storage = pytest.mark.parametrize("storage", STORED)


def packed(joints, weights, storage="unorm8", dtype=np.float64, **options):
    result = pack(np.array([joints], dtype=np.uint16), np.array([weights], dtype=dtype), format=storage, **options)
    assert result.stored.dtype == STORED[storage]
    assert result.joints.dtype == np.uint16
    assert result.offsets is None
    return result.joints[0].tolist(), result.stored[0].tolist()


def test_missing_units_go_to_the_largest_remainders():
    # 255 × (0.5, 0.3, 0.2) = 127.5, 76.5, 51: one unit is missing and rank breaks the tie.
    assert packed([1, 2, 3], [0.5, 0.3, 0.2]) == ([1, 2, 3], [128, 76, 51])
    # 255 × (0.45, 0.35, 0.2) = 114.75, 89.25, 51.
    assert packed([1, 2, 3], [0.45, 0.35, 0.2]) == ([1, 2, 3], [115, 89, 51])


@pytest.mark.parametrize("shares", [(3, 5, 502), (502, 3, 5), (5, 502, 3)])
def test_equal_remainders_of_unequal_weights_are_equal_in_spite_of_rounding(shares):
    # Exactly 1.5, 2.5 and 251 units: the one missing goes to the larger of the two.
    joints, stored = packed([3, 5, 502], sorted(shares))
    assert (joints, stored) == ([502, 5, 3], [251, 3, 1])
    for factor in (0.1, 0.3, 1 / 7, 1e-300):
        assert packed(list(shares), [share * factor for share in shares]) == ([502, 5, 3], [251, 3, 1])


@pytest.mark.parametrize("factor", [1.0, 0.1, 0.3, 1 / 7, 1e-300])
def test_equal_remainders_are_equal_in_float32_too(factor):
    # In half steps, so exactly 5592404.5, 8388607.5 and 2796204 steps.
    joints, stored = packed([3, 5, 7], [11184809 * factor, 16777215 * factor, 5592408 * factor], "float32")
    assert joints == [5, 3, 7]
    assert [weight * 2**24 for weight in stored] == [8388608, 5592404, 2796204]


def test_whole_shares_stay_whole_in_spite_of_rounding():
    for units in ([51, 51, 51, 102], [1, 254], [85, 85, 85], [255], [5, 50, 200]):
        joints = list(range(len(units)))
        weights = [unit / 255 for unit in units]
        expected = sorted(zip(units, joints, strict=True), key=lambda item: (-item[0], item[1]))
        assert packed(joints, weights) == ([joint for _, joint in expected], [unit for unit, _ in expected])


@each_storage
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 12, 16, 64])
def test_equal_weights_share_evenly_and_sum_exactly(storage, count):
    scale = oracle.STEPS[storage]
    joints, stored = packed(list(range(count))[::-1], [0.1] * count, storage)
    units = [unit * scale if storage == "float32" else unit for unit in stored]
    assert sum(units) == scale
    assert set(units) <= {scale // count, scale // count + 1}
    assert joints == list(range(count))
    assert units == sorted(units, reverse=True)


@each_storage
def test_random_vertices_of_many_influences_sum_exactly(storage):
    generator = np.random.default_rng(5)
    for count in (8, 12, 16, 32):
        weights = generator.random((2000, count)) ** 3
        joints = np.broadcast_to(np.arange(count, dtype=np.uint16), weights.shape).copy()
        stored = pack(joints, weights, format=storage).stored.astype(np.float64)
        assert set(stored.sum(axis=1)) == {1.0 if storage == "float32" else oracle.STEPS[storage]}
        assert (np.diff(stored, axis=1) <= 0).all()


def test_more_influences_than_units_leave_some_with_nothing():
    joints, stored = packed(list(range(300)), [1.0] * 300)
    assert stored == [1] * 255 + [0] * 45
    assert joints == list(range(255)) + [0] * 45


def test_more_unequal_influences_than_units_stay_on_floor_or_ceiling():
    generator = np.random.default_rng(6)
    weights = generator.random(1000) + 0.5
    joints, stored = packed(list(range(1000)), weights)
    assert sum(stored) == 255
    assert set(stored) == {0, 1}
    units = oracle.largest_remainder(list(enumerate(weights.tolist())), 255)
    assert sorted(joint for joint, unit in zip(joints, stored, strict=True) if unit) == sorted(
        joint for joint, unit in units.items() if unit
    )


@each_storage
def test_what_rounds_to_zero_becomes_an_empty_slot_with_joint_0(storage):
    joints, stored = packed([7, 9, 3], [1e-9, 1.0, 1e-300], storage)
    assert joints == [9, 0, 0]
    assert stored == [1.0 if storage == "float32" else oracle.STEPS[storage], 0, 0]


def test_the_order_is_that_of_the_stored_weights():
    # 0.4993 and 0.5007 are 127 and 128 units; 0.4999 and 0.5001 are 127.47 and 127.53.
    assert packed([1, 2], [0.4993, 0.5007]) == ([2, 1], [128, 127])
    assert packed([9, 5, 1], [0.3335, 0.3334, 0.3331]) == ([1, 5, 9], [85, 85, 85])


def test_weights_are_normalized_here():
    assert packed([0, 1], [0.2, 0.2]) == ([0, 1], [128, 127])
    assert packed([0, 1], [3e38, 3e38], dtype=np.float32) == ([0, 1], [128, 127])


def test_float32_is_packed_in_steps_that_add_without_rounding():
    joints, stored = packed([0, 1, 2], [1.0, 1.0, 1.0], "float32")
    assert joints == [0, 1, 2]
    assert [weight * 2**24 for weight in stored] == [5592406, 5592405, 5592405]
    assert sum(stored) == 1.0


def test_float32_is_within_one_step_of_the_exact_weight():
    generator = np.random.default_rng(7)
    weights = generator.random((5000, 8))
    joints = np.broadcast_to(np.arange(1, 9, dtype=np.uint8), weights.shape).copy()
    result = pack(joints, weights, format="float32")
    exact = np.take_along_axis(weights / weights.sum(axis=1, keepdims=True), result.joints.astype(int) - 1, axis=1)
    off = np.abs(result.stored - exact)[result.stored > 0]
    assert len(off) > 39_000
    assert off.max() < 2.0**-24 + tolerances.ROUNDING


@each_storage
def test_the_variable_length_form_drops_what_rounds_to_zero(storage):
    result = pack(
        np.array([4, 1, 0, 9, 3], dtype=np.int32),
        np.array([1.0, 1e-12, 2.0, 0.0, 6.0]),
        format=storage,
        offsets=np.array([0, 2, 5], dtype=np.int64),
    )
    assert result.joints.tolist() == [4, 3, 0]
    assert result.offsets.tolist() == [0, 1, 3]
    assert result.offsets.dtype == np.int64
    assert unpack(result.stored, format=storage).tolist() == pytest.approx([1.0, 0.75, 0.25], abs=0.5 / 255)


@each_storage
def test_the_format_may_be_the_models_word(storage):
    joints, weights = np.array([[0, 1]]), np.array([[1.0, 3.0]])
    by_name, by_word = pack(joints, weights, format=storage), pack(joints, weights, format=WeightFormat(storage))
    assert by_name.stored.tolist() == by_word.stored.tolist()


@pytest.mark.parametrize("storage", ["unorm32", "", None, 8])
def test_an_unknown_format_is_refused_with_those_there_are(storage):
    with pytest.raises(errors.OptionError, match="format: expected one of float32, unorm8, unorm16"):
        pack(np.array([[0]]), np.array([[1.0]]), format=storage)
    with pytest.raises(errors.OptionError, match="format: expected one of float32, unorm8, unorm16"):
        unpack(np.array([[1]], dtype=np.uint8), format=storage)


def test_broken_influences_are_refused():
    with pytest.raises(errors.InfluenceError, match="the same joint twice"):
        packed([1, 1], [0.5, 0.5])
    with pytest.raises(errors.InfluenceError, match="all weights are zero"):
        packed([1, 2], [0.0, 0.0])
    with pytest.raises(errors.InfluenceError, match="joint 9"):
        packed([1, 9], [0.5, 0.5], joint_count=9)


def test_the_inputs_stay_as_they_were():
    joints, weights = np.array([[4, 1, 7]]), np.array([[0.5, 2.0, 1e-9]])
    pack(joints, weights, format="unorm8")
    assert joints.tolist() == [[4, 1, 7]]
    assert weights.tolist() == [[0.5, 2.0, 1e-9]]


def test_no_vertices_pack_to_none():
    result = pack(np.zeros((0, 4), dtype=np.uint8), np.zeros((0, 4)), format="unorm16")
    assert result.joints.shape == result.stored.shape == (0, 4)


@pytest.mark.parametrize(("storage", "scale"), [("unorm8", 255), ("unorm16", 65535)])
def test_every_integer_decodes_to_the_nearest_float32_of_its_quotient(storage, scale):
    decoded = unpack(np.arange(scale + 1, dtype=STORED[storage]), format=storage)
    assert decoded.dtype == np.float32
    # float64 division and a second rounding give the correctly rounded float32: 53 ≥ 2 · 24 + 2 bits.
    assert decoded.tolist() == (np.arange(scale + 1) / scale).astype(np.float32).tolist()
    assert decoded[[0, -1]].tolist() == [0.0, 1.0]


def test_floats_decode_to_themselves_in_a_new_array():
    stored = np.array([[0.25, 0.75, np.nan, -0.0]], dtype=np.float32)
    decoded = unpack(stored, format="float32")
    assert decoded.tobytes() == stored.tobytes()
    assert not np.shares_memory(decoded, stored)


@pytest.mark.parametrize(
    ("stored", "storage", "message"),
    [
        (np.zeros((1, 4), dtype=np.uint16), "unorm8", "stored: expected dtype uint8"),
        (np.zeros((1, 4), dtype=np.uint8), "unorm16", "stored: expected dtype uint16"),
        (np.zeros((1, 4)), "float32", "stored: expected dtype float32"),
        (np.zeros((1, 4, 1), dtype=np.uint8), "unorm8", r"stored: expected shape \[V, N\] or \[n\], got \[1, 4, 1\]"),
        (np.array(3, dtype=np.uint8), "unorm8", r"stored: expected shape \[V, N\] or \[n\], got \[\]"),
        (np.zeros((4, 4), dtype=np.uint8)[:, ::2], "unorm8", "stored: expected a C-contiguous"),
        ([255, 0], "unorm8", "stored: expected a NumPy array"),
    ],
)
def test_unpack_refuses_what_is_not_of_the_format(stored, storage, message):
    with pytest.raises(errors.ArrayError, match=message):
        unpack(stored, format=storage)
