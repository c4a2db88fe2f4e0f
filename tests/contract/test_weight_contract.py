"""The weight contract, row by row and number by number (docs/weight-contract.md)."""

import numpy as np
import pytest

import tolerances
from skinproof import errors
from skinproof.influences import find_problems, keep_largest, normalize, validate
from skinproof.probe import contract
from skinproof.skinning import reference

TOP = np.finfo(np.float64).max


def cut(influences, count, **options):
    """Cut one vertex given as (joint, weight) pairs; checked in both array forms."""
    joints = np.array([[joint for joint, _ in influences]], dtype=np.int32)
    weights = np.array([[weight for _, weight in influences]], dtype=np.float64)
    kept = keep_largest(joints, weights, count, **options)
    if (weights != 0).all():
        offsets = np.array([0, len(influences)], dtype=np.int64)
        listed = keep_largest(joints[0], weights[0], count, offsets=offsets, **options)
        assert [array.tolist() for array in listed] == [array.tolist() for array in kept]
    return kept[0][0].tolist(), kept[1][0].tolist()


def refused(influences, count=4, **options):
    with pytest.raises(errors.InfluenceError) as caught:
        cut(influences, count, **options)
    return [(problem.rule, problem.joint, problem.value) for problem in caught.value.problems]


# The rules of cutting to K.


def test_rule_output_order_is_weight_descending_then_joint_ascending():
    assert cut([(3, 0.25), (1, 0.125), (2, 0.25), (0, 0.375)], 4) == ([0, 2, 3, 1], [0.375, 0.25, 0.25, 0.125])


def test_rule_a_permuted_input_gives_the_identical_output_ties_at_the_cut_included():
    influences = [(joint, 0.125) for joint in range(8)]
    expected = cut(influences, 4)
    assert expected == ([0, 1, 2, 3], [0.25] * 4)
    generator = np.random.default_rng(3)
    for _ in range(50):
        assert cut([influences[index] for index in generator.permutation(8)], 4) == expected


