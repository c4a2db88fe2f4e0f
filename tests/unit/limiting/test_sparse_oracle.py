"""limiting.sparse against two oracles that know nothing of faces, forms or ridges.

One is SciPy's non-negative least squares, on the joints' images themselves and on every set of K joints. Of u ≥ 0 that
minimizes |D u|² + (Σu − 1)², u / Σu minimizes |D w|² over the simplex: for a given sum the first term is least there.
The other solves every face in rationals. A face whose joints depend on each other has its least value on a smaller one.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import nnls

from skinproof.limiting.sparse import Ending, solve_sparse
from tolerances import SPARSE_COST

KINDS = ("as they come", "one pose", "on a line", "a joint twice", "all but one alike", "whole numbers")


def problems(seed, count, width, poses, kind):
    """Images float64 [V, n, 3 P] around the blend by random weights, which are those of the source."""
    generator = np.random.default_rng(seed)
    weights = np.sort(generator.dirichlet(np.ones(width), count), axis=1)[:, ::-1]
    images = generator.normal(size=(count, width, 3 * poses))
    if kind == "one pose":
        images[:, :, 3:] = 0.0
    elif kind == "on a line":
        images[:, :, 1:] = 0.0
    elif kind == "a joint twice":
        images[:, width // 2 :] = images[:, : width - width // 2]
    elif kind == "all but one alike":
        images[:, 1:] = images[:, 1:2]
    elif kind == "whole numbers":
        images = np.round(2 * images)
    return images - np.einsum("vn,vnd->vd", weights, images)[:, np.newaxis], weights


def least_of_a_set(images):
    """The least |Σ w_j d_j|² over weights of all these joints; images float64 [n, d]."""
    size = np.abs(images).max() or 1.0
    found, _ = nnls(np.vstack([images.T / size, np.ones(len(images))]), np.append(np.zeros(images.shape[1]), 1.0))
    blend = (found / found.sum()) @ images
    return float(blend @ blend)


def least(images, most):
    """The least over every set of `most` joints, which holds the smaller ones."""
    joints = range(len(images))
    return min(least_of_a_set(images[list(some)]) for some in itertools.combinations(joints, min(most, len(images))))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("width", "most", "count"),
    [(3, 2, 150), (5, 4, 150), (6, 1, 150), (8, 2, 80), (8, 4, 40), (8, 8, 150), (10, 6, 8), (12, 4, 4), (12, 8, 4)],
)
def test_no_weights_on_any_set_of_joints_cost_less(kind, width, most, count):
    images, _ = problems(width * 10 + most, count, width, 20, kind)
    costs = images @ images.transpose(0, 2, 1)
    solution = solve_sparse(costs, most)
    assert (solution.endings != Ending.UNPROVEN).all()
    allowed = SPARSE_COST * np.trace(costs, axis1=1, axis2=2) / width
    decided = solution.endings == Ending.PROVEN
    assert decided.mean() > 0.9
    for vertex in np.flatnonzero(decided):
        blend = solution.weights[vertex] @ images[vertex]
        assert blend @ blend == pytest.approx(solution.least[vertex], abs=allowed[vertex])
        assert abs(solution.least[vertex] - least(images[vertex], most)) <= allowed[vertex]


def rational_least(images, most):
    """The same in rationals: every face of independent joints."""
    gram = [[sum(a * b for a, b in zip(one, other, strict=True)) for other in images] for one in images]
    best = None
    for size in range(1, most + 1):
        for face in itertools.combinations(range(len(images)), size):
            cost = rational_face(gram, face)
            if cost is not None and (best is None or cost < best):
                best = cost
    return best


def rational_face(gram, face):
    """The least cost with all joints of a face in use, or None: it lies on a smaller face, or the face is singular.

    Stationary weights w and the multiplier m solve H w = m 1, 1ᵀ w = 1; the cost is m.
    """
    size = len(face)
    rows = [[Fraction(gram[a][b]) for b in face] + [Fraction(-1), Fraction(0)] for a in face]
    rows.append([Fraction(1)] * size + [Fraction(0), Fraction(1)])
    for column in range(size + 1):
        pivot = next((row for row in range(column, size + 1) if rows[row][column] != 0), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for row in range(size + 1):
            if row != column and rows[row][column] != 0:
                factor = rows[row][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    solved = [row[-1] for row in rows]
    return solved[size] if all(weight >= 0 for weight in solved[:size]) else None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("width", "most"), [(4, 2), (5, 3), (6, 4)])
def test_in_rationals(kind, width, most):
    """Whole numbers in, so that costs are exact; the solver's ridge alone may raise them."""
    images, _ = problems(width, 12, width, 2, kind)
    whole = np.round(8 * images).astype(int)
    costs = (whole @ whole.transpose(0, 2, 1)).astype(np.float64)
    solution = solve_sparse(costs, most)
    compared = 0
    for vertex, one in enumerate(whole.tolist()):
        if solution.endings[vertex] != Ending.PROVEN:
            continue
        scale = np.trace(costs[vertex]) / width
        assert abs(solution.least[vertex] - float(rational_least(one, most))) <= SPARSE_COST * scale
        compared += 1
    assert compared >= 10


def test_the_oracles_would_notice():
    """The largest weights, solved again, are no optimum; both oracles agree on what is."""
    images, _ = problems(1, 30, 6, 2, "as they come")
    whole = np.round(8 * images).astype(int)
    costs = (whole @ whole.transpose(0, 2, 1)).astype(np.float64)
    missed = 0
    for one in whole:
        exact = float(rational_least(one.tolist(), 3))
        assert least(one.astype(np.float64), 3) == pytest.approx(exact, rel=1e-9, abs=1e-9 * np.abs(one).max() ** 2)
        missed += least_of_a_set(one[:3].astype(np.float64)) > exact * (1 + 1e-6)
    assert missed >= 10
    solution = solve_sparse(costs, 3)
    assert (solution.least > 0).all()
