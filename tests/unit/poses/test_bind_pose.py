import numpy as np
import pytest

from characters import about, make_nodes, make_skin, trs
from skinproof.poses import palettes, rest_worlds
from skinproof.poses.bind_pose import bind_worlds
from tolerances import PALETTE, ROUNDING

# An arm of three joints under a root that is no joint, with a hand below; at rest the arm is bent.
PARENTS = [-1, 0, 1, 2, 3]
BENT = make_nodes(
    PARENTS,
    translations=[[5, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0.5, 0]],
    rotations=[about([0, 1, 0], 90), about([1, 0, 0], 20), about([1, 0, 0], 40), about([0, 0, 1], 30), (0, 0, 0, 1)],
)
ARM = [1, 2, 3]
STRAIGHT = np.array([trs((0, y, 0)) for y in (1, 2, 3)])


def check_same_everywhere(skin, worlds, topmost):
    """All skinning matrices are the topmost joint's at rest."""
    found = palettes(skin, worlds)
    expected = rest_worlds(BENT)[skin.joints[topmost]] @ skin.inverse_binds[topmost]
    np.testing.assert_allclose(found, np.tile(expected, (len(skin), 1, 1)), rtol=0, atol=PALETTE)


def test_every_joint_stands_as_it_was_bound():
    skin = make_skin(ARM, np.linalg.inv(STRAIGHT))
    assert np.ptp(palettes(skin, rest_worlds(BENT)), axis=0).max() > 0.1, "rest and bind pose are the same"
    check_same_everywhere(skin, bind_worlds(BENT, [skin]), topmost=0)


def test_the_topmost_joint_is_found_wherever_it_is_listed():
    skin = make_skin([3, 2, 1], np.linalg.inv(STRAIGHT[::-1]))
    check_same_everywhere(skin, bind_worlds(BENT, [skin]), topmost=2)


def test_a_scale_in_the_inverse_binds_stays_in_the_palette():
    quantized = np.linalg.inv(STRAIGHT) @ trs((3, 0, 0), scale=(92, 92, 92))
    skin = make_skin(ARM, quantized)
    worlds = bind_worlds(BENT, [skin])
    check_same_everywhere(skin, worlds, topmost=0)
    np.testing.assert_allclose(
        np.linalg.norm(worlds[2, :3, 3] - worlds[1, :3, 3]), 1, rtol=ROUNDING, err_msg="the skeleton changed its size"
    )


def test_what_is_no_joint_keeps_its_place_at_its_parent():
    skin = make_skin(ARM, np.linalg.inv(STRAIGHT))
    worlds = bind_worlds(BENT, [skin])
    assert worlds[0].tolist() == BENT.matrices[0].tolist()
    np.testing.assert_allclose(worlds[4], worlds[3] @ BENT.matrices[4], rtol=0, atol=ROUNDING)


def test_a_joint_without_an_inverse_follows_its_parent():
    binds = np.linalg.inv(STRAIGHT)
    binds[1] = np.diag([0, 0, 0, 1.0])
    worlds = bind_worlds(BENT, [make_skin(ARM, binds)])
    np.testing.assert_allclose(worlds[2], worlds[1] @ BENT.matrices[2], rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(worlds[3] @ binds[2], worlds[1] @ binds[0], rtol=0, atol=ROUNDING)


def test_two_skins_of_one_skeleton_agree():
    # The second mesh lies elsewhere in its own space; its binds place the joints alike.
    first = make_skin(ARM, np.linalg.inv(STRAIGHT))
    second = make_skin(ARM, np.linalg.inv(STRAIGHT) @ trs((7, 8, 9), about([1, 1, 1], 50)))
    worlds = bind_worlds(BENT, [first, second])
    check_same_everywhere(first, worlds, topmost=0)
    check_same_everywhere(second, worlds, topmost=0)


@pytest.mark.parametrize("skins", [[], [make_skin(ARM, [np.diag([0.0, 0, 0, 1])] * 3)]])
def test_without_a_bind_pose_it_is_the_rest_pose(skins):
    np.testing.assert_allclose(bind_worlds(BENT, skins), rest_worlds(BENT), rtol=0, atol=ROUNDING)
