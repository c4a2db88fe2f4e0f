import math
from dataclasses import replace

import numpy as np
import pytest

from arms import make_arm
from skinproof.errors import ArrayError
from skinproof.limiting import limit
from skinproof.measuring import measure


@pytest.fixture(scope="module")
def measurement():
    arm = make_arm(vertices=6)
    return measure(arm, limit(arm, max_influences=1), samples=4)


@pytest.mark.parametrize("name", ["measured", "max_error", "clip", "time", "pose", "rms", "bound"])
def test_arrays_are_checked_once_and_cannot_be_written(measurement, name):
    (primitive,) = measurement.primitives
    array = getattr(primitive, name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    with pytest.raises(ArrayError, match=name):
        replace(primitive, **{name: array[1:] if name != "measured" else array.astype(np.int8)})


def test_made_poses_are_at_no_time(measurement):
    (primitive,) = measurement.primitives
    assert replace(primitive, time=None).time is None
    for name in ("max_error", "clip", "pose"):
        with pytest.raises(ArrayError, match=name):
            replace(primitive, **{name: None})


def test_the_worst_of_all_primitives_is_the_worst(measurement):
    (primitive,) = measurement.primitives
    nearer = replace(primitive, worst=replace(primitive.worst, metres=primitive.worst.metres / 2))
    nothing = replace(primitive, worst=None)
    assert replace(measurement, primitives=(nearer, nothing, primitive)).worst is primitive.worst
    assert replace(measurement, primitives=(nothing,)).worst is None


def test_poses_of_all_clips_are_counted(measurement):
    assert measurement.poses == 8


@pytest.mark.parametrize(
    ("diagonal", "metres", "relative"),
    [(4.0, 1.0, 0.25), (0.0, 0.0, 0.0), (0.0, 1e-9, math.inf), (2.0, math.inf, math.inf)],
)
def test_a_length_as_a_share_of_the_diagonal(measurement, diagonal, metres, relative):
    assert replace(measurement, diagonal=diagonal).relative(metres) == relative


def test_the_worst_vertex_says_its_place(measurement):
    worst = measurement.worst
    place = worst.place()
    assert (place["vertex"], place["clip"], place["pose"]) == (worst.vertex, worst.clip, worst.pose)
    assert place["position_before"] == list(worst.position_before)
    assert len(place) == 13
    assert "metres" not in place
