"""Halves of a schedule: poses to fit to, and others to judge by.

The rule is this project's own: neighbouring frames are near copies of each other, so whole clips are held out, or half
of a single one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skinproof.poses.schedule import ClipSchedule, PoseSchedule


def halves(schedule: PoseSchedule, /) -> tuple[PoseSchedule, PoseSchedule] | None:
    """Return every other clip and the rest or, of a single clip, its first and its second half.

    Clips of a single pose are left out. None where there are not two poses for each half, or the poses are made.
    """
    clips = [clip for clip in schedule.clips if clip.pose_count > 1]
    if schedule.is_range_of_motion or not clips:
        return None
    if len(clips) > 1:
        return _of(schedule, clips[::2]), _of(schedule, clips[1::2])
    times = clips[0].times
    assert times is not None
    if len(times) < 4:  # two for each
        return None
    middle = len(times) // 2
    return _of(schedule, [_part(clips[0], times[:middle])]), _of(schedule, [_part(clips[0], times[middle:])])


def _part(clip: ClipSchedule, times: NDArray[np.float64]) -> ClipSchedule:
    return replace(clip, pose_count=len(times), times=times, duration=float(times[-1] - times[0]))


def _of(schedule: PoseSchedule, clips: Sequence[ClipSchedule]) -> PoseSchedule:
    """A schedule of some clips, numbered and weighted anew."""
    total = sum(clip.duration for clip in clips)
    kept: list[ClipSchedule] = []
    for clip in clips:
        first_pose = kept[-1].first_pose + kept[-1].pose_count if kept else 0
        weight = clip.duration / total if total > 0 else 1 / len(clips)
        kept.append(replace(clip, weight=weight, first_pose=first_pose))
    return replace(schedule, clips=tuple(kept))
