from dataclasses import replace

import numpy as np
import pytest

from arms import make_arm, weights_of, with_weights
from characters import make_channel, make_clip
from skinproof.errors import ComparisonError
from skinproof.measuring.compare import require_comparable


@pytest.fixture
def arm():
    return replace(make_arm(vertices=8), name="hero.glb")


@pytest.fixture
def again():
    """The same character, read from another file: nothing is shared."""
    return replace(make_arm(vertices=8), name="copy.glb")


def with_binds(character, change):
    binds = character.skins[0].inverse_binds.copy()
    change(binds)
    return replace(character, skins=(replace(character.skins[0], inverse_binds=binds),))


def with_names(character, *names):
    return replace(character, nodes=replace(character.nodes, names=names))


def with_positions(character, change):
    positions = character.primitives[0].positions.copy()
    change(positions)
    return replace(character, primitives=(replace(character.primitives[0], positions=positions),))


def refused(original, result):
    with pytest.raises(ComparisonError) as caught:
        require_comparable(original, result)
    message = str(caught.value)
    assert message.startswith(f"{original.name} and {result.name} cannot be compared: ")
    assert ". Compare files with " in message
    return message


class TestWhatMayDiffer:
    def test_influences(self, arm, again):
        require_comparable(arm, with_weights(again, weights_of(arm)[::-1]))

    def test_influences_of_a_character_made_in_memory(self, arm):
        require_comparable(arm, with_weights(arm, weights_of(arm)[::-1]))

    @pytest.mark.parametrize("names", [("", "", ""), ("a", "b", "c")])
    def test_names(self, arm, again, names):
        require_comparable(arm, with_names(again, *names))

    def test_rounding(self, arm, again):
        def shift(binds):
            binds[:, :3, 3] *= 1 + 1e-6

        require_comparable(arm, with_binds(again, shift))
        require_comparable(arm, with_positions(again, lambda positions: np.add(positions, 1e-7, out=positions)))

    def test_keys_that_make_the_same_poses(self, arm, again):
        travel = make_clip(
            make_channel(0, "translation", [0, 0.5, 1], [[0, 0, 0], [15, 0, 2], [30, 0, 4]]), name="resampled"
        )
        require_comparable(arm, replace(again, clips=(again.clips[0], travel)))

    def test_matrices_that_overflowed_alike(self, arm, again):
        huge = make_clip(*(make_channel(node, "scale", [0, 1], [[1e200] * 3] * 2) for node in (0, 1)), name="huge")
        require_comparable(replace(arm, clips=(huge,)), replace(again, clips=(huge,)))

    def test_characters_without_clips(self, arm, again):
        require_comparable(replace(arm, clips=()), replace(again, clips=()))


class TestWhatMustAgree:
    def test_the_number_of_primitives(self, arm, again):
        message = refused(arm, replace(again, primitives=again.primitives * 2))
        assert "1 and 2 primitives" in message

    def test_the_number_of_vertices(self, arm):
        assert "arm has 8 and 5 vertices" in refused(arm, make_arm(vertices=5))

    def test_positions(self, arm, again):
        def move(positions):
            positions[[3, 6], 0] += 0.01

        message = refused(arm, with_positions(again, move))
        assert "2 vertices of arm have other positions, the first is vertex 3" in message

    def test_the_order_of_vertices(self, arm, again):
        assert "other positions" in refused(arm, with_positions(again, lambda p: np.copyto(p, p[::-1].copy())))

    def test_positions_that_are_no_numbers(self, arm, again):
        def spoil(positions):
            positions[2] = np.nan

        assert "vertex 2" in refused(arm, with_positions(again, spoil))

    def test_the_skins_that_show_a_primitive(self, arm, again):
        assert "other skins" in refused(arm, replace(again, instances=()))

    def test_the_number_of_skins(self, arm, again):
        assert "1 and 2 skins" in refused(arm, replace(again, skins=again.skins * 2))

    def test_the_number_of_joints(self, arm, again):
        skin = again.skins[0]
        shorter = replace(skin, joints=skin.joints[:2], inverse_binds=skin.inverse_binds[:2])
        assert "skin arm has 3 and 2 joints" in refused(arm, replace(again, skins=(shorter,)))

    def test_the_order_of_joints(self, arm, again):
        swapped = replace(again.skins[0], joints=again.skins[0].joints[[0, 2, 1]])
        message = refused(arm, replace(again, skins=(swapped,)))
        assert "skin arm: joint 1 is 'elbow' in one and 'wrist' in the other" in message

    def test_the_order_of_joints_without_names(self, arm, again):
        swapped = replace(again.skins[0], joints=again.skins[0].joints[[0, 2, 1]])
        message = refused(with_names(arm, "", "", ""), replace(with_names(again, "", "", ""), skins=(swapped,)))
        assert "at rest" in message

    def test_inverse_bind_matrices(self, arm, again):
        def move(binds):
            binds[2, 1, 3] -= 0.5

        assert "skin arm: wrist lies up to 0.5 m elsewhere at rest" in refused(arm, with_binds(again, move))

    def test_the_rest_pose(self, arm, again):
        matrices = again.nodes.matrices.copy()
        matrices[1, 0, 3] = 0.25
        moved = replace(again, clips=(), nodes=replace(again.nodes, matrices=matrices))
        assert "0.25 m elsewhere at rest" in refused(replace(arm, clips=()), moved)

    def test_the_number_of_clips(self, arm, again):
        assert "2 and 1 clips" in refused(arm, replace(again, clips=again.clips[:1]))

    def test_the_ends_of_clips(self, arm, again):
        longer = make_clip(make_channel(0, "translation", [0, 1.5], [[0, 0, 0], [30, 0, 4]]), name="travel")
        message = refused(arm, replace(again, clips=(again.clips[0], longer)))
        assert "clip travel has keys at 0 … 1 s and 0 … 1.5 s" in message

    def test_matrices_that_overflowed_in_one(self, arm, again):
        def scaled(value):
            return (make_clip(make_channel(0, "scale", [0, 1], [[value] * 3] * 2), name="huge"),)

        message = refused(replace(arm, clips=scaled(1.7e308)), replace(again, clips=scaled(1.0)))
        assert "elsewhere in huge" in message

    def test_what_the_clips_do(self, arm, again):
        other = make_clip(make_channel(0, "translation", [0, 1], [[0, 0, 0], [30, 1, 4]]), name="travel")
        message = refused(arm, replace(again, clips=(again.clips[0], other)))
        assert "1 m elsewhere in travel" in message
