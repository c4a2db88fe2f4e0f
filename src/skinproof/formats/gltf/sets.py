"""Influences to the JOINTS_n and WEIGHTS_n arrays of a primitive (glTF 2.0, section 3.7.3.3, skinned meshes)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof.errors import ArrayError
from skinproof.model import Influences, WeightFormat
from skinproof.model.influences import SLOTS_PER_SET

_BYTE: np.dtype[Any] = np.dtype("u1")
_JOINTS_IN_BYTE = 256
_SHORT: np.dtype[Any] = np.dtype("<u2")


@dataclass(frozen=True, slots=True, eq=False)
class EncodedSet:
    """One set of four slots as a file stores it.

    Attributes:
        joints: uint8 or uint16 [V, 4].
        weights: float32, or uint8 or uint16 that mean value / 255 or / 65535, [V, 4].
    """

    joints: NDArray[Any]
    weights: NDArray[Any]


def encode_sets(
    influences: Influences, /, *, joint_types: Sequence[np.dtype[Any]] = (), tidy: bool = True
) -> tuple[EncodedSet, ...]:
    """Return the sets of `influences`, the last one padded with empty slots to four.

    Args:
        influences: V vertices, N slots; N need not be a multiple of four.
        joint_types: for the first sets, the type that their joints should keep; uint8 becomes uint16 where one of
            its joints does not fit. The further sets take the last one's; without any, the smallest that fits.
        tidy: give empty slots joint 0, as validators and vertex caches want it.

    Raises:
        ArrayError: the weights are to be stored as integers and are none (`influences.pack` makes them).
    """
    joints, weights = influences.joints, influences.weights
    if tidy:
        joints = np.where(weights == 0, np.uint16(0), joints)
    sets = []
    for index, weight_format in enumerate(influences.set_formats):
        slots = slice(index * SLOTS_PER_SET, (index + 1) * SLOTS_PER_SET)
        wanted = joint_types[min(index, len(joint_types) - 1)] if joint_types else _BYTE
        joint_type = wanted if joints[:, slots].max(initial=0) < _JOINTS_IN_BYTE else _SHORT
        encoded = _encode_weights(weights[:, slots], weight_format)
        sets.append(EncodedSet(_padded(joints[:, slots].astype(joint_type)), _padded(encoded)))
    return tuple(sets)


def _encode_weights(weights: NDArray[np.float32], weight_format: WeightFormat) -> NDArray[Any]:
    """Return weights [V, n] as `weight_format` stores them, little-endian, [V, n]; integers decode to just these."""
    dtype, scale = weight_format.dtype.newbyteorder("<"), weight_format.scale
    if scale is None:
        return weights.astype(dtype)
    with np.errstate(invalid="ignore"):  # NaN becomes some integer, which then does not decode to NaN
        integers = np.rint(weights.astype(np.float64) * scale)
        stored: NDArray[Any] = np.clip(np.nan_to_num(integers), 0, scale).astype(dtype)
    wrong = np.argwhere((stored / np.float64(scale)).astype(np.float32) != weights)
    if len(wrong):
        vertex, slot = (int(index) for index in wrong[0])
        raise ArrayError(
            f"weights: vertex {vertex} has {float(weights[vertex, slot])!r}, which is no multiple of 1/{scale}, "
            f"and is to be stored as {weight_format}. Pack the weights first (skinproof.pack)"
        )
    return stored


def _padded(array: NDArray[Any]) -> NDArray[Any]:
    """Return array [V, n ≤ 4] with zeros to the right up to a whole set, [V, 4], contiguous."""
    missing = SLOTS_PER_SET - array.shape[1]
    return np.pad(array, ((0, 0), (0, missing))) if missing else np.ascontiguousarray(array)
