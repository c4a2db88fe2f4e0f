"""A slot that is still read is not overwritten; a draw binds what was uploaded whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palettes import owner, palette, topology
from skinproof.errors import ArrayError, OptionError, PublishError
from skinproof.publish import CpuFence, UploadRing, UploadState


def publish(character, tick, *values):
    character.request(tick)
    assert character.publish(tick, palette(*(values or (tick, tick))))


def buffers(count, joints=2):
    return [np.zeros((joints, 4, 4), np.float32) for _ in range(count)]


def fill(ring, character):
    with character.acquire() as snapshot:
        return ring.fill(snapshot)


def test_a_slot_is_bound_when_its_upload_has_finished_and_free_when_its_last_draw_has():
    character, fence = owner(0, 0), CpuFence()
    ring = UploadRing(buffers(2), fence)
    assert ring.bind(0) is None
    first = fill(ring, character)
    assert (first.state, first.revision, len(first.matrices)) == (UploadState.FILLED, (0, 0), 2)
    assert ring.bind(1) is None
    ring.submit(first, 2)
    assert ring.bind(1) is None, "its upload has not finished"
    fence.signal(2)
    assert ring.bind(5) is first
    assert first.state is UploadState.CURRENT

    publish(character, 1)
    second = fill(ring, character)
    assert fill(ring, character) is None, "one is read, one is filled: nothing to write to, and no waiting"
    ring.submit(second, 3)
    assert ring.bind(6) is first, "the upload of the second has not finished"
    fence.signal(3)
    assert ring.bind(7) is second
    assert first.state is UploadState.RETIRED
    publish(character, 2)
    assert fill(ring, character) is None, "the draw that ends at 6 reads the first"
    fence.signal(5)
    assert fill(ring, character) is None
    fence.signal(6)
    third = fill(ring, character)
    assert third is first
    assert third.matrices[:, 0, 3].tolist() == [2, 2]
    assert second.matrices[:, 0, 3].tolist() == [1, 1]


def test_an_overtaken_upload_is_never_bound():
    character, fence = owner(0, 0), CpuFence()
    ring = UploadRing(buffers(3), fence)
    slots = []
    for tick in (1, 2):
        publish(character, tick)
        slots.append(fill(ring, character))
    ring.submit(slots[1], 1)
    ring.submit(slots[0], 2)
    fence.signal(1)
    assert ring.bind(9) is slots[1]
    fence.signal(2)
    assert ring.bind(9) is slots[1], "a late upload of an older revision does not go back"
    assert slots[0].state is UploadState.FREE


def test_steps_out_of_order_are_errors():
    character, fence = owner(0, 0), CpuFence()
    ring = UploadRing(buffers(2), fence)
    slot = fill(ring, character)
    ring.submit(slot, 1)
    for step in (lambda: ring.submit(slot, 1), lambda: ring.discard(slot)):
        with pytest.raises(PublishError, match="slot 0 is submitted, not filled"):
            step()
    other = fill(ring, character)
    ring.discard(other)
    assert other.state is UploadState.FREE
    fence.signal(4)
    with pytest.raises(OptionError, match="a fence never falls"):
        fence.signal(3)
    stranger = fill(UploadRing(buffers(2), fence), character)
    for step in (lambda: ring.submit(stranger, 1), lambda: ring.discard(stranger)):
        with pytest.raises(PublishError, match="not one of this ring"):
            step()
    for bad in (-1, "1", 1.5, None):
        for step in (lambda: ring.submit(slot, bad), lambda: ring.bind(bad), lambda: fence.signal(bad)):  # noqa: B023
            with pytest.raises(OptionError, match="value: expected an integer of at least 0"):
                step()


def test_what_does_not_fit():
    character, fence = owner(0, 0, max_joints=3), CpuFence()
    with pytest.raises(OptionError, match="at least two"):
        UploadRing(buffers(1), fence)
    with pytest.raises(ArrayError, match=r"buffers\[1\]: expected dtype float32"):
        UploadRing([*buffers(1), np.zeros((2, 4, 4))], fence)
    both = buffers(1, 4)[0]
    with pytest.raises(ArrayError, match=r"buffers\[1\]: shares memory with buffers\[0\]"):
        UploadRing([both[:3], both[2:]], fence)
    ring = UploadRing([both[:2], both[2:]], fence)
    character.request(1, topology(3))
    publish(character, 1, 1, 2, 3)
    with pytest.raises(OptionError, match="3 joints, the buffers have room for 2"):
        fill(ring, character)
    assert character.counters()["cells_in_use"] == 0


@given(st.lists(st.sampled_from(["publish", "fill", "submit", "bind", "signal"]), max_size=80), st.integers(2, 4))
def test_any_order_of_steps(steps, count):
    """What a draw bound stays as it was until the fence says that the draw has finished."""
    character, fence = owner(0, 0), CpuFence()
    ring = UploadRing(buffers(count), fence)
    tick, value, filled, drawing, newest = 0, 0, [], [], -1
    for step in steps:
        if step == "publish":
            tick += 1
            publish(character, tick)
        elif step == "fill" and (slot := fill(ring, character)):
            filled.append(slot)
        elif step == "submit" and filled:
            value += 1
            ring.submit(filled.pop(0), value)
        elif step == "bind":
            value += 1
            if slot := ring.bind(value):
                assert slot.revision.tick >= newest
                newest = slot.revision.tick
                drawing.append((value, slot, slot.revision))
        elif step == "signal":
            fence.signal(min(value, fence.completed() + 1))
        drawing = [draw for draw in drawing if draw[0] > fence.completed()]
        for _, slot, revision in drawing:
            assert slot.revision == revision
            assert set(slot.matrices[:, 0, 3].tolist()) == {float(revision.tick)}
