"""Palettes in a wrong space: what they would be if the usual mistake had not been made.

The mistakes are those that the formula M = world · inverse bind (glTF 2.0, section 3.7.3.1) invites.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Skin
from skinproof.tolerances import SINGULAR_CONDITION

Array = NDArray[np.float64]


def undone(skin: Skin, palettes: Array, /) -> Iterator[tuple[str, Array]]:
    """Yield the name of each mistake and the palettes without it.

    Args:
        skin: J joints.
        palettes: float64 [n, J, 4, 4].
    """
    yield "transposed", np.ascontiguousarray(palettes.swapaxes(-1, -2))
    yield "inverse bind missing", palettes @ skin.inverse_binds
    if (np.linalg.cond(skin.inverse_binds) < SINGULAR_CONDITION).all():
        yield "inverse bind applied twice", palettes @ np.linalg.inv(skin.inverse_binds)
