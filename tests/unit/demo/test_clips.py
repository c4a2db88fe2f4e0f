"""The walk and the bend."""

from __future__ import annotations

import numpy as np
import pytest

from skinproof.demo.clips import make_clips
from skinproof.demo.rig import make_rig
from skinproof.model import Interpolation, Path
from tolerances import ROUNDING

RIG = make_rig()
WALK, BEND = make_clips(RIG)


def keyed(channel):
    return channel.values[:, 1] if channel.interpolation is Interpolation.CUBICSPLINE else channel.values


def test_names_lengths_and_interpolation():
    assert (WALK.name, WALK.duration) == ("walk", 1.2)
    assert (BEND.name, BEND.duration) == ("bend", 2.4)
    assert {channel.interpolation for channel in WALK.channels} == {Interpolation.LINEAR}
    assert {channel.interpolation for channel in BEND.channels} == {Interpolation.CUBICSPLINE}


@pytest.mark.parametrize("clip", [WALK, BEND], ids=["walk", "bend"])
def test_every_joint_turns_in_unit_quaternions_and_the_clip_ends_where_it_began(clip):
    rotations = [channel for channel in clip.channels if channel.path is Path.ROTATION]
    assert sorted(channel.node for channel in rotations) == list(range(len(RIG)))
    for channel in rotations:
        values = keyed(channel)
        np.testing.assert_allclose(np.linalg.norm(values, axis=1), 1.0, rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(values[0], values[-1], rtol=0, atol=ROUNDING)
        assert np.ptp(values, axis=0).max() > 0.01  # it does turn


def test_positive_x_bows_the_trunk_forwards_and_the_arms_rise_on_both_sides():
    bow = {channel.node: keyed(channel) for channel in BEND.channels if channel.path is Path.ROTATION}
    assert bow[RIG.index("spine")][2][0] > 0.1
    left, right = bow[RIG.index("upper_arm_l")][1], bow[RIG.index("upper_arm_r")][1]
    assert left[2] > 0.5
    assert np.array_equal(left * [1, -1, -1, 1], right)
