import tracemalloc

import numpy as np
import pytest

from characters import about, make_channel, make_clip, make_nodes, trs
from skinproof.errors import ArrayError
from skinproof.poses.sampling import sample_channel
from skinproof.poses.world import clip_worlds, composed, rest_worlds, world_matrices
from tolerances import LONG_CHAIN, ROUNDING


def forest(count):
    """Nodes without parents: their worlds are their own transforms."""
    generator = np.random.default_rng(3)
    rotations = generator.normal(size=(count, 4))
    return make_nodes(
        [-1] * count,
        translations=generator.normal(size=(count, 3)),
        rotations=rotations / np.linalg.norm(rotations, axis=1, keepdims=True),
        scales=generator.uniform(0.5, 2, (count, 3)),
    )


def random_tree(count, seed=1):
    """A forest in which a child may come before its parent."""
    generator = np.random.default_rng(seed)
    shuffled = generator.permutation(count)
    parents = np.full(count, -1)
    for place in range(3, count):
        parents[shuffled[place]] = shuffled[generator.integers(0, place)]
    rotations = generator.normal(size=(count, 4))
    return make_nodes(
        parents.tolist(),
        translations=generator.normal(size=(count, 3)),
        rotations=rotations / np.linalg.norm(rotations, axis=1, keepdims=True),
        scales=generator.uniform(0.5, 2, (count, 3)),
    )


def walked_up(nodes, locals_, node):
    """A node's world matrix, from itself to its root."""
    world = locals_[node]
    while (node := nodes.parents[node]) >= 0:
        world = locals_[node] @ world
    return world


def test_composed_is_translation_rotation_scale():
    generator = np.random.default_rng(2)
    translations, scales = generator.normal(size=(2, 9, 3))
    rotations = np.array([about(generator.normal(size=3), degrees) for degrees in range(0, 360, 40)])
    found = composed(translations, rotations, scales)
    for index in range(9):
        expected = trs(translations[index], rotations[index], scales[index])
        np.testing.assert_allclose(found[index], expected, rtol=0, atol=ROUNDING)
    assert (found[:, 3] == (0, 0, 0, 1)).all()


class TestWorldMatrices:
    def test_products_down_the_tree(self):
        nodes = random_tree(60)
        assert (nodes.parents > np.arange(60)).any(), "no child comes before its parent"
        assert (nodes.parents < 0).sum() > 1, "only one root"
        locals_ = np.stack([nodes.matrices, nodes.matrices @ trs((1, 2, 3), about([1, 1, 0], 30))])
        found = world_matrices(nodes, locals_)
        for pose in range(2):
            for node in range(60):
                np.testing.assert_allclose(
                    found[pose, node], walked_up(nodes, locals_[pose], node), rtol=ROUNDING, atol=ROUNDING
                )

    def test_a_root_stays_where_it_is(self):
        nodes = random_tree(10)
        roots = np.flatnonzero(nodes.parents < 0)
        np.testing.assert_array_equal(rest_worlds(nodes)[roots], nodes.matrices[roots])

    def test_no_nodes(self):
        assert rest_worlds(make_nodes([])).shape == (0, 4, 4)

    def test_a_chain_of_20000_nodes(self):
        worlds = rest_worlds(self.spiral(20_000))
        # The joints lie on a circle of 360 steps.
        places = np.cumsum(np.exp(1j * np.radians(np.arange(20_000))))
        np.testing.assert_allclose(worlds[:, 0, 3], places.real, rtol=0, atol=LONG_CHAIN)
        np.testing.assert_allclose(worlds[:, 1, 3], places.imag, rtol=0, atol=LONG_CHAIN)

    def test_memory_grows_with_the_nodes_and_not_with_their_square(self):
        nodes = self.spiral(2_000)
        tracemalloc.start()
        worlds = rest_worlds(nodes)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 * worlds.nbytes

    def spiral(self, count):
        """A chain: every joint one step on from the last, and turned by one degree more."""
        return make_nodes(
            range(-1, count - 1),
            translations=np.tile([1.0, 0, 0], (count, 1)),
            rotations=np.tile(about([0, 0, 1], 1), (count, 1)),
        )


