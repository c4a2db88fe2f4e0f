"""Small palettes and skeletons: every matrix a translation along x."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof.publish import PaletteOwner, Snapshot, Topology


def palette(*xs: float) -> NDArray[np.float32]:
    """float32 [len(xs), 4, 4], translations by xs."""
    matrices = np.tile(np.eye(4, dtype=np.float32), (len(xs), 1, 1))
    matrices[:, 0, 3] = xs
    return matrices


def topology(joints: int, prefix: str = "joint", **options) -> Topology:
    return Topology(tuple(f"{prefix}{joint}" for joint in range(joints)), palette(*range(joints)), **options)


def owner(*xs: float, **options) -> PaletteOwner:
    """An owner whose palette translates by xs, at revision 0."""
    return PaletteOwner(palette(*xs), topology(len(xs)), **options)


def xs(snapshot: Snapshot) -> list[float]:
    return snapshot.palette[:, 0, 3].tolist()


def seen(source) -> tuple[int, list[float]]:
    """The tick and the x of every joint that a draw that begins now sees."""
    with source.acquire() as snapshot:
        return snapshot.revision.tick, xs(snapshot)
