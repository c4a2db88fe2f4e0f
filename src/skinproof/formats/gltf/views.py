"""Buffer views: ranges of the buffers. glTF 2.0, section 3.6.1 (buffers and buffer views)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skinproof.formats.gltf.values import Element


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


def read_view(element: Element, buffers: Sequence[memoryview], /) -> BufferView:
    """Read a buffer view.

    Args:
        element: its JSON.
        buffers: the bytes of each buffer.

    Raises:
        FormatError: it is broken, or leaves its buffer.
    """
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
