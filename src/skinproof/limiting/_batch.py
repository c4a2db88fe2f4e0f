"""What the exact method works on: fields of forms, batches of vertices with equally many influences, candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from skinproof import influences as operations
from skinproof.limiting._morphs import MorphedCosts, Morphs, rest_and_morphed
from skinproof.limiting._sums import weighted_sum
from skinproof.limiting.gram import FORM_SIZE, JointPairs, add_poses, vertex_costs
from skinproof.limiting.guard import Rows
from skinproof.limiting.options import FitOptions
from skinproof.limiting.prior import prior_forms
from skinproof.limiting.sparse import Ending, solve_sparse
from skinproof.limiting.weld import weld_classes
from skinproof.model import Character, Outcome, Primitive, WeightFormat
from skinproof.poses import PoseBlock, PoseSchedule, palettes

Array = NDArray[np.float64]
Joints = NDArray[np.uint16]
Rank = NDArray[np.intp]

CHUNK = 1 << 22
"""Doubles of cost matrices held at a time (32 MiB)."""


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """One primitive with sound influences, and what keep-the-largest makes of it.

    Attributes:
        primitive: of V vertices.
        joints, weights: uint16, float64 [V, N], duplicates merged.
        largest_joints, largest_weights: uint16, float64 [V, K].
        format: how the result will be stored.
    """

    primitive: Primitive
    joints: Joints
    weights: Array
    largest_joints: Joints
    largest_weights: Array
    format: WeightFormat


@dataclass(frozen=True, slots=True)
class Mixture:
    """How much of the poses and of the prior a cost is made of."""

    poses: float
    prior: float


TREE = Mixture(0.0, 1.0)
"""The prior alone."""


class Field:
    """The forms of all pairs of joints under one set of skins."""

    def __init__(self, character: Character, skins: tuple[int, ...], batches: Sequence[Batch], angles: Array) -> None:
        self.skins = skins
        joint_count = min(len(character.skins[skin]) for skin in skins)
        self.pairs = JointPairs.of([batch.joints for batch in batches], joint_count=joint_count)
        every = np.concatenate([batch.positions for batch in batches])
        # In sorted order, so that the centre, and with it every rounding, is the same however vertices are stored.
        self.centre: Array = np.sort(every, axis=0).mean(axis=0)
        self.poses = np.zeros((len(self.pairs), FORM_SIZE))
        self.prior = np.mean(
            [
                prior_forms(character.nodes, character.skins[skin], self.pairs, self.centre, angles=angles)
                for skin in skins
            ],
            axis=0,
        )

    def add(self, character: Character, worlds: Array, shares: Array) -> None:
        joint_count = len(self.pairs.starts) - 1
        for skin in self.skins:
            matrices = np.ascontiguousarray(palettes(character.skins[skin], worlds)[:, :joint_count])
            add_poses(matrices, shares / len(self.skins), self.pairs, self.centre, out=self.poses)


class Batch:
    """The weld classes of one mesh whose vertices have n influences, n > K; all arrays have a row per class.

    Attributes:
        mesh: index of the mesh.
        vertices: intp [v], the vertices.
        classes: intp [v], the class of each.
        positions: float64 [C, 3], at rest.
        morphed: what they cost in the poses, if they do not stay there; else None.
        joints, weights: [C, n], the source influences by rank, normalized.
        largest, best: what keep-the-largest and the solver chose.
        outcome, optimum, unproven: as in `InfluenceFit`, but squared.
        largest_cost, best_cost, largest_prior, best_prior: float64 [C], of both as decoded, square metres.
    """

    def __init__(
        self,
        mesh_index: int,
        mesh: Mesh,
        skins: tuple[int, ...],
        vertices: Rank,
        ranked: Ranked,
        positions: Array,
        morphed_in: tuple[int, ...],
    ) -> None:
        """Make the batch of some vertices, with the positions of all; `morphed_in`: the instances that morph them."""
        self.mesh, self.skins, self.format, self.vertices = mesh_index, skins, mesh.format, vertices
        # What stands at one place in every pose: what is morphed to there may come from elsewhere.
        places = [part[vertices] for part in (mesh.primitive.positions, *mesh.primitive.targets)]
        first, self.classes = weld_classes(np.concatenate(places, axis=1), ranked.joints, ranked.weights)
        self.positions = positions[vertices[first]]
        self.joints, self.weights = ranked.joints[first], ranked.weights[first]
        self.morphed: MorphedCosts | None = None
        if morphed_in:
            base, *targets = (part[first].astype(np.float64) for part in places)
            morphs = Morphs(base, np.array(targets), morphed_in)
            self.morphed = MorphedCosts(morphs, self.joints, self.weights)
        self.width = mesh.largest_joints.shape[1]
        chosen = vertices[first]
        self.largest = Candidate.of(mesh.largest_joints[chosen], mesh.largest_weights[chosen], mesh.format)
        self.best = self.largest
        count = len(first)
        self.outcome = np.full(count, Outcome.BEST, np.uint8)
        self.optimum, self.unproven = np.zeros(count), np.zeros(count, np.bool_)
        self.largest_cost = self.best_cost = self.largest_prior = self.best_prior = np.zeros(count)

    def __len__(self) -> int:
        return len(self.positions)

    def _chunk(self) -> int:
        width: int = self.joints.shape[1]
        return max(1, CHUNK // width**2)

    def chunks(self, rows: Rank) -> list[Rank]:
        """`rows` in parts whose cost matrices fit into memory."""
        size = self._chunk()
        return [rows[start : start + size] for start in range(0, len(rows), size)]

    def add(self, character: Character, block: PoseBlock, shares: Array) -> None:
        """Add poses to what they cost, where forms of pairs cannot say it."""
        if self.morphed is not None:
            self.morphed.add(character, block, shares)

    def costs(self, field: Field, mixture: Mixture, rows: Rank) -> tuple[Array, Array]:
        forms = mixture.prior * field.prior
        if mixture.poses and self.morphed is None:
            forms = mixture.poses * field.poses + forms
        costs, sizes = vertex_costs(
            np.ascontiguousarray(self.positions[rows]),
            np.ascontiguousarray(self.joints[rows]),
            np.ascontiguousarray(self.weights[rows]),
            field.pairs,
            forms,
            field.centre,
        )
        if mixture.poses and self.morphed is not None:
            costs += mixture.poses * self.morphed.costs[rows]
            sizes += mixture.poses * self.morphed.sizes[rows]
        return costs, sizes

    def solve(self, field: Field, options: FitOptions) -> None:
        solved = np.empty(self.weights.shape)
        forms = Mixture(1.0, options.prior)
        for rows in self.chunks(np.arange(len(self))):
            costs, sizes = self.costs(field, forms, rows)
            found = solve_sparse(
                costs, self.width, sizes=sizes, max_faces=options.max_faces, max_nodes=options.max_nodes
            )
            solved[rows] = found.weights
            self.optimum[rows] = found.least
            self.outcome[rows[found.endings == Ending.UNDECIDED]] = Outcome.UNDECIDED
            self.unproven[rows] = found.endings == Ending.UNPROVEN
        undecided = np.flatnonzero(self.outcome == Outcome.UNDECIDED)
        self.best = self.candidate(solved).put(undecided, self.largest.take(undecided))
        every = np.arange(len(self))
        self.largest_cost = self.cost_of(field, forms, self.largest, every)
        self.best_cost = self.cost_of(field, forms, self.best, every)
        self.largest_prior = self.cost_of(field, TREE, self.largest, every)
        self.best_prior = self.cost_of(field, TREE, self.best, every)

    def cost_of(self, field: Field, forms: Mixture, candidate: Candidate, rows: Rank) -> Array:
        """Cost wᵀHw of candidates for some rows, as decoded, float64 [R]."""
        found = np.empty(len(rows))
        size = self._chunk()
        for start in range(0, len(rows), size):
            part = slice(start, start + size)
            costs, _ = self.costs(field, forms, rows[part])
            dense = by_slot(candidate.joints[part], candidate.decoded[part], self.joints[rows[part]])
            found[part] = quadratic(costs, dense)
        return found

    def candidate(self, weights: Array, rows: Rank | None = None) -> Candidate:
        """The influences that weights [R, n] of the source's slots stand for, sorted and cut to K places."""
        joints = self.joints if rows is None else self.joints[rows]
        kept_joints, kept_weights = operations.keep_largest(joints, weights, self.width)
        return Candidate.of(kept_joints, kept_weights, self.format)

    def rows(self, candidate: Candidate, rows: Rank) -> Rows:
        return Rows(
            self.positions[rows],
            self.joints[rows],
            self.weights[rows],
            candidate.joints,
            candidate.decoded,
            self.skins,
            None if self.morphed is None else self.morphed.morphs.take(rows),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Influences of v vertices with n each, by rank, normalized: joints uint16 [v, n], weights float64 [v, n]."""

    joints: Joints
    weights: Array


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Influences of some vertices: as chosen, and as decoded after packing, which may order them anew."""

    chosen_joints: Joints
    chosen_weights: Array
    joints: Joints
    decoded: Array

    @classmethod
    def of(cls, joints: Joints, weights: Array, target: WeightFormat) -> Candidate:
        packed = operations.pack(joints, weights, format=target)
        decoded = operations.unpack(packed.stored, format=target).astype(np.float64)
        return cls(joints, weights, packed.joints, decoded)

    def take(self, rows: Rank) -> Candidate:
        return Candidate(self.chosen_joints[rows], self.chosen_weights[rows], self.joints[rows], self.decoded[rows])

    def put(self, rows: Rank, other: Candidate) -> Candidate:
        """A copy with some rows taken from `other`."""
        parts = []
        for name in ("chosen_joints", "chosen_weights", "joints", "decoded"):
            copy = getattr(self, name).copy()
            copy[rows] = getattr(other, name)
            parts.append(copy)
        return Candidate(*parts)


def by_slot(joints: Joints, weights: Array, source: Joints) -> Array:
    dense = np.zeros(source.shape)
    for slot in range(joints.shape[1]):
        dense += np.where(source == joints[:, slot : slot + 1], weights[:, slot : slot + 1], 0.0)
    return dense


def quadratic(costs: Array, weights: Array) -> Array:
    """wᵀHw per row; rounding may make it a trifle negative."""
    value: Array = (weighted_sum(weights, costs) * weights).sum(axis=1)
    return np.maximum(value, 0.0)


def batches_of(character: Character, index: int, mesh: Mesh, schedule: PoseSchedule) -> list[Batch]:
    skins = character.skins_of(mesh.primitive)
    counts = np.count_nonzero(mesh.weights, axis=1)
    width = mesh.largest_joints.shape[1]
    if not skins or not len(counts) or counts.max() <= width:
        return []
    more = np.flatnonzero(counts > width)
    joints, weights = operations.keep_largest(mesh.joints[more], mesh.weights[more], int(counts.max()))
    batches = []
    positions, morphed = rest_and_morphed(character, mesh.primitive, schedule)
    showings = character.showings_of(mesh.primitive)
    for count, moving in product(np.unique(counts[more]).tolist(), (False, True)):
        here = np.flatnonzero((counts[more] == count) & (morphed[more] == moving))
        if len(here):
            ranked = Ranked(np.ascontiguousarray(joints[here, :count]), np.ascontiguousarray(weights[here, :count]))
            instances = showings if moving else ()
            batches.append(Batch(index, mesh, skins, more[here], ranked, positions, instances))
    return batches
