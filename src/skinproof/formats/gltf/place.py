"""Puts new arrays into the buffers of a document, and gives the space of those they replace back (glTF 2.0, 3.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof.formats.gltf.compact import compact, emptied_views, mark
from skinproof.formats.gltf.document import GLB_CHUNK
from skinproof.formats.gltf.encode import Bytes
from skinproof.formats.gltf.layout import VERTEX_DATA, aligned
from skinproof.formats.gltf.references import Json, Pins, Span, accessor_span, opaque_views, spans


@dataclass(slots=True, eq=False)
class Draft:
    """A document to be written.

    Attributes:
        json: owned by the draft down to what was edited; the rest is shared with the document and not changed.
        buffers: the bytes of each buffer; those not edited are the document's own.
        sources: as in `Document.buffer_sources`.
    """

    json: Json
    buffers: list[Bytes]
    sources: list[str]


def place(
    draft: Draft,
    original: Json,
    contents: Mapping[int, NDArray[Any]],
    stands_in_for: Mapping[int, int | None],
    freed: Sequence[Span],
    pins: Pins,
    /,
) -> None:
    """Give accessors of a draft their new content, and cut out what nobody uses any more.

    An array that fits goes where the accessor's old data was, the others to the end of the buffer, into the old view
    if nothing else is in that and into a new view otherwise.

    Args:
        draft: accessors, views and buffers are edited in place; its accessors have their new types already.
        original: the JSON as it was.
        contents: accessor → array [V, 4], as stored.
        stands_in_for: new accessor → the one whose buffer it goes to, None for any.
        freed: what accessors occupied that have lost their view already.
        pins: what must stay as it is.
    """
    json = draft.json
    space = _Space(draft, original, frozenset(contents), pins)
    all_freed = list(freed)
    elsewhere: dict[int, int | None] = {}  # accessor → the view that it had
    for accessor, array in contents.items():
        before = original["accessors"][accessor] if accessor < len(original.get("accessors", ())) else {}
        span = accessor_span(before, original["bufferViews"]) if "bufferView" in before else None
        if span is None or not space.overwrite(span, array):
            elsewhere[accessor] = json["accessors"][accessor].pop("bufferView", None)
            json["accessors"][accessor].pop("byteOffset", None)
        if span is not None and (accessor in elsewhere or span.size != _row_size(array)):
            all_freed.append(span)
    emptied = set(emptied_views(json, all_freed, pinned=pins.views))
    movable = [span for span in all_freed if json["bufferViews"][span.view]["buffer"] not in pins.buffers]
    draft.buffers = compact(json, draft.buffers, movable, pinned=pins.views)
    for accessor, view in elsewhere.items():
        source = stands_in_for.get(accessor)
        near = original["accessors"][source].get("bufferView") if view is None and source is not None else view
        reused = view if view in emptied else None
        emptied.discard(reused)
        _append(draft, accessor, contents[accessor], near=near, view=reused)
    for index, buffer in enumerate(draft.buffers):
        json["buffers"][index]["byteLength"] = len(buffer)


class _Space:
    """Which bytes of the buffers belong to what is not being written, so that writing there would destroy it."""

    def __init__(self, draft: Draft, original: Json, written: frozenset[int], pins: Pins) -> None:
        self._draft, self._pins = draft, pins
        self._views: list[Json] = original.get("bufferViews", [])
        held = list(spans(original))
        accessors = original.get("accessors", ())
        rewritten = {id(accessors[index]) for index in written if index < len(accessors)}
        live = {id(accessor) for accessor in draft.json["accessors"] if "bufferView" in accessor}
        # The draft's accessors are copies in the same order; one that lost its view there is no longer in the way.
        copies = {id(before): id(now) for before, now in zip(accessors, draft.json["accessors"], strict=False)}
        self._kept = [span for span in held if id(span.accessor) not in rewritten and copies[id(span.accessor)] in live]
        self._whole = (opaque_views(original) | pins.views).union(
            set(range(len(self._views))) - {span.view for span in held}
        )
        self._taken: dict[int, NDArray[np.bool_]] = {}

    def overwrite(self, span: Span, array: NDArray[Any]) -> bool:
        """Write `array` where `span` is and return true, unless it does not fit or somebody else lives there too."""
        view = self._views[span.view]
        buffer, size = view["buffer"], _row_size(array)
        if size > span.size or buffer in self._pins.buffers or span.view in self._pins.views:
            return False
        start = view.get("byteOffset", 0) + span.start
        stride = span.stride if "byteStride" in view else size
        taken = self._taken_of(buffer)[start : start + span.length]
        mine = np.zeros(len(taken), dtype=np.bool_)
        mark(mine, 0, count=span.count, size=size, stride=stride)
        if np.any(mine & taken):
            return False
        taken |= mine
        data = self._draft.buffers[buffer]
        if not isinstance(data, bytearray):
            data = self._draft.buffers[buffer] = bytearray(data)
        rows = np.ndarray((span.count, size), np.uint8, buffer=data, offset=start, strides=(stride, 1))
        rows[...] = array.view(np.uint8).reshape(span.count, size)
        return True

    def _taken_of(self, buffer: int) -> NDArray[np.bool_]:
        if buffer not in self._taken:
            taken = np.zeros(len(self._draft.buffers[buffer]), dtype=np.bool_)
            for index, view in enumerate(self._views):
                if view["buffer"] == buffer and index in self._whole:
                    start = view.get("byteOffset", 0)
                    taken[start : start + view["byteLength"]] = True
            for span in self._kept:
                view = self._views[span.view]
                if view["buffer"] == buffer:
                    start = view.get("byteOffset", 0) + span.start
                    mark(taken, start, count=span.count, size=span.size, stride=span.stride)
            self._taken[buffer] = taken
        return self._taken[buffer]


def _append(draft: Draft, accessor: int, array: NDArray[Any], *, near: int | None, view: int | None) -> None:
    """Put `array` at the end of the buffer of the view `near`, under the view `view` or a new one."""
    json = draft.json
    buffer = 0 if near is None else json["bufferViews"][near]["buffer"]
    if not draft.buffers:
        json["buffers"].append({"byteLength": 0})
        draft.buffers.append(b"")
        draft.sources.append(GLB_CHUNK)
    data = bytearray(draft.buffers[buffer])
    data += bytes(aligned(len(data)) - len(data))
    where = {"buffer": buffer, "byteOffset": len(data), "byteLength": array.nbytes}
    data += array.tobytes()
    draft.buffers[buffer] = data
    if view is None:
        json["bufferViews"].append(where | {"target": VERTEX_DATA})
        view = len(json["bufferViews"]) - 1
    else:
        json["bufferViews"][view] |= where
    json["accessors"][accessor]["bufferView"] = view


def _row_size(array: NDArray[Any]) -> int:
    size: int = array.itemsize * array.shape[1]
    return size
