import numpy as np
import pytest

from skinproof.errors import ArrayError
from unit.model.made import has_own_frozen_arrays, skin


def test_length_is_the_number_of_joints():
    assert len(skin()) == 2


def test_arrays_are_its_own_and_frozen():
    joints, binds = np.array([3], dtype=np.int32), np.eye(4)[np.newaxis]
    assert has_own_frozen_arrays(skin(joints=joints, inverse_binds=binds), joints=joints, inverse_binds=binds)


def test_a_matrix_per_joint():
    with pytest.raises(ArrayError, match=r"^inverse_binds: expected shape \[2, 4, 4\], got \[1, 4, 4\]"):
        skin(inverse_binds=np.ones((1, 4, 4)))


def test_inverse_binds_are_affine():
    binds = np.tile(np.eye(4), (2, 1, 1))
    binds[1, 3, 3] = np.float32(0.99999994)
    with pytest.raises(ArrayError, match=r"^inverse_binds: joint 1 has the bottom row .*expected 0 0 0 1"):
        skin(inverse_binds=binds)
