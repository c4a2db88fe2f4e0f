"""A survey: what the influences of a character are like, primitive by primitive, as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass

from skinproof.model.influences import WeightFormat


@dataclass(frozen=True, slots=True)
class Breach:
    """One rule of the weight contract, broken on one or more vertices of a primitive.

    Attributes:
        rule: a key of `errors.INFLUENCE_RULES`.
        vertices: how many vertices break it.
        vertex: the first of them.
        joint: the joint index concerned there, or None.
        value: the offending weight there, or None.
    """

    rule: str
    vertices: int
    vertex: int
    joint: int | None = None
    value: float | None = None


@dataclass(frozen=True, slots=True)
class SumCheck:
    """The weight sums of one primitive, as one kind of consumer adds them.

    Only vertices with finite weights, one of them non-zero, have a sum that can be judged.

    Attributes:
        method: "integer" (the stored integers), "float64" (the decoded float32 weights, added in float64) or
            "validator" (added in float32 in the order of the Khronos validator).
        vertices: how many were judged.
        failing: how many lie beyond their limit.
        vertex: the failing vertex furthest from one or, if none fails, the vertex furthest from one; −1 if none judged.
        sum: the sum at that vertex, in `unit`.
        error: |`sum` − the sum of an exact vertex|, in `unit`.
        limit: what `error` is held against; it may depend on the number of non-zero weights of the vertex.
        max_error: the largest error of all, as a share of one.
        unit: "1", or "1/255" and "1/65535" for stored integers.
    """

    method: str
    vertices: int
    failing: int
    vertex: int
    sum: float
    error: float
    limit: float
    max_error: float
    unit: str


@dataclass(frozen=True, slots=True)
class PrimitiveSurvey:
    """The influences of one primitive.

    Attributes:
        pointer: the primitive's JSON pointer.
        name: the primitive's readable name.
        vertices: vertex count.
        slots: slots per vertex, all sets together.
        set_formats: how each set of four slots is stored.
        skins: indices of the skins that show it; empty if none does.
        joint_count: joints in the smallest of those skins, or None.
        histogram: how many vertices have 0, 1, 2, ... influences.
        most_vertex: the first vertex with the largest number of influences.
        breaches: broken rules, in the order of `errors.INFLUENCE_RULES`.
        sums: one entry per way of adding that applies to the format.
        unused_joints: vertices with a slot of weight zero that names a joint other than 0.
        unused_vertex: the first of them, or −1.
    """

    pointer: str
    name: str
    vertices: int
    slots: int
    set_formats: tuple[WeightFormat, ...]
    skins: tuple[int, ...]
    joint_count: int | None
    histogram: tuple[int, ...]
    most_vertex: int
    breaches: tuple[Breach, ...]
    sums: tuple[SumCheck, ...]
    unused_joints: int
    unused_vertex: int

    @property
    def max_influences(self) -> int:
        """The largest number of influences on one vertex."""
        return max((count for count, vertices in enumerate(self.histogram) if vertices), default=0)


@dataclass(frozen=True, slots=True)
class SkinSurvey:
    """One skin, and whether its joints lie where the vertices are that they move.

    Attributes:
        pointer: the skin's JSON pointer.
        name: "" where the file gives none.
        joints: joint count.
        weighted_joints: joints with a non-zero weight on some vertex.
        vertices: vertices shown through it.
        bind_mismatch: median over the weighted joints of the distance between the joint's bind pivot and the weighted
            centroid of its vertices, as a share of the bounding diagonal of the vertices at bind time; None where
            that says nothing (too few joints or vertices, no extent).
    """

    pointer: str
    name: str
    joints: int
    weighted_joints: int
    vertices: int
    bind_mismatch: float | None


@dataclass(frozen=True, slots=True)
class ClipSurvey:
    """One clip: `name`, `pointer`, `duration` in seconds, and the number of its `channels`."""

    name: str
    pointer: str
    duration: float
    channels: int


@dataclass(frozen=True, slots=True)
class Survey:
    """All primitives with influences, skins and clips of a character, in the file's order."""

    name: str
    primitives: tuple[PrimitiveSurvey, ...]
    skins: tuple[SkinSurvey, ...]
    clips: tuple[ClipSurvey, ...]

    @property
    def vertices(self) -> int:
        """Vertices with influences slots, of all primitives."""
        return sum(primitive.vertices for primitive in self.primitives)

    @property
    def max_influences(self) -> int:
        """The largest number of influences on one vertex."""
        return max((primitive.max_influences for primitive in self.primitives), default=0)

    @property
    def histogram(self) -> tuple[int, ...]:
        """How many vertices of all primitives have 0, 1, 2, ... influences."""
        total = [0] * (self.max_influences + 1)
        for primitive in self.primitives:
            for count, vertices in enumerate(primitive.histogram[: len(total)]):
                total[count] += vertices
        return tuple(total)

    @property
    def max_sum_error(self) -> float:
        """The largest distance of a decoded weight sum from one, float64 sum of the decoded weights."""
        return max(
            (check.max_error for one in self.primitives for check in one.sums if check.method == "float64"), default=0.0
        )
