"""Measure displacement: how far each vertex of a result lies from where the original puts it, in every pose.

The displacement of a vertex in a pose is e = Σ (w′ − w) M p in world space, in full: nothing is assumed of the sums.
The definitions are this project's own and stand in docs/measuring.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np

from skinproof.errors import ComparisonError, OptionError
from skinproof.measuring.compare import require_comparable
from skinproof.measuring.extent import diagonal_of
from skinproof.measuring.showing import Showing
from skinproof.measuring.still_joints import StillJoints
from skinproof.measuring.subject import Subject, make_subject
from skinproof.measuring.summarize import cause, clip_measurement, primitive_measurement, summary
from skinproof.model import Character, InfluenceChange
from skinproof.model.measurement import CAUSES, ClipMeasurement, Measurement, StillJoint, Unmeasured
from skinproof.poses import PoseSchedule, palettes, rest_worlds
from skinproof.skinning import rest_positions, skin_positions

REFERENCES = ("stored", "normalized")
"""What displacement is measured against: the original's weights as they are, or divided by their sum."""


def measure(
    original: Character,
    result: Character,
    /,
    *,
    reference: str = "stored",
    fps: float = 30.0,
    samples: int | None = None,
    schedule: PoseSchedule | None = None,
    changes: Sequence[InfluenceChange] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Measurement:
    """Return how far the vertices of `result` lie from those of `original`: who, how much, when, and by which cause.

    The poses are those of `original`. They are made and measured in blocks; memory does not grow with their number.
    Vertices whose position is not defined (weights that are not finite, joints out of range, an original whose
    weights sum to nothing) are left out of every figure and listed in `Measurement.unmeasured`.

    Args:
        original: the source.
        result: limited or edited: the same primitives, positions, skins, joints and poses.
        reference: "stored" measures against the original's weights as they are; "normalized" leaves out what
            normalizing them changes.
        fps: poses per second of each clip at the least, besides all of its key times.
        samples: poses per clip instead, evenly from its first key to its last.
        schedule: the poses, in place of those that `fps` and `samples` ask for.
        changes: the result's influences before packing, one per primitive, to tell limiting from packing; None takes
            `result.changes`. A file that was read back knows none: pass those of the character that was written.
        progress: called with the number of poses done and of all poses, now and then.

    Raises:
        ComparisonError: the two characters cannot be compared; the message says what differs.
        OptionError: `reference`, `fps` or `samples` makes no sense.
    """
    if reference not in REFERENCES:
        raise OptionError(f"reference: expected one of {', '.join(REFERENCES)}, got {reference!r}")
    require_comparable(original, result)
    schedule = schedule or PoseSchedule.from_clips(original, fps=fps, samples=samples)
    subjects, unmeasured = _subjects(original, result, reference, result.changes if changes is None else changes)
    diagonal = _diagonal(original, subjects)
    showings = _showings(original, subjects)
    watches = _watches(original, subjects, diagonal)
    clips = _run(original, schedule, showings, watches, progress)
    totals = [{one.instance: one.runs[0] for one in showings if one.subject is subject} for subject in subjects]
    primitives = tuple(
        primitive_measurement(original, result, schedule, subject, by_instance)
        for subject, by_instance in zip(subjects, totals, strict=True)
    )
    return Measurement(
        reference=reference,
        diagonal=diagonal,
        made_poses=schedule.is_range_of_motion,
        clips=clips,
        primitives=primitives,
        summary=summary(primitives),
        causes=tuple(
            cause(name, [(one.subject, one.runs[number]) for one in showings])
            for number, name in enumerate(CAUSES, start=1)
        ),
        unmeasured=unmeasured,
        still_joints=tuple(_still(original, watches)),
    )


def _showings(original: Character, subjects: Sequence[Subject]) -> list[Showing]:
    """Return every primitive in every instance that may show it differently: the total first, then the causes."""
    return [
        Showing(original, subject, instance, [subject.total, *subject.causes.values()], bounded=1)
        for subject in subjects
        for instance in original.showings_of(subject.primitive)
    ]


def _subjects(
    original: Character, result: Character, reference: str, changes: Sequence[InfluenceChange]
) -> tuple[list[Subject], tuple[Unmeasured, ...]]:
    if len(changes) not in (0, len(original.primitives)):
        raise ComparisonError(
            f"changes: expected one per primitive ({len(original.primitives)}) or none, got {len(changes)}"
        )
    subjects: list[Subject] = []
    unmeasured: list[Unmeasured] = []
    for index, (before, after) in enumerate(zip(original.primitives, result.primitives, strict=True)):
        joint_count = original.joint_count_of(before)
        if joint_count is None:
            reason = "no node shows it through a skin"
            unmeasured.append(Unmeasured(before.pointer, before.name, reason, before.vertex_count, 0, posable=False))
            continue
        subject, gaps = make_subject(
            before,
            after,
            changes[index] if changes else None,
            index=index,
            reference=reference,
            joint_count=joint_count,
        )
        subjects.append(subject)
        unmeasured += gaps
    return subjects, tuple(unmeasured)


def _diagonal(original: Character, subjects: Sequence[Subject]) -> float:
    """Bounding diagonal of all vertices that can be placed, as stored, at rest, world space, metres."""
    worlds = rest_worlds(original.nodes)
    corners = []
    for subject in subjects:
        for instance in (original.instances[index] for index in original.showings_of(subject.primitive)):
            matrices = palettes(original.skins[instance.skin], worlds)
            positions = rest_positions(subject.primitive, instance.morph_weights)
            posed = skin_positions(positions, subject.stored.joints, subject.stored.weights, matrices)
            posed = posed[subject.measured]
            if len(posed):
                corners += [posed.min(axis=0), posed.max(axis=0)]
    return diagonal_of(np.array(corners).reshape(-1, 3))


def _watches(original: Character, subjects: Sequence[Subject], diagonal: float) -> dict[int, StillJoints]:
    watches = {}
    for index, skin in enumerate(original.skins):
        shown = [one.primitive for one in subjects if index in original.skins_of(one.primitive)]
        if shown:
            watches[index] = StillJoints(original.nodes, skin, shown, diagonal=diagonal)
    return watches


def _still(original: Character, watches: dict[int, StillJoints]) -> list[StillJoint]:
    still: list[StillJoint] = []
    for index, watch in watches.items():
        skin = original.skins[index]
        still += [StillJoint(skin.pointer, joint, original.joint_name(skin, joint)) for joint in watch.still.tolist()]
    return still


def _run(
    original: Character,
    schedule: PoseSchedule,
    showings: Sequence[Showing],
    watches: dict[int, StillJoints],
    progress: Callable[[int, int], None] | None,
) -> tuple[ClipMeasurement, ...]:
    clips = []
    skins = sorted({one.skin for one in showings})
    for clip_index, blocks in groupby(schedule.blocks(), key=lambda block: block.clip_index):
        for block in blocks:
            # Skin by skin, so that one palette is held at a time: a crowd may have hundreds.
            for skin in skins:
                matrices = palettes(original.skins[skin], block.worlds)
                watches[skin].add(block.worlds)
                for showing in (one for one in showings if one.skin == skin):
                    showing.add(matrices, block)
            if progress is not None:
                progress(block.first_pose + len(block.worlds), schedule.pose_count)
        clip = schedule.clips[clip_index]
        for run in (run for one in showings for run in one.runs):
            run.end_clip(weight=clip.weight, poses=clip.pose_count)
        clips.append(clip_measurement(clip, [(one.subject, one.runs[0]) for one in showings]))
    return tuple(clips)
