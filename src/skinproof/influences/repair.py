"""Repair broken weights under policies that the caller names (docs/weight-contract.md, "Before the cut").

Nothing here happens by default: what a negative or a missing weight was meant to be only its producer knows.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_count
from skinproof.errors import InfluenceError, InfluenceProblems, OptionError
from skinproof.influences._entries import Entries, offsets_from_counts, read_entries
from skinproof.influences.validate import vertex_problems

REPAIR_POLICIES = {
    "nonfinite": ("drop",),
    "negative": ("drop", "absolute"),
    "zero": ("joint=<index>",),
}
"""Flaw → names of its policies, in the order in which `repair` applies them."""


class Repaired(NamedTuple):
    """Influences after repair.

    Attributes:
        joints: the input's type, [V, N]; [m] with `offsets`.
        weights: the input's type, the shape of `joints`.
        vertices: for each policy named, as "flaw=policy" ("negative=drop"), the vertices it changed, intp, ascending.
        offsets: int64 [V + 1] for the variable-length form, else None.
    """

    joints: NDArray[Any]
    weights: NDArray[Any]
    vertices: dict[str, NDArray[np.intp]]
    offsets: NDArray[np.int64] | None


def repair(
    joints: NDArray[Any],
    weights: NDArray[Any],
    /,
    *,
    zero: str | None = None,
    negative: str | None = None,
    nonfinite: str | None = None,
    joint_count: int | None = None,
    offsets: NDArray[np.int64] | None = None,
) -> Repaired:
    """Repair non-finite, then negative weights, then vertices whose weights are all zero, each if a policy is named.

    - "drop" takes the influence away: an empty slot (joint 0, weight 0) in the fixed-width form, nothing in the
      variable-length one. The other weights stay as they are; normalizing is not done here.
    - "absolute" turns the sign of a negative weight.
    - "joint=<index>" binds a vertex whose weights are all zero, or all dropped, wholly to that joint, with weight
      one; in the variable-length form also a vertex that has no influences.

    A flaw for which no policy is named stays, for `validate` to refuse, and so do duplicates and joints out of
    range: repair before `merge_duplicates`. Untouched vertices come back bit for bit.

    Args:
        joints: integer [V, N], index into the skin's joints; [n] with `offsets`.
        weights: float32 or float64, the shape of `joints`; any values.
        zero: "joint=<index>" or None.
        negative: "drop", "absolute" or None.
        nonfinite: "drop" or None.
        joint_count: joints of the skin, to check the index of `zero` against; None leaves that out.
        offsets: int64 [V + 1] for the variable-length form.

    Raises:
        InfluenceError: dropping left vertices with nothing and no policy for zero is named; names each of them.
        OptionError: unknown policy, or a joint index that the skin or the type of `joints` has no room for.
        ArrayError: an array has the wrong dtype, shape or layout.
    """
    entries = read_entries(joints, weights, offsets)
    _require_policy("nonfinite", nonfinite)
    _require_policy("negative", negative)
    limit = None if joint_count is None else require_count(joint_count, "joint_count", least=0)
    target = None if zero is None else _target_joint(zero, entries.joints.dtype, limit)
    broken = _broken(entries, nonfinite=nonfinite, negative=negative)
    changed = {policy: np.unique(entries.vertices[mask]) for policy, mask in broken.items()}
    dropped = np.zeros(len(entries.weights), dtype=np.bool_)
    for policy in {"nonfinite=drop", "negative=drop"} & broken.keys():
        dropped |= broken[policy]
    bound = _all_zero(entries, dropped)
    if offsets is None and joints.shape[1] == 0:
        bound[:] = False  # without a slot there is nowhere to write a joint
    if target is None:
        _require_none_emptied(entries, dropped, bound)
        bound[:] = False
    else:
        changed[f"zero={zero}"] = np.flatnonzero(bound)
    signed = weights.copy()
    if "negative=absolute" in broken:
        signed.reshape(-1)[entries.places[broken["negative=absolute"]]] *= -1
    gone = np.zeros(weights.size, dtype=np.bool_)
    gone[entries.places[dropped]] = True
    if offsets is None:
        return Repaired(*_write_slots(joints, signed, gone, bound, target or 0), changed, None)
    out_joints, out_weights, out_offsets = _write_list(entries, joints, signed, gone, bound, target or 0)
    return Repaired(out_joints, out_weights, changed, out_offsets)


def _broken(entries: Entries, *, nonfinite: str | None, negative: str | None) -> dict[str, NDArray[np.bool_]]:
    """Return the influences that each policy named is about, bool [n], by "flaw=policy"."""
    is_nonfinite = ~np.isfinite(entries.weights)
    flaws = {"nonfinite": (nonfinite, is_nonfinite), "negative": (negative, ~is_nonfinite & (entries.weights < 0))}
    return {f"{flaw}={policy}": influences for flaw, (policy, influences) in flaws.items() if policy is not None}


def _all_zero(entries: Entries, dropped: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return bool [V]: true where nothing but zeros, or nothing at all, is left."""
    left = entries.vertices[~dropped & (entries.weights != 0)]
    zeros: NDArray[np.bool_] = np.bincount(left, minlength=entries.vertex_count) == 0
    return zeros


