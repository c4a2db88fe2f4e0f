"""What the gate finds in the match of two files whose vertices are not the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skinproof.findings import Finding
from skinproof.gate.words import length, share, vertices
from skinproof.model.match import Match, MatchedSide, VertexList

_SAME_SIZE = 0.01
"""How far the ratio of two sizes at rest may lie from one before it is told as a likely reason."""


def unmatched(match: Match, *, min_match: float) -> Iterator[Finding]:
    """Yield VERTICES_UNMATCHED if less than the share `min_match` of either file's vertices has a partner."""
    if match.share >= min_match:
        return
    lone = [*match.original.unmatched, *match.result.unmatched]
    first = lone[0] if lone else None
    yield Finding(
        "VERTICES_UNMATCHED",
        f"{_shares(match)} have a partner within {length(match.radius)}, less than the {share(min_match)} asked for"
        f"{_named(match)}{_other_unit(match)}",
        pointer=first.pointer if first else "",
        measured=match.share,
        limit=min_match,
        unit="1",
        where={
            "original": _listed(match.original.unmatched),
            "result": _listed(match.result.unmatched),
            "size_ratio": match.size_ratio,
        },
    )


def remarks(match: Match, *, min_match: float) -> Iterator[Finding]:
    """Yield how the vertices were matched, and which of them nothing but their weights told apart."""
    if match.share >= min_match:
        yield Finding(
            "VERTICES_MATCHED",
            f"compared by bind position, for {match.reason}: {_shares(match)} have a partner within "
            f"{length(match.radius)}{_named(match)}",
            measured=match.share,
            limit=min_match,
            unit="1",
        )
    for side, whose in ((match.original, "the original"), (match.result, "the file")):
        for some in side.ambiguous:
            yield Finding(
                "MATCH_AMBIGUOUS",
                f"{vertices(some.vertices)} of {some.name} in {whose}, the first {some.first[0]}: several vertices of "
                "the other stand at the same place, and only their weights tell which is which; the nearest weights "
                "were taken",
                pointer=some.pointer,
                measured=float(some.vertices),
                limit=0.0,
                unit="vertices",
                where={"file": whose, "first": list(some.first), "count": some.vertices},
            )


def _shares(match: Match) -> str:
    return f"{_share(match.original)} of the original and {_share(match.result)} of the file"


def _share(side: MatchedSide) -> str:
    return f"{side.matched:,} of {vertices(side.vertices)}"


def _named(match: Match) -> str:
    """Name the first vertices without a partner, of each file."""
    parts = []
    for side, whose in ((match.original, "the original"), (match.result, "the file")):
        if side.unmatched:
            some = side.unmatched[0]
            numbers = ", ".join(map(str, some.first)) + ("" if len(some.first) == some.vertices else ", …")
            parts.append(f"{numbers} of {some.name} in {whose}")
    return f"; without one: {'; '.join(parts)}" if parts else ""


def _other_unit(match: Match) -> str:
    ratio = match.size_ratio
    if ratio is None or abs(ratio - 1) <= _SAME_SIZE:
        return ""
    return f". At rest the file is {ratio:.4g} times as large as the original: is it in another unit?"


def _listed(some: Sequence[VertexList]) -> list[dict[str, object]]:
    return [
        {"primitive": one.pointer, "name": one.name, "count": one.vertices, "first": list(one.first)} for one in some
    ]
