"""From running results to figures: of a primitive, of a character, of a clip, of a cause.

The figures are this project's own: docs/measuring.md, "The figures". Percentiles are those of the inverted empirical
distribution: R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", 1996, definition 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.running import Running
from skinproof.measuring.subject import Subject
from skinproof.measuring.worst_vertex import Sight
from skinproof.model.measurement import (
    CAUSES,
    PERCENTILES,
    Cause,
    ClipMeasurement,
    PrimitiveMeasurement,
    Summary,
    WorstVertex,
)
from skinproof.poses import ClipSchedule, PoseSchedule
from skinproof.tolerances import SAME_DISPLACEMENT

Array = NDArray[np.float64]
Runs = Sequence[tuple[Subject, Running]]


def summary(primitives: Sequence[PrimitiveMeasurement], /) -> Summary:
    """Return the figures of the measured vertices of several primitives together."""

    def pooled(name: str) -> Array:
        return np.concatenate([np.empty(0), *(getattr(one, name)[one.measured] for one in primitives)])

    return _summary(pooled("max_error"), pooled("rms"), pooled("bound"))


def primitive_measurement(
    schedule: PoseSchedule, subject: Subject, runs: Sequence[Running], find_worst: Callable[[Sight], WorstVertex], /
) -> PrimitiveMeasurement:
    """Return the figures of one primitive, the worst of the runs over it, vertex by vertex.

    Args:
        schedule: the poses that were run.
        subject: the primitive.
        runs: the results over all clips, one for each way in which the primitive is shown.
        find_worst: tells of the vertex that moves furthest, from where and when it was seen.
    """
    squared = np.stack([run.max_squared for run in runs])
    vertices = np.arange(len(subject.measured))
    at_worst = np.argmax(squared, axis=0)
    max_error = np.sqrt(squared[at_worst, vertices])
    rms = np.sqrt(np.max([run.mean_squared for run in runs], axis=0))
    bound = np.max([run.bound for run in runs], axis=0)
    number = np.stack([run.max_pose for run in runs])[at_worst, vertices]
    clip, pose = _places(schedule, np.maximum(number, 0))
    measured = subject.measured
    worst = None
    if measured.any():
        vertex = _first_largest(np.where(measured, max_error, -1.0))
        seen = int(at_worst[vertex]), vertex, int(clip[vertex]), int(pose[vertex])
        worst = find_worst(Sight(float(max_error[vertex]), *seen))
    return PrimitiveMeasurement(
        pointer=subject.primitive.pointer,
        name=subject.primitive.name,
        measured=measured,
        max_error=max_error,
        clip=clip,
        time=_times(schedule, clip, pose),
        pose=pose,
        rms=rms,
        bound=bound,
        worst=worst,
        summary=_summary(max_error[measured], rms[measured], bound[measured]),
    )


def clip_measurement(clip: ClipSchedule, runs: Runs, /) -> ClipMeasurement:
    """Return the figures of the clip that `runs`, of all primitives and skins, have just ended."""
    furthest, pose = 0.0, 0
    for subject, run in runs:
        squared = np.where(subject.measured, run.clip_max_squared, 0.0)
        vertex = _first_largest(squared) if len(squared) else -1
        if vertex >= 0 and squared[vertex] > furthest:
            furthest = float(squared.max())
            pose = int(run.clip_max_pose[vertex]) - clip.first_pose
    return ClipMeasurement(
        name=clip.name,
        duration=clip.duration,
        poses=clip.pose_count,
        max=math.sqrt(furthest),
        rms=_pooled_rms([(subject, run.clip_mean_squared) for subject, run in runs]),
        time=clip.time(pose),
        pose=pose,
    )


def cause(name: str, runs: Runs, /) -> Cause:
    """Return the figures of one part of the displacement, from its runs over all primitives and skins."""
    furthest, pointer, worst = 0.0, "", -1
    for subject, run in runs:
        squared = np.where(subject.measured, run.max_squared, 0.0)
        vertex = _first_largest(squared) if len(squared) else -1
        if vertex >= 0 and squared[vertex] > furthest:
            furthest, pointer, worst = float(squared.max()), subject.primitive.pointer, vertex
    rms = _pooled_rms([(subject, run.mean_squared) for subject, run in runs])
    return Cause(name, max=math.sqrt(furthest), rms=rms, primitive=pointer, vertex=worst)


def causes_of(showings: Sequence[tuple[Subject, Sequence[Running]]], /) -> tuple[Cause, ...]:
    """Return the figures of all parts of the displacement, from the runs of each showing: the whole, then the parts."""
    return tuple(
        cause(name, [(subject, runs[number]) for subject, runs in showings]) for number, name in enumerate(CAUSES, 1)
    )


def _first_largest(values: Array) -> int:
    """The index of the largest value, or of a NaN; of those that differ by rounding alone, the first."""
    largest = values.max()
    if not np.isfinite(largest):
        return int(np.argmax(values))
    return int(np.argmax(values >= largest - np.abs(largest) * SAME_DISPLACEMENT))


def _places(schedule: PoseSchedule, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return, for pose numbers [V], the index of the clip, and that of the pose in the clip."""
    first_poses = np.array([clip.first_pose for clip in schedule.clips])
    clips = np.searchsorted(first_poses, numbers, side="right") - 1
    poses = numbers - first_poses[clips]
    return clips.astype(np.int32), poses.astype(np.int32)


def _times(schedule: PoseSchedule, clips: NDArray[np.int32], poses: NDArray[np.int32]) -> Array | None:
    """Return the time in seconds of each pose [V], given as by `_places`, or None if the poses are made."""
    if schedule.is_range_of_motion:
        return None
    times = np.zeros(len(poses))
    for index in np.unique(clips):
        of_clip, here = schedule.clips[index].times, clips == index
        assert of_clip is not None
        times[here] = of_clip[poses[here]]
    return times


def _summary(max_error: Array, rms: Array, bound: Array) -> Summary:
    """Return the figures of n measured vertices from theirs, each float64 [n], metres."""
    if not len(max_error):
        return Summary(0, 0.0, 0.0, 0.0, {})
    # Percentiles that are displacements of actual vertices; interpolating would make NaN of infinite ones.
    found = np.percentile(max_error, PERCENTILES, method="inverted_cdf")
    return Summary(
        vertices=len(max_error),
        max=float(max_error.max()),
        rms=math.sqrt(_mean(rms**2)),
        bound=float(bound.max()),
        percentiles={percent: float(value) for percent, value in zip(PERCENTILES, found, strict=True)},
    )


def _pooled_rms(means: Sequence[tuple[Subject, Array]]) -> float:
    """Root of the mean over all measured vertices, metres; of the skins that show a primitive the worst counts.

    The means are float64 [V] of each subject's vertices, square metres.
    """
    worst: dict[int, tuple[Subject, Array]] = {}
    for subject, mean in means:
        known = worst.get(subject.index, (subject, mean))[1]
        worst[subject.index] = (subject, np.maximum(known, mean))
    return math.sqrt(_mean(np.concatenate([np.empty(0), *(mean[one.measured] for one, mean in worst.values())])))


def _mean(values: Array) -> float:
    """Return the mean of float64 [n], 0 for none."""
    with np.errstate(over="ignore"):
        return float(values.mean()) if len(values) else 0.0
