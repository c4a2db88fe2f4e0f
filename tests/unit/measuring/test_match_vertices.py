from __future__ import annotations

import numpy as np
import pytest

from skinproof.errors import ComparisonError
from skinproof.measuring.match_vertices import Pool, match_vertices

NAN = float("nan")
UP, SIDE = (0.0, 1, 0), (1.0, 0, 0)


def pool(*vertices):
    """A pool of vertices given as (position, normal, uv, {joint: weight}); None for no normal or uv."""
    slots = max(len(vertex[3]) for vertex in vertices)
    joints, weights = np.zeros((len(vertices), slots), np.uint16), np.zeros((len(vertices), slots))
    for row, (*_, influences) in enumerate(vertices):
        joints[row, : len(influences)] = list(influences)
        weights[row, : len(influences)] = list(influences.values())
    return Pool(
        np.array([vertex[0] for vertex in vertices], np.float64),
        np.array([vertex[1] or (NAN,) * 3 for vertex in vertices], np.float64),
        np.array([vertex[2] or (NAN,) * 2 for vertex in vertices], np.float64),
        joints,
        weights,
    )


def matched(originals, results, *, radius=1e-3, slack=1e-6):
    """Partners and ambiguous vertices of both sides, as lists."""
    return [
        (side.partner.tolist(), np.flatnonzero(side.ambiguous).tolist())
        for side in match_vertices(originals, results, radius=radius, slack=slack)
    ]


def brute_force(originals, results, radius):
    """The partner of each original by position and normal alone, one vertex after the other."""
    partners = []
    for position, normal in zip(originals.positions, originals.normals, strict=True):
        apart = np.linalg.norm(results.positions - position, axis=1)
        turned = np.linalg.norm(results.normals - normal, axis=1)
        near = [index for index in range(len(results)) if apart[index] <= radius]
        near = [index for index in near if turned[index] <= 0.1] or near
        partners.append(min(near, key=lambda index: apart[index], default=-1))
    return partners


