"""Accessors: what is decoded, and what is refused before any memory is taken."""

import numpy as np
import pytest

from gltf_builder import GltfBuilder
from skinproof.errors import FormatError
from skinproof.formats.gltf.accessors import AccessorReader
from skinproof.formats.gltf.document import open_document
from skinproof.formats.gltf.values import Element
from skinproof.tolerances import MAX_UNBACKED_NUMBERS

USER = Element({"accessor": 0}, "/user", "file")
ANY = {"kinds": ("SCALAR", "VEC2", "VEC3", "VEC4"), "types": ("float32", "uint8", "unorm8", "uint16", "unorm16")}


def reader(builder, tmp_path):
    return AccessorReader(open_document(builder.save(tmp_path / "a.glb")))


def refusal(builder, tmp_path):
    with pytest.raises(FormatError) as caught:
        reader(builder, tmp_path)
    assert caught.value.remedy
    return caught.value


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "uint32", "float32"])
def test_every_component_type_comes_back(tmp_path, dtype):
    values = np.array([[0, 1], [100, 127], [3, 2]], dtype=dtype)
    builder = GltfBuilder()
    builder.accessor(np.array([7], dtype=np.uint8))  # so that the offset is not zero
    index = builder.accessor(values)
    accessors = reader(builder, tmp_path)
    assert np.array_equal(accessors.stored(index), values)
    assert accessors.accessors[index].type == dtype
    assert np.array_equal(accessors.decoded(index, np.float64), values)


@pytest.mark.parametrize(
    ("dtype", "normalized", "step"),
    [
        ("float32", False, 0.0),
        ("uint16", False, 1.0),
        ("int8", False, 1.0),
        ("uint8", True, 1 / 255),
        ("int8", True, 1 / 127),
        ("uint16", True, 1 / 16383 + 2 / 65535),  # 14 bits at the least, spread over 16
        ("int16", True, 1 / 8191 + 2 / 32767),
    ],
)
def test_how_far_apart_an_encoding_tells_values(tmp_path, dtype, normalized, step):
    builder = GltfBuilder()
    index = builder.accessor(np.array([1, 0], dtype=dtype), normalized=normalized)
    assert reader(builder, tmp_path).accessors[index].step == step


@pytest.mark.parametrize(
    ("dtype", "stored", "decoded"),
    [
        ("uint8", [0, 51, 255], [0, 0.2, 1]),
        ("uint16", [0, 13107, 65535], [0, 0.2, 1]),
        ("int8", [-128, -127, 0, 127], [-1, -1, 0, 1]),
        ("int16", [-32768, -32767, 0, 32767], [-1, -1, 0, 1]),
    ],
)
def test_normalized_integers_are_fractions(tmp_path, dtype, stored, decoded):
    builder = GltfBuilder()
    index = builder.accessor(np.array(stored, dtype=dtype), normalized=True)
    accessors = reader(builder, tmp_path)
    assert accessors.accessors[index].type == dtype.replace("uint", "unorm").replace("int", "snorm")
    assert np.array_equal(accessors.decoded(index, np.float64).ravel(), decoded)
    assert np.array_equal(accessors.decoded(index, np.float32).ravel(), np.float32(decoded))


def test_interleaved_arrays_are_taken_apart(tmp_path):
    positions = np.arange(9, dtype=np.float32).reshape(3, 3)
    joints = np.arange(12, dtype=np.uint8).reshape(3, 4)
    builder = GltfBuilder()
    indices = builder.interleaved({"POSITION": positions, "JOINTS_0": joints}, stride=24)
    accessors = reader(builder, tmp_path)
    assert np.array_equal(accessors.decoded(indices["POSITION"], np.float32), positions)
    assert np.array_equal(accessors.stored(indices["JOINTS_0"]), joints)
    assert accessors.is_strided(Element({"indices": 0}, "", ""), "indices")
    assert not accessors.is_strided(Element({}, "", ""), "indices")


def test_the_last_element_needs_no_padding(tmp_path):
    builder = GltfBuilder()
    index = builder.accessor(np.arange(6, dtype=np.float32).reshape(2, 3))
    builder.json["bufferViews"][0] |= {"byteStride": 16, "byteLength": 28}
    builder.data.extend(b"\0" * 4)
    assert reader(builder, tmp_path).decoded(index, np.float32)[0].tolist() == [0, 1, 2]


