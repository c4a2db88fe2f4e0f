"""Displacement of one set of delta influences over all poses, clip after clip, in memory that does not grow.

Maximum, mean and bound are this project's own: docs/measuring.md, "The figures".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.subject import Weights
from skinproof.skinning import DisplacementPlan

Array = NDArray[np.float64]


class Running:
    """Running maximum, mean square and (on demand) bound of V vertices, metres and square metres.

    Vertices whose influences do not differ cost nothing: they do not move.

    Attributes:
        max_squared: float64 [V], largest |e|² in the clips that have ended.
        max_pose: int64 [V], number of the pose that reached it first, −1 while nothing moved the vertex.
        mean_squared: float64 [V], mean of |e|² over the poses of a clip, times the clip's weight, summed.
        bound: float64 [V], the largest a-priori bound, in the clips that have ended.
        clip_max_squared: float64 [V], as `max_squared`, of the clip that ended last alone.
        clip_max_pose: int64 [V], as `max_pose`, of that clip.
        clip_mean_squared: float64 [V], mean of |e|² over the poses of that clip.
    """

    def __init__(self, positions: Array, deltas: Weights, *, bounded: bool = False) -> None:
        vertices = len(positions)
        self._plan = DisplacementPlan(positions, deltas.joints, deltas.weights, bounded=bounded)
        self.max_squared, self.max_pose = np.zeros(vertices), np.full(vertices, -1, np.int64)
        self.mean_squared = np.zeros(vertices)
        self.clip_max_squared, self.clip_max_pose = np.zeros(vertices), np.full(vertices, -1, np.int64)
        self.clip_mean_squared = np.zeros(vertices)

    @property
    def bound(self) -> Array:
        """The a-priori bound of the clips that have ended; zeros if it was not asked for."""
        return _infinite_where_nan(self._plan.bound)

    def set_positions(self, positions: Array) -> None:
        """Take other positions, float64 [V, 3], for the poses added from here on."""
        self._plan.set_positions(positions)

    def add(self, palettes: Array, *, first_pose: int) -> None:
        """Add poses of the current clip: palettes float64 [P, J, 4, 4], the first of them pose number `first_pose`."""
        self._plan.add(palettes, first_pose=first_pose)

    def end_clip(self, *, weight: float, poses: int) -> None:
        """Take the clip that was added into the totals, with its weight and its number of poses."""
        clip = self._plan.take()
        self.clip_max_squared, self.clip_max_pose = _infinite_where_nan(clip.max_squared), clip.max_pose
        self.clip_mean_squared = _infinite_where_nan(clip.sum_squared) / poses
        further = self.clip_max_squared > self.max_squared
        self.max_squared[further] = self.clip_max_squared[further]
        self.max_pose[further] = self.clip_max_pose[further]
        if weight > 0:
            self.mean_squared += weight * self.clip_mean_squared


def _infinite_where_nan(values: Array) -> Array:
    """What is not a number is as far away as can be: it must not get lost in a comparison."""
    values[np.isnan(values)] = np.inf
    return values
