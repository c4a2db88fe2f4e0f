"""`Character` → glTF 2.0 files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from skinproof.errors import OptionError, OutputError
from skinproof.formats.atomic import Output, Staged, staged
from skinproof.formats.gltf.build import build
from skinproof.formats.gltf.companions import buffer_files, image_files, require_spared
from skinproof.formats.gltf.container import Kind
from skinproof.formats.gltf.document import Document
from skinproof.formats.gltf.edit import edit_influences
from skinproof.formats.gltf.encoding import Encoding, encoded, is_stored_so
from skinproof.formats.gltf.package import merged, package
from skinproof.formats.gltf.place import Draft
from skinproof.model import Character

_KINDS: dict[str, Kind] = {".glb": "glb", ".vrm": "glb", ".gltf": "gltf"}


def write(
    character: Character, path: str | os.PathLike[str], /, *, encoding: str = Encoding.KEEP, force: bool = False
) -> tuple[Path, ...]:
    """Write a character to a .glb, .vrm or .gltf file, as the name says.

    A character that was read from glTF gives the file it was read from with its influences put in; they alone are
    written, and all else stays as it was. If they did not change either, the very bytes are written. A character made
    in code gives a new file. Same character, same bytes, everywhere.

    Buffers of a .gltf stay inside it or in files of their own as they were; these are named after it: hero.bin, or
    hero_0.bin and so on if there are several. Only where nothing changed they keep their names, and in the source's
    own folder they are shared. Images in files stay where they are; into another folder they are copied along.

    Args:
        character: what to write.
        path: where.
        encoding: how the data is stored: "keep", "none" or "meshopt" (`Encoding`).
        force: replace files that exist.

    Returns:
        The files written, `path` first. Those found to be there already, byte for byte, are not.

    Raises:
        OutputError: the file cannot be written, exists, or would leave files behind that it names; nothing was
            written then.
        ArrayError: weights that are to be stored as integers are none (`skinproof.pack` makes them), or the primitives
            are not those of the file.
        OptionError: there is no such encoding.
    """
    with stage(character, path, encoding=encoding, force=force) as files:
        files.put_in_place()
    return files.paths


def stage(
    character: Character, path: str | os.PathLike[str], /, *, encoding: str = Encoding.KEEP, force: bool = False
) -> AbstractContextManager[Staged]:
    """Write as `write` does, but leave it to the caller whether the files are put in place.

    The block in between can read them (`read` with `staged`) and judge them. If it ends with an exception, or without
    having put them in place, nothing was written.

    Args:
        character: what to write.
        path: where.
        encoding: as for `write`.
        force: replace files that exist.

    Returns:
        A context manager that gives the staged files.

    Raises:
        OutputError: as `write`.
        ArrayError: as `write`.
        OptionError: as `write`.
    """
    target, kind = _target(path)
    wanted = _encoding(encoding)
    document, draft = _draft(character)
    if draft is None and kind == document.container and is_stored_so(document, wanted):
        outputs = [*buffer_files(document, target.parent), Output(target, document.raw)]
    else:
        plain = draft or _as_read(document)
        if kind == "glb" and document.container == "gltf":
            plain = merged(plain)
        outputs = package(encoded(plain, document, wanted), document, target, kind)
    distinct = _distinct([*image_files(document, target.parent), *outputs])
    require_spared(document, distinct)
    return staged(distinct, force=force)


def _encoding(name: str) -> Encoding:
    try:
        return Encoding(name)
    except ValueError:
        raise OptionError(f"encoding: expected one of {', '.join(Encoding)}, got {name!r}") from None


def _target(path: str | os.PathLike[str]) -> tuple[Path, Kind]:
    """Return the path and the container that its name asks for."""
    target = Path(os.fsdecode(path))
    if "\0" in str(target):
        raise OutputError(f"{str(target)!r}: the name has a null character. Use another name")
    kind = _KINDS.get(target.suffix.lower())
    if kind is None:
        raise OutputError(f"{target}: the name must end in .glb, .vrm or .gltf. Name the file so")
    if kind == "gltf" and set(target.name) & set(":\\"):
        raise OutputError(f"{target}: a URI cannot say ':' or '\\' in a name to every system. Use another name")
    try:
        target.name.encode()
    except UnicodeEncodeError:
        raise OutputError(f"{str(target)!r}: the name is not UTF-8, so no .gltf can say it. Use another name") from None
    return target, kind


def _draft(character: Character) -> tuple[Document, Draft | None]:
    """Return the document behind a character and the draft of what to write, None for the document as it is."""
    if character.source is None:
        document = build(character)
        return document, _as_read(document)
    if isinstance(character.source, Document):
        return character.source, edit_influences(character.source, character.primitives)
    raise OutputError(
        f"{character.name}: was read by another reader ({type(character.source).__name__}), whose files are not "
        "written as glTF. Set the character's source to None to write what the model knows of it"
    )


def _as_read(document: Document) -> Draft:
    return Draft(document.json, list(document.buffers), list(document.buffer_sources))


def _distinct(outputs: Sequence[Output]) -> list[Output]:
    """Leave out companions that are there already, and refuse two files of one name."""
    *companions, main = outputs
    distinct: dict[Path, Output] = {}
    for output in companions:
        other = main if output.path == main.path else distinct.get(output.path, output)
        if other.data != output.data:
            raise OutputError(f"{output.path}: two different files would get this name. Write under another name")
        if other is output and not _is_there(output):
            distinct[output.path] = output
    distinct.pop(main.path, None)
    return [*distinct.values(), main]


def _is_there(output: Output) -> bool:
    try:
        return output.path.stat().st_size == len(output.data) and output.path.read_bytes() == output.data
    except OSError:
        return False
