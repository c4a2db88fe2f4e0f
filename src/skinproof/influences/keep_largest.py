"""Keep the K largest influences of each vertex (docs/weight-contract.md, "Cutting to K")."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_count
from skinproof.influences._entries import Entries, read_entries
from skinproof.influences._rows import try_keep_largest
from skinproof.influences.normalize import shares
from skinproof.influences.validate import require_valid
from skinproof.tolerances import MAX_INFLUENCES


def keep_largest(
    joints: NDArray[Any],
    weights: NDArray[Any],
    max_influences: int,
    /,
    *,
    joint_count: int | None = None,
    offsets: NDArray[np.int64] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the K largest influences of each vertex, normalized, in an order that storage has no say in.

    Ties at the cut go to the lower joint. The output is by weight descending, equal weights by joint ascending;
    permuting the input, or padding it with empty slots, gives the same bits, and so does scaling all weights of a
    vertex by a power of two. A vertex with K influences or fewer keeps them all and is normalized like every other.

    Args:
        joints: integer [V, N], index into the skin's joints; [n] with `offsets`.
        weights: float32 or float64, the shape of `joints`; any sum.
        max_influences: K, from 1 to `tolerances.MAX_INFLUENCES` (65,536).
        joint_count: joints of the skin; None leaves out the check against it.
        offsets: int64 [V + 1] for the variable-length form.

    Returns:
        joints [V, K] of the type of `joints` and weights [V, K] of the type of `weights`, also where no vertex has
        K influences, and for the variable-length form too. Slots beyond a vertex's influences hold joint 0, weight 0.

    Raises:
        InfluenceError: influences, dropped ones included, break the contract; names every vertex.
        OptionError: `max_influences` is no count in that range, or `joint_count` is no count.
        ArrayError: an array has the wrong dtype, shape or layout.
    """
    width = require_count(max_influences, "max_influences", least=1, most=MAX_INFLUENCES)
    done = try_keep_largest(joints, weights, width, offsets, joint_count)
    return done or written_out(joints, weights, width, joint_count=joint_count, offsets=offsets)


def written_out(
    joints: NDArray[Any],
    weights: NDArray[Any],
    width: int,
    /,
    *,
    joint_count: int | None,
    offsets: NDArray[np.int64] | None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Do what `keep_largest` does, in NumPy, for every form of influences."""
    entries = read_entries(joints, weights, offsets)
    require_valid(entries, joint_count=joint_count)
    kept = _first(entries.by_rank(), width)
    # Rounding the quotients can make two weights equal that were not, with the joints the wrong way round.
    result = replace(kept, weights=shares(kept).astype(weights.dtype)).by_rank()
    out_joints = np.zeros((entries.vertex_count, width), dtype=joints.dtype)
    out_weights = np.zeros((entries.vertex_count, width), dtype=weights.dtype)
    slots = result.vertices, result.positions()
    out_joints[slots] = np.where(result.weights > 0, result.joints, result.joints.dtype.type(0))
    out_weights[slots] = result.weights
    return out_joints, out_weights


def _first(ranked: Entries, count: int) -> Entries:
    """Return the first `count` influences of each vertex."""
    chosen = ranked.positions() < count
    return Entries(
        counts=np.minimum(ranked.counts, count),
        listed=ranked.listed,
        vertices=ranked.vertices[chosen],
        joints=ranked.joints[chosen],
        weights=ranked.weights[chosen],
        places=ranked.places[chosen],
    )
