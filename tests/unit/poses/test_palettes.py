import numpy as np

from characters import about, make_nodes, make_skin, trs
from skinproof.poses import palettes, rest_worlds
from tolerances import ROUNDING

WORLDS = np.array([[trs((n, pose, 0), about([1, n, 0], 20 * pose)) for n in range(4)] for pose in range(3)])
BINDS = [trs((0, 0, 5), about([0, 0, 1], 30), (2, 2, 2)), trs((1, 1, 1))]


def test_joint_world_times_inverse_bind():
    found = palettes(make_skin([3, 1], BINDS), WORLDS)
    assert found.shape == (3, 2, 4, 4)
    for pose in range(3):
        for joint, node in enumerate((3, 1)):
            np.testing.assert_allclose(found[pose, joint], WORLDS[pose, node] @ BINDS[joint], rtol=0, atol=ROUNDING)


def test_one_pose_and_many_agree_and_fit_the_kernels():
    skin = make_skin([3, 1], BINDS)
    many, one = palettes(skin, WORLDS), palettes(skin, WORLDS[2])
    assert one.tolist() == many[2].tolist()
    assert many.flags.c_contiguous
    assert one.flags.c_contiguous
    assert (many[..., 3, :] == (0, 0, 0, 1)).all()


def test_the_skinned_node_is_ignored():
    # Node 2 shows the mesh; wherever it is, the palette is that of joints 0 and 1.
    skin = make_skin([0, 1], BINDS)
    here = make_nodes([-1, 0, 0], translations=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    there = make_nodes([-1, 0, 0], translations=[[0, 0, 0], [0, 1, 0], [9, 9, 9]], scales=[[1] * 3, [1] * 3, [5] * 3])
    assert palettes(skin, rest_worlds(here)).tolist() == palettes(skin, rest_worlds(there)).tolist()
