"""The owner of the active palette: it decides what may still be published."""

from __future__ import annotations

from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array, require_count
from skinproof._native import _publish
from skinproof.errors import ArrayError, OptionError
from skinproof.publish.revision import RevisionLike
from skinproof.publish.topology import Topology

_BYTES_PER_NAME = 32  # room for a later topology with as many joints as fit, each with a name of this length
_MOST_DEFAULT_SLOTS = 18
_ROWS = 16


class PaletteOwner(_publish.Owner):
    """Publishes palettes to the threads of this process, and with a name to other processes.

    It starts with a whole palette, which it copies, so there is always something to acquire. Any thread may request,
    begin, write, commit and acquire. A reader never waits; a commit waits for another commit, for nothing else.

    `cells` snapshots can be held at once by each process; with as many slots as cells in all rows + 2, the default up
    to 16 cells, a commit never finds every slot held. Commits go round the slots: few of them stay in the cache.

    A named segment is three shared-memory files; `close`, or the end of a with block, removes them. An owner that dies
    leaves them: `recover` continues, `remove_segment` removes. One owner at a time.
    """

    def __init__(
        self,
        palette: NDArray[np.float32],
        topology: Topology,
        *,
        revision: RevisionLike = 0,
        cells: int = 4,
        slots: int | None = None,
        max_joints: int | None = None,
        max_name_bytes: int | None = None,
        name: str | None = None,
        group: int | None = None,
        rows: int | None = None,
    ) -> None:
        """Publish `palette` as the first one.

        Args:
            palette: float32 [joints, 4, 4], skinning matrices, row-major, target_from_mesh, finite.
            topology: the joints of `palette`.
            revision: the identity of `palette`, and the revision that is requested at first.
            cells: the most snapshots that a process can hold at once, 1 … 64.
            slots: palettes that the segment has room for, 2 … 255; all cells + 2 by default, but at most 18.
            max_joints: the most joints that a later topology may have; as many as `topology` by default.
            max_name_bytes: room for the joint names, UTF-8; 32 bytes for each of `max_joints`, or more where `topology`
                needs it, by default.
            name: makes a named segment that other processes attach: 1 … 100 of a-z A-Z 0-9 _ - . , no leading - or dot.
            group: id of a group whose users may attach too. Give it to trusted users only: they can hold slots, clear
                pins, and cut the pin file short, which kills this process.
            rows: processes that can be attached at once, this one included; 16 by default with a name.

        Raises:
            ArrayError: `palette` does not fit `topology`, or holds NaN or infinity.
            OptionError: a size is out of its range, or too small for `topology`; a group without a name.
            SegmentError: the named segment cannot be made: there is one already, or no memory, or no right to.
        """
        _check_first(palette, topology)
        joints = len(topology) if max_joints is None else require_count(max_joints, "max_joints", least=1, most=65535)
        rows = rows if rows is not None else 1 if name is None else _ROWS
        if slots is None:
            needed = (
                require_count(rows, "rows", least=1, most=256) * require_count(cells, "cells", least=1, most=64) + 2
            )
            slots = min(needed, _MOST_DEFAULT_SLOTS)
        super().__init__(
            palette,
            topology,
            revision=revision,
            slots=slots,
            rows=rows,
            cells=cells,
            max_joints=joints,
            max_name_bytes=max(topology.name_bytes, _BYTES_PER_NAME * joints)
            if max_name_bytes is None
            else max_name_bytes,
            name=name,
            group=group,
        )

    @classmethod
    def recover(cls, name: str) -> PaletteOwner:
        """Continue the named segment of an owner that has died.

        What it was writing is void; the palette that was active still is, and its revision is the requested one, under
        a new request. Readers stay attached.

        Raises:
            SegmentError: there is none, its owner lives, or it is corrupt.
        """
        self = cls.__new__(cls)
        _publish.Owner.__init__(self, name)
        return self

    def __enter__(self) -> PaletteOwner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _check_first(palette: NDArray[np.float32], topology: Topology) -> None:
    if not isinstance(topology, Topology):
        raise OptionError(f"topology: expected a skinproof.publish.Topology, got {topology!r}")
    require_array(palette, "palette", dtypes=[np.float32], shape=(len(topology), 4, 4))
    bad = np.flatnonzero(~np.isfinite(palette).all(axis=(1, 2)))
    if len(bad):
        raise ArrayError(f"palette: joint {int(bad[0])} holds a number that is NaN or infinite")