def test_a_shuffled_cloud_finds_its_order_again():
    random = np.random.default_rng(5)
    positions = random.uniform(-1, 1, (500, 3))
    normals = random.normal(size=(500, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    uvs, joints = random.uniform(0, 1, (500, 2)), random.integers(0, 9, (500, 4)).astype(np.uint16)
    weights = random.dirichlet(np.ones(4), 500)
    order = random.permutation(500)
    originals = Pool(positions, normals, uvs, joints, weights)
    results = Pool(positions[order] + 1e-5, normals[order], uvs[order], joints[order], weights[order])
    there, back = match_vertices(originals, results, radius=1e-3, slack=1e-6)
    np.testing.assert_array_equal(back.partner, order)
    np.testing.assert_array_equal(there.partner[order], np.arange(500))
    assert not there.ambiguous.any()
    assert not back.ambiguous.any()


@pytest.mark.parametrize("seed", range(6))
def test_the_partner_is_that_of_brute_force(seed):
    """Points so dense that most have several candidates, with two kinds of normals."""
    random = np.random.default_rng(seed)
    clouds = []
    for count in (60, 80):
        normals = np.array([UP, SIDE])[random.integers(0, 2, count)]
        ones = np.ones((count, 1))
        clouds.append(
            Pool(random.uniform(0, 1, (count, 3)), normals, np.full((count, 2), NAN), ones.astype(np.uint16), ones)
        )
    originals, results = clouds
    there, back = match_vertices(originals, results, radius=0.25, slack=0.0)
    assert there.partner.tolist() == brute_force(originals, results, 0.25)
    assert back.partner.tolist() == brute_force(results, originals, 0.25)


class TestWhatTellsVerticesApart:
    def test_a_normal_goes_before_a_nearer_place(self):
        one = pool(((0, 0, 0), UP, None, {1: 1.0}), ((0, 1e-4, 0), SIDE, None, {1: 1.0}))
        other = pool(((0, 0, 0), SIDE, None, {1: 1.0}), ((0, 1e-4, 0), UP, None, {1: 1.0}))
        assert matched(one, other) == [([1, 0], []), ([1, 0], [])]

    def test_texture_coordinates_where_normals_agree(self):
        one = pool(((0, 0, 0), UP, (0, 0), {1: 1.0}), ((0, 0, 0), UP, (1, 0), {2: 1.0}))
        other = pool(((0, 0, 0), UP, (1, 0.0009), {1: 1.0}), ((0, 0, 0), UP, (0, 0), {2: 1.0}))
        assert matched(one, other) == [([1, 0], []), ([1, 0], [])]

    def test_what_one_side_lacks_tells_nothing(self):
        one = pool(((0, 0, 0), UP, (0, 0), {1: 1.0}), ((0, 0, 0), SIDE, (1, 0), {1: 1.0}))
        other = pool(((0, 0, 0), None, None, {1: 1.0}))
        assert matched(one, other) == [([0, 0], []), ([0], [])]

    def test_where_none_agrees_the_place_decides(self):
        one = pool(((0, 0, 0), UP, (0.5, 0), {1: 1.0}))
        other = pool(((0, 1e-4, 0), SIDE, (0, 0), {1: 1.0}), ((0, 0, 0), (0.0, 0, 1), (0, 0), {1: 1.0}))
        assert matched(one, other) == [([1], []), ([0, 0], [])]


class TestAmbiguous:
    def test_vertices_told_apart_by_their_weights_alone(self):
        """Two sides of a seam at one place; the slots may stand in another order."""
        one = pool(((0, 0, 0), UP, (0, 0), {1: 0.6, 2: 0.4}), ((0, 0, 0), UP, (0, 0), {3: 1.0}))
        other = pool(((0, 0, 0), UP, (0, 0), {3: 1.0}), ((0, 0, 0), UP, (0, 0), {2: 0.4, 1: 0.6}))
        assert matched(one, other) == [([1, 0], [0, 1]), ([1, 0], [0, 1])]

    def test_candidates_of_the_same_weights_are_not(self):
        one = pool(((0, 0, 0), UP, None, {1: 0.6, 2: 0.4}), ((0, 0, 0), UP, None, {2: 0.4, 7: 0.0, 1: 0.6}))
        other = pool(((0, 0, 0), UP, None, {1: 1.0}))
        assert matched(one, other) == [([0, 0], []), ([0], [])]

    def test_a_nearer_candidate_is_not_ambiguous(self):
        one = pool(((0, 0, 0), None, None, {1: 1.0}))
        other = pool(((0, 0, 1e-5), None, None, {2: 1.0}), ((0, 0, 0), None, None, {3: 1.0}))
        assert matched(one, other)[0] == ([1], [])
        assert matched(one, other, slack=1e-4)[0] == ([1], [0])


def test_welded_and_split():
    """Three original vertices are one in the result, and one is split in two."""
    influences = {1: 1.0}
    one = pool(*[((0, 0, 0), None, None, influences)] * 3, ((1, 0, 0), UP, None, influences))
    other = pool(
        ((0, 0, 0), UP, None, influences), ((1, 0, 0), UP, None, influences), ((1, 0, 0), SIDE, None, influences)
    )
    assert matched(one, other) == [([0, 0, 0, 1], []), ([0, 3, 3], [])]


def test_a_vertex_without_anything_near_has_no_partner():
    one = pool(((0, 0, 0), UP, None, {1: 1.0}), ((1, 0, 0), UP, None, {1: 1.0}), ((NAN, 0, 0), UP, None, {1: 1.0}))
    other = pool(((1, 0, 0), UP, None, {1: 1.0}), ((0, 0, 2e-3), UP, None, {1: 1.0}))
    assert matched(one, other) == [([-1, 0, -1], []), ([1, -1], [])]


def test_heaps_are_refused():
    heap = Pool(
        np.zeros((3000, 3)),
        np.zeros((3000, 3)),
        np.zeros((3000, 2)),
        np.zeros((3000, 1), np.uint16),
        np.ones((3000, 1)),
    )
    with pytest.raises(ComparisonError, match="heaped up"):
        match_vertices(heap, heap, radius=1.0, slack=0.0)


def test_joined_pools_keep_their_order():
    narrow = pool(((0, 0, 0), UP, (0, 0), {1: 1.0}))
    wide = pool(((1, 0, 0), None, None, {2: 0.5, 3: 0.5}))
    both = Pool.joined([narrow, wide])
    assert both.positions.tolist() == [[0, 0, 0], [1, 0, 0]]
    assert both.joints.tolist() == [[1, 0], [2, 3]]
    assert both.weights.tolist() == [[1, 0], [0.5, 0.5]]
    assert len(Pool.joined([])) == 0
