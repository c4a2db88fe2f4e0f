import numpy as np
import pytest

from skinproof.formats.gltf.layout import COMPONENT_TYPES, DTYPES, aligned, element_size


@pytest.mark.parametrize(
    ("kind", "component_type", "size"),
    [
        ("SCALAR", 5121, 1),
        ("VEC3", 5123, 6),
        ("VEC4", 5126, 16),
        ("MAT4", 5126, 64),
        ("MAT2", 5121, 8),  # columns begin at multiples of four bytes
        ("MAT3", 5121, 12),
        ("MAT3", 5122, 24),
    ],
)
def test_element_sizes(kind, component_type, size):
    assert element_size(kind, DTYPES[component_type]) == size


def test_every_type_that_is_written_has_its_number():
    written = {np.uint8: 5121, np.uint16: 5123, np.uint32: 5125, np.float32: 5126}
    assert {type_: COMPONENT_TYPES[np.dtype(type_).newbyteorder("<")] for type_ in written} == written


def test_aligned_rounds_up():
    assert [aligned(length) for length in (0, 1, 4, 5)] == [0, 4, 4, 8]
    assert aligned(9, to=8) == 16
