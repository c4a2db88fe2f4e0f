"""An upper bound of the displacement: the weight that moves times how far apart the joints' images lie, t · D.

The bound is this project's own; docs/measuring.md, "The bound t·D", derives it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array, require_no_overlap
from skinproof._native import _core
from skinproof.skinning._door import require_influences, require_joints_below, require_palettes


def accumulate_bound(
    positions: NDArray[np.float64],
    joints: NDArray[np.uint16],
    weights: NDArray[np.float64],
    palettes: NDArray[np.float64],
    /,
    *,
    out: NDArray[np.float64],
) -> None:
    """Raise each vertex's bound to the largest over a block of poses.

    In a pose, |Σ δ_j y_j| ≤ t · D + |s| · max_j |y_j|, where y_j = M_j p are the images of the vertex by the joints
    whose weights differ, D is the largest distance between two of them, t is the weight that goes from one joint to
    another (the smaller of Σ δ⁺ and Σ δ⁻), and s = Σ δ is the weight that appears or vanishes. Where the sums agree,
    t = ½ Σ |w − w′|, s = 0, and for a truncated and normalized vertex t is the dropped mass.

    Args:
        positions: float64 [V, 3], bind positions in mesh space, metres.
        joints: uint16 [V, D], joints of the delta influences (`deltas.delta_influences`).
        weights: float64 [V, D], their delta weights w − w′.
        palettes: float64 [P, J, 4, 4] or [J, 4, 4], skinning matrices, world_from_mesh.
        out: float64 [V], metres, updated in place; start with zeros. NaN where a displacement is not a number.

    Raises:
        ArrayError: an array breaks the contract above, or a joint is not in the palettes.
    """
    require_array(positions, "positions", dtypes=[np.float64], shape=("V", 3))
    require_influences(joints, weights, dtypes=[np.float64], vertices=len(positions))
    palettes = require_palettes(palettes, dtypes=[np.float64])
    require_joints_below(joints, weights, palettes.shape[1])
    require_array(out, "out", dtypes=[np.float64], shape=(len(positions),), writable=True)
    require_no_overlap(out, {"positions": positions, "weights": weights, "palettes": palettes})
    _core.accumulate_bound(positions, joints, weights, palettes, out)
