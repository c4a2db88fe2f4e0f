"""A limb: a tube on a chain of joints that bends, with normals, texture coordinates and a seam; quick to make."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from characters import about, make_channel, make_character, make_clip, make_influences, make_nodes, make_skin
from skinproof.model import Instance, Primitive

JOINTS = 5


@cache
def limb(*, rings=40, around=24):
    """The character `limb`: up to four influences a vertex; along its seam vertices stand twice, with equal influences.

    Its mesh is node `JOINTS`, its joints joint0 … hang one metre above each other.
    """
    height, angle = np.meshgrid(np.linspace(0, JOINTS, rings), np.linspace(0, 2 * np.pi, around + 1), indexing="ij")
    direction = np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=-1)
    direction[:, -1] = direction[:, 0]  # the seam's two sides are at the same place, to the bit
    positions = direction * (0.3 + 0.05 * np.sin(7 * height))[..., np.newaxis]
    positions[..., 1] = height
    uvs = np.stack([angle / (2 * np.pi), height / JOINTS], axis=-1)
    corner = np.arange(rings * (around + 1)).reshape(rings, around + 1)
    quads = np.stack([corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]], axis=-1).reshape(-1, 4)
    return replace(
        make_character(
            replace(
                make_nodes([-1, *range(JOINTS - 1), -1], translations=[[0] * 3, *[[0, 1, 0]] * (JOINTS - 1), [9] * 3]),
                names=(*(f"joint{joint}" for joint in range(JOINTS)), "mesh"),
            ),
            skins=[make_skin(range(JOINTS), [_lowered(joint) for joint in range(JOINTS)])],
            primitives=[
                Primitive(
                    0, 0, "limb",
                    positions.reshape(-1, 3).astype(np.float32),
                    direction.reshape(-1, 3).astype(np.float32),
                    quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1).astype(np.uint32),
                    4, make_influences(*_influences(height, direction)),
                    pointer="/meshes/0/primitives/0", uvs=uvs.reshape(-1, 2).astype(np.float32),
                )
            ],
            instances=[Instance(JOINTS, 0, 0)],
            clips=[_bend(), _twist()],
        ),
        name="limb",
    )  # fmt: skip


def _lowered(metres):
    matrix = np.eye(4)
    matrix[1, 3] = -metres
    return matrix


def _influences(height, direction):
    """The four joints nearest in height, nearer ones heavier, and heavier to the front."""
    away = np.abs(height.reshape(-1, 1) - np.arange(JOINTS) - 0.5)
    weights = np.exp(-3 * away**2) * (1 + 0.4 * direction[..., :1].reshape(-1, 1) * np.arange(JOINTS) / JOINTS)
    joints = np.argsort(-weights, axis=1, kind="stable")[:, :4]
    kept = np.take_along_axis(weights, joints, axis=1)
    return joints, kept / kept.sum(axis=1, keepdims=True)


def _bend():
    times = [0.0, 0.3, 0.75, 1.0]
    turns = [[about([0, 0, 1], degrees * (1 + joint / 9)) for degrees in (0, 40, -20, 5)] for joint in range(JOINTS)]
    return make_clip(*(make_channel(joint, "rotation", times, turns[joint]) for joint in range(JOINTS)), name="bend")


def _twist():
    turns = [about([0, 1, 0], degrees) for degrees in (-30, 50)]
    moves = [[0, 0, 0], [0.2, -0.1, 0.4]]
    channels = make_channel(3, "rotation", [0.1, 0.6], turns), make_channel(0, "translation", [0.1, 0.6], moves)
    return make_clip(*channels, name="twist")
