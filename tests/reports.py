"""Whole reports on the arm of arms.py, made as the commands make them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from arms import make_arm
from skinproof.gate import Policy, judge, tolerance
from skinproof.limiting import check_fit, limit
from skinproof.measuring import measure, survey
from skinproof.poses import PoseSchedule
from skinproof.report import Report


def limited(max_influences=2, *, arm=None, gated=None, pack="float32", repair=None, method="largest"):
    """What `limit` reports; `gated` is a tolerance."""
    arm = arm or make_arm(vertices=30)
    again = partial(limit, arm, max_influences=max_influences, pack=pack, repair=repair)
    result = again(method=method)
    policy = Policy(max_influences, tolerance.parse(gated) if gated else None)
    report = compared(arm, result, policy, command="limit", written=("out.glb",))
    if method != "exact":
        return report
    still = report.measurement.still_joints
    check = check_fit(arm, result, again, schedule=PoseSchedule.from_clips(arm), still_joints=still)
    return replace(report, fit_check=check)


def compared(original, file, policy=None, *, command="check", written=()):
    """What `check` reports of a file against its original."""
    policy = policy or Policy()
    measurement = measure(original, file)
    surveys = survey(file), survey(original)
    verdict = judge(policy, surveys[0], original=surveys[1], measurement=measurement, notes=file.findings)
    return Report(
        command,
        "out.glb",
        verdict,
        policy,
        surveys[0],
        original_file="arm.glb",
        original=surveys[1],
        measurement=measurement,
        changes=file.changes,
        written=written,
        options={"max_influences": policy.max_influences},
    )


def inspected(character):
    """What `inspect` reports."""
    found = survey(character)
    return Report("inspect", character.name, judge(Policy(), found), Policy(), found)
