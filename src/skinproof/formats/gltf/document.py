"""A glTF document: the JSON as it is, and its buffers. glTF 2.0, sections 3.2 (asset) and 3.6.1 (buffers)."""

from __future__ import annotations

import binascii
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from skinproof.errors import FormatError, UnsupportedError
from skinproof.findings import Finding
from skinproof.formats.atomic import Staged
from skinproof.formats.gltf import strict_json
from skinproof.formats.gltf.container import Container, Kind, read_bytes, split
from skinproof.formats.gltf.draco import decode_primitives
from skinproof.formats.gltf.extensions import refuse_required
from skinproof.formats.gltf.meshopt import FALLBACK, Packed, Unpacked, is_fallback, unpack
from skinproof.formats.gltf.values import Element

GLB_CHUNK = "glb-chunk"
DATA_URI = "data-uri"


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A glTF file as it was read. Nobody changes it: the writer copies what it edits.

    Attributes:
        path: the file, as the caller named it, or None for a document that has no place.
        container: "glb" or "gltf".
        raw: the whole file.
        json: its JSON.
        buffers: the bytes of each buffer, `byteLength` of them.
        buffer_sources: where each buffer came from: "glb-chunk", "data-uri", or the URI as the file has it.
        extra_chunks: chunks of a GLB that the specification does not define, as (type, data).
        name: what messages call it.
        packed: if anything was compressed, the document as the file has it; `json` and `buffers` are the plain form.
        findings: what was noticed in making that.
        steps: how far apart positions lie that an encoder told apart, where the accessor's type does not say it.
    """

    path: Path | None
    container: Kind
    raw: bytes
    json: dict[str, Any]
    buffers: tuple[memoryview, ...]
    buffer_sources: tuple[str, ...]
    extra_chunks: tuple[tuple[int, memoryview], ...] = ()
    name: str = ""
    packed: Packed | None = None
    findings: tuple[Finding, ...] = ()
    steps: Mapping[int, float] = field(default_factory=dict)

    @property
    def root(self) -> Element:
        """The JSON, with its place for messages."""
        return Element(self.json, "", self.name)

    @property
    def stored(self) -> tuple[Element, tuple[memoryview, ...], tuple[str, ...]]:
        """JSON, buffers and their sources as the file has them."""
        if self.packed is None:
            return self.root, self.buffers, self.buffer_sources
        return Element(self.packed.json, "", self.name), self.packed.buffers, self.packed.sources


def open_document(path: str | os.PathLike[str], *, staged: Staged | None = None, data: bytes | None = None) -> Document:
    """Read a .gltf, .glb or .vrm file and the buffers it names, as if what is `staged` were in place.

    If the file's bytes are given as `data`, `path` only names them in messages, and no file is opened.

    Raises:
        FormatError: the file or a buffer cannot be read or is broken.
        UnsupportedError: it is of another version of glTF, or requires an extension that is not read.
    """
    name = os.fspath(path)
    raw = _read(path, staged) if data is None else data
    container = split(raw, path=name)
    json = strict_json.parse(bytes(container.json), path=name)
    root = Element(json, "", name)
    _check_version(root)
    refuse_required(root)
    folder = Path(path).parent if data is None else None
    buffers, sources = [], []
    for index, buffer in enumerate(root.objects("buffers")):
        loaded, source = _load_buffer(buffer, index, container, folder, staged)
        length = buffer.required_integer("byteLength", low=1)
        if source == FALLBACK:
            length = 0
        if length > len(loaded):
            raise buffer.error(f"byteLength is {length}, but there are only {len(loaded)} bytes", key="byteLength")
        buffers.append(loaded[:length])
        sources.append(source)
    as_stored = Unpacked(json, tuple(buffers), tuple(sources))
    plain, packed = unpack(root, buffers, sources) or (as_stored, None)
    decoded = decode_primitives(Element(plain.json, "", name), plain.buffers, plain.sources)
    if decoded is not None:
        plain = decoded.plain
        packed = packed or Packed(json, as_stored.buffers, as_stored.sources, {})
    return Document(
        path=Path(path) if data is None else None,
        container=container.kind,
        raw=raw,
        json=plain.json,
        buffers=plain.buffers,
        buffer_sources=plain.sources,
        extra_chunks=container.extra_chunks,
        name=name,
        packed=packed,
        findings=() if decoded is None else decoded.findings,
        steps={} if decoded is None else decoded.steps,
    )


def _check_version(root: Element) -> None:
    asset = root.object("asset")
    version = None if asset is None else asset.string("version")
    if asset is None or version is None:
        raise root.error("asset.version is missing: this is no glTF")
    minimum = asset.string("minVersion")
    needed = version if minimum is None else minimum
    # Later versions 2.x can be read unless they say otherwise (section 3.2).
    if needed.partition(".")[0] != "2" or minimum not in (None, "2.0"):
        raise UnsupportedError(
            f"this is glTF {needed[:20]}; only 2.0 is read",
            feature=f"glTF {needed[:20]}",
            path=root.path,
            pointer="/asset",
            remedy="Convert it to glTF 2.0",
        )


def _read(path: str | os.PathLike[str], staged: Staged | None) -> bytes:
    return read_bytes(path if staged is None else staged.located(Path(path)))


def _load_buffer(
    buffer: Element, index: int, container: Container, folder: Path | None, staged: Staged | None
) -> tuple[memoryview, str]:
    uri = buffer.string("uri")
    if uri is None:
        if (index != 0 or container.binary is None) and is_fallback(buffer):
            return memoryview(b""), FALLBACK
        if index != 0 or container.binary is None:
            raise buffer.error("the buffer has no 'uri', and there is no binary chunk for it")
        return container.binary, GLB_CHUNK
    if uri[:5].lower() == "data:":
        return memoryview(_decode_data_uri(buffer, uri)), DATA_URI
    if folder is None:
        raise buffer.error(
            f"the buffer is a file of its own, {uri[:80]!r}, and what is piped has none beside it",
            key="uri",
            remedy="Name the .gltf by its path, or pipe a .glb",
        )
    target = folder / relative_path(buffer, uri)
    try:
        return memoryview(_read(target, staged)), uri
    except FormatError as error:
        remedy = f"Put {target.name} back beside the .gltf file"
        raise buffer.error(f"the buffer's file {str(target)!r}: {error.reason}", key="uri", remedy=remedy) from error


def relative_path(element: Element, uri: str) -> PurePosixPath:
    """Return the path, relative to the file's folder, that the `uri` of a buffer or image means.

    Symbolic links are followed: whoever made the folder made them. The URI, which a stranger may have made, is held
    to the folder and what is below it.

    Raises:
        FormatError: the URI is no plain relative path, or leaves the folder.
    """
    decoded = unquote(uri)
    path = PurePosixPath(decoded)
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and not parts:
            raise element.error(
                f"the URI {uri[:80]!r} leaves the file's folder", key="uri", remedy="Put all files into one folder"
            )
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    if not parts or path.is_absolute() or ":" in decoded or "\\" in decoded or "\0" in decoded:
        raise element.error(
            f"the URI {uri[:80]!r} is no relative path; only files in the file's folder are read",
            key="uri",
            remedy="Put the file beside the .gltf and name it by a relative path",
        )
    return PurePosixPath(*parts)


def _decode_data_uri(buffer: Element, uri: str) -> bytes:
    comma = uri.find(",", 0, 200)
    if comma < 0 or not uri[:comma].lower().endswith(";base64"):
        raise buffer.error("the data URI is not base64", key="uri")
    try:
        return binascii.a2b_base64(uri[comma + 1 :], strict_mode=True)
    except ValueError as error:
        raise buffer.error(f"the base64 of the data URI is broken: {error}", key="uri") from None
