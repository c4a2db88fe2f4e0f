"""Puts new influences into a copy of a document, changing as little as possible (glTF 2.0, section 3.7.3.3).

An accessor that only these influences use gets the new data, in its old place if it fits there; primitives that share
accessors but now differ get accessors of their own, appended. No index ever changes its meaning: an accessor that
nobody uses any more stays in the list, without data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof.errors import ArrayError
from skinproof.formats.gltf.accessors import AccessorReader
from skinproof.formats.gltf.document import Document
from skinproof.formats.gltf.layout import COMPONENT_TYPES
from skinproof.formats.gltf.place import Draft, place
from skinproof.formats.gltf.references import (
    Json,
    Pins,
    Span,
    accessor_span,
    attribute_uses,
    find_pins,
    other_uses,
    sparse_spans,
)
from skinproof.formats.gltf.sets import encode_sets
from skinproof.model import Primitive

_SET = re.compile(r"(?:JOINTS|WEIGHTS)_(\d+)")

Place = tuple[int, int, str]
"""Mesh, primitive within it, attribute."""


@dataclass(frozen=True, slots=True, eq=False)
class _Data:
    """The new content of one attribute.

    Attributes:
        place: the attribute.
        source: the accessor that it has now, or None.
        array: [V, 4], as stored.
        normalized: whether its integers stand for fractions.
    """

    place: Place
    source: int | None
    array: NDArray[Any]
    normalized: bool

    @property
    def key(self) -> tuple[str, bool, bytes]:
        """Equal for equal content."""
        return self.array.dtype.str, self.normalized, self.array.tobytes()


def edit_influences(document: Document, primitives: Sequence[Primitive], /) -> Draft | None:
    """Return a draft of `document` in which `primitives` have their influences, or None if they have them already.

    Raises:
        ArrayError: a primitive has another number of vertices than in the document, or weights that are to be stored
            as integers and are none.
    """
    reader = AccessorReader(document)
    edit = _Edit(document)
    for primitive in primitives:
        edit.plan(primitive, reader)
    if not (edit.wanted or edit.removed):
        return None
    edit.assign(reader)
    arrays = {accessor: data.array for accessor, data in edit.contents.items()}
    place(edit.draft, document.json, arrays, edit.stands_in_for, edit.freed, edit.pins)
    return edit.draft


@dataclass(slots=True, eq=False)
class _Edit:
    document: Document
    draft: Draft = field(init=False)
    pins: Pins = field(init=False)
    wanted: list[_Data] = field(default_factory=list)
    removed: dict[Place, int] = field(default_factory=dict)  # attribute → accessor that it had
    contents: dict[int, _Data] = field(default_factory=dict)  # accessor → what it shall hold
    stands_in_for: dict[int, int | None] = field(default_factory=dict)  # new accessor → one whose place it takes
    freed: list[Span] = field(default_factory=list)

    def __post_init__(self) -> None:
        json = dict(self.document.json)
        for key in ("accessors", "bufferViews", "buffers"):
            json[key] = [dict(item) for item in json.get(key, ())]
        self.draft = Draft(json, list(self.document.buffers), list(self.document.buffer_sources))
        self.pins = find_pins(self.document.json)

    def plan(self, primitive: Primitive, reader: AccessorReader) -> None:
        """Note what must change for `primitive`."""
        attributes: Json = self.document.json["meshes"][primitive.mesh]["primitives"][primitive.index]["attributes"]
        joint_types = [reader.accessors[attributes[name]].dtype for name in _names(attributes, "JOINTS")]
        if _holds(reader, attributes, primitive, joint_types):
            return
        sets = encode_sets(primitive.influences, joint_types=joint_types)
        for index, encoded in enumerate(sets):
            for semantic, array in (("JOINTS", encoded.joints), ("WEIGHTS", encoded.weights)):
                name = f"{semantic}_{index}"
                source = attributes.get(name)
                if source is not None and reader.accessors[source].count != len(array):
                    raise ArrayError(
                        f"{primitive.name}: has {len(array)} vertices, in its file {reader.accessors[source].count}"
                    )
                normalized = semantic == "WEIGHTS" and array.dtype.kind == "u"
                place = (primitive.mesh, primitive.index, name)
                self.wanted.append(_Data(place, source, array, normalized))
        for name, accessor in attributes.items():
            match = _SET.fullmatch(name)
            if match and int(match[1]) >= len(sets):
                self.removed[primitive.mesh, primitive.index, name] = accessor

    def assign(self, reader: AccessorReader) -> None:
        """Decide which accessor holds which content, and point the attributes at them."""
        changing = {data.place for data in self.wanted} | set(self.removed)
        kept = other_uses(self.document.json) | self.pins.accessors
        kept |= {
            use.accessor
            for use in attribute_uses(self.document.json)
            if (use.mesh, use.primitive, use.attribute) not in changing
        }
        groups: dict[int | None, dict[tuple[str, bool, bytes], list[_Data]]] = {}
        for data in self.wanted:
            groups.setdefault(data.source, {}).setdefault(data.key, []).append(data)
        chosen: dict[Place, int] = {}
        for source, contents in groups.items():
            now = None if source is None else _key(reader, source)
            for position, (key, uses) in enumerate(contents.items()):
                if source is not None and (
                    key == now or (position == 0 and source not in kept and now not in contents)
                ):
                    accessor = source
                else:
                    accessor = self._append_accessor(uses[0])
                if key != now or accessor != source:
                    self.contents[accessor] = uses[0]
                    self._make_dense(accessor)
                    _describe(self.draft.json["accessors"][accessor], uses[0])
                chosen |= {data.place: accessor for data in uses}
        for data in self.wanted:
            self._attributes(data.place)[data.place[2]] = chosen[data.place]
        for gone in self.removed:
            del self._attributes(gone)[gone[2]]
        touched = set(self.removed.values()) | {source for source in groups if source is not None}
        for accessor in sorted(touched - set(chosen.values()) - kept):
            self._empty(accessor)

    def _append_accessor(self, data: _Data) -> int:
        """Append an accessor without data."""
        accessors = self.draft.json["accessors"]
        accessors.append({"componentType": 0, "count": len(data.array), "type": "VEC4"})
        self.stands_in_for[len(accessors) - 1] = data.source
        return len(accessors) - 1

    def _empty(self, accessor: int) -> None:
        """Take its data from an accessor that nobody uses any more; without a view it still is a valid one."""
        holder = self.draft.json["accessors"][accessor]
        if "bufferView" in holder:
            self.freed.append(accessor_span(holder, self.draft.json["bufferViews"]))
        for key in ("bufferView", "byteOffset", "min", "max"):
            holder.pop(key, None)
        self._make_dense(accessor)

    def _make_dense(self, accessor: int) -> None:
        """Free what a sparse accessor replaced elements by: it gets other data, or none."""
        holder = self.draft.json["accessors"][accessor]
        sparse = holder.pop("sparse", None)
        if sparse is not None:
            self.freed += sparse_spans(holder, sparse)

    def _attributes(self, place: Place) -> Json:
        """The attributes of a primitive of the draft, safe to edit."""
        original = self.document.json["meshes"]
        if self.draft.json["meshes"] is original:
            self.draft.json["meshes"] = [mesh | {"primitives": list(mesh["primitives"])} for mesh in original]
        primitives = self.draft.json["meshes"][place[0]]["primitives"]
        if primitives[place[1]] is original[place[0]]["primitives"][place[1]]:
            primitive = primitives[place[1]]
            primitives[place[1]] = primitive | {"attributes": dict(primitive["attributes"])}
        attributes: Json = primitives[place[1]]["attributes"]
        return attributes


def _names(attributes: Json, semantic: str) -> Iterator[str]:
    index = 0
    while f"{semantic}_{index}" in attributes:
        yield f"{semantic}_{index}"
        index += 1


def _holds(
    reader: AccessorReader, attributes: Json, primitive: Primitive, joint_types: Sequence[np.dtype[Any]]
) -> bool:
    """Whether the file already has these influences, bit for bit."""
    sets = encode_sets(primitive.influences, joint_types=joint_types, tidy=False)
    if len(sets) != len(joint_types) or len(sets) != len(list(_names(attributes, "WEIGHTS"))):
        return False
    return all(
        _same(reader.stored(attributes[f"JOINTS_{index}"]), encoded.joints)
        and _same(reader.stored(attributes[f"WEIGHTS_{index}"]), encoded.weights)
        for index, encoded in enumerate(sets)
    )


def _same(stored: NDArray[Any], array: NDArray[Any]) -> bool:
    return stored.dtype == array.dtype and stored.shape == array.shape and stored.tobytes() == array.tobytes()


def _key(reader: AccessorReader, accessor: int) -> tuple[str, bool, bytes]:
    stored = reader.stored(accessor)
    return stored.dtype.str, reader.accessors[accessor].normalized, stored.tobytes()


def _describe(accessor: Json, data: _Data) -> None:
    """Bring type and bounds of an accessor up to date."""
    accessor["componentType"] = COMPONENT_TYPES[data.array.dtype]
    if data.normalized:
        accessor["normalized"] = True
    else:
        accessor.pop("normalized", None)
    for key, bound in (("min", np.min), ("max", np.max)):
        if key in accessor:
            accessor[key] = bound(data.array, axis=0).tolist()
