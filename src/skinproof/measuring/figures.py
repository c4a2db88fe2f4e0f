"""Maximum and root mean square of several results in the same poses, in one pass: `measure` without its particulars.

The figures are this project's own: docs/measuring.md, "The figures".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from skinproof.measuring.compare import require_comparable
from skinproof.measuring.showing import Showing
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
    showings = [_showings(original, result) for result in results]
    every = [showing for one in showings for showing in one]
    skins = sorted({showing.skin for showing in every})
    clip = 0
    for block in schedule.blocks():
        if block.clip_index != clip:
            _end_clip(schedule, clip, every)
            clip = block.clip_index
        for skin in skins:
            matrices = palettes(original.skins[skin], block.worlds)
            for showing in (one for one in every if one.skin == skin):
                showing.add(matrices, block)
    _end_clip(schedule, clip, every)
    return tuple(_figures(one) for one in showings)


def _showings(original: Character, result: Character) -> list[Showing]:
    """Return every primitive in every instance that may show it differently, primitive after primitive."""
    require_comparable(original, result)
    showings: list[Showing] = []
    for index, (before, after) in enumerate(zip(original.primitives, result.primitives, strict=True)):
        joint_count = original.joint_count_of(before)
        if joint_count is None:
            continue
        change = result.changes[index] if result.changes else None
        subject, _ = make_subject(before, after, change, index=index, reference="normalized", joint_count=joint_count)
        showings += [Showing(original, subject, one, [subject.total]) for one in original.showings_of(before)]
    return showings


def _end_clip(schedule: PoseSchedule, clip: int, every: Sequence[Showing]) -> None:
    for run in (run for one in every for run in one.runs):
        run.end_clip(weight=schedule.clips[clip].weight, poses=schedule.clips[clip].pose_count)


def _figures(showings: Sequence[Showing]) -> Figures:
    """Of the instances that show a primitive the worst counts, vertex by vertex."""
    furthest, means = [np.zeros(0)], [np.zeros(0)]
    for _, group in groupby(showings, key=lambda one: one.subject.index):
        shown = list(group)
        measured = shown[0].subject.measured
        furthest.append(np.max([one.runs[0].max_squared for one in shown], axis=0)[measured])
        means.append(np.max([one.runs[0].mean_squared for one in shown], axis=0)[measured])
    mean = np.concatenate(means)
    with np.errstate(over="ignore"):
        return Figures(
            max=math.sqrt(float(np.concatenate(furthest).max(initial=0.0))),
            rms=math.sqrt(float(mean.mean())) if len(mean) else 0.0,
        )
