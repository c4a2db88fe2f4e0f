"""Limit a character: every vertex to at most K influences, normalized and packed (docs/weight-contract.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from skinproof import influences as operations
from skinproof._arrays import require_count
from skinproof.errors import InfluenceError, InfluenceProblems, OptionError
from skinproof.findings import Finding
from skinproof.limiting.exact import Mesh, keep_best
from skinproof.limiting.options import FitOptions
from skinproof.model import Character, InfluenceChange, Influences, Primitive, WeightFormat
from skinproof.model.influences import SLOTS_PER_SET, sets_for
from skinproof.poses import PoseSchedule

METHODS = ("largest", "exact")
"""How the K influences of a vertex are chosen."""


def limit(
    character: Character,
    /,
    *,
    max_influences: int,
    pack: WeightFormat | str | None = None,
    repair: Mapping[str, str] | None = None,
    method: str = "largest",
    schedule: PoseSchedule | None = None,
    fit: FitOptions | None = None,
) -> Character:
    """Return the character with at most K influences on every vertex, sums exact in the format they are stored in.

    Per primitive, in this order: repair (only what `repair` names), merge duplicate joints, keep K influences and
    normalize, pack. A vertex with K influences or fewer goes through the same steps, so every sum holds. The source
    is not changed.

    Args:
        character: the source; its weights may have any sum.
        max_influences: K ≥ 1.
        pack: how to store the weights; None keeps each primitive's own format (float32 where its sets differ).
        repair: policies for broken weights by kind ("zero", "negative", "nonfinite"), see `influences.repair`.
        method: how the influences are chosen: "largest" keeps the largest weights, whatever they do; "exact" takes the
            joints and weights that move the vertex least over the poses, and never further than "largest" does.
        schedule: the poses that "exact" fits to; None takes all clips as `measure` does by default.
        fit: what "exact" can be told; None takes the defaults.

    Returns:
        A character whose `changes` say what was done to each primitive, before packing, and whose `findings` add
        what was merged, repaired or off in the source.

    Raises:
        InfluenceError: weights break the contract and no policy repairs them; names the character, and all their
            vertices in all primitives.
        OptionError: an option makes no sense.
    """
    most = require_count(max_influences, "max_influences", least=1)
    if not isinstance(repair, Mapping | None):
        raise OptionError(f"repair: expected policies by flaw, as {{'negative': 'drop'}}, got {repair!r}")
    policies = dict(repair or {})
    _require_known("repair", policies, operations.REPAIR_POLICIES)
    _require_known("method", [method], METHODS)
    _require_known("pack", [] if pack is None else [pack], list(WeightFormat))
    target = None if pack is None else WeightFormat(pack)
    prepared: list[_Prepared] = []
    problems: list[InfluenceProblems] = []
    for primitive in character.primitives:
        try:
            prepared.append(_prepare(primitive, most, target, policies, character.joint_count_of(primitive)))
        except InfluenceError as error:
            problems.append(error.problems.of_primitive(primitive.pointer))
    if problems:
        raise InfluenceError(InfluenceProblems.joined(problems), file=character.name)
    changes = [one.change for one in prepared]
    if method == "exact":
        schedule = schedule or PoseSchedule.from_clips(character)
        meshes = [one.mesh for one in prepared]
        kept = keep_best(character, meshes, schedule=schedule, options=fit or FitOptions())
        changes = [
            replace(change, joints=best.joints, weights=best.weights, fit=best.fit)
            for change, best in zip(changes, kept, strict=True)
        ]
    packed = [_packed(change, one.mesh.format) for change, one in zip(changes, prepared, strict=True)]
    noticed = [finding for one in prepared for finding in _noticed(one.mesh.primitive, one.change)]
    return replace(character.with_influences(packed, changes), findings=(*character.findings, *noticed))


@dataclass(frozen=True, slots=True)
class _Prepared:
    """One primitive, sound: its merged influences, and the change that keeping the largest makes."""

    mesh: Mesh
    change: InfluenceChange


def _prepare(
    primitive: Primitive,
    max_influences: int,
    target: WeightFormat | None,
    policies: Mapping[str, str],
    joint_count: int | None,
) -> _Prepared:
    source = primitive.influences
    joints: NDArray[np.uint16] = source.joints
    weights: NDArray[np.float64] = source.weights.astype(np.float64)
    repaired: dict[str, NDArray[np.intp]] = {}
    if policies:
        mended = operations.repair(
            joints,
            weights,
            zero=policies.get("zero"),
            negative=policies.get("negative"),
            nonfinite=policies.get("nonfinite"),
            joint_count=joint_count,
        )
        joints, weights, repaired = mended.joints, mended.weights, mended.vertices
    merged = operations.merge_duplicates(joints, weights, joint_count=joint_count)
    # A limit beyond the slots there are keeps all; the arrays need not be that wide.
    width = min(max_influences, merged.joints.shape[1])
    kept_joints, kept_weights = operations.keep_largest(merged.joints, merged.weights, width, joint_count=joint_count)
    return _Prepared(
        Mesh(primitive, merged.joints, merged.weights, kept_joints, kept_weights, target or source.format),
        InfluenceChange(
            pointer=primitive.pointer,
            joints=kept_joints,
            weights=kept_weights,
            merged=merged.vertices,
            repaired=repaired,
        ),
    )


def _packed(change: InfluenceChange, target: WeightFormat) -> Influences:
    """Pack, and decode again as a consumer does, in as few whole sets as the vertices need."""
    packed = operations.pack(change.joints, change.weights, format=target)
    widest = int(np.count_nonzero(packed.stored, axis=1).max(initial=0))
    sets = max(1, sets_for(widest))
    missing = sets * SLOTS_PER_SET - packed.stored.shape[1]
    if missing > 0:
        padding = ((0, 0), (0, missing))
        joints, stored = np.pad(packed.joints, padding), np.pad(packed.stored, padding)
    else:
        keep = slice(0, sets * SLOTS_PER_SET)
        joints = np.ascontiguousarray(packed.joints[:, keep])
        stored = np.ascontiguousarray(packed.stored[:, keep])
    return Influences(
        joints=joints,
        weights=operations.unpack(stored, format=target),
        set_formats=(target,) * sets,
        stored=stored if target.scale else None,
    )


def _noticed(primitive: Primitive, change: InfluenceChange) -> tuple[Finding, ...]:
    """Report every vertex that was repaired or merged."""
    findings = []
    for policy, vertices in change.repaired.items():
        if len(vertices):
            findings.append(
                Finding(
                    "REPAIRED_WEIGHTS",
                    f"{len(vertices)} vertices of {primitive.name} were repaired ({policy})",
                    pointer=primitive.pointer,
                    measured=len(vertices),
                    unit="vertices",
                    where={"policy": policy, "vertices": vertices.tolist()},
                )
            )
    if len(change.merged):
        findings.append(
            Finding(
                "MERGED_DUPLICATES",
                f"{len(change.merged)} vertices of {primitive.name} named a joint twice; their weights were added",
                pointer=primitive.pointer,
                measured=len(change.merged),
                unit="vertices",
                where={"vertices": change.merged.tolist()},
            )
        )
    return tuple(findings)


def _require_known(name: str, given: Collection[str], known: Collection[str]) -> None:
    for value in given:
        if value not in known:
            raise OptionError(f"{name}: expected one of {', '.join(known)}, got {value!r}")
