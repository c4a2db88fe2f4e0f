"""poses.fresh: random poses, not those that stand in for clips."""

from __future__ import annotations

import numpy as np

from chains import CHAIN, make_chain
from skinproof.poses import PoseSchedule
from skinproof.poses.fresh import fresh_poses


def relative_turns(schedule):
    """The angle of every joint against its parent in every pose, radians [P, J]."""
    worlds = schedule.worlds(0, np.arange(schedule.pose_count))[:, :, :3, :3]
    turns = np.concatenate([worlds[:, :1], np.swapaxes(worlds[:, :-1], 2, 3) @ worlds[:, 1:]], axis=1)
    return np.arccos(np.clip((np.trace(turns, axis1=2, axis2=3) - 1) / 2, -1, 1))


def test_every_joint_turns_in_every_pose_by_some_twenty_degrees():
    schedule = fresh_poses(make_chain(vertices=3))
    assert schedule.pose_count == len(schedule.clips[0].motion) == 60
    angles = np.degrees(relative_turns(schedule))
    assert angles.shape == (60, CHAIN)
    assert (angles > 0).all()
    assert 17 < np.sqrt((angles**2).mean()) < 23


def test_they_are_the_same_every_time_and_not_those_that_stand_in_for_clips():
    source = make_chain(vertices=3, clips=0)
    fresh = fresh_poses(source).worlds(0, np.arange(60))
    np.testing.assert_array_equal(fresh, fresh_poses(source).worlds(0, np.arange(60)))
    made = PoseSchedule.from_clips(source)
    others = made.worlds(0, np.arange(made.pose_count - 60, made.pose_count))
    assert np.abs(fresh - others).max(axis=(1, 2, 3)).min() > 0.01
