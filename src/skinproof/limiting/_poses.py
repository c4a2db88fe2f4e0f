"""All poses of a schedule, several times over: kept while they are small, made anew each time while they are not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from skinproof.poses import PoseBlock, PoseSchedule
from skinproof.poses.shares import time_shares
from skinproof.tolerances import MAX_BLOCK_BYTES

Array = NDArray[np.float64]


class Poses:
    """Blocks of a schedule with the share of time of each pose."""

    def __init__(self, schedule: PoseSchedule) -> None:
        self._schedule = schedule
        self._kept: list[tuple[PoseBlock, Array]] | None = None

    def __iter__(self) -> Iterator[tuple[PoseBlock, Array]]:
        """Yield blocks of P poses and their shares, float64 [P]."""
        if self._kept is None and self._fits():
            self._kept = list(self._made())
        return iter(self._kept) if self._kept is not None else self._made()

    def blocks(self) -> Iterator[PoseBlock]:
        """Yield the blocks alone."""
        return (block for block, _ in self)

    def _fits(self) -> bool:
        return self._schedule.pose_count * len(self._schedule.nodes) * 16 * 8 <= MAX_BLOCK_BYTES

    def _made(self) -> Iterator[tuple[PoseBlock, Array]]:
        shares = [time_shares(clip) for clip in self._schedule.clips]
        for block in self._schedule.blocks():
            start = block.first_pose - self._schedule.clips[block.clip_index].first_pose
            yield block, shares[block.clip_index][start : start + len(block.worlds)]
