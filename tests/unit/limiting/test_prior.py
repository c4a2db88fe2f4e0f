"""limiting.prior: the closed form against random turns of the joints, each posed in full."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from characters import about, make_nodes, make_skin, trs
from skinproof.limiting.gram import JointPairs, vertex_costs
from skinproof.limiting.prior import prior_forms
from skinproof.poses import palettes
from skinproof.poses.quaternions import from_rotation_vectors, multiplied
from skinproof.poses.world import composed, rest_worlds, world_matrices
from tolerances import PRIOR_SAMPLED

#       0 — 1 — 2 — 3
#           └ 4 — 5          6: a root of its own
PARENTS = [-1, 0, 1, 2, 1, 4, -1]


def bound_tree(parents=PARENTS, *, scale=1.0):
    """A tree of joints with turned and shifted rests, bound where they stand; `scale` on the roots."""
    rng = np.random.default_rng(2)
    count = len(parents)
    nodes = make_nodes(
        parents,
        translations=rng.normal(size=(count, 3)),
        rotations=[about(rng.normal(size=3), 40) for _ in range(count)],
        scales=[[scale] * 3 if parent < 0 else [1, 1, 1] for parent in parents],
    )
    return nodes, make_skin(range(count), np.linalg.inv(rest_worlds(nodes)))


def one_vertex(joints, weights=None):
    count = len(joints)
    weights = np.full(count, 1 / count) if weights is None else weights
    return np.array([joints], np.uint16), np.array([weights], np.float64)


def prior_costs(nodes, skin, position, joints, weights, angles, *, centre=(0.3, -0.2, 0.1)):
    pairs, centre = JointPairs.of([joints], joint_count=len(skin)), np.array(centre)
    forms = prior_forms(nodes, skin, pairs, centre, angles=angles)
    return vertex_costs(np.array([position]), joints, weights, pairs, forms, centre)[0][0]


def sampled_costs(nodes, skin, position, joints, weights, angles, count):
    """The mean of H over random small turns, every pose made by the product of its matrices down the tree."""
    rng = np.random.default_rng(7)
    homogeneous = np.append(position, 1.0)
    vectors = rng.normal(size=(count, len(nodes), 3)) * (angles / np.sqrt(3))[:, np.newaxis]
    turned = multiplied(np.broadcast_to(nodes.rotations, (count, len(nodes), 4)), from_rotation_vectors(vectors))
    locals_ = composed(nodes.translations, turned, nodes.scales)
    images = palettes(skin, world_matrices(nodes, locals_))[:, joints[0], :3] @ homogeneous
    moved = images - np.einsum("n,pnd->pd", weights[0], images)[:, np.newaxis]
    return np.einsum("pnd,pmd->nm", moved, moved) / count


@pytest.mark.parametrize("joints", [(3, 2, 1), (3, 5, 0, 4), (0, 6, 2)])
@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_it_is_the_mean_over_small_random_turns(joints, scale):
    nodes, skin = bound_tree(scale=scale)
    joints, weights = one_vertex(joints, np.random.default_rng(1).dirichlet(np.ones(len(joints))))
    angles = np.radians(np.linspace(0.2, 0.5, len(nodes)))
    position = np.array([0.4, 1.1, -0.3])
    closed = prior_costs(nodes, skin, position, joints, weights, angles)
    sampled = sampled_costs(nodes, skin, position, joints, weights, angles, 20_000)
    assert np.abs(closed - sampled).max() <= PRIOR_SAMPLED * np.abs(closed).max()


def test_it_is_the_formula_written_out():
    nodes, skin = bound_tree()
    joints, weights = one_vertex((3, 5, 1), (0.5, 0.3, 0.2))
    angles = np.radians(np.linspace(5, 25, len(nodes)))
    worlds = rest_worlds(nodes)
    position = np.array([0.1, 0.2, 0.3])
    above = {3: {0, 1, 2, 3}, 5: {0, 1, 4, 5}, 1: {0, 1}}
    expected = np.zeros((3, 3))
    for joint in range(len(nodes)):
        carried = np.array([joint in above[one] for one in (3, 5, 1)], float)
        off = carried - weights[0] @ carried
        square = np.sum((position - worlds[joint, :3, 3]) ** 2)
        expected += 2 / 3 * angles[joint] ** 2 * square * np.outer(off, off)
    np.testing.assert_allclose(prior_costs(nodes, skin, position, joints, weights, angles), expected, atol=1e-13)


def test_a_joint_that_does_not_turn_says_nothing():
    nodes, skin = bound_tree()
    joints, weights = one_vertex((2, 3))
    angles = np.full(len(nodes), 0.3)
    angles[3] = 0.0
    np.testing.assert_allclose(prior_costs(nodes, skin, np.ones(3), joints, weights, angles), 0.0, atol=1e-14)


def test_roots_alone_make_no_tree():
    nodes, skin = bound_tree([-1, -1, -1])
    pairs = JointPairs.of([np.array([[0, 1, 2]], np.uint16)], joint_count=3)
    assert not prior_forms(nodes, skin, pairs, np.zeros(3), angles=np.full(3, 0.3)).any()
    # Nor does a node above them that is no joint and does not turn.
    nodes, skin = bound_tree([-1, 0, 0, 0])
    assert not prior_forms(nodes, skin, pairs, np.zeros(3), angles=np.array([0, 0.3, 0.3, 0.3])).any()


def test_a_joint_without_inverse_does_not_upset_the_others():
    nodes, skin = bound_tree()
    joints, weights = one_vertex((1, 2))
    angles = np.full(len(nodes), 0.3)
    expected = prior_costs(nodes, skin, np.ones(3), joints, weights, angles)
    binds = skin.inverse_binds.copy()
    binds[5] = 0
    binds[5, 3, 3] = 1
    broken = replace(skin, inverse_binds=binds)
    np.testing.assert_allclose(prior_costs(nodes, broken, np.ones(3), joints, weights, angles), expected, atol=1e-12)


def test_a_placed_mesh_is_measured_in_the_world():
    """Mesh space may be in centimetres: the costs are square metres all the same."""
    nodes, skin = bound_tree()
    small = trs(scale=(0.01, 0.01, 0.01))
    in_centimetres = replace(skin, inverse_binds=skin.inverse_binds @ small)
    joints, weights = one_vertex((1, 2, 3))
    angles = np.full(len(nodes), 0.3)
    position = np.array([0.2, 0.1, 0.7])
    np.testing.assert_allclose(
        prior_costs(nodes, in_centimetres, position * 100, joints, weights, angles, centre=(30.0, -20.0, 10.0)),
        prior_costs(nodes, skin, position, joints, weights, angles),
        rtol=1e-10,
    )
