"""Wrong input names the argument, what was expected and what was got; nothing is published for it."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from palettes import owner, palette, seen, topology
from skinproof.errors import ArrayError, OptionError
from skinproof.publish import PaletteOwner, Topology

BAD_ARRAYS = [
    (palette(1, 2).astype(np.float64), "expected dtype float32 in native byte order, got <f8"),
    (palette(1, 2).astype(">f4"), "expected dtype float32 in native byte order, got >f4"),
    (palette(1, 2)[:, :3], "expected shape"),
    (palette(1, 2)[0], "expected shape"),
    (palette(1, 2, 3, 4)[::2], "expected a C-contiguous, aligned array"),
    (palette(1, 2).transpose(0, 2, 1), "expected a C-contiguous, aligned array"),
    (palette(1, 2).tolist(), "expected a NumPy array, got list"),
    (None, "expected a NumPy array, got NoneType"),
]


@pytest.mark.parametrize(("value", "message"), BAD_ARRAYS)
def test_arrays(value, message):
    character = owner(0, 0)
    candidate = character.begin(0)
    for name, use in {
        "palette": lambda: character.publish(0, value),
        "palette: ": lambda: character.source(value),
        "matrices": lambda: candidate.write_range(0, value),
        "palette:": lambda: PaletteOwner(value, topology(2)),
        "inverse_binds": lambda: Topology(("a", "b"), value),
    }.items():
        with pytest.raises(ArrayError, match=f"^{name}.*{re.escape(message)}"):
            use()
    assert candidate.missing == (0, 1)
    assert seen(character) == (0, [0, 0])


def test_a_misaligned_array():
    raw = np.zeros(2 * 64 + 1, np.uint8)[1:]
    misaligned = raw.view(np.float32).reshape(2, 4, 4)
    with pytest.raises(ArrayError, match="aligned"):
        owner(0, 0).publish(0, misaligned)


def test_one_matrix():
    candidate = owner(0, 0).begin(0)
    with pytest.raises(ArrayError, match=r"matrix: expected shape \[4, 4\], got \[1, 4, 4\]"):
        candidate.write(0, palette(1))


@pytest.mark.parametrize(("first", "count"), [(0, 3), (2, 1), (1, 2), (0, 0), (2**63, 2**63), (2**64 - 1, 2)])
def test_ranges(first, count):
    candidate = owner(0, 0).begin(0)
    with pytest.raises(OptionError, match=r"range: joints .* are not in 0 … 2"):
        candidate.range(first, count)


def test_joints():
    candidate = owner(0, 0).begin(0)
    with pytest.raises(OptionError, match="joint: joints 2"):
        candidate.write(2, palette(1)[0])
    with pytest.raises(OptionError, match="matrices: joints 1"):
        candidate.write_range(1, palette(1, 2))
    assert candidate.missing == (0, 1)


@pytest.mark.parametrize("revision", [-1, 2**64, (1,), (1, 2, 3), (1, -1), "1", 1.0, None, (1, 2.0)])
def test_revisions(revision):
    character = owner(0, 0)
    for use in (character.request, character.begin, lambda value: character.publish(value, palette(1, 1))):
        with pytest.raises(OptionError, match="revision: "):
            use(revision)
    assert character.requested == (0, 0)


def test_the_greatest_revision():
    character = owner(0, 0)
    greatest = (2**64 - 1, 2**64 - 1)
    character.request(greatest)
    assert character.publish(greatest, palette(1, 1))
    with character.acquire() as snapshot:
        assert snapshot.revision == greatest


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_the_first_palette_and_the_binds_are_finite(value):
    with pytest.raises(ArrayError, match="palette: joint 1 holds"):
        owner(0, value)
    with pytest.raises(ArrayError, match="inverse_binds: joint 1 holds"):
        Topology(("a", "b"), palette(0, value))
    with pytest.raises(ArrayError, match="joint_boxes: joint 0 holds"):
        topology(1, joint_boxes=np.full((1, 2, 3), value, np.float32))


@pytest.mark.parametrize(
    ("name", "value"),
    [("slots", 1), ("slots", 256), ("cells", 0), ("cells", 65), ("max_joints", 65536), ("max_name_bytes", 2**25)],
)
def test_sizes(name, value):
    with pytest.raises(OptionError, match="slots must be 2 … 255"):
        owner(0, 0, **{name: value})


def test_what_does_not_fit():
    with pytest.raises(OptionError, match="2 joints, the owner was made for at most 1"):
        owner(0, 0, max_joints=1)
    with pytest.raises(OptionError, match="the joint names take 12 bytes, the owner was made for at most 11"):
        owner(0, 0, max_name_bytes=11)


def test_names():
    names = ("Hüfte", "", "関節", "a\0b")
    character = PaletteOwner(palette(0, 0, 0, 0), Topology(names, palette(0, 0, 0, 0)))
    with character.acquire() as snapshot:
        assert snapshot.joint_names == names
    for bad in ("\ud800", 3):
        with pytest.raises(OptionError, match=r"joint_names\[1\]"):
            Topology(("a", bad), palette(0, 0))
