"""Smooth joint weights by spreading them over the surface.

Every vertex begins with the joint of its nearest limb; the weights then diffuse along the quads (the heat equation on
a graph, as in I. Baran and J. Popović, "Automatic Rigging and Animation of 3D Characters", 2007, but explicit in time).
They travel over the skin and not through the air, so one leg never pulls at the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def spread_weights(
    nearest_joints: NDArray[np.int64],
    neighbours: NDArray[np.int64],
    /,
    *,
    joint_count: int,
    rounds: int = 140,
    floor: float = 0.001,
    max_influences: int = 8,
) -> tuple[NDArray[np.uint16], NDArray[np.float32]]:
    """Return joints uint16 [V, max_influences] and their weights float32, largest first, each row's sum one.

    Args:
        nearest_joints: int64 [V], the joint that each vertex begins with.
        neighbours: int64 [V, n], each vertex's neighbours; rows may be filled up by the vertex itself.
        joint_count: J.
        rounds: how often each vertex moves half-way to the mean of its neighbours.
        floor: joint weights below this become zero, so that influences end somewhere.
        max_influences: how many slots a vertex has; the weight just beyond them is subtracted from all, so that
            influences fade to zero before they drop out.
    """
    weights = np.eye(joint_count)[nearest_joints]
    for _ in range(rounds):
        weights = 0.5 * weights + 0.5 * weights[neighbours].mean(axis=1)
    weights = np.maximum(weights - floor, 0.0)
    joints = np.argsort(-weights, axis=1, kind="stable")
    ranked = np.take_along_axis(weights, joints, axis=1)
    kept = np.maximum(ranked[:, :max_influences] - ranked[:, [max_influences]], 0.0)
    kept = (kept / kept.sum(axis=1, keepdims=True)).astype(np.float32)
    return np.where(kept > 0.0, joints[:, :max_influences], 0).astype(np.uint16), kept
