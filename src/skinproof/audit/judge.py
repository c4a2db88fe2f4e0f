"""What an audit means: findings and a verdict, as for files.

This project's own: a draw that shows no pose of the animation fails; one that shows an old pose, or a pose that the
clips cannot explain, is worth a look.
"""

from __future__ import annotations

from skinproof.findings import Finding
from skinproof.gate import Check, Verdict, words
from skinproof.model.audit import CaptureAudit, DrawAudit, DrawKind

AUDIT_CHECKS = {
    "joint_count": "every draw has as many joints as the skin",
    "finite": "no matrix holds NaN or infinity",
    "whole": "no draw is put together from several poses, filled with identity, or in a wrong space",
}
"""Check → passes if, in the order in which they are made."""

_CODES = {
    DrawKind.TORN: "TORN_POSE",
    DrawKind.IDENTITY_FILLED: "IDENTITY_FILLED",
    DrawKind.WRONG_SPACE: "WRONG_SPACE",
    DrawKind.NOT_FINITE: "PALETTE_NOT_FINITE",
    DrawKind.WRONG_JOINT_COUNT: "WRONG_JOINT_COUNT",
    DrawKind.STALE: "STALE_POSE",
    DrawKind.UNEXPLAINED: "UNEXPLAINED_POSE",
}
"""Kind → its finding, the worst first."""


def judge_capture(found: CaptureAudit, /, *, joint_count: int) -> Verdict:
    """Return the verdict: one finding per kind of draw, naming the worst or first and the count.

    Args:
        found: what the audit says.
        joint_count: of the capture.
    """
    findings = {
        kind: _finding(found, kind, [draw for draw in found.draws if draw.kind is kind], joint_count)
        for kind in _CODES
        if found.counts[kind]
    }
    subjects = len(found.draws)
    checks = []
    for name, kinds in (
        ("joint_count", (DrawKind.WRONG_JOINT_COUNT,)),
        ("finite", (DrawKind.NOT_FINITE,)),
        ("whole", tuple(kind for kind in _CODES if kind not in (DrawKind.WRONG_JOINT_COUNT, DrawKind.NOT_FINITE))),
    ):
        own = tuple(findings[kind] for kind in kinds if kind in findings)
        checks.append(Check(name, subjects, own))
    return Verdict(tuple(checks), tuple(finding for check in checks for finding in check.findings))


def sentence(found: CaptureAudit, draw: DrawAudit, /) -> str:
    """Say one draw in words, with its joints, times and distances."""
    if draw.kind is DrawKind.TORN:
        parts = "; ".join(
            f"{joint_list(part.joints)} of {words.moment(found.clip_names[part.clip], part.time, 0)}"
            for part in draw.parts
        )
        apart = poses_apart(found, draw)
        far = "" if apart is None else f", {apart:.3g} poses apart"
        moved = "" if draw.displacement is None else f"; a vertex is {words.length(draw.displacement)} off"
        return f"{parts}{far}{moved}"
    if draw.kind is DrawKind.STALE:
        assert draw.nearest is not None
        shown = words.moment(found.clip_names[draw.nearest.clip], draw.nearest.time, 0)
        return f"shows {shown}" + (
            "" if draw.lag is None else f", {draw.lag * found.fps:+.3g} poses from what was meant"
        )
    if draw.kind is DrawKind.WRONG_SPACE:
        return draw.detail
    if draw.kind is DrawKind.WHOLE and draw.nearest is not None:
        return words.moment(found.clip_names[draw.nearest.clip], draw.nearest.time, 0)
    return joint_list(draw.joints) if draw.joints else ""


def joint_list(joints: tuple[int, ...], /) -> str:
    """Return joints in words, in ranges: "joints 0–11, 14"."""
    ranges: list[list[int]] = []
    for joint in joints:
        if ranges and ranges[-1][1] == joint - 1:
            ranges[-1][1] = joint
        else:
            ranges.append([joint, joint])
    told = ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in ranges[:8])
    more = f" and {len(ranges) - 8} more ranges" if len(ranges) > 8 else ""
    return f"joint{'' if len(joints) == 1 else 's'} {told}{more}"


def poses_apart(found: CaptureAudit, draw: DrawAudit, /) -> float | None:
    """Return how far apart in time the poses of a torn draw are, in poses; None across clips."""
    if len({part.clip for part in draw.parts}) != 1:
        return None
    times = [part.time for part in draw.parts]
    return (max(times) - min(times)) * found.fps


def _finding(found: CaptureAudit, kind: DrawKind, draws: list[DrawAudit], joint_count: int) -> Finding:
    worst = max(draws, key=lambda draw: (draw.displacement or 0.0, abs(draw.lag or 0.0)))
    where: dict[str, object] = {"draw": worst.draw, "draws": len(draws)}
    measured: float | None = worst.displacement
    unit = None if measured is None else "m"
    limit = None
    if kind is DrawKind.WRONG_JOINT_COUNT:
        measured, limit, unit = float(joint_count), float(len(found.joint_names)), "joints"
        said = f"the capture has {joint_count}, the skin {len(found.joint_names)}"
    else:
        said = sentence(found, worst)
    if worst.joints:
        where |= {"joint": worst.joints[0], "joint_name": found.joint_names[worst.joints[0]]}
    are = f"{words.count(len(draws), 'draw')} {'is' if len(draws) == 1 else 'are'} {kind.value}"
    return Finding(
        _CODES[kind], f"{are}; draw {worst.draw}: {said}", measured=measured, limit=limit, unit=unit, where=where
    )
