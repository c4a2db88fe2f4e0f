"""A made range of motion, for characters without clips: the bind pose, the rest pose, and the joints turned about.

Its poses are this project's own; `RangeOfMotion` lists them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Nodes, Skin
from skinproof.poses.affine import products
from skinproof.poses.bind_pose import bind_worlds
from skinproof.poses.quaternions import from_rotation_vectors, multiplied
from skinproof.poses.world import composed, world_matrices

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RangeOfMotion:
    """Poses that nobody animated, so that a character without clips can be measured at all.

    The poses, in this order (J = the number of nodes that are a joint of any skin):

    1. the bind pose (`bind_pose.bind_worlds`);
    2. the rest pose, as the file places the nodes; all poses below start from it;
    3. six for each joint, in node order: it alone is turned by `SINGLE_ANGLE` about its own x, y and z axis, + and −.
       With more than `SINGLE_GROUPS` joints, joint j turns together with joints j + `SINGLE_GROUPS`,
       j + 2 · `SINGLE_GROUPS` … (by position among the joints), so that the number of poses stays bounded;
    4. `COMBINED` in which every joint is turned, by a rotation vector whose three components are uniform within
       ± `COMBINED_ANGLE`: that angle is the root mean square of the turn. Pose number k draws them from
       `numpy.random.default_rng((seed, k))`, so the draws are the same on every machine, and any block of poses can
       be made by itself.

    A turned joint carries everything below it; nothing else moves. Turns happen in the joint's own space, between its
    rotation and its scale (after the matrix, for nodes given by one).

    Attributes:
        nodes: the tree.
        skins: whose joints are turned.
        joints: intp [J], node index of each joint, ascending.
        seed: of the random poses.
    """

    NAME: ClassVar = "range of motion"
    SINGLE_ANGLE: ClassVar = np.radians(30)
    SINGLE_GROUPS: ClassVar = 256
    COMBINED_ANGLE: ClassVar = np.radians(20)
    COMBINED: ClassVar = 60

    nodes: Nodes
    skins: tuple[Skin, ...]
    joints: NDArray[np.intp]
    seed: int

    @classmethod
    def of(cls, nodes: Nodes, skins: Sequence[Skin], /, *, seed: int = 0) -> RangeOfMotion:
        """Return the range of motion of all joints of `skins`."""
        joints = np.unique(np.concatenate([np.zeros(0, np.int32), *(skin.joints for skin in skins)]))
        return cls(nodes, tuple(skins), joints.astype(np.intp), seed)

    @property
    def singles(self) -> int:
        """Number of poses in which one joint, or one group of joints, is turned."""
        return 6 * min(len(self.joints), self.SINGLE_GROUPS)

    def __len__(self) -> int:
        return 2 + self.singles + self.COMBINED

    def worlds(self, poses: Sequence[int] | NDArray[np.intp], /) -> Array:
        """Return every node's world_from_node, float64 [P, N, 4, 4].

        Args:
            poses: P pose numbers, 0 … len − 1.
        """
        matrices = np.repeat(self.nodes.matrices[np.newaxis], len(poses), axis=0)
        for row, pose in enumerate(np.asarray(poses).tolist()):
            positions, turns = self._turns(pose)
            joints = self.joints[positions]
            matrices[row, joints] = self._turned(joints, turns)
        worlds = world_matrices(self.nodes, matrices)
        is_bind = np.asarray(poses) == 0
        if is_bind.any():
            worlds[is_bind] = bind_worlds(self.nodes, self.skins)
        return worlds

    def _turns(self, pose: int) -> tuple[NDArray[np.intp], Array]:
        """Which joints (positions in `joints`) a pose turns, and by which rotation vectors [n, 3]."""
        if pose < 2:
            return np.zeros(0, np.intp), np.zeros((0, 3))
        if pose < 2 + self.singles:
            group, turn = divmod(pose - 2, 6)
            positions = np.arange(group, len(self.joints), self.SINGLE_GROUPS)
            vector = np.zeros(3)
            vector[turn // 2] = self.SINGLE_ANGLE if turn % 2 == 0 else -self.SINGLE_ANGLE
            return positions, np.repeat(vector[np.newaxis], len(positions), axis=0)
        draws = np.random.default_rng((self.seed, pose)).uniform(-1.0, 1.0, (len(self.joints), 3))
        return np.arange(len(self.joints)), draws * self.COMBINED_ANGLE

    def _turned(self, joints: NDArray[np.intp], vectors: Array) -> Array:
        """The parent_from_node of `joints` at rest, turned by `vectors`, float64 [n, 4, 4]."""
        nodes = self.nodes
        turns = from_rotation_vectors(vectors)
        from_parts = composed(
            nodes.translations[joints], multiplied(nodes.rotations[joints], turns), nodes.scales[joints]
        )
        from_matrix = products(nodes.matrices, joints.astype(np.int32), composed(np.zeros(3), turns, np.ones(3)))
        return np.where(nodes.has_matrix[joints][:, np.newaxis, np.newaxis], from_matrix, from_parts)
