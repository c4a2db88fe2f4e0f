"""Weld classes: vertices that are split for texture or normals only, which must be given the same influences.

The rule is this project's own: equal bytes in, equal bytes out (docs/limiting.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def weld_classes(
    positions: NDArray[np.float32], joints: NDArray[np.uint16], weights: NDArray[np.float64], /
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return one vertex of each class of equal position and influences, and the class of every vertex.

    Vertices at one place with different influences (closed lips, eyelids) stay apart.

    Args:
        positions: float32 [V, 3], bind positions.
        joints: uint16 [V, n], in the contract's order.
        weights: float64 [V, n].

    Returns:
        intp [C], the lowest vertex of each class, and intp [V], index of the class of each vertex.
    """
    if not len(positions):
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    place = positions + np.float32(0)  # −0.0 is the same place as 0.0
    rows = np.concatenate([part.view(np.uint8).reshape(len(place), -1) for part in (place, joints, weights)], axis=1)
    keys = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).reshape(-1)
    _, first, classes = np.unique(keys, return_index=True, return_inverse=True)
    return first.astype(np.intp), classes.reshape(-1).astype(np.intp)
