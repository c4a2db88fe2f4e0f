"""Joints that no pose moves: what is measured then says nothing of clips that do move them.

The measure is this project's own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.bind_mismatch import weighted_joints
from skinproof.model import Nodes, Primitive, Skin
from skinproof.tolerances import STILL_JOINT

Array = NDArray[np.float64]


class StillJoints:
    """Watches the weighted joints of one skin, block after block, for any move relative to their parents.

    Attributes:
        still: intp [S], index in the skin of each joint that has not moved so far.
    """

    def __init__(self, nodes: Nodes, skin: Skin, primitives: Sequence[Primitive], /, *, diagonal: float) -> None:
        """Begin with every joint that has a weight on one of `primitives`; `diagonal` in metres, world space."""
        self._nodes, self._skin, self._diagonal = nodes, skin, diagonal
        self._parents_from_joints: Array | None = None
        self.still = np.flatnonzero(weighted_joints(skin, primitives))

    def add(self, worlds: Array) -> None:
        """Drop from `still` the joints that move in these poses, worlds float64 [P, N, 4, 4]."""
        if not len(self.still):
            return
        joints = worlds[:, self._skin.joints[self.still]]
        parents = self._parents(worlds)
        if self._parents_from_joints is None:
            # What overflowed is no longer still, and has no inverse.
            finite = np.isfinite(parents[0]).all(axis=(1, 2)) & np.isfinite(joints[0]).all(axis=(1, 2))
            self.still, joints, parents = self.still[finite], joints[:, finite], parents[:, finite]
            # The pseudo-inverse, because a parent of scale zero has no inverse; for all others it is the inverse.
            with np.errstate(over="ignore", invalid="ignore"):
                self._parents_from_joints = np.linalg.pinv(parents[0]) @ joints[0]
        with np.errstate(over="ignore", invalid="ignore"):
            change = joints - parents @ self._parents_from_joints
            turned = np.linalg.norm(change[:, :, :3, :3], axis=(2, 3))
            size = np.linalg.norm(joints[:, :, :3, :3], axis=(2, 3))
            shifted = np.linalg.norm(change[:, :, :3, 3], axis=2)
        at_rest = (turned <= STILL_JOINT * size) & (shifted <= STILL_JOINT * self._diagonal)
        keep = at_rest.all(axis=0)
        self.still, self._parents_from_joints = self.still[keep], self._parents_from_joints[keep]

    def _parents(self, worlds: Array) -> Array:
        """Return world_from_parent of each joint in `still`, float64 [P, S, 4, 4]; the identity where it has none."""
        parents = self._nodes.parents[self._skin.joints[self.still]]
        found = worlds[:, parents]
        found[:, parents < 0] = np.eye(4)
        return found
