"""A reader of a named segment: another process than its owner's. Importing this needs Linux."""

from __future__ import annotations

import sys
from types import TracebackType

from skinproof._native import _publish
from skinproof.errors import PlatformError
from skinproof.publish import forks

if sys.platform != "linux":
    raise PlatformError(
        f"named segments need Linux (open-file-description locks), and this is {sys.platform}; "
        "a PaletteOwner without name= publishes to the threads of its process everywhere"
    )

remove_segment = _publish.remove_segment
segment_statistics = _publish.segment_statistics


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
        forks.inherited.add(self)

    def __enter__(self) -> PaletteReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
