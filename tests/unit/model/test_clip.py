import numpy as np
import pytest

from skinproof.errors import ArrayError
from skinproof.model import Clip, Interpolation
from unit.model.made import channel, has_own_frozen_arrays


def test_arrays_are_its_own_and_frozen():
    times, values = np.array([0.0, 1.0]), np.ones((2, 3))
    assert has_own_frozen_arrays(channel(times=times, values=values), times=times, values=values)


def test_a_value_per_key():
    with pytest.raises(ArrayError, match=r"^values: expected shape \[2, C\], got \[3, 3\]"):
        channel(values=np.zeros((3, 3)))


def test_a_spline_has_two_tangents_per_key():
    spline = {"interpolation": Interpolation.CUBICSPLINE}
    assert channel(**spline, values=np.zeros((2, 3, 4))).values.shape == (2, 3, 4)
    with pytest.raises(ArrayError, match=r"^values: expected shape \[2, 3, C\]"):
        channel(**spline, values=np.zeros((2, 4)))


def test_a_clip_lasts_from_its_first_key_to_its_last():
    clip = Clip("walk", (channel(), channel(times=np.array([1.0, 3.5]))))
    assert (clip.start, clip.end, clip.duration) == (0.5, 3.5, 3.0)


def test_a_clip_without_channels_takes_no_time():
    clip = Clip("nothing", ())
    assert (clip.start, clip.end, clip.duration) == (0.0, 0.0, 0.0)
