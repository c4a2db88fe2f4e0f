"""Views cannot outlive the pin; the pin cannot outlive the views."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest

from palettes import owner, palette, seen, topology, xs
from skinproof.errors import PublishError
from skinproof.publish import LastDrawn, PaletteOwner, PoseCopy


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
    for use in ("palette", "bounds", "revision", "joint_names", "joint_count", "topology_version", "generation"):
        with pytest.raises(PublishError, match="the snapshot is closed"):
            getattr(snapshot, use)


def test_no_cell_left_is_an_error():
    character = owner(1, 2, cells=2)
    with character.acquire(), character.acquire(), pytest.raises(PublishError, match="holds 2 snapshots already"):
        character.acquire()
    seen(character)


def test_pickling_copies():
    boxes = np.zeros((2, 2, 3), np.float32)
    character = PaletteOwner(palette(1, 2), topology(2, joint_boxes=boxes), revision=(3, 4))
    with character.acquire() as snapshot:
        for copy in (
            snapshot.copy(),
            pickle.loads(pickle.dumps(snapshot)),
            pickle.loads(pickle.dumps(snapshot.copy())),
        ):
            assert isinstance(copy, PoseCopy)
            assert (copy.revision, copy.topology_version, copy.joint_names) == ((3, 4), 1, ("joint0", "joint1"))
            assert not np.shares_memory(copy.palette, snapshot.palette)
            np.testing.assert_array_equal(copy.palette, palette(1, 2))
            np.testing.assert_array_equal(copy.inverse_binds, palette(0, 1))
            np.testing.assert_array_equal(copy.bounds, [[1, 0, 0], [2, 0, 0]])
    assert len(copy.palette) == 2


def test_bounds_are_the_moved_boxes():
    boxes = np.array([[[-1, -1, -1], [1, 1, 1]], [[1, 1, 1], [-1, -1, -1]], [[0, 0, 0], [0, 2, 0]]], np.float32)
    character = PaletteOwner(palette(10, 500, -3), topology(3, joint_boxes=boxes))
    with character.acquire() as snapshot:
        assert snapshot.bounds.tolist() == [[-3, -1, -1], [11, 2, 1]]
    without = owner(1)
    with without.acquire() as snapshot:
        assert snapshot.bounds is None


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


def test_what_a_view_drew_last():
    character = owner(0, max_joints=2)
    view, other = LastDrawn(character), LastDrawn(character)
    with view.draw() as (now, last):
        assert (xs(now), last) == ([0], None)
    for tick in range(1, 5):
        character.request(tick)
        assert character.publish(tick, palette(tick))
        if tick == 2:
            with other.draw() as (now, last):
                assert (xs(now), last) == ([2], None)
            continue  # this view skips a frame
        with view.draw() as (now, last):
            assert xs(now) == [tick]
            assert xs(last) == [tick - 1 if tick != 3 else 1]
    with pytest.raises(KeyError), view.draw() as (now, last):
        raise KeyError
    with view.draw() as (now, last):
        assert (xs(now), xs(last)) == ([4], [4])  # what was not drawn does not count
    character.request(9, topology(2))
    assert character.publish(9, palette(7, 8))
    with view.draw() as (now, last):
        assert (xs(now), last) == ([7, 8], None)
    with view.draw() as (now, last):
        assert (xs(now), xs(last)) == ([7, 8], [7, 8])
    view.close()
    other.close()
    assert cells_in_use(character) == 0


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
