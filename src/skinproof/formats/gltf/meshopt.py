"""Compressed buffer views: EXT_meshopt_compression and KHR_meshopt_compression.

A document is unpacked when it is opened: the rest of the reader, and the edits, see plain views. What is written keeps
the payload of every view whose bytes did not change, and encodes the others anew, without a filter, so that nothing is
lost. The codec itself is the library's (`meshopt`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skinproof.formats.gltf.encode import Bytes
from skinproof.formats.gltf.extensions import MESHOPT
from skinproof.formats.gltf.layout import aligned
from skinproof.formats.gltf.references import Json, accessor_span, find_pins, opaque_views
from skinproof.formats.gltf.values import Element
from skinproof.formats.gltf.views import read_view

FALLBACK = "meshopt-fallback"
"""The source of a buffer that stands for what its views decode to, and has no data."""

_ATTRIBUTES = "ATTRIBUTES"
_ALIGNMENT = 8
# How many times its size a payload can decode to: the codec of attributes needs at least one bit for 256 elements of
# every byte, those of indices a byte for each triangle or index.
_MOST = {_ATTRIBUTES: 1024, "TRIANGLES": 12, "INDICES": 4}
_STRIDES = {"OCTAHEDRAL": (4, 8), "COLOR": (4, 8), "QUATERNION": (8,)}
_FILTERS = ("NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR")


@dataclass(frozen=True, slots=True, eq=False)
class PackedView:
    """How a view was compressed.

    Attributes:
        extension: the extension's name.
        how: its members that say how: mode, filter, byteStride, count.
        payload: the compressed bytes.
        data: what they decode to.
    """

    extension: str
    how: Json
    payload: memoryview
    data: memoryview


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """A document as its file has it, before it was unpacked.

    Attributes:
        json: its JSON.
        buffers: the bytes of each buffer; none of a fallback that has no data.
        sources: where they came from.
        views: how each compressed view was compressed, by its index; none where only primitives were.
    """

    json: Json
    buffers: tuple[memoryview, ...]
    sources: tuple[str, ...]
    views: Mapping[int, PackedView]

    @property
    def extension(self) -> str:
        """The extension that the file uses; of both the one that its first compressed view has."""
        return next(iter(self.views.values())).extension


@dataclass(frozen=True, slots=True, eq=False)
class Unpacked:
    """The same document with plain views: JSON, buffers, and their sources."""

    json: Json
    buffers: tuple[memoryview, ...]
    sources: tuple[str, ...]


def is_fallback(buffer: Element) -> bool:
    """Whether a buffer stands for what views of it decode to, so that it needs no data."""
    extensions = buffer.object("extensions")
    members = [] if extensions is None else [extensions.object(name) for name in MESHOPT]
    return any(member is not None and member.boolean("fallback") for member in members)


def unpack(root: Element, buffers: Sequence[memoryview], sources: Sequence[str], /) -> tuple[Unpacked, Packed] | None:
    """Return the document with its compressed views decoded, and how they were compressed; None if there are none.

    The views keep their numbers. Their bytes go to the end of the buffer that held the payload, from which payloads,
    and whatever no view holds, are taken out.

    Args:
        root: the JSON.
        buffers: the bytes of each buffer, `byteLength` of them; none of a fallback.
        sources: where each came from; `FALLBACK` where it has no data.

    Raises:
        FormatError: a view is broken, or would decode to more than its payload can hold.
    """
    elements = root.objects("bufferViews")
    parts = {index: part for index, element in enumerate(elements) if (part := _extension_of(element)) is not None}
    if not parts:
        return None
    for index, element in enumerate(elements):
        if index not in parts:
            read_view(element, buffers)
    found: dict[int, tuple[int, PackedView]] = {
        index: _read(elements[index], name, part, buffers, sources) for index, (name, part) in parts.items()
    }
    packed = Packed(root.value, tuple(buffers), tuple(sources), {index: view for index, (_, view) in found.items()})
    return _Unpacking(root, packed, {index: buffer for index, (buffer, _) in found.items()}).result(), packed


def repack(
    json: Json, buffers: Sequence[Bytes], sources: Sequence[str], packed: Packed | None, /, *, everything: bool
) -> tuple[Json, list[Bytes], list[str]]:
    """Return JSON, buffers and sources of a document in which the views that were compressed are so again.

    A view that has the very bytes that a payload decodes to keeps that payload. Others, and new ones, are encoded as
    attributes without a filter or as indices in their order, which loses nothing; where their rows fit neither (rows
    of attributes are multiples of 4 bytes), and where accessors have different ones, they stay plain.

    Args:
        json: of the plain document; not changed.
        buffers: the bytes of each of its buffers.
        sources: where each goes.
        packed: how the document's views were compressed, if they were.
        everything: whether views that were plain are compressed, too.
    """
    extension = MESHOPT[0] if packed is None else packed.extension
    views = [dict(view) for view in json.get("bufferViews", ())]
    known = {} if packed is None else packed.views
    old = 0 if packed is None else len(packed.json["bufferViews"])
    barred = opaque_views(json) | find_pins(json).views
    rows = _rows_of(json)
    chosen: dict[int, tuple[Json, Bytes]] = {}
    for index, view in enumerate(views):
        before = known.get(index)
        if before is None and (index in barred or (index < old and not everything)):
            continue
        data = _bytes_of(view, buffers)
        if before is not None and data == before.data:
            chosen[index] = before.how, before.payload
        elif index in rows:
            chosen[index] = _encoded(data, *rows[index], extension)
    return _assembled(json, buffers, sources, views, chosen, extension)


def _assembled(
    json: Json,
    buffers: Sequence[Bytes],
    sources: Sequence[str],
    views: list[Json],
    chosen: Mapping[int, tuple[Json, Bytes]],
    extension: str,
) -> tuple[Json, list[Bytes], list[str]]:
    """Put the payloads where the views' bytes were, and give the views a buffer that has no data."""
    whole = find_pins(json).buffers
    parts = [Rows(data, keep=index in whole) for index, data in enumerate(buffers)]
    for index, view in enumerate(views):
        if index not in chosen:
            parts[view["buffer"]].want(view)
    for part in parts:
        part.settle()
    length = 0
    for index, (how, payload) in chosen.items():
        view = views[index]
        holder = view["buffer"]
        size = how["count"] * how["byteStride"]
        place = {"buffer": holder, "byteOffset": parts[holder].append(payload), "byteLength": len(payload)}
        view["extensions"] = {**view.get("extensions", {}), extension: place | how}
        view |= {"buffer": len(buffers), "byteOffset": length, "byteLength": size}
        length = aligned(length + size)
    described = [dict(buffer) for buffer in json["buffers"]]
    datas = [part.data for part in parts]
    for buffer, data in zip(described, datas, strict=True):
        buffer["byteLength"] = len(data)
    result = json | {"bufferViews": views, "buffers": described}
    if not chosen:
        return result, datas, list(sources)
    described.append({"byteLength": length, "extensions": {extension: {"fallback": True}}})
    for key in ("extensionsUsed", "extensionsRequired"):
        result[key] = [*(name for name in json.get(key, ()) if name != extension), extension]
    return result, [*datas, b""], [*sources, FALLBACK]


