"""limiting.minimax: the least maximum over poses, against SciPy on every set of joints, and its certificate."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize

from skinproof.errors import ArrayError, OptionError
from skinproof.limiting.minimax import MinimaxSolution, solve_minimax
from skinproof.limiting.sparse import solve_sparse
from tolerances import MINIMAX_ORACLE, ROUNDING


def random_offsets(seed, count, width, poses, smooth=4):
    """Images of joints that swing smoothly over the poses, relative to their blend by random weights."""
    rng = np.random.default_rng(seed)
    waves = np.array([np.cos(np.pi * order * np.linspace(0, 1, poses)) for order in range(smooth)])
    sizes = rng.uniform(0.1, 1.0, (count, width, 1, 1))
    images = np.einsum("vnra,rp->vnpa", rng.normal(size=(count, width, smooth, 3)) * sizes, waves)
    weights = rng.dirichlet(np.ones(width), count)
    return np.ascontiguousarray(images - np.einsum("vn,vnpa->vpa", weights, images)[:, np.newaxis])


def largest(weights, offsets):
    return (np.einsum("vn,vnpa->vpa", weights, offsets) ** 2).sum(axis=2).max(axis=1)


def least_maximum(offsets, most):
    """The least maximum of one vertex [n, P, 3]: SciPy's SLSQP on every set of K joints, from its least squares."""

    def on(joints):
        d = offsets[list(joints)]
        count, poses, _ = d.shape

        def below(x):
            e = np.einsum("n,npa->pa", x[:-1], d)
            return x[-1] - (e**2).sum(axis=1)

        def slope(x):
            e = np.einsum("n,npa->pa", x[:-1], d)
            return np.hstack([-2 * np.einsum("pa,npa->pn", e, d), np.ones((poses, 1))])

        start = np.full(count, 1 / count)
        found = minimize(
            lambda x: x[-1],
            np.append(start, largest(start[np.newaxis], d[np.newaxis])),
            jac=lambda x: np.append(np.zeros(count), 1.0),
            bounds=[(0, 1)] * count + [(0, None)],
            constraints=[
                {"type": "ineq", "fun": below, "jac": slope},
                {"type": "eq", "fun": lambda x: x[:-1].sum() - 1, "jac": lambda x: np.append(np.ones(count), 0.0)},
            ],
            options={"maxiter": 500, "ftol": 1e-12},
        )
        weights = np.maximum(found.x[:-1], 0)
        return largest((weights / weights.sum())[np.newaxis], d[np.newaxis])[0]

    return min(on(joints) for joints in itertools.combinations(range(len(offsets)), most))


@cache
def case(width, most):
    offsets = random_offsets(width * 10 + most, 4, width, 15)
    return offsets, np.array([least_maximum(one, most) for one in offsets])


@pytest.mark.parametrize(("width", "most"), [(4, 1), (5, 2), (6, 3), (6, 4), (5, 5)])
def test_scipy_finds_nothing_better_on_any_set(width, most):
    offsets, expected = case(width, most)
    found = solve_minimax(offsets, most, tolerance=1e-5)
    size = (offsets**2).sum(axis=3).max(axis=(1, 2))
    assert (np.count_nonzero(found.weights, axis=1) <= most).all()
    assert (found.weights >= 0).all()
    np.testing.assert_allclose(found.weights.sum(axis=1), 1.0, atol=ROUNDING)
    np.testing.assert_allclose(found.reached, largest(found.weights, offsets), rtol=1e-12, atol=ROUNDING)
    assert (found.reached <= expected * (1 + MINIMAX_ORACLE) + ROUNDING * size).all()
    assert (found.bounds <= expected * (1 + MINIMAX_ORACLE)).all()
    assert (found.bounds >= found.reached * (1 - 1e-5) - ROUNDING * size).all()


def test_the_bound_of_many_sets_together_holds_too():
    offsets, expected = case(6, 3)
    found = solve_minimax(offsets, 3, max_sets=0)
    assert (found.bounds <= expected * (1 + MINIMAX_ORACLE)).all()
    assert (found.bounds > 0).all()
    assert (found.reached >= expected * (1 - MINIMAX_ORACLE)).all()


def test_a_search_that_ends_early_says_so_by_its_gap():
    offsets = random_offsets(3, 20, 8, 40)
    complete = solve_minimax(offsets, 4)
    early = solve_minimax(offsets, 4, max_solved=1)
    assert (complete.gaps <= 1e-3).all()
    assert early.gaps.max() > 1e-3
    assert (early.bounds <= complete.reached).all()
    np.testing.assert_allclose((1 + early.gaps) ** 2 * early.bounds, early.reached, rtol=1e-12)


def test_it_is_below_the_maximum_of_the_least_mean_square():
    offsets = random_offsets(4, 50, 8, 60, smooth=6)
    flat = offsets.reshape(50, 8, -1)
    squares = solve_sparse(np.ascontiguousarray(flat @ flat.swapaxes(1, 2)), 4)
    found = solve_minimax(offsets, 4)
    assert (found.reached <= largest(squares.weights, offsets) * (1 + 1e-3)).all()
    assert (found.bounds * 60 >= squares.bounds).all()


def test_one_pose_and_still_joints():
    offsets = random_offsets(5, 10, 6, 1, smooth=1)
    found = solve_minimax(offsets, 4)
    assert (found.reached <= ROUNDING).all()  # four points in space around the blend
    still = solve_minimax(np.zeros((2, 5, 7, 3)), 2)
    assert not still.reached.any()
    assert not still.gaps.any()
    np.testing.assert_allclose(still.weights.sum(axis=1), 1.0, atol=ROUNDING)


def test_joints_that_move_alike_leave_the_result_as_it_is():
    offsets = random_offsets(6, 20, 6, 30)
    twice = np.ascontiguousarray(np.concatenate([offsets, offsets[:, :3]], axis=1))
    one, two = solve_minimax(offsets, 3), solve_minimax(twice, 3)
    np.testing.assert_allclose(two.reached, one.reached, rtol=1e-3)


def test_a_vertex_is_solved_alike_beside_others_and_alone():
    offsets = random_offsets(7, 9, 7, 30)
    together = solve_minimax(offsets, 3)
    for vertex in range(9):
        alone = solve_minimax(offsets[vertex : vertex + 1], 3)
        np.testing.assert_array_equal(alone.weights[0], together.weights[vertex])
        assert (alone.reached[0], alone.bounds[0]) == (together.reached[vertex], together.bounds[vertex])


def test_gaps_are_of_distances():
    solution = MinimaxSolution(np.zeros((3, 1)), np.array([4.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]))
    np.testing.assert_array_equal(solution.gaps, [1.0, 0.0, np.inf])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"max_influences": 0}, OptionError), ({"max_sets": -1}, OptionError), ({"max_solved": 0}, OptionError),
        ({"tolerance": 0.0}, OptionError), ({"tolerance": float("nan")}, OptionError),
        ({"offsets": np.zeros((1, 2, 3, 2))}, ArrayError), ({"offsets": np.zeros((1, 0, 3, 3))}, OptionError),
        ({"offsets": np.zeros((1, 2, 0, 3))}, OptionError), ({"offsets": np.full((1, 2, 3, 3), np.nan)}, ArrayError),
        ({"offsets": np.full((1, 2, 3, 3), 1e200)}, ArrayError),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(options, error):
    options = {"offsets": np.zeros((1, 2, 3, 3)), "max_influences": 2, **options}
    offsets, most = options.pop("offsets"), options.pop("max_influences")
    with pytest.raises(error):
        solve_minimax(offsets, most, **options)
