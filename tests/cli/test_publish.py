"""`skinproof publish stat`."""

from __future__ import annotations

import json

from cli.command import expect, skinproof
from palettes import owner, palette
from segments import files, segment_name  # noqa: F401


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


def test_there_is_none(name):
    result = expect(skinproof("publish", "stat", name), 3)
    assert "there is none" in result.stderr
