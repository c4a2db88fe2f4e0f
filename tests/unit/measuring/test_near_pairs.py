from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from skinproof.errors import ComparisonError
from skinproof.measuring.near_pairs import near_pairs

MANY = 10**7


def by_tree(points, others, radius):
    """The same pairs from SciPy's tree."""
    hits = cKDTree(others).query_ball_point(points, radius)
    return [(point, other) for point, found in enumerate(hits) for other in sorted(found)]


@pytest.mark.parametrize("radius", [0.0, 1e-9, 0.02, 0.3, 5.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_pairs_are_those_of_a_tree(radius, seed):
    random = np.random.default_rng(seed)
    others = random.uniform(-1, 1, (400, 3)) * (1, 1e-3 if seed == 1 else 1, 0 if seed == 2 else 1)
    points = np.concatenate(
        [others[::3], others[::5] + random.normal(0, 0.01, (80, 3)), random.uniform(-3, 3, (50, 3))]
    )
    point, other, apart = near_pairs(points, others, radius=radius, most=MANY)
    assert list(zip(point.tolist(), other.tolist(), strict=True)) == by_tree(points, others, radius)
    np.testing.assert_array_equal(apart, np.linalg.norm(points[point] - others[other], axis=1))
    assert len(point) >= 134


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_any_size_and_place(scale):
    """Points on a lattice whose neighbours lie one step apart, along all axes and both ways."""
    lattice = np.indices((9, 9, 9)).reshape(3, -1).T * scale
    point, other, _ = near_pairs(lattice, lattice, radius=1.01 * scale, most=MANY)
    steps = np.rint((lattice[other] - lattice[point]) / scale)
    assert np.abs(steps).sum(axis=1).max() == 1
    assert len(point) == 9**3 + 2 * 3 * 8 * 9 * 9


def test_a_radius_far_below_a_cell():
    """A cell cannot be smaller than the box divided by two million; the radius holds all the same."""
    others = np.array([[0.0, 0, 0], [1e-9, 0, 0], [1000, 1000, 1000]])
    point, other, _ = near_pairs(others, others, radius=1e-10, most=MANY)
    assert point.tolist() == other.tolist() == [0, 1, 2]


def test_points_far_outside_and_points_that_are_none():
    others = np.array([[0.0, 0, 0], [np.nan, 0, 0], [1, 1, 1]])
    points = np.array([[1e300, 0, 0], [-1e300, 0, 0], [np.inf, 0, 0], [np.nan] * 3, [0.5, 0, 0], [1, 1, 1.25]])
    point, other, apart = near_pairs(points, others, radius=0.5, most=MANY)
    assert point.tolist() == [4, 5]
    assert other.tolist() == [0, 2]
    assert apart.tolist() == [0.5, 0.25]


def test_nothing_is_near_nothing():
    none = np.zeros((0, 3))
    for points, others in ((none, np.zeros((2, 3))), (np.zeros((2, 3)), none), (none, none)):
        assert [len(part) for part in near_pairs(points, others, radius=1.0, most=MANY)] == [0, 0, 0]


def test_heaps_are_refused_before_their_pairs_are_made():
    heap = np.zeros((100_000, 3))
    with pytest.raises(ComparisonError, match="more than 1,000,000 pairs"):
        near_pairs(heap, heap, radius=1e-6, most=1_000_000)
