"""Validate influences against the weight contract (docs/weight-contract.md, "Cutting to K").

Every influence is looked at, also one that a later cut would drop: an error that only shows at a smaller K would
hide in the file until someone asks for that K.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skinproof._arrays import require_count
from skinproof.errors import INFLUENCE_RULES, InfluenceError, InfluenceProblems, ProblemArrays
from skinproof.influences._entries import Entries, read_entries, sorted_within
from skinproof.influences._rows import try_sound

_NUMBERS = {rule: number for number, rule in enumerate(INFLUENCE_RULES)}


def validate(
    joints: NDArray[Any],
    weights: NDArray[Any],
    /,
    *,
    joint_count: int | None = None,
    offsets: NDArray[np.int64] | None = None,
) -> None:
    """Raise if any vertex breaks a rule of the weight contract; say nothing otherwise.

    A sum other than one is no problem here: `normalize`, `keep_largest` and `pack` see to it. In the fixed-width
    form a slot of weight zero (−0.0 too) is empty and its joint is ignored; the variable-length form has no empty
    slots.

    Args:
        joints: integer [V, N], index into the skin's joints; [n] with `offsets`.
        weights: float32 or float64, the shape of `joints`.
        joint_count: joints of the skin; None leaves out the check against it.
        offsets: int64 [V + 1]; vertex v has the influences offsets[v] … offsets[v + 1] − 1. None: fixed width.

    Raises:
        InfluenceError: with every problem of every vertex.
        ArrayError: an array has the wrong dtype, shape or layout.
        OptionError: `joint_count` is no count.
    """
    if not try_sound(joints, weights, offsets, joint_count):
        require_valid(read_entries(joints, weights, offsets), joint_count=joint_count)


def find_problems(
    joints: NDArray[Any],
    weights: NDArray[Any],
    /,
    *,
    joint_count: int | None = None,
    offsets: NDArray[np.int64] | None = None,
) -> InfluenceProblems:
    """Return what `validate` would raise: every broken rule of every vertex, vertices ascending.

    On one vertex the order is that of `errors.INFLUENCE_RULES`, then that of the slots. Of a joint that stands on a
    vertex m times, the last m − 1 influences are problems.

    Args:
        joints: integer [V, N]; [n] with `offsets`.
        weights: float32 or float64, the shape of `joints`.
        joint_count: joints of the skin; None leaves out the check against it.
        offsets: int64 [V + 1] for the variable-length form.

    Raises:
        ArrayError: an array has the wrong dtype, shape or layout.
        OptionError: `joint_count` is no count.
    """
    return problems_of(read_entries(joints, weights, offsets), joint_count=joint_count)


def require_valid(entries: Entries, *, joint_count: int | None, ignore: frozenset[str] = frozenset()) -> None:
    """Raise `InfluenceError` with every problem of `entries` whose rule is not in `ignore`."""
    problems = problems_of(entries, joint_count=joint_count, ignore=ignore)
    if problems:
        raise InfluenceError(problems)


def problems_of(
    entries: Entries, *, joint_count: int | None, ignore: frozenset[str] = frozenset()
) -> InfluenceProblems:
    """Return every problem of `entries` whose rule is not in `ignore`, in the order that `find_problems` promises."""
    limit = None if joint_count is None else require_count(joint_count, "joint_count", least=0)
    joints, weights = entries.joints, entries.weights
    finite = np.isfinite(weights)
    of_influences = {
        "negative_joint": joints < 0,
        "joint_out_of_range": np.zeros(len(joints), dtype=np.bool_) if limit is None else joints >= limit,
        "duplicate_joint": repeated_joints(entries),
        "nonfinite_weight": ~finite,
        "negative_weight": finite & (weights < 0),
    }
    nonzero = np.bincount(entries.vertices[weights != 0], minlength=entries.vertex_count)
    of_vertices = {
        "no_influences": entries.listed == 0,
        "zero_sum": (entries.listed > 0) & (nonzero == 0),
    }
    parts = []
    for rule in INFLUENCE_RULES:
        if rule in ignore:
            continue
        if rule in of_vertices:
            parts.append(vertex_problems(rule, np.flatnonzero(of_vertices[rule]), dtype=joints.dtype))
        else:
            found = np.flatnonzero(of_influences[rule])
            rules = np.full(len(found), _NUMBERS[rule], dtype=np.uint8)
            parts.append(ProblemArrays(rules, entries.vertices[found], joints[found], weights[found]))
    # Rule after rule, each in the order of storage: a stable sort by vertex keeps both.
    rules, vertices, joints, values = (
        np.concatenate([getattr(part, column) for part in parts])
        for column in ("rules", "vertices", "joints", "values")
    )
    order = np.argsort(vertices, kind="stable")
    return InfluenceProblems([ProblemArrays(rules[order], vertices[order], joints[order], values[order])])


def vertex_problems(rule: str, vertices: NDArray[np.intp], *, dtype: DTypeLike = np.intp) -> ProblemArrays:
    """Return a rule about whole vertices as broken by `vertices`, intp [n]; `dtype` is that of the joints beside."""
    count = len(vertices)
    rules = np.full(count, _NUMBERS[rule], dtype=np.uint8)
    return ProblemArrays(rules, vertices, np.zeros(count, dtype=dtype), np.zeros(count))


def repeated_joints(entries: Entries) -> NDArray[np.bool_]:
    """Return bool [n]: true where an earlier influence of the same vertex has the same joint."""
    order = sorted_within(entries.counts, entries.joints)
    joints, vertices = entries.joints[order], entries.vertices[order]
    repeated = np.zeros(len(order), dtype=np.bool_)
    repeated[order[1:]] = (joints[1:] == joints[:-1]) & (vertices[1:] == vertices[:-1])
    return repeated
