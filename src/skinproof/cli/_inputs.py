"""What FILE arguments name: files, standard input, folders and patterns."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from skinproof.cli._options import SUFFIXES
from skinproof.errors import FormatError

if TYPE_CHECKING:
    from skinproof.model import Character

STANDARD_INPUT = "-"
_WILDCARDS = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Input:
    """One file to judge.

    Attributes:
        path: as it is called in the report.
        place: its path within the folder or pattern that named it; an original is looked for at the same one.
        piped: whether it is standard input, whose path is "-".
    """

    path: Path
    place: Path = Path()
    piped: bool = False

    @classmethod
    def named(cls, argument: str) -> Input:
        """Return the one file that an argument names."""
        return cls(Path(argument), piped=argument == STANDARD_INPUT)


@dataclass(frozen=True, slots=True)
class Inputs:
    """All files to judge, each once, in the order of the arguments and, within a folder or pattern, of their names.

    Attributes:
        files: at least one.
        several: whether the reports come as a list: always, but for one argument that is one file.
    """

    files: tuple[Input, ...]
    several: bool


def gather(arguments: Sequence[str]) -> Inputs:
    """Return the files that FILE arguments name. Nothing is opened; a file that is named itself need not be there.

    A folder stands for all .glb, .gltf and .vrm files in it and below; a pattern for those that it matches, unless a
    file has this very name.

    Raises:
        UsageError: a folder or pattern names no such file, or standard input is named twice.
        FormatError: a folder cannot be listed.
    """
    if arguments.count(STANDARD_INPUT) > 1:
        raise click.UsageError("Standard input, -, can be read once only.")
    base = _common_folder([argument for argument in arguments if not _is_several(argument)])
    found: dict[tuple[Path, bool], Input] = {}
    for argument in arguments:
        if not _is_several(argument):
            one = Input.named(argument)
            place = one.path.relative_to(base) if one.path.is_relative_to(base) else one.path
            files: Iterable[Input] = [replace(one, place=place)]
        else:
            files = list(_in_folder(Path(argument)) if os.path.isdir(argument) else _matching(argument))
            if not files:
                raise click.UsageError(f"{argument}: there is no file whose name ends in {_suffixes()}.")
        for file in files:
            found.setdefault((file.path, file.piped), file)
    return Inputs(tuple(found.values()), several=len(arguments) > 1 or _is_several(arguments[0]))


def read_input(file: Input) -> Character:
    """Read the character of a file or from standard input.

    Raises:
        FormatError, UnsupportedError: as in `formats.read`; or standard input is closed.
    """
    from skinproof.formats import read

    if not file.piped:
        return read(file.path)
    name = "standard input"
    if sys.stdin is None:
        raise FormatError("is closed", path=name, remedy="Pipe a file into the command, or name one")
    return read(name, data=sys.stdin.buffer.read())


def original_of(file: Input, against: str) -> Input:
    """Return the original to compare `file` with: what `against` names, or the file of the same place in that folder.

    Raises:
        FormatError: the folder has none.
    """
    if not os.path.isdir(against):
        return Input.named(against)
    wanted = Path(against, file.place)
    for path in (wanted, *(wanted.with_suffix(suffix) for suffix in SUFFIXES)):
        if path.is_file():
            return Input(path)
    raise FormatError(
        "there is no such original",
        path=str(wanted),
        remedy=f"Put the original of {file.path} there, or name it by itself",
    )


def _is_several(argument: str) -> bool:
    if os.path.isdir(argument):
        return True
    return not _WILDCARDS.isdisjoint(argument) and not os.path.lexists(argument)


def _common_folder(files: Sequence[str]) -> Path:
    """Return the folder that all of these files lie in or below."""
    folders = {os.path.dirname(file) for file in files if file != STANDARD_INPUT}
    try:
        return Path(os.path.commonpath(folders)) if folders else Path()
    except ValueError:  # some are absolute, others are not
        return Path()


def _in_folder(folder: Path) -> Iterator[Input]:
    for root, folders, names in os.walk(folder, onerror=_refuse):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(SUFFIXES):
                path = Path(root, name)
                yield Input(path, path.relative_to(folder))


def _refuse(error: OSError) -> None:
    remedy = "Check its permissions, or name the files"
    place = os.fsdecode(error.filename) if error.filename is not None else ""
    raise FormatError(f"cannot be listed: {error.strerror or error}", path=place, remedy=remedy) from error


def _matching(pattern: str) -> Iterator[Input]:
    fixed: list[str] = []
    for part in Path(pattern).parts[:-1]:
        if not _WILDCARDS.isdisjoint(part):
            break
        fixed.append(part)
    for text in sorted(glob.iglob(pattern, recursive=True)):
        if text.lower().endswith(SUFFIXES) and os.path.isfile(text):
            yield Input(Path(text), Path(text).relative_to(Path(*fixed)))


def _suffixes() -> str:
    return f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
