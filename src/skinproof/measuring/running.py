"""Displacement over all poses, clip after clip, in memory that does not grow: of delta influences, or of anything else.

Maximum, mean and bound are this project's own: docs/measuring.md, "The figures".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.subject import Weights
from skinproof.skinning import DisplacementPlan, DisplacementTotals

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Plan(Protocol):
    """What moves V vertices pose after pose: a `DisplacementPlan`, or pairs that are posed."""

    @property
    def bound(self) -> Array:
        """The largest bound in all runs that have ended, float64 [V], metres."""

    def take(self) -> DisplacementTotals:
        """End the run: return its totals, and begin the next one from nothing."""


class Running:
    """Running maximum, mean square and (on demand) bound of V vertices, metres and square metres.

    What is run is `_plans`, of which each vertex is moved by one alone.

    Attributes:
        max_squared: float64 [V], largest |e|² in the clips that have ended.
        max_pose: int64 [V], number of the pose that reached it first, −1 while nothing moved the vertex.
        mean_squared: float64 [V], mean of |e|² over the poses of a clip, times the clip's weight, summed.
        bound: float64 [V], the largest a-priori bound, in the clips that have ended.
        clip_max_squared: float64 [V], as `max_squared`, of the clip that ended last alone.
        clip_max_pose: int64 [V], as `max_pose`, of that clip.
        clip_mean_squared: float64 [V], mean of |e|² over the poses of that clip.
    """

    def __init__(self, plans: Sequence[Plan], vertices: int) -> None:
        """Begin with no poses."""
        self._plans = plans
        self.max_squared, self.max_pose = np.zeros(vertices), np.full(vertices, -1, np.int64)
        self.mean_squared = np.zeros(vertices)
        self.clip_max_squared, self.clip_max_pose = np.zeros(vertices), np.full(vertices, -1, np.int64)
        self.clip_mean_squared = np.zeros(vertices)

    @property
    def bound(self) -> Array:
        """The a-priori bound of the clips that have ended; zeros if it was not asked for."""
        return _infinite_where_nan(np.max([plan.bound for plan in self._plans], axis=0))

    def end_clip(self, *, weight: float, poses: int) -> None:
        """Take the clip that was added into the totals, with its weight and its number of poses."""
        # Of each vertex one plan has the totals; the others have zeros, and no pose.
        clips = [plan.take() for plan in self._plans]
        self.clip_max_squared = _infinite_where_nan(np.max([clip.max_squared for clip in clips], axis=0))
        self.clip_max_pose = np.max([clip.max_pose for clip in clips], axis=0)
        self.clip_mean_squared = _infinite_where_nan(np.sum([clip.sum_squared for clip in clips], axis=0)) / poses
        further = self.clip_max_squared > self.max_squared
        self.max_squared[further] = self.clip_max_squared[further]
        self.max_pose[further] = self.clip_max_pose[further]
        if weight > 0:
            self.mean_squared += weight * self.clip_mean_squared


class RunningDeltas(Running):
    """Running results of delta influences. Vertices whose influences do not differ cost nothing: they do not move."""

    def __init__(
        self, positions: Array, deltas: Weights, *, bounded: bool = False, morphed: Mask | None = None
    ) -> None:
        """Begin with vertices at float64 [V, 3]; those in `morphed`, bool [V], are given others with their poses."""
        vertices = len(positions)
        parts = [np.ones(vertices, np.bool_)] if morphed is None else [~morphed, morphed]
        self._deltas = [
            DisplacementPlan(
                positions, deltas.joints, np.where(part[:, np.newaxis], deltas.weights, 0.0), bounded=bounded
            )
            for part in parts
        ]
        super().__init__(self._deltas, vertices)

    def add(self, palettes: Array, *, first_pose: int) -> None:
        """Add poses of the current clip: palettes float64 [P, J, 4, 4], the first of them pose number `first_pose`.

        Morphed vertices are left out.
        """
        self._deltas[0].add(palettes, first_pose=first_pose)

    def add_morphed(self, positions: Array | None, palettes: Array, *, first_pose: int) -> None:
        """Add the morphed vertices in the same poses, float64 [V, 3]; None: where they were in the poses before."""
        if positions is not None:
            self._deltas[1].set_positions(positions)
        self._deltas[1].add(palettes, first_pose=first_pose)


def _infinite_where_nan(values: Array) -> Array:
    """What is not a number is as far away as can be: it must not get lost in a comparison."""
    values[np.isnan(values)] = np.inf
    return values
