"""
The compiled publisher of skinproof. Import it through skinproof._native only.
"""

import enum
from typing import overload

import numpy


from numpy.typing import NDArray

from skinproof.publish.copies import PoseCopy
from skinproof.publish.revision import Revision
from skinproof.publish.topology import Topology

class Snapshot:
    """
    A palette that is pinned for the whole draw: whole, of one revision, unchanging, read-only.

    Leaving its with block gives the pin back, and raises BufferError if an array of it is still
    alive; the pin is then kept until the last one is gone. Pickling copies (see `copy`).
    """

    def __enter__(self) -> Snapshot: ...

    def __exit__(self, type: object, value: object, traceback: object) -> None: ...

    def close(self) -> None:
        """
        Give the pin back. Raises BufferError if an array of the snapshot is still alive.
        """

    @property
    def closed(self) -> bool:
        """Whether it was closed."""

    @property
    def palette(self) -> NDArray[numpy.float32]:
        """
        float32 [joints, 4, 4], skinning matrices, row-major, target_from_mesh; a read-only view.
        """

    @property
    def inverse_binds(self) -> NDArray[numpy.float32]:
        """
        float32 [joints, 4, 4], joint_from_mesh at bind time; a read-only view.
        """

    @property
    def joint_boxes(self) -> NDArray[numpy.float32] | None:
        """
        float32 [joints, 2, 3], the topology's joint boxes; a read-only view, None where it has none.
        """

    @property
    def bounds(self) -> NDArray[numpy.float32] | None:
        """
        float32 [2, 3], the least and the greatest corner, metres, in the palette's target space; None where
        the topology has no joint boxes.
        """

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints' names, in palette order."""

    @property
    def joint_count(self) -> int:
        """Number of joints."""

    @property
    def revision(self) -> Revision:
        """The pose's identity, from the animation side."""

    @property
    def topology_version(self) -> int:
        """Changes with the skeleton; never repeats in a segment."""

    @property
    def generation(self) -> int:
        """Rises with every commit of the segment."""

    def copy(self) -> PoseCopy:
        """The whole bundle as arrays of its own."""

    def __reduce__(self) -> tuple[object, ...]: ...

class CommitStatus(enum.Enum):
    """What became of a candidate."""

    COMMITTED = 0
    """It is the active palette."""

    INCOMPLETE = 1
    """Joints are missing; it stays open for them."""

    INVALID_MATRIX = 2
    """An entry is NaN or infinite; it is over as a whole."""

    STALE_REVISION = 3
    """Another request is the current one; it is over."""

    NO_FREE_SLOT = 4
    """
    Readers hold every other slot; nothing was waited for; commit it again later.
    """

class CommitResult:
    """
    The result of a commit, with its detail. True if the candidate was committed.
    """

    @property
    def status(self) -> CommitStatus:
        """What became of the candidate."""

    def __bool__(self) -> bool: ...

    @property
    def revision(self) -> Revision:
        """The candidate's revision."""

    @property
    def requested(self) -> Revision:
        """The revision that was wanted."""

    @property
    def missing(self) -> tuple[int, ...]:
        """Joints that nobody wrote (INCOMPLETE)."""

    @property
    def written_twice(self) -> tuple[int, ...]:
        """Joints that were written more than once; the last writing counts."""

    @property
    def not_finite(self) -> tuple[int, ...]:
        """Joints with an entry that is NaN or infinite (INVALID_MATRIX)."""

    def __repr__(self) -> str: ...

class CandidateRange:
    """
    A range of a candidate's joints. As a context manager it gives the array to write, and marks the
    joints as written when the block ends without an exception.
    """

    def __enter__(self) -> NDArray[numpy.float32]: ...

    def __exit__(self, type: object, value: object, traceback: object) -> None: ...

