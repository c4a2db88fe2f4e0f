"""What hypothesis draws: influences of vertices, sound ones and broken ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import DTypeLike, NDArray

Vertex = list[tuple[int, float]]

JOINT_DTYPES = (np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int16, np.int32, np.int64)
MOST_JOINTS = 128  # what int8 can number


def positive_weights(width: int = 64) -> st.SearchStrategy[float]:
    """Weights > 0: few round ones, so that ties come up, ordinary ones, and the whole range down to denormals."""
    return st.one_of(
        st.integers(1, 8).map(lambda eighths: eighths / 8),
        st.floats(2.0**-10, 1, width=width),
        st.floats(0, exclude_min=True, allow_infinity=False, allow_nan=False, width=width),
    )


def vertices(
    max_influences: int = 12, weights: st.SearchStrategy[float] | None = None, width: int = 64
) -> st.SearchStrategy[Vertex]:
    """A sound vertex: different joints, weights > 0."""
    return st.lists(
        st.tuples(st.integers(0, MOST_JOINTS - 1), positive_weights(width) if weights is None else weights),
        min_size=1,
        max_size=max_influences,
        unique_by=lambda influence: influence[0],
    )


def any_vertices(max_influences: int = 8) -> st.SearchStrategy[Vertex]:
    """Anything a file may hold: joints twice, out of range or negative; weights NaN, infinite, negative, zero."""
    weight = st.one_of(positive_weights(), st.sampled_from([0.0, -0.0, -0.5, -1e-310, np.nan, np.inf, -np.inf]))
    return st.lists(st.tuples(st.integers(-2, 6), weight), max_size=max_influences)


def fixed_width(
    mesh: list[Vertex],
    width: int | None = None,
    joint_dtype: DTypeLike = np.uint16,
    weight_dtype: DTypeLike = np.float64,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read-only joints and weights [V, N]; slots beyond a vertex's influences are empty."""
    slots = max((len(vertex) for vertex in mesh), default=0) if width is None else width
    joints = np.zeros((len(mesh), slots), dtype=joint_dtype)
    weights = np.zeros((len(mesh), slots), dtype=weight_dtype)
    for row, vertex in enumerate(mesh):
        for slot, (joint, weight) in enumerate(vertex):
            joints[row, slot], weights[row, slot] = joint, weight
    return read_only(joints), read_only(weights)


def variable_length(
    mesh: list[Vertex], joint_dtype: DTypeLike = np.uint16, weight_dtype: DTypeLike = np.float64
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Read-only joints [n], weights [n] and offsets [V + 1]."""
    flat = [influence for vertex in mesh for influence in vertex]
    joints = np.array([joint for joint, _ in flat], dtype=joint_dtype)
    weights = np.array([weight for _, weight in flat], dtype=weight_dtype)
    offsets = np.cumsum([0, *(len(vertex) for vertex in mesh)]).astype(np.int64)
    return read_only(joints), read_only(weights), read_only(offsets)


def as_vertex(joints: NDArray[Any], weights: NDArray[Any]) -> Vertex:
    """One row of the fixed-width form without its empty slots."""
    return [(int(joint), float(weight)) for joint, weight in zip(joints, weights, strict=True) if weight != 0]


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, so that writing into an input fails."""
    array.flags.writeable = False
    return array
