"""The oracle: skinning in float64, plain NumPy, written from the specification. It never uses the compiled core.

glTF 2.0, section 3.7.3.3 (skinned mesh attributes): the joint matrices are blended per vertex by the weights, and
the blended matrix transforms the vertex. The core blends transformed positions instead; both are the same sum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def blended_matrices(joints: ArrayLike, weights: ArrayLike, palettes: ArrayLike, /) -> Array:
    """Return Σ w_i M_i for every pose and vertex, float64 [P, V, 4, 4].

    Args:
        joints: [V, N], index into the palettes; ignored where the weight is zero.
        weights: [V, N], used as they are.
        palettes: [P, J, 4, 4].
    """
    weights = np.asarray(weights, np.float64)
    joints = np.where(weights == 0, 0, np.asarray(joints, np.int64))
    matrices = np.asarray(palettes, np.float64)
    blended = np.zeros((len(matrices), len(weights), 4, 4))
    for joint, weight in zip(joints.T, weights.T, strict=True):
        blended += weight[np.newaxis, :, np.newaxis, np.newaxis] * matrices[:, joint]
    return blended


def skin_positions(positions: ArrayLike, joints: ArrayLike, weights: ArrayLike, palettes: ArrayLike, /) -> Array:
    """Return the positions of every vertex in every pose, float64 [P, V, 3].

    Args:
        positions: [V, 3], bind positions in mesh space, metres.
        joints: [V, N], index into the palettes.
        weights: [V, N], used as they are.
        palettes: [P, J, 4, 4], target_from_mesh.
    """
    blended = blended_matrices(joints, weights, palettes)
    bind = np.asarray(positions, np.float64)
    skinned: Array = (blended[..., :3, :3] @ bind[:, :, np.newaxis])[..., 0] + blended[..., :3, 3]
    return skinned


def skin_normals(normals: ArrayLike, joints: ArrayLike, weights: ArrayLike, palettes: ArrayLike, /) -> Array:
    """Return the unit normals of every vertex in every pose, float64 [P, V, 3].

    Args:
        normals: [V, 3], in mesh space, not zero.
        joints: [V, N], index into the palettes.
        weights: [V, N], used as they are.
        palettes: [P, J, 4, 4], target_from_mesh; every blended matrix can be inverted.

    Raises:
        numpy.linalg.LinAlgError: a blended matrix has no inverse.
    """
    blended = blended_matrices(joints, weights, palettes)
    inverse_transposes = np.linalg.inv(blended[..., :3, :3]).swapaxes(-1, -2)
    turned = (inverse_transposes @ np.asarray(normals, np.float64)[:, :, np.newaxis])[..., 0]
    unit: Array = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
    return unit
