from __future__ import annotations

import numpy as np
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
    for bad in ("ab", None, 2):
        with pytest.raises(OptionError, match="joint_names: expected a tuple of names"):
            Topology(bad, palette(0, 0))
    with pytest.raises(OptionError, match="at least one joint"):
        Topology((), palette())


def test_it_keeps_its_own_arrays():
    binds, boxes = palette(1, 2), np.zeros((2, 2, 3), np.float32)
    topology = Topology(("a", "b"), binds, boxes)
    binds[...], boxes[...] = 7, 7
    assert topology.inverse_binds[:, 0, 3].tolist() == [1, 2]
    assert not topology.joint_boxes.any()
    for array in (topology.inverse_binds, topology.joint_boxes):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
