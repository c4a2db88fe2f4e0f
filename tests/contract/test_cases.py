"""Cases that released tools get wrong, each with its right outcome: those that plain weight operations decide."""

import numpy as np
import pytest

import strategies
import tolerances
import weight_oracle as oracle
from skinproof import errors
from skinproof.influences import keep_largest, merge_duplicates, normalize, pack, repair, unpack

TOP = np.finfo(np.float64).max


def one(joints, weights, dtype=np.float32):
    return np.array([joints], dtype=np.uint16), np.array([weights], dtype=dtype)


def refused(operation, *arguments, **options):
    with pytest.raises(errors.InfluenceError) as caught:
        operation(*arguments, **options)
    return [(problem.rule, problem.vertex, problem.joint) for problem in caught.value.problems]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("storage", ["float32", "unorm8", "unorm16"])
def test_eight_equal_weights_in_opposite_orders_on_coincident_vertices_keep_the_same_joints_and_bytes(count, storage):
    joints = np.array([range(8), range(7, -1, -1)], dtype=np.uint16)
    weights = np.full((2, 8), 0.125, dtype=np.float32)
    kept_joints, kept_weights = keep_largest(joints, weights, count)
    assert kept_joints.tolist() == [list(range(count))] * 2
    packed = pack(kept_joints, kept_weights, format=storage)
    assert packed.joints[0].tobytes() == packed.joints[1].tobytes()
    assert packed.stored[0].tobytes() == packed.stored[1].tobytes()


@pytest.mark.parametrize("count", [8, 12, 16])
def test_unorm8_with_many_influences_sums_to_255_and_none_wraps(count):
    generator = np.random.default_rng(count)
    sharp = np.full(count, 1e-4)
    sharp[0] = 1
    even = np.ones(count)
    random = generator.random((500, count)) ** 4
    weights = np.vstack([sharp, even, random])
    joints = np.broadcast_to(np.arange(count, dtype=np.uint16), weights.shape).copy()
    packed = pack(joints, weights, format="unorm8")
    assert packed.stored.astype(int).sum(axis=1).tolist() == [255] * 502
    for row, vertex_weights in enumerate(weights):
        units = oracle.largest_remainder(list(enumerate(vertex_weights.tolist())), 255)
        stored = dict(strategies.as_vertex(packed.joints[row], packed.stored[row]))
        assert stored == {joint: unit for joint, unit in units.items() if unit}


def test_weights_0_001_and_0_0005_become_two_thirds_and_one_third():
    joints, weights = keep_largest(*one([4, 2], [0.001, 0.0005]), 4)
    assert joints.tolist() == [[4, 2, 0, 0]]
    assert weights[0].tolist() == pytest.approx([2 / 3, 1 / 3, 0, 0], abs=tolerances.FLOAT32_ROUNDING)
    assert pack(joints, weights, format="unorm8").stored.tolist() == [[170, 85, 0, 0]]


@pytest.mark.parametrize(
    ("weight", "dtype"), [(3e38, np.float32), (TOP, np.float64), (np.finfo(np.float32).max, np.float32)]
)
def test_two_of_the_largest_weights_become_a_half_each(weight, dtype):
    joints, weights = keep_largest(*one([0, 1], [weight, weight], dtype), 2)
    assert (joints.tolist(), weights.tolist(), weights.dtype) == ([[0, 1]], [[0.5, 0.5]], dtype)
    assert normalize(*one([0, 1], [weight, weight], dtype)).tolist() == [[0.5, 0.5]]
    assert pack(*one([0, 1], [weight, weight], dtype), format="unorm8").stored.tolist() == [[128, 127]]


@pytest.mark.parametrize("weight", [np.nan, np.inf, -np.inf])
def test_a_nan_or_infinite_weight_is_an_error_and_a_named_repair_drops_and_reports_it(weight):
    influences = one([7, 8], [weight, 0.5])
    assert refused(keep_largest, *influences, 4) == [("nonfinite_weight", 0, 7)]
    repaired = repair(*influences, nonfinite="drop")
    assert (repaired.joints.tolist(), repaired.weights.tolist()) == ([[0, 8]], [[0.0, 0.5]])
    assert repaired.vertices["nonfinite=drop"].tolist() == [0]


def test_a_negative_weight_is_an_error_and_a_named_repair_drops_or_turns_and_reports_it():
    influences = one([7, 8], [-0.25, 0.5])
    assert refused(keep_largest, *influences, 4) == [("negative_weight", 0, 7)]
    for policy, weights in (("drop", [[0.0, 0.5]]), ("absolute", [[0.25, 0.5]])):
        repaired = repair(*influences, negative=policy)
        assert repaired.weights.tolist() == weights
        assert repaired.vertices[f"negative={policy}"].tolist() == [0]


def test_an_all_zero_vertex_is_an_error_and_a_named_repair_binds_and_reports_it():
    joints, weights = np.array([[1, 2], [5, 6]], dtype=np.uint8), np.array([[0.5, 0.5], [0.0, -0.0]])
    assert refused(keep_largest, joints, weights, 4) == [("zero_sum", 1, None)]
    assert refused(pack, joints, weights, format="unorm8") == [("zero_sum", 1, None)]
    repaired = repair(joints, weights, zero="joint=3")
    assert repaired.joints.tolist() == [[1, 2], [3, 0]]
    assert repaired.weights.tolist() == [[0.5, 0.5], [1.0, 0.0]]
    assert repaired.vertices["zero=joint=3"].tolist() == [1]