def test_rule_k_larger_than_the_number_of_influences_keeps_all():
    assert cut([(4, 1.0), (2, 1.0)], 8) == ([2, 4, 0, 0, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize("factor", [0.001, 0.98, 3.0, 1e100])
def test_rule_weights_that_do_not_sum_to_one_are_allowed_and_normalized(factor):
    joints, weights = cut([(0, 0.5 * factor), (1, 0.25 * factor), (2, 0.25 * factor)], 4)
    assert joints == [0, 1, 2, 0]
    assert weights == pytest.approx([0.5, 0.25, 0.25, 0], abs=tolerances.ROUNDING)


def test_rule_two_weights_of_the_largest_double_give_a_half_each():
    assert cut([(0, TOP), (1, TOP)], 2) == ([0, 1], [0.5, 0.5])


def test_rule_there_is_no_absolute_threshold():
    joints, weights = cut([(0, 1e-200), (1, 3e-200)], 2)
    assert joints == [1, 0]
    assert weights == pytest.approx([0.75, 0.25], abs=tolerances.ROUNDING)


def test_rule_proportions_of_very_small_weights_hold():
    assert cut([(0, 1e-310), (1, 3e-310)], 2) == ([1, 0], [0.75, 0.25])
    joints, weights = cut([(0, 1.0), (1, 1e-300)], 2)
    assert (joints, weights) == ([0, 1], [1.0, 1e-300])


def test_rule_no_influences_are_an_error():
    assert refused([]) == [("no_influences", None, None)]


@pytest.mark.parametrize("count", [0, -1])
def test_rule_k_of_zero_or_less_is_an_error(count):
    with pytest.raises(errors.OptionError, match="max_influences"):
        cut([(0, 1.0)], count)


def test_rule_a_negative_joint_is_an_error():
    assert refused([(0, 0.5), (-1, 0.5)]) == [("negative_joint", -1, 0.5)]


def test_rule_a_joint_not_below_the_joint_count_is_an_error():
    assert refused([(0, 0.5), (3, 0.5)], joint_count=3) == [("joint_out_of_range", 3, 0.5)]
    assert cut([(0, 0.5), (2, 0.5)], 2, joint_count=3) == ([0, 2], [0.5, 0.5])


def test_rule_the_same_joint_twice_is_an_error():
    assert refused([(7, 0.5), (7, 0.25)]) == [("duplicate_joint", 7, 0.25)]


@pytest.mark.parametrize("weight", [np.nan, np.inf, -np.inf, -1.0, -5e-324])
def test_rule_a_weight_that_is_nan_infinite_or_negative_is_an_error(weight):
    rule = "negative_weight" if np.isfinite(weight) else "nonfinite_weight"
    ((found, joint, value),) = refused([(0, 0.5), (1, weight)])
    assert (found, joint) == (rule, 1)
    assert value == weight or np.isnan(weight)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_rule_all_weights_zero_are_an_error(zero):
    assert refused([(0, zero), (1, zero)]) == [("zero_sum", None, None)]


@pytest.mark.parametrize(
    ("influence", "rule"),
    [
        ((9, 1e-9), "joint_out_of_range"),
        ((-1, 1e-9), "negative_joint"),
        ((0, 1e-9), "duplicate_joint"),
        ((2, -1e-9), "negative_weight"),
        ((2, np.nan), "nonfinite_weight"),
    ],
)
def test_rule_an_influence_that_would_be_cut_anyway_is_validated(influence, rule):
    assert [found for found, _, _ in refused([(0, 0.5), (1, 0.5), influence], 1, joint_count=9)] == [rule]


def test_rule_a_slot_of_weight_zero_is_neither_duplicate_nor_out_of_range():
    assert cut([(1, 0.5), (1, 0.0), (99, -0.0), (-7, 0.0), (2, 0.5)], 2, joint_count=3) == ([1, 2], [0.5, 0.5])


def test_rule_the_variable_length_form_has_no_empty_slots_and_rejects_every_duplicate():
    joints, weights = np.array([1, 1, 2]), np.array([0.5, 0.0, 0.5])
    with pytest.raises(errors.InfluenceError, match="the same joint twice"):
        keep_largest(joints, weights, 2, offsets=np.array([0, 3], dtype=np.int64))
    with pytest.raises(errors.InfluenceError, match="not below the joint count"):
        keep_largest(np.array([1, 9]), weights[:2].copy(), 2, joint_count=3, offsets=np.array([0, 2], dtype=np.int64))


def test_rule_errors_name_every_vertex_with_joint_and_value():
    joints = np.tile(np.array([[0, 1]]), (1000, 1))
    weights = np.ones((1000, 2))
    weights[::2, 1] = -np.arange(1, 501)
    with pytest.raises(errors.InfluenceError) as caught:
        validate(joints, weights)
    found = [(problem.vertex, problem.joint, problem.value) for problem in caught.value.problems]
    assert found == [(2 * index, 1, -float(index + 1)) for index in range(500)]
    assert find_problems(joints, weights) == caught.value.problems


# The fixed numbers.

NUMBERS = {
    "full result": 22,
    "cut to two, not normalized": 11.4,
    "cut to two, normalized": 16.285714285714285,
    "first weight kept": 4 / 7,
    "second weight kept": 3 / 7,
    "dropped mass r": 0.3,
    "kept mean a": 16.285714285714285,
    "dropped mean b": 35.333333333333336,
    "error of the normalized one": 5.714285714285714,
    "all joints moved by 100: full moves by": 100,
    "all joints moved by 100: normalized moves by": 100,
    "all joints moved by 100: not normalized moves by": 70,
    "all joints translated by 10: normalized": 12,
    "all joints translated by 10: not normalized": 8.4,
}


def test_the_library_computes_the_fixed_numbers():
    computed = {number.what: number.computed for number in contract.fixed_numbers()}
    assert computed == pytest.approx(NUMBERS, rel=0, abs=tolerances.ROUNDING)


def test_the_error_is_the_dropped_mass_times_the_distance_of_the_means():
    computed = {number.what: number.computed for number in contract.fixed_numbers()}
    mass, kept, dropped = (computed[what] for what in ("dropped mass r", "kept mean a", "dropped mean b"))
    assert mass * (dropped - kept) == pytest.approx(computed["error of the normalized one"], abs=tolerances.ROUNDING)


def test_the_scan_of_ten_thousand_vertices_holds():
    found = contract.scan()
    assert found.vertices == 10_000
    assert found.max_sum_error <= tolerances.CONTRACT_SCAN
    assert found.max_translation_error <= tolerances.CONTRACT_SCAN
    assert found.max_bound_excess <= tolerances.CONTRACT_SCAN


def test_the_scan_agrees_with_the_reference_that_knows_neither_kernel_nor_cut():
    generator = np.random.default_rng(718)
    weights = generator.uniform(0, 1, (10_000, 8))
    positions = generator.uniform(-100, 100, 10_000)
    moves = generator.uniform(-100, 100, (10_000, 8))
    order = np.argsort(-weights, axis=1)[:, :4]
    kept = np.take_along_axis(weights, order, axis=1)
    kept /= kept.sum(axis=1, keepdims=True)
    full = positions + (moves * weights).sum(axis=1) / weights.sum(axis=1)
    limited = positions + (np.take_along_axis(moves, order, axis=1) * kept).sum(axis=1)
    assert contract.scan().max_error == pytest.approx(np.abs(limited - full).max(), abs=tolerances.CONTRACT_SCAN)


def test_a_rigid_motion_of_all_joints_moves_a_cut_vertex_with_them():
    generator = np.random.default_rng(9)
    joints = np.array([[4, 0, 3, 1, 2]], dtype=np.uint16)
    kept_joints, kept_weights = keep_largest(joints, generator.random((1, 5)), 3)
    turn, _ = np.linalg.qr(generator.normal(size=(3, 3)))
    palettes = np.tile(np.eye(4), (1, 5, 1, 1))
    palettes[..., :3, :3] = turn
    palettes[..., :3, 3] = [10.0, -20.0, 30.0]
    point = generator.normal(size=(1, 3))
    moved = reference.skin_positions(point, kept_joints, kept_weights, palettes)
    np.testing.assert_allclose(
        moved[0, 0], turn @ point[0] + [10.0, -20.0, 30.0], rtol=0, atol=tolerances.ROUNDING * 100
    )


def test_a_sum_below_one_stays_behind_a_common_move_until_it_is_normalized():
    joints, weights = np.array([[0, 1]], dtype=np.uint16), np.array([[0.4, 0.3]])
    palettes = np.tile(np.eye(4), (1, 2, 1, 1))
    palettes[..., 0, 3] = 100.0
    origin = np.zeros((1, 3))
    assert reference.skin_positions(origin, joints, weights, palettes)[0, 0, 0] == pytest.approx(70)
    assert reference.skin_positions(origin, joints, normalize(joints, weights), palettes)[0, 0, 0] == pytest.approx(100)
