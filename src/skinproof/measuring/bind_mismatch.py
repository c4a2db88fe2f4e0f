"""Whether mesh and skeleton fit: do the joints lie, at bind time, where the vertices are that they move?

An exporter that scales or moves one but not the other leaves every weight valid and every later figure nonsense.
The measure is this project's own; tests/assets/test_bind_mismatch.py has the figures of sound and of broken files.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Influences, Primitive, Skin
from skinproof.tolerances import BIND_MISMATCH_MIN_JOINTS, BIND_MISMATCH_MIN_VERTICES


def bind_mismatch(skin: Skin, primitives: Sequence[Primitive], /) -> float | None:
    """Return the median over the weighted joints of |bind pivot − weighted centroid|, as a share of the diagonal.

    The bind pivot is the joint's origin at bind time, the weighted centroid the mean of the bind positions weighted by
    the joint's weights, the diagonal that of the vertices' bounding box; all in mesh space.

    Args:
        skin: of J joints.
        primitives: those that it shows. Weights that are not finite and > 0, and joints it does not have, are left out.

    Returns:
        the share, or None where it says nothing: fewer than `BIND_MISMATCH_MIN_JOINTS` weighted joints that have a
        bind pivot (a singular inverse bind matrix has none), fewer than `BIND_MISMATCH_MIN_VERTICES` vertices, or
        vertices without extent.
    """
    masses = np.zeros(len(skin))
    moments = np.zeros((len(skin), 3))
    low, high, vertices = np.full(3, np.inf), np.full(3, -np.inf), 0
    for primitive in primitives:
        positions = primitive.positions.astype(np.float64)
        vertex, joint, weight = _usable_slots(primitive.influences, len(skin))
        np.add.at(masses, joint, weight)
        np.add.at(moments, joint, weight[:, np.newaxis] * positions[vertex])
        low = np.minimum(low, positions.min(axis=0, initial=np.inf))
        high = np.maximum(high, positions.max(axis=0, initial=-np.inf))
        vertices += len(positions)
    pivots, invertible = _bind_pivots(skin)
    used = (masses > 0) & invertible
    diagonal = float(np.linalg.norm(high - low)) if vertices else 0.0
    too_few = np.count_nonzero(used) < BIND_MISMATCH_MIN_JOINTS or vertices < BIND_MISMATCH_MIN_VERTICES
    if too_few or not np.isfinite(diagonal) or diagonal == 0.0:
        return None
    distances = np.linalg.norm(pivots[used] - moments[used] / masses[used, np.newaxis], axis=1)
    return float(np.median(distances)) / diagonal


def weighted_joints(skin: Skin, primitives: Sequence[Primitive], /) -> NDArray[np.bool_]:
    """Return bool [J]: the joints of `skin` with a finite weight > 0 on some vertex of `primitives`."""
    used = np.zeros(len(skin), np.bool_)
    for primitive in primitives:
        used[_usable_slots(primitive.influences, len(skin))[1]] = True
    return used


def _usable_slots(
    influences: Influences, joint_count: int
) -> tuple[NDArray[np.intp], NDArray[np.uint16], NDArray[np.float64]]:
    """Return vertex intp [n], joint uint16 [n] and weight float64 [n] of the slots that count."""
    weights = influences.weights
    vertex, slot = np.nonzero((weights > 0) & np.isfinite(weights) & (influences.joints < joint_count))
    return vertex, influences.joints[vertex, slot], weights[vertex, slot].astype(np.float64)


def _bind_pivots(skin: Skin) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return float64 [J, 3], each joint's origin in mesh space at bind time, and bool [J], where there is one."""
    linear, offset = skin.inverse_binds[:, :3, :3], skin.inverse_binds[:, :3, 3]
    with np.errstate(invalid="ignore", over="ignore"):
        determinants = np.linalg.det(linear)
    invertible = np.isfinite(determinants) & (determinants != 0.0) & np.isfinite(offset).all(axis=1)
    pivots = np.zeros((len(skin), 3))
    if invertible.any():
        pivots[invertible] = np.linalg.solve(linear[invertible], -offset[invertible][:, :, np.newaxis])[:, :, 0]
    return pivots, invertible
