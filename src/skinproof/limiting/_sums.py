"""Sums in one order on every machine: NumPy's `einsum` and products of matrices round by the processor they run on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def weighted_sum(weights: Array, rows: Array, /) -> Array:
    """Return Σᵢ w[v, i] · rows[v, i, :], float64 [V, C], of weights float64 [V, n] and rows float64 [V, n, C]."""
    total = np.zeros((len(rows), rows.shape[2]))
    for slot in range(rows.shape[1]):
        total += weights[:, slot, np.newaxis] * rows[:, slot]
    return total