class Candidate:
    """
    The joints of one revision, collected from any number of jobs in any order, from any thread.

    Readers can reach nothing of it. Each joint is for one job: two threads that write the same joint
    at the same time mix its matrix, and it is reported as written twice.
    """

    def write(self, joint: int, matrix: NDArray[numpy.float32]) -> None:
        """
        Copy one matrix, float32 [4, 4], in. Raises ArrayError, OptionError, PublishError (the candidate is over).
        """

    def write_range(self, first: int, matrices: NDArray[numpy.float32]) -> None:
        """
        Copy the matrices of joints first, first + 1, … in, float32 [count, 4, 4]. Raises like `write`.
        """

    def range(self, first: int, count: int) -> CandidateRange:
        """
        Joints first … first + count − 1 to be written in place: `with candidate.range(0, 32) as matrices:`,
        float32 [count, 4, 4], whose content is undefined before it is written.
        """

    def commit(self) -> CommitResult:
        """
        Pass the gates and publish: complete, finite, current, in this order; see CommitStatus.
        """

    @property
    def revision(self) -> Revision:
        """The revision it was begun for."""

    @property
    def joint_count(self) -> int:
        """Number of joints."""

    @property
    def missing(self) -> tuple[int, ...]:
        """Joints that nobody has written yet."""

    @property
    def is_over(self) -> bool:
        """Whether it can no longer be committed."""

class PaletteSource:
    """
    An array that is published again and again, each time with what is in it then (see Owner.source).
    """

    def publish(self, revision: Revision | tuple[int, int] | int) -> bool:
        """
        Publish what the array holds now as `revision`; True if it was committed, else `result` says why not.

        Nothing may write to the array meanwhile. Raises like Owner.publish.
        """

    @property
    def result(self) -> CommitResult | None:
        """The result of the last publish."""

class Owner:
    """
    The compiled half of skinproof.publish.PaletteOwner, which says what its methods do.
    """

    @overload
    def __init__(self, palette: NDArray[numpy.float32], topology: Topology, *, revision: Revision | tuple[int, int] | int, slots: int, rows: int, cells: int, max_joints: int, max_name_bytes: int, name: str | None, group: int | None) -> None: ...

    @overload
    def __init__(self, name: str) -> None:
        """Continue a segment whose owner has died."""

    def request(self, revision: Revision | tuple[int, int] | int, topology: Topology | None = None) -> bool:
        """
        Ask for a revision: candidates of any earlier request become stale at once.

        The revision that is current already changes nothing, and returns False. With a topology it is always a new
        request: the next commit brings the new joints, names, inverse binds and palette as one.
        Raises OptionError (the topology does not fit, the revision is no revision), PublishError (closed, forked).
        """

    @property
    def requested(self) -> Revision:
        """The revision that was requested last."""

    @property
    def topology_version(self) -> int:
        """The version of the topology that was requested last."""

    def begin(self, revision: Revision | tuple[int, int] | int, *, joint_count: int | None = None) -> Candidate:
        """
        Begin a candidate under the current request.

        For another revision than the requested one it can be filled, and ends at best as STALE_REVISION.
        joint_count, if given, must be the requested topology's, else OptionError.
        """

    def publish(self, revision: Revision | tuple[int, int] | int, palette: NDArray[numpy.float32]) -> CommitResult:
        """
        Begin, fill and commit in one call: palette float32 [joints, 4, 4], which is copied.
        """

    def source(self, palette: NDArray[numpy.float32]) -> PaletteSource:
        """
        Keep `palette`, float32 [joints, 4, 4], to publish what it holds again and again: the fastest way.
        """

    def acquire(self) -> Snapshot:
        """
        Pin the active palette for a draw: `with owner.acquire() as snapshot:`.

        Never waits. Raises PublishError if the process holds as many snapshots as there are cells.
        """

    def counters(self) -> dict[str, int]:
        """
        Commits by result, rows reaped, pins cleared, slots recovered, acquires retried, cells in use.
        """

    def close(self) -> None:
        """
        End publication: snapshots that are held stay as they are, everything else raises PublishError.

        A named segment is removed; readers that are attached keep its last palette.
        """

class Reader:
    """
    The compiled half of skinproof.publish.PaletteReader, which says what its methods do.
    """

    def __init__(self, name: str) -> None: ...

    def acquire(self) -> Snapshot:
        """
        Pin the active palette for a draw: `with reader.acquire() as snapshot:`.

        Never waits. Raises PublishError if the process holds as many snapshots as a row has cells, SegmentError if
        the segment is corrupt.
        """

    @property
    def owner_has_closed(self) -> bool:
        """Whether the owner has closed the segment: no new palette will come."""

    def close(self) -> None:
        """
        Detach. Snapshots that are held stay as they are; the row is free when the last one is gone.
        """

def segment_statistics(name: str) -> dict[str, int | str]:
    """
    The counters of a named segment, without attaching. Raises SegmentError.
    """

def remove_segment(name: str) -> None:
    """
    Remove the files of a segment whose owner has died. Raises SegmentError if it lives, or there is none.
    """
