"""The made skeleton."""

from __future__ import annotations

import numpy as np

from skinproof.demo.rig import make_rig

RIG = make_rig()


def test_it_is_one_tree_with_parents_first():
    assert len(RIG) == 28
    assert list(RIG.parents).count(-1) == 1
    assert np.all(RIG.parents < np.arange(len(RIG)))


def test_the_sides_mirror_each_other():
    left = [name for name in RIG.names if name.endswith("_l")]
    assert len(left) == 11
    for name in left:
        a, b = RIG.index(name), RIG.index(name[:-2] + "_r")
        assert np.array_equal(RIG.pivots[a] * [-1, 1, 1], RIG.pivots[b])
        parents = [RIG.names[RIG.parents[joint]] for joint in (a, b)]
        assert parents[0].removesuffix("_l") == parents[1].removesuffix("_r")
