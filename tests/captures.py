"""Captures for tests: draws of a character's clips, whole or spoilt in a known way."""

from __future__ import annotations

import numpy as np

from characters import (
    about,
    make_channel,
    make_character,
    make_clip,
    make_influences,
    make_nodes,
    make_primitive,
    make_skin,
)
from skinproof.model import Instance
from skinproof.poses import clip_worlds, palettes


def make_walker(*, still=False):
    """Four joints in a chain along x, a vertex or two on each; one clip of 2 s that turns and moves them, one that
    carries the root in a circle; with `still` the first clip turns the last joint alone, in its second half."""
    nodes = make_nodes([-1, 0, 1, 2], translations=[[0, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]])
    binds = np.tile(np.eye(4), (4, 1, 1))
    binds[:, 0, 3] = [0, -1, -2, -3]
    times = [0.0, 0.5, 1.0, 1.5, 2.0]

    def turns(node, axis, degrees):
        return make_channel(node, "rotation", times, [about(axis, angle) for angle in degrees])

    if still:
        swing = make_clip(
            turns(3, (0, 0, 1), [0, 0, 0, 30, 60]), turns(1, (0, 1, 0), [0, 40, 80, 80, 80]), name="swing"
        )
    else:
        swing = make_clip(
            make_channel(0, "translation", times, [[0, 0, t] for t in times]),
            turns(1, (0, 0, 1), [0, 40, 10, -30, 0]),
            turns(2, (0, 1, 0), [5, -20, 30, 60, 5]),
            turns(3, (1, 1, 0), [0, 10, 50, 20, 90]),
            name="swing",
        )
    turn = make_clip(turns(0, (0, 1, 0), [0, 90, 180, 270, 360]), turns(2, (0, 0, 1), [0, 20, 0, -20, 0]), name="turn")
    influences = make_influences(
        [[0, 1], [1, 0], [2, 1], [3, 2], [3, 0]], [[1, 0], [0.5, 0.5], [1, 0], [0.75, 0.25], [1, 0]]
    )
    return make_character(
        nodes,
        skins=[make_skin([0, 1, 2, 3], binds)],
        clips=[swing, turn],
        primitives=[make_primitive(influences)],
        instances=[Instance(0, 0, 0)],
    )


def drawn(character, clip, times, *, skin=0):
    """float32 [D, J, 4, 4]: the palettes of a clip at some times."""
    worlds = clip_worlds(character.nodes, character.clips[clip], np.asarray(times, np.float64))
    return palettes(character.skins[skin], worlds).astype(np.float32)