def _require_none_emptied(entries: Entries, dropped: NDArray[np.bool_], all_zero: NDArray[np.bool_]) -> None:
    """Raise naming every vertex of `all_zero` that lost an influence: dropping must not make a new flaw in silence."""
    touched = np.unique(entries.vertices[dropped])
    emptied = touched[all_zero[touched]]
    if len(emptied):
        raise InfluenceError(InfluenceProblems([vertex_problems("zero_sum", emptied)]))


def _write_slots(
    joints: NDArray[Any],
    weights: NDArray[Any],
    gone: NDArray[np.bool_],
    bound: NDArray[np.bool_],
    target: int,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the fixed-width form with what is `gone` emptied, and vertices `bound` bound in their first slot."""
    empty = gone.reshape(joints.shape) | bound[:, np.newaxis]
    out_joints = np.where(empty, joints.dtype.type(0), joints)
    out_weights = np.where(empty, weights.dtype.type(0), weights)
    out_joints[bound, :1] = target
    out_weights[bound, :1] = 1
    return out_joints, out_weights


def _write_list(
    entries: Entries,
    joints: NDArray[Any],
    weights: NDArray[Any],
    gone: NDArray[np.bool_],
    bound: NDArray[np.bool_],
    target: int,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Return the variable-length form without what is `gone`, and with one influence on each vertex `bound`."""
    stays = ~gone & ~bound[entries.vertices]
    counts = np.bincount(entries.vertices[stays], minlength=entries.vertex_count)
    counts[bound] = 1
    offsets = offsets_from_counts(counts)
    inserted = np.zeros(offsets[-1], dtype=np.bool_)
    inserted[offsets[:-1][bound]] = True
    out_joints = np.full(len(inserted), target, dtype=joints.dtype)
    out_weights = np.ones(len(inserted), dtype=weights.dtype)
    out_joints[~inserted] = joints[stays]
    out_weights[~inserted] = weights[stays]
    return out_joints, out_weights, offsets


def _require_policy(flaw: str, policy: str | None) -> None:
    if policy is not None and policy not in REPAIR_POLICIES[flaw]:
        raise _unknown(flaw, policy)


def _target_joint(policy: str, dtype: np.dtype[Any], limit: int | None) -> int:
    match = re.fullmatch(r"joint=([0-9]{1,20})", policy) if isinstance(policy, str) else None
    if match is None:
        raise _unknown("zero", policy)
    joint = int(match[1])
    if limit is not None and joint >= limit:
        raise OptionError(f"zero: joint {joint} is not below the joint count {limit}")
    if joint > np.iinfo(dtype).max:
        raise OptionError(f"zero: joint {joint} does not fit the type of joints, {dtype.name}")
    return joint


def _unknown(flaw: str, policy: object) -> OptionError:
    names = ", ".join(f'"{name}"' for name in REPAIR_POLICIES[flaw])
    return OptionError(f"{flaw}: unknown repair policy {policy!r}; there is {names}")
