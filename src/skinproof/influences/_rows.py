"""The compiled way through the weight operations, for influences as a skin of a file has them.

Decision: the operations are written out once in NumPy, for every form of influences there is (`_entries`). That is what
they mean, and what the kernels in cpp/repeatable are held against, bit for bit. The kernels take what real meshes are:
the fixed-width form, joints uint16, at most 16 slots, weights that keep the contract and lie within a factor 2^±500
of one. There they are some hundred times as fast. They do not say what is wrong: whatever they cannot vouch for goes
the NumPy way, which does. Both written out in full in C++ would be the same code twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_count
from skinproof._native import INSTRUCTION_SET, _core
from skinproof.influences._entries import WEIGHT_DTYPES

MOST_SLOTS = 16
"""As wide as the kernels go."""

_EVERY_JOINT = 1 << 16


def try_sound(
    joints: Any, weights: Any, offsets: object, joint_count: int | None, instruction_set: str = INSTRUCTION_SET
) -> bool:
    """Return True if the influences keep the weight contract; False says nothing."""
    if not _are_rows(joints, weights, offsets):
        return False
    return bool(_core.is_sound(joints, weights, _limit(joint_count), instruction_set))


def try_keep_largest(
    joints: Any,
    weights: Any,
    width: int,
    offsets: object,
    joint_count: int | None,
    instruction_set: str = INSTRUCTION_SET,
) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return what `keep_largest` does, or None if that must be found the NumPy way."""
    if not _are_rows(joints, weights, offsets):
        return None
    out_joints = np.empty((len(joints), width), np.uint16)
    out_weights = np.empty((len(joints), width), weights.dtype)
    done = _core.keep_largest(joints, weights, _limit(joint_count), instruction_set, out_joints, out_weights)
    return (out_joints, out_weights) if done else None


def try_pack(
    joints: Any,
    weights: Any,
    stored: np.dtype[Any],
    offsets: object,
    joint_count: int | None,
    instruction_set: str = INSTRUCTION_SET,
) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return joints and weights as `pack` stores them in the type `stored`, or None as above."""
    if not _are_rows(joints, weights, offsets):
        return None
    out_joints, out_stored = np.empty_like(joints), np.empty(joints.shape, stored)
    done = _core.pack(joints, weights, _limit(joint_count), instruction_set, out_joints, out_stored)
    return (out_joints, out_stored) if done else None


def _are_rows(joints: Any, weights: Any, offsets: object) -> bool:
    return bool(
        offsets is None
        and type(joints) is np.ndarray
        and type(weights) is np.ndarray
        and joints.dtype == np.uint16
        and joints.dtype.isnative
        and weights.dtype in WEIGHT_DTYPES
        and weights.dtype.isnative
        and joints.ndim == 2
        and joints.shape == weights.shape
        and 0 < joints.shape[1] <= MOST_SLOTS
        and all(array.flags.c_contiguous and array.flags.aligned for array in (joints, weights))
    )


def _limit(joint_count: int | None) -> int:
    return (
        _EVERY_JOINT if joint_count is None else min(require_count(joint_count, "joint_count", least=0), _EVERY_JOINT)
    )
