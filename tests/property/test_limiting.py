"""What holds for the exact solution of every problem: few joints, falling cost, no say of scale or way of solving."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from skinproof.limiting import Ending, solve_sparse
from tolerances import SPARSE_COST

SIZE = 6 * 3.0**2
"""The largest square of an image: what lies below 1e-14 of it is rounding."""


@st.composite
def problems(draw):
    """Costs of 1 to 9 joints whose images lie on a coarse grid, so that many coincide or lie on one line."""
    width, dimensions = draw(st.integers(1, 9)), draw(st.integers(1, 6))
    places = draw(st.lists(st.integers(-3, 3), min_size=width * dimensions, max_size=width * dimensions))
    images = np.array(places, np.float64).reshape(width, dimensions)
    shares = np.array(draw(st.lists(st.integers(1, 8), min_size=width, max_size=width)), np.float64)
    weights = np.sort(shares / shares.sum())[::-1]
    moved = images - weights @ images
    return np.ascontiguousarray((moved @ moved.T)[np.newaxis]), weights


@settings(max_examples=300)
@given(problems())
def test_the_cost_falls_with_k_and_stays_below_v_over_k(problem):
    costs, weights = problem
    width = costs.shape[1]
    slack = SPARSE_COST * max(np.trace(costs[0]) / width, SIZE)
    before = np.inf
    for most in range(1, width + 1):
        found = solve_sparse(costs, most, sizes=np.full(1, SIZE))
        assert np.count_nonzero(found.weights) <= most
        if found.endings[0] == Ending.UNDECIDED:
            assert np.abs(costs).max() <= 1e-12
            return
        assert found.least[0] <= before + slack
        assert found.least[0] <= weights @ np.diagonal(costs[0]) / most + slack
        before = found.least[0]
    assert before <= slack


@settings(max_examples=200)
@given(problems(), st.integers(1, 9))
def test_both_ways_of_solving_and_every_scale_by_a_power_of_two_give_the_same_bytes(problem, most):
    costs, _ = problem
    found = solve_sparse(costs, most)
    np.testing.assert_array_equal(solve_sparse(costs, most, max_faces=0).weights, found.weights)
    for power in (-40, 30):
        np.testing.assert_array_equal(solve_sparse(costs * 2.0**power, most).weights, found.weights)
