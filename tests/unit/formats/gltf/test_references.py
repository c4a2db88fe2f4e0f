import pytest

from skinproof.formats.gltf.references import (
    Use,
    attribute_uses,
    find_pins,
    opaque_views,
    other_uses,
    spans,
    sparse_spans,
)


def test_spans_know_the_stride_of_their_view():
    accessors = [
        {"bufferView": 1, "byteOffset": 4, "componentType": 5126, "type": "VEC3", "count": 3},
        {"componentType": 5126, "type": "VEC3", "count": 3},
        {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3},
    ]
    strided, tight = spans({"accessors": accessors, "bufferViews": [{}, {"byteStride": 20}]})
    assert (strided.view, strided.start, strided.count, strided.size, strided.stride) == (1, 4, 3, 12, 20)
    assert (tight.view, tight.start, tight.stride) == (0, 0, 12)
    assert (strided.length, tight.length) == (52, 36)
    assert strided.accessor is accessors[0]


def test_the_parts_of_a_sparse_accessor_are_tight():
    sparse = {
        "count": 3,
        "indices": {"bufferView": 1, "byteOffset": 2, "componentType": 5123},
        "values": {"bufferView": 2},
    }
    indices, values = sparse_spans({"componentType": 5126, "type": "VEC3", "count": 9}, sparse)
    assert (indices.view, indices.start, indices.count, indices.size, indices.stride) == (1, 2, 3, 2, 2)
    assert (values.view, values.start, values.count, values.size, values.stride) == (2, 0, 3, 12, 12)


def test_every_user_of_an_accessor_is_found():
    primitive = {"attributes": {"POSITION": 0, "JOINTS_0": 1}, "indices": 2, "targets": [{"POSITION": 3}]}
    document = {
        "meshes": [{"primitives": [primitive]}],
        "skins": [{"inverseBindMatrices": 4}, {}],
        "animations": [{"samplers": [{"input": 5, "output": 6}]}],
    }
    assert list(attribute_uses(document)) == [Use(0, 0, "POSITION", 0), Use(0, 0, "JOINTS_0", 1)]
    assert other_uses(document) == {2, 3, 4, 5, 6}


def test_images_and_sparse_parts_are_opaque():
    document = {
        "images": [{"bufferView": 3}, {"uri": "a.png"}],
        "accessors": [{"bufferView": 0, "sparse": {"indices": {"bufferView": 1}, "values": {"bufferView": 2}}}, {}],
    }
    assert opaque_views(document) == {1, 2, 3}


@pytest.mark.parametrize(
    "document",
    [
        {"meshes": 1, "skins": "x", "animations": {}, "images": None, "accessors": [{"sparse": 1}]},
        {"meshes": [1, {"primitives": [{"attributes": [], "targets": {}, "indices": "0"}, None]}]},
        {"skins": [{"inverseBindMatrices": True}], "animations": [{"samplers": [{}]}], "images": [{"bufferView": 1.5}]},
    ],
)
def test_parts_that_the_reader_never_looks_at_may_be_broken(document):
    assert list(attribute_uses(document)) == []
    assert other_uses(document) == opaque_views(document) == frozenset()


def test_integers_in_unknown_extensions_pin():
    extension = {"accessor": 3, "list": [{"view": 4}, [5]], "flag": True, "factor": 6.0, "name": "7"}
    for place in ({"extensions": {"X_unknown": extension}}, {"nodes": [{"extensions": {"X_unknown": extension}}]}):
        pins = find_pins(place)
        assert pins.accessors == pins.views == {3, 4, 5}
        assert pins.buffers == frozenset()


def test_harmless_extensions_and_the_rest_of_the_file_pin_nothing():
    document = {
        "extensions": {"VRM": {"a": 1}, "KHR_lights_punctual": {"lights": [2]}},
        "materials": [{"extensions": {"KHR_materials_variants": {"variants": [3]}}}],
        "extras": {"X_unknown": 4},
        "accessors": [{"bufferView": 5}],
    }
    pins = find_pins(document)
    assert pins.accessors == pins.buffers == frozenset()


def test_an_unknown_extension_within_a_harmless_one_pins():
    inner = {"extensions": {"X_unknown": {"accessor": 1}}}
    assert find_pins({"extensions": {"VRM": inner}}).accessors == {1}


@pytest.mark.parametrize("name", ["EXT_lights_ies", "VRMC_mesh_annotation", "KHR_texture_procedurals", "VRM_"])
def test_a_known_prefix_makes_no_harmless_extension(name):
    assert find_pins({"extensions": {name: {"lights": [{"bufferView": 6}]}}}).views == {6}


def test_only_the_key_buffer_pins_a_buffer():
    pins = find_pins({"bufferViews": [{"extensions": {"EXT_meshopt_compression": {"buffer": 1, "count": 2}}}]})
    assert pins.buffers == {1}
    assert pins.views == {1, 2}


def test_depth_is_no_limit():
    deep = {"accessor": 8}
    for _ in range(5000):
        deep = [deep]
    assert find_pins({"extensions": {"X_unknown": deep}}).accessors == {8}
