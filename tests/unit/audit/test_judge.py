from __future__ import annotations

import pytest

from skinproof.audit.judge import AUDIT_CHECKS, joint_list, judge_capture, poses_apart, sentence
from skinproof.model.audit import BAD, CaptureAudit, DrawAudit, DrawKind, PoseMatch

MATCH = PoseMatch(0, 0.5)


def audited(*draws):
    return CaptureAudit(tuple(draws), ("walk",), ("hips", "spine", "head"), 1e-4, 30.0)


def made(kind):
    parts = (PoseMatch(0, 0.5, (0, 1)), PoseMatch(0, 0.6, (2,))) if kind is DrawKind.TORN else ()
    return DrawAudit(3, kind, nearest=MATCH, parts=parts, joints=(1,), displacement=0.02, lag=0.1)


@pytest.mark.parametrize("kind", list(DrawKind))
def test_torn_or_worse_fails_and_everything_else_passes(kind):
    verdict = judge_capture(audited(DrawAudit(0, DrawKind.WHOLE, nearest=MATCH), made(kind)), joint_count=3)
    assert verdict.passed is (kind not in BAD)
    assert len(verdict.findings) == (kind is not DrawKind.WHOLE)
    assert [check.name for check in verdict.checks] == list(AUDIT_CHECKS)
    assert {check.subjects for check in verdict.checks} == {2}


def test_a_torn_draw_is_said_with_its_boundary():
    found = audited(made(DrawKind.TORN))
    said = "joints 0–1 of walk at 0.500 s; joint 2 of walk at 0.600 s, 3 poses apart; a vertex is 20.0 mm off"
    assert sentence(found, found.draws[0]) == said
    assert poses_apart(found, found.draws[0]) == pytest.approx(3.0)


def test_joints_are_told_in_ranges():
    assert joint_list((0, 1, 2, 5, 7, 8)) == "joints 0–2, 5, 7–8"
    assert joint_list((4,)) == "joint 4"
    assert joint_list(tuple(range(0, 40, 2))).endswith("and 12 more ranges")
