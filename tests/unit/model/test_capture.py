from __future__ import annotations

import numpy as np
import pytest

from skinproof.errors import ArrayError
from skinproof.model import Capture

PALETTES = np.zeros((2, 3, 4, 4), np.float32)


def test_a_capture_knows_its_sizes_and_owns_read_only_arrays():
    capture = Capture(PALETTES)
    assert (len(capture), capture.joint_count) == (2, 3)
    assert not capture.palettes.flags.writeable


@pytest.mark.parametrize(
    ("arrays", "named"),
    [
        ({"palettes": np.zeros((2, 3, 4, 4))}, "palettes"),
        ({"times": np.zeros(3)}, "times"),
        ({"times": np.array([0.0, np.inf])}, "times"),
        ({"clips": np.zeros(2, np.int64)}, "clips"),
        ({"revisions": np.zeros(2)}, "revisions"),
        ({"joint_names": ("a",)}, "joint_names"),
    ],
)
def test_what_does_not_fit_is_refused(arrays, named):
    with pytest.raises(ArrayError, match=named):
        Capture(**{"palettes": PALETTES, **arrays})
