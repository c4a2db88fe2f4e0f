"""The door: contracts of arrays and counts. Checks type, dtype, order, shape, layout; never copies, never casts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skinproof.errors import ArrayError, OptionError

Shape = Sequence[int | str | None]


def require_array(
    value: object,
    name: str,
    *,
    dtypes: Sequence[DTypeLike],
    shape: Shape,
    writable: bool = False,
    contiguous: bool = True,
) -> NDArray[Any]:
    """Return `value` unchanged if it fits the contract, else raise naming the argument.

    Args:
        value: what the caller passed.
        name: the argument's name, for the message.
        dtypes: the dtypes allowed, native byte order.
        shape: one entry per axis: an int (exact), a name (any length, shown in the message) or None (any).
        writable: whether the array must be writable (an `out`).
        contiguous: whether it must be C-contiguous and aligned.

    Raises:
        ArrayError: the value breaks the contract.
    """
    if not isinstance(value, np.ndarray):
        raise ArrayError(f"{name}: expected a NumPy array, got {type(value).__name__}")
    allowed = [np.dtype(dtype) for dtype in dtypes]
    if value.dtype not in allowed or not value.dtype.isnative:
        names = " or ".join(dtype.name for dtype in allowed)
        raise ArrayError(f"{name}: expected dtype {names} in native byte order, got {value.dtype.str}")
    expected = "[" + ", ".join("*" if axis is None else str(axis) for axis in shape) + "]"
    if value.ndim != len(shape) or any(
        isinstance(axis, int) and axis != length for axis, length in zip(shape, value.shape, strict=True)
    ):
        raise ArrayError(f"{name}: expected shape {expected}, got {list(value.shape)}")
    if contiguous and not (value.flags.c_contiguous and value.flags.aligned):
        raise ArrayError(f"{name}: expected a C-contiguous, aligned array (numpy.ascontiguousarray makes one)")
    if writable and not value.flags.writeable:
        raise ArrayError(f"{name}: expected a writable array")
    return value


def require_count(value: object, name: str, *, least: int) -> int:
    """Return `value` as an int if it is an integer of at least `least`, else raise `OptionError` naming it."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise OptionError(f"{name}: expected an integer of at least {least}, got {value!r}")
    return int(value)


def require_no_overlap(out: NDArray[Any], inputs: dict[str, NDArray[Any]], *, name: str = "out") -> None:
    """Raise `ArrayError` if `out` may share memory with one of `inputs`, naming it."""
    for input_name, array in inputs.items():
        if np.may_share_memory(out, array):
            raise ArrayError(f"{name}: shares memory with {input_name}")


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of `array` if it owns its data and nobody else can write it, else a read-only copy.

    Model objects pass their arrays through this once, at construction, so a model never changes under a reader.
    """
    if not array.flags.writeable and array.base is None:
        return array
    copy = np.array(array, order="C", copy=True)
    copy.flags.writeable = False
    return copy
