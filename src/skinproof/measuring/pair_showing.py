"""Pairs of vertices as one node of either file shows them, pose after pose.

The parts of the displacement are this project's own: docs/measuring.md, "Causes", with the result in its own poses.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.pair_poses import PairPoses
from skinproof.measuring.posed_pairs import Posable, PosedPairs
from skinproof.measuring.running import Running
from skinproof.measuring.subject import Subject, Weights
from skinproof.model import Primitive
from skinproof.poses import PoseBlock
from skinproof.poses.morphs import same_shapes
from skinproof.skinning import rest_positions

Array = NDArray[np.float64]


_BEFORE, _AFTER = 0, 1
"""The two files."""


class RunningPairs(Running):
    """Running results of the V vertices of the original in some pairs, from one step to another; they have no bound."""

    def __init__(
        self, owners: NDArray[np.intp], first: tuple[int, Posable], last: tuple[int, Posable], /, *, vertices: int
    ) -> None:
        """Begin with no poses; a step is the file whose palettes pose it, and what is posed."""
        self._files = first[0], last[0]
        self._pairs = PosedPairs(owners, first[1], last[1], vertices=vertices)
        super().__init__([self._pairs], vertices)

    def set_positions(self, positions: tuple[Array, Array]) -> None:
        """Take other bind positions, float64 [n, 3] of each file, for the poses added from here on."""
        self._pairs.set_positions(*(positions[file] for file in self._files))

    def add_posed(self, palettes: tuple[Array, Array], *, first_pose: int) -> None:
        """Add poses of the current clip, the palettes of each file in them, the first of them pose `first_pose`."""
        self._pairs.add(*(palettes[file] for file in self._files), first_pose=first_pose)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """One primitive of one file as an instance of it shows it, and n of its vertices.

    Attributes:
        primitive: the primitive.
        instance: index of the instance.
        vertices: intp [n].
    """

    primitive: Primitive
    instance: int
    vertices: NDArray[np.intp]

    @property
    def weights(self) -> Weights:
        """Their influences as stored."""
        influences = self.primitive.influences
        return Weights(influences.joints[self.vertices], influences.weights[self.vertices].astype(np.float64))

    def positions(self, morph_weights: Array | tuple[float, ...] = ()) -> Array:
        """Return their bind positions, float64 [n, 3], metres, in the shape that the morph targets give at weights."""
        return rest_positions(self.primitive, morph_weights)[self.vertices]


class PairShowing:
    """Running results of the pairs of one primitive under one skin of each file, as one instance of each shows them.

    Attributes:
        subject: the original's primitive.
        skin: index of the original's skin.
        result_skin: index of the result's skin.
        before: the original's vertices.
        after: the result's.
        runs: the whole displacement, then its parts in the order of `CAUSES`.
    """

    def __init__(
        self, subject: Subject, skins: tuple[int, int], before: Shown, after: Shown, poses: PairPoses, /
    ) -> None:
        """Begin with no poses.

        Args:
            subject: the original's primitive.
            skins: index of the original's skin and of the result's.
            before: the original's vertices, all of which are measured.
            after: the vertex of the result that each is paired with.
            poses: of the result.
        """
        self.subject, (self.skin, self.result_skin) = subject, skins
        self.before, self.after, self._poses = before, after, poses
        stored, result = before.weights, after.weights
        start = Weights(stored.joints, subject.start.weights[before.vertices])
        steps = [
            (file, Posable(shown.positions(), weights.joints, weights.weights))
            for file, shown, weights in (
                (_BEFORE, before, start),
                (_BEFORE, before, stored.normalized()),
                (_AFTER, after, result.normalized()),
                (_AFTER, after, result),
            )
        ]
        ways = [(steps[0], steps[-1]), *pairwise(steps)]
        vertices = len(subject.measured)
        self._pair_runs = [RunningPairs(before.vertices, first, last, vertices=vertices) for first, last in ways]
        self.runs: list[Running] = [*self._pair_runs]
        self._morphed = bool(before.primitive.targets or after.primitive.targets)

    def add(self, palettes: Array, block: PoseBlock) -> None:
        """Add a block of poses, with the palettes of the original's skin in them, float64 [P, J, 4, 4]."""
        both = palettes, self._poses.palettes(self.result_skin, block)
        if not self._morphed:
            for run in self._pair_runs:
                run.add_posed(both, first_pose=block.first_pose)
            return
        weights = block.morph_weights[self.before.instance]
        others = self._poses.block(block).morph_weights[self.after.instance]
        for shape in same_shapes(np.concatenate([weights, others], axis=1)):
            positions = self.before.positions(weights[shape.start]), self.after.positions(others[shape.start])
            for run in self._pair_runs:
                run.set_positions(positions)
                run.add_posed((both[0][shape], both[1][shape]), first_pose=block.first_pose + shape.start)
