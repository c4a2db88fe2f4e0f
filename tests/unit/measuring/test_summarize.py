from types import SimpleNamespace

import numpy as np
import pytest

from arms import make_arm, weights_of, with_weights
from skinproof.measuring.running import RunningDeltas
from skinproof.measuring.subject import make_subject
from skinproof.measuring.summarize import cause, causes_of, clip_measurement, primitive_measurement, summary
from skinproof.measuring.worst_vertex import worst_vertex
from skinproof.model.measurement import CAUSES
from skinproof.poses import PoseSchedule, palettes


@pytest.fixture(scope="module")
def runs():
    """An arm whose vertex 4 alone lost its sum: what was measured of it, under one skin, twice."""
    arm = make_arm(vertices=8)
    weights = weights_of(arm)
    weights[4] *= 0.5
    result = with_weights(arm, weights)
    schedule = PoseSchedule.from_clips(arm, samples=5)
    subject, _ = make_subject(arm.primitives[0], result.primitives[0], None, index=0, reference="stored", joint_count=3)
    running = RunningDeltas(subject.positions, subject.total, bounded=True)
    for index, clip in enumerate(schedule.clips):
        running.add(palettes(arm.skins[0], schedule.worlds(index, np.arange(5))), first_pose=clip.first_pose)
        running.end_clip(weight=clip.weight, poses=clip.pose_count)
    return arm, result, schedule, subject, running


def figures(runs):
    arm, result, schedule, subject, running = runs
    return primitive_measurement(
        schedule, subject, [running], lambda sight: worst_vertex(arm, result, schedule, subject, 0, sight)
    )


def test_a_primitive(runs):
    made = figures(runs)
    assert (made.worst.vertex, made.worst.clip, made.worst.pose, made.worst.time) == (4, "travel", 4, 1.0)
    assert made.clip[4] == 1
    assert (made.pose[4], made.time[4]) == (4, 1.0)
    assert made.max_error[4] == made.summary.max > 15
    assert made.summary.rms == pytest.approx(made.rms[4] / np.sqrt(8), rel=1e-6)
    assert made.summary.percentiles[50.0] < 1e-5


def test_several_primitives_are_pooled(runs):
    made = figures(runs)
    both = summary([made, made])
    assert (both.vertices, both.max, both.bound) == (16, made.summary.max, made.summary.bound)
    assert both.rms == pytest.approx(made.summary.rms)
    assert summary([]).percentiles == {}


def test_one_clip(runs):
    _, _, schedule, subject, running = runs
    clip = clip_measurement(schedule.clips[1], [(subject, running)])
    assert (clip.name, clip.duration, clip.poses, clip.time, clip.pose) == ("travel", 1, 5, 1.0, 4)
    assert clip.max == pytest.approx(np.sqrt(running.max_squared[4]))


def test_the_causes_by_name(runs):
    _, _, _, subject, running = runs
    assert [one.name for one in causes_of([(subject, [running] * 4)])] == list(CAUSES)
    assert causes_of([(subject, [running] * 4)])[2] == cause("packing", [(subject, running)])


def test_one_cause(runs):
    _, _, _, subject, running = runs
    made = cause("limiting", [(subject, running)])
    assert (made.name, made.primitive, made.vertex) == ("limiting", "/meshes/0/primitives/0", 4)
    assert made.max == pytest.approx(np.sqrt(running.max_squared[4]))


def test_the_same_primitive_under_two_skins_counts_once(runs):
    _, _, _, subject, running = runs
    once, twice = (cause("limiting", [(subject, running)] * times) for times in (1, 2))
    assert once == twice


def test_no_runs_at_all(runs):
    _, _, schedule, _, _ = runs
    assert clip_measurement(schedule.clips[0], []).max == 0
    assert (cause("packing", []).rms, cause("packing", []).vertex) == (0, -1)


@pytest.mark.parametrize(("share", "named"), [(1.0, 2), (1 + 1e-13, 2), (1 - 1e-13, 2), (1 + 1e-9, 5), (np.inf, 5)])
def test_of_vertices_that_move_as_far_but_for_rounding_the_first_is_named(runs, share, named):
    """Vertices 2 and 5 move furthest; which is named must not hang on the last digit."""
    *_, schedule, subject, _ = runs
    squared = np.array([0.0, 1.0, 4.0, 1.0, 0.0, 4.0 * share, 1.0, 3.0])
    like = SimpleNamespace(max_squared=squared, mean_squared=squared, max_pose=np.arange(8), bound=squared)
    seen = []
    primitive_measurement(schedule, subject, [like], seen.append)
    assert seen[0].vertex == named
    assert cause("whole", [(subject, like)]).vertex == named
    poses = np.array([0, 0, 2, 0, 0, 3, 0, 0])
    of_clip = SimpleNamespace(
        clip_max_squared=squared, clip_mean_squared=squared, clip_max_pose=poses + schedule.clips[1].first_pose
    )
    assert clip_measurement(schedule.clips[1], [(subject, of_clip)]).pose == poses[named]
