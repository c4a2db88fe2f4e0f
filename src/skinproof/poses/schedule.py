"""Which poses are measured: every clip at every key and often in between, in blocks of bounded memory.

The choice of poses is this project's own: docs/measuring.md, "Over which poses".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_count, require_positive
from skinproof.errors import ArrayError, OptionError
from skinproof.model import Channel, Character, Clip, Instance, Nodes, Path
from skinproof.poses.morphs import clip_morph_weights, made_morph_weights, rest_morph_weights
from skinproof.poses.range_of_motion import RangeOfMotion
from skinproof.poses.world import clip_worlds
from skinproof.tolerances import KEY_SPACING_SLACK, MAX_BLOCK_BYTES, MAX_POSES_PER_CLIP

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ClipSchedule:
    """The poses of one clip.

    Attributes:
        name: the clip's.
        pose_count: P.
        times: float64 [P], seconds, ascending; None for a range of motion, whose poses have a number and no time.
        duration: of the clip, seconds, from its first key to its last; 0 for a range of motion.
        weight: the clip's share when clips are averaged: by duration, or equal if every duration is zero; all
            weights of a schedule sum to one.
        first_pose: the number of this clip's first pose; poses are numbered through all clips.
        motion: where the poses come from.
    """

    name: str
    pose_count: int
    times: Array | None
    duration: float
    weight: float
    first_pose: int
    motion: Clip | RangeOfMotion

    def time(self, pose: int) -> float | None:
        """Return when the clip's pose of that index is, seconds, or None if it is at no time."""
        return None if self.times is None else float(self.times[pose])