def test_the_same_joint_twice_is_merged_by_a_reported_step_and_then_ranked():
    influences = one([5, 5, 2, 3], [0.3, 0.3, 0.4, 0.1])
    assert refused(keep_largest, *influences, 1) == [("duplicate_joint", 0, 5)]
    merged = merge_duplicates(*influences)
    assert merged.vertices.tolist() == [0]
    joints, weights = keep_largest(merged.joints, merged.weights, 2)
    assert joints.tolist() == [[5, 2]], "the true first joint wins, and takes one place"
    assert weights[0].tolist() == pytest.approx([0.6, 0.4], abs=tolerances.FLOAT32_ROUNDING)


def test_a_vertex_below_k_beside_others_above_it_is_normalized_too():
    joints = np.array([[0, 1, 2, 3, 4], [0, 1, 0, 0, 0]], dtype=np.uint16)
    weights = np.array([[0.2, 0.2, 0.2, 0.2, 0.2], [0.5, 0.25, 0, 0, 0]], dtype=np.float32)
    _, kept = keep_largest(joints, weights, 4)
    np.testing.assert_allclose(kept.astype(np.float64).sum(axis=1), 1, rtol=0, atol=tolerances.FLOAT32_SUM)
    assert pack(joints, weights, format="float32").stored.astype(np.float64).sum(axis=1).tolist() == [1.0, 1.0]


def test_the_largest_are_kept_whatever_the_order_and_the_split_into_sets():
    expected = keep_largest(*one([0, 1, 2, 3, 4, 5, 0, 0], [0.5, 0.2, 0.12, 0.08, 0.06, 0.04, 0, 0]), 4)
    assert expected[0].tolist() == [[0, 1, 2, 3]]
    reversed_sets = one([5, 4, 3, 2, 1, 0, 9, 9], [0.04, 0.06, 0.08, 0.12, 0.2, 0.5, 0, 0])
    one_in_each_set = one([5, 9, 9, 9, 0, 4, 1, 9, 9, 3, 2, 9], [0.04, 0, 0, 0, 0.5, 0.06, 0.2, 0, 0, 0.08, 0.12, 0])
    for stored in (reversed_sets, one_in_each_set):
        kept = keep_largest(*stored, 4)
        assert [array.tobytes() for array in kept] == [array.tobytes() for array in expected]


def test_sets_of_different_types_are_handled_once_decoded():
    floats = np.array([[0.5, 0.25, 0.0, 0.0]], dtype=np.float32)
    integers = np.array([[32, 31, 0, 0]], dtype=np.uint8)
    weights = np.hstack([floats, unpack(integers, format="unorm8")])
    joints, kept = keep_largest(np.arange(8, dtype=np.uint16)[np.newaxis], weights, 3)
    assert joints.tolist() == [[0, 1, 4]]
    exact = np.array([0.5, 0.25, 32 / 255])
    np.testing.assert_allclose(kept[0], exact / exact.sum(), rtol=0, atol=tolerances.FLOAT32_ROUNDING)


def test_a_zero_weight_leaves_no_joint_behind():
    influences = one([3, 200, 7, 9], [0.5, 0.0, 0.5, -0.0])
    assert keep_largest(*influences, 4)[0].tolist() == [[3, 7, 0, 0]]
    for storage in ("float32", "unorm8", "unorm16"):
        assert pack(*influences, format=storage).joints.tolist() == [[3, 7, 0, 0]]
    assert pack(*one([3, 200], [1.0, 1e-9]), format="unorm8").joints.tolist() == [[3, 0]], (
        "also one that rounds to zero"
    )


def test_integer_weights_are_decoded_by_the_normalized_rule():
    assert unpack(np.array([0, 51, 255], dtype=np.uint8), format="unorm8").tolist() == [0.0, np.float32(0.2), 1.0]
    assert unpack(np.array([0, 13107, 65535], dtype=np.uint16), format="unorm16").tolist() == [0, np.float32(0.2), 1]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 7])
def test_a_k_that_is_no_multiple_of_four_is_fine(count):
    generator = np.random.default_rng(count)
    joints, weights = keep_largest(*one(range(8), generator.random(8)), count)
    assert joints.shape == weights.shape == (1, count)
    assert (weights > 0).all()
    assert pack(joints, weights, format="unorm8").stored.astype(int).sum() == 255


def test_a_weight_of_minus_zero_is_an_empty_slot_and_never_the_largest():
    joints, weights = keep_largest(*one([9, 4, 4], [-0.0, 0.5, -0.0]), 1, joint_count=5)
    assert (joints.tolist(), weights.tolist()) == ([[4]], [[1.0]])


def test_denormal_weights_keep_their_proportions():
    influences = one([0, 1], [1e-310, 3e-310], np.float64)
    assert keep_largest(*influences, 2)[1].tolist() == [[0.75, 0.25]]
    assert normalize(*influences).tolist() == [[0.25, 0.75]]
    assert pack(*influences, format="unorm16").stored.tolist() == [[49151, 16384]]
    merged = merge_duplicates(*one([0, 1, 1], [1e-310, 1e-310, 2e-310], np.float64))
    assert keep_largest(merged.joints, merged.weights, 2)[1].tolist() == [[0.75, 0.25]]


def test_a_sum_of_0_98_is_gone_after_the_cut():
    influences = one([0, 1], [0.49, 0.49])
    assert keep_largest(*influences, 4)[1].tolist() == [[0.5, 0.5, 0.0, 0.0]]
    assert unpack(pack(*influences, format="unorm8").stored, format="unorm8").astype(np.float64).sum() == pytest.approx(
        1, abs=tolerances.FLOAT32_SUM
    )
