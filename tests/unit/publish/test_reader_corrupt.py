"""A segment that is cut short, overwritten or of another make is an error, never a crash."""

from __future__ import annotations

import shutil

import pytest

from palettes import owner, seen
from segments import SHARED, files, run, segment_name  # noqa: F401
from skinproof.errors import SegmentError
from skinproof.publish import PaletteReader, segment_statistics


def corrupt(path, offset, data):
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


@pytest.mark.parametrize("part", ["control", "payload", "pins"])
@pytest.mark.parametrize("offset", [0, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64])
def test_a_corrupt_header_is_an_error(name, part, offset):
    with owner(1, 2, name=name) as character:
        path = SHARED / f"skinproof.{name}.{part}"
        whole = path.read_bytes()[:128]
        for data in (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x01\x00\x00\x00"):
            if whole[offset : offset + 4] == data:
                continue
            corrupt(path, offset, data)
            with pytest.raises(SegmentError):
                PaletteReader(name)
            corrupt(path, 0, whole)
        assert seen(character) == (0, [1, 2])
        PaletteReader(name).close()


@pytest.mark.parametrize("part", ["control", "payload", "pins"])
def test_every_shorter_file_is_an_error(name, part):
    with owner(1, 2, name=name, slots=2, rows=2, cells=1):
        whole = {file.name: file.read_bytes() for file in files(name)}
    target = f"skinproof.{name}.{part}"
    for length in [*range(0, 130, 13), *range(130, len(whole[target]), 97)]:
        for file, content in whole.items():
            (SHARED / file).write_bytes(content[:length] if file == target else content)
        with pytest.raises(SegmentError):
            PaletteReader(name)


def test_another_layout_version_is_told_with_the_remedy(name):
    with owner(1, name=name):
        corrupt(SHARED / f"skinproof.{name}.control", 8, b"\x7f\0\0\0")
        for use in (PaletteReader, segment_statistics):
            with pytest.raises(
                SegmentError, match=r"layout version 127, this skinproof reads version \d+\. Use the same"
            ):
                use(name)


@pytest.mark.parametrize("part", ["control", "payload", "pins"])
def test_the_other_byte_order_is_told(name, part):
    with owner(1, name=name) as character:
        path = SHARED / f"skinproof.{name}.{part}"
        magic = path.read_bytes()[:8]
        corrupt(path, 0, magic[::-1])
        for use in (PaletteReader, segment_statistics):
            with pytest.raises(SegmentError, match=f"{part} is corrupt or foreign: another byte order"):
                use(name)
        corrupt(path, 0, magic)
        assert seen(character) == (0, [1])


def test_files_of_two_segments_do_not_mix(name):
    with owner(1, name=name), owner(1, name=f"{name}-b"):
        shutil.copy(SHARED / f"skinproof.{name}-b.payload", SHARED / f"skinproof.{name}.payload")
        with pytest.raises(SegmentError, match="payload is corrupt or foreign: of another segment"):
            PaletteReader(name)


WILD = """
import random
from skinproof.errors import SegmentError
wild, parts = random.Random(int(sys.argv[2])), ("control", "payload", "pins")
paths = {part: f"/dev/shm/skinproof.{name}.{part}" for part in parts}
character = owner(1, 2, 3, name=name, slots=3, rows=3, cells=2)
whole = {part: open(path, "rb").read() for part, path in paths.items()}
del character  # dies without closing
held, refused = 0, 0

def look(source):
    with source.acquire() as snapshot:
        snapshot.copy()

def recover():
    heir = PaletteOwner.recover(name)
    look(heir)
    heir.publish(heir.requested, palette(*range(heir.begin(0).joint_count)))

def attach():
    with PaletteReader(name) as reader:
        look(reader)

for _ in range(400):
    for part, path in paths.items():
        data = bytearray(whole[part])
        for _ in range(wild.choice((0, 0, 1, 3))):
            at = wild.choice((wild.randrange(len(data) - 8), 8 * wild.randrange(100)))
            data[at:at + 8] = wild.choice((bytes(8), b"\\xff" * 8, b"\\1" + bytes(7), wild.randbytes(8)))
        if wild.random() < 0.1:
            del data[wild.randrange(len(data)):]
        with open(path, "wb") as file:
            file.write(data)
    for use in (lambda: segment_statistics(name), attach, recover):
        try:
            use()
            held += 1
        except SegmentError:
            refused += 1
print("done", held > 100, refused > 100)
"""


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_wild_bytes_anywhere_are_an_error_never_a_crash(name, seed):
    done = run(WILD, name, str(seed), check=False)
    assert (done.returncode, done.stdout) == (0, "done True True\n"), done.stderr


def test_a_wild_payload_is_an_error_never_a_crash(name):
    with owner(1, 2, name=name), PaletteReader(name) as reader:
        path = SHARED / f"skinproof.{name}.payload"
        corrupt(path, 128 + 40, b"\xff\xff\xff\xff")  # the active slot's joint count
        with reader.acquire() as snapshot:
            for use in ("palette", "joint_names", "joint_count"):
                with pytest.raises(SegmentError, match="corrupt"):
                    getattr(snapshot, use)
        corrupt(path, 128 + 40, b"\x02\0\0\0")
        corrupt(path, 128 + 128 + 2 * 152, b"\xff\xff\xff\x7f")  # the end of the first name
        with reader.acquire() as snapshot, pytest.raises(SegmentError, match="corrupt"):
            snapshot.joint_names  # noqa: B018
        corrupt(SHARED / f"skinproof.{name}.control", 256, b"\xc8")  # the slot of the commit word
        with pytest.raises(SegmentError, match="its commit word names no whole slot"):
            reader.acquire()
