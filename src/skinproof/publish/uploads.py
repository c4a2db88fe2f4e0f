"""Upload slots: for a consumer, like a GPU, that goes on reading after the call that told it to.

A slot goes FREE → FILLED → SUBMITTED → CURRENT → FREE, and each step waits for what has really happened, not for a
number of frames: the upload has finished, every draw that bound the slot has finished.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array, require_count, require_no_overlap
from skinproof._native import _publish
from skinproof.errors import OptionError, PublishError
from skinproof.publish.revision import Revision


class Fence(Protocol):
    """How far a queue has come. Values are given to its work in rising order, by whoever submits."""

    def completed(self) -> int:
        """The greatest value up to which all work has finished; it never falls."""


class CpuFence:
    """A fence that the CPU signals: for consumers that are threads, and for tests."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._completed = 0

    def completed(self) -> int:
        """The greatest value that was signalled."""
        return self._completed

    def signal(self, value: int) -> None:
        """All work up to `value` has finished. Raises OptionError if that is less than before."""
        require_count(value, "value", least=0)
        with self._lock:
            if value < self._completed:
                raise OptionError(f"value: a fence never falls, and it is at {self._completed} already, not {value}")
            self._completed = value


class UploadState(enum.Enum):
    """What a slot is for now."""

    FREE = "free"
    FILLED = "filled"
    SUBMITTED = "submitted"
    CURRENT = "current"
    RETIRED = "retired"  # replaced, and still read by draws that have not finished


class UploadSlot:
    """One slot of a ring.

    Attributes:
        index: its place in the ring.
        matrices: float32 [joints, 4, 4], the palette that was copied into it, in the caller's buffer.
        revision: the pose's identity.
        topology_version: the skeleton's version.
    """

    def __init__(self, index: int, buffer: NDArray[np.float32]) -> None:
        self.index = index
        self.matrices = buffer[:0]
        self.revision = Revision(0, 0)
        self.topology_version = 0
        self._buffer = buffer
        self._state = UploadState.FREE
        self._order = 0  # which filling this is
        self._until = 0  # the fence value at which the last work on it has finished

    @property
    def state(self) -> UploadState:
        """What the slot was for when the ring was last asked."""
        return self._state


class UploadRing:
    """Slots for the palettes of one character, from a snapshot to the draws that read it.

    A slot that is still read is never written: with as many slots as frames in flight + 1, and one more where an upload
    may still run while the next is filled, `fill` always finds one. Any thread may call any method.
    """

    def __init__(self, buffers: Sequence[NDArray[np.float32]], fence: Fence) -> None:
        """Take `buffers` as the slots.

        Args:
            buffers: at least two writable float32 [capacity, 4, 4] that share no memory; staging or mapped memory.
            fence: tells when the uploads and draws that use them have finished.

        Raises:
            ArrayError: a buffer does not fit, or shares memory with another.
            OptionError: there are fewer than two.
        """
        if len(buffers) < 2:
            raise OptionError("buffers: a ring needs at least two, one to be read and one to be filled")
        for index, buffer in enumerate(buffers):
            require_array(buffer, f"buffers[{index}]", dtypes=[np.float32], shape=("capacity", 4, 4), writable=True)
            require_no_overlap(buffer, {f"buffers[{i}]": buffers[i] for i in range(index)}, name=f"buffers[{index}]")
        self._slots = [UploadSlot(index, buffer) for index, buffer in enumerate(buffers)]
        self._fence = fence
        self._lock = threading.Lock()
        self._order = 0

    def fill(self, snapshot: _publish.Snapshot) -> UploadSlot | None:
        """Copy a snapshot's palette into a free slot, whole; None if every slot is still in use. Never waits.

        Raises:
            OptionError: the palette has more joints than the buffers have room for.
            PublishError: the snapshot is closed.
        """
        with self._lock:
            self._settle()
            slot = next((slot for slot in self._slots if slot._state is UploadState.FREE), None)
            if slot is None:
                return None
            joints = snapshot.joint_count
            if joints > len(slot._buffer):
                raise OptionError(f"snapshot: {joints} joints, the buffers have room for {len(slot._buffer)}")
            slot.matrices = slot._buffer[:joints]
            np.copyto(slot.matrices, snapshot.palette)
            slot.revision, slot.topology_version = snapshot.revision, snapshot.topology_version
            self._order += 1
            slot._order = self._order
            slot._state = UploadState.FILLED
            return slot

    def submit(self, slot: UploadSlot, value: int) -> None:
        """The upload of a filled slot was submitted; it has finished when the fence reaches `value`.

        Raises:
            OptionError: `value` is no integer of at least 0.
            PublishError: the slot is not filled, so its upload was submitted already or there is nothing to upload; or
                it is another ring's.
        """
        require_count(value, "value", least=0)
        with self._lock:
            self._require_filled(slot)
            slot._until = value
            slot._state = UploadState.SUBMITTED

    def discard(self, slot: UploadSlot) -> None:
        """Give up a filled slot whose upload was not submitted. Raises PublishError if it is not filled."""
        with self._lock:
            self._require_filled(slot)
            slot._state = UploadState.FREE

    def bind(self, value: int) -> UploadSlot | None:
        """The slot for one draw, which has finished reading when the fence reaches `value`; None before the first.

        Bind once per draw: two bindings may be of two revisions. Raises OptionError if `value` is no integer of at
        least 0.
        """
        require_count(value, "value", least=0)
        with self._lock:
            self._settle()
            current = next((slot for slot in self._slots if slot._state is UploadState.CURRENT), None)
            if current is not None:
                current._until = max(current._until, value)
            return current

    def _require_filled(self, slot: UploadSlot) -> None:
        if slot not in self._slots:
            raise PublishError("slot: it is not one of this ring")
        if slot._state is not UploadState.FILLED:
            raise PublishError(f"slot {slot.index} is {slot._state.value}, not filled")

    def _settle(self) -> None:
        """Take over what has finished: the newest finished upload is current, and what nobody reads is free."""
        completed = self._fence.completed()
        uploaded = [s for s in self._slots if s._state is UploadState.SUBMITTED and s._until <= completed]
        current = next((slot for slot in self._slots if slot._state is UploadState.CURRENT), None)
        newest = max([*uploaded, *([current] if current else [])], key=lambda slot: slot._order, default=None)
        if newest is not current:
            if current is not None:
                current._state = UploadState.RETIRED
            assert newest is not None
            newest._state = UploadState.CURRENT
        for slot in uploaded:
            if slot is not newest:
                slot._state = UploadState.FREE  # overtaken before any draw could bind it
        for slot in self._slots:
            if slot._state is UploadState.RETIRED and slot._until <= completed:
                slot._state = UploadState.FREE
