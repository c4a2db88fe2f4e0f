"""The files that a glTF file names by relative URIs: they go where it goes (glTF 2.0, section 2.8, URIs)."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from skinproof.errors import FormatError, OutputError
from skinproof.formats.atomic import Output
from skinproof.formats.gltf.document import DATA_URI, GLB_CHUNK, Document, relative_path
from skinproof.formats.gltf.meshopt import FALLBACK
from skinproof.formats.gltf.values import Element

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+:")


def image_files(document: Document, folder: Path, /) -> list[Output]:
    """Return copies of the images that `document` names, at the same places relative to `folder`.

    None if `folder` is where the document is. An absolute URI means the same from everywhere and stays. An image that
    is missing beside the source is missing beside the copy too.

    Raises:
        OutputError: an image lies outside of the document's folder, or cannot be read.
    """
    if document.path is None or _same_file(document.path.parent, folder):
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
    if document.path is None or _same_file(document.path.parent, folder):
        return []
    found: dict[PurePosixPath, memoryview] = {}
    root, buffers, sources = document.stored
    for element, source, data in zip(root.objects("buffers"), sources, buffers, strict=True):
        if source not in (GLB_CHUNK, DATA_URI, FALLBACK):
            relative = relative_path(element, source)
            # Two buffers may be the beginning of one file.
            found[relative] = max(found.get(relative, data), data, key=len)
    return [Output(folder / relative, data, make_folder=True) for relative, data in found.items()]


def require_spared(document: Document, outputs: Sequence[Output], /) -> None:
    """Refuse outputs that would replace files of the source which it needs: `force` is meant for the output's own.

    The buffers of a source that is itself replaced are its own to replace; images are nobody's.

    Args:
        document: the source.
        outputs: what is to be written, the glTF file last.

    Raises:
        OutputError: an output has the name of a buffer or image of the source, with other content.
    """
    if document.path is None:
        return
    folder, replaced = document.path.parent, _same_file(document.path, outputs[-1].path)
    kinds = ["images"] if replaced else ["images", "buffers"]
    for element in (element for kind in kinds for element in document.stored[0].objects(kind)):
        uri = element.string("uri")
        if uri is None or _SCHEME.match(uri):
            continue
        try:
            needed = folder / relative_path(element, uri)
        except FormatError:
            continue  # an image outside of the folder, which no companion can be
        for output in outputs:
            if _same_file(needed, output.path):
                raise OutputError(
                    f"{output.path}: {document.path.name} needs this file ({element.pointer}). Write under another name"
                )


def _relative(image: Element, uri: str) -> PurePosixPath:
    try:
        return relative_path(image, uri)
    except FormatError as error:
        raise OutputError(
            f"{image.path} {image.at('uri')}: {error.reason}, so a copy elsewhere would not find it. "
            "Write into the source's folder, or put all files into one folder"
        ) from None


def _same_file(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
