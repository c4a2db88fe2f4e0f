"""The characters of docs/fidelity.md: real ones from the folder of assets, and rigs made in code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import skinproof as sp
from skinproof.demo import make_character
from skinproof.model import (
    Channel,
    Character,
    Clip,
    Influences,
    Instance,
    Interpolation,
    Nodes,
    Primitive,
    Skin,
    WeightFormat,
)
from skinproof.model import Path as Animated

REAL = [
    "CesiumMan-dense.glb",
    "RiggedFigure-dense.glb",
    "Simple_SI_Rigging.glb",
    "Decomposition_20.glb",
    "mpfb-game_engine.glb",
    "mpfb-cmu_mb-cubic.glb",
]
"""Animated, more than four influences on some vertex, a sound bind; encoded twins left out."""

MADE = {
    # name: parents, influences per vertex, joints that no clip moves
    "chain of 10": ([-1, *range(9)], 8, (3, 7)),
    "hand": ([-1, 0, *[j for f in range(4) for j in (1, 2 + 3 * f, 3 + 3 * f)]], 6, (4, 8, 12)),
    "tree of 14": ([-1, 0, 1, 2, 2, 4, 5, 2, 7, 8, 0, 10, 0, 12], 12, (5, 11)),
    "roots": ([-1] * 7, 6, (2,)),
}


def rigs(assets: Path | None) -> Iterator[tuple[str, Character]]:
    """Yield the name and the character of every rig; of the real ones those found below `assets`."""
    for name in REAL if assets else ():
        found = sorted(path for path in assets.rglob(name) if "encoded" not in str(path))
        if found:
            yield name.removesuffix(".glb"), sp.read(found[0])
    yield "demo", make_character()
    for seed, (name, (parents, influences, still)) in enumerate(MADE.items()):
        yield name, made(seed, parents, influences, still)


def made(seed: int, parents: list[int], influences: int, still: tuple[int, ...], vertices: int = 400) -> Character:
    """A rig whose bones point anywhere, with vertices around them, smooth weights, and three clips of two seconds."""
    rng = np.random.default_rng(seed)
    count = len(parents)
    ways = rng.normal(size=(count, 3)) + np.array([0.0, 1.5, 0.0])
    ways *= 0.25 / np.linalg.norm(ways, axis=1, keepdims=True)
    pivots = np.zeros((count, 3))
    for joint, parent in enumerate(parents):
        pivots[joint] = pivots[parent] + ways[parent] if parent >= 0 else ways[joint] * (joint > 0) * 2
    translations = pivots - np.where(np.array(parents)[:, None] >= 0, pivots[parents], 0)
    bone = rng.integers(0, count, vertices)
    positions = pivots[bone] + ways[bone] * rng.random((vertices, 1)) + 0.05 * rng.normal(size=(vertices, 3))
    along = np.einsum("vjd,jd->vj", positions[:, None] - pivots, ways) / 0.25**2
    nearest = pivots + np.clip(along, 0, 1)[:, :, None] * ways
    weights = np.exp(-(((positions[:, None] - nearest) ** 2).sum(axis=2)) / 0.2**2)
    joints = np.argsort(-weights, axis=1, kind="stable")[:, :influences]
    weights = np.take_along_axis(weights, joints, axis=1)
    width = -(-influences // 4) * 4
    padding = ((0, 0), (0, width - influences))
    kept = Influences(
        np.pad(joints, padding).astype(np.uint16),
        np.pad(weights / weights.sum(axis=1, keepdims=True), padding).astype(np.float32),
        (WeightFormat.FLOAT32,) * (width // 4),
    )
    binds = np.tile(np.eye(4), (count, 1, 1))
    binds[:, :3, 3] = -pivots
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, 3] = translations
    nodes = Nodes(
        tuple(f"joint {joint}" for joint in range(count)),
        np.array(parents, np.int32),
        translations,
        np.tile([0.0, 0, 0, 1], (count, 1)),
        np.ones((count, 3)),
        matrices,
        np.zeros(count, np.bool_),
        np.arange(count, dtype=np.int32),
    )
    primitive = Primitive(0, 0, "made", positions.astype(np.float32), None, None, 0, kept, "/meshes/0/primitives/0")
    return Character(
        "made",
        nodes,
        (Skin("made", np.arange(count, dtype=np.int32), binds),),
        (primitive,),
        (Instance(0, 0, 0),),
        tuple(_clip(rng, number, count, still) for number in range(3)),
    )


def _clip(rng: np.random.Generator, number: int, count: int, still: tuple[int, ...]) -> Clip:
    """Each joint swings about an axis of its own; some are left out of each clip, and `still` ones of all."""
    times = np.linspace(0, 2, 9)
    channels = []
    for joint in range(count):
        axis, phase = rng.normal(size=3), rng.random()
        if joint in still or rng.random() < 0.25:
            continue
        angles = np.radians(rng.uniform(15, 50)) * np.sin(np.pi * (times + 2 * phase)) / 2
        axis /= np.linalg.norm(axis)
        turns = np.column_stack([np.sin(angles)[:, None] * axis, np.cos(angles)])
        channels.append(Channel(joint, Animated("rotation"), Interpolation("LINEAR"), times, turns))
    return Clip(f"clip {number}", tuple(channels))
