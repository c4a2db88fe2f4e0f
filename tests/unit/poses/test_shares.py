"""poses.shares: a mean over poses that is a mean over time."""

from __future__ import annotations

import numpy as np
import pytest

from arms import make_arm
from characters import make_channel, make_character, make_clip, make_nodes, make_skin
from skinproof.poses import PoseSchedule
from skinproof.poses.shares import time_shares
from tolerances import ROUNDING


def schedule_of(*times, **options):
    clips = [make_clip(make_channel(0, "translation", one, np.zeros((len(one), 3)))) for one in times]
    return PoseSchedule.from_clips(make_character(make_nodes([-1]), skins=[make_skin([0])], clips=clips), **options)


def test_a_pose_counts_for_half_the_way_to_its_neighbours():
    schedule = schedule_of([0, 1, 4], fps=0.01)
    assert time_shares(schedule.clips[0]) == pytest.approx([0.5 / 4, 2 / 4, 1.5 / 4], abs=ROUNDING)


def test_crowded_keys_count_no_more_than_they_last():
    keys = [0, *(0.5 + 0.0001 * np.arange(50)), 1]
    shares = time_shares(schedule_of(keys, fps=0.01).clips[0])
    assert shares[1:51].sum() == pytest.approx(0.5, abs=0.01)


def test_all_clips_together_share_one_by_duration():
    schedule = schedule_of([0, 1], [2, 5])
    sums = [time_shares(clip).sum() for clip in schedule.clips]
    assert sums == pytest.approx([0.25, 0.75], abs=ROUNDING)


@pytest.mark.parametrize("samples", [1, 2, 7])
def test_samples_of_one_clip_share_one(samples):
    shares = time_shares(schedule_of([0, 2], samples=samples).clips[0])
    assert len(shares) == samples
    assert shares.sum() == pytest.approx(1.0, abs=ROUNDING)


def test_poses_without_time_count_equally():
    still = time_shares(schedule_of([3]).clips[0])
    assert still.tolist() == [1.0]
    made = time_shares(PoseSchedule.from_clips(make_arm(clips=[])).clips[0])
    np.testing.assert_allclose(made, 1 / len(made), rtol=ROUNDING)
