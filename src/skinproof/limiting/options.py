"""What the exact method can be told. The defaults are this project's own, chosen by docs/fidelity.md."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_count
from skinproof.errors import OptionError
from skinproof.limiting.sparse import MAX_FACES, MAX_NODES, MOST_LISTED
from skinproof.model import Nodes, Skin


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How influences are fitted.

    Attributes:
        prior: ρ ≥ 0, the weight of the tree prior beside the mean over the poses.
        angle: σ, the root mean square turn of each joint in the prior, radians.
        angles: node name → σ of that joint instead.
        guard: whether solutions that are worse than keep-the-largest in some pose, or by the prior, are replaced.
        prior_slack: how many times keep-the-largest's the root of the prior's cost may be.
        tried: how many of the cheapest sets are tried where the best one is worse than keep-the-largest somewhere.
        max_faces: as in `sparse.solve_sparse`.
        max_nodes: as in `sparse.solve_sparse`.
    """

    prior: float = 0.3
    angle: float = math.radians(20.0)
    angles: Mapping[str, float] = field(default_factory=dict)
    guard: bool = True
    prior_slack: float = 1.25
    tried: int = 10
    max_faces: int = MAX_FACES
    max_nodes: int = MAX_NODES

    def __post_init__(self) -> None:
        for name in ("prior", "angle", "prior_slack"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise OptionError(f"{name}: expected a finite number from 0, got {value!r}")
        require_count(self.tried, "tried", least=1)
        require_count(self.max_faces, "max_faces", least=0)
        require_count(self.max_nodes, "max_nodes", least=1)
        if self.tried > MOST_LISTED:
            raise OptionError(f"tried: expected at most {MOST_LISTED}, got {self.tried!r}")
        for joint, value in self.angles.items():
            if not (math.isfinite(value) and value >= 0.0):
                raise OptionError(f"angles: expected a finite number from 0 for {joint!r}, got {value!r}")

    def angles_of(self, nodes: Nodes, skins: tuple[Skin, ...], /) -> NDArray[np.float64]:
        """Return σ of every node, float64 [N], radians: 0 for nodes that are a joint of no skin.

        Raises:
            OptionError: `angles` names no joint.
        """
        angles = np.zeros(len(nodes))
        joints = np.unique(np.concatenate([np.zeros(0, np.int32), *(skin.joints for skin in skins)]))
        angles[joints] = self.angle
        for name, angle in self.angles.items():
            named = [joint for joint in joints.tolist() if nodes.names[joint] == name]
            if not named:
                raise OptionError(f"angles: there is no joint named {name!r}")
            angles[named] = angle
        return angles
