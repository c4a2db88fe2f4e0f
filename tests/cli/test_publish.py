"""`skinproof publish stat`."""

from __future__ import annotations

import json
import math
import struct

import pytest

from cli.command import expect, skinproof
from palettes import owner, palette
from segments import SHARED, child, files, segment_name  # noqa: F401

HOLD = """
reader = PaletteReader(name)
snapshots = [reader.acquire() for _ in range(int(sys.argv[2]))]
print("holds", flush=True)
time.sleep(60)
"""


def test_it_shows_the_counters_of_a_living_segment(name):
    with owner(1, 2, name=name, rows=3, cells=2, slots=4) as character:
        character.request(1)
        assert character.publish(1, palette(1, 2))
        assert not character.publish(0, palette(1, 2))
        with character.acquire():
            result = expect(skinproof("publish", "stat", name), 0)
            rows = dict(line.rsplit(maxsplit=1) for line in result.stdout.splitlines())
            assert {key: rows[key] for key in ("state", "owner alive", "committed", "stale revision", "slots")} == {
                "state": "ready",
                "owner alive": "yes",
                "committed": "1",
                "stale revision": "1",
                "slots": "4",
            }
            statistics = json.loads(expect(skinproof("publish", "stat", name, "--json"), 0).stdout)
            assert statistics["cells_in_use"] == statistics["slots_pinned"] == statistics["rows_in_use"] == 1
    assert not files(name)


def shown(name):
    return json.loads(expect(skinproof("publish", "stat", name, "--json"), 0).stdout)


def test_every_result_of_a_commit_is_counted(name):
    with owner(0, 0, name=name, slots=2, cells=2) as character:
        tick = 0
        for _ in range(2):
            tick += 1
            character.request(tick)
            assert character.publish(tick, palette(1, 1))
        for _ in range(3):
            assert not character.begin(tick).commit()
        for _ in range(4):
            assert not character.publish(tick, palette(1, math.inf))
        for _ in range(5):
            assert not character.publish(tick + 1, palette(1, 1))
        with character.acquire():
            assert character.publish(tick, palette(2, 2))
            for _ in range(6):
                assert not character.publish(tick, palette(3, 3))
        counted = {"committed": 3, "incomplete": 3, "invalid_matrix": 4, "stale_revision": 5, "no_free_slot": 6}
        assert counted.items() <= shown(name).items()
        assert counted.items() <= character.counters().items()


def test_what_readers_hold_and_what_the_dead_have_left(name):
    with owner(0, 0, name=name, slots=3, rows=4, cells=2) as character:
        assert {"slots": 3, "rows": 4, "cells_per_row": 2, "slots_pinned": 0, "cells_in_use": 0}.items() <= shown(
            name
        ).items()
        with child(HOLD, name, "2") as first:
            character.request(1)
            assert character.publish(1, palette(1, 1))
            with child(HOLD, name, "1"), character.acquire():
                held = {"rows_in_use": 3, "rows_dead": 0, "cells_in_use": 4, "slots_pinned": 2, "rows_reaped": 0}
                assert held.items() <= shown(name).items()
                first.kill()
                first.wait()
                left = {"rows_in_use": 2, "rows_dead": 1, "cells_in_use": 4, "slots_pinned": 2, "rows_reaped": 0}
                assert left.items() <= shown(name).items()
                for tick in (2, 3):  # the second needs the slot that the dead one held
                    character.request(tick)
                    assert character.publish(tick, palette(2, 2))
                reaped = {
                    "rows_in_use": 2, "rows_dead": 0, "cells_in_use": 2, "slots_pinned": 1,
                    "rows_reaped": 1, "pins_cleared": 2,
                }  # fmt: skip
                assert reaped.items() <= shown(name).items()


def test_retries_are_those_of_every_reader_there_was(name):
    """A retry needs a commit between two steps of a reader: the count is written as two readers would."""
    with owner(0, 0, name=name, rows=3) as character:
        with child(HOLD, name, "1"):
            assert shown(name)["retries"] == 0
            with (SHARED / f"skinproof.{name}.pins").open("r+b") as pins:
                header, line = 128, 64
                row_bytes = (2 + shown(name)["cells_per_row"]) * line  # token, retries, cells
                for row, retries in ((0, 5), (1, 7)):
                    pins.seek(header + row * row_bytes + line)
                    pins.write(struct.pack("<Q", retries))
            assert shown(name)["retries"] == character.counters()["retries"] == 12
        assert shown(name)["retries"] == 12, "the reader is dead"
        with child(HOLD, name, "1"):
            assert shown(name)["retries"] == character.counters()["retries"] == 12, "another one has its row"


def test_there_is_none(name):
    result = expect(skinproof("publish", "stat", name), 3)
    assert "there is none" in result.stderr


@pytest.mark.parametrize("bad", ["a/b", "ä", "x" * 101, ".x", "a b"])
def test_a_bad_name_is_told(bad):
    result = expect(skinproof("publish", "stat", bad), 3)
    assert "a segment's name has 1 … 100 of the characters" in result.stderr
    assert "Traceback" not in result.stderr


def test_what_is_no_segment_is_told(name):
    for content, message in ((b"", "no room for a header"), (bytes(5000), "no skinproof segment")):
        for part in ("control", "payload", "pins"):
            (SHARED / f"skinproof.{name}.{part}").write_bytes(content)
        result = expect(skinproof("publish", "stat", name), 3)
        assert f"control is corrupt or foreign: {message}" in result.stderr
        assert "Traceback" not in result.stderr
