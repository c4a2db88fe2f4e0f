"""Influences as a flat list of entries: the one form in which every weight operation computes.

Both array forms come down to it: the fixed-width one by leaving its empty slots out, the variable-length one as it
is. Padding to a matrix instead would let one vertex with a thousand influences cost a thousand slots everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array
from skinproof.errors import ArrayError

JOINT_DTYPES = [np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int16, np.int32, np.int64]
WEIGHT_DTYPES = [np.float32, np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """The n influences of V vertices, vertex by vertex.

    Attributes:
        counts: intp [V], influences of each vertex.
        listed: intp [V], the same with the empty slots of the fixed-width form counted in.
        vertices: intp [n], the vertex of each influence, ascending.
        joints: integer [n], as given.
        weights: float64 [n], as given.
        places: intp [n], where each stands in the flattened input.
    """

    counts: NDArray[np.intp]
    listed: NDArray[np.intp]
    vertices: NDArray[np.intp]
    joints: NDArray[Any]
    weights: NDArray[np.float64]
    places: NDArray[np.intp]

    @property
    def vertex_count(self) -> int:
        """V."""
        return len(self.counts)

    @property
    def starts(self) -> NDArray[np.intp]:
        """Index of the first influence of each vertex, intp [V]."""
        return np.cumsum(self.counts) - self.counts

    def by_rank(self) -> Entries:
        """Return the same influences in the contract's order: weight descending, equal weights by joint ascending."""
        order = sorted_within(self.counts, self.joints, -self.weights)
        return Entries(
            self.counts, self.listed, self.vertices, self.joints[order], self.weights[order], self.places[order]
        )

    def of_vertices(self, chosen: NDArray[np.bool_]) -> Entries:
        """Return the influences of the vertices where `chosen`, bool [V], is true; the others have none."""
        mask = chosen[self.vertices]
        counts = np.where(chosen, self.counts, 0)
        return Entries(
            counts, self.listed, self.vertices[mask], self.joints[mask], self.weights[mask], self.places[mask]
        )

    def positions(self) -> NDArray[np.intp]:
        """Return the place of each influence among those of its vertex, from 0, intp [n]."""
        return np.arange(len(self.vertices)) - self.starts[self.vertices]


def read_entries(joints: object, weights: object, offsets: object | None) -> Entries:
    """Check the arrays at the door and list their influences.

    Args:
        joints: integer [V, N], or [n] with `offsets`.
        weights: float32 or float64, the shape of `joints`.
        offsets: int64 [V + 1], where the influences of each vertex begin and end, or None for the fixed-width form.

    Raises:
        ArrayError: an array breaks its contract; the message names it.
    """
    shape: tuple[str, ...] = ("V", "N") if offsets is None else ("n",)
    joint_array = require_array(joints, "joints", dtypes=JOINT_DTYPES, shape=shape)
    weight_array = require_array(weights, "weights", dtypes=WEIGHT_DTYPES, shape=joint_array.shape)
    if offsets is None:
        vertices, slots = np.nonzero(weight_array)
        vertex_count, width = joint_array.shape
        listed = np.full(vertex_count, width, dtype=np.intp)
        counts = np.bincount(vertices, minlength=vertex_count)
        places = vertices * width + slots
    else:
        listed = counts = np.diff(_require_offsets(offsets, len(joint_array))).astype(np.intp)
        vertices = np.repeat(np.arange(len(counts)), counts)
        places = np.arange(len(joint_array))
    return Entries(
        counts,
        listed,
        vertices,
        joint_array.reshape(-1)[places],
        weight_array.reshape(-1)[places].astype(np.float64),
        places,
    )


def sorted_within(counts: NDArray[np.intp], *keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return the permutation that sorts influences inside each vertex, the last key first; stable.

    Vertices with equally many influences are sorted together as the rows of a matrix: several times faster than one
    `numpy.lexsort` over all of them with the vertex as its last key (bench/packing.py prints both times).

    Args:
        counts: intp [V], influences of each vertex.
        keys: arrays [n], vertex by vertex.
    """
    starts = np.cumsum(counts) - counts
    order = np.empty(int(counts.sum()), dtype=np.intp)
    for count in np.unique(counts):
        rows = starts[counts == count, np.newaxis] + np.arange(count)
        order[rows] = np.take_along_axis(rows, np.lexsort([key[rows] for key in keys], axis=-1), axis=1)
    return order


def sums_by_vertex(entries: Entries, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return float64 [V]: `values` [n] added up per vertex, one after the other in the order given."""
    return np.bincount(entries.vertices, weights=values, minlength=entries.vertex_count).astype(np.float64, copy=False)


def offsets_from_counts(counts: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return int64 [V + 1], the offsets of the variable-length form, from the influences of each vertex."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _require_offsets(offsets: object, length: int) -> NDArray[np.int64]:
    array: NDArray[np.int64] = require_array(offsets, "offsets", dtypes=[np.int64], shape=("V + 1",))
    if len(array) == 0 or array[0] != 0 or array[-1] != length or np.any(array[1:] < array[:-1]):
        raise ArrayError(f"offsets: expected to rise from 0 to the number of influences, {length}, never falling")
    return array
