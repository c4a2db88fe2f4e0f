"""Extents: bounding boxes and their diagonals, by which displacements are made relative.

The measure is this project's own: docs/measuring.md, "The figures".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Character, Primitive
from skinproof.poses import palettes, rest_worlds
from skinproof.skinning import rest_positions, skin_positions


def diagonal_of(points: NDArray[np.floating], /) -> float:
    """Return the diagonal of the axis-aligned bounding box of points [n, 3], in their unit.

    0 for none; infinite or NaN if that is where points are.
    """
    if not len(points):
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.linalg.norm(np.ptp(points.astype(np.float64), axis=0)))


def bounding_corners(primitives: Sequence[Primitive], /) -> NDArray[np.float64]:
    """Return the eight corners of the bounding box of all bind positions, homogeneous, mesh space, metres.

    Returns:
        float64 [4, 8], one corner a column, or [4, 0] if there are no vertices.
    """
    positions = [primitive.positions for primitive in primitives if primitive.vertex_count]
    if not positions:
        return np.zeros((4, 0))
    low = np.min([points.min(axis=0) for points in positions], axis=0).astype(np.float64)
    high = np.max([points.max(axis=0) for points in positions], axis=0).astype(np.float64)
    picks = np.indices((2, 2, 2)).reshape(3, 8)
    return np.vstack([np.where(picks == 0, low[:, np.newaxis], high[:, np.newaxis]), np.ones(8)])


def rest_diagonal(character: Character, placed: Iterable[tuple[Primitive, NDArray[np.bool_]]], /) -> float:
    """Return the bounding diagonal of vertices as stored, at rest, world space, metres.

    Args:
        character: whose rest pose.
        placed: primitives of it, and which of their vertices count, bool [V]: their weights must be finite and their
            joints in the skins.
    """
    worlds = rest_worlds(character.nodes)
    corners = []
    for primitive, counted in placed:
        influences = primitive.influences
        weights = np.where(counted[:, np.newaxis], influences.weights, 0.0).astype(np.float64)
        for instance in (character.instances[index] for index in character.showings_of(primitive)):
            matrices = palettes(character.skins[instance.skin], worlds)
            positions = rest_positions(primitive, instance.morph_weights)
            posed = skin_positions(positions, influences.joints, weights, matrices)[counted]
            if len(posed):
                corners += [posed.min(axis=0), posed.max(axis=0)]
    return diagonal_of(np.array(corners).reshape(-1, 3))
