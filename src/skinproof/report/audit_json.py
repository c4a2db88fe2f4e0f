"""An audit as JSON, for builds; audit_schema.json beside this file holds it."""

from __future__ import annotations

import json
import math
from importlib import resources
from importlib.metadata import version

from skinproof.findings import REGISTRY
from skinproof.gate import Verdict
from skinproof.model.audit import CaptureAudit, DrawAudit, DrawKind, PoseMatch

AUDIT_SCHEMA = "skinproof-audit-1"
"""The value of `schema`. It changes when a field changes its meaning or goes; fields may be added without."""

Object = dict[str, object]


def audit_schema() -> Object:
    """Return the published JSON schema of an audit."""
    text = resources.files("skinproof.report").joinpath("audit_schema.json").read_text(encoding="utf-8")
    loaded: Object = json.loads(text)
    return loaded


def audit_to_json(file: str, against: str, found: CaptureAudit, verdict: Verdict, /) -> str:
    """Return an audit as JSON text; whole draws are counted, every other one is listed.

    Args:
        file: the capture.
        against: the character's file.
        found: what the audit says.
        verdict: what it means.
    """
    document: Object = {
        "schema": AUDIT_SCHEMA,
        "version": version("skinproof"),
        "file": file,
        "against": against,
        "verdict": "pass" if verdict.passed else "fail",
        "tolerance": found.tolerance,
        "fps": found.fps,
        "clips": list(found.clip_names),
        "joints": list(found.joint_names),
        "checks": [{"name": one.name, "passed": one.passed, "subjects": one.subjects} for one in verdict.checks],
        "findings": [
            {
                "code": finding.code,
                "severity": REGISTRY[finding.code].severity.value,
                "message": finding.message,
                "measured": _finite(finding.measured),
                "limit": _finite(finding.limit),
                "unit": finding.unit,
                "where": dict(finding.where),
            }
            for finding in verdict.findings
        ],
        "counts": {kind.value: number for kind, number in found.counts.items()},
        "draws": [_draw(draw) for draw in found.draws if draw.kind is not DrawKind.WHOLE],
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _draw(draw: DrawAudit) -> Object:
    return {
        "draw": draw.draw,
        "kind": draw.kind.value,
        "detail": draw.detail,
        "nearest": None if draw.nearest is None else _match(draw.nearest),
        "parts": [_match(part) for part in draw.parts],
        "ambiguous": list(draw.ambiguous),
        "joints": list(draw.joints),
        "lag": _finite(draw.lag),
        "displacement": _finite(draw.displacement),
    }


def _match(match: PoseMatch) -> Object:
    return {"clip": match.clip, "time": match.time, "joints": list(match.joints)}


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value
