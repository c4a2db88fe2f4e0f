"""Measure displacement: how far each vertex of a result lies from where the original puts it, in every pose.

The displacement of a vertex in a pose is e = Σ (w′ − w) M p in world space, in full: nothing is assumed of the sums.
The definitions are this project's own and stand in docs/measuring.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from skinproof.errors import ComparisonError, OptionError
from skinproof.measuring.compare import first_difference, refusal
from skinproof.measuring.extent import rest_diagonal
from skinproof.measuring.paired import match_characters, measure_pairs
from skinproof.measuring.run_poses import run_poses
from skinproof.measuring.showing import Showing
from skinproof.measuring.subject import DeltaSubject, make_subject
from skinproof.measuring.summarize import causes_of, primitive_measurement, summary
from skinproof.measuring.worst_vertex import Sight, worst_vertex
from skinproof.model import Character, InfluenceChange
from skinproof.model.measurement import Measurement, PrimitiveMeasurement, Unmeasured, WorstVertex
from skinproof.poses import PoseSchedule

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
    if changes is None:
        changes = result.changes
    difference = first_difference(original, result)
    if difference is not None:
        if changes:
            raise refusal(original, result, difference)
        pairs = match_characters(original, result, reason=difference[0])
        schedule = schedule or PoseSchedule.from_clips(original, fps=fps, samples=samples, beside=pairs.clips)
        return measure_pairs(pairs, schedule, reference=reference, progress=progress)
    schedule = schedule or PoseSchedule.from_clips(original, fps=fps, samples=samples)
    subjects, unmeasured = _subjects(original, result, reference, changes)
    diagonal = rest_diagonal(original, [(subject.primitive, subject.measured) for subject in subjects])
    showings = _showings(original, subjects)
    clips, still = run_poses(original, schedule, showings, diagonal=diagonal, progress=progress)
    primitives = tuple(
        _primitive(original, result, schedule, [one for one in showings if one.subject is subject])
        for subject in subjects
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
    )


def _primitive(
    original: Character, result: Character, schedule: PoseSchedule, showings: Sequence[Showing]
) -> PrimitiveMeasurement:
    subject = showings[0].subject

    def find_worst(sight: Sight) -> WorstVertex:
        return worst_vertex(original, result, schedule, subject, showings[sight.run].instance, sight)

    return primitive_measurement(schedule, subject, [one.runs[0] for one in showings], find_worst)


def _showings(original: Character, subjects: Sequence[DeltaSubject]) -> list[Showing]:
    """Return every primitive in every instance that may show it differently: the total first, then the causes."""
    return [
        Showing(original, subject, instance, [subject.total, *subject.causes.values()], bounded=1)
        for subject in subjects
        for instance in original.showings_of(subject.primitive)
    ]


def _subjects(
    original: Character, result: Character, reference: str, changes: Sequence[InfluenceChange]
) -> tuple[list[DeltaSubject], tuple[Unmeasured, ...]]:
    if len(changes) not in (0, len(original.primitives)):
        raise ComparisonError(
            f"changes: expected one per primitive ({len(original.primitives)}) or none, got {len(changes)}"
        )
    subjects: list[DeltaSubject] = []
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
