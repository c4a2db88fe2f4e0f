"""limiting.options: what the exact method can be told."""

from __future__ import annotations

import math

import numpy as np
import pytest

from characters import make_nodes, make_skin
from skinproof.errors import OptionError
from skinproof.limiting import FitOptions


def test_joints_of_any_skin_turn_and_nothing_else_does():
    nodes, skins = make_nodes([-1, 0, 1, 2]), (make_skin([1]), make_skin([3, 1]))
    angles = FitOptions(angle=0.5, angles={"n3": 0.2}).angles_of(nodes, skins)
    np.testing.assert_array_equal(angles, [0, 0.5, 0, 0.2])


@pytest.mark.parametrize("name", ["n0", "nobody"])
def test_a_name_that_is_no_joint_is_refused(name):
    with pytest.raises(OptionError, match=name):
        FitOptions(angles={name: 0.1}).angles_of(make_nodes([-1, 0]), (make_skin([1]),))


@pytest.mark.parametrize(
    "options",
    [{"prior": -1.0}, {"prior": math.nan}, {"angle": math.inf}, {"prior_slack": -0.5}, {"angles": {"a": -1.0}},
     {"tried": 0}, {"tried": 17}, {"max_faces": -1}, {"max_nodes": 0}],
)  # fmt: skip
def test_numbers_that_make_no_sense_are_refused(options):
    with pytest.raises(OptionError):
        FitOptions(**options)
