"""Products and inverses of affine matrices (glTF 2.0, section 3.5.3), the same bits on every machine.

NumPy leaves both to a library that rounds by the processor it runs on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof._native import _core

Array = NDArray[np.float64]


def products(left: Array, places: NDArray[np.int32], right: Array, /) -> Array:
    """Return left[..., places[j], :, :] · right[j], float64 [..., J, 4, 4]; infinite or NaN where one overflows.

    Args:
        left: float64 [P, N, 4, 4] or [N, 4, 4], affine.
        places: int32 [J], below N.
        right: float64 [J, 4, 4], affine.
    """
    many = np.ascontiguousarray(left).reshape(-1, *left.shape[-3:])
    out = np.empty((len(many), len(places), 4, 4))
    _core.multiply_picked(many, places, np.ascontiguousarray(right), out)
    return out.reshape(*left.shape[:-3], *out.shape[1:])


def inverses(matrices: Array, /) -> Array:
    """Return the inverses of affine matrices, float64 [n, 4, 4]; not finite where there is none."""
    out = np.empty_like(matrices, order="C")
    _core.invert(np.ascontiguousarray(matrices), out)
    return out
