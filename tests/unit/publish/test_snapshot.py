"""Views cannot outlive the pin; the pin cannot outlive the views."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from palettes import owner, palette, seen, topology, xs
from skinproof.errors import PublishError
from skinproof.publish import PaletteOwner


def cells_in_use(character):
    return character.counters()["cells_in_use"]


def test_views_are_read_only_and_without_a_copy():
    character = owner(1, 2)
    with character.acquire() as snapshot:
        for name in ("palette", "inverse_binds"):
            first, second = getattr(snapshot, name), getattr(snapshot, name)
            assert np.shares_memory(first, second)
            assert (first.dtype, first.shape) == (np.float32, (2, 4, 4))
            with pytest.raises(ValueError, match="read-only"):
                first[0] = 0
            with pytest.raises(ValueError, match="WRITEABLE"):
                first.flags.writeable = True
        del first, second


def test_leaving_with_a_live_view_raises_and_keeps_the_pin():
    character = owner(1, 2, slots=3, cells=2)
    with pytest.raises(BufferError, match="1 array"), character.acquire() as snapshot:
        row = snapshot.palette[0][0]  # a view of a view
    assert cells_in_use(character) == 1
    with pytest.raises(PublishError, match="the snapshot is closed"):
        snapshot.palette  # noqa: B018
    for tick in range(1, 10):
        character.request(tick)
        assert character.publish(tick, palette(tick, tick))
        assert row.tolist() == [1, 0, 0, 1]
    del row
    assert cells_in_use(character) == 0


def test_an_exception_is_not_hidden_by_its_own_views():
    character = owner(1, 2)

    def draw():
        with character.acquire() as snapshot:
            matrices = snapshot.palette
            raise KeyError(len(matrices))

    with pytest.raises(KeyError):
        draw()
    assert cells_in_use(character) == 0


def test_a_forgotten_snapshot_gives_its_pin_back():
    character = owner(1, 2)
    snapshot = character.acquire()
    assert cells_in_use(character) == 1
    del snapshot
    assert cells_in_use(character) == 0
    view = character.acquire().palette  # the snapshot is gone, its view is not
    assert cells_in_use(character) == 1
    assert view[:, 0, 3].tolist() == [1, 2]
    del view
    assert cells_in_use(character) == 0


def test_closing_twice_is_once():
    character = owner(1, 2)
    snapshot = character.acquire()
    snapshot.close()
    snapshot.close()
    assert snapshot.closed
    assert cells_in_use(character) == 0
    for use in (
        *("palette", "inverse_binds", "joint_boxes", "bounds", "revision", "joint_names", "joint_count"),
        *("topology_version", "generation"),
    ):
        with pytest.raises(PublishError, match="the snapshot is closed"):
            getattr(snapshot, use)


def test_no_cell_left_is_an_error():
    character = owner(1, 2, cells=2)
    with character.acquire(), character.acquire(), pytest.raises(PublishError, match="holds 2 snapshots already"):
        character.acquire()
    seen(character)


def test_bounds_are_the_moved_boxes():
    boxes = np.array([[[-1, -1, -1], [1, 1, 1]], [[1, 1, 1], [-1, -1, -1]], [[0, 0, 0], [0, 2, 0]]], np.float32)
    character = PaletteOwner(palette(10, 500, -3), topology(3, joint_boxes=boxes))
    with character.acquire() as snapshot:
        assert snapshot.bounds.tolist() == [[-3, -1, -1], [11, 2, 1]]
        np.testing.assert_array_equal(snapshot.joint_boxes, boxes)
    without = owner(1)
    with without.acquire() as snapshot:
        assert snapshot.bounds is None
        assert snapshot.joint_boxes is None


def test_another_topology_brings_its_own_boxes():
    boxes = np.array([[[-1, -1, -1], [1, 1, 1]]], np.float32)
    character = PaletteOwner(palette(5), topology(1, joint_boxes=boxes), max_joints=2, slots=3)
    before = character.acquire()
    both = np.concatenate([boxes, 2 * boxes])
    # Often enough for every slot to have held each topology.
    for tick, now in enumerate([both, None, boxes, None, both, boxes, both], start=1):
        joints = 1 if now is None else len(now)
        character.request(tick, topology(joints, joint_boxes=now))
        assert character.publish(tick, palette(*[tick] * joints))
        with character.acquire() as snapshot:
            if now is None:
                assert (snapshot.joint_boxes, snapshot.bounds) == (None, None)
            else:
                np.testing.assert_array_equal(snapshot.joint_boxes, now)
                assert snapshot.bounds.tolist() == [[tick - joints, -joints, -joints], [tick + joints, joints, joints]]
    np.testing.assert_array_equal(before.joint_boxes, boxes)
    assert before.bounds.tolist() == [[4, -1, -1], [6, 1, 1]]
    before.close()


def test_snapshots_outlive_a_closed_owner():
    character = owner(1, 2)
    with character:
        snapshot = character.acquire()
        candidate = character.begin(0)
    for use in (
        lambda: character.request(1),
        lambda: character.begin(1),
        character.acquire,
        character.counters,
        lambda: character.publish(0, palette(1, 2)),
        candidate.commit,
    ):
        with pytest.raises(PublishError, match="the owner is closed"):
            use()
    del candidate
    assert xs(snapshot) == [1, 2]
    snapshot.close()


def test_no_thread_ever_sees_two_poses():
    character = owner(*[0] * 64, cells=4)
    stop = threading.Event()
    faults, draws = [], [0, 0]

    def draw(which):
        last = 0
        while not stop.is_set():
            with character.acquire() as snapshot:
                values = set(xs(snapshot))
                tick = snapshot.revision.tick
            if values != {float(tick)} or tick < last:
                faults.append((tick, values))
            last = tick
            draws[which] += 1

    threads = [threading.Thread(target=draw, args=(which,)) for which in range(2)]
    for thread in threads:
        thread.start()
    work = np.tile(np.eye(4, dtype=np.float32), (64, 1, 1))
    source = character.source(work)
    tick = 0
    while tick < 3000 or min(draws) < 100:
        tick += 1
        character.request(tick)
        work[:, 0, 3] = tick
        assert source.publish(tick)
    stop.set()
    for thread in threads:
        thread.join()
    assert not faults
