"""limiting.gram: forms over poses against the direct way, which poses every vertex by every joint."""

from __future__ import annotations

import numpy as np
import pytest

from skinproof.errors import ArrayError
from skinproof.limiting.gram import FORM_SIZE, JointPairs, add_poses, vertex_costs
from tolerances import GRAM


def scene(seed=0, *, poses=40, joints=9, vertices=30, width=6, spread=1.0, away=0.0):
    """Random affine matrices near one that carries all joints, positions, influences, and shares of time."""
    rng = np.random.default_rng(seed)
    palettes = np.zeros((poses, joints, 4, 4))
    palettes[:, :, :3] = (
        np.eye(3, 4) + rng.normal(size=(poses, 1, 3, 4)) + spread * rng.normal(size=(poses, joints, 3, 4))
    )
    palettes[:, :, :3, 3] += away * rng.normal(size=(poses, 1, 3))
    palettes[:, :, 3, 3] = 1
    chosen = rng.permuted(np.tile(np.arange(joints), (vertices, 1)), axis=1)[:, :width].astype(np.uint16)
    weights = rng.dirichlet(np.ones(width), vertices)
    return palettes, rng.normal(size=(vertices, 3)), chosen, weights, rng.dirichlet(np.ones(poses))


def forms_of(palettes, shares, pairs, centre, *, block=None):
    forms = np.zeros((len(pairs), FORM_SIZE))
    step = block or len(palettes)
    for start in range(0, len(palettes), step):
        add_poses(palettes[start : start + step], shares[start : start + step], pairs, centre, out=forms)
    return forms


def costs_of(palettes, positions, joints, weights, shares, **options):
    pairs = JointPairs.of([joints], joint_count=palettes.shape[1])
    centre = positions.mean(axis=0)
    forms = forms_of(palettes, shares, pairs, centre, **options)
    return vertex_costs(positions, joints, weights, pairs, forms, centre)[0]


def direct(palettes, positions, joints, weights, shares):
    """H from posed positions, as NumPy's long double where there is one."""
    real = np.longdouble
    homogeneous = np.column_stack([positions, np.ones(len(positions))]).astype(real)
    images = np.einsum("pvnij,vj->vnpi", palettes.astype(real)[:, joints, :3], homogeneous)
    moved = images - np.einsum("vn,vnpi->vpi", weights.astype(real), images)[:, np.newaxis]
    return np.einsum("p,vnpi,vmpi->vnm", shares.astype(real), moved, moved)


@pytest.mark.parametrize("options", [{}, {"poses": 1}, {"joints": 3, "width": 2}, {"spread": 0.01, "away": 100.0}])
def test_it_agrees_with_posing_every_vertex(options):
    given = scene(**options)
    costs, expected = costs_of(*given), direct(*given)
    size = np.abs(expected).max(axis=(1, 2), keepdims=True)
    assert (size > 0).all()
    assert np.abs(costs - expected).max() <= GRAM * size.max()


def test_weights_cost_their_mean_square_displacement_and_the_source_nothing():
    palettes, positions, joints, weights, shares = scene(3)
    costs = costs_of(palettes, positions, joints, weights, shares)
    other = np.random.default_rng(1).dirichlet(np.ones(joints.shape[1]), len(joints))
    homogeneous = np.column_stack([positions, np.ones(len(positions))])
    moved = np.einsum("vn,pvnij,vj->pvi", other - weights, palettes[:, joints, :3], homogeneous)
    expected = np.einsum("p,pvi,pvi->v", shares, moved, moved)
    np.testing.assert_allclose(np.einsum("vi,vij,vj->v", other, costs, other), expected, rtol=1e-9)
    np.testing.assert_allclose(np.einsum("vij,vj->vi", costs, weights), 0, atol=1e-11)


def test_blocks_of_any_length_give_the_same_bytes():
    palettes, positions, joints, weights, shares = scene(4)
    whole = costs_of(palettes, positions, joints, weights, shares)
    for block in (1, 7, 39):
        np.testing.assert_array_equal(costs_of(palettes, positions, joints, weights, shares, block=block), whole)


def test_a_common_motion_changes_next_to_nothing():
    """Walking 1 km away must cost no digits: what all joints share is taken off before anything is squared."""
    palettes, positions, joints, weights, shares = scene(5, spread=0.05)
    near = costs_of(palettes, positions, joints, weights, shares)
    far = palettes.copy()
    far[:, :, :3, 3] += 1000 * np.arange(len(palettes))[:, np.newaxis, np.newaxis]
    np.testing.assert_allclose(costs_of(far, positions, joints, weights, shares), near, atol=1e-8 * np.abs(near).max())


def test_only_pairs_that_occur_are_kept():
    rows = [np.array([[4, 1]], np.uint16), np.array([[7, 1, 1]], np.uint16)]
    pairs = JointPairs.of(rows, joint_count=9)
    found = list(zip(pairs.firsts.tolist(), pairs.partners.tolist(), strict=True))
    assert found == [(1, 1), (1, 4), (1, 7), (4, 4), (7, 7)]
    assert len(pairs) == 5
    assert len(JointPairs.of([], joint_count=3)) == 0


def test_a_pair_that_was_not_accumulated_is_refused():
    palettes, positions, joints, weights, shares = scene(6)
    pairs = JointPairs.of([joints[:1, :2]], joint_count=palettes.shape[1])
    forms = forms_of(palettes, shares, pairs, np.zeros(3))
    with pytest.raises(ArrayError, match="pair"):
        vertex_costs(positions, joints, weights, pairs, forms, np.zeros(3))


@pytest.mark.parametrize("name", ["palettes", "shares", "centre", "out"])
def test_arrays_of_the_wrong_type_are_refused(name):
    palettes, _, joints, _, shares = scene(7)
    pairs = JointPairs.of([joints], joint_count=palettes.shape[1])
    given = {"palettes": palettes, "shares": shares, "centre": np.zeros(3), "out": np.zeros((len(pairs), FORM_SIZE))}
    given[name] = given[name].astype(np.float32)
    with pytest.raises(ArrayError, match=name):
        add_poses(given["palettes"], given["shares"], pairs, given["centre"], out=given["out"])
