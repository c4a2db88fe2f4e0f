"""What the gate finds in the influences of a surveyed file."""

from __future__ import annotations

from collections.abc import Iterator

from skinproof.errors import INFLUENCE_RULES
from skinproof.findings import Finding
from skinproof.gate.words import vertices
from skinproof.model.survey import PrimitiveSurvey, SumCheck, Survey


def place(primitive: PrimitiveSurvey, vertex: int, affected: int, **more: object) -> dict[str, object]:
    """Return the `where` of a finding about vertices: primitive, first or worst vertex, count of all."""
    return {
        "primitive": primitive.pointer,
        "name": primitive.name,
        "vertex": vertex,
        "count": affected,
        **{key: value for key, value in more.items() if value is not None},
    }


def too_many(survey: Survey, limit: int) -> Iterator[Finding]:
    """Yield TOO_MANY_INFLUENCES for each primitive with a vertex of more than `limit` influences."""
    for primitive in survey.primitives:
        affected = sum(primitive.histogram[limit + 1 :])
        if affected:
            yield Finding(
                "TOO_MANY_INFLUENCES",
                f"{vertices(affected)} of {primitive.name} above the limit of {limit}: vertex {primitive.most_vertex} "
                f"has {primitive.max_influences} influences",
                pointer=primitive.pointer,
                measured=float(primitive.max_influences),
                limit=float(limit),
                unit="influences",
                where=place(primitive, primitive.most_vertex, affected),
            )


def invalid_weights(survey: Survey) -> Iterator[Finding]:
    """Yield INVALID_WEIGHT for each primitive with negative, NaN or infinite weights."""
    yield from _breaches(survey, "INVALID_WEIGHT", "nonfinite_weight", "negative_weight")


def zero_sums(survey: Survey) -> Iterator[Finding]:
    """Yield ZERO_SUM for each primitive with a vertex that is bound to nothing."""
    yield from _breaches(survey, "ZERO_SUM", "zero_sum", "no_influences")


def joints_out_of_range(survey: Survey) -> Iterator[Finding]:
    """Yield JOINT_OUT_OF_RANGE for each primitive that names a joint one of its skins does not have."""
    yield from _breaches(survey, "JOINT_OUT_OF_RANGE", "negative_joint", "joint_out_of_range")


def duplicate_joints(survey: Survey) -> Iterator[Finding]:
    """Yield DUPLICATE_JOINT for each primitive with a vertex that names a joint twice."""
    yield from _breaches(survey, "DUPLICATE_JOINT", "duplicate_joint")


def weight_sums(survey: Survey, method: str, *, code: str = "WEIGHT_SUM") -> Iterator[Finding]:
    """Yield `code` for each primitive whose weights, added by `method`, do not sum to one everywhere."""
    for primitive in survey.primitives:
        for sums in primitive.sums:
            if sums.method == method and sums.failing:
                yield Finding(
                    code,
                    f"{vertices(sums.failing)} of {primitive.name}: {_HOW[method]} do not sum to {_whole(sums)}; "
                    f"those of vertex {sums.vertex} sum to {sums.sum:.9g}",
                    pointer=primitive.pointer,
                    measured=sums.error,
                    limit=sums.limit,
                    unit=sums.unit,
                    where=place(primitive, sums.vertex, sums.failing, method=method, sum=sums.sum),
                )


_HOW = {
    "integer": "the stored integer weights",
    "float64": "the decoded weights",
    "validator": "the weights, added in float32 as the Khronos validator does,",
}


def _whole(sums: SumCheck) -> str:
    return sums.unit.partition("/")[2] or "one"


def _breaches(survey: Survey, code: str, *rules: str) -> Iterator[Finding]:
    for primitive in survey.primitives:
        for breach in primitive.breaches:
            if breach.rule not in rules:
                continue
            joint = "" if breach.joint is None else f", joint {breach.joint}"
            value = "" if breach.value is None else f", weight {breach.value:g}"
            limit = primitive.joint_count if code == "JOINT_OUT_OF_RANGE" else None
            yield Finding(
                code,
                f"{vertices(breach.vertices)} of {primitive.name}: {INFLUENCE_RULES[breach.rule]}; "
                f"the first is vertex {breach.vertex}{joint}{value}",
                pointer=primitive.pointer,
                measured=float(breach.vertices),
                limit=0.0,
                unit="vertices",
                where=place(
                    primitive,
                    breach.vertex,
                    breach.vertices,
                    rule=breach.rule,
                    joint=breach.joint,
                    weight=breach.value,
                    joint_count=limit,
                ),
            )
