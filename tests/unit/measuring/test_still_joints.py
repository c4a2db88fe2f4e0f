from dataclasses import replace

import numpy as np
import pytest

from arms import make_arm
from characters import about, make_channel, make_clip, make_influences
from skinproof.measuring.still_joints import StillJoints
from skinproof.poses import PoseSchedule


def still(character, *channels, diagonal=3.0, samples=9, block=64):
    clips = (make_clip(*channels),) if channels else character.clips
    character = replace(character, clips=clips)
    watch = StillJoints(character.nodes, character.skins[0], character.primitives, diagonal=diagonal)
    for poses in PoseSchedule.from_clips(character, samples=samples).blocks(block):
        watch.add(poses.worlds)
    return watch.still.tolist()


@pytest.fixture
def arm():
    return make_arm()


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("rotation", [about([0, 1, 0], 0), about([0, 1, 0], 0.01)]),
        ("translation", [[0, 1, 0], [0, 1.0001, 0]]),
        ("scale", [[1, 1, 1], [1, 1, 1.0001]]),
    ],
)
@pytest.mark.parametrize("block", [1, 64])
def test_any_move_against_the_parent_counts(arm, path, values, block):
    assert still(arm, make_channel(1, path, [0, 1], values), block=block) == [0, 2]


def test_a_joint_that_is_carried_along_is_still(arm):
    turn = make_channel(0, "rotation", [0, 1, 2], [about([1, 2, 3], degrees) for degrees in (0, 170, 30)])
    travel = make_channel(0, "translation", [0, 2], [[0, 0, 0], [1000, 0, 0]])
    assert still(arm, turn, travel, diagonal=3.0) == [1, 2]


def test_a_joint_held_in_another_pose_than_at_rest_is_still(arm):
    held = make_channel(1, "rotation", [0, 1], [about([0, 0, 1], 40)] * 2)
    moving = make_channel(0, "rotation", [0, 1], [about([0, 0, 1], degrees) for degrees in (0, 40)])
    assert still(arm, held, moving) == [1, 2]


def test_a_move_late_in_a_clip_is_seen(arm):
    late = make_channel(2, "rotation", [0, 9, 10], [about([1, 0, 0], degrees) for degrees in (0, 0, 5)])
    assert still(arm, late, samples=400, block=64) == [0, 1]


def test_float_noise_is_no_move(arm):
    noise = make_channel(1, "translation", [0, 1, 2], [[0, 1, 0], [0, 1 + 1e-7, 0], [0, 1, 1e-7]])
    assert still(arm, noise) == [0, 1, 2]


def test_children_of_a_joint_of_scale_zero(arm):
    gone = make_channel(0, "scale", [0, 1], [[0, 0, 0], [0, 0, 0]])
    assert still(arm, gone) == [0, 1, 2]
    grows = make_channel(0, "scale", [0, 1], [[0, 0, 0], [1, 1, 1]])
    assert 0 not in still(arm, grows)


def test_only_joints_with_weights_count(arm):
    only_wrist = arm.with_influences([make_influences(np.full((9, 1), 2), np.ones((9, 1)))])
    assert still(only_wrist, make_channel(0, "rotation", [0, 1], [about([0, 0, 1], d) for d in (0, 9)])) == [2]
    assert still(only_wrist) == []


def test_what_overflowed_from_the_start_is_not_still(arm):
    huge = [make_channel(node, "scale", [0, 1], [[1e200] * 3] * 2) for node in (0, 1)]
    assert still(arm, *huge) == [0]


def test_what_overflows_is_not_still(arm):
    assert 1 not in still(arm, make_channel(1, "translation", [0, 1], [[0, 1, 0], [1e300, 1, 0]]))
