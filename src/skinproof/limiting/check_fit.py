"""What a fit is worth in poses that it was not made from, beside keep-the-largest in the very same poses.

The trials are this project's own: docs/limiting.md, "What is reported".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from skinproof.measuring.figures import measure_figures
from skinproof.model import Character, Outcome
from skinproof.model.fit import FitCheck, NearStillJoint, Trial
from skinproof.model.measurement import StillJoint
from skinproof.poses import PoseSchedule
from skinproof.poses.fresh import fresh_poses
from skinproof.poses.halves import halves

Again = Callable[..., Character]


def check_fit(
    source: Character,
    limited: Character,
    again: Again,
    /,
    *,
    schedule: PoseSchedule,
    still_joints: Iterable[StillJoint] = (),
) -> FitCheck:
    """Return the figures of a fit in the poses it was fitted to, in others of the clips, and in fresh ones.

    For the others, whole clips or half of the only one are held out, and the character is fitted again to the rest.
    Without clips there is nothing to hold out: then the made poses, which a fit does not look at, stand as "training".

    Args:
        source: the character.
        limited: what `limit` with the method "exact" made of it.
        again: limits `source` as `limited` was, but for the keyword arguments `method` and `schedule`.
        schedule: the poses that `limited` was fitted to.
        still_joints: joints that none of these poses moves, as `Measurement.still_joints`.
    """
    largest = again(method="largest", schedule=schedule)
    trials = [_trial("training", source, limited, largest, schedule)]
    parts = halves(schedule)
    if parts is not None:
        fitting, judging = parts
        trials.append(_trial("held_out", source, again(method="exact", schedule=fitting), largest, judging))
    trials.append(_trial("fresh", source, limited, largest, fresh_poses(source)))
    return FitCheck(tuple(trials), tuple(_near(source, limited, still_joints)))


def _trial(name: str, source: Character, exact: Character, largest: Character, schedule: PoseSchedule) -> Trial:
    return Trial(name, schedule.pose_count, *measure_figures(source, [exact, largest], schedule=schedule))


def _near(source: Character, limited: Character, still_joints: Iterable[StillJoint]) -> Iterable[NearStillJoint]:
    """The vertices that had a choice and hang, in the source, on a joint that never moves."""
    skins = {skin.pointer: index for index, skin in enumerate(source.skins)}
    for joint in still_joints:
        for primitive, change in zip(source.primitives, limited.changes, strict=True):
            if change.fit is None or skins[joint.skin] not in source.skins_of(primitive):
                continue
            given = primitive.influences
            hanging = ((given.joints == joint.joint) & (given.weights > 0)).any(axis=1)
            vertices = np.flatnonzero(hanging & (change.fit.outcome != Outcome.FEW))
            if len(vertices):
                yield NearStillJoint(primitive.pointer, joint.skin, joint.joint, joint.name, vertices)
