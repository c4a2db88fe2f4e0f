import numpy as np
import pytest

from skinproof.errors import ArrayError
from skinproof.model.influences import WeightFormat
from unit.model.made import has_own_frozen_arrays, influences


def test_arrays_are_its_own_and_frozen():
    joints, weights = np.zeros((1, 4), dtype=np.uint16), np.ones((1, 4), dtype=np.float32)
    stored = np.full((1, 4), 255, dtype=np.uint8)
    made = influences(joints=joints, weights=weights, stored=stored, set_formats=(WeightFormat.UNORM8,))
    assert has_own_frozen_arrays(made, joints=joints, weights=weights, stored=stored)


@pytest.mark.parametrize("name", ["weights", "stored"])
def test_arrays_have_one_shape(name):
    dtype = np.float32 if name == "weights" else np.uint8
    with pytest.raises(ArrayError, match=rf"^{name}: expected shape \[3, 4\], got \[3, 8\]"):
        influences(**{name: np.zeros((3, 8), dtype=dtype)})


def test_zero_slots_of_either_sign_are_empty():
    assert influences().counts.tolist() == [2, 1, 0]


def test_broken_weights_are_held_as_they_are():
    weights = np.full((3, 4), np.nan, dtype=np.float32)
    assert influences(weights=weights).counts.tolist() == [4, 4, 4]


@pytest.mark.parametrize(
    ("formats", "expected"),
    [
        ((WeightFormat.UNORM8,), WeightFormat.UNORM8),
        ((WeightFormat.UNORM16, WeightFormat.UNORM16), WeightFormat.UNORM16),
        ((WeightFormat.UNORM8, WeightFormat.UNORM16), WeightFormat.FLOAT32),
        ((WeightFormat.FLOAT32, WeightFormat.UNORM8), WeightFormat.FLOAT32),
    ],
)
def test_sets_of_different_formats_fit_float32_only(formats, expected):
    assert influences(set_formats=formats).format is expected


def test_scales():
    assert {member.value: member.scale for member in WeightFormat} == {"float32": None, "unorm8": 255, "unorm16": 65535}
