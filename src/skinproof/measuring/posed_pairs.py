"""How far pairs of vertices of two files lie apart in their poses, block after block: both are skinned, then compared.

The definition is this project's own: docs/measuring.md, "Files with other vertices".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.skinning import DisplacementTotals, skin_positions

Array = NDArray[np.float64]

_ROWS = 2048
"""Pairs skinned at a time: those of 64 poses then fit in the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Posable:
    """n vertices of one file, each with influences of its own.

    Attributes:
        positions: float64 [n, 3], bind positions in mesh space, metres.
        joints: uint16 [n, N], of one skin.
        weights: float64 [n, N].
    """

    positions: Array
    joints: NDArray[np.uint16]
    weights: Array


class PosedPairs:
    """Running distance between the two vertices of n pairs; of the pairs of one of V vertices the worst counts."""

    def __init__(self, owners: NDArray[np.intp], before: Posable, after: Posable, /, *, vertices: int) -> None:
        """Plan the comparison.

        Args:
            owners: intp [n], the vertex, below V, that each pair is a pair of.
            before: n vertices of the one file.
            after: n vertices of the other.
            vertices: V.
        """
        self._owners, self._before, self._after, self._vertices = owners, before, after, vertices
        self._totals = DisplacementTotals.zeros(len(owners))

    @property
    def bound(self) -> Array:
        """Infinite, float64 [V]: nothing is promised of vertices of two files before they are posed."""
        return np.full(self._vertices, np.inf)

    def set_positions(self, before: Array, after: Array, /) -> None:
        """Take other bind positions, float64 [n, 3] each, for the poses added from here on."""
        self._before = Posable(before, self._before.joints, self._before.weights)
        self._after = Posable(after, self._after.joints, self._after.weights)

    def add(self, before: Array, after: Array, /, *, first_pose: int) -> None:
        """Add poses to the current run.

        Args:
            before: float64 [P, J, 4, 4], palettes of the one file, world_from_mesh.
            after: float64 [P, J', 4, 4], those of the other in the same poses.
            first_pose: the number that `max_pose` gives to the first of them.
        """
        for start in range(0, len(self._owners), _ROWS):
            rows = slice(start, start + _ROWS)
            with np.errstate(over="ignore", invalid="ignore"):
                way = _posed(self._after, rows, after) - _posed(self._before, rows, before)
                squared = np.einsum("pni,pni->np", way, way)
            self._take_in(rows, squared, first_pose)

    def _take_in(self, rows: slice, squared: Array, first_pose: int) -> None:
        """Add |e|², float64 [n, P], of some pairs; what is not a number is as far as can be, and stays so."""
        totals = self._totals
        squared[np.isnan(squared)] = np.inf
        at = np.argmax(squared, axis=1)
        largest = squared[np.arange(len(squared)), at]
        further = largest > totals.max_squared[rows]
        totals.max_squared[rows][further] = largest[further]
        totals.max_pose[rows][further] = at[further] + first_pose
        totals.sum_squared[rows] += squared.sum(axis=1)

    def take(self) -> DisplacementTotals:
        """End the run: return its totals for the V vertices, and begin the next one from nothing."""
        pairs, self._totals = self._totals, DisplacementTotals.zeros(len(self._owners))
        totals = DisplacementTotals.zeros(self._vertices)
        order = np.lexsort((-pairs.max_pose, pairs.max_squared))  # the last written wins: furthest, then earliest
        owners = self._owners[order]
        totals.max_squared[owners] = pairs.max_squared[order]
        totals.max_pose[owners] = pairs.max_pose[order]
        np.maximum.at(totals.sum_squared, self._owners, pairs.sum_squared)
        return totals


def _posed(vertices: Posable, rows: slice, palettes: Array) -> Array:
    return skin_positions(vertices.positions[rows], vertices.joints[rows], vertices.weights[rows], palettes)
