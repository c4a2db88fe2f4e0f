import numpy as np
import pytest

from blends import random_blend
from skinproof.measuring.running import RunningDeltas
from skinproof.measuring.subject import Weights
from skinproof.skinning import reference
from tolerances import DISPLACEMENT


@pytest.fixture(scope="module")
def blend():
    """Delta influences of which every third vertex has none, over six poses."""
    made = random_blend(3, poses=6)
    weights = made.weights - made.weights.mean(axis=1, keepdims=True)
    weights[::3] = 0
    return made._replace(weights=weights)


def run(blend, clips, *, bounded=False, block=2):
    running = RunningDeltas(blend.positions, Weights(blend.joints, blend.weights), bounded=bounded)
    first = 0
    for poses, weight in clips:
        for start in range(first, first + poses, block):
            running.add(blend.palettes[start : min(start + block, first + poses)], first_pose=start)
        running.end_clip(weight=weight, poses=poses)
        first += poses
    return running


def squares_of(blend):
    return np.sum(reference.skin_positions(*blend) ** 2, axis=2)


def test_totals_over_clips_and_blocks(blend):
    squares = squares_of(blend)
    running = run(blend, [(4, 0.75), (2, 0.25)])
    np.testing.assert_allclose(running.max_squared, squares.max(axis=0), atol=DISPLACEMENT)
    moving = blend.weights.any(axis=1)
    assert (running.max_pose[moving] == squares.argmax(axis=0)[moving]).all()
    assert (running.max_pose[~moving] == -1).all()
    mean = 0.75 * squares[:4].mean(axis=0) + 0.25 * squares[4:].mean(axis=0)
    np.testing.assert_allclose(running.mean_squared, mean, atol=DISPLACEMENT)


def test_the_last_clip_alone(blend):
    squares = squares_of(blend)
    running = run(blend, [(4, 0.75), (2, 0.25)])
    np.testing.assert_allclose(running.clip_max_squared, squares[4:].max(axis=0), atol=DISPLACEMENT)
    np.testing.assert_allclose(running.clip_mean_squared, squares[4:].mean(axis=0), atol=DISPLACEMENT)
    assert set(running.clip_max_pose) == {-1, 4, 5}


def test_the_bound_is_made_on_demand(blend):
    squares = squares_of(blend)
    assert (run(blend, [(6, 1)]).bound == 0).all()
    bound = run(blend, [(6, 1)], bounded=True).bound
    assert (np.sqrt(squares.max(axis=0)) <= bound + DISPLACEMENT).all()
    assert (bound[::3] == 0).all()
    assert bound[1::3].all()


def test_a_clip_of_no_weight_counts_for_the_maximum_alone(blend):
    running = run(blend, [(4, 1.0), (2, 0.0)])
    np.testing.assert_allclose(running.mean_squared, squares_of(blend)[:4].mean(axis=0), atol=DISPLACEMENT)
    np.testing.assert_allclose(running.max_squared, squares_of(blend).max(axis=0), atol=DISPLACEMENT)


def test_what_is_not_a_number_is_infinitely_far(blend):
    palettes = blend.palettes.copy()
    palettes[3, blend.joints[1, 0], 0, 0] = np.nan
    running = run(blend._replace(palettes=palettes), [(4, 0.5), (2, 0.5)], bounded=True)
    assert running.max_squared[1] == running.mean_squared[1] == running.bound[1] == np.inf
    assert not np.isnan(running.max_squared).any()
    untouched = ~(blend.joints == blend.joints[1, 0]).any(axis=1)
    assert np.isfinite(running.max_squared[untouched]).all()


def test_vertices_that_do_not_differ_cost_nothing_and_stay(blend):
    still = RunningDeltas(blend.positions, Weights(blend.joints, np.zeros_like(blend.weights)), bounded=True)
    still.add(blend.palettes, first_pose=0)
    still.end_clip(weight=1, poses=6)
    assert not any(array.any() for array in (still.max_squared, still.mean_squared, still.bound))


def test_morphed_vertices_are_given_other_places_with_their_poses(blend):
    morphed = np.arange(len(blend.positions)) % 2 == 0
    running = RunningDeltas(blend.positions, Weights(blend.joints, blend.weights), bounded=True, morphed=morphed)
    shapes = [blend.positions + shift for shift in (1.0, -3.0)]
    running.add(blend.palettes, first_pose=0)
    running.add_morphed(shapes[0], blend.palettes[:2], first_pose=0)
    running.add_morphed(None, blend.palettes[2:3], first_pose=2)
    running.add_morphed(shapes[1], blend.palettes[3:], first_pose=3)
    running.end_clip(weight=1.0, poses=6)
    squares = np.concatenate(
        [
            squares_of(blend._replace(positions=np.where(morphed[:, None], shape, blend.positions), palettes=poses))
            for shape, poses in ((shapes[0], blend.palettes[:3]), (shapes[1], blend.palettes[3:]))
        ]
    )
    np.testing.assert_allclose(running.max_squared, squares.max(axis=0), atol=DISPLACEMENT)
    np.testing.assert_allclose(running.mean_squared, squares.mean(axis=0), atol=DISPLACEMENT)
    assert (running.bound >= np.sqrt(running.max_squared) * (1 - 1e-9)).all()
    assert running.bound[morphed].any()
