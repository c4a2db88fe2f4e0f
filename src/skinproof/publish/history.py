"""What a view drew last: the previous palette that motion vectors need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from skinproof._native import _publish


class Acquires(Protocol):
    """An owner or a reader."""

    def acquire(self) -> _publish.Snapshot:
        """Pin the active palette."""


class LastDrawn:
    """The palettes of one view (a camera, a shadow pass): the one it draws now, and the one it drew last.

    The last one is what this view really drew, not the revision before: views that skip frames differ. It is held by
    a pin of its own, so a view takes two cells while it draws, one in between. Not for two threads at once.
    """

    def __init__(self, source: Acquires) -> None:
        self._source = source
        self._last: _publish.Snapshot | None = None

    @contextmanager
    def draw(self) -> Iterator[tuple[_publish.Snapshot, _publish.Snapshot | None]]:
        """Give the palette to draw now and the one that this view drew last.

        The last is None for the first draw, and after a topology change: joints of another skeleton have no motion.
        If the block raises, nothing was drawn, and the last one stays.

        Raises:
            BufferError: an array of the last snapshot is still alive at the end of the block.
            PublishError: no cell is left.
        """
        now = self._source.acquire()
        last = self._last
        try:
            comparable = last is not None and last.topology_version == now.topology_version
            yield now, last if comparable else None
        except BaseException:
            now.__exit__(BaseException, None, None)
            raise
        self._last = now
        if last is not None:
            last.close()

    def close(self) -> None:
        """Give the pin back. Raises BufferError if an array of the snapshot is still alive."""
        last, self._last = self._last, None
        if last is not None:
            last.close()
