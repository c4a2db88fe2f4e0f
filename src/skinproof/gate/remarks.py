"""Findings that never fail a gate: warnings and notes about the file, its source and what was measured."""

from __future__ import annotations

from collections.abc import Iterator

from skinproof.findings import Finding
from skinproof.gate import displacement, matching
from skinproof.gate.influences import place, weight_sums
from skinproof.gate.policy import Policy
from skinproof.gate.words import count, share, vertices
from skinproof.model.measurement import Measurement
from skinproof.model.survey import Survey
from skinproof.tolerances import BIND_MISMATCH


def about_influences(survey: Survey, original: Survey | None) -> Iterator[Finding]:
    """Yield what is worth knowing of the stored influences, of the file and of its source."""
    if original is not None:
        yield from weight_sums(original, "float64", code="SOURCE_WEIGHT_SUM")
    for primitive in survey.primitives:
        if primitive.unused_joints:
            yield Finding(
                "UNUSED_SLOT_JOINT",
                f"{vertices(primitive.unused_joints)} of {primitive.name}: an empty slot names a joint other than 0",
                pointer=primitive.pointer,
                measured=float(primitive.unused_joints),
                limit=0.0,
                unit="vertices",
                where=place(primitive, primitive.unused_vertex, primitive.unused_joints),
            )


def about_poses(policy: Policy, survey: Survey, measurement: Measurement | None) -> Iterator[Finding]:
    """Yield what limits the worth of the figures: skeletons that do not fit, still joints, made or ungated poses."""
    for skin in survey.skins:
        if skin.bind_mismatch is not None and skin.bind_mismatch > BIND_MISMATCH:
            yield Finding(
                "BIND_MISMATCH",
                f"the joints of {skin.name or skin.pointer} lie {share(skin.bind_mismatch)} of the diagonal away from "
                "what they move (median)",
                pointer=skin.pointer,
                measured=skin.bind_mismatch,
                limit=BIND_MISMATCH,
                unit="1",
                where={"skin": skin.pointer, "joints": skin.weighted_joints, "count": skin.vertices},
            )
    if measurement is None:
        return
    if measurement.match is not None:
        yield from matching.remarks(measurement.match, min_match=policy.min_match)
    yield from displacement.not_measured(measurement, gated=policy.tolerance is not None)
    yield from _still_joints(measurement)
    if measurement.made_poses:
        yield Finding(
            "NO_CLIPS",
            f"no clip of {survey.name} moves a joint: the bind pose and a made range of motion were measured "
            f"({count(measurement.poses, 'pose')})",
            measured=float(measurement.poses),
            unit="poses",
        )
    if policy.tolerance is None:
        yield Finding(
            "NOT_GATED",
            "displacement was measured but not gated: no --tolerance was given",
            measured=measurement.summary.max,
            unit="m",
        )


_SHOWN = 6


def _still_joints(measurement: Measurement) -> Iterator[Finding]:
    for skin in dict.fromkeys(joint.skin for joint in measurement.still_joints):
        still = [joint for joint in measurement.still_joints if joint.skin == skin]
        names = ", ".join(joint.name for joint in still[:_SHOWN])
        more = f" and {len(still) - _SHOWN} more" if len(still) > _SHOWN else ""
        yield Finding(
            "JOINT_NEVER_MOVES",
            f"no measured pose moves {count(len(still), 'joint')} with weights: {names}{more}",
            pointer=skin,
            measured=float(len(still)),
            limit=0.0,
            unit="joints",
            where={
                "skin": skin,
                "joints": [joint.joint for joint in still],
                "names": [joint.name for joint in still],
            },
        )
