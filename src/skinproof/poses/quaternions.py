"""Unit quaternions x, y, z, w: normalizing, products, shortest-path slerp (glTF 2.0, appendix C.4; Shoemake 1985)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
    # sin(half)/half is smooth at zero; np.sinc(x) is sin(pi x)/(pi x).
    return np.concatenate([vectors / 2 * np.sinc(half / np.pi), np.cos(half)], axis=-1)


def slerp(start: Array, end: Array, fraction: Array, /) -> Array:
    """Return the way from `start` to `end` along the shorter arc, at unit length.

    Args:
        start: float64 [P, 4], unit quaternions.
        end: float64 [P, 4], unit quaternions.
        fraction: float64 [P], 0 … 1.
    """
    dots = (start * end).sum(axis=-1, keepdims=True)
    near = np.where(dots < 0, -end, end)  # q and −q are one rotation; the nearer of the two gives the shorter arc
    t = fraction[:, np.newaxis]
    # The angle from both chords keeps its digits where arccos(dot) loses half of them: between nearly equal rotations.
    chord, co_chord = start - near, start + near
    angle = 2 * np.arctan2(
        np.sqrt((chord * chord).sum(-1, keepdims=True)), np.sqrt((co_chord * co_chord).sum(-1, keepdims=True))
    )
    sine = np.sin(angle)
    apart = sine > 0  # at most a right angle, so the sine vanishes only between equal rotations: then blend linearly
    divisor = np.where(apart, sine, 1.0)
    start_share = np.where(apart, np.sin((1 - t) * angle) / divisor, 1 - t)
    end_share = np.where(apart, np.sin(t * angle) / divisor, t)
    return normalized(start_share * start + end_share * near)
