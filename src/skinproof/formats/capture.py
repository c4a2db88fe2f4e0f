"""Captures as .npz: a zip archive of plain .npy arrays, little-endian, never pickled (NumPy Enhancement Proposal 1)."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from skinproof.errors import ArrayError, FormatError
from skinproof.model import Capture
from skinproof.tolerances import MAX_CAPTURE_BYTES

_TYPES = {"palettes": "<f4", "times": "<f8", "clips": "<i4", "revisions": "<i8"}
_REMEDY = "docs/audit.md says what a capture holds"
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, LookupError, RuntimeError)
"""What `zipfile` raises over broken archives: of their own kind, and what their false offsets and sizes lead to."""
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_capture(path: Path, /) -> Capture:
    """Return the capture in a file.

    Nothing of the file is trusted: no pickles, no array larger than its bytes, no more than `MAX_CAPTURE_BYTES` in all.

    Args:
        path: a .npz file.

    Raises:
        FormatError: it is no capture; the message names the array and the remedy.
        OSError: it cannot be read.
    """
    if path.exists() and not path.is_file():
        raise FormatError("no regular file", path=str(path), remedy=_REMEDY)
    with path.open("rb") as stream:
        arrays = _opened(stream, str(path))
    if "palettes" not in arrays:
        raise FormatError("has no array 'palettes'", path=str(path), remedy=_REMEDY)
    if arrays["palettes"].size == 0:
        raise FormatError("palettes: holds no draw or no joint", path=str(path), remedy=_REMEDY)
    names = arrays.pop("joint_names", None)
    if names is not None and names.ndim != 1:
        raise FormatError("joint_names: expected one dimension", path=str(path), remedy=_REMEDY)
    try:
        return Capture(**arrays, joint_names=None if names is None else tuple(names.tolist()))
    except ArrayError as error:
        raise FormatError(str(error), path=str(path), remedy=_REMEDY) from error


def capture_bytes(capture: Capture, /) -> bytes:
    """Return the .npz file of a capture."""
    stream = io.BytesIO()
    arrays: dict[str, Any] = {name: value for name in _TYPES if (value := getattr(capture, name)) is not None}
    if capture.joint_names is not None:
        arrays["joint_names"] = np.array(capture.joint_names, np.str_)
    np.savez(stream, **arrays)
    return stream.getvalue()


def _opened(stream: IO[bytes], path: str) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(stream) as archive:
            return _arrays(archive, path)
    except _BROKEN as error:
        raise FormatError(f"no sound .npz archive ({error})", path=path, remedy=_REMEDY) from error


def _arrays(archive: zipfile.ZipFile, path: str) -> dict[str, Any]:
    entries = {entry.filename: entry for entry in archive.infolist()}
    if len(entries) != len(archive.infolist()):
        raise FormatError("holds one array twice", path=path, remedy=_REMEDY)
    if sum(entry.file_size for entry in entries.values()) > MAX_CAPTURE_BYTES:
        raise FormatError(
            f"holds more than {MAX_CAPTURE_BYTES >> 30} GiB", path=path, remedy="Split it into several captures"
        )
    arrays = {}
    for filename, entry in entries.items():
        name = filename.removesuffix(".npy")
        if name.startswith("truth_"):
            continue
        if name not in _TYPES and name != "joint_names":
            raise FormatError(f"holds an array {name!r} that captures do not have", path=path, remedy=_REMEDY)
        with archive.open(entry) as stream:
            arrays[name] = _array(stream, name, entry.file_size, path)
    return arrays


def _array(stream: IO[bytes], name: str, size: int, path: str) -> NDArray[Any]:
    try:
        reader = _HEADERS.get(np.lib.format.read_magic(stream))
        if reader is None:
            raise ValueError("an .npy version other than 1.0 and 2.0")  # noqa: TRY301
        shape, by_columns, dtype = reader(stream)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise FormatError(f"{name}: no readable .npy header ({error})", path=path, remedy=_REMEDY) from error
    expected = _TYPES.get(name)
    right = dtype.kind == "U" if expected is None else dtype == np.dtype(expected) and dtype.byteorder in "<=|"
    if not right or dtype.byteorder == ">":
        wanted = "text (<U…)" if expected is None else expected
        raise FormatError(f"{name}: expected {wanted}, got {dtype.str}", path=path, remedy=_REMEDY)
    if by_columns and len(shape) > 1:
        raise FormatError(f"{name}: expected C order (row-major), got Fortran order", path=path, remedy=_REMEDY)
    needed = math.prod(shape) * dtype.itemsize
    if any(length < 0 for length in shape) or needed > size:
        raise FormatError(f"{name}: its header promises more than its {size} bytes", path=path, remedy=_REMEDY)
    content = stream.read(needed + 1)
    if len(content) != needed:
        raise FormatError(f"{name}: {len(content)} bytes where shape {shape} needs {needed}", path=path, remedy=_REMEDY)
    if dtype.itemsize == 0:
        return np.zeros(shape, dtype)
    try:
        array = np.frombuffer(content, dtype).reshape(shape)
        return array if expected is None else array.astype(np.dtype(expected).newbyteorder("="), copy=False)
    except ValueError as error:
        raise FormatError(f"{name}: {error}", path=path, remedy=_REMEDY) from error
