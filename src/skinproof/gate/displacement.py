"""What the gate finds in a measured displacement."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from skinproof.findings import Finding
from skinproof.gate.tolerance import Tolerance
from skinproof.gate.words import length, moment, share, vertices
from skinproof.model.measurement import Measurement, Unmeasured
from skinproof.model.survey import Survey


def beyond(tolerance: Tolerance, measurement: Measurement, original: Survey) -> Iterator[Finding]:
    """Yield DISPLACEMENT for each primitive beyond the tolerance, worst first; then DISPLACEMENT_UNKNOWN.

    Nobody can tell of a vertex that was not measured, so it counts as beyond; what the caller had repaired does not.
    Nor can anybody tell from poses that move no joint, or of a share of a diagonal that is not finite.
    """
    limit = tolerance.limit(measurement.diagonal)
    if not math.isfinite(limit):
        yield Finding(
            "DISPLACEMENT_UNKNOWN",
            f"the diagonal of {original.name} is not finite, so {tolerance.text} of it is no length; give a length",
            unit="m",
        )
        return
    if measurement.primitives and _nothing_moves(measurement, original):
        yield Finding(
            "DISPLACEMENT_UNKNOWN",
            f"no measured pose moves a joint of {original.name}, so its displacement shows in none",
            measured=0.0,
            limit=1.0,
            unit="joints",
        )
    for primitive in sorted(measurement.primitives, key=lambda one: -one.summary.max):
        worst = primitive.worst
        if worst is None or worst.metres <= limit:
            continue
        affected = int(np.count_nonzero(primitive.max_error > limit))
        yield Finding(
            "DISPLACEMENT",
            f"vertex {worst.vertex} of {worst.name} lies {length(worst.metres)} "
            f"({share(measurement.relative(worst.metres))} of the diagonal) from the original, in "
            f"{moment(worst.clip, worst.time, worst.pose)}; {vertices(affected)} beyond {tolerance.text}",
            pointer=worst.primitive,
            measured=worst.metres,
            limit=limit,
            unit="m",
            where={**worst.place(), "count": affected},
        )
    for gap in measurement.unmeasured:
        if _is_unknown(gap):
            yield _unknown("DISPLACEMENT_UNKNOWN", gap)


def not_measured(measurement: Measurement, *, gated: bool) -> Iterator[Finding]:
    """Yield NOT_MEASURED for the vertices that could not be measured, though a skin shows them.

    Where displacement is `gated`, those that make an error there are left out.
    """
    for gap in measurement.unmeasured:
        if gap.posable and not (gated and _is_unknown(gap)):
            yield _unknown("NOT_MEASURED", gap)


def _nothing_moves(measurement: Measurement, survey: Survey) -> bool:
    """Whether every joint with weights is still; a character of which none has any shows nothing either."""
    still = {(joint.skin, joint.joint) for joint in measurement.still_joints}
    return len(still) >= sum(skin.weighted_joints for skin in survey.skins)


def _is_unknown(gap: Unmeasured) -> bool:
    return gap.posable and gap.repaired < gap.vertices


def _unknown(code: str, gap: Unmeasured) -> Finding:
    repaired = f" ({gap.repaired:,} of them repaired)" if gap.repaired else ""
    return Finding(
        code,
        f"{vertices(gap.vertices)} of {gap.name} not measured{repaired}, first vertex {gap.vertex}: {gap.reason}",
        pointer=gap.pointer,
        measured=float(gap.vertices),
        limit=0.0,
        unit="vertices",
        where={"primitive": gap.pointer, "name": gap.name, "vertex": gap.vertex, "count": gap.vertices},
    )
