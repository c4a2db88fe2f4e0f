"""Palettes: skinning matrix = joint's world matrix · inverse bind matrix (glTF 2.0, section 3.7.3.1).

The transform of the node that shows the skinned mesh is not in it: the specification has clients ignore it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Skin
from skinproof.poses.affine import products

Array = NDArray[np.float64]


def palettes(skin: Skin, worlds: Array, /) -> Array:
    """Return the skin's palettes, world_from_mesh.

    Args:
        skin: J joints.
        worlds: float64 [P, N, 4, 4] or [N, 4, 4], world_from_node of every node, affine.

    Returns:
        float64 [P, J, 4, 4] or [J, 4, 4]; infinite or NaN where a product overflows.
    """
    return products(worlds, skin.joints, skin.inverse_binds)
