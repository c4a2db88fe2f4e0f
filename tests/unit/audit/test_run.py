"""Every kind of draw is told from every other, and is told where it is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from captures import drawn, make_walker
from skinproof.audit import audit
from skinproof.errors import ComparisonError, OptionError
from skinproof.model import Capture
from skinproof.model.audit import DrawKind

TIMES = np.array([0.13, 0.777, 1.21, 1.9])


def kinds(capture, character, **options):
    return [draw.kind for draw in audit(capture, character, **options).draws]


def test_poses_between_keys_are_whole_and_their_times_are_found():
    character = make_walker()
    found = audit(Capture(drawn(character, 0, TIMES)), character)
    assert [draw.kind for draw in found.draws] == [DrawKind.WHOLE] * 4
    np.testing.assert_allclose([draw.nearest.time for draw in found.draws], TIMES, atol=1e-5)


def test_a_torn_draw_is_named_with_its_joints_times_and_displacement():
    character = make_walker()
    early, late = drawn(character, 0, [0.7]), drawn(character, 0, [0.8])
    torn = early.copy()
    torn[:, 2:] = late[:, 2:]
    (draw,) = audit(Capture(torn), character).draws
    assert draw.kind is DrawKind.TORN
    assert sorted((part.joints, round(part.time, 4)) for part in draw.parts) == [((0, 1), 0.7), ((2, 3), 0.8)]
    assert draw.displacement > 0.01


def test_joints_of_two_clips_are_torn():
    character = make_walker()
    torn = drawn(character, 0, [0.7])
    torn[:, 3:] = drawn(character, 1, [0.7])[:, 3:]
    (draw,) = audit(Capture(torn), character).draws
    assert draw.kind is DrawKind.TORN
    assert {part.clip for part in draw.parts} == {0, 1}


def test_a_joint_that_stands_still_makes_no_tear():
    character = make_walker(still=True)
    mixed = drawn(character, 0, [1.7])
    mixed[:, :1] = drawn(character, 0, [0.2])[:, :1]  # the root, which this clip never moves
    assert kinds(Capture(mixed), character) == [DrawKind.WHOLE]
    mixed[:, 1] = drawn(character, 0, [0.2])[:, 1]
    assert kinds(Capture(mixed), character) == [DrawKind.TORN]


def test_a_blend_of_clips_is_unexplained_never_torn():
    character = make_walker()
    one, other = drawn(character, 0, TIMES), drawn(character, 1, TIMES)
    assert set(kinds(Capture(0.5 * one + np.float32(0.5) * other), character)) == {DrawKind.UNEXPLAINED}


@pytest.mark.parametrize("name", ["transposed", "inverse bind missing", "inverse bind applied twice"])
def test_a_wrong_space_is_named(name):
    character = make_walker()
    palette, binds = drawn(character, 0, TIMES).astype(np.float64), character.skins[0].inverse_binds
    wrong = {
        "transposed": palette.swapaxes(-1, -2),
        "inverse bind missing": palette @ np.linalg.inv(binds),
        "inverse bind applied twice": palette @ binds,
    }[name]
    found = audit(Capture(np.ascontiguousarray(wrong, np.float32)), character)
    assert [(draw.kind, draw.detail) for draw in found.draws] == [(DrawKind.WRONG_SPACE, name)] * 4


def test_nan_identity_and_joint_count_are_named():
    character = make_walker()
    palettes = drawn(character, 0, TIMES)
    palettes[1, 2, 0, 0] = np.nan
    palettes[2, 3] = np.eye(4)
    found = audit(Capture(palettes), character).draws
    assert [draw.kind for draw in found] == [
        DrawKind.WHOLE, DrawKind.NOT_FINITE, DrawKind.IDENTITY_FILLED, DrawKind.WHOLE,
    ]  # fmt: skip
    assert (found[1].joints, found[2].joints) == ((2,), (3,))
    short = Capture(np.ascontiguousarray(palettes[:, :3]))
    assert set(kinds(short, character)) == {DrawKind.WRONG_JOINT_COUNT}


def test_an_old_pose_is_stale_only_where_the_time_meant_is_known():
    character = make_walker()
    meant = np.array([0.5, 0.6, 0.7])
    palettes = drawn(character, 0, [0.5, 0.5, 0.7])
    assert set(kinds(Capture(palettes), character)) == {DrawKind.WHOLE}
    found = audit(Capture(palettes, times=meant, clips=np.zeros(3, np.int32)), character, fps=10.0).draws
    assert [draw.kind for draw in found] == [DrawKind.WHOLE, DrawKind.STALE, DrawKind.WHOLE]
    assert found[1].lag == pytest.approx(0.1, abs=1e-5)


def test_a_draw_that_differs_from_the_last_of_its_revision_is_stale():
    character = make_walker()
    palettes = drawn(character, 0, [0.5, 0.5, 0.6, 0.6])
    found = kinds(Capture(palettes, revisions=np.array([1, 2, 2, 2])), character)
    assert found == [DrawKind.WHOLE, DrawKind.STALE, DrawKind.WHOLE, DrawKind.WHOLE]


def test_what_cannot_be_compared_is_refused():
    character = make_walker()
    palettes = drawn(character, 0, TIMES)
    with pytest.raises(ComparisonError, match="joint 3 is 'tail'"):
        audit(Capture(palettes, joint_names=("n0", "n1", "n2", "tail")), character)
    with pytest.raises(ComparisonError, match="clips"):
        audit(Capture(palettes, times=TIMES, clips=np.full(4, 2, np.int32)), character)
    with pytest.raises(OptionError, match="skin"):
        audit(Capture(palettes), character, skin=1)
