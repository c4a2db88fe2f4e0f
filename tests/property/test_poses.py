"""Poses of anything: what must hold whatever the keys, rotations and trees are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from characters import about, make_channel, make_character, make_clip, make_nodes, make_skin, trs
from skinproof.poses import PoseSchedule
from skinproof.poses.quaternions import slerp
from skinproof.poses.sampling import sample_channel
from skinproof.poses.world import rest_worlds
from skinproof.tolerances import KEY_SPACING_SLACK
from tolerances import LONG_CHAIN, ROUNDING

seeds = st.integers(0, 2**32 - 1)
fractions = st.floats(0, 1)
key_times = st.lists(st.floats(-10, 10), min_size=1, max_size=20, unique=True).map(sorted)
interpolations = st.sampled_from(["LINEAR", "STEP", "CUBICSPLINE"])


def rotations(seed, count):
    drawn = np.random.default_rng(seed).normal(size=(count, 4))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@given(seeds, fractions)
def test_slerp_divides_the_angle(seed, fraction):
    start, end = rotations(seed, 2)[:, np.newaxis]
    found = slerp(start, end, np.array([fraction]))
    whole = np.arccos(np.clip(np.abs((start * end).sum()), 0, 1))
    part = np.arccos(np.clip(np.abs((start * found).sum()), 0, 1))
    # The cosine is flat at zero: half of the digits, in this check, not in what is checked.
    assert abs(part - fraction * whole) <= 1e-7
    assert abs(np.linalg.norm(found) - 1) <= ROUNDING


@given(seeds, fractions)
def test_slerp_is_the_same_from_both_ends(seed, fraction):
    start, end = rotations(seed, 2)[:, np.newaxis]
    forth = slerp(start, end, np.array([fraction]))[0]
    back = slerp(end, start, np.array([1 - fraction]))[0]
    assert min(np.abs(forth - back).max(), np.abs(forth + back).max()) <= ROUNDING


@given(key_times, interpolations, st.sampled_from(["translation", "rotation", "scale"]), seeds)
def test_a_key_is_reached_exactly_and_holds_outside(times, interpolation, path, seed):
    width = 4 if path == "rotation" else 3
    values = np.random.default_rng(seed).normal(size=(len(times), 3, width))
    keys = values[:, 1]
    stored = values if interpolation == "CUBICSPLINE" else keys
    channel = make_channel(0, path, times, stored, interpolation=interpolation)
    expected = keys / np.linalg.norm(keys, axis=1, keepdims=True) if path == "rotation" else keys
    found = sample_channel(channel, np.array([times[0] - 1, *times, times[-1] + 1]))
    np.testing.assert_allclose(found[1:-1], expected, rtol=1e-15, atol=1e-15)
    assert found[0].tolist() == found[1].tolist()
    assert found[-1].tolist() == found[-2].tolist()


@given(st.lists(key_times, min_size=1, max_size=4), st.floats(1, 100))
def test_every_key_is_a_pose_and_poses_are_often_enough(channels, fps):
    clip = make_clip(*(make_channel(0, "scale", times, np.ones((len(times), 3))) for times in channels))
    character = make_character(make_nodes([-1]), skins=[make_skin([0])], clips=[clip])
    times = PoseSchedule.from_clips(character, fps=fps).clips[0].times
    assert set(times) >= {time for channel in channels for time in channel}
    assert (np.diff(times) >= 0).all()
    assert np.diff(times).max(initial=0) <= (1 + KEY_SPACING_SLACK) / fps * (1 + ROUNDING)


@given(seeds, st.integers(2, 30), st.floats(-180, 180))
def test_a_tree_follows_its_root_rigidly(seed, count, degrees):
    generator = np.random.default_rng(seed)
    parents = [-1, *(int(generator.integers(0, node)) for node in range(1, count))]
    places, turns = generator.normal(size=(count, 3)), rotations(seed, count)
    still = rest_worlds(make_nodes(parents, translations=places, rotations=turns))
    motion = trs((1, 2, 3), about([1, 2, 3], degrees))
    root = motion @ still[0]
    carried = rest_worlds(make_nodes(parents, translations=places, rotations=turns, matrices={0: root}))
    np.testing.assert_allclose(carried, motion @ still, rtol=0, atol=LONG_CHAIN)
