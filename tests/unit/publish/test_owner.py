"""Wrong input names the argument, what was expected and what was got; nothing is published for it."""

from __future__ import annotations

import math
import os
import re

import numpy as np
import pytest

from palettes import owner, palette, seen, topology
from segments import run
from skinproof._native import INSTRUCTION_SETS
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
    for bad in (2, -1, 2**70, 1.0, "1", None, True):
        with pytest.raises(OptionError, match=re.escape(f"joint: expected an integer from 0 to 1, got {bad!r}")):
            candidate.write(bad, palette(1)[0])
        with pytest.raises(OptionError, match="range: joints" if bad == 2 else "first: expected an integer"):
            candidate.range(bad, 1)
    with pytest.raises(OptionError, match="count: expected an integer"):
        candidate.range(0, -1)
    with pytest.raises(OptionError, match="joint_count: expected an integer"):
        owner(0, 0).begin(0, joint_count="2")
    with pytest.raises(OptionError, match="matrices: joints 1"):
        candidate.write_range(1, palette(1, 2))
    assert candidate.missing == (0, 1)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_the_first_palette_and_the_binds_are_finite(value):
    with pytest.raises(ArrayError, match="palette: joint 1 holds"):
        owner(0, value)
    with pytest.raises(ArrayError, match="inverse_binds: joint 1 holds"):
        Topology(("a", "b"), palette(0, value))
    with pytest.raises(ArrayError, match="joint_boxes: joint 0 holds"):
        topology(1, joint_boxes=np.full((1, 2, 3), value, np.float32))


@pytest.mark.parametrize("value", [-1, 2**70, 2.0, "2", True])
@pytest.mark.parametrize("name", ["slots", "rows", "cells", "max_joints", "max_name_bytes"])
def test_sizes_are_integers(name, value):
    with pytest.raises(OptionError, match=f"{name}: expected an integer from"):
        owner(0, 0, **{name: value})


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("slots", 2, 255), ("rows", 1, 256), ("cells", 1, 64), ("max_joints", 1, 65535), ("max_name_bytes", 0, 2**24)],
)
def test_sizes(name, least, most):
    for value in (least - 1, most + 1):
        with pytest.raises(OptionError, match=f"{name}: expected an integer from {least} to {most}, got {value}"):
            owner(0, 0, **{name: value})
    assert seen(owner(1, **{name: max(least, 6) if name == "max_name_bytes" else least})) == (0, [1])
    assert seen(owner(1, **{name: most})) == (0, [1])


@pytest.mark.parametrize("bad", [-1, 2**32 - 1, 2**40, "users", 1.5, True])
def test_groups(bad):
    """The greatest id would be "as it is" to the kernel, and greater ones would lose their upper bits: any group."""
    with pytest.raises(OptionError, match="group: expected an integer from 0 to 4294967294"):
        owner(0, name="never-made", group=bad)
    with pytest.raises(OptionError, match="group: only a named segment"):
        owner(0, group=0)


@pytest.mark.parametrize("bad", [None, "1", 1.5, -1, 2**64, (1,), (1, 2, 3), (1, -1), [1, 2], True, (1, True)])
def test_revisions(bad):
    character = owner(0)
    for use in (character.request, character.begin, lambda bad: character.publish(bad, palette(1))):
        with pytest.raises(OptionError, match="revision: "):
            use(bad)
    assert character.requested == (0, 0)
    assert character.request((np.uint64(2**64 - 1), np.int32(7))), "NumPy's integers are integers"
    assert character.requested == (2**64 - 1, 7)


class Pretender:
    """As many numbers for boxes as would write far over the end of what a topology's are copied to."""

    joint_names, inverse_binds, joint_boxes = ("a",), palette(0), np.zeros(100000, np.float32)

    def __len__(self):
        return 1


@pytest.mark.parametrize("bad", [Pretender(), "a", 1, ("a",)])
def test_nothing_else_is_taken_for_a_topology(bad):
    character = owner(0)
    for use in (lambda: character.request(1, bad), lambda: PaletteOwner(palette(0), bad)):
        with pytest.raises(OptionError, match=r"topology: expected a skinproof\.publish\.Topology"):
            use()
    assert seen(character) == (0, [0])


@pytest.mark.parametrize("instruction_set", INSTRUCTION_SETS)
def test_every_copy_copies_and_checks(instruction_set):
    code = """
    character = owner(*[0] * 67)
    moved = palette(*range(67))
    assert character.publish(0, moved)
    assert seen(character) == (0, list(range(67)))
    for joint, bad in ((0, np.nan), (31, np.inf), (66, -np.inf)):
        moved[joint, 3, joint % 4] = bad
        assert character.publish(0, moved).not_finite == (joint,)
        moved[joint] = np.eye(4)
    print("held")
    """
    environment = {**os.environ, "SKINPROOF_ISA": instruction_set}
    assert run(code, "no-segment", env=environment).stdout == "held\n"


def test_what_does_not_fit():
    with pytest.raises(OptionError, match="2 joints, the owner was made for at most 1"):
        owner(0, 0, max_joints=1)
    with pytest.raises(OptionError, match="the joint names take 12 bytes, the owner was made for at most 11"):
        owner(0, 0, max_name_bytes=11)
