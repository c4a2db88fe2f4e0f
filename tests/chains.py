"""A chain of joints that bends, with every vertex on all of them: something to choose from for every K."""

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

CHAIN = 6


def make_chain(seed=0, *, vertices=40, joints=CHAIN, clips=2, format="float32", parents=None):  # noqa: A002
    """A chain of joints half a metre apart that bends this way and that, with vertices around it on all joints."""
    rng = np.random.default_rng(seed)
    parents = [joint - 1 for joint in range(joints)] if parents is None else parents
    nodes = make_nodes(parents, translations=[[0, 0.5 * (parent >= 0), 0] for parent in parents])
    binds = np.tile(np.eye(4), (joints, 1, 1))
    binds[:, 1, 3] = [-0.5 * joint if parents[joint] >= 0 else 0 for joint in range(joints)]
    moves = [
        make_clip(
            *(
                make_channel(
                    joint, "rotation", [0, 0.5, 1], [about(rng.normal(size=3), angle) for angle in (0, 40, -30)]
                )
                for joint in range(joints)
            ),
            name=f"clip {clip}",
        )
        for clip in range(clips)
    ]
    heights = rng.uniform(0, 0.5 * joints, vertices)
    positions = np.column_stack([rng.normal(size=vertices) * 0.1, heights, rng.normal(size=vertices) * 0.1])
    near = np.exp(-((heights[:, np.newaxis] - 0.5 * np.arange(joints) - 0.25) ** 2) / 0.5) * rng.uniform(
        0.3, 1, (vertices, joints)
    )
    influences = make_influences(
        np.tile(np.arange(joints), (vertices, 1)), near / near.sum(axis=1, keepdims=True), format=format
    )
    return make_character(
        nodes,
        skins=[make_skin(range(joints), binds)],
        clips=moves,
        primitives=[make_primitive(influences, positions=positions)],
        instances=[Instance(0, 0, 0)],
    )
