"""Threads of one process that commit, look and close at the same time, each in a process that may not hang."""

from __future__ import annotations

import textwrap

import pytest

from segments import run

SECONDS = 15
PRELUDE = """
import threading
from skinproof.errors import PublishError
def at_once(*works):
    start, errors = threading.Barrier(len(works)), []
    def go(work):
        start.wait()
        try:
            work()
        except BaseException as error:
            errors.append(error)
    threads = [threading.Thread(target=go, args=(work,)) for work in works]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not errors, errors
"""


def in_time(code, *arguments):
    return run(PRELUDE + textwrap.dedent(code), *arguments, timeout=SECONDS).stdout


@pytest.mark.parametrize("joints", [64, 5000])  # commits that keep the interpreter's lock, and that give it away
def test_a_source_that_every_thread_publishes(joints):
    """Each says what became of its own commit: an even tick is the requested one, an odd one is not."""
    code = """
    joints = int(name)
    character = owner(*[0] * joints)
    source = character.source(palette(*range(joints)))
    def publish(tick):
        for _ in range(500):
            assert source.publish(tick) is (tick == 0)
            assert source.result.status.name in ("COMMITTED", "STALE_REVISION")
    at_once(*[lambda tick=tick: publish(tick) for tick in (0, 1, 0, 1)])
    counters = character.counters()
    print(counters["committed"], counters["stale_revision"])
    """
    assert in_time(code, str(joints)) == "1000 1000\n"


@pytest.mark.parametrize("joints", [64, 5000])
def test_closing_while_others_publish_and_look(joints):
    code = """
    joints = int(name)
    for _ in range(15):
        character = owner(*[0] * joints, cells=8)
        def publish():
            one, other = palette(*[1] * joints), palette(*[2] * joints)
            while True:
                try:
                    character.source(one).publish(0)
                    character.publish(0, other)
                except PublishError as error:
                    assert str(error) == "the owner is closed", error
                    return
        def look():
            while True:
                try:
                    with character.acquire() as snapshot:
                        assert len(set(xs(snapshot))) == 1
                except PublishError as error:
                    assert str(error) == "the owner is closed", error
                    return
        at_once(publish, publish, look, look, lambda: (time.sleep(0.005), character.close()))
    print("done")
    """
    assert in_time("import time\n" + textwrap.dedent(code), str(joints)) == "done\n"
