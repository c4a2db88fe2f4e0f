"""Named segments: other processes attach, die at any moment, and can change nothing but their own pins."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time

import numpy as np
import pytest

from palettes import owner, palette, seen, topology, xs
from segments import ROOT, SHARED, child, files, run, segment_name  # noqa: F401
from skinproof.errors import OptionError, PublishError, SegmentError
from skinproof.publish import PaletteOwner, PaletteReader, include_dir, remove_segment, segment_statistics


def test_another_process_reads(name):
    with owner(1, 2, name=name) as character:
        read = """
        with PaletteReader(name) as reader, reader.acquire() as snapshot:
            print(snapshot.revision, xs(snapshot), snapshot.joint_names, snapshot.inverse_binds[:, 0, 3].tolist())
        """
        assert (
            run(read, name).stdout == "Revision(tick=0, graph_version=0) [1.0, 2.0] ('joint0', 'joint1') [0.0, 1.0]\n"
        )
        character.request((7, 8))
        assert character.publish((7, 8), palette(3, 4))
        assert run(read, name).stdout.startswith("Revision(tick=7, graph_version=8) [3.0, 4.0]")
        assert segment_statistics(name)["rows_in_use"] == 1, "readers that ended are detached"
    assert not files(name)


def test_a_reader_in_the_same_process(name):
    with owner(1, 2, name=name) as character, PaletteReader(name) as reader:
        with reader.acquire() as snapshot:
            for tick in range(1, 40):
                character.request(tick)
                assert character.publish(tick, palette(tick, tick))
                assert xs(snapshot) == [1, 2]
        assert seen(reader) == (39, [39, 39])
        assert not reader.owner_has_closed
        kept = reader.acquire()
        character.close()
        assert reader.owner_has_closed
        assert seen(reader) == (39, [39, 39]), "the last palette stays"
    with pytest.raises(PublishError, match="the reader is closed"):
        reader.acquire()
    assert xs(kept) == [39, 39]
    kept.close()


def test_modes(name):
    with owner(1, name=name):
        assert {file.suffix: oct(file.stat().st_mode & 0o777) for file in files(name)} == {
            ".control": "0o600",
            ".payload": "0o600",
            ".pins": "0o600",
        }
    with owner(1, name=name, group=os.getgid()):
        assert {file.suffix: oct(file.stat().st_mode & 0o777) for file in files(name)} == {
            ".control": "0o640",
            ".payload": "0o640",
            ".pins": "0o660",
        }
        assert {file.stat().st_gid for file in files(name)} == {os.getgid()}


def test_a_stray_write_of_a_reader_faults(name):
    with owner(1, 2, name=name) as character:
        code = """
        import ctypes
        snapshot = PaletteReader(name).acquire()
        ctypes.memset(snapshot.palette.__array_interface__["data"][0], 0, 64)
        """
        assert run(code, name, check=False).returncode == -signal.SIGSEGV
        assert seen(character) == (0, [1, 2])


def test_a_second_owner_is_refused_and_a_dead_one_is_recovered(name):
    code = """
    character = owner(1, 2, name=name, revision=(5, 6))
    print("ready", flush=True)
    time.sleep(60)
    """
    with child(code, name) as process:
        for second in (lambda: owner(1, name=name), lambda: PaletteOwner.recover(name), lambda: remove_segment(name)):
            with pytest.raises(SegmentError, match="it has a living owner"):
                second()
        reader = PaletteReader(name)
        process.kill()
        process.wait()
        with pytest.raises(SegmentError, match="its owner has died"):
            owner(1, name=name)
        assert segment_statistics(name)["owner_alive"] is False
        with PaletteOwner.recover(name) as heir:
            assert heir.requested == (5, 6)
            assert seen(heir) == seen(reader) == (5, [1, 2])
            heir.request(9)
            assert heir.publish(9, palette(8, 9))
            assert seen(reader) == (9, [8, 9])
        reader.close()
    assert not files(name)


def test_recovery_brings_the_whole_bundle(name):
    code = """
    boxes = np.array([[[-1, -2, -3], [1, 2, 3]], [[0, 0, 0], [4, 5, 6]]], np.float32)
    character = PaletteOwner(palette(7), topology(1), name=name, max_joints=3)
    character.request(1, topology(2, "late", joint_boxes=boxes))
    assert character.publish(1, palette(10, 20))
    print("ready", flush=True)
    time.sleep(60)
    """
    boxes = [[[-1, -2, -3], [1, 2, 3]], [[0, 0, 0], [4, 5, 6]]]
    with child(code, name) as process:
        process.kill()
        process.wait()
        with PaletteOwner.recover(name) as heir, PaletteReader(name) as reader:
            for tick in range(1, 30):  # the dead owner's commit, then the heir's own, round all slots
                for source in (heir, reader):
                    with source.acquire() as snapshot:
                        assert (snapshot.revision.tick, snapshot.topology_version) == (tick, 2)
                        assert snapshot.joint_names == ("late0", "late1")
                        assert snapshot.inverse_binds[:, 0, 3].tolist() == [0, 1]
                        assert snapshot.joint_boxes.tolist() == boxes
                        assert snapshot.bounds.tolist() == [[9, -2, -3], [24, 5, 6]]
                heir.request(tick + 1)
                assert heir.publish(tick + 1, palette(10, 20))


def test_the_ruin_of_a_creation_is_replaced(name):
    for part in ("control", "pins"):
        (SHARED / f"skinproof.{name}.{part}").write_bytes(b"")
    with owner(1, name=name) as character:
        assert seen(character) == (0, [1])


@pytest.mark.parametrize("left", [["control", "payload", "pins"], ["payload", "pins"], ["pins"]])
def test_the_ruin_of_an_end_is_replaced(name, left):
    """An owner that dies within close() has said that it is closed, and removed some of its files."""
    with owner(1, name=name):
        whole = {file.name: bytearray(file.read_bytes()) for file in files(name)}
    whole[f"skinproof.{name}.control"][128] = 2
    for part in left:
        (SHARED / f"skinproof.{name}.{part}").write_bytes(whole[f"skinproof.{name}.{part}"])
    with pytest.raises(SegmentError, match="closed it" if "control" in left else "there is none"):
        PaletteReader(name)
    with owner(2, name=name) as character:
        assert seen(character) == (0, [2])


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_an_error_at_once(name, make):
    """A pipe would have its opener wait for its other end."""
    path = SHARED / f"skinproof.{name}.control"
    make(path)
    try:
        for use in (PaletteReader, PaletteOwner.recover, segment_statistics, lambda name: owner(1, name=name)):
            with pytest.raises(SegmentError):
                use(name)
        assert path.is_symlink() or path.exists()
    finally:
        path.rmdir() if path.is_dir() else path.unlink()


def test_a_foreign_file_is_not_replaced(name):
    path = SHARED / f"skinproof.{name}.control"
    path.write_bytes(b"somebody's notes")
    with pytest.raises(SegmentError, match=r"a foreign file is in its place\. Choose another name, or remove it"):
        owner(1, name=name)
    assert path.read_bytes() == b"somebody's notes"


def test_pins_of_a_killed_reader_are_reaped(name):
    with owner(0, 0, name=name, slots=2, rows=3) as character:
        hold = """
        reader = PaletteReader(name)
        snapshot = reader.acquire()
        print("holds", flush=True)
        time.sleep(60)
        """
        with child(hold, name) as process:
            character.request(1)
            assert character.publish(1, palette(1, 1))
            character.request(2)
            result = character.publish(2, palette(2, 2))
            assert result.status.name == "NO_FREE_SLOT", "the reader lives and holds the other slot"
            process.kill()
            process.wait()
        assert segment_statistics(name)["rows_dead"] == 1
        assert character.publish(2, palette(2, 2))
        counters = character.counters()
        assert (counters["rows_reaped"], counters["pins_cleared"]) == (1, 1)


def test_rows_run_out_and_come_back(name):
    with owner(1, name=name, rows=3):
        first, second = PaletteReader(name), PaletteReader(name)
        with pytest.raises(SegmentError, match="all of its 2 rows for readers are in use"):
            PaletteReader(name)
        first.close()
        third = PaletteReader(name)
        for reader in (second, third):
            assert seen(reader) == (0, [1])
            reader.close()


@pytest.mark.parametrize("bad", ["", "a/b", "../x", ".hidden", "-x", "a b", "ä", "x" * 101, "a\0b", "a\n"])
def test_names(bad):
    for use in (lambda: owner(1, name=bad), lambda: PaletteReader(bad), lambda: segment_statistics(bad)):
        with pytest.raises(SegmentError, match="a segment's name has"):
            use()


@pytest.mark.parametrize("bad", [3, b"name", ["name"]])
def test_a_name_is_text(bad):
    uses = (PaletteReader, PaletteOwner.recover, remove_segment, segment_statistics)
    for use in (lambda bad: owner(1, name=bad), *uses):
        with pytest.raises(OptionError, match="name: expected text"):
            use(bad)
    for use in uses:
        with pytest.raises(OptionError, match="name: expected text"):
            use(None)


def test_there_is_none(name):
    for use in (PaletteReader, PaletteOwner.recover, remove_segment, segment_statistics):
        with pytest.raises(SegmentError, match="there is none"):
            use(name)


def test_the_document_shows_a_part_of_the_reader():
    document = (ROOT / "docs" / "publishing.md").read_text()
    shown = document.partition("```cpp\n")[2].partition("```")[0]
    assert shown.count("\n") > 4
    assert shown in (ROOT / "examples" / "cpp_reader" / "reader.cpp").read_text()


def test_the_reader_in_c_plus_plus(name, tmp_path):
    program = tmp_path / "reader"
    source = ROOT / "examples" / "cpp_reader" / "reader.cpp"
    flags = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-I", include_dir()]
    subprocess.run(["g++", *flags, source, "-o", program], check=True)
    header = tmp_path / "header.c"
    header.write_text('#include "skinproof_segment.h"\nint main(void) { return sizeof(skinproof_header) != 128; }\n')
    subprocess.run(
        ["gcc", "-std=c99", "-Wall", "-Werror", "-pedantic", *flags[5:], header, "-o", tmp_path / "c"], check=True
    )
    subprocess.run([tmp_path / "c"], check=True)
    boxes = np.tile(np.array([[-1, -2, -3], [1, 2, 0.5]], np.float32), (32, 1, 1))
    with PaletteOwner(palette(*[0] * 32), topology(32, joint_boxes=boxes), name=name) as character:
        process = subprocess.Popen([program, name, "300000"], stdout=subprocess.PIPE, text=True)
        tick = 0
        while process.poll() is None:
            tick += 1
            character.request(tick)
            assert character.publish(tick, palette(*[tick] * 32))
        out, _ = process.communicate()
        found = re.fullmatch(r"reads 300000 torn 0 backwards 0 tick (\d+) name joint0 box -1 -2 -3 1 2 0\.5\n", out)
        assert found, out
        assert 0 < int(found[1]) <= tick
        done = subprocess.run([program, "no-such-segment", "1"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (2, "reader: no such segment\n")
        with (SHARED / f"skinproof.{name}.payload").open("r+b") as file:
            file.seek(8)  # layout_version
            file.write(b"\x7f")
        done = subprocess.run([program, name, "1"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (2, "reader: not a segment of this layout version\n")


def test_readers_and_owners_killed_at_any_moment(name):
    """A short one: verify/kill.py is the long one."""
    publish = """
    try:
        character = PaletteOwner.recover(name)
    except Exception:
        character = owner(*[0] * 64, name=name)
    tick = character.requested.tick
    print("ready", flush=True)
    while True:
        tick += 1
        character.request(tick)
        character.publish(tick, palette(*[tick] * 64))
    """
    read = """
    reader = PaletteReader(name)
    print("ready", flush=True)
    while True:
        with reader.acquire() as snapshot:
            assert len(set(xs(snapshot))) == 1
    """
    with contextlib.ExitStack() as stack:
        for round_ in range(4):
            publisher = stack.enter_context(child(publish, name))
            first = stack.enter_context(child(read, name))
            time.sleep(0.1)
            with PaletteReader(name) as reader:
                deadline, (tick, _) = time.monotonic() + 10, seen(reader)
                while seen(reader)[0] < tick + 100 and time.monotonic() < deadline:
                    pass
                tick_now, values = seen(reader)
                assert tick_now >= tick + 100, "no stall"
                assert len(set(values)) == 1
            assert first.poll() is None, "its check held"
            (first if round_ % 2 else publisher).kill()
            publisher.kill()
            first.kill()
            publisher.wait()
        with PaletteOwner.recover(name) as heir:
            assert len(set(seen(heir)[1])) == 1
            assert topology(2)
