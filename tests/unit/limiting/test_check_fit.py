"""limiting.check_fit: the fit and keep-the-largest, in poses fitted to and in others."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import skinproof as sp
from chains import make_chain
from characters import about, make_channel, make_clip
from skinproof.limiting import check_fit
from skinproof.model import Outcome
from skinproof.poses import PoseSchedule
from skinproof.poses.fresh import fresh_poses
from tolerances import DISPLACEMENT_RELATIVE


def checked(source, most=2):
    again = partial(sp.limit, source, max_influences=most)
    schedule = PoseSchedule.from_clips(source)
    limited = again(method="exact", schedule=schedule)
    still = sp.measure(source, limited, schedule=schedule).still_joints
    return limited, check_fit(source, limited, again, schedule=schedule, still_joints=still)


def figures(source, result, schedule):
    found = sp.measure(source, result, reference="normalized", schedule=schedule).summary
    return pytest.approx((found.max, found.rms), rel=DISPLACEMENT_RELATIVE)


def test_the_fit_to_one_clip_is_judged_by_the_other_and_by_poses_that_nobody_animated():
    source = make_chain(vertices=100)
    limited, check = checked(source)
    training, held_out, fresh = check.trials
    assert [trial.name for trial in check.trials] == ["training", "held_out", "fresh"]
    largest = sp.limit(source, max_influences=2)
    first, second = (replace(source, clips=source.clips[index : index + 1]) for index in (0, 1))
    refitted = sp.limit(first, max_influences=2, method="exact")
    judging = PoseSchedule.from_clips(second)
    for trial, ours, schedule in (
        (training, limited, PoseSchedule.from_clips(source)),
        (held_out, refitted, judging),
        (fresh, limited, fresh_poses(source)),
    ):
        assert trial.poses == schedule.pose_count
        assert (trial.exact.max, trial.exact.rms) == figures(source, replace(ours, clips=source.clips), schedule)
        assert (trial.largest.max, trial.largest.rms) == figures(source, largest, schedule)
    assert training.exact.max <= training.largest.max
    assert training.exact.rms < training.largest.rms


def test_without_clips_there_is_nothing_to_hold_out():
    _, check = checked(make_chain(vertices=20, clips=0))
    assert [trial.name for trial in check.trials] == ["training", "fresh"]


def test_joints_that_no_pose_moves_are_named_with_the_vertices_that_hang_on_them():
    source = make_chain(vertices=60)
    bend = make_clip(
        *(
            make_channel(joint, "rotation", [0, 1], [about([0, 0, 1], angle) for angle in (0, 40)])
            for joint in (0, 1, 3, 4, 5)
        )
    )
    source = replace(source, clips=(bend,))
    given = source.primitives[0].influences
    weights = given.weights.copy()
    weights[:50][given.joints[:50] == 2] = 0  # the last ten alone hang on the joint that stands still …
    weights[55:, 2:] = 0  # … of which five have no choice
    source = source.with_influences([sp.Influences(given.joints, weights, given.set_formats)])
    limited, check = checked(source)
    (near,) = check.still
    assert (near.primitive, near.joint) == (source.primitives[0].pointer, 2)
    assert near.name == source.joint_name(source.skins[0], 2)
    np.testing.assert_array_equal(near.vertices, np.arange(50, 55))
    assert (limited.changes[0].fit.outcome[55:] == Outcome.FEW).all()
