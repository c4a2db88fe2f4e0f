"""Threads that really run at once, under an interpreter without a global lock.

Collected under such an interpreter alone (tests/conditions.py). The core's own threads are tested without Python, by
ThreadSanitizer and by stress, in verify/.
"""

from __future__ import annotations

import sys
import threading

import numpy as np

from palettes import owner, palette, xs
from skinproof.errors import PublishError
from skinproof.publish import CommitStatus

THREADS, ROUNDS, JOINTS = 4, 2000, 64


def at_once(*works):
    """Run each in a thread of its own, all released together; raise what they raised."""
    start, errors = threading.Barrier(len(works)), []

    def run(work):
        start.wait()
        try:
            work()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise BaseExceptionGroup("threads failed", errors)


def test_importing_the_publisher_does_not_bring_the_lock_back():
    assert not sys._is_gil_enabled()


def test_jobs_of_one_candidate():
    character = owner(*[0] * JOINTS)
    for tick in range(1, ROUNDS // 10):
        character.request(tick)
        candidate = character.begin(tick)

        def job(first, tick=tick, candidate=candidate):
            for joint in range(first, JOINTS, THREADS):
                candidate.write(joint, palette(tick)[0])

        at_once(*[lambda first=first: job(first) for first in range(THREADS)])
        result = candidate.commit()
        assert (result.status, result.written_twice) == (CommitStatus.COMMITTED, ())


def test_one_candidate_is_committed_once():
    character = owner(*[0] * JOINTS)
    for tick in range(1, ROUNDS // 10):
        character.request(tick)
        candidate = character.begin(tick)
        candidate.write_range(0, palette(*[tick] * JOINTS))
        outcomes = []

        def commit(candidate=candidate, outcomes=outcomes):
            try:
                outcomes.append(candidate.commit().status.name)
            except PublishError as error:
                outcomes.append(str(error).partition(":")[0])

        at_once(*[commit] * THREADS)
        assert sorted(outcomes) == ["COMMITTED", *["the candidate is over"] * (THREADS - 1)]


def test_a_source_that_every_thread_publishes():
    character = owner(*[0] * JOINTS)
    source = character.source(palette(*range(JOINTS)))

    def publish():
        for _ in range(ROUNDS):
            assert source.publish(0)
            assert source.result is not None

    at_once(*[publish] * THREADS)
    assert character.counters()["committed"] == THREADS * ROUNDS


def test_draws_see_whole_poses_while_everybody_works():
    character = owner(*[0] * JOINTS, cells=2 * THREADS)
    done = threading.Event()

    def publish():
        try:
            for tick in range(1, ROUNDS):
                character.request(tick)
                assert character.publish(tick, palette(*[tick] * JOINTS))
        finally:
            done.set()

    def draw():
        last = 0
        while not done.is_set():
            with character.acquire() as snapshot:
                tick = snapshot.revision.tick
                assert set(xs(snapshot)) == {float(tick)}
                assert tick >= last
                last = tick

    at_once(publish, *[draw] * THREADS)
    assert character.counters()["cells_in_use"] == 0


def test_views_of_one_snapshot_come_and_go_in_many_threads():
    character = owner(*range(JOINTS))
    snapshot = character.acquire()

    def look():
        for _ in range(ROUNDS):
            view = snapshot.palette
            assert view[JOINTS - 1, 0, 3] == JOINTS - 1
            rows = np.asarray(memoryview(view))[::2]
            assert len(rows) == JOINTS // 2
            del view, rows

    at_once(*[look] * THREADS)
    snapshot.close()
    assert character.counters()["cells_in_use"] == 0
