"""A measurement: how far the vertices of one character lie from those of another, who, how much and when."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import frozen, require_array
from skinproof.model.match import Match

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9)
"""Those that are reported, of the vertices' largest displacements."""

CAUSES = ("normalizing", "limiting", "packing")
"""What a displacement is made of, in the order in which the steps happen."""


@dataclass(frozen=True, slots=True)
class WorstVertex:
    """The vertex that moves furthest, and all that is needed to find it.

    Attributes:
        metres: length of its displacement.
        primitive: JSON pointer of its primitive.
        name: the primitive's readable name.
        vertex: index in the primitive.
        skin: JSON pointer of the skin through which it was shown.
        clip: name of the clip.
        time: seconds, on the clip's own clock; None for a made pose, which is at no time.
        pose: index of the pose among those measured of the clip.
        position_before: where the source puts it, metres, world space.
        position_after: where the result puts it.
        joints_before: names of its joints in the source ("joint 7" where a joint has no name), heaviest first.
        weights_before: their weights, as decoded; the reference is these, or these normalized.
        joints_after: names of its joints in the result.
        weights_after: their weights, as decoded.
    """

    metres: float
    primitive: str
    name: str
    vertex: int
    skin: str
    clip: str
    time: float | None
    pose: int
    position_before: tuple[float, float, float]
    position_after: tuple[float, float, float]
    joints_before: tuple[str, ...]
    weights_before: tuple[float, ...]
    joints_after: tuple[str, ...]
    weights_after: tuple[float, ...]

    def place(self) -> dict[str, object]:
        """Return all that is needed to find it, for findings and reports: every field but `metres`, tuples as lists."""
        fields = {name: getattr(self, name) for name in self.__slots__ if name != "metres"}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


@dataclass(frozen=True, slots=True)
class Cause:
    """One part of the displacement: `max` and `rms` in metres, and the vertex where it is largest.

    The parts of one vertex in one pose are vectors that add up to its displacement; their maxima need not.

    Attributes:
        name: one of `CAUSES`.
        max: the largest length, metres.
        rms: root mean square, as for the whole, metres.
        primitive: JSON pointer of the primitive where it is largest, "" if it is zero everywhere.
        vertex: the vertex there, or −1.
    """

    name: str
    max: float
    rms: float
    primitive: str
    vertex: int


@dataclass(frozen=True, slots=True)
class ClipMeasurement:
    """One clip: how many `poses` of it were measured, its `duration` in seconds, `max` and `rms` in metres.

    `pose` is the index, among those measured of the clip, of the pose in which the largest displacement is seen, and
    `time` when that is, in seconds on the clip's own clock; None for a made pose.
    """

    name: str
    duration: float
    poses: int
    max: float
    rms: float
    time: float | None
    pose: int


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures over all measured vertices of a primitive or a character, metres.

    Attributes:
        vertices: how many vertices were measured; all else is 0 or empty if none was.
        max: the largest displacement.
        rms: root mean square over vertices and poses, clips weighted by duration.
        bound: the largest a-priori bound of a vertex; never below `max`.
        percentiles: percent → that percentile of the vertices' largest displacements, for `PERCENTILES`.
    """

    vertices: int
    max: float
    rms: float
    bound: float
    percentiles: dict[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class PrimitiveMeasurement:
    """One primitive of V vertices; of several skins that show it, the worst counts, vertex by vertex.

    Attributes:
        pointer: the primitive's JSON pointer.
        name: its readable name.
        measured: bool [V], false where the source puts the vertex nowhere (its arrays hold 0 there).
        max_error: float64 [V], largest displacement, metres.
        clip: int32 [V], index in `Measurement.clips` of the clip in which it is seen.
        time: float64 [V], seconds on that clip's clock; None if the poses are made.
        pose: int32 [V], index of the pose among those measured of that clip; the first one if the vertex never moves.
        rms: float64 [V], root mean square over the poses, clips weighted by duration, metres.
        bound: float64 [V], the a-priori bound of `max_error` over the poses, metres.
        worst: the worst vertex, or None if none was measured.
        summary: the figures of the measured vertices together.
    """

    pointer: str
    name: str
    measured: NDArray[np.bool_]
    max_error: NDArray[np.float64]
    clip: NDArray[np.int32]
    time: NDArray[np.float64] | None
    pose: NDArray[np.int32]
    rms: NDArray[np.float64]
    bound: NDArray[np.float64]
    worst: WorstVertex | None
    summary: Summary

    def __post_init__(self) -> None:
        shape = (len(self.measured),)
        for name, dtype in (
            ("measured", np.bool_),
            ("max_error", np.float64),
            ("clip", np.int32),
            ("time", np.float64),
            ("pose", np.int32),
            ("rms", np.float64),
            ("bound", np.float64),
        ):
            if name == "time" and self.time is None:
                continue
            array = require_array(getattr(self, name), name, dtypes=[dtype], shape=shape)
            object.__setattr__(self, name, frozen(array))


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """Vertices of one primitive that could not be measured.

    Attributes:
        pointer: the primitive's JSON pointer.
        name: its readable name.
        reason: why, one sentence without its full stop.
        vertices: how many.
        vertex: the first of them.
        repaired: how many of them the caller had repaired under a policy of theirs, so that they know.
        posable: false where no skin shows the primitive, so that nobody could ever see a displacement.
    """

    pointer: str
    name: str
    reason: str
    vertices: int
    vertex: int
    repaired: int = 0
    posable: bool = True


@dataclass(frozen=True, slots=True)
class StillJoint:
    """A joint with weights that no measured pose moves: its `skin` (JSON pointer), index in it, and `name`."""

    skin: str
    joint: int
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """How far a result's vertices lie from the source's over the poses measured.

    Attributes:
        reference: "stored" (the source's weights as they are) or "normalized" (each vertex's weights divided by
            their sum).
        diagonal: bounding diagonal of all skinned vertices of the source, as stored, posed at rest, metres.
        made_poses: whether the poses are a made range of motion, for want of clips.
        clips: what was measured of each clip.
        primitives: one per primitive that a skin shows.
        summary: the figures of all measured vertices together.
        causes: the parts of the displacement, one per name in `CAUSES`.
        unmeasured: what could not be measured, and why.
        still_joints: joints that no measured pose moves.
        match: how the vertices were matched, if the two files do not have the same ones; else None.
    """

    reference: str
    diagonal: float
    made_poses: bool
    clips: tuple[ClipMeasurement, ...]
    primitives: tuple[PrimitiveMeasurement, ...]
    summary: Summary
    causes: tuple[Cause, ...]
    unmeasured: tuple[Unmeasured, ...]
    still_joints: tuple[StillJoint, ...]
    match: Match | None = None

    @property
    def poses(self) -> int:
        """How many poses were measured."""
        return sum(clip.poses for clip in self.clips)

    @property
    def worst(self) -> WorstVertex | None:
        """The worst vertex of all, or None if none was measured."""
        found = [primitive.worst for primitive in self.primitives if primitive.worst is not None]
        return max(found, key=lambda worst: worst.metres, default=None)

    def relative(self, metres: float) -> float:
        """`metres` as a share of the diagonal; of a source without extent 0 for 0, else infinity."""
        if self.diagonal > 0.0:
            return metres / self.diagonal
        return 0.0 if metres == 0.0 else math.inf
