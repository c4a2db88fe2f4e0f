"""Node transforms in world space: local matrices from translation, rotation, scale, and their products down the tree.

glTF 2.0, section 3.5.3 (transformations).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array
from skinproof._native import _core
from skinproof.errors import ArrayError
from skinproof.model import Clip, Nodes, Path
from skinproof.poses.sampling import core_channel, without_direction

Array = NDArray[np.float64]


def composed(translations: Array, rotations: Array, scales: Array, /) -> Array:
    """Return T · R · S as float64 [..., 4, 4].

    Args:
        translations: float64 [..., 3], metres.
        rotations: float64 [..., 4], unit quaternions x, y, z, w.
        scales: float64 [..., 3].
    """
    x, y, z, w = np.moveaxis(rotations, -1, 0)
    matrices = np.zeros((*np.broadcast_shapes(translations.shape[:-1], x.shape, scales.shape[:-1]), 4, 4))
    matrices[..., 0, 0] = 1 - 2 * (y * y + z * z)
    matrices[..., 0, 1] = 2 * (x * y - z * w)
    matrices[..., 0, 2] = 2 * (x * z + y * w)
    matrices[..., 1, 0] = 2 * (x * y + z * w)
    matrices[..., 1, 1] = 1 - 2 * (x * x + z * z)
    matrices[..., 1, 2] = 2 * (y * z - x * w)
    matrices[..., 2, 0] = 2 * (x * z - y * w)
    matrices[..., 2, 1] = 2 * (y * z + x * w)
    matrices[..., 2, 2] = 1 - 2 * (x * x + y * y)
    matrices[..., :3, :3] *= scales[..., np.newaxis, :]
    matrices[..., :3, 3] = translations
    matrices[..., 3, 3] = 1
    return matrices


def clip_worlds(nodes: Nodes, clip: Clip, times: Array, /) -> Array:
    """Return world_from_node of all `nodes` at `times` of a clip, float64 [P, N, 4, 4]. The same bits everywhere.

    What no channel animates keeps the rest transform; morph target weights move no node (`morphs` has them). Where
    scales overflow on the way the result is infinite or NaN.

    Raises:
        ArrayError: a channel animates a node that is given by a matrix (glTF 2.0, section 3.11 forbids it), or cannot
            be sampled (`sampling.sample_channel`).
    """
    moving = [channel for channel in clip.channels if channel.path is not Path.WEIGHTS]
    for channel in moving:
        if nodes.has_matrix[channel.node]:
            raise ArrayError(
                f"{channel.pointer or clip.name}: animates node {channel.node}, which is given by a matrix; "
                "animated nodes need translation, rotation, scale"
            )
    times = require_array(times, "times", dtypes=[np.float64], shape=("P",))
    out = np.empty((len(times), len(nodes), 4, 4))
    failed = _core.clip_worlds(
        nodes.parents,
        nodes.order,
        nodes.translations,
        nodes.rotations,
        nodes.scales,
        nodes.matrices,
        [core_channel(channel) for channel in moving],
        times,
        out,
    )
    if failed < len(moving):
        raise without_direction(moving[failed])
    return out


def world_matrices(nodes: Nodes, matrices: Array, /) -> Array:
    """Return every node's world_from_node, float64 [P, N, 4, 4]; infinite or NaN where scales overflow on the way.

    Args:
        nodes: the tree, any depth.
        matrices: float64 [P, N, 4, 4], parent_from_node, affine.
    """
    worlds = np.array(matrices, order="C")
    _core.multiply_down(nodes.parents, nodes.order, worlds)
    return worlds


def rest_worlds(nodes: Nodes, /) -> Array:
    """Return world_from_node of all `nodes` at rest, as the file places them, float64 [N, 4, 4]."""
    worlds: Array = world_matrices(nodes, nodes.matrices[np.newaxis])[0]
    return worlds


def generations(nodes: Nodes, /) -> list[NDArray[np.intp]]:
    """Return the nodes that have parents, grouped by depth, parents before children."""
    depths = [0] * len(nodes)
    parents = nodes.parents.tolist()
    for node in nodes.order.tolist():
        if parents[node] >= 0:
            depths[node] = depths[parents[node]] + 1
    by_depth = np.argsort(depths, kind="stable")
    starts = np.cumsum(np.bincount(depths)) if depths else np.zeros(1, np.intp)
    return np.split(by_depth, starts)[1:-1]
