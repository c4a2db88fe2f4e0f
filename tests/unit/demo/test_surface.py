"""The closed quad surface around a field."""

from __future__ import annotations

import numpy as np
import pytest

from skinproof.demo.surface import make_surface, neighbours_of
from tolerances import DEMO_SPHERE_NORMAL, DEMO_SPHERE_RADIUS

RADIUS = 0.4


def sphere(points):
    return np.linalg.norm(points, axis=1) - RADIUS


@pytest.fixture(scope="module")
def surface():
    return make_surface(sphere, low=(-0.55, -0.55, -0.55), cells=(11, 11, 11), step=0.1)


def test_vertices_lie_on_the_field_s_zero_set(surface):
    assert len(surface.positions) > 100
    radii = np.linalg.norm(surface.positions, axis=1)
    np.testing.assert_allclose(radii, RADIUS, rtol=0, atol=DEMO_SPHERE_RADIUS)


def test_normals_point_outwards(surface):
    outward = surface.positions / np.linalg.norm(surface.positions, axis=1, keepdims=True)
    np.testing.assert_allclose(surface.normals, outward, rtol=0, atol=DEMO_SPHERE_NORMAL)


def test_it_is_closed_and_every_quad_faces_outwards(surface):
    edges = np.concatenate([surface.quads[:, [i, (i + 1) % 4]] for i in range(4)])
    directed = {tuple(edge) for edge in edges.tolist()}
    assert len(directed) == len(edges)
    assert {(b, a) for a, b in directed} == directed  # each edge is used once in each direction
    assert len(surface.positions) - len(edges) // 2 + len(surface.quads) == 2  # Euler: a sphere
    corners = surface.positions[surface.quads]
    facing = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    assert np.all(np.einsum("ij,ij->i", facing, corners.mean(axis=1)) > 0)


def test_neighbours_are_the_ends_of_quad_edges():
    table = neighbours_of(np.array([[0, 1, 2, 3], [1, 4, 5, 2]]), 6)
    assert [set(row) - {vertex} for vertex, row in enumerate(table.tolist())] == [
        {1, 3}, {0, 2, 4}, {1, 3, 5}, {0, 2}, {1, 5}, {2, 4},
    ]  # fmt: skip
