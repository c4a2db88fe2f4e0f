"""The door: what it lets through is the very array, what it refuses it names."""

import re

import numpy as np
import pytest

from skinproof._arrays import (
    frozen,
    require_affine,
    require_array,
    require_count,
    require_no_overlap,
    require_positive,
)
from skinproof.errors import ArrayError, OptionError

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
        (MATRIX.view(np.matrix), {}, "weights: expected a plain NumPy array, got matrix"),
        (np.ma.masked_array(MATRIX), {}, "weights: expected a plain NumPy array, got MaskedArray"),
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


class TestCount:
    @pytest.mark.parametrize("value", [2, 5, np.int8(3), np.uint64(5)])
    def test_an_integer_in_its_range_comes_back_as_an_int(self, value):
        assert (require_count(value, "k", least=2, most=5), type(require_count(value, "k", least=2))) == (value, int)

    @pytest.mark.parametrize("value", [1, 6, 2**63, -(10**30), 2.5, 3.0, np.float64(3), True, np.True_, "3", None, [3]])
    def test_all_else_is_refused_by_name(self, value):
        with pytest.raises(OptionError, match=r"^k: expected an integer from 2 to 5, got "):
            require_count(value, "k", least=2, most=5)

    def test_a_range_may_be_open(self):
        assert require_count(2**70, "k", least=2) == 2**70
        with pytest.raises(OptionError, match="k: expected an integer of at least 2, got 1"):
            require_count(1, "k", least=2)


class TestPositive:
    @pytest.mark.parametrize("value", [1, 0.5, 5e-324, np.float32(2), np.int8(3)])
    def test_a_finite_number_above_zero_comes_back_as_a_float(self, value):
        number = require_positive(value, "fps")
        assert (number, type(number)) == (value, float)

    @pytest.mark.parametrize(
        "value", [0, -1.0, float("nan"), float("inf"), 10**400, "30", None, True, np.True_, 1j, [30]]
    )
    def test_all_else_is_refused_by_name(self, value):
        with pytest.raises(OptionError, match=r"^fps: expected a finite number above 0, got "):
            require_positive(value, "fps")


def test_an_output_that_shares_memory_with_an_input_is_refused():
    require_no_overlap(MATRIX[:1], {"positions": MATRIX[2:], "normals": MATRIX.copy()})
    with pytest.raises(ArrayError, match="out: shares memory with normals"):
        require_no_overlap(MATRIX[:2], {"positions": MATRIX[2:], "normals": MATRIX[1:]})


class TestAffine:
    def test_affine_matrices_come_back_as_they_are(self):
        matrices = np.tile(np.eye(4, dtype=np.float32), (2, 3, 1, 1))
        assert require_affine(matrices, "palettes", axes=("pose", "joint")) is matrices

    @pytest.mark.parametrize("value", [0.5, np.nan, np.inf, 1e-30])
    @pytest.mark.parametrize("column", range(4))
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_the_first_other_bottom_row_is_named(self, value, column, dtype):
        matrices = np.tile(np.eye(4, dtype=dtype), (2, 3, 1, 1))
        matrices[1, 2, 3, column] = value
        with pytest.raises(ArrayError, match=r"^palettes: pose 1, joint 2 has the bottom row .*, expected 0 0 0 1"):
            require_affine(matrices, "palettes", axes=("pose", "joint"))


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

    def test_a_read_only_view_of_what_nobody_can_change_is_copied(self):
        array = MATRIX.copy()
        array.flags.writeable = False
        assert not np.shares_memory(frozen(array[:2]), array)

    def test_the_copy_is_contiguous(self):
        assert frozen(MATRIX.T).flags.c_contiguous
