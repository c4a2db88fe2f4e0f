"""The exact choice of influences: the solver against the same search over all faces in batched NumPy.

Once from cost matrices that are there, and once with making them from the forms of pairs of joints, which is all that
has to be done per vertex; that does not depend on the number of poses, which a row of its own holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from harness import Contender, Row
from native import Native
from numpy.typing import NDArray

from skinproof.limiting.gram import FORM_SIZE, JointPairs, add_poses, vertex_costs
from skinproof.limiting.sparse import solve_sparse

Array = NDArray[np.float64]

NUMPY = "NumPy, a batched solve per face"
RATIOS = {NUMPY: {"x86-64-v4": 120.0, "x86-64-v3": 80.0}}
FORM_RATIOS = {NUMPY: {"x86-64-v4": 55.0, "x86-64-v3": 45.0}}
POSES = (100, 1_000, 4_000)
POSE_RATIOS = {f"{poses:,} poses": {"x86-64-v4": 0.9, "x86-64-v3": 0.9} for poses in POSES[:-1]}
WIDTH, KEPT = 8, 4
VERTICES, SOME = 4_000, 200
"""Vertices of a call, and those that NumPy is given."""
JOINTS, SETS = 64, 150


def rows(native: Native, instruction_set: str, *, full: bool) -> Iterator[Row]:
    """The rows of the table."""
    yield _from_costs()
    yield _from_forms()
    yield _any_number_of_poses()


def _from_costs() -> Row:
    generator = np.random.default_rng(3)
    # What joints do to a vertex in 100 poses, most of it in common, as on a real character.
    images = generator.normal(size=(VERTICES, WIDTH, 300)) * generator.uniform(0.01, 0.1, (VERTICES, WIDTH, 1))
    weights = _weights(generator)
    images -= np.einsum("vn,vnp->vp", weights, images)[:, None]
    costs = images @ images.swapaxes(1, 2)
    return Row(
        title=f"exact {KEPT} of {WIDTH} influences, {len(_faces())} faces, {VERTICES:,} vertices",
        unit="vertex",
        ours=Contender("solver", lambda: solve_sparse(costs, KEPT).least, VERTICES),
        peers=[Contender(NUMPY, lambda: _batched(costs[:SOME]), SOME)],
        check=_as(_batched(costs[:SOME]), 1e-9),
        bound=None,
        floors=RATIOS,
    )


def _from_forms() -> Row:
    mesh = _Mesh(POSES[0])
    first, second = np.triu_indices(WIDTH)
    keys = np.sort(mesh.joints[:SOME, [first, second]].transpose(0, 2, 1).reshape(-1, 2), axis=1)
    known = mesh.pairs.firsts.astype(np.int64) << 16 | mesh.pairs.partners
    places = np.searchsorted(known, keys[:, 0].astype(np.int64) << 16 | keys[:, 1]).reshape(SOME, -1)

    def batched() -> Array:
        x, y, z = (mesh.positions[:SOME] - mesh.centre).T
        monomials = np.array([x * x, y * y, z * z, x * y, x * z, y * z, x, y, z, np.ones(SOME)]).T
        costs = np.empty((SOME, WIDTH, WIDTH))
        costs[:, first, second] = costs[:, second, first] = np.einsum("vpi,vi->vp", mesh.forms[places], monomials)
        weights = mesh.weights[:SOME]
        means = np.einsum("vij,vj->vi", costs, weights)
        costs += np.einsum("vi,vi->v", means, weights)[:, None, None] - means[:, :, None] - means[:, None, :]
        return _batched(costs)

    return Row(
        title=f"the same from {len(mesh.pairs):,} pairs of joints, {SETS} joint sets",
        unit="vertex",
        ours=Contender("costs and solver", mesh.solve, VERTICES),
        peers=[Contender(NUMPY, batched, SOME)],
        check=_as(batched(), 1e-6),
        bound=None,
        floors=FORM_RATIOS,
    )


def _any_number_of_poses() -> Row:
    meshes = {f"{poses:,} poses": _Mesh(poses) for poses in POSES}
    *fewer, most = meshes
    found = {name: mesh.solve() for name, mesh in meshes.items()}

    def check(name: str, again: object) -> None:
        np.testing.assert_array_equal(again, found[name], err_msg=name)

    return Row(
        title="the same, fitted to more and more poses",
        unit="vertex",
        ours=Contender(most, meshes[most].solve, VERTICES),
        peers=[Contender(name, meshes[name].solve, VERTICES) for name in fewer],
        check=check,
        bound=None,
        floors=POSE_RATIOS,
    )


class _Mesh:
    """Vertices of a few joint sets, as a surface has them, and the forms of their pairs over some poses."""

    def __init__(self, poses: int) -> None:
        generator = np.random.default_rng(4)
        self.positions = generator.normal(size=(VERTICES, 3))
        sets = np.array([generator.permutation(JOINTS)[:WIDTH] for _ in range(SETS)], np.uint16)
        self.joints = sets[np.sort(generator.integers(0, SETS, VERTICES))]
        self.weights = _weights(generator)
        self.pairs = JointPairs.of([self.joints], joint_count=JOINTS)
        self.centre = np.zeros(3)
        self.forms = np.zeros((len(self.pairs), FORM_SIZE))
        for start in range(0, poses, 100):
            palettes = np.tile(np.eye(4), (min(100, poses - start), JOINTS, 1, 1))
            palettes[:, :, :3] += generator.normal(scale=0.1, size=(len(palettes), JOINTS, 3, 4))
            shares = np.full(len(palettes), 1.0 / poses)
            add_poses(palettes, shares, self.pairs, self.centre, out=self.forms)

    def solve(self) -> Array:
        costs, sizes = vertex_costs(self.positions, self.joints, self.weights, self.pairs, self.forms, self.centre)
        return solve_sparse(costs, KEPT, sizes=sizes).least


def _weights(generator: np.random.Generator) -> Array:
    weights = generator.random((VERTICES, WIDTH)) ** 2
    weights /= weights.sum(axis=1, keepdims=True)
    return np.ascontiguousarray(weights)


def _faces() -> list[NDArray[np.intp]]:
    return [np.array(face) for size in range(1, KEPT + 1) for face in combinations(range(WIDTH), size)]


def _batched(costs: Array) -> Array:
    least = np.full(len(costs), np.inf)
    for face in _faces():
        part = costs[:, face[:, None], face]
        found = np.linalg.solve(part, np.ones((len(costs), len(face), 1)))[:, :, 0]
        feasible = (found >= 0).all(axis=1)
        least = np.minimum(least, np.where(feasible, 1 / found.sum(axis=1), np.inf))
    return least


def _as(exact: Array, tolerance: float) -> Callable[[str, object], None]:
    """A check; the solver's ridge is 1e-12 of the diagonal, of which the least cost may be a hundredth."""

    def check(name: str, found: object) -> None:
        assert isinstance(found, np.ndarray)
        np.testing.assert_allclose(found[:SOME], exact, rtol=tolerance, err_msg=name)

    return check
