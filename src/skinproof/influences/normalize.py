"""Normalize weights so that those of each vertex sum to one (docs/weight-contract.md, "Cutting to K")."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof.influences._entries import Entries, read_entries, sums_by_vertex
from skinproof.influences.validate import require_valid


def normalize(
    joints: NDArray[Any],
    weights: NDArray[Any],
    /,
    *,
    joint_count: int | None = None,
    offsets: NDArray[np.int64] | None = None,
) -> NDArray[Any]:
    """Return the weights divided by their sum, per vertex; every influence stays in its place.

    Proportions hold from denormal weights to the largest ones of the type. The sum is one up to the rounding of the
    weights' type: `pack` makes it exact. Joints are needed for the check only. A weight too small beside the others
    for the type underflows to zero.

    Args:
        joints: integer [V, N]; [n] with `offsets`.
        weights: float32 or float64, the shape of `joints`.
        joint_count: joints of the skin; None leaves out the check against it.
        offsets: int64 [V + 1] for the variable-length form.

    Returns:
        Weights of the shape and type of `weights`; empty slots hold +0.0.

    Raises:
        InfluenceError: influences break the contract; names every vertex.
        ArrayError: an array has the wrong dtype, shape or layout.
        OptionError: `joint_count` is no count.
    """
    entries = read_entries(joints, weights, offsets)
    require_valid(entries, joint_count=joint_count)
    ranked = entries.by_rank()
    normalized = np.zeros_like(weights)
    normalized.reshape(-1)[ranked.places] = shares(ranked)
    return normalized


def shares(ranked: Entries) -> NDArray[np.float64]:
    """Return each valid influence's share of its vertex, float64 [n].

    The influences come by rank, so the first of a vertex is the largest and the sum has one order whatever the order
    of storage was. First all are scaled by the power of two that brings the largest near 2^512: there the sum of
    several of the largest doubles does not overflow, and no influence whose share is not zero becomes denormal. That
    scaling is exact, so weights whose sum is already exactly one keep their bits (dividing by the largest weight
    would round once more). Nothing is multiplied by a reciprocal: that of a denormal number is infinite.
    """
    exponents = np.zeros(ranked.vertex_count, dtype=np.intc)
    filled = ranked.counts > 0
    _, exponents[filled] = np.frexp(ranked.weights[ranked.starts[filled]])
    scaled = np.ldexp(ranked.weights, 512 - exponents[ranked.vertices])
    share: NDArray[np.float64] = scaled / sums_by_vertex(ranked, scaled)[ranked.vertices]
    return np.abs(share)  # −0.0, which the variable-length form may hold, becomes 0.0
