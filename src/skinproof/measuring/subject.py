"""What is measured of one primitive: which vertices, between which influences, and how the difference came about.

The split is this project's own: docs/measuring.md, "Causes" and "What is left out".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.model import InfluenceChange, Influences, Primitive
from skinproof.model.measurement import CAUSES, Unmeasured
from skinproof.skinning import delta_influences

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Influences of V vertices as they enter the measurement: joints uint16 [V, N], weights float64 [V, N]."""

    joints: NDArray[np.uint16]
    weights: Array

    @classmethod
    def of(cls, influences: Influences, measured: Mask) -> Weights:
        """Return the decoded weights; those of vertices that are not measured are zero."""
        return cls(influences.joints, np.where(measured[:, np.newaxis], influences.weights, 0.0).astype(np.float64))

    def normalized(self) -> Weights:
        """Return the weights of each vertex divided by their sum; where that is not above zero they stay."""
        sums = self.weights.sum(axis=1, keepdims=True)
        return Weights(self.joints, self.weights / np.where(sums > 0, sums, 1.0))

    def minus(self, other: Weights) -> Weights:
        """Return the delta influences: skinned, they give the way from `other` to this."""
        return Weights(*delta_influences(self.joints, self.weights, other.joints, other.weights))


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """One primitive of V vertices that a skin shows.

    Attributes:
        primitive: of the original.
        index: the primitive's, among those of the character.
        measured: bool [V]; all weights of the other vertices are zero here.
        start: what is measured against: the original's weights as stored, or normalized.
    """

    primitive: Primitive
    index: int
    measured: Mask
    start: Weights


@dataclass(frozen=True, slots=True, eq=False)
class DeltaSubject(Subject):
    """One primitive whose vertices are those of the result, one by one.

    Attributes:
        positions: float64 [V, 3], bind positions in mesh space, metres.
        total: delta influences from `start` to the result.
        causes: the parts of `total`, by name, in the order of `CAUSES`; their sum is `total`.
    """

    positions: Array
    total: Weights
    causes: dict[str, Weights]


def make_subject(
    before: Primitive,
    after: Primitive,
    change: InfluenceChange | None,
    /,
    *,
    index: int,
    reference: str,
    joint_count: int,
) -> tuple[DeltaSubject, list[Unmeasured]]:
    """Return what to measure of a primitive, and the vertices that cannot be, with the reason.

    Args:
        before: the original's primitive.
        after: the result's.
        change: the result's influences before packing, or None if nobody knows them: then the result's own,
            normalized, take their place.
        index: the primitive's, among those of the character.
        reference: "stored" or "normalized".
        joint_count: joints of the smallest skin that shows the primitive.
    """
    unmeasured = _unmeasured(before, after, change, joint_count)
    measured = np.ones(before.vertex_count, np.bool_)
    for vertices, _ in unmeasured:
        measured[vertices] = False
    stored, result = Weights.of(before.influences, measured), Weights.of(after.influences, measured)
    normalized = stored.normalized()
    if change is None:
        limited = result.normalized()
    else:
        limited = Weights(change.joints, np.where(measured[:, np.newaxis], change.weights, 0.0))
    start = normalized if reference == "normalized" else stored
    steps = (start, normalized, limited, result)
    subject = DeltaSubject(
        primitive=before,
        index=index,
        measured=measured,
        start=start,
        positions=before.positions.astype(np.float64),
        total=result.minus(start),
        causes={name: steps[i + 1].minus(steps[i]) for i, name in enumerate(CAUSES)},
    )
    return subject, [gap for _, gap in unmeasured]


def _unmeasured(
    before: Primitive, after: Primitive, change: InfluenceChange | None, joint_count: int
) -> list[tuple[NDArray[np.intp], Unmeasured]]:
    """Return the vertices, intp [n], that each reason leaves out, every vertex under its first reason."""
    taken = np.zeros(before.vertex_count, np.bool_)
    repaired = np.zeros(before.vertex_count, np.bool_)
    for vertices in change.repaired.values() if change else ():
        repaired[vertices] = True
    gaps = []
    for reason, broken in reasons(before.influences, after.influences, joint_count, joint_count):
        vertices = np.flatnonzero(broken & ~taken)
        taken |= broken
        if len(vertices):
            mended = int(np.count_nonzero(repaired[vertices]))
            gap = Unmeasured(before.pointer, before.name, reason, len(vertices), int(vertices[0]), repaired=mended)
            gaps.append((vertices, gap))
    return gaps


def reasons(before: Influences, after: Influences, /, *joint_counts: int) -> Iterator[tuple[str, Mask]]:
    """Yield each reason not to measure a vertex, and the vertices it holds for, bool [V].

    Args:
        before: the original's influences of V vertices.
        after: the result's, of the same.
        joint_counts: joints of the skin of the one and of the other.
    """
    for influences, whose, joint_count in (
        (before, "the original", joint_counts[0]),
        (after, "the result", joint_counts[1]),
    ):
        broken: Mask = np.logical_or.reduce(~np.isfinite(influences.weights), axis=1)
        yield f"in {whose} a weight is NaN or infinite", broken
        outside: Mask = ((influences.weights != 0) & (influences.joints >= joint_count)).any(axis=1)
        yield f"in {whose} a joint is not in the skin", outside
    # A result without weights has a position, the origin; an original without any is no place to measure from.
    with np.errstate(invalid="ignore"):
        sums = before.weights.sum(axis=1, dtype=np.float64)
    yield "in the original the weights sum to nothing", ~(sums > 0)
