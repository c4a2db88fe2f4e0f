"""The numbers of the format: component types, shapes of elements, the words of a GLB.

glTF 2.0, sections 3.6.2.2 (accessor data types), 3.6.2.4 (data alignment), 3.7.2.1 (meshes) and 4.4 (GLB layout).
"""

from __future__ import annotations

from typing import Any

import numpy as np

DTYPES: dict[int, np.dtype[Any]] = {
    5120: np.dtype("i1"),
    5121: np.dtype("u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
"""componentType → type of one component, as stored."""

COMPONENT_TYPES = {dtype: number for number, dtype in DTYPES.items()}
"""The other way round."""

SHAPES = {
    "SCALAR": (1, 1),
    "VEC2": (1, 2),
    "VEC3": (1, 3),
    "VEC4": (1, 4),
    "MAT2": (2, 2),
    "MAT3": (3, 3),
    "MAT4": (4, 4),
}
"""type → columns, rows of a column."""

VERTEX_DATA, INDEX_DATA = 34962, 34963
"""Targets of buffer views."""

TRIANGLES = 4
"""The mode of a primitive that gives none."""

GLB_MAGIC, GLB_VERSION = b"glTF", 2
GLB_HEADER, CHUNK_HEADER = 12, 8
"""Bytes before the first chunk, and before the data of each."""

JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942
"""Types of chunks."""


def aligned(length: int, /, *, to: int = 4) -> int:
    """Return `length` rounded up to a multiple of `to`."""
    return -(-length // to) * to


def element_size(kind: str, dtype: np.dtype[Any], /) -> int:
    """Return the bytes of one element of a type, such as "VEC3"; each column of a matrix starts at a multiple of 4."""
    columns, rows = SHAPES[kind]
    column = rows * dtype.itemsize
    return column if columns == 1 else columns * aligned(column)