def test_arrays_are_read_only_and_decoded_once(tmp_path):
    builder = GltfBuilder()
    index = builder.accessor(np.ones((2, 3)))
    accessors = reader(builder, tmp_path)
    first = accessors.decoded(index, np.float64)
    assert not first.flags.writeable
    assert accessors.decoded(index, np.float64) is first
    assert not accessors.stored(index).flags.writeable


def test_an_accessor_without_buffer_view_is_zeros(tmp_path):
    builder = GltfBuilder()
    builder.json["accessors"] = [{"componentType": 5126, "type": "VEC3", "count": 4}]
    accessors = reader(builder, tmp_path)
    assert accessors.get(USER, "accessor", **ANY) == 0
    assert np.array_equal(accessors.decoded(0, np.float64), np.zeros((4, 3)))


def test_counts_without_data_are_bounded_together(tmp_path):
    half = {"componentType": 5126, "type": "VEC4", "count": MAX_UNBACKED_NUMBERS // 8 + 1}
    builder = GltfBuilder()
    builder.json["accessors"] = [half, dict(half)]
    accessors = reader(builder, tmp_path)
    for _ in range(3):
        accessors.get(USER, "accessor", **ANY)  # the same one counts once
    with pytest.raises(FormatError, match="have no data") as caught:
        accessors.get(Element({"accessor": 1}, "/user", "file"), "accessor", **ANY)
    assert caught.value.pointer == "/accessors/1/count"


def test_sparse_accessors_that_share_a_base_count_each(tmp_path, monkeypatch):
    monkeypatch.setattr("skinproof.formats.gltf.accessors.MAX_UNBACKED_NUMBERS", 24)
    builder = GltfBuilder()
    builder.accessor(np.zeros((4, 3)))
    builder.sparsify(0, [1])
    builder.json["accessors"] += [dict(builder.json["accessors"][0]) for _ in range(2)]
    accessors = reader(builder, tmp_path)
    for index in (0, 0, 1):
        accessors.get(Element({"accessor": index}, "/user", "file"), "accessor", **ANY)
    with pytest.raises(FormatError, match="36 numbers have no data of their own"):
        accessors.get(Element({"accessor": 2}, "/user", "file"), "accessor", **ANY)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"buffer": 1}, "/bufferViews/0/buffer"),
        ({"buffer": None}, "/bufferViews/0/buffer"),
        ({"byteLength": 0}, "/bufferViews/0/byteLength"),
        ({"byteLength": 2**53}, "/bufferViews/0"),
        ({"byteOffset": 4}, "/bufferViews/0"),
        ({"byteOffset": 2**63}, "/bufferViews/0"),
        ({"byteOffset": -4}, "/bufferViews/0/byteOffset"),
        ({"byteStride": 3}, "/bufferViews/0/byteStride"),
        ({"byteStride": 14}, "/bufferViews/0/byteStride"),
        ({"byteStride": 256}, "/bufferViews/0/byteStride"),
        ({"byteStride": 8}, "/accessors/0"),
        ({"byteStride": 16}, "/accessors/0"),
    ],
)
def test_broken_buffer_views_are_refused(tmp_path, change, pointer):
    builder = GltfBuilder()
    builder.accessor(np.ones((4, 3)))
    builder.json["bufferViews"][0] |= change
    assert refusal(builder, tmp_path).pointer == pointer


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"bufferView": 1}, "/accessors/0/bufferView"),
        ({"byteOffset": 4}, "/accessors/0"),
        ({"byteOffset": 2**53}, "/accessors/0"),
        ({"byteOffset": -1}, "/accessors/0/byteOffset"),
        ({"count": 5}, "/accessors/0"),
        ({"count": 2**53}, "/accessors/0"),
        ({"count": 2**64}, "/accessors/0"),
        ({"count": 0}, "/accessors/0/count"),
        ({"count": "4"}, "/accessors/0/count"),
        ({"componentType": 5124}, "/accessors/0/componentType"),
        ({"type": "VEC5"}, "/accessors/0/type"),
        ({"type": "MAT4"}, "/accessors/0"),
        ({"normalized": 1}, "/accessors/0/normalized"),
        ({"sparse": []}, "/accessors/0/sparse"),
        ({"sparse": {"count": 1}}, "/accessors/0/sparse"),
    ],
)
def test_broken_accessors_are_refused(tmp_path, change, pointer):
    builder = GltfBuilder()
    builder.accessor(np.ones((4, 3)))
    builder.json["accessors"][0] |= change
    assert refusal(builder, tmp_path).pointer == pointer


