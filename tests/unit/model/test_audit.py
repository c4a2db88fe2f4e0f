from __future__ import annotations

from skinproof.model.audit import BAD, CaptureAudit, DrawAudit, DrawKind


def test_every_kind_is_counted_those_without_draws_too():
    draws = (DrawAudit(0, DrawKind.WHOLE), DrawAudit(1, DrawKind.TORN), DrawAudit(2, DrawKind.WHOLE))
    counts = CaptureAudit(draws, (), (), 1e-4, 30.0).counts
    assert set(counts) == set(DrawKind)
    assert (counts[DrawKind.WHOLE], counts[DrawKind.TORN], sum(counts.values())) == (2, 1, 3)


def test_an_old_pose_and_a_blend_do_not_fail_an_audit():
    assert set(DrawKind) - set(BAD) == {DrawKind.WHOLE, DrawKind.STALE, DrawKind.UNEXPLAINED}
