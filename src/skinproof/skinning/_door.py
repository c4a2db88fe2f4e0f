"""The array contracts that every skinning kernel shares."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skinproof._arrays import require_affine, require_array, require_count, require_no_overlap
from skinproof._native import INSTRUCTION_SETS, _core
from skinproof.errors import ArrayError, OptionError


def require_threads(threads: int | None) -> int:
    """Return how many threads may work: `threads`, or as many as this process has processors if that is None.

    Raises:
        OptionError: `threads` is no count, or below 1.
    """
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return require_count(threads, "threads", least=1)


def require_instruction_set(name: str) -> None:
    """Refuse an instruction set whose kernels do not run here.

    Raises:
        OptionError: `name` is none of those that run here; the message has them.
    """
    if name not in INSTRUCTION_SETS:
        raise OptionError(f"instruction_set: expected one of {', '.join(INSTRUCTION_SETS)}, got {name!r}")


def require_influences(
    joints: object, weights: object, *, dtypes: Sequence[DTypeLike], vertices: int | str = "V"
) -> tuple[NDArray[np.uint16], NDArray[Any]]:
    """Return joints uint16 [V, N] and weights [V, N] unchanged if they fit together.

    Raises:
        ArrayError: type, dtype, shape or layout is wrong.
    """
    checked_joints = require_array(joints, "joints", dtypes=[np.uint16], shape=(vertices, "N"))
    return checked_joints, require_array(weights, "weights", dtypes=dtypes, shape=checked_joints.shape)


def require_joints_below(joints: NDArray[np.uint16], weights: NDArray[Any], joint_count: int) -> None:
    """Refuse a joint that the palettes do not have; the joint of an empty slot is never looked up.

    Raises:
        ArrayError: a non-empty slot names a joint ≥ `joint_count`; the message says which.
    """
    outside = (joints >= joint_count) & (weights != 0)
    if outside.any():
        vertex, slot = (int(index) for index in np.argwhere(outside)[0])
        raise _no_such_joint(vertex, slot, int(joints[vertex, slot]), joint_count)


def _no_such_joint(vertex: int, slot: int, joint: int, joint_count: int) -> ArrayError:
    return ArrayError(
        f"joints: vertex {vertex}, slot {slot} names joint {joint}, but the palettes have {joint_count} joints"
    )


class PlannedJoints:
    """What the joints of a plan ask of palettes, kept apart from arrays that their owner may change after planning."""

    def __init__(self, joints: NDArray[np.uint16], weights: NDArray[Any], /) -> None:
        """Take influences that fit together: joints uint16 [V, N], weights [V, N]."""
        used = np.where(weights != 0, joints.astype(np.int32), -1)
        self._highest = int(used.max(initial=-1))
        first = int(used.argmax()) if used.size else 0
        self._vertex, self._slot = divmod(first, max(1, joints.shape[1]))

    def require_in(self, palettes: NDArray[Any], /) -> None:
        """Refuse palettes [P, J, 4, 4] that lack a joint of the plan; the joint of an empty slot is never looked up.

        Raises:
            ArrayError: the highest joint of a non-empty slot is ≥ J; the message says which, and where it stands first.
        """
        if self._highest >= palettes.shape[1]:
            raise _no_such_joint(self._vertex, self._slot, self._highest, palettes.shape[1])


def require_palettes(palettes: object, *, dtypes: Sequence[DTypeLike]) -> NDArray[Any]:
    """Return palettes [P, J, 4, 4] unchanged if they fit; [J, 4, 4] comes back as a view with P = 1.

    Raises:
        ArrayError: type, dtype, shape or layout is wrong, or a bottom row is not 0 0 0 1 (a transposed matrix, say).
    """
    shape: Sequence[int | str] = ("P", "J", 4, 4)
    if isinstance(palettes, np.ndarray) and palettes.ndim == 3:
        shape = ("J", 4, 4)
    checked = require_array(palettes, "palettes", dtypes=dtypes, shape=shape)
    checked = checked if checked.ndim == 4 else checked[np.newaxis]
    if _core.are_affine(checked.reshape(-1, 4, 4)):  # a sixth of the time that NumPy takes for the palettes of a frame
        return checked
    return require_affine(checked, "palettes", axes=("pose", "joint"))


def skinned(
    kernel: Callable[..., None],
    name: str,
    vectors: NDArray[Any],
    joints: NDArray[Any],
    weights: NDArray[Any],
    palettes: NDArray[Any],
    out: NDArray[Any] | None,
) -> NDArray[Any]:
    """Check everything, run a kernel that skins `vectors` [V, 3] in every pose, and return its output.

    Raises:
        ArrayError: an array breaks the contract; `name` is the first argument's.
    """
    checked = require_array(vectors, name, dtypes=[np.float32, np.float64], shape=("V", 3))
    real = [checked.dtype]
    checked_joints, checked_weights = require_influences(joints, weights, dtypes=real, vertices=len(checked))
    blocks = require_palettes(palettes, dtypes=real)
    require_joints_below(checked_joints, checked_weights, blocks.shape[1])
    shape = (len(checked), 3) if palettes.ndim == 3 else (len(blocks), len(checked), 3)
    if out is None:
        out = np.empty(shape, checked.dtype)
    else:
        require_array(out, "out", dtypes=real, shape=shape, writable=True)
        require_no_overlap(
            out, {name: checked, "joints": checked_joints, "weights": checked_weights, "palettes": blocks}
        )
    kernel(checked, checked_joints, checked_weights, blocks, out.reshape(len(blocks), len(checked), 3))
    return out
