"""limiting.sparse: the exact solver, against every face solved by NumPy, and branch and bound against enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from skinproof._native import INSTRUCTION_SETS
from skinproof.errors import ArrayError, OptionError
from skinproof.limiting.sparse import Ending, list_sparse, solve_sparse
from tolerances import ROUNDING, SPARSE_COST

ALL_FACES, BRANCHING = {}, {"max_faces": 0}


def costs_of(images, weights):
    """H of joint images [V, n, d] around their blends by `weights` [V, n]: what poses would make of them."""
    moved = images - np.einsum("vn,vnd->vd", weights, images)[:, np.newaxis]
    return np.ascontiguousarray(moved @ moved.transpose(0, 2, 1))


def random_costs(seed, count, width, dimensions):
    rng = np.random.default_rng(seed)
    weights = np.sort(rng.dirichlet(np.ones(width), count), axis=1)[:, ::-1]
    return costs_of(rng.normal(size=(count, width, dimensions)), weights)


def least_by_brute_force(costs, most):
    """The least cost of every problem: NumPy solves every face."""
    best = np.full(len(costs), np.inf)
    width = costs.shape[1]
    ridge = 1e-12 * np.trace(costs, axis1=1, axis2=2) / width
    full = costs + ridge[:, np.newaxis, np.newaxis] * np.eye(width)
    for size in range(1, most + 1):
        for face in itertools.combinations(range(width), size):
            inner = full[:, face][:, :, face]
            solved = np.linalg.solve(inner, np.ones((len(costs), size, 1)))[:, :, 0]
            inside = (solved > 0).all(axis=1)
            with np.errstate(divide="ignore"):
                best = np.where(inside, np.minimum(best, 1.0 / solved.sum(axis=1)), best)
    return best


def scale(costs):
    return np.trace(costs, axis1=1, axis2=2) / costs.shape[1]


def quadratic(weights, costs):
    return np.einsum("vi,vij,vj->v", weights, costs, weights)


CASES = [
    (count, width, most, dimensions)
    for width, most, dimensions, count in (
        (5, 2, 30, 300), (6, 3, 9, 300), (8, 4, 60, 300), (8, 2, 60, 300), (8, 1, 60, 300), (8, 8, 60, 100),
        (10, 6, 12, 40), (12, 4, 30, 40), (12, 8, 40, 12),
        (8, 4, 3, 300), (10, 3, 3, 100), (8, 4, 1, 300), (7, 5, 2, 100),
    )
]  # fmt: skip


@pytest.mark.parametrize(("count", "width", "most", "dimensions"), CASES)
@pytest.mark.parametrize("way", [ALL_FACES, BRANCHING], ids=["faces", "branching"])
def test_nothing_costs_less(count, width, most, dimensions, way):
    """From many poses down to one (three dimensions) and to images on a line (one): there most faces are singular."""
    count = count if way is ALL_FACES else min(count, 40)
    costs = random_costs(width * 100 + most, count, width, dimensions)
    solution = solve_sparse(costs, most, **way)
    assert (solution.endings == Ending.PROVEN).all()
    assert (np.count_nonzero(solution.weights, axis=1) <= most).all()
    assert (solution.weights >= 0).all()
    np.testing.assert_allclose(solution.weights.sum(axis=1), 1.0, atol=ROUNDING)
    np.testing.assert_allclose(
        solution.least, quadratic(solution.weights, costs), atol=SPARSE_COST * scale(costs).max()
    )
    expected = least_by_brute_force(costs, most)
    assert (np.abs(solution.least - expected) <= SPARSE_COST * scale(costs)).all()
    assert (solution.bounds <= solution.least + SPARSE_COST * scale(costs)).all()


@pytest.mark.parametrize(("count", "width", "most", "dimensions"), CASES)
def test_branching_and_faces_give_the_same_bytes(count, width, most, dimensions):
    costs = random_costs(width + most + dimensions, min(count, 30), width, dimensions)
    faces, branching = solve_sparse(costs, most), solve_sparse(costs, most, **BRANCHING)
    np.testing.assert_array_equal(faces.weights, branching.weights)
    np.testing.assert_array_equal(faces.least, branching.least)


def degenerate_costs(seed, count, width):
    """Problems of every kind side by side: as they come, one pose, on a line, a joint twice, one image."""
    rng = np.random.default_rng(seed)
    weights = np.sort(rng.dirichlet(np.ones(width), count), axis=1)[:, ::-1]
    images = rng.normal(size=(count, width, 12))
    images[1::6, :, 3:] = 0.0
    images[2::6, :, 1:] = 0.0
    images[3::6, width // 2 :] = images[3::6, : width - width // 2]
    images[4::6] = images[4::6, :1]
    images[5::6] = np.round(images[5::6])  # equal costs
    return costs_of(images, weights)


@pytest.mark.parametrize("width", range(1, 17))
def test_every_instruction_set_gives_the_same_bytes(width):
    for most in range(1, min(width, 8) + 1):
        count = 61 if width <= 8 else 13 if width <= 12 or most <= 4 else 0  # neither a multiple of any vector's lanes
        costs = degenerate_costs(width, count, width)
        first, *others = (solve_sparse(costs, most, instruction_set=name) for name in INSTRUCTION_SETS)
        for found in others:
            for name in ("weights", "least", "bounds", "endings"):
                np.testing.assert_array_equal(getattr(found, name), getattr(first, name))
        if width <= 8:
            branching = solve_sparse(costs, most, **BRANCHING)
            np.testing.assert_array_equal(branching.endings, first.endings)
            np.testing.assert_array_equal(branching.weights, first.weights)
            np.testing.assert_array_equal(branching.least, first.least)


@pytest.mark.parametrize("way", [ALL_FACES, BRANCHING], ids=["faces", "branching"])
def test_joints_that_move_alike_share_a_place_and_the_first_of_them_keeps_it(way):
    rng = np.random.default_rng(3)
    images = rng.normal(size=(60, 8, 12))
    images[:, 5], images[:, 6], images[:, 7] = images[:, 1], images[:, 1], images[:, 2]
    weights = np.sort(rng.dirichlet(np.ones(8), 60), axis=1)[:, ::-1]
    costs = costs_of(images, weights)
    for most in (1, 2, 3, 5):
        found = solve_sparse(costs, most, **way)
        assert not found.weights[:, 5:].any()
        expected = least_by_brute_force(costs, most)
        assert (np.abs(found.least - expected) <= SPARSE_COST * scale(costs)).all()
    # Five different images are enough for all: nothing is lost, though joints are.
    assert (solve_sparse(costs, 5, **way).least <= SPARSE_COST * scale(costs)).all()


@pytest.mark.parametrize("way", [ALL_FACES, BRANCHING], ids=["faces", "branching"])
def test_all_joints_at_one_image_need_only_the_first(way):
    costs = np.zeros((3, 6, 6))
    found = solve_sparse(costs, 4, **way)
    assert (found.endings == Ending.UNDECIDED).all()
    np.testing.assert_array_equal(found.weights[:, 0], 1.0)


def test_one_joint_is_the_least_diagonal_and_two_have_a_closed_form():
    costs = random_costs(9, 200, 7, 20)
    diagonal = np.diagonal(costs, axis1=1, axis2=2)
    one = solve_sparse(costs, 1)
    np.testing.assert_array_equal(one.weights.argmax(axis=1), diagonal.argmin(axis=1))
    two = solve_sparse(costs, 2)
    best = np.full(len(costs), np.inf)
    for a, b in itertools.combinations(range(7), 2):
        aa, bb, ab = costs[:, a, a], costs[:, b, b], costs[:, a, b]
        t = np.clip((bb - ab) / (aa + bb - 2 * ab), 0, 1)
        best = np.minimum(best, t * t * aa + (1 - t) ** 2 * bb + 2 * t * (1 - t) * ab)
    assert (np.abs(two.least - best) <= SPARSE_COST * scale(costs)).all()


def test_cost_falls_with_k_and_stays_below_v_over_k():
    rng = np.random.default_rng(11)
    weights = np.sort(rng.dirichlet(np.ones(9), 100), axis=1)[:, ::-1]
    costs = costs_of(rng.normal(size=(100, 9, 15)), weights)
    variance = np.einsum("vn,vnn->v", weights, costs)
    before = np.full(100, np.inf)
    for most in range(1, 10):
        least = solve_sparse(costs, most).least
        assert (least <= before + SPARSE_COST * scale(costs)).all()
        assert (least <= variance / most).all()
        before = least
    assert (before <= SPARSE_COST * scale(costs)).all()


def test_sixty_four_influences_end_with_a_bound_that_holds():
    rng = np.random.default_rng(5)
    # Images along a limb, as a vertex amid a long chain has them: near ones move nearly alike.
    path = np.cumsum(rng.normal(size=(4, 64, 30)) * np.exp(-np.arange(64) / 8)[:, np.newaxis], axis=1)
    weights = np.sort(rng.dirichlet(np.full(64, 0.3), 4), axis=1)[:, ::-1]
    costs = costs_of(path, weights)
    found = solve_sparse(costs, 4, max_faces=0, max_nodes=2000)
    assert (found.bounds <= found.least + SPARSE_COST * scale(costs)).all()
    proven = found.endings == Ending.PROVEN
    assert (found.least[proven] - found.bounds[proven] <= SPARSE_COST * scale(costs)[proven]).all()
    everything = solve_sparse(costs, 4, max_faces=10**6)
    assert (everything.endings == Ending.PROVEN).all()
    assert (found.bounds <= everything.least + SPARSE_COST * scale(costs)).all()
    assert (everything.least <= found.least + SPARSE_COST * scale(costs)).all()


def test_a_search_cut_short_says_so():
    found = solve_sparse(random_costs(1, 4, 16, 40), 6, max_faces=0, max_nodes=64)
    assert (found.endings == Ending.UNPROVEN).all()
    complete = solve_sparse(random_costs(1, 4, 16, 40), 6, max_faces=10**6)
    assert (found.bounds <= complete.least).all()
    assert (complete.least <= found.least + ROUNDING).all()


def test_more_joints_than_a_mask_holds():
    costs = random_costs(2, 3, 70, 12)
    found = solve_sparse(costs, 1)
    np.testing.assert_array_equal(found.weights.argmax(axis=1), np.diagonal(costs, axis1=1, axis2=2).argmin(axis=1))


def test_the_result_of_a_vertex_does_not_depend_on_its_neighbours():
    costs = random_costs(8, 21, 8, 30)
    together = solve_sparse(costs, 4)
    for vertex in range(21):
        alone = solve_sparse(costs[vertex : vertex + 1].copy(), 4)
        np.testing.assert_array_equal(alone.weights[0], together.weights[vertex])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_costs_that_are_not_finite_are_undecided(bad):
    costs = random_costs(4, 9, 6, 10)
    sound = solve_sparse(costs, 3)
    costs[4, 1, 2] = costs[4, 2, 1] = bad
    found = solve_sparse(costs, 3)
    assert found.endings.tolist() == [0] * 4 + [Ending.UNDECIDED] + [0] * 4
    others = np.arange(9) != 4
    np.testing.assert_array_equal(found.weights[others], sound.weights[others])


def test_costs_that_are_noise_are_undecided():
    costs = random_costs(4, 9, 6, 10)
    sizes = np.full(9, 1e17)
    assert (solve_sparse(costs, 3, sizes=sizes).endings == Ending.UNDECIDED).all()


class TestList:
    def test_the_list_begins_with_the_best_and_rises_in_cost(self):
        costs = random_costs(6, 50, 8, 30)
        listed = list_sparse(costs, 4, 10)
        np.testing.assert_array_equal(listed[:, 0], solve_sparse(costs, 4).weights)
        totals = np.stack([quadratic(listed[:, place], costs) for place in range(10)], axis=1)
        assert (np.diff(totals, axis=1) >= -ROUNDING).all()
        for row in listed:
            assert len({tuple(np.flatnonzero(weights)) for weights in row}) == 10

    def test_it_holds_the_cheapest_faces_there_are(self):
        costs = random_costs(7, 5, 6, 12)
        for vertex, listed in enumerate(list_sparse(costs, 3, 10)):
            found = []
            for size in (1, 2, 3):
                for face in itertools.combinations(range(6), size):
                    solved = np.linalg.solve(costs[vertex][np.ix_(face, face)], np.ones(size))
                    if (solved > 0).all():
                        found.append(1 / solved.sum())
            expected = np.sort(found)[:10]
            totals = quadratic(listed[: len(expected)], np.broadcast_to(costs[vertex], (len(expected), 6, 6)))
            np.testing.assert_allclose(totals, expected, rtol=1e-6)

    def test_what_a_vertex_has_not_is_zero(self):
        listed = list_sparse(random_costs(7, 2, 2, 12), 1, 4)
        assert np.count_nonzero(listed.any(axis=2)) == 4

    def test_with_branching_the_best_comes_first_and_no_set_twice(self):
        costs = random_costs(6, 8, 8, 30)
        listed = list_sparse(costs, 4, 10, **BRANCHING)
        np.testing.assert_array_equal(listed[:, 0], solve_sparse(costs, 4).weights)
        for row in listed:
            sets = [tuple(np.flatnonzero(weights)) for weights in row if weights.any()]
            assert len(set(sets)) == len(sets) == 10
            assert all(1 <= len(one) <= 4 for one in sets)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"max_influences": 0}, OptionError), ({"max_influences": True}, OptionError),
        ({"max_faces": -1}, OptionError), ({"max_nodes": 3}, OptionError),
        ({"instruction_set": "x87"}, OptionError),
        ({"costs": np.zeros((2, 3, 4))}, ArrayError), ({"costs": np.zeros((2, 3, 3), np.float32)}, ArrayError),
        ({"costs": np.zeros((2, 0, 0))}, OptionError), ({"sizes": np.zeros(3)}, ArrayError),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(options, error):
    options = {"costs": np.zeros((2, 3, 3)), "max_influences": 2, **options}
    costs, most = options.pop("costs"), options.pop("max_influences")
    with pytest.raises(error):
        solve_sparse(costs, most, **options)


@pytest.mark.parametrize("count", [0, 17])
def test_a_list_has_one_to_sixteen_places(count):
    with pytest.raises(OptionError):
        list_sparse(np.zeros((2, 3, 3)), 2, count)
