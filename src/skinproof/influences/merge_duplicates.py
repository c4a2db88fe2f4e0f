"""Merge influences of the same joint on one vertex (docs/weight-contract.md, "Before the cut").

A step of its own, before ranking: of joints 5, 5, 2, 3 with 0.3, 0.3, 0.4, 0.0 joint 5 is the largest, and ranked
separately it would lose to joint 2, or take two of the K places.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skinproof.influences._entries import Entries, offsets_from_counts, read_entries, sorted_within
from skinproof.influences._rows import try_sound
from skinproof.influences.validate import repeated_joints, require_valid


class Merged(NamedTuple):
    """Influences with every joint at most once per vertex.

    Attributes:
        joints: the input's type, [V, N]; [m] with `offsets`.
        weights: the input's type, the shape of `joints`.
        vertices: intp [k], the vertices on which influences were merged, ascending.
        offsets: int64 [V + 1] for the variable-length form, else None.
    """

    joints: NDArray[Any]
    weights: NDArray[Any]
    vertices: NDArray[np.intp]
    offsets: NDArray[np.int64] | None


def merge_duplicates(
    joints: NDArray[Any],
    weights: NDArray[Any],
    /,
    *,
    joint_count: int | None = None,
    offsets: NDArray[np.int64] | None = None,
) -> Merged:
    """Add up the weights of each joint that stands on one vertex more than once.

    The sum takes the first of the joint's places; the others become empty slots (joint 0, weight 0) in the
    fixed-width form and leave in the variable-length one. Vertices without duplicates come back bit for bit. The
    sum does not depend on the order of storage. Where it exceeds the largest number of the type, all weights of the
    vertex are scaled down by one power of two, so proportions hold; a weight that underflows by that leaves.

    Everything but duplicates is refused: adding would hide a negative weight inside a positive sum.

    Args:
        joints: integer [V, N], index into the skin's joints; [n] with `offsets`.
        weights: float32 or float64, the shape of `joints`; any sum.
        joint_count: joints of the skin; None leaves out the check against it.
        offsets: int64 [V + 1] for the variable-length form.

    Raises:
        InfluenceError: influences break another rule of the contract than that of duplicates; names every vertex.
        ArrayError: an array has the wrong dtype, shape or layout.
        OptionError: `joint_count` is no count.
    """
    if try_sound(joints, weights, offsets, joint_count):
        return Merged(joints.copy(), weights.copy(), np.empty(0, np.intp), None)
    entries = read_entries(joints, weights, offsets)
    require_valid(entries, joint_count=joint_count, ignore=frozenset({"duplicate_joint"}))
    affected = np.zeros(entries.vertex_count, dtype=np.bool_)
    affected[entries.vertices[repeated_joints(entries)]] = True
    old = entries.of_vertices(affected)
    first_places, sums = _sums_by_joint(old, weights.dtype)

    out_joints, out_weights = joints.copy(), weights.copy()
    kept = np.ones(out_weights.size, dtype=np.bool_)
    kept[old.places] = False
    kept[first_places] = True
    out_weights.reshape(-1)[first_places] = sums
    vertices = np.flatnonzero(affected)
    if offsets is None:
        out_joints.reshape(-1)[~kept] = 0
        out_weights.reshape(-1)[~kept] = 0
        return Merged(out_joints, out_weights, vertices, None)
    counts = np.bincount(entries.vertices[kept], minlength=entries.vertex_count)
    return Merged(out_joints[kept], out_weights[kept], vertices, offsets_from_counts(counts))


def _sums_by_joint(entries: Entries, dtype: np.dtype[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return for each joint of each vertex the first of its places, and the sum of its weights in `dtype`.

    A joint whose sum underflows because the vertex had to be scaled is left out.
    """
    order = sorted_within(entries.counts, -entries.weights, entries.joints)
    joints, vertices, weights = entries.joints[order], entries.vertices[order], entries.weights[order]
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = (joints[1:] != joints[:-1]) | (vertices[1:] != vertices[:-1])
    groups = np.cumsum(begins) - 1
    first_places = np.full(np.count_nonzero(begins), np.iinfo(np.intp).max, dtype=np.intp)
    np.minimum.at(first_places, groups, entries.places[order])
    with np.errstate(over="ignore"):
        sums = np.bincount(groups, weights=weights).astype(dtype)
        overflown = np.zeros(entries.vertex_count, dtype=np.bool_)
        overflown[vertices[begins][np.isinf(sums)]] = True
        if overflown.any():
            # n weights summed are below 2^e times the largest number of the type if n < 2^e.
            _, exponents = np.frexp(entries.counts.astype(np.float64))
            scaled = np.ldexp(weights, np.where(overflown, -exponents, 0)[vertices])
            scaled_sums = np.bincount(groups, weights=scaled).astype(dtype)
            stays = (scaled_sums > 0) | (sums == 0)
            return first_places[stays], scaled_sums[stays]
    return first_places, sums
