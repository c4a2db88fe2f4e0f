"""Clips: keyed channels on nodes (glTF 2.0, section 3.11 and appendix C)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import frozen, require_array


class Interpolation(StrEnum):
    """How values between keys come about."""

    LINEAR = "LINEAR"
    STEP = "STEP"
    CUBICSPLINE = "CUBICSPLINE"


class Path(StrEnum):
    """What a channel animates."""

    TRANSLATION = "translation"
    ROTATION = "rotation"
    SCALE = "scale"
    WEIGHTS = "weights"


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """One animated property of one node, T keys.

    Attributes:
        node: node index.
        path: what is animated.
        interpolation: how.
        times: float64 [T], seconds, strictly ascending.
        values: float64 [T, C] (C = 3, 4, or the number of morph targets); for CUBICSPLINE float64 [T, 3, C] with
            in-tangent, value, out-tangent. Rotations as stored, decoded, not yet normalized.
        pointer: JSON pointer of the channel.
    """

    node: int
    path: Path
    interpolation: Interpolation
    times: NDArray[np.float64]
    values: NDArray[np.float64]
    pointer: str = ""

    def __post_init__(self) -> None:
        times = require_array(self.times, "times", dtypes=[np.float64], shape=("T",))
        shape = (len(times), 3, "C") if self.interpolation is Interpolation.CUBICSPLINE else (len(times), "C")
        values = require_array(self.values, "values", dtypes=[np.float64], shape=shape)
        object.__setattr__(self, "times", frozen(times))
        object.__setattr__(self, "values", frozen(values))


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """One animation clip.

    Attributes:
        name: the file's, or "clip N" where it gives none.
        channels: at most one per node and path.
        pointer: JSON pointer of the animation.
    """

    name: str
    channels: tuple[Channel, ...]
    pointer: str = ""

    @property
    def start(self) -> float:
        """Time of the first key of any channel, seconds; 0 without channels."""
        return min((float(channel.times[0]) for channel in self.channels), default=0.0)

    @property
    def end(self) -> float:
        """Time of the last key of any channel, seconds; 0 without channels."""
        return max((float(channel.times[-1]) for channel in self.channels), default=0.0)

    @property
    def duration(self) -> float:
        """`end` − `start`, seconds."""
        return self.end - self.start
