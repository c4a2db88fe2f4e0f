"""Morph weights of every instance over time (glTF 2.0, section 3.7.2.2, morph targets, and section 3.11)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Channel, Character, Clip, Instance, Path
from skinproof.poses.sampling import sample_channel

Array = NDArray[np.float64]


def rest_morph_weights(instances: Sequence[Instance], count: int, /) -> tuple[Array, ...]:
    """Return the morph weights of each instance at rest, as often as asked for, float64 [P, T], T targets."""
    return tuple(
        np.broadcast_to(np.array(one.morph_weights, np.float64), (count, len(one.morph_weights))) for one in instances
    )


def clip_morph_weights(instances: Sequence[Instance], clip: Clip, times: Array, /) -> tuple[Array, ...]:
    """Return the morph weights of each instance at `times` of a clip, float64 [P, T], T targets of its mesh.

    Where no channel animates the node, its weights are those at rest.
    """
    channels = {channel.node: channel for channel in clip.channels if channel.path is Path.WEIGHTS}
    return tuple(
        sample_channel(channels[instance.node], times) if instance.node in channels else at_rest
        for instance, at_rest in zip(instances, rest_morph_weights(instances, len(times)), strict=True)
    )


def made_morph_weights(character: Character, most: int, /) -> tuple[Array, ...]:
    """Return morph weights for poses that no clip has: of each instance float64 [S, T], S ≤ `most` shapes in turn.

    They are the shapes at the keys of all clips that morph something; of more than `most`, evenly chosen ones. Without
    such clips the result is empty.
    """
    nodes = {instance.node for instance in character.instances}
    shapes = []
    for clip in character.clips:
        morphing = [channel for channel in clip.channels if channel.path is Path.WEIGHTS and channel.node in nodes]
        if morphing:
            shapes.append(clip_morph_weights(character.instances, clip, _key_times(morphing, most)))
    return tuple(_thinned(_joined(of_clips), most) for of_clips in zip(*shapes, strict=True))


def same_shapes(weights: Array, /) -> list[slice]:
    """Return the runs of successive poses in which no weight changes; weights float64 [P, T]."""
    changes = np.flatnonzero((weights[1:] != weights[:-1]).any(axis=1)) + 1
    bounds = [0, *changes.tolist(), len(weights)]
    return [slice(start, stop) for start, stop in pairwise(bounds) if start < stop]


def _key_times(channels: Sequence[Channel], most: int) -> Array:
    return _thinned(np.unique(np.concatenate([channel.times for channel in channels])), most)


def _joined(weights: Sequence[Array]) -> Array:
    """Put rows below one another; what is missing at the end of a row is zero."""
    widest = max(part.shape[1] for part in weights)
    return np.concatenate([np.pad(part, ((0, 0), (0, widest - part.shape[1]))) for part in weights])


def _thinned(values: Array, most: int) -> Array:
    """Return at most `most` entries, evenly chosen, the first and the last among them."""
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).round().astype(np.intp)]
