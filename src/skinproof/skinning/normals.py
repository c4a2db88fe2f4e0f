"""Linear blend skinning of normals, by the inverse transpose of the blended linear part.

Sources: K. Turkowski, "Properties of Surface-Normal Transformations", Graphics Gems, 1990 (the inverse transpose);
glTF 2.0, section 3.7.3.3 (the blend); M. Tarini, D. Panozzo, O. Sorkine-Hornung, "Accurate and Efficient Lighting for
Skinned Models", 2014, has the part that is left out here, as everywhere: that weights change along the surface.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from skinproof._native import _core
from skinproof.skinning._door import skinned

Real = TypeVar("Real", np.float32, np.float64)


def skin_normals(
    normals: NDArray[Real],
    joints: NDArray[np.uint16],
    weights: NDArray[Real],
    palettes: NDArray[Real],
    /,
    *,
    out: NDArray[Real] | None = None,
) -> NDArray[Real]:
    """Return the unit normals of V vertices in each pose: inverse transpose of Σ w_i M_i (3×3) · normal, normalized.

    Right under non-uniform scale, and under mirrors: a normal that points out of a surface still does. It is the
    normal of a surface under the vertex's own blended matrix; that weights change from vertex to vertex is left out,
    as in every renderer. Where the blended matrix flattens the surface to a line or a point, or the normal is zero,
    the result is 0 0 0.

    Args:
        normals: float32 or float64 [V, 3], in mesh space, any length.
        joints: uint16 [V, N], index into the palettes; ignored where the weight is zero.
        weights: [V, N], same float type; zero (−0.0 too) is an empty slot.
        palettes: [P, J, 4, 4], or [J, 4, 4] for one pose; same float type, target_from_mesh, bottom row 0 0 0 1.
        out: where to write, [P, V, 3], or [V, 3] for one pose; same float type; shares no memory with the inputs.

    Returns:
        `out`, or a new array of its shape: unit normals in the palettes' target space.

    Raises:
        ArrayError: an array breaks the contract above, or a joint is not in the palettes.
    """
    return skinned(_core.skin_normals, "normals", normals, joints, weights, palettes, out)
