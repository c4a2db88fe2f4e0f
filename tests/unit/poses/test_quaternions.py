import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from characters import about, turn
from skinproof.errors import ArrayError
from skinproof.poses.quaternions import from_rotation_vectors, multiplied, normalized, slerp
from tolerances import ROUNDING


def random_rotations(count, seed=1):
    return Rotation.random(count, rng=np.random.default_rng(seed)).as_quat()


def at(fraction, count=1):
    return np.full(count, fraction, np.float64)


class TestNormalized:
    def test_length_is_one_whatever_it_was(self):
        unit = np.array([0.5, -0.5, 0.1, 0.7]) / 1.0
        unit /= np.sqrt((unit * unit).sum())
        lengths = np.array([1e-300, 1e-160, 1e-3, 1.0, 7.0, 1e160, 1e300])
        found = normalized(lengths[:, np.newaxis] * unit)
        np.testing.assert_allclose(found, np.tile(unit, (7, 1)), rtol=ROUNDING)

    @pytest.mark.parametrize("bad", [[0, 0, 0, 0], [0, 0, np.nan, 1], [np.inf, 0, 0, 1]])
    def test_no_direction_is_refused_by_name(self, bad):
        with pytest.raises(ArrayError, match=r"/animations/3.*length zero or is not finite"):
            normalized(np.array([[0, 0, 0, 1.0], bad]), name="/animations/3")


def test_multiplied_is_the_product_of_the_rotations():
    left, right = random_rotations(20, 1), random_rotations(20, 2)
    found = multiplied(left, right)
    for index in range(20):
        np.testing.assert_allclose(turn(found[index]), turn(left[index]) @ turn(right[index]), rtol=0, atol=ROUNDING)


def test_rotation_vectors_as_another_library_reads_them():
    vectors = np.random.default_rng(3).normal(size=(20, 3)) * 2
    vectors[0], vectors[1] = 0.0, (1e-12, 0, 0)
    expected = Rotation.from_rotvec(vectors)
    found = from_rotation_vectors(vectors)
    for index in range(20):
        np.testing.assert_allclose(turn(found[index])[:3, :3], expected[index].as_matrix(), rtol=0, atol=ROUNDING)
    assert found[0].tolist() == [0, 0, 0, 1]


class TestSlerp:
    def test_against_another_library(self):
        start, end = random_rotations(50, 4), random_rotations(50, 5)
        assert ((start * end).sum(axis=1) < 0).any(), "no pair takes the shorter way round"
        fractions = np.random.default_rng(6).random(50)
        found = slerp(start, end, fractions)
        for index in range(50):
            oracle = Slerp([0, 1], Rotation.from_quat([start[index], end[index]]))(fractions[index]).as_matrix()
            np.testing.assert_allclose(turn(found[index])[:3, :3], oracle, rtol=0, atol=ROUNDING)

    def test_takes_the_shorter_way(self):
        start, end = about([0, 0, 1], 10), -about([0, 0, 1], 50)
        np.testing.assert_allclose(
            slerp(start[None], end[None], at(0.25))[0], about([0, 0, 1], 20), rtol=0, atol=ROUNDING
        )

    def test_turns_at_a_constant_speed(self):
        start, end = about([1, 2, 3], 0), about([1, 2, 3], 170)
        for fraction in (0.1, 0.5, 0.9):
            found = slerp(start[None], end[None], at(fraction))[0]
            np.testing.assert_allclose(found, about([1, 2, 3], 170 * fraction), rtol=0, atol=ROUNDING)

    @pytest.mark.parametrize("degrees", [0, 1e-14, 1e-9, 1e-7, 1e-5, 1e-3])
    def test_nearly_equal_rotations_keep_their_digits(self, degrees):
        start, end = about([1, 0, 0], 0), about([1, 0, 0], degrees)
        found = slerp(start[None], end[None], at(0.3))[0]
        assert found[0] == pytest.approx(about([1, 0, 0], 0.3 * degrees)[0], rel=1e-9, abs=0)

    def test_a_rotation_and_its_negative_are_one(self):
        start = random_rotations(10, 7)
        np.testing.assert_allclose(slerp(start, -start, at(0.5, 10)), start, rtol=0, atol=ROUNDING)

    def test_half_a_turn_apart_has_two_ways_and_takes_one(self):
        start, end = about([0, 0, 1], 0), about([0, 1, 0], 180)
        found = slerp(start[None], end[None], at(0.5))[0]
        np.testing.assert_allclose(np.abs(found), np.abs(about([0, 1, 0], 90)), rtol=0, atol=ROUNDING)

    def test_length_stays_one(self):
        found = slerp(random_rotations(100, 8), random_rotations(100, 9), np.linspace(0, 1, 100))
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=4e-16)
