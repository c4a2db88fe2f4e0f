"""Made meshes for the benchmark: vertices around the bones of a random skeleton, bound to the joints nearby."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

KINDS = ("coherent", "messy", "random")
"""coherent: neighbours mostly share their joints, as on real characters. messy: every two dozen vertices disagree about
which joints are near, as after much painting. random: no two vertices have much in common."""

_REACH = 0.12
"""Metres: how far a joint's weight reaches."""


class Scene(NamedTuple):
    """Positions float32 [V, 3], joints uint16 [V, K], weights float32 [V, K] by rank, palettes float64 [P, J, 4, 4]."""

    positions: np.ndarray
    joints: np.ndarray
    weights: np.ndarray
    palettes: np.ndarray

    def cut(self, slots: int) -> tuple[np.ndarray, np.ndarray]:
        """The largest `slots` influences, normalized."""
        kept = self.weights[:, :slots]
        return self.joints[:, :slots].copy(), kept / kept.sum(axis=1, keepdims=True)


def make_scene(
    kind: str, vertices: int, slots: int, *, joints: int = 64, poses: int = 64, mixed: bool = False, seed: int = 0
) -> Scene:
    """Make a scene; `mixed`: each vertex uses 1 to `slots` of its slots."""
    generator = np.random.default_rng(seed)
    parents = np.array([max(0, generator.integers(max(0, joint - 4), joint + 1) - 1) for joint in range(joints)])
    pivots = np.zeros((joints, 3))
    for joint in range(1, joints):
        pivots[joint] = pivots[parents[joint]] + 0.15 * _directions(generator, 1)[0]
    bone = np.sort(generator.integers(1, joints, vertices))
    along = generator.random(vertices)
    if kind != "random":
        order = np.lexsort((along, bone))
        bone, along = bone[order], along[order]
    core = pivots[parents[bone]] * (1 - along)[:, None] + pivots[bone] * along[:, None]
    near, weights = _influences(kind, core, pivots, slots, generator)
    if mixed:
        weights[np.arange(slots) >= generator.integers(1, slots + 1, vertices)[:, None]] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    positions = core + 0.05 * _directions(generator, vertices)
    return Scene(
        positions.astype(np.float32),
        near.astype(np.uint16),
        weights.astype(np.float32),
        _palettes(parents, pivots, poses, generator),
    )


def _influences(
    kind: str, core: np.ndarray, pivots: np.ndarray, slots: int, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    vertices, joints = len(core), len(pivots)
    if kind == "random":
        near = np.argsort(generator.random((vertices, joints)), axis=1)[:, :slots]
        weights = generator.random((vertices, slots)) ** 2 + 1e-3
    else:
        distances = np.square(core[:, None] - pivots[None]).sum(axis=2)
        if kind == "messy":
            moods = np.exp(0.25 * generator.normal(size=(vertices // 24 + 1, joints)))
            distances *= moods[np.arange(vertices) // 24]
        near = np.argsort(distances, axis=1)[:, :slots]
        closest = np.take_along_axis(distances, near, axis=1)
        weights = np.exp(-closest / (2 * _REACH**2)) * (0.5 + generator.random((vertices, slots))) + 1e-4
    by_rank = np.argsort(-weights, axis=1, kind="stable")
    return np.take_along_axis(near, by_rank, axis=1), np.take_along_axis(weights, by_rank, axis=1)


def _palettes(parents: np.ndarray, pivots: np.ndarray, poses: int, generator: np.random.Generator) -> np.ndarray:
    """Each joint swings about its pivot; the first one travels."""
    joints = len(parents)
    axes, phases = _directions(generator, joints), 2 * np.pi * generator.random(joints)
    times = np.arange(poses) / 30
    matrices = np.tile(np.eye(4), (poses, joints, 1, 1))
    for joint in range(joints):
        angles = 0.4 * np.sin(times * 3 + phases[joint])
        x, y, z = axes[joint]
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        turn = np.eye(3) + np.sin(angles)[:, None, None] * cross + (1 - np.cos(angles))[:, None, None] * cross @ cross
        local = np.tile(np.eye(4), (poses, 1, 1))
        local[:, :3, :3] = turn
        local[:, :3, 3] = pivots[joint] - turn @ pivots[joint]
        matrices[:, joint] = local if joint == 0 else matrices[:, parents[joint]] @ local
    matrices[:, :, 0, 3] += times[:, None]
    return matrices


def _directions(generator: np.random.Generator, count: int) -> np.ndarray:
    vectors = generator.normal(size=(count, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
