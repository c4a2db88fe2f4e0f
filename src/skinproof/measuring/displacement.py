"""Measure displacement: how far each vertex of a result lies from where the original puts it, in every pose.

The displacement of a vertex in a pose is e = Σ (w′ − w) M p in world space, in full: nothing is assumed of the sums.
The definitions are this project's own and stand in docs/measuring.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from skinproof.errors import ComparisonError, OptionError
from skinproof.measuring.compare import require_comparable
from skinproof.measuring.extent import diagonal_of
from skinproof.measuring.running import Running
from skinproof.measuring.still_joints import StillJoints
from skinproof.measuring.subject import Subject, make_subject
from skinproof.measuring.summarize import cause, clip_measurement, primitive_measurement, summary
from skinproof.model import Character, InfluenceChange
from skinproof.model.measurement import CAUSES, ClipMeasurement, Measurement, StillJoint, Unmeasured
from skinproof.poses import PoseBlock, PoseSchedule, palettes, rest_worlds
from skinproof.poses.morphs import same_shapes
from skinproof.skinning import rest_positions, skin_positions

Array = NDArray[np.float64]

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
    tracks = [
        _Track(original, subject, showing)
        for subject in subjects
        for showing in original.showings_of(subject.primitive)
    ]
    watches = _watches(original, subjects, diagonal)
    clips = _run(original, schedule, tracks, watches, progress)
    totals = [{track.showing: track.total for track in tracks if track.subject is subject} for subject in subjects]
    primitives = tuple(
        primitive_measurement(original, result, schedule, subject, by_showing)
        for subject, by_showing in zip(subjects, totals, strict=True)
    )
    return Measurement(
        reference=reference,
        diagonal=diagonal,
        made_poses=schedule.is_range_of_motion,
        clips=clips,
        primitives=primitives,
        summary=summary(primitives),
        causes=tuple(cause(name, [(t.subject, t.causes[name]) for t in tracks]) for name in CAUSES),
        unmeasured=unmeasured,
        still_joints=tuple(_still(original, watches)),
    )


class _Track:
    """One primitive in one of the instances that show it, through all poses."""

    def __init__(self, original: Character, subject: Subject, showing: int) -> None:
        self.subject, self.showing = subject, showing
        self.skin = original.instances[showing].skin
        self._weights = np.zeros(0)
        self._morphed = subject.primitive.morphed
        self.total = Running(subject.positions, subject.total, bounded=True, morphed=self._morphed)
        self.causes = {
            name: Running(subject.positions, deltas, morphed=self._morphed) for name, deltas in subject.causes.items()
        }

    @property
    def runs(self) -> tuple[Running, ...]:
        return (self.total, *self.causes.values())

    def add(self, matrices: Array, block: PoseBlock) -> None:
        """Add a block of poses with the palettes of the skin, float64 [P, J, 4, 4]."""
        for run in self.runs:
            run.add(matrices, first_pose=block.first_pose)
        if self._morphed is None:
            return
        weights = block.morph_weights[self.showing]
        for shape in same_shapes(weights):
            positions = None
            if not np.array_equal(weights[shape.start], self._weights):
                self._weights = weights[shape.start]
                positions = rest_positions(self.subject.primitive, self._weights)
            for run in self.runs:
                run.add_morphed(positions, matrices[shape], first_pose=block.first_pose + shape.start)


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
        for instance in (original.instances[showing] for showing in original.showings_of(subject.primitive)):
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
    tracks: Sequence[_Track],
    watches: dict[int, StillJoints],
    progress: Callable[[int, int], None] | None,
) -> tuple[ClipMeasurement, ...]:
    clips = []
    skins = sorted({track.skin for track in tracks})
    for clip_index, blocks in groupby(schedule.blocks(), key=lambda block: block.clip_index):
        for block in blocks:
            # Skin by skin, so that one palette is held at a time: a crowd may have hundreds.
            for skin in skins:
                matrices = palettes(original.skins[skin], block.worlds)
                watches[skin].add(block.worlds)
                for track in (track for track in tracks if track.skin == skin):
                    track.add(matrices, block)
            if progress is not None:
                progress(block.first_pose + len(block.worlds), schedule.pose_count)
        clip = schedule.clips[clip_index]
        for run in (run for track in tracks for run in track.runs):
            run.end_clip(weight=clip.weight, poses=clip.pose_count)
        clips.append(clip_measurement(clip, [(track.subject, track.total) for track in tracks]))
    return tuple(clips)
