"""Readers under another user's id: in the group they can read and pin, outside nothing, and never change a palette.

Only root can become another user, so these tests are collected for root alone (tests/conditions.py).
"""

from __future__ import annotations

import pytest

from palettes import owner, palette, seen
from segments import run, segment_name  # noqa: F401

GROUP, USER, STRANGERS = 54321, 54322, 54399

# The interpreter may be where only root can start it: the child drops its rights once it has loaded what it needs.
DROP = f"""
import mmap, os
os.setgroups([])
os.setgid(int(sys.argv[2]))
os.setuid({USER})
paths = {{part: f"/dev/shm/skinproof.{{name}}.{{part}}" for part in ("control", "payload", "pins")}}
def outcome(work):
    try:
        work()
    except OSError as error:
        return type(error).__name__
    return "DONE"
"""


def as_other_user(code, name, group):
    return run(DROP + code, name, str(group), check=False)


@pytest.fixture(name="character")
def shared_with_the_group(name):
    with owner(1, 2, name=name, group=GROUP) as character:
        yield character
        assert seen(character) == (0, [1, 2]), "nothing that another user tried has changed the palette"


def test_the_group_reads(character, name):
    done = as_other_user("print(os.getuid(), os.getgid(), seen(PaletteReader(name)))", name, GROUP)
    assert done.stdout == f"{USER} {GROUP} (0, [1.0, 2.0])\n", done.stderr


@pytest.mark.parametrize("part", ["control", "payload"])
def test_the_group_can_neither_change_nor_resize_nor_unlink(character, name, part):
    code = f"""
path = paths[{part!r}]
print(outcome(lambda: os.open(path, os.O_RDONLY)))
for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND):
    print(outcome(lambda: os.open(path, flags)))
reading = os.open(path, os.O_RDONLY)
print(outcome(lambda: os.write(reading, b"x")), outcome(lambda: os.ftruncate(reading, 0)))
print(outcome(lambda: os.posix_fallocate(reading, 0, 1 << 20)))
for work in (
    lambda: os.truncate(path, 0), lambda: os.truncate(path, 1 << 20), lambda: os.unlink(path),
    lambda: os.rename(path, path + "x"), lambda: os.chmod(path, 0o666), lambda: os.chown(path, {USER}, -1),
):
    print(outcome(work))
print(outcome(lambda: mmap.mmap(reading, 0, prot=mmap.PROT_READ | mmap.PROT_WRITE)))
# A second name for the reader's own descriptor opens the file anew, with the reader's rights.
print(outcome(lambda: os.open(f"/proc/self/fd/{{reading}}", os.O_RDWR)))
"""
    done = as_other_user(code, name, GROUP)
    assert done.returncode == 0, done.stderr
    reading, *rest = done.stdout.split()
    assert reading == "DONE"
    # A descriptor that was opened for reading refuses to write (EBADF) and to change the size (EINVAL, EBADF).
    refusals = {"PermissionError", "OSError"}
    assert len(rest) == 4 + 3 + 6 + 2
    assert set(rest) <= refusals, done.stdout


def test_the_group_cannot_unlink_the_pins_either(character, name):
    done = as_other_user("print(outcome(lambda: os.unlink(paths['pins'])))", name, GROUP)
    assert done.stdout == "PermissionError\n", done.stderr


def test_a_killed_reader_of_the_group_is_reaped(name):
    with owner(0, 0, name=name, group=GROUP, slots=2) as character:
        hold = "reader = PaletteReader(name); snapshot = reader.acquire(); os.kill(os.getpid(), 9)"
        assert as_other_user(hold, name, GROUP).returncode == -9
        for tick in (1, 2, 3):
            character.request(tick)
            assert character.publish(tick, palette(tick, tick))
        assert character.counters()["rows_reaped"] == 1


def test_strangers_cannot_attach(character, name):
    done = as_other_user("PaletteReader(name)", name, STRANGERS)
    assert done.returncode == 1
    assert "SegmentError" in done.stderr
    assert "Permission denied" in done.stderr


def test_without_a_group_nobody_else_can(name):
    with owner(1, name=name):
        done = as_other_user("PaletteReader(name)", name, GROUP)
        assert "Permission denied" in done.stderr
        done = as_other_user("print([outcome(lambda: os.open(p, os.O_RDONLY)) for p in paths.values()])", name, GROUP)
        assert done.stdout == "['PermissionError', 'PermissionError', 'PermissionError']\n"
