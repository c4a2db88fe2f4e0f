"""Accessors: typed views of the buffers.

glTF 2.0, sections 3.6.2 (accessors), 3.6.2.3 (sparse ones) and 3.11 (animations, for the decoding of normalized
integers).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skinproof.formats.gltf.document import Document
from skinproof.formats.gltf.layout import DTYPES, SHAPES, element_size
from skinproof.formats.gltf.values import Element
from skinproof.formats.gltf.views import BufferView, read_view
from skinproof.tolerances import MAX_UNBACKED_NUMBERS, QUANTIZED_BITS


@dataclass(frozen=True, slots=True)
class Sparse:
    """Elements that replace some of an accessor's. Its bytes have been checked to lie within their buffer views.

    Attributes:
        element: its place in the file.
        count: number of elements replaced.
        dtype: of the indices, as stored (little-endian).
        indices: buffer view of the indices, and their first byte in it; without gaps.
        values: the same of the elements that replace.
    """

    element: Element
    count: int
    dtype: np.dtype[Any]
    indices: tuple[int, int]
    values: tuple[int, int]


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
        sparse: the elements that replace some, or None.
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
    sparse: Sparse | None

    @property
    def step(self) -> float:
        """How far apart two neighbouring values may lie that its encoder told apart; 0 for float32.

        Encoders round to `QUANTIZED_BITS` and spread those over the 16 of a normalized type, by repeating the first
        bits in the last, which is off by up to one of the type's own steps to either side.
        """
        if self.dtype.kind == "f":
            return 0.0
        if not self.normalized:
            return 1.0
        sign = 1 if self.dtype.kind == "i" else 0
        own, told = (float((1 << bits - sign) - 1) for bits in (self.dtype.itemsize * 8, QUANTIZED_BITS))
        return 1.0 / own if own < told else 1.0 / told + 2.0 / own


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
        self._steps = document.steps
        self.views = tuple(read_view(element, document.buffers) for element in root.objects("bufferViews"))
        self.accessors = tuple(_read_accessor(element, self.views) for element in root.objects("accessors"))
        self._decoded: dict[tuple[int, np.dtype[Any]], NDArray[Any]] = {}
        self._replaced: dict[int, NDArray[Any]] = {}
        self._unbacked: set[int] = set()
        self._unbacked_numbers = 0
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
            FormatError: there is no such accessor, it is of another type, or sparse with indices that do not ascend
                within it.
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
        if (accessor.view is None or accessor.sparse is not None) and index not in self._unbacked:
            self._count_unbacked(index)
        if accessor.sparse is not None:
            self._with_replaced(index, accessor.sparse)
        return index

    def stored(self, index: int) -> NDArray[Any]:
        """Return the components as stored, [count, components], a read-only view that may be strided and unaligned.

        Those of a sparse accessor are a copy, in which its elements stand replaced.
        """
        sparse = self.accessors[index].sparse
        return self._base(self.accessors[index]) if sparse is None else self._with_replaced(index, sparse)

    def _base(self, accessor: Accessor) -> NDArray[Any]:
        """The elements before any are replaced."""
        shape = (accessor.count, accessor.components)
        if accessor.view is None:
            return np.broadcast_to(np.zeros((), accessor.dtype), shape)
        return self._array((accessor.view, accessor.offset), accessor.dtype, shape, stride=accessor.stride)

    def _with_replaced(self, index: int, sparse: Sparse) -> NDArray[Any]:
        found = self._replaced.get(index)
        if found is None:
            accessor = self.accessors[index]
            indices = self._array(sparse.indices, sparse.dtype, (sparse.count, 1), stride=sparse.dtype.itemsize)[:, 0]
            ascending = np.concatenate(([True], indices[1:] > indices[:-1])) & (indices < accessor.count)
            if not ascending.all():
                at = int(np.argmin(ascending))
                raise sparse.element.error(
                    f"entry {at} replaces element {indices[at]}: indices must ascend and be less than {accessor.count}",
                    key="indices",
                )
            size = accessor.dtype.itemsize * accessor.components
            found = np.array(self._base(accessor), order="C")
            found[indices] = self._array(
                sparse.values, accessor.dtype, (sparse.count, accessor.components), stride=size
            )
            found.flags.writeable = False
            self._replaced[index] = found
        return found

    def _array(
        self, place: tuple[int, int], dtype: np.dtype[Any], shape: tuple[int, int], *, stride: int
    ) -> NDArray[Any]:
        """Return the elements, a row each, that begin at `place`: a buffer view, and a byte in it."""
        view = self.views[place[0]]
        array: NDArray[Any] = np.ndarray(
            shape,
            dtype,
            buffer=self._buffers[view.buffer],
            offset=view.offset + place[1],
            strides=(stride, dtype.itemsize),
        )
        return array

    def decoded(self, index: int, dtype: DTypeLike) -> NDArray[Any]:
        """Return the values, [count, components] of `dtype`, contiguous and read-only.

        Normalized integers are decoded to fractions.
        """
        key = (index, np.dtype(dtype))
        found = self._decoded.get(key)
        if found is None:
            found = self._decoded[key] = decode(self.stored(index), self.accessors[index].normalized, key[1])
        return found

    def step(self, index: int) -> float:
        """Return how far apart two neighbouring values may lie that the encoder told apart; 0 if it kept all."""
        return self._steps.get(index, self.accessors[index].step)

    def is_strided(self, user: Element, key: str) -> bool:
        """Whether the accessor that `user` names at `key` lies in a buffer view with a byteStride."""
        index = user.index(key, len(self.accessors), "accessor")
        view = None if index is None else self.accessors[index].view
        return view is not None and self.views[view].stride is not None

    def _count_unbacked(self, index: int) -> None:
        accessor = self.accessors[index]
        self._unbacked.add(index)
        self._unbacked_numbers += accessor.count * accessor.components
        if self._unbacked_numbers > MAX_UNBACKED_NUMBERS:
            reason = (
                f"{self._unbacked_numbers} numbers have no data of their own in the file; "
                f"at most {MAX_UNBACKED_NUMBERS} such are read"
            )
            raise accessor.element.error(reason, key="count")


def decode(stored: NDArray[Any], normalized: bool, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return stored components as numbers of `dtype`, a read-only copy; normalized integers as the fractions they mean.

    glTF 2.0, section 3.11: c / 255, c / 65535, max(c / 127, −1), max(c / 32767, −1).
    """
    result = np.array(stored, dtype=dtype, order="C")
    if normalized and stored.dtype.kind in "iu":
        result /= np.iinfo(stored.dtype).max
        if stored.dtype.kind == "i":
            np.maximum(result, -1, out=result)
    result.flags.writeable = False
    return result


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
        sparse=None if sparse is None else _read_sparse(sparse, views, size),
    )