class _Unpacking:
    """Lays out the buffers of a document anew."""

    def __init__(self, root: Element, packed: Packed, holders: Mapping[int, int]) -> None:
        self._json, self._packed, self._holders = root.value, packed, holders
        self._views = [dict(view) for view in root.value["bufferViews"]]
        self._fallbacks = {index for index, buffer in enumerate(root.objects("buffers")) if is_fallback(buffer)}

    def result(self) -> Unpacked:
        """The plain document."""
        pinned = find_pins(self._without_extensions(self._json)).buffers
        used = {view["buffer"] for index, view in enumerate(self._views) if index not in self._holders}
        used |= set(self._holders.values()) | pinned
        kept = [index for index in range(len(self._packed.buffers)) if index in used or index not in self._fallbacks]
        payloads = set(self._holders.values())
        parts = {
            index: Rows(self._packed.buffers[index], keep=index in pinned or index not in payloads) for index in kept
        }
        for index, view in enumerate(self._views):
            if index not in self._holders:
                parts[view["buffer"]].want(view)
        for part in parts.values():
            part.settle()
        for index, holder in self._holders.items():
            view, data = self._views[index], self._packed.views[index].data
            view |= {"buffer": holder, "byteOffset": parts[holder].append(data), "byteLength": len(data)}
        numbers = {index: number for number, index in enumerate(kept)}
        for view in self._views:
            view["buffer"] = numbers[view["buffer"]]
        json = self._without_extensions(self._json) | {"bufferViews": [_stripped(view) for view in self._views]}
        json["buffers"] = [
            _stripped(self._json["buffers"][index]) | {"byteLength": len(parts[index].data)} for index in kept
        ]
        return Unpacked(
            json,
            tuple(memoryview(parts[index].data) for index in kept),
            tuple(self._packed.sources[index] for index in kept),
        )

    @staticmethod
    def _without_extensions(json: Json) -> Json:
        result = dict(json)
        for key in ("extensionsUsed", "extensionsRequired"):
            names = [name for name in json.get(key, ()) if name not in MESHOPT]
            if names:
                result[key] = names
            else:
                result.pop(key, None)
        for key in ("bufferViews", "buffers"):
            result[key] = [_stripped(item) for item in json[key]]
        return result


