"""Accessors: typed views of the buffers.

glTF 2.0, sections 3.6.2 (accessors) and 3.11 (animations, for the decoding of normalized integers).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skinproof.errors import UnsupportedError
from skinproof.formats.gltf.document import Document
from skinproof.formats.gltf.extensions import MESHOPT, unsupported
from skinproof.formats.gltf.layout import DTYPES, SHAPES, element_size
from skinproof.formats.gltf.values import Element
from skinproof.tolerances import MAX_UNBACKED_ELEMENTS


@dataclass(frozen=True, slots=True)
class BufferView:
    """A range of a buffer.

    Attributes:
        element: its place in the file.
        buffer: index of the buffer.
        offset: its first byte in the buffer.
        length: in bytes.
        stride: byteStride, or None where the file gives none.
    """

    element: Element
    buffer: int
    offset: int
    length: int
    stride: int | None


@dataclass(frozen=True, slots=True)
class Accessor:
    """How an array is stored. Its bytes have been checked to lie within its buffer view.

    Attributes:
        element: its place in the file.
        kind: "SCALAR", "VEC2", … "MAT4".
        type: what one component is: "float32", "uint8" and the like; normalized integers are "unorm8", "snorm8".
        dtype: of one component, as stored (little-endian).
        normalized: whether integers stand for fractions.
        count: number of elements.
        components: per element.
        view: index of its buffer view, or None: all zeros.
        offset: its first byte in the buffer view.
        stride: bytes from one element to the next.
        sparse: whether some elements are replaced by others.
    """

    element: Element
    kind: str
    type: str
    dtype: np.dtype[Any]
    normalized: bool
    count: int
    components: int
    view: int | None
    offset: int
    stride: int
    sparse: bool


class AccessorReader:
    """All buffer views and accessors of one document, checked at construction, and their data.

    Arrays that are asked for twice are decoded once and shared: they are read-only.

    Attributes:
        views: every buffer view, in the file's order.
        accessors: every accessor, in the file's order.
    """

    def __init__(self, document: Document) -> None:
        """Check every buffer view and accessor of `document`.

        Raises:
            FormatError: one of them is broken or leaves its buffer.
        """
        root = document.root
        self._buffers = document.buffers
        self.views = tuple(_read_view(element, document.buffers) for element in root.objects("bufferViews"))
        self.accessors = tuple(_read_accessor(element, self.views) for element in root.objects("accessors"))
        self._decoded: dict[tuple[int, np.dtype[Any]], NDArray[Any]] = {}
        self._unbacked: set[int] = set()
        self._unbacked_elements = 0
        for image in root.objects("images"):
            image.index("bufferView", len(self.views), "buffer view")

    def get(self, user: Element, key: str, *, kinds: tuple[str, ...], types: tuple[str, ...]) -> int | None:
        """Return the index of the accessor that `user` names at `key`, or None where it names none.

        Args:
            user: the object that uses the accessor.
            key: the member that holds the index.
            kinds: the accessor types allowed there.
            types: the component types allowed there, such as "float32", "uint8", "unorm8", "snorm16".

        Raises:
            FormatError: there is no such accessor, or it is of another type.
            UnsupportedError: it is sparse or compressed.
        """
        index = user.index(key, len(self.accessors), "accessor")
        if index is None:
            return None
        accessor = self.accessors[index]
        if accessor.kind not in kinds or accessor.type not in types:
            needed = f"{_either(kinds)} of {_either(types)}"
            raise user.error(
                f"accessor {index} is {accessor.kind} of {accessor.type}, where {needed} is needed", key=key
            )
        self._refuse_unread(accessor)
        if accessor.view is None and index not in self._unbacked:
            self._count_unbacked(index)
        return index

    def stored(self, index: int) -> NDArray[Any]:
        """Return the components as stored, [count, components], a read-only view that may be strided and unaligned."""
        accessor = self.accessors[index]
        shape = (accessor.count, accessor.components)
        if accessor.view is None:
            return np.broadcast_to(np.zeros((), accessor.dtype), shape)
        view = self.views[accessor.view]
        array: NDArray[Any] = np.ndarray(
            shape,
            accessor.dtype,
            buffer=self._buffers[view.buffer],
            offset=view.offset + accessor.offset,
            strides=(accessor.stride, accessor.dtype.itemsize),
        )
        return array

    def decoded(self, index: int, dtype: DTypeLike) -> NDArray[Any]:
        """Return the values, [count, components] of `dtype`, contiguous and read-only.

        Normalized integers are decoded to fractions.
        """
        key = (index, np.dtype(dtype))
        found = self._decoded.get(key)
        if found is None:
            found = self._decoded[key] = _decode(self.stored(index), self.accessors[index].normalized, key[1])
        return found

    def is_strided(self, user: Element, key: str) -> bool:
        """Whether the accessor that `user` names at `key` lies in a buffer view with a byteStride."""
        index = user.index(key, len(self.accessors), "accessor")
        view = None if index is None else self.accessors[index].view
        return view is not None and self.views[view].stride is not None

    def _refuse_unread(self, accessor: Accessor) -> None:
        if accessor.sparse:
            raise UnsupportedError(
                "this accessor is sparse, which is not supported",
                feature="sparse accessors",
                path=accessor.element.path,
                pointer=accessor.element.at("sparse"),
                remedy="Export it without sparse accessors",
            )
        if accessor.view is not None:
            view = self.views[accessor.view].element
            for extension in MESHOPT:
                if view.has_extension(extension):
                    raise unsupported(view, extension)

    def _count_unbacked(self, index: int) -> None:
        accessor = self.accessors[index]
        self._unbacked.add(index)
        self._unbacked_elements += accessor.count
        if self._unbacked_elements > MAX_UNBACKED_ELEMENTS:
            reason = (
                f"{self._unbacked_elements} elements have no data in the file; "
                f"at most {MAX_UNBACKED_ELEMENTS} such are read"
            )
            raise accessor.element.error(reason, key="count")


def _decode(stored: NDArray[Any], normalized: bool, dtype: np.dtype[Any]) -> NDArray[Any]:
    result = np.array(stored, dtype=dtype, order="C")
    if normalized and stored.dtype.kind in "iu":
        result /= np.iinfo(stored.dtype).max
        if stored.dtype.kind == "i":
            np.maximum(result, -1, out=result)
    result.flags.writeable = False
    return result


def _read_view(element: Element, buffers: tuple[memoryview, ...]) -> BufferView:
    buffer = element.required_index("buffer", len(buffers), "buffer")
    offset = element.integer("byteOffset") or 0
    length = element.required_integer("byteLength", low=1)
    available = len(buffers[buffer])
    if length > available or offset > available - length:
        raise element.error(
            f"bytes {offset} to {offset + length} lie outside of buffer {buffer}, which has {available}"
        )
    stride = element.integer("byteStride", low=4, high=252)
    if stride is not None and stride % 4:
        raise element.error(f"byteStride is {stride}, which is no multiple of 4", key="byteStride")
    return BufferView(element, buffer, offset, length, stride)


def _read_accessor(element: Element, views: tuple[BufferView, ...]) -> Accessor:
    component_type = element.required_integer("componentType")
    dtype = DTYPES.get(component_type)
    if dtype is None:
        raise element.error("unknown componentType", key="componentType")
    kind = element.string("type")
    if kind not in SHAPES:
        raise element.error("unknown or missing type", key="type")
    columns, rows = SHAPES[kind]
    size = element_size(kind, dtype)
    count = element.required_integer("count", low=1)
    offset = element.integer("byteOffset") or 0
    index = element.index("bufferView", len(views), "buffer view")
    stride = size
    if index is not None:
        view = views[index]
        stride = view.stride or size
        if stride < size:
            raise element.error(f"an element has {size} bytes, but the byteStride of buffer view {index} is {stride}")
        # The last element need not be followed by padding.
        if offset + size > view.length or count - 1 > (view.length - offset - size) // stride:
            needed = offset + (count - 1) * stride + size
            raise element.error(f"{count} elements need {needed} bytes of buffer view {index}, which has {view.length}")
    normalized = element.boolean("normalized")
    sparse = element.object("sparse")
    if sparse is not None:
        _check_sparse(sparse, views, size)
    return Accessor(
        element=element,
        kind=kind,
        type=_type_name(dtype, normalized=normalized),
        dtype=dtype,
        normalized=normalized,
        count=count,
        components=columns * rows,
        view=index,
        offset=offset,
        stride=stride,
        sparse=sparse is not None,
    )


def _check_sparse(sparse: Element, views: tuple[BufferView, ...], size: int) -> None:
    """Check that the data of a sparse accessor, whose elements have `size` bytes, lie within their buffer views."""
    count = sparse.required_integer("count", low=1)
    for key in ("indices", "values"):
        part = sparse.object(key)
        if part is None:
            raise sparse.error(f"{key!r} is missing")
        if key == "indices":
            dtype = DTYPES.get(part.required_integer("componentType"))
            if dtype is None or dtype.kind != "u":
                raise part.error("indices need an unsigned integer componentType", key="componentType")
            size_of_entry = dtype.itemsize
        else:
            size_of_entry = size
        view = views[part.required_index("bufferView", len(views), "buffer view")]
        needed = (part.integer("byteOffset") or 0) + count * size_of_entry
        if needed > view.length:
            raise part.error(f"{count} entries need {needed} bytes of a buffer view that has {view.length}")


def _type_name(dtype: np.dtype[Any], *, normalized: bool) -> str:
    """Return what one component is: "uint8", or "unorm8" where integers are normalized."""
    return dtype.name.replace("int", "norm" if dtype.kind == "u" else "snorm") if normalized else dtype.name


def _either(names: tuple[str, ...]) -> str:
    return " or ".join(names)
