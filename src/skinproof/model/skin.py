"""A skin: the joints that a mesh may be bound to, and their inverse bind matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import frozen, require_affine, require_array


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """J joints of one skin.

    Attributes:
        name: "" where the file gives none.
        joints: int32 [J], node index of each joint.
        inverse_binds: float64 [J, 4, 4], joint_from_mesh at bind time, bottom row 0 0 0 1; identities where
            the file has none.
        pointer: JSON pointer of the skin in its file.
    """

    name: str
    joints: NDArray[np.int32]
    inverse_binds: NDArray[np.float64]
    pointer: str = ""

    def __post_init__(self) -> None:
        joints = require_array(self.joints, "joints", dtypes=[np.int32], shape=("J",))
        binds = require_array(self.inverse_binds, "inverse_binds", dtypes=[np.float64], shape=(len(joints), 4, 4))
        require_affine(binds, "inverse_binds", axes=("joint",))
        object.__setattr__(self, "joints", frozen(joints))
        object.__setattr__(self, "inverse_binds", frozen(binds))

    def __len__(self) -> int:
        return len(self.joints)
