"""No draw ever sees half a pose: palettes are published whole, current and finite, and read without waiting.

One owner commits; any number of readers hold snapshots. See docs/publishing.md.
"""

import sys
from importlib import import_module

from skinproof._native import _publish
from skinproof.publish.copies import PoseCopy
from skinproof.publish.header import include_dir
from skinproof.publish.history import LastDrawn
from skinproof.publish.jobs import publish_jobs
from skinproof.publish.owner import PaletteOwner
from skinproof.publish.revision import Revision
from skinproof.publish.topology import Topology
from skinproof.publish.uploads import CpuFence, Fence, UploadRing, UploadSlot, UploadState

Candidate = _publish.Candidate
CommitResult = _publish.CommitResult
CommitStatus = _publish.CommitStatus
Snapshot = _publish.Snapshot

__all__ = [
    "Candidate",
    "CommitResult",
    "CommitStatus",
    "CpuFence",
    "Fence",
    "LastDrawn",
    "PaletteOwner",
    "PoseCopy",
    "Revision",
    "Snapshot",
    "Topology",
    "UploadRing",
    "UploadSlot",
    "UploadState",
    "include_dir",
    "publish_jobs",
]

if sys.platform == "linux":
    from skinproof.publish.reader import PaletteReader, remove_segment, segment_statistics

    __all__ += ["PaletteReader", "remove_segment", "segment_statistics"]
else:

    def __getattr__(name: str) -> object:
        """Say why the shared form is not there, and only to who asks for it."""
        if name in ("PaletteReader", "remove_segment", "segment_statistics"):
            import_module("skinproof.publish.reader")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
