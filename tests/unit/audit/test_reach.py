from __future__ import annotations

import numpy as np

from captures import make_walker
from skinproof.audit.reach import Reach


def test_no_vertex_of_a_joint_moves_further_than_root_two_of_the_distance():
    character = make_walker()
    reach = Reach.of(character, 0)
    rng = np.random.default_rng(3)
    one, other = np.tile(np.eye(4), (2, 4, 1, 1))
    one[:, :3] += rng.normal(size=(4, 3, 4))
    distance = np.linalg.norm(reach.coordinates(one) - reach.coordinates(other), axis=-1)
    primitive = character.primitives[0]
    for vertex, position in enumerate(primitive.positions):
        for joint in primitive.influences.joints[vertex][primitive.influences.weights[vertex] > 0]:
            moved = (one[joint] - other[joint]) @ np.append(position, 1.0)
            assert np.linalg.norm(moved) <= np.sqrt(2) * distance[joint] + 1e-12


def test_centres_and_radii_are_those_of_the_vertices():
    reach = Reach.of(make_walker(), 0)
    np.testing.assert_allclose(reach.centres[:, 0], [0.5, 1, 2.5, 3.5])
    np.testing.assert_allclose(reach.radii, [0.5, 0.2, 0.5, 0.5])
    assert reach.diagonal == 4.0


def test_rounding_grows_with_the_distance_from_the_origin():
    reach = Reach.of(make_walker(), 0)
    near, far = np.tile(np.eye(4), (2, 4, 1, 1))
    far[:, 0, 3] = 1000.0
    assert (reach.rounding(far) > 100 * reach.rounding(near)).all()
