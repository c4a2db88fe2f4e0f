import numpy as np
import pytest

from skinproof.errors import ArrayError
from unit.model.made import has_own_frozen_arrays, nodes

ARRAYS = {
    "parents": np.array([-1, 0], dtype=np.int32),
    "translations": np.ones((2, 3)),
    "rotations": np.ones((2, 4)),
    "scales": np.ones((2, 3)),
    "matrices": np.tile(np.eye(4), (2, 1, 1)),
    "has_matrix": np.ones(2, dtype=np.bool_),
    "order": np.array([0, 1], dtype=np.int32),
}


def test_length_is_the_number_of_nodes():
    assert len(nodes()) == 2


def test_arrays_are_its_own_and_frozen():
    assert has_own_frozen_arrays(nodes(**ARRAYS), **ARRAYS)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_wrong_length_or_type_is_refused_by_name(name):
    with pytest.raises(ArrayError, match=f"^{name}: expected shape"):
        nodes(**{name: np.concatenate([ARRAYS[name], ARRAYS[name]])})
    with pytest.raises(ArrayError, match=f"^{name}: expected dtype"):
        nodes(**{name: ARRAYS[name].astype(np.complex128)})


def test_matrices_are_affine():
    matrices = np.tile(np.eye(4), (2, 1, 1))
    matrices[1, 3, 0] = np.nan
    with pytest.raises(ArrayError, match=r"^matrices: node 1 has the bottom row \[nan, .*expected 0 0 0 1"):
        nodes(matrices=matrices)
