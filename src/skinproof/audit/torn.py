"""Which joints of a draw come from which pose: the fewest poses that together show all of its joints, greedily.

This project's own. Each joint alone names the times at which it stands as the draw has it. The joint that moves
fastest there is the best clock: its time is the most exact. The pose of that time takes all joints that stand in it,
then the fastest of what is left is the next clock. A joint that stands still, or returns to where it was, names many
times and is taken by the first pose it stands in: it never makes a tear.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.audit.paths import Paths
from skinproof.audit.whole import chord_distances, refined

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

CANDIDATES = 32
"""Pieces in which each joint is looked for at first: where it passes near, nearest first."""


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The poses that one draw is put together from.

    Attributes:
        pieces: intp [G], of the paths, most joints first.
        shares: float64 [G], 0 … 1, where in them.
        stands: bool [G, J], which joints stand in which pose; a joint may in several.
        taken: intp [J], the pose that each joint is counted to; −1: it stands in no pose of any clip.
    """

    pieces: Index
    shares: Array
    stands: Mask
    taken: Index

    @property
    def explained(self) -> bool:
        """Whether every joint stands in some pose."""
        return bool((self.taken >= 0).all())

    @property
    def whole(self) -> Index:
        """Poses in which all joints stand."""
        return np.flatnonzero(self.stands.all(axis=1))


def parts(paths: Paths, coordinates: Array, tolerances: Array, /) -> list[Parts]:
    """Take n draws apart.

    Args:
        paths: of J joints.
        coordinates: float64 [n, J, 12], finite, metres.
        tolerances: float64 [n, J], metres.
    """
    found = _parts(paths, coordinates, tolerances, CANDIDATES)
    lost = [n for n, one in enumerate(found) if not one.explained]
    if lost and len(paths.pieces) > CANDIDATES:  # before a joint is said to stand nowhere, it is looked for everywhere
        again = _parts(paths, coordinates[lost], tolerances[lost], len(paths.pieces))
        for n, one in zip(lost, again, strict=True):
            found[n] = one
    return found


def _parts(paths: Paths, coordinates: Array, tolerances: Array, most: int) -> list[Parts]:
    by_joint = np.ascontiguousarray(paths.pieces.transpose(1, 0, 2, 3))
    squared, feet = chord_distances(coordinates.transpose(1, 0, 2), by_joint[:, :, 0], by_joint[:, :, 1:].sum(axis=2))
    excess = np.sqrt(squared) - (paths.bulges + paths.errors).T[:, np.newaxis]
    count = min(most, excess.shape[-1])
    near = np.argpartition(excess, count - 1, axis=-1)[..., :count]  # [J, n, C]
    possible = np.take_along_axis(excess, near, axis=-1) <= tolerances.T[..., np.newaxis]
    joint, draw, place = np.nonzero(possible)
    piece = near[joint, draw, place]
    coefficients, points = by_joint[joint, piece], coordinates[draw, joint]
    share = refined(coefficients, points, feet[joint, draw, piece])
    powers = share[:, np.newaxis] ** np.arange(4)
    off = np.linalg.norm((powers[:, np.newaxis] @ coefficients)[:, 0] - points, axis=-1)
    slopes = np.stack([np.zeros_like(share), np.ones_like(share), 2 * share, 3 * share**2], axis=-1)
    spans = np.where(paths.spans[piece] > 0, paths.spans[piece], np.inf)
    speed = np.linalg.norm((slopes[:, np.newaxis] @ coefficients)[:, 0], axis=-1) / spans
    stands = off <= tolerances[draw, joint] + paths.errors[piece, joint]
    order = np.lexsort((-speed, draw))
    order = order[stands[order]]
    bounds = np.searchsorted(draw[order], np.arange(len(coordinates) + 1))
    return [
        _greedy(paths, coordinates[n], tolerances[n], joint[own], piece[own], share[own])
        for n in range(len(coordinates))
        for own in [order[bounds[n] : bounds[n + 1]]]
    ]


def _greedy(paths: Paths, coordinates: Array, tolerances: Array, joint: Index, piece: Index, share: Array) -> Parts:
    """Take one draw apart, given where its joints stand, the fastest first."""
    joints = len(coordinates)
    taken = np.full(joints, -1, np.intp)
    pieces: list[int] = []
    shares: list[float] = []
    stands: list[Mask] = []
    while len(left := np.flatnonzero(taken[joint] < 0)):
        clock = joint[left[0]]
        tried = left[joint[left] == clock]
        off = np.linalg.norm(paths.at(piece[tried], share[tried]) - coordinates, axis=-1)
        shown = off <= tolerances + paths.errors[piece[tried]]
        shown[:, clock] = True
        best = int((shown & (taken < 0)).sum(axis=1).argmax())
        taken[shown[best] & (taken < 0)] = len(pieces)
        pieces.append(piece[tried[best]])
        shares.append(share[tried[best]])
        stands.append(shown[best])
    counts = np.bincount(taken[taken >= 0], minlength=len(pieces))
    order = np.argsort(-counts, kind="stable")
    rank = np.append(np.argsort(order), -1)  # the last one for joints that stand nowhere
    return Parts(
        np.array(pieces, np.intp)[order],
        np.array(shares, np.float64)[order],
        np.array(stands, np.bool_).reshape(-1, joints)[order],
        rank[taken],
    )