@pytest.mark.parametrize("matrix", ["MAT2", "MAT3"])
def test_columns_of_byte_matrices_are_padded(tmp_path, matrix):
    columns = int(matrix[-1])
    builder = GltfBuilder()
    builder.accessor(np.zeros(2 * columns * 4, dtype=np.uint8))
    builder.json["accessors"][0] |= {"type": matrix, "count": 2}
    reader(builder, tmp_path)
    builder.json["accessors"][0]["count"] = 3
    assert f"need {3 * columns * 4} bytes" in refusal(builder, tmp_path).reason


def test_images_name_buffer_views_that_are_there(tmp_path):
    builder = GltfBuilder()
    builder.json["images"] = [{"bufferView": 0}]
    assert refusal(builder, tmp_path).pointer == "/images/0/bufferView"


def sparse_builder():
    builder = GltfBuilder()
    builder.accessor(np.ones((4, 3)))
    builder.json["accessors"][0]["sparse"] = {
        "count": 2,
        "indices": {"bufferView": builder.view(b"\0\1"), "componentType": 5121},
        "values": {"bufferView": builder.view(np.arange(1, 7, dtype="<f4").tobytes())},
    }
    return builder


@pytest.mark.parametrize("base", [True, False])
def test_elements_of_a_sparse_accessor_are_replaced(tmp_path, base):
    builder = sparse_builder()
    if not base:
        del builder.json["accessors"][0]["bufferView"]
    accessors = reader(builder, tmp_path)
    assert accessors.get(USER, "accessor", **ANY) == 0
    expected = [[1, 2, 3], [4, 5, 6]] + 2 * [[int(base)] * 3]
    assert accessors.stored(0).tolist() == expected
    assert accessors.decoded(0, np.float64).tolist() == expected
    assert not accessors.stored(0).flags.writeable


@pytest.mark.parametrize(
    ("indices", "reason"), [(b"\1\1", "entry 1 replaces element 1"), (b"\1\0", "entry 1"), (b"\0\4", "less than 4")]
)
def test_indices_of_a_sparse_accessor_ascend_within_it(tmp_path, indices, reason):
    builder = sparse_builder()
    start = builder.json["bufferViews"][1]["byteOffset"]
    builder.data[start : start + 2] = indices
    accessors = reader(builder, tmp_path)
    with pytest.raises(FormatError, match=reason) as caught:
        accessors.get(USER, "accessor", **ANY)
    assert caught.value.pointer == "/accessors/0/sparse/indices"


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("indices", {"bufferView": 9}),
        ("indices", {"byteOffset": 1}),
        ("indices", {"componentType": 5126}),
        ("values", {"byteOffset": 1}),
        ("values", {"bufferView": 1}),
    ],
)
def test_sparse_data_lie_within_their_views(tmp_path, part, change):
    builder = sparse_builder()
    builder.json["accessors"][0]["sparse"][part] |= change
    assert refusal(builder, tmp_path).pointer.startswith(f"/accessors/0/sparse/{part}")


def test_sparse_data_have_no_stride(tmp_path):
    builder = sparse_builder()
    builder.json["bufferViews"][2]["byteStride"] = 12
    assert "byteStride" in refusal(builder, tmp_path).reason


def test_the_wrong_type_is_refused_where_it_is_used(tmp_path):
    builder = GltfBuilder()
    builder.accessor(np.ones((4, 3)))
    accessors = reader(builder, tmp_path)
    for need in ({"kinds": ("VEC4",), "types": ("float32",)}, {"kinds": ("VEC3",), "types": ("uint8", "uint16")}):
        with pytest.raises(FormatError, match="accessor 0 is VEC3 of float32") as caught:
            accessors.get(USER, "accessor", **need)
        assert caught.value.pointer == "/user/accessor"
    assert accessors.get(Element({}, "/user", "file"), "accessor", **ANY) is None
