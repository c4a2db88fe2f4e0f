"""The door: what it lets through is the very array, what it refuses it names."""

import re

import numpy as np
import pytest

from skinproof._arrays import frozen, require_array, require_no_overlap
from skinproof.errors import ArrayError

MATRIX = np.zeros((3, 4), dtype=np.float32)


def ask(value, **options):
    return require_array(value, "weights", **{"dtypes": [np.float32, np.float64], "shape": ("V", 4), **options})


def test_what_fits_comes_back_as_it_is():
    assert ask(MATRIX) is MATRIX
    assert ask(MATRIX, shape=(3, None), writable=True) is MATRIX
    assert ask(MATRIX[:, ::2], shape=("V", 2), contiguous=False).base is MATRIX


@pytest.mark.parametrize(
    ("value", "options", "said"),
    [
        ([[1.0, 2.0]], {}, "weights: expected a NumPy array, got list"),
        (MATRIX.astype(np.float16), {}, "expected dtype float32 or float64 in native byte order, got <f2"),
        (MATRIX.astype(">f4"), {}, "in native byte order, got >f4"),
        (MATRIX[0], {}, "expected shape [V, 4], got [4]"),
        (MATRIX, {"shape": (2, 4)}, "expected shape [2, 4], got [3, 4]"),
        (MATRIX, {"shape": (None, 5)}, "expected shape [*, 5], got [3, 4]"),
        (MATRIX.T, {"shape": (4, 3)}, "expected a C-contiguous, aligned array"),
        (np.frombuffer(bytes(49), dtype=np.float32, count=12, offset=1).reshape(3, 4), {}, "C-contiguous, aligned"),
        (np.broadcast_to(MATRIX[:1], (1, 4)), {"writable": True}, "expected a writable array"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(value, options, said):
    with pytest.raises(ArrayError, match=re.escape(said)) as caught:
        ask(value, **options)
    assert str(caught.value).startswith("weights: ")


def test_an_output_that_shares_memory_with_an_input_is_refused():
    require_no_overlap(MATRIX[:1], {"positions": MATRIX[2:], "normals": MATRIX.copy()})
    with pytest.raises(ArrayError, match="out: shares memory with normals"):
        require_no_overlap(MATRIX[:2], {"positions": MATRIX[2:], "normals": MATRIX[1:]})


class TestFrozen:
    def test_a_writable_array_is_copied(self):
        array = MATRIX.copy()
        kept = frozen(array)
        array[0, 0] = 7
        assert kept[0, 0] == 0
        assert not kept.flags.writeable

    def test_a_view_of_a_writable_array_is_copied_even_if_it_is_read_only_itself(self):
        array = MATRIX.copy()
        view = array[:2]
        view.flags.writeable = False
        kept = frozen(view)
        array[0, 0] = 7
        assert kept[0, 0] == 0

    def test_what_nobody_can_change_is_kept(self):
        array = MATRIX.copy()
        array.flags.writeable = False
        assert frozen(array) is array

    def test_the_copy_is_contiguous(self):
        assert frozen(MATRIX.T).flags.c_contiguous