class Rows:
    """A buffer that loses what no view holds, and gets more at its end."""

    def __init__(self, data: Bytes, *, keep: bool) -> None:
        self.data: Bytes = data
        self._keep = keep
        self._wanted: list[Json] = []

    def want(self, view: Json) -> None:
        """Keep the bytes of a view."""
        self._wanted.append(view)

    def settle(self) -> None:
        """Move the bytes that are wanted together, and point their views at them."""
        if self._keep:
            return
        data = bytearray()
        end = shift = 0  # of the region that is being copied: its end before, and how far it moved
        for view in sorted(self._wanted, key=lambda view: (view.get("byteOffset", 0), -view["byteLength"])):
            start = view.get("byteOffset", 0)
            stop = start + view["byteLength"]
            if start >= end or not data:
                at = aligned(len(data), to=_ALIGNMENT) + start % _ALIGNMENT
                data += bytes(at - len(data))
                shift, end = at - start, start
            if stop > end:
                data += self.data[end:stop]
                end = stop
            if "byteOffset" in view or start + shift:
                view["byteOffset"] = start + shift
        self.data = data

    def append(self, payload: Bytes) -> int:
        """Put bytes at the end; return where they begin."""
        if not isinstance(self.data, bytearray):
            self.data = bytearray(self.data)
        self.data += bytes(aligned(len(self.data), to=_ALIGNMENT) - len(self.data))
        start = len(self.data)
        self.data += payload
        return start


def _extension_of(view: Element) -> tuple[str, Element] | None:
    extensions = view.object("extensions")
    for name in MESHOPT if extensions is not None else ():
        assert extensions is not None
        part = extensions.object(name)
        if part is not None:
            return name, part
    return None


def _read(
    view: Element, name: str, part: Element, buffers: Sequence[memoryview], sources: Sequence[str]
) -> tuple[int, PackedView]:
    """Return the buffer of a compressed view's payload, and the view, decoded."""
    buffer = part.required_index("buffer", len(buffers), "buffer")
    offset = part.integer("byteOffset") or 0
    length = part.required_integer("byteLength", low=1)
    if sources[buffer] == FALLBACK:
        raise part.error(f"buffer {buffer} is a fallback without data", key="buffer")
    available = len(buffers[buffer])
    if length > available or offset > available - length:
        raise part.error(f"bytes {offset} to {offset + length} lie outside of buffer {buffer}, which has {available}")
    stride = part.required_integer("byteStride", low=1, high=256)
    count = part.required_integer("count", low=1)
    mode, kind = part.string("mode"), part.string("filter") or "NONE"
    _check_how(part, mode, kind, stride, count)
    assert mode is not None
    whole = view.required_integer("byteLength", low=1)
    if count * stride != whole:
        raise part.error(f"{count} elements of {stride} bytes are not the {whole} of the buffer view", key="count")
    if whole > length * _MOST[mode]:
        raise part.error(f"{length} bytes cannot hold {count} elements of {stride} bytes", key="count")
    payload = buffers[buffer][offset : offset + length]
    try:
        data = _codec().decode_gltf_buffer(bytes(payload), count, stride, mode, kind)
    except (ValueError, RuntimeError) as error:
        raise part.error(f"the compressed data cannot be decoded: {error}") from None
    plain = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
    plain.flags.writeable = False
    how = {key: value for key, value in part.value.items() if key not in ("buffer", "byteOffset", "byteLength")}
    return buffer, PackedView(name, how, payload, plain.data)