def _read_sparse(sparse: Element, views: tuple[BufferView, ...], size: int) -> Sparse:
    """Read what replaces elements of `size` bytes."""
    count = sparse.required_integer("count", low=1)
    indices, values = (_required_object(sparse, key) for key in ("indices", "values"))
    dtype = DTYPES.get(indices.required_integer("componentType"))
    if dtype is None or dtype.kind != "u":
        raise indices.error("indices need an unsigned integer componentType", key="componentType")
    return Sparse(
        element=sparse,
        count=count,
        dtype=dtype,
        indices=_read_part(indices, views, count, dtype.itemsize),
        values=_read_part(values, views, count, size),
    )


def _read_part(part: Element, views: tuple[BufferView, ...], count: int, size: int) -> tuple[int, int]:
    """Return the buffer view of `count` entries of `size` bytes, and their first byte in it."""
    index = part.required_index("bufferView", len(views), "buffer view")
    offset = part.integer("byteOffset") or 0
    if views[index].stride is not None:
        raise part.error(f"buffer view {index} has a byteStride, which a sparse accessor does not allow")
    needed = offset + count * size
    if needed > views[index].length:
        raise part.error(f"{count} entries need {needed} bytes of a buffer view that has {views[index].length}")
    return index, offset


def _required_object(element: Element, key: str) -> Element:
    found = element.object(key)
    if found is None:
        raise element.error(f"{key!r} is missing")
    return found


def _type_name(dtype: np.dtype[Any], *, normalized: bool) -> str:
    """Return what one component is: "uint8", or "unorm8" where integers are normalized."""
    return dtype.name.replace("int", "norm" if dtype.kind == "u" else "snorm") if normalized else dtype.name


def _either(names: tuple[str, ...]) -> str:
    return " or ".join(names)
