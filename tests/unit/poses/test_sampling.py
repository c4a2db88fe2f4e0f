import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation, Slerp

from characters import about, make_channel, turn
from skinproof.errors import ArrayError
from skinproof.poses.sampling import sample_channel
from tolerances import ROUNDING

KEYS = [1.0, 1.5, 3.5]
PLACES = [[0, 0, 0], [2, 4, 8], [10, 0, -8]]


def values_at(channel, *times):
    return sample_channel(channel, np.array(times, np.float64))


def cubic(path, keys, values, seed=1):
    """A spline channel with random tangents."""
    values = np.array(values, np.float64)
    tangents = np.random.default_rng(seed).normal(size=(len(values), 2, values.shape[1]))
    full = np.stack([tangents[:, 0], values, tangents[:, 1]], axis=1)
    return make_channel(0, path, keys, full, interpolation="CUBICSPLINE")


class TestLinear:
    def test_between_keys(self):
        channel = make_channel(0, "translation", KEYS, PLACES)
        np.testing.assert_allclose(values_at(channel, 1.25, 2.0, 3.0), [[1, 2, 4], [4, 3, 4], [8, 1, -4]], rtol=1e-15)

    def test_at_keys_exactly(self):
        places = np.random.default_rng(1).normal(size=(3, 3)) / 3
        channel = make_channel(0, "scale", KEYS, places)
        assert values_at(channel, *KEYS).tolist() == places.tolist()

    def test_rotations_are_slerped(self):
        rotations = Rotation.random(3, rng=np.random.default_rng(2))
        channel = make_channel(0, "rotation", KEYS, rotations.as_quat() * np.array([[1], [-1], [1]]))
        times = np.linspace(1.0, 3.5, 40)
        oracle = Slerp(KEYS, rotations)(times).as_matrix()
        found = sample_channel(channel, times)
        for index in range(40):
            np.testing.assert_allclose(turn(found[index])[:3, :3], oracle[index], rtol=0, atol=ROUNDING)

    def test_unnormalized_rotations_weigh_no_more_than_others(self):
        keys = [about([0, 0, 1], 0), 0.25 * about([0, 0, 1], 90)]
        found = values_at(make_channel(0, "rotation", [0, 1], keys), 0.5)
        np.testing.assert_allclose(found[0], about([0, 0, 1], 45), rtol=0, atol=ROUNDING)


class TestStep:
    def test_changes_exactly_at_the_key(self):
        channel = make_channel(0, "translation", KEYS, PLACES, interpolation="STEP")
        just_before = np.nextafter(1.5, 0)
        assert values_at(channel, just_before, 1.5, np.nextafter(1.5, 2), 3.4999).tolist() == [
            PLACES[0],
            PLACES[1],
            PLACES[1],
            PLACES[1],
        ]
        assert values_at(channel, 3.5).tolist() == [PLACES[2]]

    def test_rotations_are_normalized(self):
        channel = make_channel(0, "rotation", [0], [3 * about([1, 0, 0], 60)], interpolation="STEP")
        np.testing.assert_allclose(values_at(channel, 0.0)[0], about([1, 0, 0], 60), rtol=0, atol=ROUNDING)


class TestCubicSpline:
    def test_against_another_library(self):
        channel = cubic("translation", KEYS, PLACES)
        times = np.linspace(1.0, 3.5, 41)
        expected = np.empty((41, 3))
        for start in (0, 1):  # in and out tangent of a key differ: one Hermite piece per interval
            inside = (times >= KEYS[start]) & (times <= KEYS[start + 1])
            piece = CubicHermiteSpline(
                KEYS[start : start + 2],
                channel.values[start : start + 2, 1],
                [channel.values[start, 2], channel.values[start + 1, 0]],
            )
            expected[inside] = piece(times[inside])
        np.testing.assert_allclose(sample_channel(channel, times), expected, rtol=0, atol=ROUNDING)

    def test_tangents_are_scaled_by_the_interval(self):
        # From 0 to 0 in 4 s, leaving at 3 per second: h10(1/2) = 1/8 of the tangent times the interval.
        values = [[[0, 0, 0], [0, 0, 0], [3, 0, 0]], [[0, 0, 0], [0, 0, 0], [0, 0, 0]]]
        channel = make_channel(0, "translation", [0, 4], values, interpolation="CUBICSPLINE")
        assert values_at(channel, 2.0)[0, 0] == 1.5

    def test_at_keys_exactly(self):
        channel = cubic("scale", KEYS, np.random.default_rng(3).normal(size=(3, 3)) / 3)
        assert values_at(channel, *KEYS).tolist() == channel.values[:, 1].tolist()

    def test_rotations_are_normalized_after_the_spline(self):
        keys = [about([0, 0, 1], 0), about([0, 0, 1], 90)]
        still = np.zeros((2, 4))
        channel = make_channel(
            0, "rotation", [0, 1], np.stack([still, keys, still], axis=1), interpolation="CUBICSPLINE"
        )
        found = values_at(channel, 0.25, 0.5)
        blend = 1 - (3 * 0.25**2 - 2 * 0.25**3)
        expected = blend * keys[0] + (1 - blend) * keys[1]
        np.testing.assert_allclose(found[0], expected / np.linalg.norm(expected), rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(found[1], about([0, 0, 1], 45), rtol=0, atol=ROUNDING)

    def test_a_spline_through_zero_has_no_rotation(self):
        keys, still = np.array([[0, 0, 0, 1.0], [0, 0, 0, -1.0]]), np.zeros((2, 4))
        channel = make_channel(
            6, "rotation", [0, 1], np.stack([still, keys, still], axis=1), interpolation="CUBICSPLINE"
        )
        with pytest.raises(ArrayError, match="rotation of node 6: a rotation has length zero"):
            values_at(channel, 0.5)


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
class TestEveryInterpolation:
    def channel(self, interpolation, path, keys, values):
        if interpolation == "CUBICSPLINE":
            return cubic(path, keys, values)
        return make_channel(0, path, keys, values, interpolation=interpolation)

    def test_outside_the_keys_the_nearest_holds(self, interpolation):
        channel = self.channel(interpolation, "translation", KEYS, PLACES)
        found = values_at(channel, -1e9, 0.0, 3.6, 1e9)
        assert found.tolist() == [PLACES[0], PLACES[0], PLACES[2], PLACES[2]]

    def test_a_single_key_holds_always(self, interpolation):
        channel = self.channel(interpolation, "rotation", [2.0], [[0, 0, 0, -5.0]])
        assert values_at(channel, 0.0, 2.0, 3.0).tolist() == [[0, 0, 0, -1]] * 3

    def test_times_come_in_any_order(self, interpolation):
        channel = self.channel(interpolation, "translation", KEYS, PLACES)
        times = np.random.default_rng(4).uniform(0, 5, 30)
        whole = sample_channel(channel, times)
        assert whole.tolist() == [values_at(channel, time)[0].tolist() for time in times]

    def test_a_stored_rotation_of_length_zero_is_refused(self, interpolation):
        channel = self.channel(interpolation, "rotation", [0.0, 1.0], [[0, 0, 0, 0], [0, 0, 0, 1]])
        with pytest.raises(ArrayError, match="length zero"):
            values_at(channel, 0.0)
