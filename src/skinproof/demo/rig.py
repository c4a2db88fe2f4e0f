"""The skeleton of the made character: 28 joints of a person 1.8 m tall, facing +Z, +Y up, arms held half down.

Every joint's rest rotation is the identity, so a joint turns about the world's axes through its own pivot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """J joints, every parent before its children.

    Attributes:
        names: one per joint; those of a side end in "_l" (+X) or "_r".
        parents: int32 [J], −1 for the root.
        pivots: float64 [J, 3], where each joint turns, at rest, character space, metres.
    """

    names: tuple[str, ...]
    parents: NDArray[np.int32]
    pivots: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.names)

    def index(self, name: str) -> int:
        """Index of the joint called `name`."""
        return self.names.index(name)


_SPINE = (
    ("hips", "", (0.0, 0.96, 0.0)),
    ("spine", "hips", (0.0, 1.07, 0.0)),
    ("chest", "spine", (0.0, 1.19, -0.005)),
    ("upper_chest", "chest", (0.0, 1.32, -0.01)),
    ("neck", "upper_chest", (0.0, 1.47, -0.01)),
    ("head", "neck", (0.0, 1.55, 0.0)),
)
_SIDE = (
    ("clavicle", "upper_chest", (0.03, 1.42, 0.0)),
    ("upper_arm", "clavicle", (0.175, 1.41, -0.01)),
    ("forearm", "upper_arm", (0.382, 1.236, -0.01)),
    ("forearm_twist", "forearm", (0.478, 1.156, -0.005)),
    ("hand", "forearm_twist", (0.574, 1.075, 0.0)),
    ("fingers", "hand", (0.642, 1.018, 0.0)),
    ("thumb", "hand", (0.600, 1.065, 0.028)),
    ("thigh", "hips", (0.095, 0.92, 0.0)),
    ("shin", "thigh", (0.108, 0.50, 0.01)),
    ("foot", "shin", (0.115, 0.10, -0.02)),
    ("toes", "foot", (0.125, 0.035, 0.10)),
)


def make_rig() -> Rig:
    """Return the skeleton of the made character."""
    table = list(_SPINE)
    for side, sign in (("_l", 1.0), ("_r", -1.0)):
        siblings = {name for name, _, _ in _SIDE}
        for name, parent, (x, y, z) in _SIDE:
            table.append((name + side, parent + side if parent in siblings else parent, (sign * x, y, z)))
    names = tuple(name for name, _, _ in table)
    parents = np.array([names.index(parent) if parent else -1 for _, parent, _ in table], dtype=np.int32)
    return Rig(names, parents, np.array([pivot for _, _, pivot in table], dtype=np.float64))
