"""Random layouts of views and accessors: what lives must survive a compaction, and what is dead must go."""

from copy import deepcopy

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from skinproof.formats.gltf.compact import compact
from skinproof.formats.gltf.references import spans

DTYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def _size(accessor):
    return np.dtype(DTYPES[accessor["componentType"]]).itemsize * WIDTHS[accessor["type"]]


def _bytes_of(document, buffers, accessor):
    """The elements of an accessor, one row of bytes each, taken out one by one."""
    view = document["bufferViews"][accessor["bufferView"]]
    size = _size(accessor)
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    end_of_view = view.get("byteOffset", 0) + view["byteLength"]
    rows = []
    for index in range(accessor["count"]):
        at = start + index * view.get("byteStride", size)
        assert at + size <= end_of_view
        rows.append(bytes(buffers[view["buffer"]][at : at + size]))
    return rows


class _Layout:
    """A document in the making: one buffer per index, any number of views and accessors."""

    def __init__(self, buffers):
        self.document = {"accessors": [], "bufferViews": [], "buffers": []}
        self.sizes = [0] * buffers

    def view(self, buffer, length, *, gap=0, at=None, **fields):
        if at is None:
            at = -(-self.sizes[buffer] // 4) * 4 + gap
        self.sizes[buffer] = max(self.sizes[buffer], at + length)
        view = {"buffer": buffer, "byteOffset": at, "byteLength": length, **fields}
        self.document["bufferViews"].append(view if at else {k: v for k, v in view.items() if k != "byteOffset"})
        return len(self.document["bufferViews"]) - 1

    def accessor(self, view, offset, count, component, kind):
        accessor = {"bufferView": view, "componentType": component, "count": count, "type": kind}
        if offset:
            accessor["byteOffset"] = offset
        self.document["accessors"].append(accessor)


_COMPONENTS = st.sampled_from(sorted(DTYPES))
_KINDS = st.sampled_from(sorted(WIDTHS))
_COUNTS = st.integers(1, 6)


@st.composite
def _tight(draw, layout, buffer):
    """A view without stride: its accessors one after the other."""
    parts = draw(st.lists(st.tuples(_COMPONENTS, _KINDS, _COUNTS), min_size=1, max_size=3))
    offsets, length = [], 0
    for component, kind, count in parts:
        length = -(-length // 4) * 4
        offsets.append(length)
        length += _size({"componentType": component, "type": kind}) * count
    view = layout.view(buffer, length + draw(st.integers(0, 5)), gap=draw(st.integers(0, 2)) * 4)
    for offset, (component, kind, count) in zip(offsets, parts, strict=True):
        layout.accessor(view, offset, count, component, kind)


@st.composite
def _interleaved(draw, layout, buffer):
    """Rows of columns: in one view or a view per column, for all rows or (other accessors) for the rows' two halves."""
    columns = draw(
        st.lists(st.tuples(_COMPONENTS, st.sampled_from(["SCALAR", "VEC3", "VEC4"])), min_size=1, max_size=5)
    )
    starts, stride = [], 0
    for component, kind in columns:
        starts.append(stride)
        stride += -(-_size({"componentType": component, "type": kind}) // 4) * 4
    stride += draw(st.integers(0, 2)) * 4
    rows = draw(st.integers(1, 5))
    parts = draw(st.sampled_from([[(0, rows)], [(0, rows), (rows, rows + 2)]]))
    length = stride * parts[-1][1]
    one_view = draw(st.booleans())
    view = layout.view(buffer, length, byteStride=stride)
    at = layout.document["bufferViews"][view].get("byteOffset", 0)
    for start, (component, kind) in zip(starts, columns, strict=True):
        offset = start
        if not one_view:
            view, offset = layout.view(buffer, length - start, at=at + start, byteStride=stride), 0
        for first, last in parts:
            layout.accessor(view, offset + first * stride, last - first, component, kind)


@st.composite
def _blob(draw, layout, buffer):
    """A view that no accessor uses."""
    layout.view(buffer, draw(st.integers(1, 20)), gap=draw(st.integers(0, 3)))


@st.composite
def _layouts(draw):
    count = draw(st.integers(1, 2))
    layout = _Layout(count)
    for part in draw(st.lists(st.sampled_from([_tight, _interleaved, _blob]), min_size=1, max_size=5)):
        draw(part(layout, draw(st.integers(0, count - 1))))
    views = range(len(layout.document["bufferViews"]))
    if draw(st.integers(0, 3)) == 0:  # somebody else looks at the same bytes through a view of his own
        seen = dict(layout.document["bufferViews"][draw(st.sampled_from(views))])
        seen.pop("byteStride", None)
        layout.document["bufferViews"].append(seen)
    pinned = draw(st.frozensets(st.sampled_from(views), max_size=2))
    dead = draw(st.frozensets(st.sampled_from(range(max(1, len(layout.document["accessors"]))))))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    buffers = [random.bytes(size + int(random.integers(1, 6))) for size in layout.sizes]
    layout.document["buffers"] = [{"byteLength": len(buffer)} for buffer in buffers]
    return layout.document, buffers, dead, pinned


@given(_layouts())
def test_what_lives_survives_and_stays_aligned(case):
    before, buffers, dead, pinned = case
    after = deepcopy(before)
    freed = [span for index, span in enumerate(spans(before)) if index in dead]
    for index in dead & set(range(len(after["accessors"]))):
        for key in ("bufferView", "byteOffset"):
            after["accessors"][index].pop(key, None)
    result = compact(after, buffers, freed, pinned=pinned)
    alive = [index for index in range(len(before["accessors"])) if index not in dead]
    for index in alive:
        old, new = before["accessors"][index], after["accessors"][index]
        assert _bytes_of(after, result, new) == _bytes_of(before, buffers, old)
        component = np.dtype(DTYPES[new["componentType"]]).itemsize
        view = after["bufferViews"][new["bufferView"]]
        assert new.get("byteOffset", 0) % component == 0
        assert (view.get("byteOffset", 0) + new.get("byteOffset", 0)) % component == 0
        assert "byteStride" not in view or (view["byteStride"] % 4 == 0 and view["byteStride"] >= _size(new))
    used = {span.view for span in spans(before)}
    for index, (old, new) in enumerate(zip(before["bufferViews"], after["bufferViews"], strict=True)):
        start, length = new.get("byteOffset", 0), new["byteLength"]
        assert length >= 1
        assert start + length <= len(result[new["buffer"]])
        assert new.get("byteStride", 4) >= 4
        if index in pinned or index not in used:
            old_start = old.get("byteOffset", 0)
            assert length == old["byteLength"]
            assert result[new["buffer"]][start : start + length] == buffers[new["buffer"]][old_start:][:length]
        if index in pinned:
            assert (start - old_start) % 8 == 0 or old_start % 4
    assert all(0 < len(new) <= len(old) for old, new in zip(buffers, result, strict=True))
    assert all(
        new is old
        for index, (old, new) in enumerate(zip(buffers, result, strict=True))
        if index not in {before["bufferViews"][span.view]["buffer"] for span in freed}
    )
    event(f"cut: {sum(map(len, result)) < sum(map(len, buffers))}")


@given(st.data())
def test_nothing_dead_remains_beyond_alignment_between_accessors(data):
    layout = _Layout(1)
    for _ in range(data.draw(st.integers(1, 6))):
        data.draw(_tight(layout, 0))
    document = layout.document
    dead = data.draw(st.sets(st.sampled_from(range(len(document["accessors"]))), min_size=1))
    buffers = [bytes(layout.sizes[0])]
    original = list(spans(document))
    freed = [original[index] for index in dead]
    for index in dead:
        document["accessors"][index] = {"count": 1}
    (result,) = compact(document, buffers, freed, pinned=frozenset())
    gone = sum(span.length for span in freed)
    assert len(result) <= max(4, len(buffers[0]) - gone + 6 * len(dead))  # up to three bytes at either end of each


@given(
    st.lists(st.tuples(_COMPONENTS, st.sampled_from(["SCALAR", "VEC2", "VEC3", "VEC4"]), st.booleans()), min_size=1),
    st.integers(1, 9),
)
def test_dead_columns_go_and_the_stride_with_them(columns, rows):
    widths = [-(-_size({"componentType": component, "type": kind}) // 4) * 4 for component, kind, _ in columns]
    layout = _Layout(1)
    view = layout.view(0, sum(widths) * rows, byteStride=sum(widths))
    for index, (component, kind, _) in enumerate(columns):
        layout.accessor(view, sum(widths[:index]), rows, component, kind)
    document = layout.document
    original = list(spans(document))
    dead = [index for index, (_, _, dies) in enumerate(columns) if dies]
    for index in dead:
        document["accessors"][index] = {"count": rows}
    (result,) = compact(document, [bytes(layout.sizes[0])], [original[index] for index in dead], pinned=frozenset())
    left = sum(width for width, (_, _, dies) in zip(widths, columns, strict=True) if not dies)
    if not left:
        assert document["bufferViews"] == [{"buffer": 0, "byteLength": 1}]
        assert len(result) == 4
    else:
        assert document["bufferViews"][0]["byteStride"] == left
        assert len(result) == document["bufferViews"][0]["byteLength"] == left * rows
