import numpy as np
import pytest

from blends import random_blend
from skinproof.skinning import reference
from tolerances import ROUNDING


def test_positions_vertex_by_vertex():
    blend = random_blend(1)
    found = reference.skin_positions(*blend)
    assert found.shape == (3, 40, 3)
    for pose in range(3):
        for vertex in range(40):
            place = np.append(blend.positions[vertex], 1)
            expected = sum(
                weight * (blend.palettes[pose, joint] @ place)
                for joint, weight in zip(blend.joints[vertex], blend.weights[vertex], strict=True)
            )
            np.testing.assert_allclose(found[pose, vertex], expected[:3], rtol=0, atol=ROUNDING)


def test_the_weight_contract_in_numbers():
    palettes = np.tile(np.eye(4), (1, 4, 1, 1))
    palettes[0, :, 0, 3] = (10, 20, 30, 40)
    joints, weights = [[0, 1, 2, 3]], [[0.4, 0.3, 0.2, 0.1]]
    place = [[2, 0, 0]]
    assert reference.skin_positions(place, joints, weights, palettes)[0, 0, 0] == pytest.approx(22, rel=1e-15)
    cut = reference.skin_positions(place, [[0, 1]], [[0.4, 0.3]], palettes)
    assert cut[0, 0, 0] == pytest.approx(11.4, rel=1e-15)


def test_normals_stay_perpendicular_and_outward():
    blend = random_blend(2)
    first, second = np.random.default_rng(3).normal(size=(2, 40, 3))
    normals = np.cross(first, second)
    found = reference.skin_normals(normals, *blend[1:])
    linear = reference.blended_matrices(*blend[1:])[..., :3, :3]
    np.testing.assert_allclose(np.linalg.norm(found, axis=-1), 1, rtol=ROUNDING)
    for tangent in (first, second):
        along = (linear @ tangent[:, :, np.newaxis])[..., 0]
        assert np.abs((found * along).sum(axis=-1)).max() < 1e3 * ROUNDING
    # Outward: a point on the normal's side of the surface stays on that side.
    outside = (linear @ normals[:, :, np.newaxis])[..., 0]
    assert (np.linalg.det(linear) < 0).any(), "no mirror among them"
    assert ((found * outside).sum(axis=-1) > 0).all()


def test_an_empty_slot_is_not_looked_up():
    blend = random_blend(4)
    joints = np.concatenate([blend.joints, np.full((40, 1), 65535, np.uint16)], axis=1)
    weights = np.concatenate([blend.weights, np.full((40, 1), -0.0)], axis=1)
    found = reference.skin_positions(blend.positions, joints, weights, blend.palettes)
    np.testing.assert_array_equal(found, reference.skin_positions(*blend))
