from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import altered
from characters import make_channel, make_clip
from limbs import JOINTS, limb
from skinproof.errors import ComparisonError
from skinproof.measuring.pair_poses import PairPoses, pair_clips
from skinproof.model import Instance
from skinproof.poses import PoseSchedule, clip_worlds, palettes
from tolerances import ROUNDING

SAME = {node: node for node in range(JOINTS)}


def named(*names):
    """The limb with its bend under each of these names, the third one a bit longer than the second, and so on."""
    channels = limb().clips[0].channels
    clips = []
    for number, name in enumerate(names):
        longer = replace(channels[0], times=channels[0].times * (1 + number))
        clips.append(make_clip(longer, name=name))
    return replace(limb(), clips=tuple(clips))


class TestPairClips:
    def test_by_name(self):
        found = pair_clips(named("walk", "run"), named("run", "walk"))
        assert [(clip.name, clip.end) for clip in found] == [("walk", 2.0), ("run", 1.0)]

    def test_the_same_name_twice_goes_by_order(self):
        found = pair_clips(named("walk", "walk"), named("walk", "walk"))
        assert [clip.end for clip in found] == [1.0, 2.0]

    def test_no_clips_at_all(self):
        assert pair_clips(named(), named()) == ()

    @pytest.mark.parametrize(
        ("ours", "theirs", "said"),
        [
            (["walk"], ["run"], "limb has no clip 'walk'"),
            (["walk"], ["walk", "run"], "limb has no clip 'run'"),
            (["walk", "walk", "run"], ["walk", "run", "run"], "clips share a name, and stand in another order"),
            (["walk"], [], "the clips of limb move joints, those of limb do not"),
        ],
    )
    def test_what_does_not_go_together_is_refused(self, ours, theirs, said):
        with pytest.raises(ComparisonError, match=said):
            pair_clips(named(*ours), named(*theirs))


def test_its_own_clip_at_the_originals_times():
    """Another tree, another clip: sampled for itself."""
    result = named("bend")
    original = limb()
    schedule = PoseSchedule.from_clips(replace(original, clips=original.clips[:1]), samples=7)
    poses = PairPoses(original, result, schedule, clips=result.clips, followed={})
    (block,) = schedule.blocks()
    expected = clip_worlds(result.nodes, result.clips[0], schedule.clips[0].times)
    np.testing.assert_array_equal(poses.block(block).worlds, expected)
    np.testing.assert_array_equal(poses.palettes(0, block), palettes(result.skins[0], expected))
    assert not np.allclose(expected, block.worlds)


def test_blocks_of_several_clips():
    original = limb()
    schedule = PoseSchedule.from_clips(original, samples=9)
    poses = PairPoses(original, original, schedule, clips=original.clips, followed={})
    for block in schedule.blocks(4):
        np.testing.assert_array_equal(poses.block(block).worlds, block.worlds)
        np.testing.assert_array_equal(poses.palettes(0, block), palettes(original.skins[0], block.worlds))


class TestMadePoses:
    @pytest.fixture
    def still(self):
        return replace(limb(), clips=())

    def test_joints_follow_their_leaders_from_rest(self, still):
        """The same tree follows to the same places; a node that follows nothing stays."""
        schedule = PoseSchedule.from_clips(still)
        poses = PairPoses(still, still, schedule, clips=(), followed=SAME)
        for block in schedule.blocks():
            np.testing.assert_allclose(poses.block(block).worlds, block.worlds, atol=ROUNDING)

    def test_another_frame_is_carried_rigidly(self, still):
        """A joint whose own axes are turned at rest keeps its place relative to its leader."""
        turned = still.nodes.matrices.copy()
        turned[2, :3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        result = replace(still, nodes=replace(still.nodes, matrices=turned))
        schedule = PoseSchedule.from_clips(still)
        poses = PairPoses(still, result, schedule, clips=(), followed={2: 2})
        (*_, block) = schedule.blocks()
        found = poses.block(block).worlds[:, 2]
        np.testing.assert_allclose(found[:, :3, :3], block.worlds[:, 2, :3, :3] @ turned[2, :3, :3], atol=ROUNDING)
        np.testing.assert_allclose(found[:, :3, 3], block.worlds[:, 2, :3, 3], atol=ROUNDING)

    def test_a_leader_of_scale_zero(self, still):
        flat = still.nodes.matrices.copy()
        flat[4, :3, :3] = 0
        nodes = replace(still.nodes, matrices=flat, scales=np.where(np.arange(6)[:, None] == 4, 0.0, 1.0) * np.ones(3))
        shrunk = replace(still, nodes=nodes)
        schedule = PoseSchedule.from_clips(shrunk)
        poses = PairPoses(shrunk, shrunk, schedule, clips=(), followed=SAME)
        for block in schedule.blocks():
            np.testing.assert_allclose(poses.block(block).worlds, block.worlds, atol=ROUNDING)

    def test_clips_that_only_morph_lend_their_shapes(self, still):
        target = np.ones((limb().primitives[0].vertex_count, 3), np.float32)
        morphed = altered.with_primitive(still, 0, targets=(target,))
        morphed = replace(morphed, instances=(Instance(JOINTS, 0, 0, (0.0,)),))

        def with_keys(*times):
            channel = make_channel(JOINTS, "weights", times, [[float(number)] for number in range(len(times))])
            return replace(morphed, clips=(make_clip(channel, name="talk"),))

        schedule = PoseSchedule.from_clips(with_keys(0, 1, 2))
        poses = PairPoses(with_keys(0, 1, 2), with_keys(0, 1, 2), schedule, clips=(), followed=SAME)
        block = next(iter(schedule.blocks()))
        np.testing.assert_array_equal(poses.block(block).morph_weights[0], block.morph_weights[0])
        with pytest.raises(ComparisonError, match="only morph, have other keys"):
            PairPoses(with_keys(0, 1, 2), with_keys(0, 1), schedule, clips=(), followed=SAME)
