import numpy as np
import pytest

from characters import about, make_nodes, make_skin, trs
from skinproof.poses import rest_worlds
from skinproof.poses.bind_pose import bind_worlds
from skinproof.poses.range_of_motion import RangeOfMotion
from skinproof.poses.world import world_matrices
from tolerances import ROUNDING

# Nodes 1, 2 and 4 are joints; 2 is below 1, 4 beside them; 3 hangs below 2 and is no joint.
NODES = make_nodes(
    [-1, 0, 1, 2, 0],
    translations=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 2]],
    rotations=[(0, 0, 0, 1), about([1, 1, 0], 25), about([0, 0, 1], 70), (0, 0, 0, 1), about([0, 1, 0], 10)],
    scales=[[1, 1, 1], [1, 2, 3], [1, 1, 1], [1, 1, 1], [2, 2, 2]],
)
SKINS = [make_skin([2, 1], np.array([trs((0, -1, 0)), trs()])), make_skin([4, 2])]
MOTION = RangeOfMotion.of(NODES, SKINS)
SINGLES = [(joint, axis, sign) for joint in (1, 2, 4) for axis in range(3) for sign in (1, -1)]


def test_every_joint_of_every_skin_once():
    assert MOTION.joints.tolist() == [1, 2, 4]
    assert len(MOTION) == 2 + 6 * 3 + 60


def test_bind_pose_then_rest_pose():
    found = MOTION.worlds([0, 1])
    np.testing.assert_array_equal(found[0], bind_worlds(NODES, SKINS))
    np.testing.assert_array_equal(found[1], rest_worlds(NODES))
    assert np.abs(found[0] - found[1]).max() > 0.1, "the two are the same here"


@pytest.mark.parametrize(("pose", "single"), list(enumerate(SINGLES, start=2)))
def test_then_one_joint_at_a_time(pose, single):
    joint, axis, sign = single
    locals_ = NODES.matrices.copy()
    turned = trs(NODES.translations[joint], NODES.rotations[joint]) @ trs(rotation=about(np.eye(3)[axis], sign * 30))
    locals_[joint] = turned @ np.diag([*NODES.scales[joint], 1.0])
    expected = world_matrices(NODES, locals_[np.newaxis])
    np.testing.assert_allclose(MOTION.worlds([pose]), expected, rtol=0, atol=ROUNDING)


def test_a_joint_given_by_a_matrix_turns_after_it():
    matrix = trs((1, 2, 3), about([0, 1, 1], 15), (1, 2, 1))
    motion = RangeOfMotion.of(make_nodes([-1], matrices={0: matrix}), [make_skin([0])])
    expected = matrix @ trs(rotation=about([0, 1, 0], -30))
    np.testing.assert_allclose(motion.worlds([2 + 3])[0, 0], expected, rtol=0, atol=ROUNDING)


class TestCombined:
    FIRST = 2 + 6 * 3

    def turns(self, motion, pose):
        """The turns of a pose as rotation angles in degrees."""
        local = motion.worlds([pose])[0, 1, :3, :3] / NODES.scales[1]
        rest = NODES.matrices[1, :3, :3] / NODES.scales[1]
        return np.degrees(np.arccos((np.trace(rest.T @ local) - 1) / 2))

    def test_the_first_of_them_on_every_machine(self):
        # numpy.random.default_rng((0, 20)).uniform(-1, 1, (3, 3)) · 20°, first joint, as drawn once and kept here.
        vector = [11.11958011, -14.05077038, -14.20070905]
        angle = np.linalg.norm(vector)
        assert self.turns(MOTION, self.FIRST) == pytest.approx(angle, rel=1e-8)

    def test_root_mean_square_angle(self):
        motion = RangeOfMotion.of(NODES, SKINS, seed=5)
        angles = [self.turns(motion, pose) for pose in range(self.FIRST, len(motion))]
        assert len(angles) == 60
        # The square of an angle has mean 20² and a standard deviation of 0.52 · 20²: four standard errors of 60 draws.
        assert np.mean(np.square(angles)) == pytest.approx(20**2, rel=4 * 0.52 / np.sqrt(60))

    def test_every_joint_moves_and_every_pose_differs(self):
        worlds = MOTION.worlds(range(self.FIRST, len(MOTION)))
        assert (np.ptp(worlds[:, [1, 2, 4]], axis=0).max(axis=(1, 2)) > 0.1).all()
        assert len({world.tobytes() for world in worlds}) == 60

    def test_another_seed_another_motion(self):
        other = RangeOfMotion.of(NODES, SKINS, seed=1)
        assert np.abs(other.worlds([self.FIRST]) - MOTION.worlds([self.FIRST])).max() > 0.01
        np.testing.assert_array_equal(other.worlds(range(self.FIRST)), MOTION.worlds(range(self.FIRST)))


def test_any_block_can_be_made_by_itself():
    whole = MOTION.worlds(range(len(MOTION)))
    for pose in (0, 1, 7, 19, 20, 79):
        np.testing.assert_array_equal(MOTION.worlds([pose])[0], whole[pose])


def test_many_joints_turn_in_groups():
    joints = 600
    motion = RangeOfMotion.of(make_nodes([-1] * joints), [make_skin(range(joints))])
    assert len(motion) == 2 + 6 * 256 + 60
    rest = np.eye(4)
    turned = np.abs(motion.worlds(range(2, 2 + 6 * 256)) - rest).max(axis=(2, 3)) > 0.1
    assert np.flatnonzero(turned[6 * 3]).tolist() == [3, 259, 515]
    assert (turned.sum(axis=0) == 6).all()


def test_no_joints_have_nothing_to_turn():
    motion = RangeOfMotion.of(NODES, [])
    np.testing.assert_array_equal(motion.worlds([0, 1, 2])[2], rest_worlds(NODES))
