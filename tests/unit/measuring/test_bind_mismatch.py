from dataclasses import replace

import numpy as np
import pytest

from characters import make_influences, make_primitive, make_skin
from skinproof.measuring.bind_mismatch import bind_mismatch, weighted_joints

JOINTS = 6


def tube(joints=JOINTS, per_joint=20):
    """A skin of joints one metre apart along x, and rings of radius 0.1 about each of them, bound to it alone."""
    binds = np.tile(np.eye(4), (joints, 1, 1))
    binds[:, 0, 3] = -np.arange(joints)
    owner = np.repeat(np.arange(joints), per_joint)
    angle = np.tile(np.linspace(0, 2 * np.pi, per_joint, endpoint=False), joints)
    positions = np.column_stack([owner, 0.1 * np.cos(angle), 0.1 * np.sin(angle)])
    influences = make_influences(owner[:, np.newaxis], np.ones((len(owner), 1)))
    return make_skin(np.arange(joints), binds), make_primitive(influences, positions=positions)


def test_joints_in_the_midst_of_their_vertices_fit():
    skin, primitive = tube()
    assert bind_mismatch(skin, [primitive]) == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("scale", [1.0, 100.0, 0.001])
def test_a_mesh_moved_away_from_its_skeleton_is_off_by_that_share(scale):
    skin, primitive = tube()
    binds = skin.inverse_binds.copy()
    binds[:, :3, 3] *= scale
    moved = replace(primitive, positions=(primitive.positions * scale + np.float32([0, 2 * scale, 0])))
    diagonal = np.linalg.norm([5, 0.2, 0.2])
    assert bind_mismatch(replace(skin, inverse_binds=binds), [moved]) == pytest.approx(2 / diagonal, rel=1e-5)


def test_a_skeleton_in_another_unit_is_off():
    skin, primitive = tube()
    binds = skin.inverse_binds.copy()
    binds[:, 0, 3] *= 100
    assert bind_mismatch(replace(skin, inverse_binds=binds), [primitive]) > 10


def test_a_scale_folded_into_the_inverse_binds_does_no_harm():
    skin, primitive = tube()
    scaled = skin.inverse_binds * np.array([1e-4, 1e-4, 1e-4, 1])[:, np.newaxis]
    assert bind_mismatch(replace(skin, inverse_binds=scaled), [primitive]) == pytest.approx(0, abs=1e-6)


def test_the_median_joint_counts():
    skin, primitive = tube(7)
    binds = skin.inverse_binds.copy()
    binds[:3, 1, 3] = 40
    assert bind_mismatch(replace(skin, inverse_binds=binds), [primitive]) == pytest.approx(0, abs=1e-7)
    binds[3, 1, 3] = 40
    assert bind_mismatch(replace(skin, inverse_binds=binds), [primitive]) > 5


def test_centroids_are_weighted_and_span_primitives():
    skin, primitive = tube()
    far = replace(primitive, positions=primitive.positions + np.float32([0, 3, 0]))
    light = make_influences(primitive.influences.joints[:, :1], np.full((primitive.vertex_count, 1), 0.5))
    far = replace(far, influences=light)
    diagonal = np.linalg.norm([5, 3.2, 0.2])
    assert bind_mismatch(skin, [primitive, far]) == pytest.approx(1 / diagonal, rel=1e-5)


class TestWhatSaysNothing:
    def test_few_joints(self):
        assert bind_mismatch(*alone(tube(5, 40))) is None

    def test_few_vertices(self):
        assert bind_mismatch(*alone(tube(6, 16))) is None

    def test_no_vertices(self):
        assert bind_mismatch(tube()[0], []) is None

    def test_no_extent(self):
        skin, primitive = tube()
        point = replace(primitive, positions=np.zeros_like(primitive.positions))
        assert bind_mismatch(skin, [point]) is None

    def test_singular_inverse_binds(self):
        skin, primitive = tube()
        binds = skin.inverse_binds.copy()
        binds[0, :3, :3] = 0
        assert bind_mismatch(replace(skin, inverse_binds=binds), [primitive]) is None


def alone(pair):
    return pair[0], [pair[1]]


def test_broken_weights_are_left_out():
    skin, primitive = tube()
    weights = primitive.influences.weights.astype(np.float64)
    joints = primitive.influences.joints.astype(int)
    weights[0, 0], weights[1, 0], joints[2, 0] = np.nan, -1, 99
    broken = replace(primitive, influences=make_influences(joints, weights))
    assert bind_mismatch(skin, [broken]) == pytest.approx(0, abs=0.01)


def test_weighted_joints():
    skin, primitive = tube()
    influences = make_influences([[1, 4, 2], [1, 0, 9]], [[0.5, 0.5, 0], [1, -1, 1]])
    used = weighted_joints(skin, [replace(primitive, positions=np.zeros((2, 3), np.float32), influences=influences)])
    assert used.tolist() == [False, True, False, False, True, False]
