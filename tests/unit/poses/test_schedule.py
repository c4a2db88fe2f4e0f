from dataclasses import replace

import numpy as np
import pytest

from characters import about, make_channel, make_character, make_clip, make_nodes, make_skin
from skinproof.errors import ArrayError, OptionError
from skinproof.poses import PoseSchedule
from skinproof.poses.world import clip_worlds
from skinproof.tolerances import KEY_SPACING_SLACK, MAX_BLOCK_BYTES, MAX_POSES_PER_CLIP
from tolerances import ROUNDING

NODES = make_nodes([-1, 0], translations=[[0, 0, 0], [0, 1, 0]])


def still(node, times, path="translation"):
    """A channel with keys at `times`."""
    return make_channel(node, path, times, np.zeros((len(times), 3)))


def swing(seconds, name="swing"):
    return make_clip(make_channel(1, "rotation", [0, seconds], [about([0, 0, 1], 0), about([0, 0, 1], 90)]), name=name)


def schedule_of(*clips, nodes=NODES, **options):
    return PoseSchedule.from_clips(make_character(nodes, skins=[make_skin([0, 1])], clips=clips), **options)


def times_of(*channels, **options):
    return schedule_of(make_clip(*channels), **options).clips[0].times


class TestTimes:
    def test_every_key_of_every_channel(self):
        keys = [0.25, 0.3, 0.9001], [0.1, 0.5, 1.7]
        times = times_of(still(0, keys[0]), still(1, keys[1], "scale"))
        assert set(times) >= {*keys[0], *keys[1]}
        assert (times[0], times[-1]) == (0.1, 1.7)

    @pytest.mark.parametrize("fps", [30.0, 24.0, 120.0, 7.3])
    def test_often_enough_and_in_order(self, fps):
        times = times_of(still(0, [0.25, 0.3, 0.9001, 4.0]), fps=fps)
        assert (np.diff(times) > 0).all()
        assert np.diff(times).max() <= (1 + KEY_SPACING_SLACK) / fps * (1 + ROUNDING)
        assert len(times) <= 3.75 * fps + 1 + 3, "more poses than asked for"

    def test_keys_at_the_rate_get_nothing_in_between(self):
        # As files have them: frames of 1/30 s, rounded to float32.
        keys = (np.arange(3000) / 30).astype(np.float32).astype(np.float64)
        assert times_of(still(0, keys)).tolist() == keys.tolist()

    @pytest.mark.parametrize(("share", "poses"), [(0.9999, 2), (1.0001, 3)])
    def test_a_gap_is_divided_from_the_slack_on(self, share, poses):
        gap = (1 + KEY_SPACING_SLACK) / 30 * share
        assert len(times_of(still(0, [0.0, gap]))) == poses

    def test_one_key_is_one_pose(self):
        assert times_of(still(0, [2.5])).tolist() == [2.5]

    def test_a_clip_without_channels_is_one_pose(self):
        swinging, empty = schedule_of(swing(1), make_clip(name="empty")).clips
        assert (swinging.pose_count, empty.times.tolist()) == (31, [0])

    def test_samples_from_the_first_key_to_the_last(self):
        channels = still(0, [0.5, 0.75, 2.5]), still(1, [1.0, 4.5])
        assert times_of(*channels, samples=5).tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
        assert times_of(*channels, samples=1).tolist() == [0.5]


class TestOptions:
    @pytest.mark.parametrize("fps", [0.0, -1.0, float("nan"), float("inf"), "30", None, True])
    def test_fps_must_make_sense(self, fps):
        with pytest.raises(OptionError, match="fps: expected a finite number above 0"):
            schedule_of(swing(1), fps=fps)

    @pytest.mark.parametrize("samples", [0, -3, MAX_POSES_PER_CLIP + 1, 2.5, "3", True])
    def test_samples_must_make_sense(self, samples):
        with pytest.raises(OptionError, match="samples: expected an integer from 1 to"):
            schedule_of(swing(1), samples=samples)

    @pytest.mark.parametrize("seed", [-1, 0.5, "a", None])
    def test_a_seed_must_make_sense(self, seed):
        with pytest.raises(OptionError, match="seed: expected an integer of at least 0"):
            schedule_of(seed=seed)

    @pytest.mark.parametrize("block", [0, 2.5, None])
    def test_a_block_has_a_pose(self, block):
        with pytest.raises(OptionError, match="block: expected an integer of at least 1"):
            next(schedule_of(swing(1)).blocks(block))

    @pytest.mark.parametrize("seconds", [1e6, 1e30])
    def test_an_absurd_duration_is_refused_with_the_way_out(self, seconds):
        with pytest.raises(OptionError, match=r"'wave'.*give `samples`"):
            schedule_of(swing(seconds, name="wave"))
        assert schedule_of(swing(seconds), samples=3).pose_count == 3


