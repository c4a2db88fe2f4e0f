"""What a run came to: draws, results of commits, latencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Capture

PERCENTILES = (50.0, 99.0, 99.9)


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """The figures of one run.

    Attributes:
        clip: the clip's name.
        joints: J of the skin.
        vertices: skinned in each draw.
        frames: poses that were asked for.
        seconds: how long it took, wall time.
        results: commits by status; joints written, for the naive way.
        draws: of all readers.
        torn: draws whose palette was no one pose, bit for bit.
        publish_ns: of each pose, from the request to the commit, int64.
        acquire_ns: of each draw, to get the palette, int64.
        draw_ns: of each draw, to get it and skin with it, int64.
        capture: what draws used, if it was recorded.
        frames_of_joints: int32 [D, J] beside the capture: of which pose each joint was, −1 where of none (a matrix that
            was half written).
    """

    clip: str
    joints: int
    vertices: int
    frames: int
    seconds: float
    results: Mapping[str, int]
    draws: int
    torn: int
    publish_ns: NDArray[np.int64]
    acquire_ns: NDArray[np.int64]
    draw_ns: NDArray[np.int64]
    capture: Capture | None = None
    frames_of_joints: NDArray[np.int32] | None = None


def percentiles(nanoseconds: NDArray[np.int64], /) -> tuple[float, ...]:
    """Return the percentiles `PERCENTILES` in µs; zeros without values."""
    if not len(nanoseconds):
        return (0.0,) * len(PERCENTILES)
    return tuple(float(value) / 1000 for value in np.percentile(nanoseconds, PERCENTILES))
