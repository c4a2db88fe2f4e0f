"""The report as JSON, for builds: docs/report-json.md describes every field, schema.json beside this file holds it.

The same results give the same text: no date, no run time, keys in fixed order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from importlib import resources
from importlib.metadata import version

from skinproof.findings import REGISTRY, Finding
from skinproof.model.match import Match, MatchedSide
from skinproof.model.measurement import Cause, ClipMeasurement, Measurement, PrimitiveMeasurement, Summary
from skinproof.model.survey import PrimitiveSurvey, Survey
from skinproof.report._content import Report
from skinproof.report._fit_json import fit_object

SCHEMA = "skinproof-report-1"
"""The value of `schema`. It changes when a field changes its meaning or goes; fields may be added without."""

Object = dict[str, object]


def to_json(report: Report, /) -> str:
    """Return the report as JSON text, indented, with a newline at its end. What is not a finite number is null.

    All of it is ASCII, so that it is the same JSON through a stream of any encoding.
    """
    return json.dumps(document(report), indent=2, allow_nan=False) + "\n"


def schema() -> Object:
    """Return the published JSON schema of the report."""
    text = resources.files("skinproof.report").joinpath("schema.json").read_text(encoding="utf-8")
    loaded: Object = json.loads(text)
    return loaded


def document(report: Report, /) -> Object:
    """Return the report as plain objects, ready for `json.dumps`."""
    measurement = report.measurement
    made: Object = {
        "schema": SCHEMA,
        "version": version("skinproof"),
        "command": report.command,
        "file": report.file,
        "original": report.original_file,
        "written": list(report.written),
        "options": dict(report.options),
        "policy": _policy(report),
        "verdict": "pass" if report.verdict.passed else "fail",
        "checks": [
            {"name": check.name, "passed": check.passed, "subjects": check.subjects} for check in report.verdict.checks
        ],
        "findings": [_finding(finding) for finding in report.verdict.findings],
        "influences": _influences(report),
        "fit": fit_object(report),
        "decoded_sum": _decoded_sum(report.survey),
        "displacement": None if measurement is None else _displacement(report, measurement),
        "primitives": [_primitive(report, index) for index in range(len(report.survey.primitives))],
        "skins": [
            {
                "pointer": skin.pointer,
                "name": skin.name,
                "joints": skin.joints,
                "weighted_joints": skin.weighted_joints,
                "vertices": skin.vertices,
                "bind_mismatch": skin.bind_mismatch,
            }
            for skin in report.survey.skins
        ],
        "clips": [
            {"pointer": clip.pointer, "name": clip.name, "duration": clip.duration, "channels": clip.channels}
            for clip in (report.original or report.survey).clips
        ],
    }
    finite = _finite(made)
    assert isinstance(finite, dict)
    return finite


def _policy(report: Report) -> Object:
    tolerance = report.policy.tolerance
    return {
        "max_influences": report.policy.max_influences,
        "min_match": report.policy.min_match,
        "tolerance": None
        if tolerance is None
        else {"text": tolerance.text, "metres": tolerance.metres, "relative": tolerance.relative},
    }


def _finding(finding: Finding) -> Object:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "message": finding.message,
        "pointer": finding.pointer,
        "measured": finding.measured,
        "limit": finding.limit,
        "unit": finding.unit,
        "where": dict(finding.where),
        "remedy": REGISTRY[finding.code].remedy,
    }


def _influences(report: Report) -> Object:
    before = report.original
    return {
        "vertices": report.survey.vertices,
        "max_before": before.max_influences if before else None,
        "max_after": report.survey.max_influences,
        "histogram_before": list(before.histogram) if before else None,
        "histogram_after": list(report.survey.histogram),
        "merged": [
            {"primitive": change.pointer, "vertices": change.merged.tolist()}
            for change in report.changes
            if len(change.merged)
        ],
        "repaired": [
            {"primitive": change.pointer, "policy": policy, "vertices": vertices.tolist()}
            for change in report.changes
            for policy, vertices in change.repaired.items()
            if len(vertices)
        ],
    }


def _decoded_sum(survey: Survey) -> Object:
    checks: dict[str, Object] = {}
    for method in ("integer", "float64", "validator"):
        applies = [sums for one in survey.primitives for sums in one.sums if sums.method == method]
        if applies:
            checks[method] = {
                "vertices": sum(sums.vertices for sums in applies),
                "failing": sum(sums.failing for sums in applies),
                "max_error": max(sums.max_error for sums in applies),
            }
    return {"max_error": survey.max_sum_error, "checks": checks}


def _displacement(report: Report, measurement: Measurement) -> Object:
    def both(metres: float) -> Object:
        return {"metres": metres, "relative": measurement.relative(metres)}

    tolerance = report.policy.tolerance
    worst = measurement.worst
    return {
        "gated": tolerance is not None,
        "limit": None if tolerance is None else both(tolerance.limit(measurement.diagonal)),
        "reference": measurement.reference,
        "diagonal": measurement.diagonal,
        "poses": measurement.poses,
        "made_poses": measurement.made_poses,
        "match": None if measurement.match is None else _match(measurement.match),
        "max": None if worst is None else {**both(worst.metres), **worst.place()},
        **_figures(measurement, measurement.summary),
        "causes": [_cause(measurement, cause) for cause in measurement.causes],
        "clips": [_clip(measurement, clip) for clip in measurement.clips],
        "primitives": [_measured(measurement, primitive) for primitive in measurement.primitives],
        "unmeasured": [
            {
                "primitive": gap.pointer,
                "name": gap.name,
                "reason": gap.reason,
                "vertices": gap.vertices,
                "vertex": gap.vertex,
                "repaired": gap.repaired,
            }
            for gap in measurement.unmeasured
        ],
        "still_joints": [
            {"skin": joint.skin, "joint": joint.joint, "name": joint.name} for joint in measurement.still_joints
        ],
    }


def _match(match: Match) -> Object:
    return {
        "reason": match.reason,
        "share": match.share,
        "radius": match.radius,
        "size_ratio": match.size_ratio,
        "original": _matched(match.original),
        "result": _matched(match.result),
    }


def _matched(side: MatchedSide) -> Object:
    lists = {
        name: [
            {"primitive": some.pointer, "name": some.name, "vertices": some.vertices, "first": list(some.first)}
            for some in listed
        ]
        for name, listed in (("unmatched", side.unmatched), ("ambiguous", side.ambiguous))
    }
    return {"vertices": side.vertices, "matched": side.matched, "share": side.share, **lists}


def _figures(measurement: Measurement, summary: Summary) -> Object:
    return {
        "vertices": summary.vertices,
        "rms": {"metres": summary.rms, "relative": measurement.relative(summary.rms)},
        "bound": {"metres": summary.bound, "relative": measurement.relative(summary.bound)},
        "percentiles": [
            {"percent": percent, "metres": metres, "relative": measurement.relative(metres)}
            for percent, metres in summary.percentiles.items()
        ],
    }


def _cause(measurement: Measurement, cause: Cause) -> Object:
    return {
        "name": cause.name,
        "max": {
            "metres": cause.max,
            "relative": measurement.relative(cause.max),
            "primitive": cause.primitive if cause.vertex >= 0 else None,
            "vertex": cause.vertex if cause.vertex >= 0 else None,
        },
        "rms": {"metres": cause.rms, "relative": measurement.relative(cause.rms)},
    }


def _clip(measurement: Measurement, clip: ClipMeasurement) -> Object:
    return {
        "name": clip.name,
        "duration": clip.duration,
        "poses": clip.poses,
        "max": {
            "metres": clip.max,
            "relative": measurement.relative(clip.max),
            "time": clip.time,
            "pose": clip.pose,
        },
        "rms": {"metres": clip.rms, "relative": measurement.relative(clip.rms)},
    }


def _measured(measurement: Measurement, primitive: PrimitiveMeasurement) -> Object:
    worst = primitive.worst
    return {
        "pointer": primitive.pointer,
        "name": primitive.name,
        "max": None
        if worst is None
        else {"metres": worst.metres, "relative": measurement.relative(worst.metres), **worst.place()},
        **_figures(measurement, primitive.summary),
    }


def _primitive(report: Report, index: int) -> Object:
    after = report.survey.primitives[index]
    # Only where the files have the same primitives does the original's of that index stand for the same one.
    alike = report.measurement is None or report.measurement.match is None
    before: PrimitiveSurvey | None = report.original.primitives[index] if report.original and alike else None
    return {
        "pointer": after.pointer,
        "name": after.name,
        "vertices": after.vertices,
        "skins": list(after.skins),
        "slots": after.slots,
        "formats": [weight_format.value for weight_format in after.set_formats],
        "max_before": before.max_influences if before else None,
        "max_after": after.max_influences,
        "histogram_before": list(before.histogram) if before else None,
        "histogram_after": list(after.histogram),
        "sums": [
            {
                "method": sums.method,
                "vertices": sums.vertices,
                "failing": sums.failing,
                "vertex": sums.vertex if sums.vertices else None,
                "sum": sums.sum,
                "error": sums.error,
                "limit": sums.limit,
                "unit": sums.unit,
            }
            for sums in after.sums
        ],
    }


def _finite(value: object) -> object:
    """Return the value with every number that JSON cannot write (NaN, infinity) replaced by None, at any depth."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(entry) for key, entry in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_finite(entry) for entry in value]
    return value
