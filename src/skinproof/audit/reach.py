"""What a joint's matrix does to the vertices it moves: matrices as points whose distances are lengths in metres.

This project's own. A joint moves the vertices bound to it, all within `radius` of `centre`. Of a difference D of two
matrices, D · centre is how far the centre is put elsewhere, and D's linear part times the radius how far the rest is in
addition. These twelve numbers are the joint's coordinates here: no vertex of the joint is moved by more than √2 times
their distance, however far from the origin of the mesh the joint is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Character
from skinproof.tolerances import AUDIT_ROUNDINGS, AUDIT_SMALLEST_REACH

Array = NDArray[np.float64]
_EPSILON = float(np.finfo(np.float32).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """J joints of one skin.

    Attributes:
        centres: float64 [J, 3], middle of the vertices bound to each joint, mesh space, metres.
        radii: float64 [J], the farthest of them from there, metres, at least `AUDIT_SMALLEST_REACH` of the diagonal.
        diagonal: of the bounding box of all vertices that the skin moves, metres; 1 where it moves none.
    """

    centres: Array
    radii: Array
    diagonal: float

    @classmethod
    def of(cls, character: Character, skin_index: int, /) -> Reach:
        """Measure the vertices of every primitive that the skin shows; joints without vertices stand at their bind."""
        skin = character.skins[skin_index]
        count = len(skin)
        lows, highs = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
        parts = []
        for primitive in character.primitives:
            if skin_index not in character.skins_of(primitive):
                continue
            influences = primitive.influences
            vertex, slot = np.nonzero((influences.weights > 0) & (influences.joints < count))
            joints = influences.joints[vertex, slot].astype(np.intp)
            points = primitive.positions[vertex].astype(np.float64)
            finite = np.isfinite(points).all(axis=1)
            joints, points = joints[finite], points[finite]
            np.minimum.at(lows, joints, points)
            np.maximum.at(highs, joints, points)
            parts.append((joints, points))
        bound = np.isfinite(lows[:, 0])
        diagonal = float(np.linalg.norm(highs[bound].max(axis=0) - lows[bound].min(axis=0))) if bound.any() else 0.0
        diagonal = diagonal if diagonal > 0 else 1.0
        centres: Array = np.linalg.pinv(skin.inverse_binds)[:, :3, 3].astype(np.float64)
        centres[bound] = (lows[bound] + highs[bound]) / 2
        radii = np.full(count, diagonal * AUDIT_SMALLEST_REACH)
        for joints, points in parts:
            np.maximum.at(radii, joints, np.linalg.norm(points - centres[joints], axis=1))
        return cls(centres, radii, diagonal)

    def coordinates(self, palettes: Array, /) -> Array:
        """Return the coordinates of skinning matrices, metres: float64 [..., J, 4, 4] to float64 [..., J, 12]."""
        linear = palettes[..., :3, :3]
        moved = (linear * self.centres[:, np.newaxis, :]).sum(axis=-1) + palettes[..., :3, 3]
        spread = linear.reshape(*linear.shape[:-2], 9) * self.radii[:, np.newaxis]
        return np.concatenate([moved, spread], axis=-1)

    def rounding(self, palettes: Array, /) -> Array:
        """Return how far float32 alone may put a joint elsewhere, metres: float64 [..., J, 4, 4] to [..., J]."""
        linear = np.linalg.norm(palettes[..., :3, :3], axis=(-2, -1))
        away = np.linalg.norm(palettes[..., :3, 3], axis=-1)
        sizes = away + linear * (np.linalg.norm(self.centres, axis=-1) + self.radii)
        rounding: Array = AUDIT_ROUNDINGS * _EPSILON * sizes
        return rounding
