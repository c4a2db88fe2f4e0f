import numpy as np
import pytest

from skinproof.errors import ArrayError
from unit.model.made import has_own_frozen_arrays, influences, primitive


def test_arrays_are_its_own_and_frozen():
    given = {
        "positions": np.ones((3, 3), dtype=np.float32),
        "normals": np.ones((3, 3), dtype=np.float32),
        "indices": np.array([2, 1, 0], dtype=np.uint32),
        "uvs": np.ones((3, 2), dtype=np.float32),
    }
    assert has_own_frozen_arrays(primitive(**given), **given)


def test_targets_are_its_own_and_frozen():
    target = np.ones((3, 3), dtype=np.float32)
    made = primitive(targets=(target,))
    target[0] = 5
    assert made.targets[0].tolist() == [[1, 1, 1]] * 3
    assert not made.targets[0].flags.writeable


def test_morphed_are_the_vertices_that_a_target_moves():
    first, second = np.zeros((2, 3, 3), np.float32)
    first[0, 1] = second[2, 2] = -1
    assert primitive(targets=(first, second)).morphed.tolist() == [True, False, True]
    assert primitive().morphed is None


def test_normals_and_indices_may_be_missing():
    made = primitive(normals=None, indices=None)
    assert (made.normals, made.indices, made.vertex_count) == (None, None, 3)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"positions": np.zeros((3, 4), dtype=np.float32)}, r"^positions: expected shape \[V, 3\]"),
        ({"normals": np.zeros((2, 3), dtype=np.float32)}, r"^normals: expected shape \[3, 3\], got \[2, 3\]"),
        ({"targets": (np.zeros((2, 3), dtype=np.float32),)}, r"^targets\[0\]: expected shape \[3, 3\], got \[2, 3\]"),
        ({"uvs": np.zeros((3, 3), dtype=np.float32)}, r"^uvs: expected shape \[3, 2\], got \[3, 3\]"),
        ({"indices": np.zeros(3, dtype=np.int64)}, "^indices: expected dtype uint32"),
        ({"positions": np.zeros((2, 3), dtype=np.float32), "normals": None}, r"^influences: expected shape \[2, N\]"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(changes, said):
    with pytest.raises(ArrayError, match=said):
        primitive(**changes)


def test_influences_belong_to_its_vertices():
    one = influences(joints=np.zeros((1, 4), dtype=np.uint16), weights=np.ones((1, 4), dtype=np.float32))
    with pytest.raises(ArrayError, match=r"^influences: expected shape \[3, N\], got \[1, 4\]"):
        primitive(influences=one)
