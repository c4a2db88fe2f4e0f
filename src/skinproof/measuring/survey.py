"""Survey a character: the influences of each primitive, whether its skins fit, and what clips it has.

What is counted is this project's own choice; the rules counted against are those of docs/weight-contract.md.
"""

from __future__ import annotations

import numpy as np

from skinproof.errors import InfluenceProblems
from skinproof.influences import find_problems
from skinproof.measuring.bind_mismatch import bind_mismatch, weighted_joints
from skinproof.measuring.sums import decoded_sums
from skinproof.model import Character, Primitive
from skinproof.model.survey import Breach, ClipSurvey, PrimitiveSurvey, SkinSurvey, Survey


def survey(character: Character, /) -> Survey:
    """Return what the influences of `character` are like. Nothing is raised for broken weights: they are counted."""
    return Survey(
        name=character.name,
        primitives=tuple(_primitive(character, primitive) for primitive in character.primitives),
        skins=tuple(_skin(character, index) for index in range(len(character.skins))),
        clips=tuple(ClipSurvey(clip.name, clip.pointer, clip.duration, len(clip.channels)) for clip in character.clips),
    )


def _primitive(character: Character, primitive: Primitive) -> PrimitiveSurvey:
    influences = primitive.influences
    skins = character.skins_of(primitive)
    joint_count = character.joint_count_of(primitive)
    counts = influences.counts
    unused = ((influences.weights == 0) & (influences.joints != 0)).any(axis=1)
    return PrimitiveSurvey(
        pointer=primitive.pointer,
        name=primitive.name,
        vertices=primitive.vertex_count,
        slots=influences.joints.shape[1],
        set_formats=influences.set_formats,
        skins=skins,
        joint_count=joint_count,
        histogram=tuple(np.bincount(counts).tolist()),
        most_vertex=int(np.argmax(counts)) if len(counts) else -1,
        breaches=_breaches(find_problems(influences.joints, influences.weights, joint_count=joint_count)),
        sums=decoded_sums(influences),
        unused_joints=int(np.count_nonzero(unused)),
        unused_vertex=int(np.argmax(unused)) if unused.any() else -1,
    )


def _breaches(problems: InfluenceProblems) -> tuple[Breach, ...]:
    return tuple(
        Breach(rule, vertices, first.vertex, first.joint, first.value)
        for rule, (first, vertices) in problems.by_rule().items()
    )


def _skin(character: Character, index: int) -> SkinSurvey:
    skin = character.skins[index]
    shown = [primitive for primitive in character.primitives if index in character.skins_of(primitive)]
    return SkinSurvey(
        pointer=skin.pointer,
        name=skin.name,
        joints=len(skin),
        weighted_joints=int(np.count_nonzero(weighted_joints(skin, shown))),
        vertices=sum(primitive.vertex_count for primitive in shown),
        bind_mismatch=bind_mismatch(skin, shown),
    )