def _check_how(part: Element, mode: str | None, kind: str, stride: int, count: int) -> None:
    """Hold mode and filter to what the extension allows, before the library is asked."""
    if mode not in _MOST:
        raise part.error(f"the mode must be one of {', '.join(_MOST)}", key="mode")
    if kind not in _FILTERS:
        raise part.error(f"the filter must be one of {', '.join(_FILTERS)}", key="filter")
    if mode == _ATTRIBUTES:
        allowed = _STRIDES.get(kind)
        if stride % 4 or (allowed is not None and stride not in allowed):
            needed = "a multiple of 4" if allowed is None else " or ".join(map(str, allowed))
            raise part.error(f"byteStride is {stride}; {mode} with filter {kind} needs {needed}", key="byteStride")
        return
    if kind != "NONE":
        raise part.error(f"the mode {mode} allows no filter", key="filter")
    if stride not in (2, 4):
        raise part.error(f"byteStride is {stride}; {mode} needs 2 or 4", key="byteStride")
    if mode == "TRIANGLES" and count % 3:
        raise part.error(f"{count} indices are no triangles", key="count")


def _encoded(data: Bytes, mode: str, stride: int, extension: str) -> tuple[Json, bytes]:
    """Return how rows were encoded, and the payload; a last row without its padding gets it."""
    count = -(-len(data) // stride)
    padded = np.zeros(count * stride, np.uint8)
    padded[: len(data)] = np.frombuffer(data, np.uint8)
    rows = padded.reshape(count, stride) if mode == _ATTRIBUTES else padded.view(f"<u{stride}")
    version = 0 if extension == MESHOPT[0] else 1  # what the two extensions define
    payload = _codec().encode_gltf_buffer(rows, mode, version)
    return {"byteStride": stride, "mode": mode, "count": count}, payload


def _rows_of(json: Json) -> dict[int, tuple[str, int]]:
    """Mode and bytes of a row of each view that can be encoded: all accessors in it have the same rows."""
    indices = {
        part["indices"] for mesh in json.get("meshes", ()) for part in mesh.get("primitives", ()) if "indices" in part
    }
    found: dict[int, set[tuple[str, int]]] = {}
    for number, accessor in enumerate(json.get("accessors", ())):
        if "bufferView" in accessor:
            span = accessor_span(accessor, json["bufferViews"])
            mode = "INDICES" if number in indices else _ATTRIBUTES
            found.setdefault(span.view, set()).add((mode, span.stride))
    ways = {view: rows.pop() for view, rows in found.items() if len(rows) == 1}
    return {
        view: (mode, stride)
        for view, (mode, stride) in ways.items()
        if (stride in (2, 4) if mode == "INDICES" else stride % 4 == 0 and stride <= 256)
    }


def _bytes_of(view: Json, buffers: Sequence[Bytes]) -> memoryview:
    start = view.get("byteOffset", 0)
    return memoryview(buffers[view["buffer"]])[start : start + view["byteLength"]]


def _stripped(holder: Json) -> Json:
    """A copy without the extensions of this module."""
    extensions = {name: value for name, value in holder.get("extensions", {}).items() if name not in MESHOPT}
    rest = {key: value for key, value in holder.items() if key != "extensions"}
    return rest | {"extensions": extensions} if extensions else rest


def _codec() -> Any:
    """The library, loaded when a file needs it."""
    import meshopt

    return meshopt
