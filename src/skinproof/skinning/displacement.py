"""Displacement over poses: how far delta influences move each vertex, block after block.

The definition is this project's own: docs/measuring.md, "What is compared".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array, require_no_overlap
from skinproof._native import _core
from skinproof.skinning._door import require_influences, require_joints_below, require_palettes


@dataclass(frozen=True, slots=True, eq=False)
class DisplacementTotals:
    """Running results over the poses seen so far, V vertices; `accumulate_displacement` updates the arrays in place.

    A vertex whose displacement is not a number in some pose has NaN in `max_squared` and `sum_squared`.

    Attributes:
        max_squared: float64 [V], the largest |e|², square metres.
        max_pose: int64 [V], the first pose that reached it, or that is not a number; −1 while nothing moved the vertex.
        sum_squared: float64 [V], Σ |e|², square metres.
    """

    max_squared: NDArray[np.float64]
    max_pose: NDArray[np.int64]
    sum_squared: NDArray[np.float64]

    @classmethod
    def zeros(cls, vertices: int) -> DisplacementTotals:
        """Return the totals before the first pose."""
        return cls(np.zeros(vertices), np.full(vertices, -1, np.int64), np.zeros(vertices))


def accumulate_displacement(
    positions: NDArray[np.float64],
    joints: NDArray[np.uint16],
    weights: NDArray[np.float64],
    palettes: NDArray[np.float64],
    /,
    *,
    first_pose: int = 0,
    out: DisplacementTotals,
) -> None:
    """Add a block of poses to the running totals, in fixed order (ties go to the earlier pose).

    Args:
        positions: float64 [V, 3], bind positions in mesh space, metres.
        joints: uint16 [V, D], joints of the delta influences (`deltas.delta_influences`).
        weights: float64 [V, D], their delta weights w − w′.
        palettes: float64 [P, J, 4, 4] or [J, 4, 4], skinning matrices, world_from_mesh.
        first_pose: the number that `out.max_pose` gives to the first pose of the block.
        out: the totals, updated in place.

    Raises:
        ArrayError: an array breaks the contract above, or a joint is not in the palettes.
    """
    require_array(positions, "positions", dtypes=[np.float64], shape=("V", 3))
    vertices = len(positions)
    require_influences(joints, weights, dtypes=[np.float64], vertices=vertices)
    palettes = require_palettes(palettes, dtypes=[np.float64])
    require_joints_below(joints, weights, palettes.shape[1])
    others = {"positions": positions, "weights": weights, "palettes": palettes}
    for name, dtype in (("max_squared", np.float64), ("max_pose", np.int64), ("sum_squared", np.float64)):
        array = require_array(getattr(out, name), f"out.{name}", dtypes=[dtype], shape=(vertices,), writable=True)
        require_no_overlap(array, others, name=f"out.{name}")
        others[f"out.{name}"] = array
    _core.accumulate_displacement(
        positions, joints, weights, palettes, first_pose, out.max_squared, out.max_pose, out.sum_squared
    )
