import numpy as np
import pytest

from skinproof.errors import ArrayError
from unit.model.made import has_own_frozen_arrays, skin


def test_length_is_the_number_of_joints():
    assert len(skin()) == 2


def test_arrays_are_its_own_and_frozen():
    joints, binds = np.array([3], dtype=np.int32), np.ones((1, 4, 4))
    assert has_own_frozen_arrays(skin(joints=joints, inverse_binds=binds), joints=joints, inverse_binds=binds)


def test_a_matrix_per_joint():
    with pytest.raises(ArrayError, match=r"^inverse_binds: expected shape \[2, 4, 4\], got \[1, 4, 4\]"):
        skin(inverse_binds=np.ones((1, 4, 4)))
