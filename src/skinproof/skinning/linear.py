"""Linear blend skinning of positions: q = Σ w_i M_i p (glTF 2.0, section 3.7.3.3, skinned mesh attributes)."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from skinproof._native import _core
from skinproof.skinning._door import skinned

Real = TypeVar("Real", np.float32, np.float64)


def skin_positions(
    positions: NDArray[Real],
    joints: NDArray[np.uint16],
    weights: NDArray[Real],
    palettes: NDArray[Real],
    /,
    *,
    out: NDArray[Real] | None = None,
) -> NDArray[Real]:
    """Return the positions of V vertices in each pose, for any number of influences.

    Weights are used as they are, not normalized: with a sum of 0.7 a vertex follows 70 % of a common move. Summed in
    slot order, in the arrays' own float type: the same input gives the same bits on every machine.

    Args:
        positions: float32 or float64 [V, 3], bind positions in mesh space, metres.
        joints: uint16 [V, N], index into the palettes; ignored where the weight is zero.
        weights: [V, N], same float type; zero (−0.0 too) is an empty slot.
        palettes: [P, J, 4, 4], or [J, 4, 4] for one pose; same float type, target_from_mesh (`poses.palettes` gives
            world_from_mesh), bottom row 0 0 0 1.
        out: where to write, [P, V, 3], or [V, 3] for one pose; same float type; shares no memory with the inputs.

    Returns:
        `out`, or a new array of its shape: positions in the palettes' target space, metres.

    Raises:
        ArrayError: an array breaks the contract above, or a joint is not in the palettes.
    """
    return skinned(_core.skin_positions, "positions", positions, joints, weights, palettes, out)
