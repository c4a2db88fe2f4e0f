"""Displacement over many poses, planned once: what stays the same from pose to pose is laid out beforehand.

The definition is this project's own: docs/measuring.md, "What is compared".

Decision: float64 throughout. A float32 kernel takes half the time, but the figures of a report must hold to its last
digit whatever the character's size and place, and the worst pose must be the worst one; docs/performance.md has both
sides, and the ways that lost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array
from skinproof._native import INSTRUCTION_SET, _core
from skinproof.skinning._door import (
    PlannedJoints,
    require_influences,
    require_instruction_set,
    require_palettes,
    require_threads,
)
from skinproof.skinning.displacement import DisplacementTotals


class DisplacementPlan:
    """Running displacement of V vertices over runs of poses, and on demand its bound.

    It gives what `accumulate_displacement` and `accumulate_bound` give, apart from the last digits, several times as
    fast. Vertices are grouped by joint set and cost nothing where no weight differs; poses wait until enough of them
    can be taken side by side. Results depend neither on the blocks in which the poses of a run come nor on the number
    of threads. Memory does not grow with the number of poses.

    A plan belongs to one thread at a time; the interpreter's lock is released while it works.
    """

    def __init__(
        self,
        positions: NDArray[np.float64],
        joints: NDArray[np.uint16],
        weights: NDArray[np.float64],
        /,
        *,
        bounded: bool = False,
        threads: int | None = None,
        instruction_set: str = INSTRUCTION_SET,
        repeatable: bool = False,
    ) -> None:
        """Plan the displacement by delta influences.

        Args:
            positions: float64 [V, 3], bind positions in mesh space, metres.
            joints: uint16 [V, D], joints of the delta influences (`deltas.delta_influences`).
            weights: float64 [V, D], their delta weights w − w′.
            bounded: whether the bound is made, too.
            threads: work on at most so many processors; None takes all that this process may use.
            instruction_set: whose kernels to use, one of those that this processor runs.
            repeatable: whether all but the bound must be the same bits on every instruction set, where decisions hang
                on them; takes up to twice as long.

        Raises:
            ArrayError: an array breaks the contract above.
            OptionError: `threads` is no count or below 1, or `instruction_set` does not run here.
        """
        require_array(positions, "positions", dtypes=[np.float64], shape=("V", 3))
        require_influences(joints, weights, dtypes=[np.float64], vertices=len(positions))
        require_instruction_set(instruction_set)
        count = require_threads(threads)
        self._vertices = len(positions)
        self._joints = PlannedJoints(joints, weights)
        self._plan = _core.DisplacementPlan(positions, joints, weights, bounded, count, instruction_set, repeatable)

    def set_positions(self, positions: NDArray[np.float64], /) -> None:
        """Take other positions for the poses added from here on, as morph targets make them.

        Poses are taken side by side as long as the positions stay.

        Args:
            positions: float64 [V, 3], in mesh space, metres.

        Raises:
            ArrayError: the array breaks the contract above.
        """
        require_array(positions, "positions", dtypes=[np.float64], shape=(self._vertices, 3))
        self._plan.set_positions(positions)

    def add(self, palettes: NDArray[np.float64], /, *, first_pose: int) -> None:
        """Add poses to the current run.

        Args:
            palettes: float64 [P, J, 4, 4] or [J, 4, 4], skinning matrices, world_from_mesh.
            first_pose: the number that `max_pose` gives to the first of them.

        Raises:
            ArrayError: the array breaks the contract, or a joint is not in the palettes.
        """
        palettes = require_palettes(palettes, dtypes=[np.float64])
        self._joints.require_in(palettes)
        self._plan.add(palettes, first_pose)

    def take(self) -> DisplacementTotals:
        """End the run: return its totals, and begin the next one from nothing."""
        totals = DisplacementTotals.zeros(self._vertices)
        self._plan.take(totals.max_squared, totals.max_pose, totals.sum_squared)
        return totals

    @property
    def bound(self) -> NDArray[np.float64]:
        """The largest bound in all runs that have ended, float64 [V], metres; zeros if none was asked for.

        NaN where a displacement is not a number.
        """
        bound = np.empty(self._vertices)
        self._plan.write_bound(bound)
        return bound