class TestClips:
    def test_weights_are_shares_of_the_duration(self):
        clips = schedule_of(swing(1), swing(3), make_clip(still(0, [7.0]))).clips
        assert [clip.duration for clip in clips] == [1, 3, 0]
        assert [clip.weight for clip in clips] == [0.25, 0.75, 0]

    def test_clips_that_all_take_no_time_weigh_the_same(self):
        clips = schedule_of(make_clip(still(0, [7.0])), make_clip()).clips
        assert [clip.weight for clip in clips] == [0.5, 0.5]

    def test_poses_are_numbered_through_all_clips(self):
        schedule = schedule_of(swing(1, "a"), swing(2, "b"), samples=4)
        assert [clip.first_pose for clip in schedule.clips] == [0, 4]
        assert schedule.pose_count == 8

    def test_without_clips_a_range_of_motion_under_its_name(self):
        schedule = schedule_of()
        assert schedule.is_range_of_motion
        assert [clip.name for clip in schedule.clips] == ["range of motion"]
        assert schedule.pose_count == 2 + 6 * 2 + 60
        assert schedule.clips[0].weight == 1
        assert (schedule.clips[0].times, schedule.clips[0].time(12), schedule.clips[0].duration) == (None, None, 0)
        assert not schedule_of(swing(1)).is_range_of_motion

    def test_the_seed_reaches_the_range_of_motion(self):
        last = [list(schedule_of(seed=seed).blocks())[-1].worlds[-1] for seed in (0, 0, 1)]
        assert last[0].tolist() == last[1].tolist()
        assert last[0].tolist() != last[2].tolist()


class TestBlocks:
    def test_every_pose_once_in_order(self):
        schedule = schedule_of(swing(1, "a"), swing(2.1, "b"), samples=10)
        blocks = list(schedule.blocks(4))
        assert [(block.clip_name, block.first_pose, len(block.worlds)) for block in blocks] == [
            ("a", 0, 4),
            ("a", 4, 4),
            ("a", 8, 2),
            ("b", 10, 4),
            ("b", 14, 4),
            ("b", 18, 2),
        ]
        for index, clip in enumerate(schedule.clips):
            own = [block for block in blocks if block.clip_index == index]
            expected = clip_worlds(NODES, clip.motion, clip.times)
            np.testing.assert_array_equal(np.concatenate([block.worlds for block in own]), expected)

    def test_some_poses_by_their_index(self):
        schedule = schedule_of(swing(1, "a"), swing(2.1, "b"), samples=10)
        expected = clip_worlds(NODES, schedule.clips[1].motion, schedule.clips[1].times[[9, 2]])
        np.testing.assert_array_equal(schedule.worlds(1, np.array([9, 2])), expected)
        assert schedule.clips[1].time(9) == 2.1
        made = schedule_of()
        whole = np.concatenate([block.worlds for block in made.blocks()])
        np.testing.assert_array_equal(made.worlds(0, np.array([70, 0, 5])), whole[[70, 0, 5]])

    def test_the_range_of_motion_comes_in_blocks_too(self):
        schedule = schedule_of()
        small = np.concatenate([block.worlds for block in schedule.blocks(7)])
        np.testing.assert_array_equal(small, np.concatenate([block.worlds for block in schedule.blocks(64)]))
        assert len(small) == 74

    def test_memory_does_not_grow_with_nodes(self):
        count = 10_000
        nodes = make_nodes([-1] * count)
        schedule = schedule_of(swing(1), nodes=nodes, samples=64)
        sizes = [len(block.worlds) for block in schedule.blocks() if block.worlds.nbytes <= MAX_BLOCK_BYTES]
        assert sum(sizes) == 64
        assert len(sizes) > 1


@pytest.mark.parametrize(
    ("node", "path", "made"),
    [(0, "rotation", False), (1, "rotation", False), (3, "rotation", True), (1, "weights", True)],
)
def test_clips_that_move_no_joint_leave_a_range_of_motion(node, path, made):
    nodes = make_nodes([-1, 0, 1, -1])  # a root above joints 1 and 2, and a camera
    values = [about([0, 0, 1], 0), about([0, 0, 1], 90)] if path == "rotation" else [[0.0], [1.0]]
    clips = [make_clip(make_channel(node, path, [0, 1], values))]
    character = make_character(nodes, skins=[make_skin([1, 2])], clips=clips)
    assert PoseSchedule.from_clips(character).is_range_of_motion is made


def test_a_clip_that_cannot_be_sampled_is_named_with_its_file():
    keys, still_tangents = np.array([[0, 0, 0, 1.0], [0, 0, 0, -1.0]]), np.zeros((2, 4))
    values = np.stack([still_tangents, keys, still_tangents], axis=1)
    clip = make_clip(make_channel(1, "rotation", [0, 1], values, interpolation="CUBICSPLINE"))
    character = replace(make_character(NODES, skins=[make_skin([0, 1])], clips=[clip]), name="through-zero.glb")
    blocks = PoseSchedule.from_clips(character, samples=3).blocks()
    with pytest.raises(ArrayError, match=r"^through-zero\.glb: rotation of node 1: a rotation has length zero"):
        list(blocks)
