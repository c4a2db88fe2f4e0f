"""What an audit found in a capture, draw by draw."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum


class DrawKind(StrEnum):
    """What a draw showed."""

    WHOLE = "whole"
    STALE = "stale"
    UNEXPLAINED = "unexplained"
    TORN = "torn"
    IDENTITY_FILLED = "identity-filled"
    WRONG_SPACE = "wrong space"
    NOT_FINITE = "not finite"
    WRONG_JOINT_COUNT = "wrong joint count"


BAD = (
    DrawKind.TORN,
    DrawKind.IDENTITY_FILLED,
    DrawKind.WRONG_SPACE,
    DrawKind.NOT_FINITE,
    DrawKind.WRONG_JOINT_COUNT,
)
"""The kinds that fail an audit."""


@dataclass(frozen=True, slots=True)
class PoseMatch:
    """A pose of a clip, and the joints that show it.

    Attributes:
        clip: index of the clip.
        time: seconds, of the clip's own clock.
        joints: joint indices, ascending.
    """

    clip: int
    time: float
    joints: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawAudit:
    """One draw.

    Attributes:
        draw: its index in the capture.
        kind: what it showed.
        nearest: the nearest whole pose; None where none was sought.
        parts: of a torn draw: the poses it is put together from, most joints first.
        ambiguous: of a torn draw: joints that stand alike in more than one of its poses.
        joints: the joints concerned: not finite, filled with identity, or without a pose.
        lag: of a stale draw: seconds from the pose shown to the one meant, where they are of one clip.
        detail: of a wrong space: which.
        displacement: of a torn draw: how far its worst vertex lies from the nearest whole pose, metres.
    """

    draw: int
    kind: DrawKind
    nearest: PoseMatch | None = None
    parts: tuple[PoseMatch, ...] = ()
    ambiguous: tuple[int, ...] = ()
    joints: tuple[int, ...] = ()
    lag: float | None = None
    detail: str = ""
    displacement: float | None = None


@dataclass(frozen=True, slots=True)
class CaptureAudit:
    """A whole capture.

    Attributes:
        draws: one per draw, in order.
        clip_names: the clips it was held against.
        joint_names: the joints of the skin.
        tolerance: metres within which a joint counts as standing in a pose, before float32's own rounding.
        fps: poses per second, in which distances in time are also told.
    """

    draws: tuple[DrawAudit, ...]
    clip_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    tolerance: float
    fps: float

    @property
    def counts(self) -> dict[DrawKind, int]:
        """How many draws are of each kind."""
        counted = Counter(draw.kind for draw in self.draws)
        return {kind: counted[kind] for kind in DrawKind}
