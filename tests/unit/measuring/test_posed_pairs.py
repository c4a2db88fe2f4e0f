from __future__ import annotations

import numpy as np

from skinproof.measuring.posed_pairs import Posable, PosedPairs
from skinproof.skinning.reference import skin_positions as reference
from tolerances import POSED_SQUARED

POSES, PAIRS, VERTICES = 7, 5000, 900


def made(seed):
    random = np.random.default_rng(seed)
    sides, palettes = [], []
    for joints, slots in ((6, 4), (9, 3)):
        weights = random.dirichlet(np.ones(slots), PAIRS)
        numbers = random.integers(0, joints, (PAIRS, slots)).astype(np.uint16)
        sides.append(Posable(random.normal(size=(PAIRS, 3)), numbers, weights))
        matrices = random.normal(size=(POSES, joints, 4, 4))
        matrices[:, :, 3] = (0, 0, 0, 1)
        palettes.append(matrices)
    return random.integers(0, VERTICES, PAIRS), sides, palettes


def distances(sides, palettes):
    """|e|² of each pair in each pose by the reference, [PAIRS, POSES]."""
    posed = [
        reference(side.positions, side.joints, side.weights, poses) for side, poses in zip(sides, palettes, strict=True)
    ]
    return ((posed[1] - posed[0]) ** 2).sum(axis=2).T


def test_the_worst_pair_of_each_vertex_counts():
    owners, sides, palettes = made(1)
    plan = PosedPairs(owners, *sides, vertices=VERTICES + 1)
    plan.add(palettes[0][:3], palettes[1][:3], first_pose=10)
    plan.add(palettes[0][3:], palettes[1][3:], first_pose=13)
    totals = plan.take()
    expected = distances(sides, palettes)
    for vertex in range(VERTICES):
        mine = expected[owners == vertex]
        if not len(mine):
            continue
        np.testing.assert_allclose(totals.max_squared[vertex], mine.max(), rtol=POSED_SQUARED)
        assert totals.max_pose[vertex] == 10 + np.argmax(mine.max(axis=0))
        np.testing.assert_allclose(totals.sum_squared[vertex], mine.sum(axis=1).max(), rtol=POSED_SQUARED)
    assert (totals.max_squared[VERTICES], totals.max_pose[VERTICES], totals.sum_squared[VERTICES]) == (0, -1, 0)


def test_a_run_begins_from_nothing_and_takes_other_positions():
    owners, sides, palettes = made(2)
    plan = PosedPairs(owners, *sides, vertices=VERTICES)
    plan.add(*palettes, first_pose=0)
    plan.take()
    moved = [Posable(side.positions + 1, side.joints, side.weights) for side in sides]
    plan.set_positions(*(side.positions for side in moved))
    plan.add(*palettes, first_pose=0)
    np.testing.assert_allclose(plan.take().max_squared.max(), distances(moved, palettes).max(), rtol=POSED_SQUARED)


def test_the_same_twice_is_no_distance_and_nothing_is_promised():
    owners, (side, _), (matrices, _) = made(3)
    plan = PosedPairs(owners, side, side, vertices=VERTICES)
    plan.add(matrices, matrices, first_pose=0)
    assert plan.take().max_squared.max() == 0
    assert np.isinf(plan.bound).all()


def test_what_is_no_number_is_infinitely_far():
    owners, sides, palettes = made(4)
    palettes[1][2, :, 0, 3] = np.inf
    plan = PosedPairs(owners, *sides, vertices=VERTICES)
    plan.add(*palettes, first_pose=0)
    totals = plan.take()
    seen = np.unique(owners)
    assert np.isinf(totals.max_squared[seen]).all()
    assert (totals.max_pose[seen] == 2).all()
