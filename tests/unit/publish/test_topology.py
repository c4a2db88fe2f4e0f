from __future__ import annotations

import pytest

from palettes import palette
from skinproof.errors import OptionError
from skinproof.publish import PaletteOwner, Topology


def test_names():
    names = ("Hüfte", "", "関節", "a\0b")
    character = PaletteOwner(palette(0, 0, 0, 0), Topology(names, palette(0, 0, 0, 0)))
    with character.acquire() as snapshot:
        assert snapshot.joint_names == names
    for bad in ("\ud800", 3):
        with pytest.raises(OptionError, match=r"joint_names\[1\]"):
            Topology(("a", bad), palette(0, 0))
