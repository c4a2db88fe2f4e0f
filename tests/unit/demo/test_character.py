"""The made character as a whole: what the demo promises."""

from __future__ import annotations

import numpy as np
import pytest

from skinproof.demo import make_character
from tolerances import DEMO_WEIGHT_SUM, ROUNDING


@pytest.fixture(scope="module")
def character():
    return make_character()


@pytest.fixture(scope="module")
def primitive(character):
    return character.primitives[0]


def test_it_is_as_large_as_promised(character, primitive):
    assert primitive.vertex_count >= 5000
    assert len(character.skins[0]) >= 20
    assert [clip.name for clip in character.clips] == ["walk", "bend"]
    low, high = primitive.positions.min(axis=0), primitive.positions.max(axis=0)
    assert 1.7 < high[1] - low[1] < 2.0
    assert np.all(np.abs(low[1]) < 0.05)  # it stands on the ground


def test_it_is_one_closed_surface_once_the_seam_is_welded(primitive):
    _, welded = np.unique(primitive.positions, axis=0, return_inverse=True)
    triangles = welded[primitive.indices.reshape(-1, 3)]
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    directed = {tuple(edge) for edge in edges.tolist()}
    assert len(directed) == len(edges)
    assert {(b, a) for a, b in directed} == directed
    assert welded.max() + 1 - len(edges) // 2 + len(triangles) == 2  # Euler: one sphere, no holes, no handles


def test_triangles_face_the_way_their_normals_do(primitive):
    corners = primitive.positions[primitive.indices.reshape(-1, 3)]
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = primitive.normals[primitive.indices.reshape(-1, 3)].sum(axis=1)
    assert np.mean(np.einsum("ij,ij->i", facing, normals) > 0) > 0.999


def test_the_seam_is_split_and_both_sides_have_equal_influences(primitive):
    positions, first, inverse, counts = np.unique(
        primitive.positions, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    assert np.count_nonzero(counts == 2) > 100
    assert counts.max() == 2
    assert np.all(np.abs(positions[counts == 2, 0]) < 1e-6)
    twin = first[inverse]
    assert np.array_equal(primitive.influences.weights, primitive.influences.weights[twin])
    assert np.array_equal(primitive.influences.joints, primitive.influences.joints[twin])


def test_weights_keep_the_contract_and_use_up_to_eight_influences(character, primitive):
    influences = primitive.influences
    histogram = np.bincount(influences.counts, minlength=9)
    assert len(histogram) == 9
    assert np.all(histogram[1:] > 50)
    np.testing.assert_allclose(influences.weights.astype(np.float64).sum(axis=1), 1.0, rtol=0, atol=DEMO_WEIGHT_SUM)
    assert np.all(np.diff(influences.weights, axis=1) <= 0)
    used = influences.weights > 0
    assert set(influences.joints[used].tolist()) == set(range(len(character.skins[0])))
    for row, mask in zip(influences.joints, used, strict=True):
        assert len(set(row[mask])) == mask.sum()


def test_weights_are_smooth(primitive):
    dense = np.zeros((primitive.vertex_count, 28))
    rows = np.arange(primitive.vertex_count)[:, None]
    np.add.at(dense, (rows, primitive.influences.joints), primitive.influences.weights)
    triangles = primitive.indices.reshape(-1, 3)
    steps = np.abs(dense[triangles[:, 0]] - dense[triangles[:, 1]]).max(axis=1)
    assert steps.max() < 0.25


def test_one_leg_never_pulls_at_the_other(character, primitive):
    names = [character.nodes.names[node] for node in character.skins[0].joints]
    other = [joint for joint, name in enumerate(names) if name in {"shin_r", "foot_r", "toes_r"}]
    left = primitive.positions[:, 0] > 0.0
    used = primitive.influences.weights > 0
    assert np.any(used[~left] & np.isin(primitive.influences.joints[~left], other))
    assert not np.any(used[left] & np.isin(primitive.influences.joints[left], other))


def test_at_rest_every_joint_is_where_it_was_bound(character):
    nodes, skin = character.nodes, character.skins[0]
    worlds = nodes.matrices.copy()
    for node in nodes.order:
        if nodes.parents[node] >= 0:
            worlds[node] = worlds[nodes.parents[node]] @ nodes.matrices[node]
    np.testing.assert_allclose(
        worlds[skin.joints] @ skin.inverse_binds, np.tile(np.eye(4), (len(skin), 1, 1)), rtol=0, atol=ROUNDING
    )
