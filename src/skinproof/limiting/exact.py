"""The best K influences of every vertex of a character: fitted to its poses and its tree, never worse than the largest.

The steps, for all meshes that the same skins show together: Gram forms over the poses, plus the tree prior's; per
vertex the cost matrix and its exact solution; packing; the guard against keep-the-largest, on decoded weights.
The composition is this project's own; docs/limiting.md says why, and each step where it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.limiting._batch import TREE, Batch, Candidate, Field, Mesh, Mixture, batches_of
from skinproof.limiting._poses import Poses
from skinproof.limiting.guard import max_squared
from skinproof.limiting.options import FitOptions
from skinproof.limiting.sparse import list_sparse
from skinproof.model import Character, InfluenceFit, Outcome
from skinproof.poses import PoseSchedule

__all__ = ["Kept", "Mesh", "keep_best"]

Array = NDArray[np.float64]
Joints = NDArray[np.uint16]
Rank = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The influences chosen: joints uint16 [V, K], weights float64 [V, K] before packing, and how they came about."""

    joints: Joints
    weights: Array
    fit: InfluenceFit


def keep_best(
    character: Character, meshes: Sequence[Mesh], /, *, schedule: PoseSchedule, options: FitOptions
) -> list[Kept]:
    """Return the best K influences of each mesh, K the width of its largest ones.

    The same character gives the same bytes, however its vertices are ordered or split. Clips that were made for want of
    any are no evidence: then the tree alone decides, and the made poses serve the guard.

    Args:
        character: whose nodes, skins and instances.
        meshes: of its primitives.
        schedule: the poses.
        options: of the fit.

    Raises:
        OptionError: `options` names a joint that is not there.
    """
    angles = options.angles_of(character.nodes, character.skins)
    batches = [batch for index, mesh in enumerate(meshes) for batch in batches_of(character, index, mesh, schedule)]
    poses = Poses(schedule)
    by_skins: dict[tuple[int, ...], list[Batch]] = {}
    for batch in batches:
        by_skins.setdefault(batch.skins, []).append(batch)
    fields = {skins: Field(character, skins, group, angles) for skins, group in by_skins.items()}
    if not schedule.is_range_of_motion:
        for block, shares in poses if fields else ():
            for field in fields.values():
                field.add(character, block.worlds, shares)
            for batch in batches:
                batch.add(character, block, shares)
    for batch in batches:
        batch.solve(fields[batch.skins], options)
    if options.guard:
        _guard(character, batches, fields, poses, options)
    return [_kept(character, index, mesh, batches) for index, mesh in enumerate(meshes)]


def _guard(
    character: Character,
    batches: Sequence[Batch],
    fields: dict[tuple[int, ...], Field],
    poses: Poses,
    options: FitOptions,
) -> None:
    """Put other candidates, or keep-the-largest, in the place of solutions that are worse than it somewhere."""
    every = [np.arange(len(batch)) for batch in batches]
    largest = [batch.rows(batch.largest, rows) for batch, rows in zip(batches, every, strict=True)]
    best = [batch.rows(batch.best, rows) for batch, rows in zip(batches, every, strict=True)]
    found = max_squared([*largest, *best], poses.blocks(), character)
    limits, reached = found[: len(batches)], found[len(batches) :]
    slack = options.prior_slack**2
    rejected, tries, listed = [], [], []
    for batch, limit, maximum in zip(batches, limits, reached, strict=True):
        further: NDArray[np.bool_] = ~(maximum <= limit)
        undecided = batch.outcome == Outcome.UNDECIDED
        riskier: NDArray[np.bool_] = ~(batch.best_prior <= slack * batch.largest_prior)
        rows = np.flatnonzero((further | riskier) & ~undecided)
        batch.outcome[rows] = np.where(further[rows], Outcome.MAXIMUM, Outcome.PRIOR)
        weights = _listed(batch, fields[batch.skins], rows, options)
        candidate = batch.candidate(weights.reshape(-1, weights.shape[2]), np.repeat(rows, weights.shape[1]))
        rejected.append(rows)
        listed.append(candidate)
        tries.append(batch.rows(candidate, np.repeat(rows, weights.shape[1])))
    reached = max_squared(tries, poses.blocks(), character)
    for batch, rows, limit, candidate, maximum in zip(batches, rejected, limits, listed, reached, strict=True):
        _choose(batch, fields[batch.skins], rows, limit[rows], candidate, maximum, options)


