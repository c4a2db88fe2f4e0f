import numpy as np
import pytest

from blends import random_blend
from skinproof.errors import ArrayError
from skinproof.skinning import DisplacementTotals, accumulate_displacement, delta_influences, reference
from tolerances import ROUNDING

BEFORE = random_blend(1, slots=8, poses=20)
# Four joints of its own per vertex, sums of 0.9: the sums differ, as in files cut without normalizing.
AFTER = random_blend(2, slots=4)._replace(positions=BEFORE.positions, palettes=BEFORE.palettes)
AFTER = AFTER._replace(weights=0.9 * AFTER.weights)
DELTAS = delta_influences(*BEFORE[1:3], *AFTER[1:3])
EXACT = np.linalg.norm(reference.skin_positions(*BEFORE) - reference.skin_positions(*AFTER), axis=2)


def test_maximum_pose_and_sum_as_the_reference_says():
    totals = DisplacementTotals.zeros(40)
    accumulate_displacement(BEFORE.positions, *DELTAS, BEFORE.palettes, first_pose=1000, out=totals)
    np.testing.assert_allclose(np.sqrt(totals.max_squared), EXACT.max(axis=0), rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(totals.sum_squared, np.square(EXACT).sum(axis=0), rtol=ROUNDING)
    np.testing.assert_array_equal(totals.max_pose, 1000 + EXACT.argmax(axis=0))


@pytest.mark.parametrize("size", [1, 3, 7, 20])
def test_blocks_of_any_size_give_the_same_bits(size):
    whole, parts = DisplacementTotals.zeros(40), DisplacementTotals.zeros(40)
    accumulate_displacement(BEFORE.positions, *DELTAS, BEFORE.palettes, out=whole)
    for start in range(0, 20, size):
        block = BEFORE.palettes[start : start + size]
        accumulate_displacement(BEFORE.positions, *DELTAS, block, first_pose=start, out=parts)
    for name in ("max_squared", "max_pose", "sum_squared"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


def test_a_vertex_that_never_moves_has_no_pose():
    same = delta_influences(*BEFORE[1:3], *BEFORE[1:3])
    totals = DisplacementTotals.zeros(40)
    accumulate_displacement(BEFORE.positions, *same, BEFORE.palettes, out=totals)
    assert (totals.max_pose == -1).all()
    assert not totals.max_squared.any()


def test_what_is_not_a_number_is_never_a_small_displacement():
    positions = BEFORE.positions.copy()
    positions[3, 1] = np.nan
    positions[5, 1] = np.inf
    totals = DisplacementTotals.zeros(40)
    for _ in range(2):
        accumulate_displacement(positions, *DELTAS, BEFORE.palettes, out=totals)
    bad = ~np.isfinite(totals.max_squared)
    assert np.flatnonzero(bad).tolist() == [3, 5]
    assert np.flatnonzero(~np.isfinite(totals.sum_squared)).tolist() == [3, 5]


def test_the_first_pose_that_is_not_a_number_is_named():
    palettes = BEFORE.palettes.copy()
    palettes[[4, 9], :, 0, 3] = np.nan
    for start, first in ((0, 4), (4, 4), (5, 9)):  # after numbers, from the very first pose on
        totals = DisplacementTotals.zeros(40)
        for pose in range(start, 20):
            accumulate_displacement(BEFORE.positions, *DELTAS, palettes[pose], first_pose=pose, out=totals)
        assert np.isnan(totals.max_squared).all()
        assert (totals.max_pose == first).all()


def test_no_digits_are_lost_far_from_the_origin():
    # 1 km away, weights that differ by 1e-9: the displacement is 1e-9 of a metre, to ten digits.
    palettes = np.tile(np.eye(4), (2, 1, 1))
    palettes[:, :3, 3] = [[1000, 0, 0], [1000, 1, 0]]
    joints = np.array([[0, 1]], np.uint16)
    shift = 2.0**-30
    deltas = delta_influences(joints, np.array([[0.5, 0.5]]), joints, np.array([[0.5 + shift, 0.5 - shift]]))
    totals = DisplacementTotals.zeros(1)
    accumulate_displacement(np.zeros((1, 3)), *deltas, palettes, out=totals)
    assert np.sqrt(totals.max_squared[0]) == pytest.approx(shift, rel=1e-10, abs=0)


def test_wrong_arguments_are_named():
    totals = DisplacementTotals.zeros(40)
    good = (BEFORE.positions, *DELTAS, BEFORE.palettes)
    with pytest.raises(ArrayError, match="positions: expected dtype float64"):
        accumulate_displacement(good[0].astype(np.float32), *good[1:], out=totals)
    with pytest.raises(ArrayError, match=r"names joint .* but the palettes have 3 joints"):
        accumulate_displacement(*good[:3], BEFORE.palettes[:, :3].copy(), out=totals)
    with pytest.raises(ArrayError, match=r"out.max_squared: expected shape \[40\], got \[39\]"):
        accumulate_displacement(*good, out=DisplacementTotals.zeros(39))
    frozen = DisplacementTotals.zeros(40)
    frozen.sum_squared.flags.writeable = False
    with pytest.raises(ArrayError, match=r"out.sum_squared: expected a writable array"):
        accumulate_displacement(*good, out=frozen)
    with pytest.raises(ArrayError, match=r"out.sum_squared: shares memory with out.max_squared"):
        accumulate_displacement(*good, out=DisplacementTotals(totals.max_squared, totals.max_pose, totals.max_squared))
