"""From running results to figures: of a primitive, of a character, of a clip, of a cause; the worst vertex by name.

The figures are this project's own: docs/measuring.md, "The figures". Percentiles are those of the inverted empirical
distribution: R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", 1996, definition 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.running import Running
from skinproof.measuring.subject import Subject
from skinproof.model import Character, Influences, Skin
from skinproof.model.measurement import (
    PERCENTILES,
    Cause,
    ClipMeasurement,
    PrimitiveMeasurement,
    Summary,
    WorstVertex,
)
from skinproof.poses import ClipSchedule, PoseSchedule, palettes
from skinproof.skinning import rest_positions, skin_positions

Array = NDArray[np.float64]
Runs = Sequence[tuple[Subject, Running]]


def summary(primitives: Sequence[PrimitiveMeasurement], /) -> Summary:
    """Return the figures of the measured vertices of several primitives together."""

    def pooled(name: str) -> Array:
        return np.concatenate([np.empty(0), *(getattr(one, name)[one.measured] for one in primitives)])

    return _summary(pooled("max_error"), pooled("rms"), pooled("bound"))


def primitive_measurement(
    original: Character,
    result: Character,
    schedule: PoseSchedule,
    subject: Subject,
    by_instance: Mapping[int, Running],
    /,
) -> PrimitiveMeasurement:
    """Return the figures of one primitive, the worst of the instances that show it, vertex by vertex.

    Args:
        original: the character measured against.
        result: the character measured.
        schedule: the poses that were run.
        subject: the primitive.
        by_instance: index of each instance that shows it (`Character.showings_of`) → its results over all clips.
    """
    instances, runs = list(by_instance), list(by_instance.values())
    squared = np.stack([run.max_squared for run in runs])
    vertices = np.arange(len(subject.positions))
    at_worst = np.argmax(squared, axis=0)
    max_error = np.sqrt(squared[at_worst, vertices])
    rms = np.sqrt(np.max([run.mean_squared for run in runs], axis=0))
    bound = np.max([run.bound for run in runs], axis=0)
    number = np.stack([run.max_pose for run in runs])[at_worst, vertices]
    clip, pose = _places(schedule, np.maximum(number, 0))
    measured = subject.measured
    worst = None
    if measured.any():
        vertex = int(np.argmax(np.where(measured, max_error, -1.0)))
        sight = _Sight(vertex, instances[at_worst[vertex]], int(clip[vertex]), int(pose[vertex]))
        worst = _worst(original, result, schedule, subject, sight, float(max_error[vertex]))
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
        vertex = int(np.argmax(squared)) if len(squared) else -1
        if vertex >= 0 and squared[vertex] > furthest:
            furthest = float(squared[vertex])
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
        vertex = int(np.argmax(squared)) if len(squared) else -1
        if vertex >= 0 and squared[vertex] > furthest:
            furthest, pointer, worst = float(squared[vertex]), subject.primitive.pointer, vertex
    rms = _pooled_rms([(subject, run.mean_squared) for subject, run in runs])
    return Cause(name, max=math.sqrt(furthest), rms=rms, primitive=pointer, vertex=worst)


@dataclass(frozen=True, slots=True)
class _Sight:
    """Where and when a vertex was seen: indices of vertex, instance, clip and pose in the clip."""

    vertex: int
    instance: int
    clip: int
    pose: int


def _worst(
    original: Character, result: Character, schedule: PoseSchedule, subject: Subject, sight: _Sight, metres: float
) -> WorstVertex:
    skin, row = original.skins[original.instances[sight.instance].skin], slice(sight.vertex, sight.vertex + 1)
    pose = np.array([sight.pose])
    matrices = palettes(skin, schedule.worlds(sight.clip, pose))
    morph_weights = schedule.morph_weights(sight.clip, pose)[sight.instance][0]
    positions = rest_positions(subject.primitive, morph_weights)[row]
    before, after = subject.primitive.influences, result.primitives[subject.index].influences

    def placed(joints: NDArray[np.uint16], weights: Array) -> tuple[float, float, float]:
        x, y, z = skin_positions(positions, joints[row], weights[row], matrices)[0, 0].tolist()
        return x, y, z

    def named(influences: Influences) -> tuple[tuple[str, ...], tuple[float, ...]]:
        return _heaviest_first(influences, sight.vertex, skin, original)

    (joints_before, weights_before), (joints_after, weights_after) = named(before), named(after)
    return WorstVertex(
        metres=metres,
        primitive=subject.primitive.pointer,
        name=subject.primitive.name,
        vertex=sight.vertex,
        skin=skin.pointer,
        clip=schedule.clips[sight.clip].name,
        time=schedule.clips[sight.clip].time(sight.pose),
        pose=sight.pose,
        position_before=placed(subject.start.joints, subject.start.weights),
        position_after=placed(after.joints, after.weights.astype(np.float64)),
        joints_before=joints_before,
        weights_before=weights_before,
        joints_after=joints_after,
        weights_after=weights_after,
    )


def _heaviest_first(
    influences: Influences, vertex: int, skin: Skin, original: Character
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return the names of the vertex's joints and their weights, both without its empty slots."""
    joints, weights = influences.joints[vertex].tolist(), influences.weights[vertex].tolist()
    slots = sorted((-weight, joint) for joint, weight in zip(joints, weights, strict=True) if weight != 0)
    names = tuple(original.joint_name(skin, joint) for _, joint in slots)
    return names, tuple(-weight for weight, _ in slots)


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
