"""Pairs of points that lie close together, by a grid of cells.

A point's neighbours within a cell's width lie in its own cell or in one of the 26 around it: J. L. Bentley, D. F.
Stanat, E. H. Williams, "The complexity of finding fixed-radius near neighbors", Information Processing Letters 6
(1977).

Decision: SciPy's cKDTree finds the same pairs in two thirds of the time, but would be the package's largest dependency
by far, for this alone; it serves the tests as the oracle.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from skinproof.errors import ComparisonError

_BITS = 21
"""Of each coordinate of a cell, so that three make one key of 63."""

_LAST = (1 << _BITS) - 2
"""The largest coordinate of a cell with points; 0 and `_LAST` + 1 stay empty, so that no key leaves its row."""


def near_pairs(
    points: NDArray[np.float64], others: NDArray[np.float64], /, *, radius: float, most: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Return every pair of a point and another that lie no further apart than `radius`.

    Args:
        points: float64 [n, 3].
        others: float64 [m, 3], in the same space and unit. Points that are not finite are near nothing.
        radius: ≥ 0, in that unit.
        most: how many pairs may be looked at: points heaped in one place have as many as their product.

    Returns:
        intp [p], index of the point, ascending; intp [p], index of the other, ascending for each point; float64 [p],
        how far they lie apart.

    Raises:
        ComparisonError: there are more than `most`.
    """
    usable = np.flatnonzero(np.isfinite(points).all(axis=1))
    rest = np.flatnonzero(np.isfinite(others).all(axis=1))
    if not len(usable) or not len(rest):
        return np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0)
    low, high = others[rest].min(axis=0), others[rest].max(axis=0)
    # A little wider than the radius: a point's coordinate is rounded when it is divided by the width.
    width = max(radius * (1 + 1e-9), float(np.max(high - low)) / (_LAST - 2), np.finfo(np.float64).tiny)
    usable = usable[((points[usable] >= low - width) & (points[usable] <= high + width)).all(axis=1)]
    keys = _keys(others[rest], low, width)
    order = np.argsort(keys, kind="stable")
    rest, keys = rest[order], keys[order]
    own = _keys(points[usable], low, width)
    found: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    looked_at = 0
    for x, y in product((-1, 0, 1), repeat=2):
        # Cells next to each other along the last axis have successive keys: three of them are one stretch.
        row = own + (x << 2 * _BITS) + (y << _BITS)
        first, last = np.searchsorted(keys, row - 1, "left"), np.searchsorted(keys, row + 1, "right")
        counts = last - first
        looked_at += int(counts.sum())
        if looked_at > most:
            raise ComparisonError(
                f"more than {most:,} pairs of vertices lie at the same places: too many to tell which is which. "
                "Compare files whose vertices are not heaped up"
            )
        point = np.repeat(usable, counts)
        within = np.arange(len(point)) - np.repeat(np.cumsum(counts) - counts, counts)
        found.append((point, rest[np.repeat(first, counts) + within]))
    point, other = (np.concatenate(part) for part in zip(*found, strict=True))
    apart = np.linalg.norm(points[point] - others[other], axis=1)
    near = np.flatnonzero(apart <= radius)
    near = near[np.lexsort((other[near], point[near]))]
    return point[near], other[near], apart[near]


def _keys(points: NDArray[np.float64], low: NDArray[np.float64], width: float) -> NDArray[np.int64]:
    """Return the keys, int64 [n], of the cells of points [n, 3], none of which lies more than a cell below `low`."""
    cells = np.floor((points - low) / width).astype(np.int64) + 2
    keys: NDArray[np.int64] = (cells[:, 0] << 2 * _BITS) + (cells[:, 1] << _BITS) + cells[:, 2]
    return keys
