"""A snapshot's content as arrays of its own: to keep after the draw, to pickle, to send."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof._native import _publish
from skinproof.publish.revision import Revision


@dataclass(frozen=True, slots=True, eq=False)
class PoseCopy:
    """One published pose, copied.

    Attributes:
        revision: the pose's identity.
        topology_version: the skeleton's version in its segment.
        joint_names: J names, in palette order.
        palette: float32 [J, 4, 4], skinning matrices, row-major, target_from_mesh.
        inverse_binds: float32 [J, 4, 4], joint_from_mesh at bind time.
        joint_boxes: float32 [J, 2, 3], the topology's joint boxes, or None.
        bounds: float32 [2, 3], least and greatest corner, metres, in the palette's target space, or None.
    """

    revision: Revision
    topology_version: int
    joint_names: tuple[str, ...]
    palette: NDArray[np.float32]
    inverse_binds: NDArray[np.float32]
    joint_boxes: NDArray[np.float32] | None
    bounds: NDArray[np.float32] | None

    @classmethod
    def of(cls, snapshot: _publish.Snapshot) -> PoseCopy:
        """Copy `snapshot`, which must be open."""
        bounds, boxes = snapshot.bounds, snapshot.joint_boxes
        return cls(
            revision=snapshot.revision,
            topology_version=snapshot.topology_version,
            joint_names=snapshot.joint_names,
            palette=np.array(snapshot.palette),
            inverse_binds=np.array(snapshot.inverse_binds),
            joint_boxes=None if boxes is None else np.array(boxes),
            bounds=None if bounds is None else np.array(bounds),
        )

    def __reduce__(self) -> tuple[type[PoseCopy], tuple[Any, ...]]:
        return PoseCopy, (
            self.revision,
            self.topology_version,
            self.joint_names,
            self.palette,
            self.inverse_binds,
            self.joint_boxes,
            self.bounds,
        )
