from __future__ import annotations

import numpy as np

from captures import drawn, make_walker
from skinproof.audit.paths import Paths
from skinproof.audit.reach import Reach
from skinproof.audit.torn import parts


def taken_apart(palette, character):
    reach = Reach.of(character, 0)
    paths = Paths.of(character, 0, reach, tolerance=1e-4, fps=30.0)
    (found,) = parts(paths, reach.coordinates(palette.astype(np.float64)), np.full((1, 4), 1e-4))
    return paths, found


def test_three_poses_are_told_apart():
    character = make_walker()
    palette = drawn(character, 0, [0.4])
    palette[:, 2] = drawn(character, 0, [0.45])[:, 2]
    palette[:, 3] = drawn(character, 1, [0.9])[:, 3]
    paths, found = taken_apart(palette, character)
    assert found.explained
    assert len(found.whole) == 0
    assert found.taken[0] == found.taken[1] == 0
    assert len(found.pieces) == 3
    by_joint = paths.times(found.pieces, found.shares)[found.taken]
    np.testing.assert_allclose(by_joint, [0.4, 0.4, 0.45, 0.9], atol=1e-4)


def test_a_joint_that_stands_nowhere_is_left():
    character = make_walker()
    palette = drawn(character, 0, [0.4])
    palette[:, 3, 1, 3] += 7
    _, found = taken_apart(palette, character)
    assert not found.explained
    assert found.taken.tolist() == [0, 0, 0, -1]


def test_a_whole_pose_is_one_part():
    character = make_walker()
    _, found = taken_apart(drawn(character, 0, [0.4]), character)
    assert found.whole.tolist() == [0]
