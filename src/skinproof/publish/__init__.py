"""No draw ever sees half a pose: palettes are published whole, current and finite, and read without waiting.

One owner commits; any number of readers hold snapshots. See docs/publishing.md.
"""

from skinproof._native import _publish
from skinproof.publish.copies import PoseCopy
from skinproof.publish.history import LastDrawn
from skinproof.publish.jobs import publish_jobs
from skinproof.publish.owner import PaletteOwner
from skinproof.publish.reader import PaletteReader
from skinproof.publish.revision import Revision
from skinproof.publish.topology import Topology
from skinproof.publish.uploads import CpuFence, Fence, UploadRing, UploadSlot, UploadState

Candidate = _publish.Candidate
CommitResult = _publish.CommitResult
CommitStatus = _publish.CommitStatus
Snapshot = _publish.Snapshot
remove_segment = _publish.remove_segment
segment_statistics = _publish.segment_statistics

__all__ = [
    "Candidate",
    "CommitResult",
    "CommitStatus",
    "CpuFence",
    "Fence",
    "LastDrawn",
    "PaletteOwner",
    "PaletteReader",
    "PoseCopy",
    "Revision",
    "Snapshot",
    "Topology",
    "UploadRing",
    "UploadSlot",
    "UploadState",
    "publish_jobs",
    "remove_segment",
    "segment_statistics",
]
