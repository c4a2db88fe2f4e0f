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


def test_arrays_have_one_shape():
    for changes in (
        {"weights": np.zeros((3, 8), np.float32)},
        {"stored": np.zeros((3, 8), np.uint8), "set_formats": (WeightFormat.UNORM8,)},
    ):
        name = next(iter(changes))
        with pytest.raises(ArrayError, match=rf"^{name}: expected shape \[3, 4\], got \[3, 8\]"):
            influences(**changes)


def of_width(slots, formats):
    joints, weights = np.zeros((2, slots), np.uint16), np.zeros((2, slots), np.float32)
    return influences(joints=joints, weights=weights, set_formats=(WeightFormat.FLOAT32,) * formats)


@pytest.mark.parametrize(("slots", "formats"), [(1, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_every_set_has_a_format(slots, formats):
    assert of_width(slots, formats).set_formats == (WeightFormat.FLOAT32,) * formats
    for wrong in (formats - 1, formats + 1):
        with pytest.raises(ArrayError, match=rf"^set_formats: .* {formats} for {slots} slots .* got {wrong}$"):
            of_width(slots, wrong)


def test_there_is_a_slot_at_least():
    with pytest.raises(ArrayError, match=r"^set_formats: .*at least 1"):
        of_width(0, 0)


class TestStored:
    @pytest.mark.parametrize("weight_format", [WeightFormat.UNORM8, WeightFormat.UNORM16])
    def test_every_integer_that_decodes_to_its_weight_is_held(self, weight_format):
        stored = np.arange(weight_format.scale + 1).astype(weight_format.dtype).reshape(-1, 4)
        weights = (stored / weight_format.scale).astype(np.float32)
        joints = np.zeros(stored.shape, np.uint16)
        made = influences(joints=joints, weights=weights, stored=stored, set_formats=(weight_format,))
        assert np.array_equal(made.stored, stored)

    @pytest.mark.parametrize("weight", [0.5, np.nextafter(np.float32(51 / 255), np.float32(1)), np.nan])
    def test_integers_that_contradict_the_weights_are_refused(self, weight):
        stored = np.array([[255, 0], [204, 51]], np.uint8)
        weights = np.array([[1, 0], [204 / 255, weight]], np.float32)
        with pytest.raises(ArrayError, match=r"^stored: vertex 1, slot 1 holds 51, .* to 0\.2, but its weight"):
            influences(
                joints=np.zeros((2, 2), np.uint16), weights=weights, stored=stored, set_formats=(WeightFormat.UNORM8,)
            )

    @pytest.mark.parametrize(
        ("formats", "said"),
        [
            (("float32",), "sets are stored as float32"),
            (("unorm8", "unorm16"), "sets are stored as unorm8, unorm16"),
            (("unorm16",), "dtype uint16"),
        ],
    )
    def test_integers_of_another_format_are_refused(self, formats, said):
        shape = (1, 4 * len(formats))
        with pytest.raises(ArrayError, match=f"^stored: .*{said}"):
            influences(
                joints=np.zeros(shape, np.uint16),
                weights=np.zeros(shape, np.float32),
                stored=np.zeros(shape, np.uint8),
                set_formats=tuple(map(WeightFormat, formats)),
            )


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
    shape = (3, 4 * len(formats))
    made = influences(joints=np.zeros(shape, np.uint16), weights=np.zeros(shape, np.float32), set_formats=formats)
    assert made.format is expected


def test_scales():
    assert {member.value: member.scale for member in WeightFormat} == {"float32": None, "unorm8": 255, "unorm16": 65535}
