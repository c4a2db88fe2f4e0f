"""The files that a glTF file names by relative URIs: they go where it goes (glTF 2.0, section 2.8, URIs)."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from skinproof.errors import FormatError, OutputError
from skinproof.formats.atomic import Output
from skinproof.formats.gltf.document import DATA_URI, GLB_CHUNK, Document, relative_path
from skinproof.formats.gltf.values import Element

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+:")


def image_files(document: Document, folder: Path, /) -> list[Output]:
    """Return copies of the images that `document` names, at the same places relative to `folder`.

    None if `folder` is where the document is. An absolute URI means the same from everywhere and stays. An image that
    is missing beside the source is missing beside the copy too.

    Raises:
        OutputError: an image lies outside of the document's folder, or cannot be read.
    """
    if document.path is None or _same_folder(document.path.parent, folder):
        return []
    found: dict[PurePosixPath, Output] = {}
    for image in document.root.objects("images"):
        uri = image.string("uri")
        if uri is None or _SCHEME.match(uri):
            continue
        relative = _relative(image, uri)
        source = document.path.parent / relative
        if relative in found or not source.is_file():
            continue
        try:
            found[relative] = Output(folder / relative, source.read_bytes(), make_folder=True)
        except OSError as error:
            reason = error.strerror or error
            raise OutputError(f"{source}: cannot be copied: {reason}. Check its permissions") from error
    return list(found.values())


def buffer_files(document: Document, folder: Path, /) -> list[Output]:
    """Return copies of the files of the document's buffers, at the same places relative to `folder`.

    None if `folder` is where the document is.
    """
    if document.path is None or _same_folder(document.path.parent, folder):
        return []
    found: dict[PurePosixPath, memoryview] = {}
    elements = document.root.objects("buffers")
    for element, source, data in zip(elements, document.buffer_sources, document.buffers, strict=True):
        if source not in (GLB_CHUNK, DATA_URI):
            relative = relative_path(element, source)
            # Two buffers may be the beginning of one file.
            found[relative] = max(found.get(relative, data), data, key=len)
    return [Output(folder / relative, data, make_folder=True) for relative, data in found.items()]


def _relative(image: Element, uri: str) -> PurePosixPath:
    try:
        return relative_path(image, uri)
    except FormatError as error:
        raise OutputError(
            f"{image.path} {image.at('uri')}: {error.reason}, so a copy elsewhere would not find it. "
            "Write into the source's folder, or put all files into one folder"
        ) from None


def _same_folder(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
