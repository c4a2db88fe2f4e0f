"""Delta influences: the difference of two sets of influences, joint by joint.

The form is this project's own: the blend (glTF 2.0, section 3.7.3.3) is linear in the weights, so the difference of
two blends is the blend of the differences.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array
from skinproof._native import _core


def delta_influences(
    joints_before: NDArray[np.uint16],
    weights_before: NDArray[np.float64],
    joints_after: NDArray[np.uint16],
    weights_after: NDArray[np.float64],
    /,
) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
    """Return w − w′ per joint: skinned like any influences, they give the displacement e = Σ (w_j − w′_j) M_j p.

    Sums may differ (this is the full form), a joint may stand in several slots, and slots of weight zero are empty.
    The result does not depend on the order of the slots beyond the rounding of such repeated joints.

    Args:
        joints_before: uint16 [V, N], joints of the influences measured against.
        weights_before: float64 [V, N], their weights.
        joints_after: uint16 [V, M], joints of the influences measured.
        weights_after: float64 [V, M], their weights.

    Returns:
        joints uint16 [V, D] and delta weights float64 [V, D], joints ascending, then empty slots (joint 0, weight 0);
        D is the largest number of joints that differ on any vertex, at least 1.

    Raises:
        ArrayError: an array breaks the contract above.
    """
    require_array(joints_before, "joints_before", dtypes=[np.uint16], shape=("V", "N"))
    require_array(weights_before, "weights_before", dtypes=[np.float64], shape=joints_before.shape)
    vertices, slots = joints_before.shape
    require_array(joints_after, "joints_after", dtypes=[np.uint16], shape=(vertices, "M"))
    require_array(weights_after, "weights_after", dtypes=[np.float64], shape=joints_after.shape)
    slots += joints_after.shape[1]
    joints = np.empty((vertices, slots), np.uint16)
    weights = np.empty((vertices, slots), np.float64)
    _core.delta_influences(joints_before, weights_before, joints_after, weights_after, joints, weights)
    used = max(1, int(np.count_nonzero(weights, axis=1).max(initial=0)))
    return np.ascontiguousarray(joints[:, :used]), np.ascontiguousarray(weights[:, :used])
