import numpy as np
import pytest

from blends import random_blend
from skinproof.errors import ArrayError
from skinproof.skinning import accumulate_bound, delta_influences, reference
from tolerances import ROUNDING

BEFORE = random_blend(1, slots=8, poses=10)


def bounds(joints, weights, *, positions=BEFORE.positions, palettes=BEFORE.palettes):
    found = np.zeros(len(positions))
    accumulate_bound(positions, *delta_influences(*BEFORE[1:3], joints, weights), palettes, out=found)
    return found


def displacements(joints, weights):
    after = reference.skin_positions(BEFORE.positions, joints, weights, BEFORE.palettes)
    return np.linalg.norm(reference.skin_positions(*BEFORE) - after, axis=2).max(axis=0)


def test_dropped_mass_times_diameter():
    kept_joints, kept = BEFORE.joints[:, :3].copy(), BEFORE.weights[:, :3]
    mass = kept.sum(axis=1)
    found = bounds(kept_joints, kept / mass[:, np.newaxis])
    # All influences change, so the diameter is that of all eight images, by hand:
    homogeneous = np.append(BEFORE.positions, np.ones((40, 1)), axis=1)
    for vertex in range(40):
        images = (BEFORE.palettes[:, BEFORE.joints[vertex]] @ homogeneous[vertex])[..., :3]
        diameter = max(np.linalg.norm(pose[:, None] - pose[None, :], axis=2).max() for pose in images)
        assert found[vertex] == pytest.approx((1 - mass[vertex]) * diameter, rel=1e-9)


@pytest.mark.parametrize("total", [1.0, 0.98, 0.3, 1.7])
def test_nothing_moves_further_whatever_the_sums(total):
    generator = np.random.default_rng(2)
    for slots in (1, 2, 4, 8):
        other = random_blend(generator.integers(1 << 30), slots=slots)
        weights = total * other.weights
        moved = displacements(other.joints, weights)
        assert moved.max() > 0
        assert (bounds(other.joints, weights) >= moved * (1 - ROUNDING)).all()


def test_tight_where_one_joint_replaces_another():
    before, after = BEFORE.joints[:, :1].copy(), BEFORE.joints[:, 1:2].copy()
    ones, found = np.ones((40, 1)), np.zeros(40)
    accumulate_bound(BEFORE.positions, *delta_influences(before, ones, after, ones), BEFORE.palettes, out=found)
    sides = [reference.skin_positions(BEFORE.positions, side, ones, BEFORE.palettes) for side in (before, after)]
    np.testing.assert_allclose(found, np.linalg.norm(sides[0] - sides[1], axis=2).max(axis=0), rtol=ROUNDING)


def test_tight_where_a_joint_only_loses_weight():
    # Sum 1 against sum 0.98, 24 m from the origin: half a metre, which no diameter shows.
    joints, far = np.zeros((1, 1), np.uint16), np.eye(4)[np.newaxis].copy()
    far[0, 0, 3] = 24
    deltas = delta_influences(joints, np.array([[1.0]]), joints, np.array([[0.98]]))
    found = np.zeros(1)
    accumulate_bound(np.zeros((1, 3)), *deltas, far, out=found)
    assert found[0] == pytest.approx(0.48, rel=1e-12)


def test_blocks_keep_the_largest():
    joints, weights = BEFORE.joints[:, ::-1].copy(), BEFORE.weights
    whole, parts = bounds(joints, weights), np.zeros(40)
    deltas = delta_influences(*BEFORE[1:3], joints, weights)
    for pose in range(10):
        accumulate_bound(BEFORE.positions, *deltas, BEFORE.palettes[pose], out=parts)
    np.testing.assert_array_equal(parts, whole)


def test_equal_influences_are_bounded_by_zero():
    assert not bounds(*BEFORE[1:3]).any()


def test_wrong_arguments_are_named():
    deltas = delta_influences(*BEFORE[1:3], *random_blend(2)[1:3])
    with pytest.raises(ArrayError, match=r"out: expected shape \[40\]"):
        accumulate_bound(BEFORE.positions, *deltas, BEFORE.palettes, out=np.zeros(41))
    with pytest.raises(ArrayError, match="palettes: expected dtype float64"):
        accumulate_bound(BEFORE.positions, *deltas, BEFORE.palettes.astype(np.float32), out=np.zeros(40))
    with pytest.raises(ArrayError, match=r"names joint .* but the palettes have 2 joints"):
        accumulate_bound(BEFORE.positions, *deltas, BEFORE.palettes[:, :2].copy(), out=np.zeros(40))
