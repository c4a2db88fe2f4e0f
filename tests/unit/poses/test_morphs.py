import numpy as np
import pytest

from characters import make_channel, make_character, make_clip, make_nodes
from skinproof.model import Instance
from skinproof.poses.morphs import clip_morph_weights, made_morph_weights, rest_morph_weights, same_shapes

INSTANCES = (Instance(0, 0, 0, (0.5, 2.0)), Instance(1, 1, 0), Instance(2, 0, 0, (0.0, 1.0)))


def morph(node, times, values, name="smile"):
    return make_clip(make_channel(node, "weights", times, values), name=name)


def character(*clips):
    return make_character(make_nodes([-1, -1, -1]), clips=clips, instances=INSTANCES)


def test_at_rest_each_instance_has_its_own():
    found = rest_morph_weights(INSTANCES, 2)
    assert [weights.tolist() for weights in found] == [[[0.5, 2], [0.5, 2]], [[], []], [[0, 1], [0, 1]]]


def test_a_clip_weighs_the_node_that_it_animates():
    found = clip_morph_weights(INSTANCES, morph(2, [1, 3], [[0, 0], [4, 8]]), np.array([0.0, 1.5, 9.0]))
    assert found[2].tolist() == [[0, 0], [1, 2], [4, 8]]
    assert found[0].tolist() == [[0.5, 2]] * 3
    assert found[1].shape == (3, 0)


def test_made_poses_take_the_shapes_at_all_keys():
    clips = morph(0, [0, 1], [[1, 2], [3, 4]]), make_clip(name="none"), morph(2, [5], [[7, 8]])
    found = made_morph_weights(character(*clips), 10)
    assert found[0].tolist() == [[1, 2], [3, 4], [0.5, 2]]
    assert found[2].tolist() == [[0, 1], [0, 1], [7, 8]]
    assert found[1].shape == (3, 0)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_of_too_many_shapes_some_are_taken_evenly(most):
    keys = np.arange(100.0)
    clips = morph(0, keys, np.c_[keys, keys]), morph(0, keys, np.c_[keys, keys] + 100)
    shapes = made_morph_weights(character(*clips), most)[0][:, 0]
    assert len(shapes) == most
    assert shapes[0] == 0
    if most > 1:
        assert shapes[-1] == 199


def test_without_shapes_there_are_none():
    moves = make_clip(make_channel(0, "translation", [0], [[1, 2, 3]]))
    elsewhere = make_clip(make_channel(5, "weights", [0], [[1]]))
    assert made_morph_weights(character(moves, elsewhere), 10) == ()


@pytest.mark.parametrize(
    ("rows", "runs"),
    [
        ([[1, 2]], [(0, 1)]),
        ([[1, 2], [1, 2], [1, 3], [1, 2]], [(0, 2), (2, 3), (3, 4)]),
        ([[], []], [(0, 2)]),
        (np.zeros((0, 2)), []),
    ],
)
def test_runs_of_equal_shapes(rows, runs):
    assert [(run.start, run.stop) for run in same_shapes(np.array(rows, np.float64))] == runs
