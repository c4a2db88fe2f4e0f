"""Through all poses, block after block: every showing takes them in, and joints that never move are found.

The order (skin by skin within a block) is this project's own: it bounds memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.running import Running
from skinproof.measuring.still_joints import StillJoints
from skinproof.measuring.subject import Subject
from skinproof.measuring.summarize import clip_measurement
from skinproof.model import Character
from skinproof.model.measurement import ClipMeasurement, StillJoint
from skinproof.poses import PoseBlock, PoseSchedule, palettes

Progress = Callable[[int, int], None]


class PosedShowing(Protocol):
    """What is run through the poses.

    Attributes:
        subject: the primitive.
        skin: index of the skin whose palettes it takes.
        runs: its running results, that of the whole displacement first.
    """

    subject: Subject
    skin: int
    runs: list[Running]

    def add(self, palettes: NDArray[np.float64], block: PoseBlock) -> None:
        """Add a block of poses, with the palettes of the skin in them, float64 [P, J, 4, 4]."""


def run_poses(
    original: Character,
    schedule: PoseSchedule,
    showings: Sequence[PosedShowing],
    /,
    *,
    diagonal: float,
    progress: Progress | None = None,
) -> tuple[tuple[ClipMeasurement, ...], tuple[StillJoint, ...]]:
    """Run `showings` through all poses; their runs then hold the results.

    Args:
        original: whose skins and poses these are.
        schedule: the poses.
        showings: of the primitives of `original`.
        diagonal: by which a joint's move is judged, metres.
        progress: called with the number of poses done and of all poses, now and then.

    Returns:
        the figures of each clip, and the joints with weights that no pose moves.
    """
    skins = sorted({one.skin for one in showings})
    watches = _watches(original, skins, showings, diagonal)
    clips = []
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
    return tuple(clips), tuple(_still(original, watches))


def _watches(
    original: Character, skins: Sequence[int], showings: Sequence[PosedShowing], diagonal: float
) -> dict[int, StillJoints]:
    shown = {one.subject.index: one.subject.primitive for one in showings}
    return {
        skin: StillJoints(
            original.nodes,
            original.skins[skin],
            [primitive for primitive in shown.values() if skin in original.skins_of(primitive)],
            diagonal=diagonal,
        )
        for skin in skins
    }


def _still(original: Character, watches: dict[int, StillJoints]) -> list[StillJoint]:
    still: list[StillJoint] = []
    for index, watch in watches.items():
        skin = original.skins[index]
        still += [StillJoint(skin.pointer, joint, original.joint_name(skin, joint)) for joint in watch.still.tolist()]
    return still
