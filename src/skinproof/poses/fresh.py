"""Fresh poses: what nobody animated and nothing was fitted to.

They are this project's own: the random ones of `RangeOfMotion`, drawn from another seed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Character
from skinproof.poses.range_of_motion import RangeOfMotion
from skinproof.poses.schedule import ClipSchedule, PoseSchedule

SEED = 1
"""Not that of the poses which stand in for clips."""


class RandomTurns(RangeOfMotion):
    """Of a range of motion the poses alone in which every joint is turned at random, 20 degrees root mean square."""

    def __len__(self) -> int:
        return self.COMBINED

    def worlds(self, poses: Sequence[int] | NDArray[np.intp], /) -> NDArray[np.float64]:
        """Return every node's world_from_node, as `RangeOfMotion.worlds` does for its last poses."""
        return RangeOfMotion.worlds(self, np.asarray(poses) + 2 + self.singles)


def fresh_poses(character: Character, /, *, seed: int = SEED) -> PoseSchedule:
    """Return 60 poses in which every joint is turned at random by 20 degrees, root mean square."""
    motion = RandomTurns.of(character.nodes, character.skins, seed=seed)
    only = ClipSchedule("fresh", len(motion), None, 0.0, 1.0, 0, motion)
    return PoseSchedule(character.nodes, character.instances, (only,), True, character.name)
