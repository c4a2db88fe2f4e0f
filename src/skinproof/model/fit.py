"""What fitting influences came to: vertex by vertex, and in poses that were not fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import frozen, require_array


class Outcome(IntEnum):
    """Which influences a vertex was given, and why."""

    FEW = 0
    """It has K influences or fewer: there is nothing to choose."""
    BEST = 1
    """The optimum."""
    NEXT = 2
    """Another of the cheapest sets: the optimum would have been worse than keep-the-largest."""
    MAXIMUM = 3
    """Keep-the-largest: all sets tried would move the vertex further in some pose."""
    PRIOR = 4
    """Keep-the-largest: all sets tried would be worse in poses that nobody sampled."""
    UNDECIDED = 5
    """Keep-the-largest: neither poses nor tree tell its joints apart, or a pose is not finite."""
    UNSHOWN = 6
    """Keep-the-largest: no skin shows it."""


@dataclass(frozen=True, slots=True, eq=False)
class InfluenceFit:
    """The fit of V vertices. Costs are root mean squares in metres, over the poses and the prior together.

    Attributes:
        outcome: uint8 [V], an `Outcome` each.
        optimum: float64 [V], cost of the best K influences there are, before packing; 0 where there was no choice.
        chosen: float64 [V], cost of what the vertex was given, as decoded.
        largest: float64 [V], cost of keep-the-largest, as decoded.
        unproven: bool [V], true where the search was cut short, so that `optimum` may not be the least.
    """

    outcome: NDArray[np.uint8]
    optimum: NDArray[np.float64]
    chosen: NDArray[np.float64]
    largest: NDArray[np.float64]
    unproven: NDArray[np.bool_]

    def __post_init__(self) -> None:
        shape = (len(self.outcome),)
        for name, dtype in (
            ("outcome", np.uint8),
            ("optimum", np.float64),
            ("chosen", np.float64),
            ("largest", np.float64),
            ("unproven", np.bool_),
        ):
            array = require_array(getattr(self, name), name, dtypes=[dtype], shape=shape)
            object.__setattr__(self, name, frozen(array))

    @property
    def fitted(self) -> int:
        """How many vertices have more than K influences, so that there was a choice."""
        return len(self.outcome) - self.count(Outcome.FEW)

    def count(self, outcome: Outcome, /) -> int:
        """How many vertices ended so."""
        return int(np.count_nonzero(self.outcome == outcome))


@dataclass(frozen=True, slots=True)
class Figures:
    """Displacement of all vertices from the source, normalized: `max` and `rms` in metres, as in a measurement."""

    max: float
    rms: float


@dataclass(frozen=True, slots=True)
class Trial:
    """Both ways side by side in the same poses.

    Attributes:
        name: "training" (fitted to these very poses), "held_out" (fitted to other poses of the clips, and those alone)
            or "fresh" (fitted to all clips; nobody animated these).
        poses: how many.
        exact: figures of the influences fitted.
        largest: figures of keep-the-largest.
    """

    name: str
    poses: int
    exact: Figures
    largest: Figures


@dataclass(frozen=True, slots=True, eq=False)
class NearStillJoint:
    """A joint that no pose moves, and the vertices that hang on it and had a choice: there the prior alone knows it.

    Attributes:
        primitive: JSON pointer of the primitive.
        skin: JSON pointer of the skin.
        joint: index in the skin.
        name: of the joint.
        vertices: intp [n], ascending.
    """

    primitive: str
    skin: str
    joint: int
    name: str
    vertices: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class FitCheck:
    """What a fit is worth beyond its poses: `trials`, and the `still` joints that it knew from the tree alone."""

    trials: tuple[Trial, ...]
    still: tuple[NearStillJoint, ...]
