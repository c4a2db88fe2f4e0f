"""The weight operations on anything: what must hold whatever the weights are."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
import tolerances
import weight_oracle as oracle
from skinproof.influences import (
    find_problems,
    keep_largest,
    merge_duplicates,
    normalize,
    pack,
    repair,
    unpack,
    validate,
)

FORMATS = ["float32", "unorm8", "unorm16"]
each_format = pytest.mark.parametrize("storage", FORMATS)
meshes = st.lists(strategies.vertices(), max_size=5)
counts = st.integers(1, 9)
many = st.lists(strategies.positive_weights(), min_size=1, max_size=64)


def bits(*arrays):
    return tuple((array.dtype.str, array.shape, array.tobytes()) for array in arrays if array is not None)


# The order of storage has no say.


@given(st.data(), strategies.vertices(), counts)
def test_permuting_influences_changes_no_bit(data, vertex, count):
    shuffled = data.draw(st.permutations(vertex))
    joints, weights = strategies.fixed_width([vertex, shuffled])
    kept = keep_largest(joints, weights, count)
    assert bits(kept[0][0], kept[1][0]) == bits(kept[0][1], kept[1][1])
    normalized = normalize(joints, weights)
    assert dict(zip(joints[0], normalized[0], strict=True)) == dict(zip(joints[1], normalized[1], strict=True))
    for storage in FORMATS:
        packed = pack(joints, weights, format=storage)
        assert bits(packed.joints[0], packed.stored[0]) == bits(packed.joints[1], packed.stored[1])


@given(strategies.vertices(), counts)
def test_coincident_vertices_in_opposite_order_stay_together(vertex, count):
    joints, weights = strategies.fixed_width([vertex, vertex[::-1]])
    kept_joints, kept_weights = keep_largest(joints, weights, count)
    assert bits(kept_joints[0], kept_weights[0]) == bits(kept_joints[1], kept_weights[1])


@given(st.data(), strategies.vertices(), counts)
def test_empty_slots_change_no_bit(data, vertex, count):
    padding = data.draw(st.lists(st.tuples(st.integers(-5, 100), st.sampled_from([0.0, -0.0])), max_size=6))
    padded = data.draw(st.permutations([*vertex, *padding]))
    plain = strategies.fixed_width([vertex], joint_dtype=np.int64)
    wide = strategies.fixed_width([padded], joint_dtype=np.int64)
    assert bits(*keep_largest(*wide, count, joint_count=128)) == bits(*keep_largest(*plain, count, joint_count=128))
    for storage in FORMATS:
        narrow_pack, wide_pack = pack(*plain, format=storage), pack(*wide, format=storage)
        filled = len(vertex)
        assert bits(wide_pack.joints[:, :filled], wide_pack.stored[:, :filled]) == bits(*narrow_pack)
        assert not wide_pack.joints[:, filled:].any()
        assert not wide_pack.stored[:, filled:].any()


@given(meshes, counts)
def test_both_array_forms_agree(mesh, count):
    fixed = strategies.fixed_width(mesh)
    *flat, offsets = strategies.variable_length(mesh)
    assert bits(*keep_largest(*fixed, count)) == bits(*keep_largest(*flat, count, offsets=offsets))
    assert bits(normalize(*fixed)[fixed[1] != 0]) == bits(normalize(*flat, offsets=offsets))
    for storage in FORMATS:
        packed, listed = pack(*fixed, format=storage), pack(*flat, format=storage, offsets=offsets)
        used = packed.stored != 0
        assert bits(packed.joints[used], packed.stored[used]) == bits(listed.joints, listed.stored)
        assert np.diff(listed.offsets).tolist() == np.count_nonzero(used, axis=1).tolist()


# Scale has no say.


@given(strategies.vertices(weights=st.floats(2.0**-20, 1)), counts, st.integers(-900, 900))
def test_scaling_by_a_power_of_two_changes_no_bit(vertex, count, exponent):
    scaled = [(joint, math.ldexp(weight, exponent)) for joint, weight in vertex]
    plain, other = strategies.fixed_width([vertex]), strategies.fixed_width([scaled])
    assert bits(*keep_largest(*other, count)) == bits(*keep_largest(*plain, count))
    assert bits(normalize(*other)) == bits(normalize(*plain))
    for storage in FORMATS:
        assert bits(*pack(*other, format=storage)) == bits(*pack(*plain, format=storage))


@given(strategies.vertices(weights=st.floats(2.0**-20, 1)), counts, st.floats(1e-200, 1e200))
def test_scaling_by_any_factor_changes_rounding_only(vertex, count, factor):
    scaled = [(joint, weight * factor) for joint, weight in vertex]
    # Rounding may make a tie of what was none, and the tie may go to the other joint.
    assume(len({weight for _, weight in scaled}) == len({weight for _, weight in vertex}))
    joints, weights = keep_largest(*strategies.fixed_width([vertex]), count)
    other_joints, other_weights = keep_largest(*strategies.fixed_width([scaled]), count)
    one = dict(strategies.as_vertex(joints[0], weights[0]))
    other = dict(strategies.as_vertex(other_joints[0], other_weights[0]))
    assert one == pytest.approx(other, rel=tolerances.WEIGHT_RELATIVE, abs=0)


# What comes out is what exact arithmetic says.


@given(meshes, counts)
def test_keep_largest_is_what_fractions_say(mesh, count):
    joints, weights = keep_largest(*strategies.fixed_width(mesh), count)
    assert joints.shape == weights.shape == (len(mesh), count)
    for row, vertex in enumerate(mesh):
        kept = dict(strategies.as_vertex(joints[row], weights[row]))
        expected = oracle.keep_largest(vertex, count)
        assert kept.keys() <= expected.keys()
        for joint, weight in expected.items():
            off = abs(Fraction(kept.get(joint, 0.0)) - weight)
            assert off <= weight * Fraction(tolerances.WEIGHT_RELATIVE) + Fraction(tolerances.DENORMAL)


@given(meshes, counts)
def test_what_is_kept_is_in_the_contracts_order_and_sums_to_one(mesh, count):
    joints, weights = keep_largest(*strategies.fixed_width(mesh), count)
    for row in range(len(mesh)):
        kept = strategies.as_vertex(joints[row], weights[row])
        assert kept == sorted(kept, key=lambda item: (-item[1], item[0]))
        assert not joints[row, len(kept) :].any()
        assert math.fsum(weights[row]) == pytest.approx(1, rel=0, abs=tolerances.WEIGHT_SUM)


@given(st.lists(strategies.vertices(width=32), max_size=5), counts)
def test_float32_is_computed_in_float64_and_rounded_once(mesh, count):
    fixed = strategies.fixed_width(mesh, weight_dtype=np.float32)
    joints, weights = keep_largest(*fixed, count)
    assert weights.dtype == np.float32
    for row, vertex in enumerate(mesh):
        for joint, weight in oracle.keep_largest(vertex, count).items():
            kept = dict(strategies.as_vertex(joints[row], weights[row])).get(joint, 0.0)
            assert abs(Fraction(kept) - weight) <= weight * Fraction(tolerances.FLOAT32_ROUNDING) + Fraction(2.0**-149)


@given(meshes)
def test_normalize_is_what_fractions_say(mesh):
    joints, weights = strategies.fixed_width(mesh)
    normalized = normalize(joints, weights)
    for row, vertex in enumerate(mesh):
        expected = oracle.exact_shares(vertex)
        for slot, (joint, _) in enumerate(vertex):
            off = abs(Fraction(float(normalized[row, slot])) - expected[joint])
            assert off <= expected[joint] * Fraction(tolerances.WEIGHT_RELATIVE) + Fraction(tolerances.DENORMAL)
        assert not normalized[row, len(vertex) :].any()


@given(meshes)
def test_one_influence_is_the_largest_with_weight_one(mesh):
    joints, weights = keep_largest(*strategies.fixed_width(mesh), 1)
    assert weights.tolist() == [[1.0]] * len(mesh)
    assert joints[:, 0].tolist() == [oracle.by_rank(vertex)[0][0] for vertex in mesh]


# Packing.


@each_format
@given(weights=many)
def test_packed_weights_sum_exactly_and_stay_on_floor_or_ceiling(storage, weights):
    vertex = list(enumerate(weights))
    scale = oracle.STEPS[storage]
    packed = pack(*strategies.fixed_width([vertex]), format=storage)
    units = dict.fromkeys(range(len(weights)), 0)
    for joint, stored in strategies.as_vertex(packed.joints[0], packed.stored[0]):
        units[joint] = int(stored * scale) if storage == "float32" else int(stored)
        assert stored * scale == int(stored * scale) if storage == "float32" else stored == int(stored)
    assert sum(units.values()) == scale
    for joint, share in oracle.exact_shares(vertex).items():
        assert math.floor(share * scale) <= units[joint] <= math.ceil(share * scale)


@each_format
@given(weights=many)
def test_packed_weights_are_what_largest_remainder_in_fractions_says(storage, weights):
    vertex = list(enumerate(weights))
    scale = oracle.STEPS[storage]
    gap = oracle.remainder_gap(vertex, scale)
    assume(gap is None or gap > tolerances.REMAINDER_GAP)
    packed = pack(*strategies.fixed_width([vertex]), format=storage)
    units = {
        joint: int(stored * scale) if storage == "float32" else int(stored)
        for joint, stored in strategies.as_vertex(packed.joints[0], packed.stored[0])
    }
    assert units == {joint: count for joint, count in oracle.largest_remainder(vertex, scale).items() if count}


@each_format
@given(mesh=st.lists(strategies.vertices(20), min_size=1, max_size=5))
def test_the_khronos_validator_accepts_what_is_packed(storage, mesh):
    width = -(-max(len(vertex) for vertex in mesh) // 4) * 4
    packed = pack(*strategies.fixed_width(mesh, width), format=storage)
    for row in packed.stored:
        exact = [float(stored) if storage == "float32" else int(stored) / oracle.STEPS[storage] for stored in row]
        total, allowed = oracle.khronos_sum(exact)
        assert abs(total - 1) <= allowed
        assert storage != "float32" or total == 1


@given(st.data(), many)
def test_packed_float32_sums_to_one_in_float32_in_any_order(data, weights):
    stored = pack(*strategies.fixed_width([list(enumerate(weights))]), format="float32").stored[0]
    total = 0.0
    for weight in data.draw(st.permutations(stored.tolist())):
        total = oracle.float32(total + weight)
    assert total == 1.0
    assert math.fsum(stored) == 1.0


@each_format
@given(mesh=meshes)
def test_packing_again_changes_nothing(storage, mesh):
    once = pack(*strategies.fixed_width(mesh), format=storage)
    again = pack(once.joints, unpack(once.stored, format=storage), format=storage)
    assert bits(*again) == bits(*once)


@each_format
@given(mesh=meshes, count=counts)
def test_limiting_and_packing_again_changes_nothing(storage, mesh, count):
    once = pack(*keep_largest(*strategies.fixed_width(mesh), count), format=storage)
    decoded = unpack(once.stored, format=storage)
    again = pack(*keep_largest(once.joints, decoded, count), format=storage)
    assert bits(*again) == bits(*once)
    if storage == "float32":
        assert bits(normalize(once.joints, decoded)) == bits(decoded), "a sum of exactly one needs no rounding"


# Merging and repairing.

repeated = st.lists(
    st.lists(st.tuples(st.integers(0, 4), strategies.positive_weights()), min_size=1, max_size=8), max_size=4
)


@given(st.data(), repeated)
def test_merging_is_what_fractions_say_and_reports_every_vertex(data, mesh):
    result = merge_duplicates(*strategies.fixed_width(mesh))
    doubled = [row for row, vertex in enumerate(mesh) if len({joint for joint, _ in vertex}) < len(vertex)]
    assert result.vertices.tolist() == doubled
    for row, vertex in enumerate(mesh):
        got = dict(strategies.as_vertex(result.joints[row], result.weights[row]))
        expected, steps = oracle.merged(vertex), 0
        if oracle.overflows(max(expected.values())):
            scale = Fraction(2) ** -len(vertex).bit_length()
            expected = {joint: weight * scale for joint, weight in expected.items()}
            steps = len(vertex)  # each weight may lose a denormal step when it is scaled down
        assert list(got) == [joint for joint in expected if joint in got]
        for joint, weight in expected.items():
            off = abs(Fraction(got.get(joint, 0.0)) - weight)
            assert off <= weight * Fraction(tolerances.WEIGHT_RELATIVE) + steps * Fraction(tolerances.DENORMAL)
    shuffled = [data.draw(st.permutations(vertex)) for vertex in mesh]
    other = merge_duplicates(*strategies.fixed_width(shuffled))
    for row in range(len(mesh)):
        assert sorted(strategies.as_vertex(result.joints[row], result.weights[row])) == sorted(
            strategies.as_vertex(other.joints[row], other.weights[row])
        )


@given(repeated)
def test_merging_is_the_same_in_both_forms_and_twice(mesh):
    fixed = merge_duplicates(*strategies.fixed_width(mesh))
    *flat, offsets = strategies.variable_length(mesh)
    listed = merge_duplicates(*flat, offsets=offsets)
    used = fixed.weights != 0
    assert bits(fixed.joints[used], fixed.weights[used]) == bits(listed.joints, listed.weights)
    assert np.diff(listed.offsets).tolist() == np.count_nonzero(used, axis=1).tolist()
    assert listed.vertices.tolist() == fixed.vertices.tolist()
    again = merge_duplicates(fixed.joints, fixed.weights)
    assert bits(again.joints, again.weights) == bits(fixed.joints, fixed.weights)
    assert again.vertices.tolist() == []


@given(st.lists(strategies.any_vertices(), max_size=4), st.sampled_from(["drop", "absolute"]))
def test_repaired_weights_break_no_rule_of_weights(mesh, negative):
    joints, weights = strategies.fixed_width(mesh, 8, joint_dtype=np.int16)
    result = repair(joints, weights, negative=negative, nonfinite="drop", zero="joint=3")
    rules = {problem.rule for problem in find_problems(result.joints, result.weights, joint_count=7)}
    assert rules <= {"negative_joint", "duplicate_joint"}, "repair leaves joints as they are"
    changed = set().union(*(vertices.tolist() for vertices in result.vertices.values()))
    for row in set(range(len(mesh))) - changed:
        assert bits(result.joints[row], result.weights[row]) == bits(joints[row], weights[row])
    for row in changed:
        assert bits(result.joints[row], result.weights[row]) != bits(joints[row], weights[row])
    again = repair(result.joints, result.weights, negative=negative, nonfinite="drop", zero="joint=3")
    assert bits(again.joints, again.weights) == bits(result.joints, result.weights)
    assert all(vertices.tolist() == [] for vertices in again.vertices.values())


@given(st.lists(strategies.any_vertices(), max_size=4))
def test_repairing_is_the_same_in_both_forms(mesh):
    listed = [[(joint, weight) for joint, weight in vertex if weight != 0] for vertex in mesh]
    fixed = repair(
        *strategies.fixed_width(listed, 8, joint_dtype=np.int16), negative="drop", nonfinite="drop", zero="joint=3"
    )
    *flat, offsets = strategies.variable_length(listed, joint_dtype=np.int16)
    variable = repair(*flat, negative="drop", nonfinite="drop", zero="joint=3", offsets=offsets)
    used = fixed.weights != 0
    assert bits(fixed.joints[used], fixed.weights[used]) == bits(variable.joints, variable.weights)
    assert np.diff(variable.offsets).tolist() == np.count_nonzero(used, axis=1).tolist()
    assert {key: value.tolist() for key, value in fixed.vertices.items()} == {
        key: value.tolist() for key, value in variable.vertices.items()
    }


# Validating.


def rules_of(problems, vertex):
    return sorted(
        (
            (problem.rule, problem.joint, "" if problem.value is None else repr(problem.value))
            for problem in problems
            if problem.vertex == vertex
        ),
        key=lambda item: (item[0], item[1] or 0, item[2]),
    )


@given(st.lists(strategies.any_vertices(), max_size=5), st.one_of(st.none(), st.integers(0, 7)))
def test_problems_are_what_a_plain_loop_finds(mesh, joint_count):
    joints, weights = strategies.fixed_width(mesh, joint_dtype=np.int32)
    problems = find_problems(joints, weights, joint_count=joint_count)
    for row in range(len(mesh)):
        vertex = strategies.as_vertex(joints[row], weights[row])
        assert rules_of(problems, row) == oracle.broken_rules(vertex, joint_count, listed=joints.shape[1])
    *flat, offsets = strategies.variable_length(mesh, joint_dtype=np.int32)
    problems = find_problems(*flat, joint_count=joint_count, offsets=offsets)
    for row, vertex in enumerate(mesh):
        assert rules_of(problems, row) == oracle.broken_rules(vertex, joint_count, listed=len(vertex))


@pytest.mark.parametrize("joint_dtype", strategies.JOINT_DTYPES)
@given(mesh=meshes)
def test_sound_influences_of_any_integer_type_pass_and_keep_their_type(joint_dtype, mesh):
    joints, weights = strategies.fixed_width(mesh, 12, joint_dtype=joint_dtype)
    validate(joints, weights, joint_count=strategies.MOST_JOINTS)
    assert keep_largest(joints, weights, 4)[0].dtype == joint_dtype
    assert merge_duplicates(joints, weights).joints.dtype == joint_dtype
    assert repair(joints, weights).joints.dtype == joint_dtype
    assert pack(joints, weights, format="unorm8").joints.dtype == joint_dtype
