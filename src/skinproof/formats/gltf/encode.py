"""JSON and buffers to the bytes of a .gltf or .glb (glTF 2.0, sections 3.6.1 buffers and 4 GLB file format)."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Sequence

from skinproof.errors import OutputError
from skinproof.formats.gltf.layout import BIN_CHUNK, GLB_HEADER, GLB_MAGIC, GLB_VERSION, JSON_CHUNK, aligned

Bytes = bytes | bytearray | memoryview

_LARGEST_GLB = 2**32 - 1


def encode_json(document: dict[str, object], /) -> bytes:
    """Return the JSON text, UTF-8, without white space.

    Keys keep their order; integers stay integers; every float is written with the shortest digits that read back
    to the same float64.

    Raises:
        OutputError: it holds NaN or an infinity, which JSON cannot say.
    """
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise OutputError(f"the document cannot be written as JSON: {error}. Remove the value") from error
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half a surrogate pair, which JSON can escape and UTF-8 cannot say.
        return json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode()


def encode_glb(
    json_text: bytes,
    binary: Bytes | None,
    /,
    *,
    extra_chunks: Sequence[tuple[int, memoryview]] = (),
) -> bytes:
    """Return a GLB: header, JSON chunk, binary chunk if `binary` is not None, then the extra chunks (type, data).

    Raises:
        OutputError: the file would not fit the format's 32-bit length.
    """
    chunks = [_chunk(JSON_CHUNK, json_text, pad=b" ")]
    if binary is not None:
        chunks.append(_chunk(BIN_CHUNK, binary))
    chunks.extend(_chunk(kind, data) for kind, data in extra_chunks)
    length = GLB_HEADER + sum(map(len, chunks))
    if length > _LARGEST_GLB:
        raise OutputError(f"a .glb of {length} bytes is beyond the format's 4 GiB. Write a .gltf with a .bin")
    return struct.pack("<4sII", GLB_MAGIC, GLB_VERSION, length) + b"".join(chunks)


def data_uri(data: Bytes, /, *, like: str = "") -> str:
    """Return `data` as a base64 data URI with the media type of the data URI `like`, where that is base64 too."""
    prefix = like.partition(",")[0]
    if not (prefix.startswith("data:") and prefix.endswith(";base64")):
        prefix = "data:application/octet-stream;base64"
    return f"{prefix},{base64.b64encode(data).decode()}"


def joined(parts: Sequence[Bytes], /, *, to: int = 8) -> tuple[bytes, list[int]]:
    """Return the parts one after the other, each at a multiple of `to`, and where each begins."""
    whole, starts = bytearray(), []
    for part in parts:
        whole += bytes(aligned(len(whole), to=to) - len(whole))
        starts.append(len(whole))
        whole += part
    return bytes(whole), starts


def _chunk(kind: int, data: Bytes, *, pad: bytes = b"\0") -> bytes:
    padding = pad * (aligned(len(data)) - len(data))
    return b"".join((struct.pack("<II", len(data) + len(padding), kind), data, padding))