class TestClip:
    TIMES = np.array([0.0, 0.5, 1.0])

    def test_missing_channels_keep_the_rest_transform(self):
        nodes = forest(5)
        clip = make_clip(make_channel(3, "scale", [0, 1], [[1, 1, 1], [3, 5, 7]]))
        found = clip_worlds(nodes, clip, self.TIMES)
        for pose, scale in enumerate([(1, 1, 1), (2, 3, 4), (3, 5, 7)]):
            expected = trs(nodes.translations[3], nodes.rotations[3], scale)
            np.testing.assert_allclose(found[pose, 3], expected, rtol=0, atol=ROUNDING)
            others = [0, 1, 2, 4]
            np.testing.assert_array_equal(found[pose, others], nodes.matrices[others])

    def test_all_three_paths_of_one_node(self):
        nodes = forest(2)
        clip = make_clip(
            make_channel(1, "rotation", [0, 1], [about([0, 1, 0], 0), about([0, 1, 0], 80)]),
            make_channel(1, "translation", [0, 1], [[0, 0, 0], [2, 2, 2]]),
            make_channel(1, "scale", [0, 1], [[1, 1, 1], [2, 2, 2]], interpolation="STEP"),
        )
        expected = trs((1, 1, 1), about([0, 1, 0], 40), (1, 1, 1))
        np.testing.assert_allclose(clip_worlds(nodes, clip, self.TIMES)[1, 1], expected, rtol=0, atol=ROUNDING)

    def test_a_whole_tree_is_what_its_channels_and_products_are_one_by_one(self):
        """The core does all in one go: the same bits as step by step, before, between and after keys."""
        nodes = random_tree(12)
        generator = np.random.default_rng(5)
        channels = [
            make_channel(node, path, keys, generator.normal(size=(len(keys), width)), interpolation=interpolation)
            for node, path, width, interpolation, keys in [
                (0, "rotation", 4, "LINEAR", [0.1, 0.4, 0.9]),
                (3, "rotation", 4, "STEP", [0.2, 0.8]),
                (3, "translation", 3, "LINEAR", [0.0, 0.5, 1.0]),
                (7, "scale", 3, "STEP", [0.3, 0.6]),
                (7, "translation", 3, "LINEAR", [0.5]),
            ]
        ]
        times = generator.uniform(-0.2, 1.2, 40)
        locals_ = np.repeat(nodes.matrices[np.newaxis], 40, axis=0)
        for node in (0, 3, 7):
            parts = {channel.path: sample_channel(channel, times) for channel in channels if channel.node == node}
            locals_[:, node] = composed(
                parts.get("translation", nodes.translations[node]),
                parts.get("rotation", nodes.rotations[node]),
                parts.get("scale", nodes.scales[node]),
            )
        found = clip_worlds(nodes, make_clip(*channels), times)
        assert found.tobytes() == world_matrices(nodes, locals_).tobytes()
        walked = [[walked_up(nodes, one, node) for node in range(12)] for one in locals_]
        np.testing.assert_allclose(found, walked, rtol=0, atol=LONG_CHAIN)

    def test_keys_of_another_width_are_refused_by_name(self):
        clip = make_clip(make_channel(0, "rotation", [0, 1], [[0, 0, 1], [0, 1, 0]]))
        with pytest.raises(ArrayError, match=r"rotation of node 0: expected keys of 4 numbers, got values \(2, 3\)"):
            clip_worlds(forest(1), clip, self.TIMES)

    def test_a_rotation_without_direction_is_refused_by_its_channel(self):
        clip = make_clip(
            make_channel(0, "translation", [0], [[1, 1, 1]]),
            make_channel(1, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, 0, 0]]),
        )
        with pytest.raises(ArrayError, match="rotation of node 1: a rotation has length zero"):
            clip_worlds(forest(2), clip, self.TIMES)

    def test_an_animated_ancestor_that_is_no_joint_carries_its_joints(self):
        nodes = make_nodes([-1, 0, 1], translations=[[0, 0, 0], [1, 0, 0], [1, 0, 0]])
        clip = make_clip(make_channel(0, "rotation", [0, 1], [about([0, 0, 1], 0), about([0, 0, 1], 90)]))
        found = clip_worlds(nodes, clip, np.array([1.0]))
        np.testing.assert_allclose(found[0, 2, :3, 3], [0, 2, 0], rtol=0, atol=ROUNDING)

    def test_node_matrices_are_used_as_they_are(self):
        sheared = np.array([[1, 0.5, 0, 1], [0, 1, 0.25, 2], [0, 0, -1, 3], [0, 0, 0, 1]])
        nodes = make_nodes([-1, 0], translations=[[0, 0, 0], [0, 1, 0]], matrices={0: sheared})
        clip = make_clip(make_channel(1, "translation", [0], [[1, 1, 1]]))
        found = clip_worlds(nodes, clip, self.TIMES)
        np.testing.assert_allclose(found[2, 1, :3, 3], [2.5, 3.25, 2], rtol=0, atol=ROUNDING)

    def test_a_channel_on_a_node_matrix_is_refused_by_name(self):
        nodes = make_nodes([-1], matrices={0: np.eye(4)})
        clip = make_clip(make_channel(0, "translation", [0], [[1, 1, 1]]), name="wave")
        with pytest.raises(ArrayError, match="wave: animates node 0, which is given by a matrix"):
            clip_worlds(nodes, clip, self.TIMES)

    def test_morph_target_weights_move_no_node(self):
        nodes = make_nodes([-1], matrices={0: np.diag([2.0, 2, 2, 1])})
        clip = make_clip(make_channel(0, "weights", [0, 1], [[0, 1], [1, 0]]))
        np.testing.assert_array_equal(clip_worlds(nodes, clip, self.TIMES)[1], nodes.matrices)
