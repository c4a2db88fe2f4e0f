"""The best K influences of a vertex where the largest displacement counts: min max_p |Σ_j w_j d_jp|², certified.

The weights of poses are found by Lawson's iteration: J. R. Rice, K. H. Usow, "The Lawson algorithm and extensions",
Mathematics of Computation 22 (1968); how sets of joints are searched is this project's own (cpp/minimax.hpp).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array, require_count
from skinproof._native import _core
from skinproof.errors import ArrayError, OptionError

Array = NDArray[np.float64]

MAX_SETS = 3_000
"""Sets of K joints of one vertex up to which each has its own bound; beyond, one bound stands for all of them."""

MAX_SOLVED = 100
"""Sets of K joints that are solved for one vertex at most."""

TOLERANCE = 1e-3
"""Gap between what is reached and what is proven at which the search ends, relative, of squared distances."""


@dataclass(frozen=True, slots=True, eq=False)
class MinimaxSolution:
    """The best weights of V vertices.

    Attributes:
        weights: float64 [V, n], sum one, at most K not zero.
        reached: float64 [V], the largest |e|² of these weights over the poses, square metres.
        bounds: float64 [V]: no weights on at most K of the joints have a smaller one.
    """

    weights: Array
    reached: Array
    bounds: Array

    @property
    def gaps(self) -> Array:
        """How far the distance reached may lie above the smallest possible one, relative to it, float64 [V]."""
        with np.errstate(divide="ignore", invalid="ignore"):
            above: Array = np.sqrt(self.reached / self.bounds) - 1
        return np.where(self.reached > self.bounds, above, 0.0)


def solve_minimax(
    offsets: Array,
    max_influences: int,
    /,
    *,
    max_sets: int = MAX_SETS,
    max_solved: int = MAX_SOLVED,
    tolerance: float = TOLERANCE,
) -> MinimaxSolution:
    """Return the weights with at most K joints whose largest displacement over the poses is smallest.

    The same bytes on every machine. Meant for some vertices, not all: one takes 0.2 to 2 ms for 8 joints and K = 4.

    Args:
        offsets: float64 [V, n, P, 3], where each of a vertex's joints takes it in each pose, relative to where its
            source weights do, metres; n and P ≥ 1. Poses in several skins are poses like any other.
        max_influences: K ≥ 1.
        max_sets: with more sets of K joints than this, one bound stands for all of them, which may leave a gap.
        max_solved: sets of K joints that are solved for a vertex before the search ends with a gap.
        tolerance: relative gap of squared distances at which the search ends, 0 < tolerance < 1.

    Raises:
        ArrayError: `offsets` has the wrong dtype, shape or layout, or an entry that is not finite.
        OptionError: a number is out of range.
    """
    require_array(offsets, "offsets", dtypes=[np.float64], shape=("V", "n", "P", 3))
    count, width, poses, _ = offsets.shape
    if width < 1 or poses < 1:
        raise OptionError(f"offsets: expected at least one joint and one pose, got {width} and {poses}")
    require_count(max_influences, "max_influences", least=1)
    require_count(max_sets, "max_sets", least=0)
    require_count(max_solved, "max_solved", least=1)
    if not 0.0 < tolerance < 1.0:
        raise OptionError(f"tolerance: expected a number between 0 and 1, got {tolerance!r}")
    # One pass, no copy: a sum of finite numbers that overflows is as unusable as one of them that is not finite.
    broken = np.flatnonzero(~np.isfinite(np.einsum("vnpa,vnpa->v", offsets, offsets)))
    if len(broken):
        raise ArrayError(f"offsets: vertex {broken[0]} has an offset that is not finite, or too large to be squared")
    solution = MinimaxSolution(np.empty((count, width)), np.empty(count), np.empty(count))
    _core.solve_minimax(
        offsets, max_influences, max_sets, max_solved, tolerance, solution.weights, solution.reached, solution.bounds
    )
    return solution
