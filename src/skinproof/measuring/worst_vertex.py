"""The vertex that moves furthest, by name: where it lies in either file, and which joints hold it.

What is told is this project's own: docs/measuring.md, "The figures".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.subject import Subject
from skinproof.model import Character, Influences, Primitive, Skin
from skinproof.model.measurement import WorstVertex
from skinproof.poses import PoseSchedule, palettes
from skinproof.skinning import rest_positions, skin_positions

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sight:
    """Where and when a vertex was seen.

    Attributes:
        metres: how far it lies from where it should.
        run: index of the run that saw it.
        vertex: index in its primitive.
        clip: index of the clip.
        pose: index of the pose in the clip.
    """

    metres: float
    run: int
    vertex: int
    clip: int
    pose: int


@dataclass(frozen=True, slots=True, eq=False)
class Holder:
    """One vertex of one file under one skin: what places it, and which joints hold it.

    Attributes:
        position: float64 [1, 3], bind position, metres.
        joints: uint16 [1, N].
        weights: float64 [1, N], by which it is placed.
        palette: float64 [1, J, 4, 4], of the pose.
        names: names of its joints, heaviest first, as stored.
        stored: their weights, as stored.
    """

    position: Array
    joints: NDArray[np.uint16]
    weights: Array
    palette: Array
    names: tuple[str, ...]
    stored: tuple[float, ...]

    @classmethod
    def of(
        cls,
        character: Character,
        primitive: Primitive,
        skin: Skin,
        vertex: int,
        weights: Array,
        /,
        *,
        palette: Array,
        morph_weights: Array,
    ) -> Holder:
        """Return what holds a vertex of a primitive: `weights` float64 [N] place it in the joints of its slots."""
        row, influences = slice(vertex, vertex + 1), primitive.influences
        names, stored = _heaviest_first(influences, vertex, skin, character)
        position = rest_positions(primitive, morph_weights)[row]
        return cls(position, influences.joints[row], weights[np.newaxis], palette, names, stored)

    @property
    def place(self) -> tuple[float, float, float]:
        """Where it lies in the pose, world space, metres."""
        x, y, z = skin_positions(self.position, self.joints, self.weights, self.palette)[0, 0].tolist()
        return x, y, z


def told(
    schedule: PoseSchedule, subject: Subject, skin: Skin, sight: Sight, before: Holder, after: Holder, /
) -> WorstVertex:
    """Return the worst vertex, seen through `skin` of the original, from what holds it in either file."""
    clip = schedule.clips[sight.clip]
    return WorstVertex(
        metres=sight.metres,
        primitive=subject.primitive.pointer,
        name=subject.primitive.name,
        vertex=sight.vertex,
        skin=skin.pointer,
        clip=clip.name,
        time=clip.time(sight.pose),
        pose=sight.pose,
        position_before=before.place,
        position_after=after.place,
        joints_before=before.names,
        weights_before=before.stored,
        joints_after=after.names,
        weights_after=after.stored,
    )


def worst_vertex(
    original: Character, result: Character, schedule: PoseSchedule, subject: Subject, instance: int, sight: Sight, /
) -> WorstVertex:
    """Return the worst vertex of a primitive that both files have with the same vertices, seen in an instance."""
    skin, pose = original.skins[original.instances[instance].skin], np.array([sight.pose])
    palette = palettes(skin, schedule.worlds(sight.clip, pose))
    morph_weights = schedule.morph_weights(sight.clip, pose)[instance][0]
    after = result.primitives[subject.index].influences.weights.astype(np.float64)
    # The positions are the original's for both: they are the same up to rounding.
    edited = replace(subject.primitive, influences=result.primitives[subject.index].influences)
    holders = (
        Holder.of(original, primitive, skin, sight.vertex, weights, palette=palette, morph_weights=morph_weights)
        for primitive, weights in (
            (subject.primitive, subject.start.weights[sight.vertex]),
            (edited, after[sight.vertex]),
        )
    )
    return told(schedule, subject, skin, sight, *holders)


def _heaviest_first(
    influences: Influences, vertex: int, skin: Skin, character: Character
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return the names of the vertex's joints and their weights, both without its empty slots."""
    joints, weights = influences.joints[vertex].tolist(), influences.weights[vertex].tolist()
    slots = sorted((-weight, joint) for joint, weight in zip(joints, weights, strict=True) if weight != 0)
    names = tuple(character.joint_name(skin, joint) for _, joint in slots)
    return names, tuple(-weight for weight, _ in slots)
