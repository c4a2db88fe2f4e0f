"""Morph targets: what a mesh looks like before it is skinned (glTF 2.0, section 3.7.2.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Primitive

Array = NDArray[np.float64]


def rest_positions(primitive: Primitive, weights: Sequence[float] | Array = (), /) -> Array:
    """Return the positions that are skinned: those of the primitive, and its morph targets by their weights.

    Args:
        primitive: V vertices.
        weights: one per morph target, any real numbers; targets beyond have weight zero, weights beyond no effect.

    Returns:
        float64 [V, 3], mesh space, metres; infinite or NaN where the sum overflows.
    """
    positions: Array = primitive.positions.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        for target, weight in zip(primitive.targets, weights, strict=False):
            if weight != 0:
                positions += weight * target.astype(np.float64)
    return positions
