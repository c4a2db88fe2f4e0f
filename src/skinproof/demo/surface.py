"""Quads around the zero set of a field: naive surface nets (S. F. Gibson, "Constrained Elastic Surface Nets", 1998).

One vertex for every grid cell that the surface crosses, one quad for every grid edge that it crosses: regular quads
whose vertices are then relaxed within the surface.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Field = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""float64 [n, 3] points → float64 [n] signed distances (negative inside), metres."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A closed surface of V vertices and Q quads.

    Attributes:
        positions: float64 [V, 3], metres.
        normals: float64 [V, 3], unit, outward.
        quads: int64 [Q, 4], counter-clockwise seen from outside.
    """

    positions: NDArray[np.float64]
    normals: NDArray[np.float64]
    quads: NDArray[np.int64]


def make_surface(
    field: Field,
    /,
    *,
    low: tuple[float, float, float],
    cells: tuple[int, int, int],
    step: float,
    relaxations: int = 5,
) -> Surface:
    """Return the zero set of `field` as a closed surface.

    The grid must enclose the surface. Where a part or a gap is thinner than two cells, two sheets may share an edge.

    Args:
        field: the signed distance, or something near it.
        low: the grid's lowest corner, metres.
        cells: how many cells along each axis.
        step: size of a cell, metres.
        relaxations: how often vertices move to the middle of their neighbours and back onto the surface.
    """
    axes = [low[axis] + step * np.arange(cells[axis] + 1) for axis in range(3)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    inside = field(grid.reshape(-1, 3)).reshape(grid.shape[:3]) < 0.0
    crossed = _crossed_cells(inside)
    vertex_of_cell = np.full(crossed.shape, -1, dtype=np.int64)
    vertex_of_cell[crossed] = np.arange(np.count_nonzero(crossed))
    quads = np.concatenate([_quads_along(axis, inside, vertex_of_cell) for axis in range(3)])
    positions = np.argwhere(crossed) * step + np.array(low) + step / 2.0
    neighbours = neighbours_of(quads, len(positions))
    for _ in range(relaxations):
        positions = _onto_surface(field, positions[neighbours].mean(axis=1), step)
    gradient = _gradient(field, positions, step)
    return Surface(positions, gradient / np.linalg.norm(gradient, axis=1, keepdims=True), quads)


def neighbours_of(quads: NDArray[np.int64], vertex_count: int) -> NDArray[np.int64]:
    """Return int64 [V, n]: each vertex's neighbours along quad edges, rows filled up by the vertex itself."""
    ends = np.concatenate([quads[:, [i, (i + 1) % 4]] for i in range(4)])
    pairs = np.unique(np.concatenate([ends, ends[:, ::-1]]), axis=0)
    counts = np.bincount(pairs[:, 0], minlength=vertex_count)
    column = np.arange(len(pairs)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.repeat(np.arange(vertex_count)[:, None], counts.max(), axis=1)
    table[pairs[:, 0], column] = pairs[:, 1]
    return table


def _crossed_cells(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells with corners on both sides."""
    corners = [inside[i or None : i - 1 or None] for i in (0, 1)]
    corners = [corner[:, i or None : i - 1 or None] for corner in corners for i in (0, 1)]
    corners = [corner[:, :, i or None : i - 1 or None] for corner in corners for i in (0, 1)]
    crossed: NDArray[np.bool_] = np.any(corners, axis=0) & ~np.all(corners, axis=0)
    return crossed


def _quads_along(axis: int, inside: NDArray[np.bool_], vertex_of_cell: NDArray[np.int64]) -> NDArray[np.int64]:
    """The quads around the grid edges that run along `axis`."""
    inside = np.moveaxis(inside, axis, 0)
    vertices = np.moveaxis(vertex_of_cell, axis, 0)
    start, end = inside[:-1, 1:-1, 1:-1], inside[1:, 1:-1, 1:-1]
    around = np.stack([vertices[:, :-1, :-1], vertices[:, 1:, :-1], vertices[:, 1:, 1:], vertices[:, :-1, 1:]], axis=-1)
    # Taking an axis to the front swaps the handedness of the other two for the middle axis only.
    leaving, entering = start & ~end, end & ~start
    if axis == 1:
        leaving, entering = entering, leaving
    return np.concatenate([around[leaving], around[entering][:, ::-1]])


def _gradient(field: Field, points: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Central differences, float64 [n, 3]: a symmetric field gives symmetric gradients."""
    reach = 0.01 * step
    offsets = reach * np.eye(3)
    return np.stack([(field(points + offset) - field(points - offset)) / (2.0 * reach) for offset in offsets], axis=1)


def _onto_surface(field: Field, points: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """One Newton step towards the zero set, at most half a cell."""
    gradient = _gradient(field, points, step)
    length = np.linalg.norm(gradient, axis=1, keepdims=True)
    distance = np.clip(field(points)[:, None] / length, -step / 2.0, step / 2.0)
    moved: NDArray[np.float64] = points - distance * gradient / length
    return moved
