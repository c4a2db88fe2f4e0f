"""Measure two files whose vertices, skins or keys are not the same ones: match the vertices, compare them posed.

Each file is posed by its own skeleton, bind matrices and clips. The definitions are this project's own:
docs/measuring.md, "Files with other vertices".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.errors import ComparisonError
from skinproof.measuring.bind_mismatch import weighted_joints
from skinproof.measuring.correspondence import Correspondence, Pairs, correspond
from skinproof.measuring.extent import rest_diagonal
from skinproof.measuring.pair_poses import PairPoses, pair_clips
from skinproof.measuring.pair_showing import PairShowing, Shown
from skinproof.measuring.run_poses import run_poses
from skinproof.measuring.subject import Subject, Weights, reasons
from skinproof.measuring.summarize import causes_of, primitive_measurement, summary
from skinproof.measuring.worst_vertex import Holder, Sight, told
from skinproof.model import Character, Clip, Influences, Primitive
from skinproof.model.match import Match
from skinproof.model.measurement import Measurement, PrimitiveMeasurement, Unmeasured, WorstVertex
from skinproof.poses import PoseSchedule, palettes

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class MatchedCharacters:
    """Two characters whose vertices and clips were matched.

    Attributes:
        original: what is measured against.
        result: what is measured.
        reason: why they could not be compared vertex by vertex.
        clips: of the result, one for each of the original's.
        found: which vertices are the same.
    """

    original: Character
    result: Character
    reason: str
    clips: tuple[Clip, ...]
    found: Correspondence


def match_characters(original: Character, result: Character, /, *, reason: str) -> MatchedCharacters:
    """Match the clips and vertices of two characters; `reason` says why that is needed.

    Raises:
        ComparisonError: their clips do not go together, or there are too many candidates or joints (`correspond`).
    """
    return MatchedCharacters(original, result, reason, pair_clips(original, result), correspond(original, result))


def measure_pairs(
    matched: MatchedCharacters,
    schedule: PoseSchedule,
    /,
    *,
    reference: str = "stored",
    progress: Callable[[int, int], None] | None = None,
) -> Measurement:
    """Return how far the vertices of the result lie from those that they are matched with; `match` has the shares.

    Vertices without a partner are in no figure. The bound is infinite: it is about one set of joints.

    Args:
        matched: the two characters.
        schedule: of the poses of the original; the result is posed by its own clips at the same times.
        reference: as in `measure`.
        progress: as in `measure`.

    Raises:
        ComparisonError: the poses are made, and joints of the result have no partner to follow.
    """
    original, result, found = matched.original, matched.result, matched.found
    poses = PairPoses(original, result, schedule, clips=matched.clips, followed=_followed(matched, schedule))
    diagonal = rest_diagonal(original, _counted(original))
    subjects, unmeasured = _subjects(matched, reference)
    showings = [one for pairs in found.pairs for one in _showings(matched, subjects, pairs, poses)]
    clips, still = run_poses(original, schedule, showings, diagonal=diagonal, progress=progress)
    primitives = tuple(
        _primitive(matched, schedule, poses, [one for one in showings if one.subject is subject])
        for subject in subjects.values()
        if any(one.subject is subject for one in showings)
    )
    return Measurement(
        reference=reference,
        diagonal=diagonal,
        made_poses=schedule.is_range_of_motion,
        clips=clips,
        primitives=primitives,
        summary=summary(primitives),
        causes=causes_of([(one.subject, one.runs) for one in showings]),
        unmeasured=unmeasured,
        still_joints=still,
        match=_match(matched, diagonal),
    )


def _match(matched: MatchedCharacters, diagonal: float) -> Match:
    size = rest_diagonal(matched.result, _counted(matched.result))
    ratio = size / diagonal if diagonal > 0 and size > 0 else None
    return Match(matched.reason, matched.found.original, matched.found.result, matched.found.radius, ratio)


def _counted(character: Character) -> list[tuple[Primitive, Mask]]:
    """Return the primitives that a skin shows, and which of their vertices have a place."""
    counted = []
    for primitive in character.primitives:
        joint_count = character.joint_count_of(primitive)
        if joint_count is not None:
            influences = primitive.influences
            broken = [mask for _, mask in reasons(influences, influences, joint_count, joint_count)]
            counted.append((primitive, ~np.logical_or.reduce(broken)))
    return counted


def _followed(matched: MatchedCharacters, schedule: PoseSchedule) -> dict[int, int]:
    """Return node of the result → node of the original with which it moves in made poses.

    Raises:
        ComparisonError: the poses are made, and a joint with weights has none.
    """
    original, result = matched.original, matched.result
    leaders: dict[int, int] = {}
    lone: list[str] = []
    for group in matched.found.groups:
        nodes = {
            label: node
            for skin, labels in reversed([*group.original.items()])
            for label, node in zip(labels, original.skins[skin].joints.tolist(), strict=True)
        }
        for index, labels in group.result.items():
            skin = result.skins[index]
            shown = [primitive for primitive in result.primitives if index in result.skins_of(primitive)]
            weighted = weighted_joints(skin, shown)
            for joint, label in enumerate(labels):
                if label in nodes:
                    leaders[int(skin.joints[joint])] = nodes[label]
                elif weighted[joint]:
                    lone.append(result.joint_name(skin, joint))
    if lone and schedule.is_range_of_motion:
        raise ComparisonError(
            f"{original.name} and {result.name} cannot be compared: no clip moves their joints, and {lone[0]} of "
            f"{result.name} has no joint of its name to move with. Compare files with clips, or the same joint names."
        )
    return leaders


def _subjects(matched: MatchedCharacters, reference: str) -> tuple[dict[int, Subject], tuple[Unmeasured, ...]]:
    """Return by index each primitive of the original that has pairs, and what cannot be measured."""
    original = matched.original
    subjects: dict[int, Subject] = {}
    unmeasured: list[Unmeasured] = []
    for index, primitive in enumerate(original.primitives):
        if not original.skins_of(primitive):
            reason = "no node shows it through a skin"
            gap = Unmeasured(primitive.pointer, primitive.name, reason, primitive.vertex_count, 0, posable=False)
            unmeasured.append(gap)
        pairs = [one for one in matched.found.pairs if one.primitive == index]
        if not pairs:
            continue
        measured = np.zeros(primitive.vertex_count, np.bool_)
        for one in pairs:
            measured[one.vertices] = True
        for reason, broken in _broken(matched, primitive, pairs):
            vertices = np.flatnonzero(broken & measured)
            measured[vertices] = False
            if len(vertices):
                gap = Unmeasured(primitive.pointer, primitive.name, reason, len(vertices), int(vertices[0]))
                unmeasured.append(gap)
        stored = Weights.of(primitive.influences, measured)
        start = stored.normalized() if reference == "normalized" else stored
        subjects[index] = Subject(primitive, index, measured, start)
    return subjects, tuple(unmeasured)


def _broken(matched: MatchedCharacters, primitive: Primitive, pairs: Sequence[Pairs]) -> Iterator[tuple[str, Mask]]:
    """Yield each reason not to measure a vertex of a primitive, and the vertices it holds for in any pair, bool [V]."""
    found: dict[str, Mask] = {}
    for one in pairs:
        after = matched.result.primitives[one.result_primitive].influences
        joint_counts = len(matched.original.skins[one.skin]), len(matched.result.skins[one.result_skin])
        rows = _rows(primitive.influences, one.vertices), _rows(after, one.result_vertices)
        for reason, broken in reasons(*rows, *joint_counts):
            mask = found.setdefault(reason, np.zeros(primitive.vertex_count, np.bool_))
            mask[one.vertices[broken]] = True
    yield from found.items()


def _rows(influences: Influences, vertices: NDArray[np.intp]) -> Influences:
    return Influences(influences.joints[vertices], influences.weights[vertices], influences.set_formats, None)


def _showings(
    matched: MatchedCharacters, subjects: Mapping[int, Subject], pairs: Pairs, poses: PairPoses
) -> Iterator[PairShowing]:
    """Yield the measured pairs in every instance that shows them, the first of the original with the first result's."""
    original, result = matched.original, matched.result
    subject, after = subjects[pairs.primitive], result.primitives[pairs.result_primitive]
    measured = subject.measured[pairs.vertices]
    if not measured.any():
        return
    instances = _instances(original, subject.primitive, pairs.skin)
    others = _instances(result, after, pairs.result_skin)
    for number in range(max(len(instances), len(others))):
        yield PairShowing(
            subject,
            (pairs.skin, pairs.result_skin),
            Shown(subject.primitive, instances[min(number, len(instances) - 1)], pairs.vertices[measured]),
            Shown(after, others[min(number, len(others) - 1)], pairs.result_vertices[measured]),
            poses,
        )


