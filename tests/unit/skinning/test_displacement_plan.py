import numpy as np
import pytest

from blends import random_blend
from skinproof._native import INSTRUCTION_SETS
from skinproof.errors import ArrayError, OptionError
from skinproof.skinning import (
    DisplacementPlan,
    DisplacementTotals,
    accumulate_bound,
    accumulate_displacement,
    delta_influences,
    reference,
)
from tolerances import DISPLACEMENT, ROUNDING

FIELDS = ("max_squared", "max_pose", "sum_squared")
every_set = pytest.mark.parametrize("instruction_set", INSTRUCTION_SETS)


def subject(*, vertices=40, slots=8, poses=70, sets=None, total=1.0):
    """Positions, delta influences and palettes; only `sets` different joint sets if that is given."""
    before = random_blend(1, vertices=vertices, slots=slots, poses=poses)
    after = random_blend(2, vertices=vertices, slots=max(1, slots // 2))
    if sets is not None and vertices:
        before.joints[:] = before.joints[np.arange(vertices) % sets]
        after.joints[:] = after.joints[np.arange(vertices) % sets]
    deltas = delta_influences(*before[1:3], after.joints, total * after.weights)
    return before.positions, *deltas, before.palettes


def plain(positions, joints, weights, palettes, *, first_pose=0):
    totals, bound = DisplacementTotals.zeros(len(positions)), np.zeros(len(positions))
    accumulate_displacement(positions, joints, weights, palettes, first_pose=first_pose, out=totals)
    accumulate_bound(positions, joints, weights, palettes, out=bound)
    return totals, bound


def planned(positions, joints, weights, palettes, *, first_pose=0, block=None, **options):
    plan = DisplacementPlan(positions, joints, weights, bounded=True, **options)
    block = block or len(palettes)
    for start in range(0, len(palettes), block):
        plan.add(palettes[start : start + block], first_pose=first_pose + start)
    totals = plan.take()
    return totals, plan.bound


def assert_close(found, expected):
    for name in ("max_squared", "sum_squared"):
        np.testing.assert_allclose(
            getattr(found[0], name), getattr(expected[0], name), rtol=ROUNDING, atol=DISPLACEMENT
        )
    np.testing.assert_array_equal(found[0].max_pose, expected[0].max_pose)
    np.testing.assert_allclose(found[1], expected[1], rtol=ROUNDING, atol=DISPLACEMENT)


def assert_same_bits(found, expected):
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(found[0], name), getattr(expected[0], name))
    np.testing.assert_array_equal(found[1], expected[1])


@every_set
@pytest.mark.parametrize("total", [1.0, 0.9])
def test_as_the_reference_says(instruction_set, total):
    before, after = random_blend(1, slots=8, poses=70), random_blend(2, slots=4)
    deltas = delta_influences(*before[1:3], after.joints, total * after.weights)
    moved = reference.skin_positions(before.positions, after.joints, total * after.weights, before.palettes)
    exact = np.linalg.norm(reference.skin_positions(*before) - moved, axis=2)
    totals, bound = planned(
        before.positions, *deltas, before.palettes, first_pose=1000, instruction_set=instruction_set
    )
    np.testing.assert_allclose(np.sqrt(totals.max_squared), exact.max(axis=0), rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(totals.sum_squared, np.square(exact).sum(axis=0), rtol=ROUNDING)
    np.testing.assert_array_equal(totals.max_pose, 1000 + exact.argmax(axis=0))
    assert (bound >= exact.max(axis=0) * (1 - ROUNDING)).all()


@every_set
@pytest.mark.parametrize("slots", [1, 2, 3, 4, 5, 8, 12])
@pytest.mark.parametrize("sets", [1, 7, None])
def test_as_the_plain_kernels_say_for_any_joint_sets(instruction_set, slots, sets):
    arguments = subject(slots=slots, sets=sets)
    assert_close(planned(*arguments, instruction_set=instruction_set), plain(*arguments))


@every_set
@pytest.mark.parametrize("vertices", [0, 1, 2, 3, 5, 300])
@pytest.mark.parametrize("poses", [1, 32, 65])
def test_any_size(instruction_set, vertices, poses):
    arguments = subject(vertices=vertices, poses=poses, sets=2)
    assert_close(planned(*arguments, instruction_set=instruction_set), plain(*arguments))


@every_set
def test_denormal_weights(instruction_set):
    positions, joints, weights, palettes = subject()
    weights[::2] *= 1e-310
    assert_close(
        planned(positions, joints, weights, palettes, instruction_set=instruction_set),
        plain(positions, joints, weights, palettes),
    )


@every_set
def test_neither_blocks_nor_threads_change_a_bit(instruction_set):
    arguments = subject(vertices=2000, sets=90)
    whole = planned(*arguments, threads=1, instruction_set=instruction_set)
    for options in ({"block": 1}, {"block": 33}, {"threads": 2}, {"threads": 7, "block": 64}, {}):
        assert_same_bits(planned(*arguments, **options, instruction_set=instruction_set), whole)


@every_set
def test_no_digits_are_lost_far_from_the_origin(instruction_set):
    # 1 km away, weights that differ by 1e-9: the displacement is 1e-9 of a metre, to ten digits.
    palettes = np.tile(np.eye(4), (2, 1, 1))
    palettes[:, :3, 3] = [[1000, 0, 0], [1000, 1, 0]]
    joints = np.array([[0, 1]], np.uint16)
    shift = 2.0**-30
    deltas = delta_influences(joints, np.array([[0.5, 0.5]]), joints, np.array([[0.5 + shift, 0.5 - shift]]))
    totals, _ = planned(np.zeros((1, 3)), *deltas, palettes[np.newaxis], instruction_set=instruction_set)
    assert np.sqrt(totals.max_squared[0]) == pytest.approx(shift, rel=1e-10, abs=0)


@every_set
def test_the_first_of_equal_poses_is_named(instruction_set):
    positions, joints, weights, palettes = subject(poses=1)
    repeated = np.repeat(palettes, 100, axis=0)
    totals, _ = planned(positions, joints, weights, repeated, first_pose=5, instruction_set=instruction_set)
    assert (totals.max_pose == 5).all()


@every_set
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_a_number_is_never_a_small_displacement(instruction_set, bad):
    positions, joints, weights, palettes = subject()
    positions[3, 1] = bad
    palettes[40, 2, 1, 1] = bad
    totals, bound = planned(positions, joints, weights, palettes, instruction_set=instruction_set)
    hit = ((joints == 2) & (weights != 0)).any(axis=1)
    hit[3] = True
    assert 1 < hit.sum() < len(hit)
    np.testing.assert_array_equal(totals.max_pose, plain(positions, joints, weights, palettes)[0].max_pose)
    for array in (totals.max_squared, totals.sum_squared, bound):
        np.testing.assert_array_equal(~np.isfinite(array), hit)


@every_set
def test_positions_may_change_from_pose_to_pose(instruction_set):
    positions, joints, weights, palettes = subject(poses=40)
    shapes = [positions, positions + 1.0, -2.0 * positions]
    plan = DisplacementPlan(positions, joints, weights, bounded=True, instruction_set=instruction_set)
    totals, bound = DisplacementTotals.zeros(len(positions)), np.zeros(len(positions))
    for start, stop, shape in ((0, 3, 1), (3, 4, 2), (4, 38, 0), (38, 40, 1)):
        part = palettes[start:stop]
        plan.set_positions(shapes[shape])
        plan.add(part, first_pose=start)
        accumulate_displacement(shapes[shape], joints, weights, part, first_pose=start, out=totals)
        accumulate_bound(shapes[shape], joints, weights, part, out=bound)
    assert_close((plan.take(), plan.bound), (totals, bound))
    with pytest.raises(ArrayError, match=r"^positions: expected shape \[40, 3\]"):
        plan.set_positions(positions[1:])


def test_each_run_starts_from_nothing():
    positions, joints, weights, palettes = subject()
    plan = DisplacementPlan(positions, joints, weights)
    for _ in range(2):
        plan.add(palettes, first_pose=0)
        totals = plan.take()
        assert_close((totals, np.zeros(40)), (plain(positions, joints, weights, palettes)[0], np.zeros(40)))
    assert (plan.take().max_pose == -1).all()
    assert not plan.bound.any()


def test_one_pose_may_come_without_its_axis():
    positions, joints, weights, palettes = subject(poses=1)
    plan = DisplacementPlan(positions, joints, weights)
    plan.add(palettes[0], first_pose=0)
    assert (plan.take().max_pose == 0).all()


def test_the_arguments_are_copied():
    positions, joints, weights, palettes = subject()
    expected = planned(positions, joints, weights, palettes)
    plan = DisplacementPlan(positions, joints, weights, bounded=True)
    positions[:], weights[:] = 0, 0
    block = palettes[:40].copy()
    plan.add(block, first_pose=0)
    block[:] = 0
    plan.add(palettes[40:], first_pose=40)
    assert_same_bits((plan.take(), plan.bound), expected)


def test_wrong_arguments_are_named():
    positions, joints, weights, palettes = subject()
    with pytest.raises(ArrayError, match="positions: expected dtype float64"):
        DisplacementPlan(positions.astype(np.float32), joints, weights)
    with pytest.raises(OptionError, match="threads: expected an integer of at least 1, got 0"):
        DisplacementPlan(positions, joints, weights, threads=0)
    with pytest.raises(OptionError, match="instruction_set: expected one of scalar"):
        DisplacementPlan(positions, joints, weights, instruction_set="x86-64-v9")
    for threads in ("2", 1.5, True):
        with pytest.raises(OptionError, match="threads: expected an integer"):
            DisplacementPlan(positions, joints, weights, threads=threads)
    plan = DisplacementPlan(positions, joints, weights)
    with pytest.raises(ArrayError, match=r"names joint .* but the palettes have 3 joints"):
        plan.add(palettes[:, :3].copy(), first_pose=0)
    with pytest.raises(ArrayError, match="palettes: expected dtype float64"):
        plan.add(palettes.astype(np.float32), first_pose=0)


def test_palettes_are_held_against_the_joints_that_were_planned():
    positions, joints, weights, palettes = subject()
    plan = DisplacementPlan(positions, joints, weights)
    highest = int(joints[weights != 0].max())
    joints[:], weights[:] = 0, 0  # the caller's to change: what was planned still needs its joints
    with pytest.raises(ArrayError, match=f"names joint {highest}, but the palettes have {highest} joints"):
        plan.add(palettes[:, :highest].copy(), first_pose=0)


@pytest.mark.parametrize(("weight", "refused"), [(0.5, True), (0.0, False)])
def test_palettes_without_joints_fit_empty_slots_alone(weight, refused):
    plan = DisplacementPlan(np.zeros((1, 3)), np.zeros((1, 1), np.uint16), np.full((1, 1), weight))
    none = np.zeros((1, 0, 4, 4))
    if refused:
        with pytest.raises(ArrayError, match="vertex 0, slot 0 names joint 0, but the palettes have 0 joints"):
            plan.add(none, first_pose=0)
    else:
        plan.add(none, first_pose=0)
        assert plan.take().max_squared.tolist() == [0]
