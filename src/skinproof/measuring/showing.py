"""A primitive as one node shows it, pose after pose: through the node's skin, in the shapes that its targets give it.

Morph targets are applied before skinning: glTF 2.0, section 3.7.2.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.running import Running, RunningDeltas
from skinproof.measuring.subject import DeltaSubject, Subject, Weights
from skinproof.model import Character
from skinproof.poses import PoseBlock
from skinproof.poses.morphs import same_shapes
from skinproof.skinning import rest_positions

Array = NDArray[np.float64]


class Showing:
    """Running results of one primitive in one instance, for several sets of delta influences.

    Attributes:
        subject: the primitive.
        instance: index of the instance.
        skin: index of the instance's skin.
        runs: one per set of delta influences.
    """

    def __init__(
        self,
        original: Character,
        subject: DeltaSubject,
        instance: int,
        deltas: Sequence[Weights],
        /,
        *,
        bounded: int = 0,
    ) -> None:
        """Begin with no poses; the bound is made for the first `bounded` of `deltas`."""
        self.subject: Subject = subject
        self.instance = instance
        self.skin = original.instances[instance].skin
        self._morphed = subject.primitive.morphed
        self._weights = np.zeros(0)
        self._deltas = [
            RunningDeltas(subject.positions, one, bounded=index < bounded, morphed=self._morphed)
            for index, one in enumerate(deltas)
        ]
        self.runs: list[Running] = [*self._deltas]

    def add(self, palettes: Array, block: PoseBlock) -> None:
        """Add a block of poses, with the palettes of the skin in them, float64 [P, J, 4, 4]."""
        for run in self._deltas:
            run.add(palettes, first_pose=block.first_pose)
        if self._morphed is None:
            return
        weights = block.morph_weights[self.instance]
        for shape in same_shapes(weights):
            positions = None
            if not np.array_equal(weights[shape.start], self._weights):
                self._weights = weights[shape.start]
                positions = rest_positions(self.subject.primitive, self._weights)
            for run in self._deltas:
                run.add_morphed(positions, palettes[shape], first_pose=block.first_pose + shape.start)
