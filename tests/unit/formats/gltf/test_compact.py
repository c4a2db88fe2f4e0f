import numpy as np

from skinproof.formats.gltf.compact import compact, emptied_views, mark
from skinproof.formats.gltf.references import Span

NOTHING = frozenset()


def _document(views, accessors):
    views = [{"buffer": 0, **view} for view in views]
    return {"bufferViews": views, "accessors": [{"type": "VEC4", "componentType": 5121, **one} for one in accessors]}


def _span(view, count, size, *, start=0, stride=None):
    return Span({}, view, start, count, size, stride or size)


def _numbered(length):
    return bytes(range(length))


def test_without_dead_data_nothing_happens():
    document = _document([{"byteLength": 8}], [{"bufferView": 0, "count": 2}])
    buffers = [_numbered(8)]
    assert compact(document, buffers, [], pinned=NOTHING) == buffers
    assert document == _document([{"byteLength": 8}], [{"bufferView": 0, "count": 2}])


def test_what_follows_moves_up_and_the_empty_view_shrinks_to_the_least():
    views = [{"byteLength": 8, "byteStride": 4, "name": "gone"}, {"byteOffset": 8, "byteLength": 8}]
    document = _document(views, [{"bufferView": 1, "count": 2}])
    result = compact(document, [_numbered(16)], [_span(0, 2, 4)], pinned=NOTHING)
    assert result == [_numbered(16)[8:]]
    assert document["bufferViews"] == [
        {"buffer": 0, "byteLength": 1, "name": "gone"},
        {"buffer": 0, "byteOffset": 0, "byteLength": 8},
    ]


def test_other_buffers_stay_the_same_objects():
    document = _document([{"byteLength": 8}, {"buffer": 1, "byteLength": 8}], [{"bufferView": 1, "count": 2}])
    buffers = [_numbered(8), _numbered(8)]
    result = compact(document, buffers, [_span(0, 2, 4)], pinned=NOTHING)
    assert result[0] == _numbered(4)  # a buffer has at least one byte
    assert result[1] is buffers[1]


def test_a_dead_column_goes_from_every_row():
    document = _document(
        [{"byteLength": 36, "byteStride": 12}],
        [{"bufferView": 0, "count": 3}, {"bufferView": 0, "byteOffset": 8, "count": 3}],
    )
    (result,) = compact(document, [_numbered(36)], [_span(0, 3, 4, start=4, stride=12)], pinned=NOTHING)
    assert result == bytes([0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27, 32, 33, 34, 35])
    assert document["bufferViews"] == [{"buffer": 0, "byteLength": 24, "byteStride": 8}]
    assert [accessor.get("byteOffset", 0) for accessor in document["accessors"]] == [0, 4]


def test_a_column_that_lives_in_some_rows_stays_in_all():
    document = _document(
        [{"byteLength": 32, "byteStride": 8}],
        [{"bufferView": 0, "count": 4}, {"bufferView": 0, "byteOffset": 20, "count": 2}],
    )
    before = _numbered(32)
    (result,) = compact(document, [before], [_span(0, 2, 4, start=4, stride=8)], pinned=NOTHING)
    assert result == before
    assert document["bufferViews"][0]["byteStride"] == 8


def test_views_of_one_column_each_over_the_same_rows_shrink_together():
    document = _document(
        [
            {"byteLength": 24, "byteStride": 8},
            {"byteOffset": 4, "byteLength": 20, "byteStride": 8},
        ],
        [{"bufferView": 1, "count": 3}],
    )
    (result,) = compact(document, [_numbered(24)], [_span(0, 3, 4, stride=8)], pinned=NOTHING)
    assert result == bytes([4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23])
    assert document["bufferViews"][1] == {"buffer": 0, "byteOffset": 0, "byteLength": 12, "byteStride": 4}


def test_a_view_without_accessors_is_left_whole():
    document = _document([{"byteLength": 8}, {"byteLength": 8}], [])
    (result,) = compact(document, [_numbered(8)], [_span(0, 2, 4)], pinned=NOTHING)
    assert result == _numbered(8)
    assert [view["byteLength"] for view in document["bufferViews"]] == [1, 8]


