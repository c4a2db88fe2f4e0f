from __future__ import annotations

import pickle

import numpy as np

from palettes import palette, topology
from skinproof.publish import PaletteOwner, PoseCopy


def test_pickling_copies():
    boxes = np.zeros((2, 2, 3), np.float32)
    character = PaletteOwner(palette(1, 2), topology(2, joint_boxes=boxes), revision=(3, 4))
    with character.acquire() as snapshot:
        for copy in (
            snapshot.copy(),
            pickle.loads(pickle.dumps(snapshot)),
            pickle.loads(pickle.dumps(snapshot.copy())),
        ):
            assert isinstance(copy, PoseCopy)
            assert (copy.revision, copy.topology_version, copy.joint_names) == ((3, 4), 1, ("joint0", "joint1"))
            assert not np.shares_memory(copy.palette, snapshot.palette)
            np.testing.assert_array_equal(copy.palette, palette(1, 2))
            np.testing.assert_array_equal(copy.inverse_binds, palette(0, 1))
            np.testing.assert_array_equal(copy.joint_boxes, boxes)
            np.testing.assert_array_equal(copy.bounds, [[1, 0, 0], [2, 0, 0]])
    assert len(copy.palette) == 2
