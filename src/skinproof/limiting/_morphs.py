"""Vertices that clips morph: other positions in each pose, so cost matrices that no pair of joints shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.limiting._sums import weighted_sum
from skinproof.model import Character, Primitive
from skinproof.poses import PoseBlock, PoseSchedule, palettes
from skinproof.skinning import rest_positions

Array = NDArray[np.float64]
Joints = NDArray[np.uint16]
Rank = NDArray[np.intp]

_CHUNK = 1 << 20
"""Doubles of differences held at a time (8 MiB)."""


@dataclass(frozen=True, slots=True, eq=False)
class Morphs:
    """How R vertices are moved before they are skinned.

    Attributes:
        positions: float64 [R, 3], without any morph target, mesh space, metres.
        targets: float64 [T, R, 3], by how much each target moves them.
        instances: indices of the instances that show them.
    """

    positions: Array
    targets: Array
    instances: tuple[int, ...]

    def take(self, rows: Rank) -> Morphs:
        """The same of some rows."""
        return Morphs(self.positions[rows], self.targets[:, rows], self.instances)

    def placed(self, weights: Array) -> Array:
        """Return the positions under morph weights, float64 [R, 3]."""
        positions = self.positions.copy()
        for target, weight in zip(self.targets, weights.tolist(), strict=False):
            if weight != 0:
                positions += weight * target
        return positions


def rest_and_morphed(
    character: Character, primitive: Primitive, schedule: PoseSchedule, /
) -> tuple[Array, NDArray[np.bool_]]:
    """Return the positions at rest, float64 [V, 3], and which vertices stand elsewhere in some pose or instance."""
    showings = character.showings_of(primitive)
    resting = [character.instances[showing].morph_weights for showing in showings]
    positions = rest_positions(primitive, resting[0])
    still = len(set(resting)) == 1 and not any(schedule.morphs(showing) for showing in showings)
    if primitive.morphed is None or still:
        return positions, np.zeros(len(positions), np.bool_)
    return positions, primitive.morphed


class MorphedCosts:
    """The cost matrices of R morphed vertices over the poses: what `gram` does, vertex by vertex.

    Attributes:
        morphs: the vertices.
        costs: float64 [R, n, n], square metres.
        sizes: float64 [R]; rounding puts about 1e-15 of it into the costs.
    """

    def __init__(self, morphs: Morphs, joints: Joints, weights: Array) -> None:
        """Begin with no poses; the source influences uint16, float64 [R, n], each row of weights summing to one."""
        self.morphs = morphs
        self._joints, self._weights = joints, weights
        self.costs = np.zeros((*joints.shape, joints.shape[1]))
        self.sizes = np.zeros(len(joints))

    def add(self, character: Character, block: PoseBlock, shares: Array) -> None:
        """Add P poses, with the share of each in the mean over time, float64 [P]."""
        instances = self.morphs.instances
        for instance in instances:
            matrices = palettes(character.skins[character.instances[instance].skin], block.worlds)
            for pose, share in enumerate((shares / len(instances)).tolist()):
                placed = self.morphs.placed(block.morph_weights[instance][pose])
                # Relative to the joints' common motion, for which no weights are to blame: it would cost digits.
                self._add(placed, matrices[pose, :, :3] - matrices[pose, :, :3].mean(axis=0), share)

    def _add(self, positions: Array, matrices: Array, share: float) -> None:
        step = max(1, _CHUNK // (self._joints.shape[1] ** 2 * 3))
        for start in range(0, len(positions), step):
            rows = slice(start, start + step)
            chosen = matrices[self._joints[rows]]
            x, y, z = positions[rows].T[:, :, np.newaxis, np.newaxis]
            images = chosen[..., 0] * x + chosen[..., 1] * y + chosen[..., 2] * z + chosen[..., 3]
            away = images - weighted_sum(self._weights[rows], images)[:, np.newaxis]
            self.costs[rows] += share * (away[:, :, np.newaxis] * away[:, np.newaxis]).sum(axis=3)
            self.sizes[rows] += share * (images**2).sum(axis=2).max(axis=1)
