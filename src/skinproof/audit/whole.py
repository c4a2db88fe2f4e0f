"""The nearest pose of any clip to a whole palette, at any time.

This project's own. Chords of the pieces give the few that come near (one matrix product for all draws and pieces),
Gauss-Newton steps then find the time in each; for a draw that shows a pose these converge quadratically, as nothing is
left over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.audit.paths import Paths

Array = NDArray[np.float64]
Index = NDArray[np.intp]

STEPS = 6
"""Gauss-Newton steps: from a chord's foot, within a bulge of the right time, four reach float64's own digits."""
CANDIDATES = 3
"""Pieces that are looked into first for each draw: neighbours at a key, and the same pose in other clips or loops."""
PAIRS = 256
"""Draws and pieces looked at together: 6 MB for 60 joints."""


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """For each of n draws, the pose of least squared distance over all joints, or one that all joints show.

    Attributes:
        pieces: intp [n], of the paths.
        shares: float64 [n], 0 … 1, where in it.
        whole: bool [n], whether every joint stands there within its tolerance.
    """

    pieces: Index
    shares: Array
    whole: NDArray[np.bool_]


def nearest(paths: Paths, coordinates: Array, tolerances: Array, /) -> Nearest:
    """Find the nearest pose of each draw.

    Args:
        paths: of J joints.
        coordinates: float64 [n, J, 12], finite, metres.
        tolerances: float64 [n, J], metres.
    """
    draws, pieces = len(coordinates), len(paths.pieces)
    flat = coordinates.reshape(draws, -1)
    starts = paths.pieces[:, :, 0].reshape(pieces, -1)
    chords = paths.pieces[:, :, 1:].sum(axis=2).reshape(starts.shape)
    squared, feet = chord_distances(flat, starts, chords)
    score = np.sqrt(squared) - np.sqrt(((paths.bulges + paths.errors) ** 2).sum(axis=1))
    count = min(CANDIDATES, pieces)
    few = np.argpartition(score, count - 1, axis=1)[:, :count]
    best = _Best(draws)
    best.look(paths, coordinates, tolerances, feet, np.repeat(np.arange(draws), count), few.ravel())
    # What the few do not show may still be in another piece that comes near enough.
    np.put_along_axis(score, few, np.inf, axis=1)
    score[best.whole] = np.inf
    rest, more = np.nonzero(score <= np.sqrt((tolerances**2).sum(axis=1))[:, np.newaxis])
    best.look(paths, coordinates, tolerances, feet, rest, more)
    return Nearest(best.pieces, best.shares, best.whole)


class _Best:
    """The best pose seen so far of each draw."""

    def __init__(self, draws: int) -> None:
        self.pieces, self.shares = np.zeros(draws, np.intp), np.zeros(draws)
        self.whole, self.squared = np.zeros(draws, np.bool_), np.full(draws, np.inf)

    def look(
        self, paths: Paths, coordinates: Array, tolerances: Array, feet: Array, draws: Index, pieces: Index
    ) -> None:
        """Look for `draws` in `pieces`, one by one the same length, from `feet`."""
        for first in range(0, len(draws), PAIRS):
            draw, piece = draws[first : first + PAIRS], pieces[first : first + PAIRS]
            cubics = paths.pieces[piece]
            by_power = cubics.transpose(0, 2, 1, 3).reshape(len(piece), 4, -1)
            share = refined(by_power, coordinates[draw].reshape(len(draw), -1), feet[draw, piece])
            off = ((paths.at(piece, share) - coordinates[draw]) ** 2).sum(axis=-1)
            shown = (np.sqrt(off) <= tolerances[draw] + paths.errors[piece]).all(axis=-1)
            total = off.sum(axis=-1)
            # Whole ones first, then the nearest; the first row of each draw is its best.
            order = np.lexsort((total, ~shown, draw))
            one, row = np.unique(draw[order], return_index=True)
            row = order[row]
            better = (shown[row] & ~self.whole[one]) | (
                (shown[row] == self.whole[one]) & (total[row] < self.squared[one])
            )
            one, row = one[better], row[better]
            self.pieces[one], self.shares[one] = piece[row], share[row]
            self.whole[one], self.squared[one] = shown[row], total[row]


def chord_distances(points: Array, starts: Array, chords: Array, /) -> tuple[Array, Array]:
    """Return the squared distance of points to chords and the share of the foot.

    Args:
        points: float64 [..., n, C].
        starts: float64 [..., S, C], where each chord begins.
        chords: float64 [..., S, C], from there to its end.

    Returns:
        Two of float64 [..., n, S].
    """
    middle = starts.mean(axis=-2, keepdims=True)  # what is subtracted below should be small
    points, starts = points - middle, starts - middle
    lengths = (chords * chords).sum(axis=-1)[..., np.newaxis, :]
    along = points @ chords.swapaxes(-1, -2) - (starts * chords).sum(axis=-1)[..., np.newaxis, :]
    feet = np.clip(along / np.where(lengths > 0, lengths, 1.0), 0, 1)
    squared = (points * points).sum(axis=-1)[..., np.newaxis] + (starts * starts).sum(axis=-1)[..., np.newaxis, :]
    squared -= 2 * (points @ starts.swapaxes(-1, -2))
    squared += feet * (feet * lengths - 2 * along)
    return np.maximum(squared, 0), feet


def refined(coefficients: Array, points: Array, shares: Array, /) -> Array:
    """Return where cubics come nearest to points, by Gauss-Newton from `shares`, within 0 … 1.

    Args:
        coefficients: float64 [..., 4, C], of 1, u, u², u³.
        points: float64, [..., C] after broadcasting.
        shares: float64 [...], where to begin.
    """
    c0, c1, c2, c3 = np.moveaxis(coefficients, -2, 0)
    c0 = c0 - points
    for _ in range(STEPS):
        u = shares[..., np.newaxis]
        off = ((c3 * u + c2) * u + c1) * u + c0
        speed = (3 * c3 * u + 2 * c2) * u + c1
        squared = (speed * speed).sum(axis=-1)
        step = (off * speed).sum(axis=-1) / np.where(squared > 0, squared, 1.0)
        shares = np.clip(shares - step, 0, 1)
    return shares
