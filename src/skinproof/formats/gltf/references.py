"""Who uses which accessor, view and buffer of a glTF document (glTF 2.0, section 5, properties reference)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from skinproof.formats.gltf.extensions import is_harmless
from skinproof.formats.gltf.layout import DTYPES, element_size

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Use:
    """One attribute of one primitive that names an accessor."""

    mesh: int
    primitive: int
    attribute: str
    accessor: int


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """The bytes of an accessor in a view.

    Attributes:
        accessor: its JSON.
        view: index of the view.
        start: byte offset in the view.
        count: number of elements, at least 1.
        size: bytes of an element.
        stride: bytes from one element to the next.
    """

    accessor: Json
    view: int
    start: int
    count: int
    size: int
    stride: int

    @property
    def length(self) -> int:
        """Bytes from the first element's first to the last element's last."""
        return (self.count - 1) * self.stride + self.size


@dataclass(frozen=True, slots=True)
class Pins:
    """Indices that unknown extensions may mean: what they point at is neither changed nor taken away."""

    accessors: frozenset[int]
    buffers: frozenset[int]

    @property
    def views(self) -> frozenset[int]:
        """Views, like accessors, are pinned by any integer."""
        return self.accessors


def attribute_uses(document: Json, /) -> Iterator[Use]:
    """Yield every attribute of every primitive, in the file's order."""
    for mesh_index, mesh in enumerate(_objects(document.get("meshes"))):
        for index, primitive in enumerate(_objects(mesh.get("primitives"))):
            attributes = primitive.get("attributes")
            for attribute, accessor in attributes.items() if isinstance(attributes, dict) else ():
                yield Use(mesh_index, index, attribute, accessor)


def other_uses(document: Json, /) -> frozenset[int]:
    """Return the accessors that something else than a primitive's attribute names."""
    named: list[object] = []
    for mesh in _objects(document.get("meshes")):
        for primitive in _objects(mesh.get("primitives")):
            named.append(primitive.get("indices"))
            for target in _objects(primitive.get("targets")):
                named.extend(target.values())
    named.extend(skin.get("inverseBindMatrices") for skin in _objects(document.get("skins")))
    for animation in _objects(document.get("animations")):
        for sampler in _objects(animation.get("samplers")):
            named += (sampler.get("input"), sampler.get("output"))
    return _integers(named)


def opaque_views(document: Json, /) -> frozenset[int]:
    """Return the views that hold images, or the parts of sparse accessors: they are kept whole, never cut."""
    holders = _objects(document.get("images"))
    for accessor in _objects(document.get("accessors")):
        sparse = accessor.get("sparse")
        if isinstance(sparse, dict):
            holders += _objects([sparse.get("indices"), sparse.get("values")])
    return _integers(holder.get("bufferView") for holder in holders)


def spans(document: Json, /) -> Iterator[Span]:
    """Yield the bytes that each accessor with a view occupies."""
    views = document.get("bufferViews", [])
    for accessor in document.get("accessors", ()):
        if "bufferView" in accessor:
            yield accessor_span(accessor, views)


def accessor_span(accessor: Json, views: list[Json], /) -> Span:
    """Return the bytes that an accessor with a view occupies."""
    view, size = accessor["bufferView"], element_size(accessor["type"], DTYPES[accessor["componentType"]])
    stride = views[view].get("byteStride", size)
    return Span(accessor, view, accessor.get("byteOffset", 0), accessor["count"], size, stride)


def sparse_spans(accessor: Json, sparse: Json, /) -> list[Span]:
    """Return the bytes that hold the replaced elements of an accessor: their indices, and what replaces them."""
    indices, values = sparse["indices"], sparse["values"]
    sizes = (
        DTYPES[indices["componentType"]].itemsize,
        element_size(accessor["type"], DTYPES[accessor["componentType"]]),
    )
    return [
        Span(accessor, part["bufferView"], part.get("byteOffset", 0), sparse["count"], size, size)
        for part, size in zip((indices, values), sizes, strict=True)
    ]


def find_pins(document: Json, /) -> Pins:
    """Return what unknown extensions, anywhere in the document, may refer to.

    We cannot know which integer is an index of what: each pins the accessor and the view of that number, and one
    under the key "buffer" also the buffer.
    """
    integers: set[int] = set()
    buffers: set[int] = set()
    todo: list[tuple[object, str, bool]] = [(document, "", False)]
    while todo:  # not recursive: a file's depth must not be ours
        value, key, unknown = todo.pop()
        if isinstance(value, dict):
            for name, member in value.items():
                if key == "extensions" and not unknown:
                    todo.append((member, name, not is_harmless(name)))
                else:
                    todo.append((member, name, unknown))
        elif isinstance(value, list):
            todo.extend((member, key, unknown) for member in value)
        elif unknown and type(value) is int:
            integers.add(value)
            if key == "buffer":
                buffers.add(value)
    return Pins(frozenset(integers), frozenset(buffers))


def _objects(value: object) -> list[Json]:
    """The objects of a list; parts of a file that we do not read may hold anything."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _integers(values: Iterable[object]) -> frozenset[int]:
    return frozenset(value for value in values if type(value) is int)
