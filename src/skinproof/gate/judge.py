"""The gate: a policy and measurements in, findings and a verdict out. It computes nothing about characters itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from skinproof.errors import OptionError
from skinproof.findings import Finding, Severity
from skinproof.gate import displacement, influences, matching, remarks
from skinproof.gate.policy import Policy
from skinproof.gate.verdict import Check, Verdict
from skinproof.model.measurement import Measurement
from skinproof.model.survey import Survey

CHECKS = {
    "influence_count": "no vertex has more influences than -k allows",
    "valid_weights": "every weight is a finite number ≥ 0",
    "bound_vertices": "every vertex has a weight that is not zero",
    "joints_in_range": "every joint with a weight is in all skins that show the mesh",
    "distinct_joints": "no vertex names a joint twice",
    "decoded_sums_integer": "the stored integers of a vertex sum to exactly 255 or 65535",
    "decoded_sums_float64": "the decoded weights of a vertex, added in float64, sum to one",
    "decoded_sums_validator": "float weights, added in float32 as the Khronos validator does, sum to one",
    "matched_vertices": "at least the share --min-match of either file's vertices has a partner in the other",
    "displacement": "no vertex lies further from the original than --tolerance allows",
}
"""Name of a check → what holds when it passes, in the order in which the checks are made."""


def judge(
    policy: Policy,
    survey: Survey,
    /,
    *,
    original: Survey | None = None,
    measurement: Measurement | None = None,
    notes: Sequence[Finding] = (),
) -> Verdict:
    """Return the verdict on a file.

    A check of which no vertex is a subject is left out where it does not apply (integer sums of float weights); where
    it should have had subjects it fails with NOTHING_TO_CHECK.

    Args:
        policy: what to gate.
        survey: of the file judged: the output as read back, or the file of `check`.
        original: survey of what it was made from, if there is such a file.
        measurement: displacement against the original, if it was measured.
        notes: findings that others made: the reader, the limiting step. One that is also made here is kept once.

    Raises:
        OptionError: the policy has a tolerance, but there is no measurement to hold against it.
    """
    if policy.tolerance is not None and measurement is None:
        raise OptionError("tolerance: there is nothing to measure displacement against; name the original file")
    checks = list(_checks(policy, survey, original, measurement))
    found = [finding for check in checks for finding in check.findings]
    found += remarks.about_influences(survey, original)
    found += remarks.about_poses(policy, survey, measurement)
    return Verdict(tuple(checks), _in_order([*notes, *found]))


def _checks(
    policy: Policy, survey: Survey, original: Survey | None, measurement: Measurement | None
) -> Iterator[Check]:
    if survey.vertices == 0:
        yield Check("influence_count", 0, (_nothing(survey.name, "no mesh has joints and weights"),))
        return
    if policy.max_influences is not None:
        yield _check(survey, "influence_count", survey.vertices, influences.too_many(survey, policy.max_influences))
    yield _check(survey, "valid_weights", survey.vertices, influences.invalid_weights(survey))
    yield _check(survey, "bound_vertices", survey.vertices, influences.zero_sums(survey))
    in_skins = sum(primitive.vertices for primitive in survey.primitives if primitive.joint_count is not None)
    if in_skins:
        yield _check(survey, "joints_in_range", in_skins, influences.joints_out_of_range(survey))
    yield _check(survey, "distinct_joints", survey.vertices, influences.duplicate_joints(survey))
    for method in ("integer", "float64", "validator"):
        applies = [sums for primitive in survey.primitives for sums in primitive.sums if sums.method == method]
        if applies:
            subjects = sum(sums.vertices for sums in applies)
            yield _check(survey, f"decoded_sums_{method}", subjects, influences.weight_sums(survey, method))
    if measurement is not None and measurement.match is not None:
        match = measurement.match
        lone = matching.unmatched(match, min_match=policy.min_match)
        yield _check(survey, "matched_vertices", match.original.vertices + match.result.vertices, lone)
    if policy.tolerance is not None and measurement is not None:
        found = displacement.beyond(policy.tolerance, measurement, original or survey)
        yield _check(survey, "displacement", measurement.summary.vertices, found)


def _check(survey: Survey, name: str, subjects: int, found: Iterable[Finding]) -> Check:
    findings = tuple(found)
    if subjects == 0:
        findings += (_nothing(survey.name, f"{name.replace('_', ' ')}: no vertex could be looked at"),)
    return Check(name, subjects, findings)


def _nothing(name: str, why: str) -> Finding:
    return Finding("NOTHING_TO_CHECK", f"{name}: {why}, so there is nothing to show that it is right", measured=0.0)


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    once = {(finding.code, finding.pointer, finding.message): finding for finding in findings}
    return tuple(sorted(once.values(), key=lambda finding: list(Severity).index(finding.severity)))
