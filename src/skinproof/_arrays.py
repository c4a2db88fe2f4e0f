"""The door: contracts of arrays and counts. Checks type, dtype, order, shape, layout; never copies, never casts."""

from __future__ import annotations

import math
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
    if type(value) is not np.ndarray:  # a subclass computes by rules of its own: a matrix never has one axis, say
        raise ArrayError(f"{name}: expected a plain NumPy array, got {type(value).__name__}")
    if not any(value.dtype == dtype for dtype in dtypes) or not value.dtype.isnative:
        names = " or ".join(np.dtype(dtype).name for dtype in dtypes)
        raise ArrayError(f"{name}: expected dtype {names} in native byte order, got {value.dtype.str}")
    if value.ndim != len(shape) or any(
        isinstance(axis, int) and axis != length for axis, length in zip(shape, value.shape, strict=True)
    ):
        expected = "[" + ", ".join("*" if axis is None else str(axis) for axis in shape) + "]"
        raise ArrayError(f"{name}: expected shape {expected}, got {list(value.shape)}")
    if contiguous and not (value.flags.c_contiguous and value.flags.aligned):
        raise ArrayError(f"{name}: expected a C-contiguous, aligned array (numpy.ascontiguousarray makes one)")
    if writable and not value.flags.writeable:
        raise ArrayError(f"{name}: expected a writable array")
    return value


def require_count(value: object, name: str, *, least: int, most: int | None = None) -> int:
    """Return `value` as an int if it is an integer from `least` to `most`, else raise `OptionError` naming it."""
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, np.integer))
        or not least <= value
        or (most is not None and value > most)
    ):
        wanted = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise OptionError(f"{name}: expected an integer {wanted}, got {value!r}")
    return int(value)


def require_positive(value: object, name: str) -> float:
    """Return `value` as a float if it is a finite number above 0, else raise `OptionError` naming it."""
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # an integer beyond the largest double
            number = math.inf
        if math.isfinite(number) and number > 0:
            return number
    raise OptionError(f"{name}: expected a finite number above 0, got {value!r}")


def require_no_overlap(out: NDArray[Any], inputs: dict[str, NDArray[Any]], *, name: str = "out") -> None:
    """Raise `ArrayError` if `out` may share memory with one of `inputs`, naming it."""
    for input_name, array in inputs.items():
        if np.may_share_memory(out, array):
            raise ArrayError(f"{name}: shares memory with {input_name}")


def require_affine(matrices: NDArray[Any], name: str, *, axes: Sequence[str]) -> NDArray[Any]:
    """Return matrices [..., 4, 4] unchanged if every bottom row is 0 0 0 1, else raise naming the first other one.

    Args:
        matrices: a checked array.
        name: the argument's name, for the message.
        axes: what each axis before the last two counts, for the message.

    Raises:
        ArrayError: a bottom row is another: a projection, say, or a transposed matrix.
    """
    # All at once first: row by row, four numbers at a time, NumPy takes five times as long.
    rows = matrices.reshape(-1, 16)
    if rows[:, 12:15].any() or (rows[:, 15] != 1).any():
        broken = (matrices[..., 3, :] != (0, 0, 0, 1)).any(axis=-1)
        index = tuple(int(entry) for entry in np.argwhere(broken)[0])
        place = ", ".join(f"{axis} {entry}" for axis, entry in zip(axes, index, strict=True))
        raise ArrayError(
            f"{name}: {place} has the bottom row {matrices[index][3].tolist()}, "
            "expected 0 0 0 1 (matrices are M[row, column], for column vectors)"
        )
    return matrices


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return `array` itself if it is read-only and no view of another, else a read-only copy in C order.

    Model objects pass their arrays through this once, at construction: later writes to what was passed do not reach
    the model. Who makes a large array only to hand it over sets ``flags.writeable = False`` and saves the copy.

    It guards against accidents, not against intent: NumPy lets whoever holds an array that owns its data make it
    writable again. A model whose arrays are made writable is no longer what was checked.
    """
    if not array.flags.writeable and array.base is None:
        return array
    copy = np.array(array, order="C", copy=True)
    copy.flags.writeable = False
    return copy