def test_images_and_parts_of_sparse_accessors_are_left_whole():
    for holder in ({"images": [{"bufferView": 0}]}, {"accessors": [{"sparse": {"values": {"bufferView": 0}}}]}):
        document = _document([{"byteLength": 8}], []) | holder
        (result,) = compact(document, [_numbered(8)], [_span(0, 2, 4)], pinned=NOTHING)
        assert result == _numbered(8)
        assert document["bufferViews"][0]["byteLength"] == 8


def test_a_pinned_view_is_left_whole_and_moves_by_eights():
    views = [{"byteLength": 6}, {"byteOffset": 8, "byteLength": 4}, {"byteOffset": 12, "byteLength": 8}]
    accessors = [{"bufferView": 0, "count": 6, "type": "SCALAR"}, {"bufferView": 2, "count": 2}]
    document = _document(views, accessors)
    (result,) = compact(document, [_numbered(20)], [_span(1, 1, 4)], pinned=frozenset({2}))
    assert result == bytes([0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, *range(12, 20)])
    assert document["bufferViews"][0]["byteLength"] == 6
    assert document["bufferViews"][2] == {"buffer": 0, "byteOffset": 12, "byteLength": 8}


def test_a_view_that_ends_where_a_pinned_one_begins_keeps_its_length():
    views = [{"byteLength": 4}, {"byteOffset": 4, "byteLength": 8}, {"byteOffset": 12, "byteLength": 4}]
    document = _document(views, [{"bufferView": 1, "count": 2}, {"bufferView": 2, "count": 1}])
    (result,) = compact(document, [_numbered(16)], [_span(0, 1, 4)], pinned=frozenset({2}))
    assert document["bufferViews"][1] == {"buffer": 0, "byteOffset": 0, "byteLength": 8}
    assert document["bufferViews"][2] == {"buffer": 0, "byteOffset": 12, "byteLength": 4}
    assert (result[:8], result[12:]) == (_numbered(16)[4:12], _numbered(16)[12:])


def test_a_pinned_view_that_begins_within_a_word_does_not_part_the_one_before():
    views = [{"byteLength": 4}, {"byteOffset": 4, "byteLength": 11}, {"byteOffset": 15, "byteLength": 5}]
    document = _document(views, [{"bufferView": 1, "count": 11, "type": "SCALAR"}])
    (result,) = compact(document, [_numbered(20)], [_span(0, 1, 4)], pinned=frozenset({2}))
    assert result == _numbered(20)[4:]
    assert [view.get("byteOffset", 0) for view in document["bufferViews"]] == [0, 0, 11]


def test_what_no_accessor_used_in_an_emptied_view_goes_too():
    views = [{"byteOffset": 4, "byteLength": 16}, {"byteLength": 4}]
    document = _document(views, [{"bufferView": 1, "count": 1}])
    (result,) = compact(document, [_numbered(20)], [_span(0, 1, 4, start=4)], pinned=NOTHING)
    assert result == _numbered(4)


def test_what_overlaps_a_pinned_view_is_not_cut_either():
    views = [{"byteLength": 12, "byteStride": 12}, {"byteOffset": 4, "byteLength": 8}]
    document = _document(views, [])
    (result,) = compact(document, [_numbered(12)], [_span(0, 1, 12)], pinned=frozenset({1}))
    assert result == _numbered(12)
    assert document["bufferViews"][1] == {"buffer": 0, "byteOffset": 4, "byteLength": 8}


def test_emptied_views_are_those_that_held_only_what_was_freed():
    views = [{"byteLength": 8} for _ in range(4)]
    document = _document(views, [{"bufferView": 1, "count": 2}])
    freed = [_span(view, 1, 4) for view in (0, 1, 2)]
    assert emptied_views(document, freed, pinned=frozenset({2})) == {0}


def test_mark_sets_the_bytes_of_the_elements_alone():
    mask = np.zeros(12, dtype=np.bool_)
    mark(mask, 1, count=3, size=2, stride=4)
    assert np.flatnonzero(mask).tolist() == [1, 2, 5, 6, 9, 10]