def _listed(batch: Batch, field: Field, rows: Rank, options: FitOptions) -> Array:
    """The cheapest weights of each row, [R, tried, n]; what is missing repeats the first."""
    forms = Mixture(1.0, options.prior)
    width = batch.joints.shape[1]
    parts = [np.zeros((0, options.tried, width))]
    for part in batch.chunks(rows):
        costs, sizes = batch.costs(field, forms, part)
        limits = {"max_faces": options.max_faces, "max_nodes": options.max_nodes}
        parts.append(list_sparse(costs, batch.width, options.tried, sizes=sizes, **limits))
    weights = np.concatenate(parts)
    missing = np.logical_not(weights.any(axis=2))
    return np.where(missing[:, :, np.newaxis], weights[:, :1], weights)


def _choose(
    batch: Batch,
    field: Field,
    rows: Rank,
    limit: Array,
    candidate: Candidate,
    maximum: Array,
    options: FitOptions,
) -> None:
    """Give each rejected row the cheapest candidate that passes, else keep-the-largest."""
    forms = Mixture(1.0, options.prior)
    repeated = np.repeat(rows, options.tried)
    shape = (len(rows), options.tried)
    priors = batch.cost_of(field, TREE, candidate, repeated).reshape(shape)
    totals = batch.cost_of(field, forms, candidate, repeated).reshape(shape)
    within = priors <= options.prior_slack**2 * batch.largest_prior[rows, np.newaxis]
    passed: NDArray[np.bool_] = (maximum.reshape(shape) <= limit[:, np.newaxis]) & within
    position = np.argmax(passed, axis=1)
    lucky = np.flatnonzero(passed.any(axis=1))
    flat = lucky * options.tried + position[lucky]
    batch.best = batch.best.put(rows, batch.largest.take(rows)).put(rows[lucky], candidate.take(flat))
    batch.best_cost[rows] = batch.largest_cost[rows]
    batch.best_cost[rows[lucky]] = totals[lucky, position[lucky]]
    batch.outcome[rows[lucky]] = Outcome.NEXT


def _kept(character: Character, index: int, mesh: Mesh, batches: Sequence[Batch]) -> Kept:
    joints, weights = mesh.largest_joints.copy(), mesh.largest_weights.copy()
    count, width = joints.shape
    shown = bool(character.skins_of(mesh.primitive))
    more = np.count_nonzero(mesh.weights, axis=1) > width
    outcome = np.where(more & (not shown), Outcome.UNSHOWN, Outcome.FEW).astype(np.uint8)
    optimum, chosen, largest = np.zeros(count), np.zeros(count), np.zeros(count)
    unproven = np.zeros(count, np.bool_)
    for batch in (batch for batch in batches if batch.mesh == index):
        joints[batch.vertices] = batch.best.chosen_joints[batch.classes]
        weights[batch.vertices] = batch.best.chosen_weights[batch.classes]
        outcome[batch.vertices] = batch.outcome[batch.classes]
        optimum[batch.vertices] = np.sqrt(np.maximum(batch.optimum, 0.0))[batch.classes]
        chosen[batch.vertices] = np.sqrt(batch.best_cost)[batch.classes]
        largest[batch.vertices] = np.sqrt(batch.largest_cost)[batch.classes]
        unproven[batch.vertices] = batch.unproven[batch.classes]
    return Kept(joints, weights, InfluenceFit(outcome, optimum, chosen, largest, unproven))
