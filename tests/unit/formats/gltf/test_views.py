import pytest

from skinproof.errors import FormatError
from skinproof.formats.gltf.values import Element
from skinproof.formats.gltf.views import read_view

BUFFERS = (memoryview(bytes(8)), memoryview(bytes(100)))


def view(**members):
    return read_view(Element(members, "/bufferViews/4", "a.glb"), BUFFERS)


def test_a_range_of_a_buffer():
    found = view(buffer=1, byteOffset=12, byteLength=88, byteStride=8)
    assert (found.buffer, found.offset, found.length, found.stride) == (1, 12, 88, 8)
    assert view(buffer=0, byteLength=8).stride is None


@pytest.mark.parametrize(
    ("members", "key"),
    [
        ({"buffer": 2, "byteLength": 4}, "/buffer"),
        ({"byteLength": 4}, ""),
        ({"buffer": 0}, ""),
        ({"buffer": 0, "byteLength": 9}, ""),
        ({"buffer": 0, "byteLength": 4, "byteOffset": 5}, ""),
        ({"buffer": 0, "byteLength": 0}, "/byteLength"),
        ({"buffer": 0, "byteLength": 4, "byteStride": 6}, "/byteStride"),
        ({"buffer": 0, "byteLength": 4, "byteStride": 256}, "/byteStride"),
    ],
)
def test_others_are_refused_where_they_are(members, key):
    with pytest.raises(FormatError) as caught:
        view(**members)
    assert caught.value.pointer == "/bufferViews/4" + key
