"""A reader of a named segment: another process than its owner's."""

from __future__ import annotations

from types import TracebackType

from skinproof._native import _publish


class PaletteReader(_publish.Reader):
    """Attached to a named segment. Any thread of the process may acquire.

    Its process can read the palettes and write nothing but its own pins: a stray write faults, it changes no palette.
    When the process dies, however it does, the owner clears its pins.
    """

    def __init__(self, name: str) -> None:
        """Attach to the segment that a `PaletteOwner` made under `name`.

        Raises:
            SegmentError: there is none, it is closed or not ready, of another layout version, corrupt or foreign, every
                row for readers is in use, or this user may not read it.
        """
        super().__init__(name)

    def __enter__(self) -> PaletteReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