def _instances(character: Character, primitive: Primitive, skin: int) -> list[int]:
    return [index for index in character.showings_of(primitive) if character.instances[index].skin == skin]


def _primitive(
    matched: MatchedCharacters, schedule: PoseSchedule, poses: PairPoses, showings: Sequence[PairShowing]
) -> PrimitiveMeasurement:
    subject = showings[0].subject

    def find_worst(sight: Sight) -> WorstVertex:
        return _worst(matched, schedule, poses, showings[sight.run], sight)

    return primitive_measurement(schedule, subject, [one.runs[0] for one in showings], find_worst)


def _worst(
    matched: MatchedCharacters, schedule: PoseSchedule, poses: PairPoses, showing: PairShowing, sight: Sight
) -> WorstVertex:
    """Return the worst vertex with the one of its partners that lies furthest from it in that pose."""
    original, result, pose = matched.original, matched.result, np.array([sight.pose])
    worlds = schedule.worlds(sight.clip, pose)
    skin, other_skin = original.skins[showing.skin], result.skins[showing.result_skin]
    before, after = showing.before, showing.after
    start = Holder.of(
        original,
        before.primitive,
        skin,
        sight.vertex,
        showing.subject.start.weights[sight.vertex],
        palette=palettes(skin, worlds),
        morph_weights=schedule.morph_weights(sight.clip, pose)[before.instance][0],
    )
    palette = palettes(other_skin, poses.worlds(sight.clip, pose, worlds))
    morph_weights = poses.morph_weights(sight.clip, pose)[after.instance][0]
    weights = after.primitive.influences.weights.astype(np.float64)
    partners = [
        Holder.of(
            result, after.primitive, other_skin, vertex, weights[vertex], palette=palette, morph_weights=morph_weights
        )
        for vertex in after.vertices[before.vertices == sight.vertex].tolist()
    ]
    furthest = max(partners, key=lambda partner: math.dist(start.place, partner.place))
    return told(schedule, showing.subject, skin, sight, start, furthest)
