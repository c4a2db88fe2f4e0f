"""The poses of a second file beside those of a first: its clips at the same times or, in made poses, joint after joint.

The pairing by name is this project's own: docs/measuring.md, "Files with other vertices".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skinproof.errors import ComparisonError
from skinproof.model import Character, Clip
from skinproof.poses import PoseBlock, PoseSchedule, moves_joints, palettes, rest_worlds
from skinproof.poses.bind_pose import bind_worlds
from skinproof.poses.morphs import made_morph_weights, rest_morph_weights

Array = NDArray[np.float64]


def pair_clips(original: Character, result: Character, /) -> tuple[Clip, ...]:
    """Return the clip of `result` for each clip of `original`: that of its name or, where names repeat, in order.

    Raises:
        ComparisonError: a clip of either has no partner, or the clips of only one of them move joints.
    """
    ours, theirs = ([clip.name for clip in character.clips] for character in (original, result))
    if moves_joints(original) != moves_joints(result):
        still, moving = (original, result) if moves_joints(result) else (result, original)
        raise _unlike(original, result, f"the clips of {moving.name} move joints, those of {still.name} do not")
    if len(set(ours)) == len(ours) and set(ours) == set(theirs) and len(theirs) == len(ours):
        by_name = {clip.name: clip for clip in result.clips}
        return tuple(by_name[name] for name in ours)
    if ours == theirs:
        return result.clips
    for here, there, name in ((ours, theirs, result.name), (theirs, ours, original.name)):
        missing = [clip for clip in here if clip not in there]
        if missing:
            raise _unlike(original, result, f"{name} has no clip {missing[0]!r}")
    raise _unlike(original, result, "clips share a name, and stand in another order or number")


def _unlike(original: Character, result: Character, what: str) -> ComparisonError:
    remedy = "Compare files with the same clips, under the same names"
    return ComparisonError(f"{original.name} and {result.name} cannot be compared: {what}. {remedy}.")


class PairPoses:
    """Palettes and shapes of a result, in the poses of its original."""

    def __init__(
        self,
        original: Character,
        result: Character,
        schedule: PoseSchedule,
        /,
        *,
        clips: Sequence[Clip],
        followed: Mapping[int, int],
    ) -> None:
        """Begin with no poses.

        Args:
            original: the one.
            result: the other.
            schedule: of the poses of `original`.
            clips: of `result`, one for each of the schedule's (`pair_clips`).
            followed: node of `result` → node of `original` that it moves with in made poses; all others stay at rest.
        """
        self._result = result
        self._poses: PoseSchedule | None = None
        if not schedule.is_range_of_motion:
            same_times = tuple(replace(one, motion=clip) for one, clip in zip(schedule.clips, clips, strict=True))
            self._poses = PoseSchedule(result.nodes, result.instances, same_times, False, result.name)
        else:
            self._shapes = made_morph_weights(result, schedule.pose_count)
            if [len(shapes) for shapes in self._shapes[:1]] != [len(shapes) for shapes in schedule.made_shapes[:1]]:
                raise _unlike(original, result, "their clips, which only morph, have other keys")
            self._nodes = np.array(sorted(followed), np.intp)
            leaders = np.array([followed[node] for node in self._nodes.tolist()], np.intp)
            self._leaders, self._rest = leaders, rest_worlds(result.nodes)
            rest = rest_worlds(original.nodes)[leaders]
            # The pseudo-inverse, because a joint of scale zero has no inverse; for all others it is the inverse. In the
            # bind pose, which is the first, such a joint has its size, and nothing to take it from: it has its own.
            with np.errstate(over="ignore", invalid="ignore"):
                self._leaders_from_nodes = _pseudo_inverses(rest) @ self._rest[self._nodes]
                flat = ~(np.abs(np.linalg.det(rest)) > 0)
            self._flat, self._bind = self._nodes[flat], bind_worlds(result.nodes, result.skins)
        self._block = PoseBlock(-1, "", -1, np.zeros((0, 0, 4, 4)))
        self._palette: tuple[int, int, Array] = (-1, -1, np.zeros((0, 0, 4, 4)))

    def block(self, block: PoseBlock, /) -> PoseBlock:
        """Return the result in a block of the original's poses; the last one is kept."""
        if self._block.first_pose != block.first_pose:
            poses = np.arange(len(block.worlds)) + block.first_pose - self._first_pose(block.clip_index)
            made = self.worlds(block.clip_index, poses, block.worlds), self.morph_weights(block.clip_index, poses)
            self._block = PoseBlock(block.clip_index, block.clip_name, block.first_pose, *made)
        return self._block

    def palettes(self, skin: int, block: PoseBlock, /) -> Array:
        """Return the palettes of one of the result's skins in a block of the original's poses; the last are kept."""
        if self._palette[:2] != (skin, block.first_pose):
            self._palette = (skin, block.first_pose, palettes(self._result.skins[skin], self.block(block).worlds))
        return self._palette[2]

    def worlds(self, clip_index: int, poses: NDArray[np.intp], originals: Array, /) -> Array:
        """Return every node's world_from_node in some poses of a clip, float64 [P, N', 4, 4].

        Args:
            clip_index: index of the clip.
            poses: intp [P], index of each pose among those of the clip.
            originals: float64 [P, N, 4, 4], those of the original in the same poses.
        """
        if self._poses is not None:
            return self._poses.worlds(clip_index, poses)
        worlds = np.tile(self._rest, (len(poses), 1, 1, 1))
        with np.errstate(over="ignore", invalid="ignore"):
            worlds[:, self._nodes] = originals[:, self._leaders] @ self._leaders_from_nodes
        worlds[np.ix_(poses == 0, self._flat)] = self._bind[self._flat]
        worlds[:, :, 3] = (0, 0, 0, 1)  # exactly: the inverse rounds
        return worlds

    def morph_weights(self, clip_index: int, poses: NDArray[np.intp], /) -> tuple[Array, ...]:
        """Return the morph weights of each instance of the result in some poses of a clip, float64 [P, T]."""
        if self._poses is not None:
            return self._poses.morph_weights(clip_index, poses)
        if self._shapes:
            return tuple(shapes[poses % len(shapes)] for shapes in self._shapes)
        return rest_morph_weights(self._result.instances, len(poses))

    def _first_pose(self, clip_index: int) -> int:
        return 0 if self._poses is None else self._poses.clips[clip_index].first_pose


def _pseudo_inverses(matrices: Array) -> Array:
    """Return the pseudo-inverse of each of [n, 4, 4]; NaN where one is not finite, which has none."""
    found = np.full_like(matrices, np.nan)
    finite = np.isfinite(matrices).all(axis=(1, 2))
    found[finite] = np.linalg.pinv(matrices[finite])
    return found
