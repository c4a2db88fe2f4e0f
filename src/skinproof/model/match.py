"""A match: which share of the vertices of two files was found in the other, and which was not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VertexList:
    """Some vertices of one primitive.

    Attributes:
        pointer: the primitive's JSON pointer.
        name: its readable name.
        vertices: how many.
        first: the first of them, at most `SHOWN`.
    """

    pointer: str
    name: str
    vertices: int
    first: tuple[int, ...]


SHOWN = 8
"""Vertices that are listed by number; the others are counted."""


@dataclass(frozen=True, slots=True)
class MatchedSide:
    """What became of the vertices of one of the two files; only those count that are drawn, through a skin.

    Attributes:
        vertices: how many there are.
        unmatched: those without a partner, by primitive.
        ambiguous: those that nothing but their weights told apart from others, by primitive.
    """

    vertices: int
    unmatched: tuple[VertexList, ...]
    ambiguous: tuple[VertexList, ...]

    @property
    def matched(self) -> int:
        """How many have a partner in the other file."""
        return self.vertices - sum(some.vertices for some in self.unmatched)

    @property
    def share(self) -> float:
        """`matched` as a share of `vertices`; 0 if there are none, for then nothing was found."""
        return self.matched / self.vertices if self.vertices else 0.0


@dataclass(frozen=True, slots=True)
class Match:
    """How the vertices of two files were matched that do not have the same ones in the same order.

    Attributes:
        reason: what differs, so that they could not be compared one by one.
        original: the original's vertices.
        result: the result's.
        radius: how far bind positions could lie apart and be the same vertex's, metres, the widest of all skins.
        size_ratio: diagonal of the result at rest over that of the original; None where either has none. Far from one,
            the files are in other units.
    """

    reason: str
    original: MatchedSide
    result: MatchedSide
    radius: float
    size_ratio: float | None

    @property
    def share(self) -> float:
        """The smaller of the two sides' shares."""
        return min(self.original.share, self.result.share)
