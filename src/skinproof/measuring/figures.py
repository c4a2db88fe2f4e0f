"""Maximum and root mean square of several results in the same poses, in one pass: `measure` without its particulars.

The figures are this project's own: docs/measuring.md, "The figures".
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.compare import require_comparable
from skinproof.measuring.running import Running
from skinproof.measuring.subject import make_subject
from skinproof.model import Character
from skinproof.model.fit import Figures
from skinproof.poses import PoseSchedule, palettes


def measure_figures(
    original: Character, results: Sequence[Character], /, *, schedule: PoseSchedule
) -> tuple[Figures, ...]:
    """Return what `measure` against the normalized original finds over all vertices, of each result.

    Args:
        original: the source.
        results: limited or edited: the same primitives, positions, skins, joints and poses.
        schedule: the poses.

    Raises:
        ComparisonError: a result cannot be compared with the original.
    """
    tracks = [_tracks(original, result) for result in results]
    skins = sorted({skin for one in tracks for _, by_skin in one for skin in by_skin})
    every = [(skin, run) for one in tracks for _, by_skin in one for skin, run in by_skin.items()]
    clip = 0
    for block in schedule.blocks():
        if block.clip_index != clip:
            _end_clip(schedule, clip, every)
            clip = block.clip_index
        for skin in skins:
            matrices = palettes(original.skins[skin], block.worlds)
            for run in (run for shown, run in every if shown == skin):
                run.add(matrices, first_pose=block.first_pose)
    _end_clip(schedule, clip, every)
    return tuple(_figures(one) for one in tracks)


_Tracks = list[tuple[NDArray[np.bool_], dict[int, Running]]]


def _tracks(original: Character, result: Character) -> _Tracks:
    """Of each primitive that a skin shows: which vertices are measured, and the running results by skin."""
    require_comparable(original, result)
    tracks: _Tracks = []
    for index, (before, after) in enumerate(zip(original.primitives, result.primitives, strict=True)):
        joint_count = original.joint_count_of(before)
        if joint_count is None:
            continue
        change = result.changes[index] if result.changes else None
        subject, _ = make_subject(before, after, change, index=index, reference="normalized", joint_count=joint_count)
        by_skin = {skin: Running(subject.positions, subject.total) for skin in original.skins_of(before)}
        tracks.append((subject.measured, by_skin))
    return tracks


def _end_clip(schedule: PoseSchedule, clip: int, every: Sequence[tuple[int, Running]]) -> None:
    for _, run in every:
        run.end_clip(weight=schedule.clips[clip].weight, poses=schedule.clips[clip].pose_count)


def _figures(tracks: _Tracks) -> Figures:
    """Of the skins that show a primitive the worst counts, vertex by vertex."""
    furthest, means = [np.zeros(0)], [np.zeros(0)]
    for measured, by_skin in tracks:
        furthest.append(np.max([run.max_squared for run in by_skin.values()], axis=0)[measured])
        means.append(np.max([run.mean_squared for run in by_skin.values()], axis=0)[measured])
    mean = np.concatenate(means)
    with np.errstate(over="ignore"):
        return Figures(
            max=math.sqrt(float(np.concatenate(furthest).max(initial=0.0))),
            rms=math.sqrt(float(mean.mean())) if len(mean) else 0.0,
        )
