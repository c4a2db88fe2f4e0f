"""The two containers of glTF: text (.gltf) and binary (.glb). glTF 2.0, section 4 (GLB file format)."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from skinproof.errors import FormatError, UnsupportedError
from skinproof.formats.gltf.layout import BIN_CHUNK, CHUNK_HEADER, GLB_HEADER, GLB_MAGIC, GLB_VERSION, JSON_CHUNK

Kind = Literal["glb", "gltf"]

_REMEDY = "Copy or export the file again"


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """What a container holds; the views share the file's bytes.

    Attributes:
        kind: which container it is.
        json: the JSON text, UTF-8.
        binary: the binary chunk of a GLB, or None.
        extra_chunks: chunks of unknown type after those two, as (type, data), which readers must ignore.
    """

    kind: Kind
    json: memoryview
    binary: memoryview | None = None
    extra_chunks: tuple[tuple[int, memoryview], ...] = ()


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a regular file.

    Raises:
        FormatError: there is no such file, it is a folder or a device, or it cannot be read.
    """
    remedy = "Check the path and its permissions"
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise FormatError("this is no regular file", path=os.fspath(path), remedy=remedy)
        return Path(path).read_bytes()
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        raise FormatError(reason, path=os.fspath(path), remedy=remedy) from error
    except ValueError as error:  # a null character in the path
        raise FormatError(f"cannot be read: {error}", path=repr(os.fspath(path)), remedy=remedy) from error


def split(raw: bytes, *, path: str) -> Container:
    """Take a container apart, told by its first bytes, not by the name of the file.

    Args:
        raw: the whole file.
        path: its name, for messages.

    Raises:
        FormatError: it is neither container, or it is broken.
        UnsupportedError: it is a GLB of another version.
    """
    if not raw:
        raise FormatError("the file is empty", path=path, remedy=_REMEDY)
    if raw.startswith(GLB_MAGIC):
        return _split_glb(raw, path)
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return Container("gltf", memoryview(raw))
    raise FormatError(
        "this is no glTF: it starts neither with 'glTF' (.glb) nor with '{' (.gltf)",
        path=path,
        remedy="Give a .gltf, .glb or .vrm file",
    )


def _split_glb(raw: bytes, path: str) -> Container:
    if len(raw) < GLB_HEADER + CHUNK_HEADER:
        raise _broken(f"the GLB ends after {len(raw)} bytes, within its header", path)
    version, length = _words(raw, 4)
    if version != GLB_VERSION:
        raise UnsupportedError(
            f"this is a GLB of version {version}; only version 2 is read",
            feature=f"GLB {version}",
            path=path,
            remedy="Convert it to glTF 2.0",
        )
    if length != len(raw):
        raise _broken(f"the GLB header says {length} bytes, the file has {len(raw)}", path)
    chunks = _chunks(raw, path)
    if not chunks or chunks[0][0] != JSON_CHUNK:
        raise _broken("the first chunk of the GLB is not JSON", path)
    binary = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == BIN_CHUNK else None
    extra = chunks[1:] if binary is None else chunks[2:]
    if any(kind in (JSON_CHUNK, BIN_CHUNK) for kind, _ in extra):
        raise _broken("the GLB has a second JSON chunk, or its binary chunk is not the second chunk", path)
    return Container("glb", chunks[0][1], binary, tuple(extra))


def _chunks(raw: bytes, path: str) -> list[tuple[int, memoryview]]:
    view = memoryview(raw)
    chunks = []
    offset = GLB_HEADER
    while offset < len(raw):
        if len(raw) - offset < CHUNK_HEADER:
            raise _broken(f"the GLB ends within the chunk header at byte {offset}", path)
        length, kind = _words(raw, offset)
        start = offset + CHUNK_HEADER
        if length > len(raw) - start:
            raise _broken(f"the chunk at byte {offset} has {length} bytes; the file ends before that", path)
        if length % 4:
            raise _broken(f"the chunk at byte {offset} has {length} bytes, which is no multiple of 4", path)
        chunks.append((kind, view[start : start + length]))
        offset = start + length
    return chunks


def _words(raw: bytes, offset: int) -> tuple[int, int]:
    return int.from_bytes(raw[offset : offset + 4], "little"), int.from_bytes(raw[offset + 4 : offset + 8], "little")


def _broken(reason: str, path: str) -> FormatError:
    return FormatError(reason, path=path, remedy=_REMEDY)
