"""Displacement of one set of delta influences over all poses, clip after clip, in memory that does not grow.

Maximum, mean and bound are this project's own: docs/measuring.md, "The figures".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.subject import Weights
from skinproof.skinning import DisplacementTotals, accumulate_bound, accumulate_displacement

Array = NDArray[np.float64]


class Running:
    """Running maximum, mean square and (on demand) bound of V vertices, metres and square metres.

    Vertices whose influences do not differ are left out of the work: they do not move.

    Attributes:
        max_squared: float64 [V], largest |e|² in the clips that have ended.
        max_pose: int64 [V], number of the pose that reached it first, −1 while nothing moved the vertex.
        mean_squared: float64 [V], mean of |e|² over the poses of a clip, times the clip's weight, summed.
        bound: float64 [V], the largest a-priori bound, in all blocks added.
        clip_max_squared: float64 [V], as `max_squared`, of the clip that ended last alone.
        clip_max_pose: int64 [V], as `max_pose`, of that clip.
        clip_mean_squared: float64 [V], mean of |e|² over the poses of that clip.
    """

    def __init__(self, positions: Array, deltas: Weights, *, bounded: bool = False) -> None:
        vertices = len(positions)
        self._rows = np.flatnonzero((deltas.weights != 0).any(axis=1))
        self._positions = np.ascontiguousarray(positions[self._rows])
        self._deltas = Weights(deltas.joints[self._rows], deltas.weights[self._rows])
        self._clip = DisplacementTotals.zeros(len(self._rows))
        self._bound = np.zeros(len(self._rows)) if bounded else None
        self.max_squared, self.max_pose = np.zeros(vertices), np.full(vertices, -1, np.int64)
        self.mean_squared = np.zeros(vertices)
        self.clip_max_squared, self.clip_max_pose = np.zeros(vertices), np.full(vertices, -1, np.int64)
        self.clip_mean_squared = np.zeros(vertices)

    @property
    def bound(self) -> Array:
        """The a-priori bound; zeros if it was not asked for."""
        return _spread(self._bound, self._rows, len(self.max_squared))

    def add(self, palettes: Array, *, first_pose: int) -> None:
        """Add poses of the current clip: palettes float64 [P, J, 4, 4], the first of them pose number `first_pose`."""
        if not len(self._rows):
            return
        joints, weights = self._deltas.joints, self._deltas.weights
        accumulate_displacement(self._positions, joints, weights, palettes, first_pose=first_pose, out=self._clip)
        if self._bound is not None:
            accumulate_bound(self._positions, joints, weights, palettes, out=self._bound)

    def end_clip(self, *, weight: float, poses: int) -> None:
        """Take the clip that was added into the totals, with its weight and its number of poses."""
        # What is not a number is as far away as can be: it must not get lost in a comparison.
        for squared in (self._clip.max_squared, self._clip.sum_squared):
            squared[np.isnan(squared)] = np.inf
        self.clip_max_squared[self._rows] = self._clip.max_squared
        self.clip_max_pose[self._rows] = self._clip.max_pose
        self.clip_mean_squared[self._rows] = self._clip.sum_squared / poses
        further = self.clip_max_squared > self.max_squared
        self.max_squared[further] = self.clip_max_squared[further]
        self.max_pose[further] = self.clip_max_pose[further]
        if weight > 0:
            self.mean_squared += weight * self.clip_mean_squared
        self._clip = DisplacementTotals.zeros(len(self._rows))


def _spread(values: Array | None, rows: NDArray[np.intp], vertices: int) -> Array:
    """Put `values` float64 [n] at `rows` intp [n] of zeros float64 [vertices]; NaN becomes infinity."""
    full = np.zeros(vertices)
    if values is not None:
        full[rows] = np.where(np.isnan(values), np.inf, values)
    return full
