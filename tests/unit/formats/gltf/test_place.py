import numpy as np

from skinproof.formats.gltf.place import Draft, place
from skinproof.formats.gltf.references import Pins, accessor_span

NO_PINS = Pins(frozenset(), frozenset())
OLD = np.full((2, 4), 7, np.float32)
BYTES = np.arange(1, 9, dtype=np.uint8).reshape(2, 4)
FLOATS = np.arange(8, dtype=np.float32).reshape(2, 4)


def _original(views, accessors):
    """JSON with one buffer; every view is of that buffer and every accessor has two elements, VEC4 of floats."""
    return {
        "accessors": [{"componentType": 5126, "type": "VEC4", "count": 2, **one} for one in accessors],
        "bufferViews": [{"buffer": 0, **view} for view in views],
        "buffers": [{"byteLength": sum(view["byteLength"] for view in views)}],
    }


def _draft(original, data):
    json = {key: [dict(item) for item in items] for key, items in original.items()}
    return Draft(json, [memoryview(bytes(data))], ["glb-chunk"])


def _set_type(draft, accessor, array):
    draft.json["accessors"][accessor]["componentType"] = 5121 if array.dtype == np.uint8 else 5126


def _stored(draft, accessor, dtype):
    json = draft.json
    view = json["bufferViews"][json["accessors"][accessor]["bufferView"]]
    size = 4 * np.dtype(dtype).itemsize
    start = view.get("byteOffset", 0) + json["accessors"][accessor].get("byteOffset", 0)
    stride = view.get("byteStride", size)
    rows = [draft.buffers[view["buffer"]][start + row * stride :][:size] for row in range(2)]
    return np.frombuffer(b"".join(rows), dtype).reshape(2, 4)


def test_in_place_in_an_interleaved_view_the_neighbours_stay():
    original = _original(
        [{"byteLength": 64, "byteStride": 32}], [{"bufferView": 0}, {"bufferView": 0, "byteOffset": 16}]
    )
    draft = _draft(original, np.tile(OLD, (1, 2)).tobytes())
    place(draft, original, {1: FLOATS}, {}, [], NO_PINS)
    assert np.array_equal(_stored(draft, 0, np.float32), OLD)
    assert np.array_equal(_stored(draft, 1, np.float32), FLOATS)
    assert draft.json == original


def test_smaller_data_in_an_interleaved_view_makes_the_stride_smaller():
    original = _original(
        [{"byteLength": 64, "byteStride": 32}], [{"bufferView": 0}, {"bufferView": 0, "byteOffset": 16}]
    )
    draft = _draft(original, np.tile(OLD, (1, 2)).tobytes())
    _set_type(draft, 0, BYTES)
    place(draft, original, {0: BYTES}, {}, [], NO_PINS)
    assert np.array_equal(_stored(draft, 0, np.uint8), BYTES)
    assert np.array_equal(_stored(draft, 1, np.float32), OLD)
    assert draft.json["bufferViews"] == [{"buffer": 0, "byteLength": 40, "byteStride": 20}]


def test_larger_data_leaves_an_interleaved_view_for_a_new_one():
    original = _original(
        [{"byteLength": 40, "byteStride": 20}],
        [{"bufferView": 0, "componentType": 5121}, {"bufferView": 0, "byteOffset": 4}],
    )
    draft = _draft(original, np.hstack([BYTES, OLD.view(np.uint8)]).tobytes())
    _set_type(draft, 0, FLOATS)
    place(draft, original, {0: FLOATS}, {}, [], NO_PINS)
    assert draft.json["bufferViews"] == [
        {"buffer": 0, "byteLength": 32, "byteStride": 16},
        {"buffer": 0, "byteOffset": 32, "byteLength": 32, "target": 34962},
    ]
    assert np.array_equal(_stored(draft, 0, np.float32), FLOATS)
    assert np.array_equal(_stored(draft, 1, np.float32), OLD)


