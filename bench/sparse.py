"""The exact choice of influences: the solver against the same search over all faces in batched NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from harness import Contender, Row
from native import Native

from skinproof.limiting.sparse import solve_sparse

NUMPY = "NumPy, a batched solve per face"
RATIOS = {NUMPY: {"x86-64-v4": 20.0, "x86-64-v3": 20.0}}
WIDTH, KEPT = 8, 4
VERTICES, SOME = 4_000, 200
"""Vertices of a call, and those that NumPy is given."""


def rows(native: Native, instruction_set: str, *, full: bool) -> Iterator[Row]:
    """The row of the table."""
    generator = np.random.default_rng(3)
    # What joints do to a vertex in 100 poses, most of it in common, as on a real character.
    images = generator.normal(size=(VERTICES, WIDTH, 300)) * generator.uniform(0.01, 0.1, (VERTICES, WIDTH, 1))
    weights = generator.random((VERTICES, WIDTH)) ** 2
    weights /= weights.sum(axis=1, keepdims=True)
    images -= np.einsum("vn,vnp->vp", weights, images)[:, None]
    costs = images @ images.swapaxes(1, 2)
    faces = [np.array(face) for size in range(1, KEPT + 1) for face in combinations(range(WIDTH), size)]

    def ours() -> np.ndarray:
        return solve_sparse(costs, KEPT).least

    def batched() -> np.ndarray:
        least = np.full(SOME, np.inf)
        for face in faces:
            part = costs[:SOME, face[:, None], face]
            found = np.linalg.solve(part, np.ones((SOME, len(face), 1)))[:, :, 0]
            feasible = (found >= 0).all(axis=1)
            least = np.minimum(least, np.where(feasible, 1 / found.sum(axis=1), np.inf))
        return least

    exact = batched()

    def check(name: str, found: object) -> None:
        assert isinstance(found, np.ndarray)
        # The solver's ridge is 1e-12 of the diagonal, of which the least cost may be a hundredth.
        np.testing.assert_allclose(found[:SOME], exact, rtol=1e-9, err_msg=name)

    yield Row(
        title=f"exact {KEPT} of {WIDTH} influences, {len(faces)} faces, {VERTICES:,} vertices",
        unit="vertex",
        ours=Contender("solver", ours, VERTICES),
        peers=[Contender(NUMPY, batched, SOME)],
        check=check,
        bound=None,
        floors=RATIOS,
    )
