"""Unit quaternions x, y, z, w: normalizing, products, shortest-path slerp (glTF 2.0, appendix C.4; Shoemake 1985)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof._native import _core
from skinproof.errors import ArrayError

Array = NDArray[np.float64]


def normalized(quaternions: Array, /, *, name: str = "quaternions") -> Array:
    """Return quaternions [..., 4] at unit length.

    Raises:
        ArrayError: one has no direction (length zero, NaN or infinite); the message begins with `name`.
    """
    # Dividing by the largest entry first keeps the squares from overflowing or vanishing.
    largest = np.abs(quaternions).max(axis=-1, keepdims=True, initial=0.0)
    if not ((largest > 0) & np.isfinite(largest)).all():
        raise ArrayError(f"{name}: a rotation has length zero or is not finite")
    scaled = quaternions / largest
    unit: Array = scaled / np.sqrt((scaled * scaled).sum(axis=-1, keepdims=True))
    return unit


def multiplied(left: Array, right: Array, /) -> Array:
    """Return the products left · right of quaternions [..., 4]: first `right` turns, then `left`."""
    lx, ly, lz, lw = np.moveaxis(left, -1, 0)
    rx, ry, rz, rw = np.moveaxis(right, -1, 0)
    return np.stack(
        [
            lw * rx + lx * rw + ly * rz - lz * ry,
            lw * ry - lx * rz + ly * rw + lz * rx,
            lw * rz + lx * ry - ly * rx + lz * rw,
            lw * rw - lx * rx - ly * ry - lz * rz,
        ],
        axis=-1,
    )


def from_rotation_vectors(vectors: Array, /) -> Array:
    """Return the unit quaternions [..., 4] of rotation vectors [..., 3] (axis times angle, radians)."""
    half = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True)) / 2
    trigonometry = np.empty((half.size, 2))
    _core.sine_cosine(half.ravel(), trigonometry)
    sine, cosine = (trigonometry[:, index].reshape(half.shape) for index in (0, 1))
    share = np.where(half > 0, sine / np.where(half > 0, half, 1.0), 1.0)  # sin(half)/half is smooth at zero
    return np.concatenate([vectors / 2 * share, cosine], axis=-1)


def slerp(start: Array, end: Array, fraction: Array, /) -> Array:
    """Return the way from `start` to `end` along the shorter arc, at unit length.

    Args:
        start: float64 [P, 4], unit quaternions.
        end: float64 [P, 4], unit quaternions.
        fraction: float64 [P], 0 … 1.

    Raises:
        ArrayError: a quaternion has no direction.
    """
    start, end = np.ascontiguousarray(start), np.ascontiguousarray(end)
    out = np.empty_like(start)
    if not _core.slerp(start, end, np.ascontiguousarray(fraction), out):
        raise ArrayError("quaternions: a rotation has length zero or is not finite")
    return out