def test_bytes_that_another_accessor_sees_are_not_overwritten():
    original = _original([{"byteLength": 32}], [{"bufferView": 0}, {"bufferView": 0}])
    draft = _draft(original, OLD.tobytes())
    place(draft, original, {0: FLOATS}, {}, [], NO_PINS)
    assert np.array_equal(_stored(draft, 0, np.float32), FLOATS)
    assert np.array_equal(_stored(draft, 1, np.float32), OLD)


def test_two_accessors_on_the_same_bytes_may_both_change():
    original = _original([{"byteLength": 32}], [{"bufferView": 0}, {"bufferView": 0}])
    draft = _draft(original, OLD.tobytes())
    place(draft, original, {0: FLOATS, 1: FLOATS + 1}, {}, [], NO_PINS)
    assert np.array_equal(_stored(draft, 0, np.float32), FLOATS)
    assert np.array_equal(_stored(draft, 1, np.float32), FLOATS + 1)


def test_bytes_of_an_image_are_not_overwritten():
    original = _original([{"byteLength": 32}, {"byteLength": 32}], [{"bufferView": 0}]) | {
        "images": [{"bufferView": 1}]
    }
    draft = _draft(original, OLD.tobytes())
    place(draft, original, {0: FLOATS}, {}, [], NO_PINS)
    assert np.array_equal(_stored(draft, 0, np.float32), FLOATS)
    assert draft.buffers[0][:32] == OLD.tobytes()


def test_a_pinned_view_keeps_its_bytes_and_the_accessor_moves():
    original = _original([{"byteLength": 32}], [{"bufferView": 0}])
    draft = _draft(original, OLD.tobytes())
    place(draft, original, {0: FLOATS}, {}, [], Pins(frozenset({0}), frozenset()))
    assert draft.json["bufferViews"][0] == original["bufferViews"][0]
    assert draft.buffers[0][:32] == OLD.tobytes()
    assert np.array_equal(_stored(draft, 0, np.float32), FLOATS)


def test_nothing_is_cut_from_a_pinned_buffer():
    original = _original([{"byteLength": 32}, {"byteLength": 32, "byteOffset": 32}], [{}, {"bufferView": 1}])
    draft = _draft(original, OLD.tobytes() * 2)
    span = accessor_span({"bufferView": 0, "componentType": 5126, "type": "VEC4", "count": 2}, original["bufferViews"])
    place(draft, original, {}, {}, [span], Pins(frozenset(), frozenset({0})))
    assert draft.buffers[0] == OLD.tobytes() * 2
    assert draft.json == original


def test_two_accessors_that_leave_one_view_do_not_both_get_it():
    original = _original(
        [{"byteLength": 16}],
        [{"bufferView": 0, "componentType": 5121}, {"bufferView": 0, "byteOffset": 8, "componentType": 5121}],
    )
    draft = _draft(original, BYTES.tobytes() * 2)
    for accessor in (0, 1):
        _set_type(draft, accessor, FLOATS)
    place(draft, original, {0: FLOATS, 1: FLOATS + 1}, {}, [], NO_PINS)
    assert [accessor["bufferView"] for accessor in draft.json["accessors"]] == [0, 1]
    assert np.array_equal(_stored(draft, 0, np.float32), FLOATS)
    assert np.array_equal(_stored(draft, 1, np.float32), FLOATS + 1)


def test_new_data_goes_to_the_buffer_of_what_it_stands_in_for():
    original = _original([{"byteLength": 32}, {"byteLength": 32, "buffer": 1}], [{"bufferView": 0}, {"bufferView": 1}])
    original["buffers"].append({"byteLength": 32})
    draft = _draft(original, OLD.tobytes())
    draft.buffers.append(memoryview(OLD.tobytes()))
    draft.json["accessors"].append({"componentType": 5126, "type": "VEC4", "count": 2})
    place(draft, original, {2: FLOATS}, {2: 1}, [], NO_PINS)
    assert draft.json["bufferViews"][2] == {"buffer": 1, "byteOffset": 32, "byteLength": 32, "target": 34962}
    assert [buffer["byteLength"] for buffer in draft.json["buffers"]] == [32, 64]
    assert np.array_equal(_stored(draft, 2, np.float32), FLOATS)
