"""poses.halves: whole clips, or halves of the only one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chains import make_chain
from skinproof.poses import PoseSchedule
from skinproof.poses.halves import halves
from tolerances import ROUNDING


def schedule_of(clips, samples=9):
    return PoseSchedule.from_clips(make_chain(clips=clips, vertices=3), samples=samples)


def test_every_other_clip_is_held_out_whole():
    fitting, judging = halves(schedule_of(5))
    assert [clip.name for clip in fitting.clips] == ["clip 0", "clip 2", "clip 4"]
    assert [clip.name for clip in judging.clips] == ["clip 1", "clip 3"]
    for half in (fitting, judging):
        assert sum(clip.weight for clip in half.clips) == pytest.approx(1, abs=ROUNDING)
        assert [clip.first_pose for clip in half.clips] == [9 * index for index in range(len(half.clips))]


def test_the_only_clip_is_cut_in_two_that_share_no_pose():
    whole = schedule_of(1)
    fitting, judging = halves(whole)
    assert (fitting.pose_count, judging.pose_count) == (4, 5)
    np.testing.assert_array_equal(np.r_[fitting.clips[0].times, judging.clips[0].times], whole.clips[0].times)
    worlds = [half.worlds(0, np.arange(half.pose_count)) for half in (fitting, judging)]
    np.testing.assert_array_equal(np.concatenate(worlds), whole.worlds(0, np.arange(9)))


def test_clips_of_a_single_pose_hold_nothing_out():
    whole = schedule_of(2)
    still = replace(whole.clips[1], pose_count=1, times=np.zeros(1), duration=0.0)
    fitting, judging = halves(replace(whole, clips=(whole.clips[0], still)))
    assert (fitting.pose_count, judging.pose_count) == (4, 5)


def test_clips_without_duration_count_equally():
    whole = schedule_of(4)
    fitting, _ = halves(replace(whole, clips=tuple(replace(clip, duration=0.0) for clip in whole.clips)))
    assert [clip.weight for clip in fitting.clips] == [0.5, 0.5]


def test_made_poses_and_a_handful_have_no_halves():
    assert halves(schedule_of(0)) is None
    assert halves(schedule_of(1, samples=3)) is None
    assert halves(schedule_of(1, samples=4)) is not None
