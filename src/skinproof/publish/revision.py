"""The identity of a pose that the animation system asked for."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Revision(NamedTuple):
    """Made by the animation side, never by a job scheduler: one pose computed in two batches has one revision.

    Attributes:
        tick: the logic tick, 0 … 2**64 − 1.
        graph_version: the version of the animation graph, 0 … 2**64 − 1.
    """

    tick: int
    graph_version: int = 0


RevisionLike: TypeAlias = Revision | tuple[int, int] | int
"""A revision, or a tick alone, whose graph version is 0."""