@dataclass(frozen=True, slots=True, eq=False)
class PoseBlock:
    """Some successive poses of one clip.

    Attributes:
        clip_index: index into `PoseSchedule.clips`.
        clip_name: the clip's name.
        first_pose: the number of the block's first pose, counted through all clips.
        worlds: float64 [P, N, 4, 4], world_from_node of every node.
        morph_weights: of each instance float64 [P, T], the weights of its mesh's T morph targets.
    """

    clip_index: int
    clip_name: str
    first_pose: int
    worlds: Array
    morph_weights: tuple[Array, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PoseSchedule:
    """The poses over which a character is measured.

    Attributes:
        nodes: the character's node tree.
        instances: the character's.
        clips: at least one.
        is_range_of_motion: whether the poses were made because no clip of the character moves a joint.
        name: the character's, for messages.
        made_shapes: morph weights of made poses, of each instance float64 [S, T]: pose p has those of row p mod S;
            if there are none, those at rest.
    """

    nodes: Nodes
    instances: tuple[Instance, ...]
    clips: tuple[ClipSchedule, ...]
    is_range_of_motion: bool
    name: str = ""
    made_shapes: tuple[Array, ...] = ()

    @classmethod
    def from_clips(
        cls,
        character: Character,
        /,
        *,
        fps: float = 30.0,
        samples: int | None = None,
        seed: int = 0,
        beside: Sequence[Clip] = (),
    ) -> PoseSchedule:
        """Return the schedule of all clips of a character, or of a made range of motion if none moves a joint.

        Clips that animate cameras, props or morph targets alone leave every joint where it is, and a character
        measured in them would pass whatever had become of its weights. The made poses take the shapes of such clips
        in turn (`morphs.made_morph_weights`).

        Args:
            character: whose clips.
            fps: each clip is posed at every key time of its channels, and the time between two successive keys is
                divided evenly so that no two poses are further apart than 1/fps, give or take the share
                `KEY_SPACING_SLACK` of it.
            samples: if given, each clip is posed at this many times instead, evenly from its first key to its last,
                both included (one: the first key only).
            seed: of the range of motion (`RangeOfMotion`).
            beside: one clip for each of the character's, at whose keys that one is posed as well; or none.

        Raises:
            OptionError: `fps` is not a finite number above 0, `samples` or `seed` is no count, or a clip would have
                more than `MAX_POSES_PER_CLIP` poses.
        """
        fps = require_positive(fps, "fps")
        if samples is not None:
            samples = require_count(samples, "samples", least=1, most=MAX_POSES_PER_CLIP)
        seed = require_count(seed, "seed", least=0)
        if not moves_joints(character):
            motion = RangeOfMotion.of(character.nodes, character.skins, seed=seed)
            only = ClipSchedule(motion.NAME, len(motion), None, 0.0, 1.0, 0, motion)
            shapes = made_morph_weights(character, len(motion))
            return cls(character.nodes, character.instances, (only,), True, character.name, shapes)
        total = sum(clip.duration for clip in character.clips)
        clips: list[ClipSchedule] = []
        first_pose = 0
        for index, clip in enumerate(character.clips):
            channels = (*clip.channels, *(beside[index].channels if beside else ()))
            times = _key_times(clip, channels, fps) if samples is None else np.linspace(clip.start, clip.end, samples)
            weight = clip.duration / total if total > 0 else 1 / len(character.clips)
            clips.append(ClipSchedule(clip.name, len(times), times, clip.duration, weight, first_pose, clip))
            first_pose += len(times)
        return cls(character.nodes, character.instances, tuple(clips), False, character.name)

    @property
    def pose_count(self) -> int:
        """Number of poses of all clips."""
        return sum(clip.pose_count for clip in self.clips)

    def worlds(self, clip_index: int, poses: NDArray[np.intp], /) -> Array:
        """Return every node's world_from_node in some poses of one clip, float64 [P, N, 4, 4].

        Args:
            clip_index: index into `clips`.
            poses: intp [P], index of each pose among those of the clip.

        Raises:
            ArrayError: the clip cannot be sampled (`world.clip_locals`); the message begins with `name`.
        """
        clip = self.clips[clip_index]
        # What overflows is measured as what it is, infinitely far away; nobody needs a warning of NumPy's as well.
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(clip.motion, RangeOfMotion):
                return clip.motion.worlds(poses)
            assert clip.times is not None
            try:
                return clip_worlds(self.nodes, clip.motion, clip.times[poses])
            except ArrayError as error:
                raise ArrayError(f"{self.name}: {error}" if self.name else str(error)) from None

    def morph_weights(self, clip_index: int, poses: NDArray[np.intp], /) -> tuple[Array, ...]:
        """Return the morph weights of each instance in some poses of one clip, float64 [P, T], T targets of its mesh.

        Args:
            clip_index: index into `clips`.
            poses: intp [P], index of each pose among those of the clip.
        """
        clip = self.clips[clip_index]
        if isinstance(clip.motion, RangeOfMotion):
            if self.made_shapes:
                return tuple(shapes[poses % len(shapes)] for shapes in self.made_shapes)
            return rest_morph_weights(self.instances, len(poses))
        assert clip.times is not None
        with np.errstate(over="ignore", invalid="ignore"):
            return clip_morph_weights(self.instances, clip.motion, clip.times[poses])

    def morphs(self, instance: int, /) -> bool:
        """Whether the morph weights of an instance, named by its index, may be others in some pose than at rest."""
        if self.made_shapes:
            return self.made_shapes[instance].size > 0
        targets = {
            (channel.node, channel.path)
            for clip in self.clips
            if isinstance(clip.motion, Clip)
            for channel in clip.motion.channels
        }
        return (self.instances[instance].node, Path.WEIGHTS) in targets

    def blocks(self, block: int = 64) -> Iterator[PoseBlock]:
        """Yield all poses, clip after clip, at most `block` at a time; fewer where many nodes would need much memory.

        Raises:
            OptionError: `block` is no count from 1.
            ArrayError: a clip cannot be sampled (`world.clip_locals`).
        """
        block = require_count(block, "block", least=1)
        weights = sum(len(instance.morph_weights) for instance in self.instances)
        bytes_per_pose = max(1, len(self.nodes) * 16 + weights) * 8
        size = max(1, min(block, MAX_BLOCK_BYTES // bytes_per_pose))
        for index, clip in enumerate(self.clips):
            for start in range(0, clip.pose_count, size):
                poses = np.arange(start, min(start + size, clip.pose_count))
                made = self.worlds(index, poses), self.morph_weights(index, poses)
                yield PoseBlock(index, clip.name, clip.first_pose + start, *made)


def moves_joints(character: Character, /) -> bool:
    """Whether any clip of `character` animates a joint of a skin, or a node that a joint hangs from."""
    animated = {
        channel.node for clip in character.clips for channel in clip.channels if channel.path is not Path.WEIGHTS
    }
    parents = character.nodes.parents.tolist()
    seen: set[int] = set()
    for joint in {joint for skin in character.skins for joint in skin.joints.tolist()}:
        node = joint
        while node >= 0 and node not in seen:
            if node in animated:
                return True
            seen.add(node)
            node = parents[node]
    return False


def _key_times(clip: Clip, channels: Sequence[Channel], fps: float) -> Array:
    """Every key time of a clip's `channels`, and evenly between two keys as many as `fps` asks for."""
    if not channels:
        return np.zeros(1)
    keys = np.unique(np.concatenate([channel.times for channel in channels]))
    steps = np.maximum(np.ceil(np.diff(keys) * fps / (1 + KEY_SPACING_SLACK)), 1.0)
    if steps.sum() >= MAX_POSES_PER_CLIP:
        raise OptionError(
            f"fps: clip {clip.name!r} lasts {clip.duration:g} s and would have {steps.sum() + 1:.0f} poses, more than "
            f"{MAX_POSES_PER_CLIP}; give `samples`, a number of poses per clip"
        )
    counts = steps.astype(np.intp)
    interval = np.repeat(np.arange(len(counts)), counts)
    step = np.arange(len(interval)) - np.repeat(np.cumsum(counts) - counts, counts)
    times = keys[interval] + (keys[interval + 1] - keys[interval]) * (step / counts[interval])
    return np.append(times, keys[-1])
