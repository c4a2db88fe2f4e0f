"""Where results go: refused before the work if they cannot go there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import rich_click as click

from skinproof.errors import OutputError


def require_writable(paths: Sequence[Path | None], /, *, force: bool) -> None:
    """Check that each path (None is skipped) can be written, so that nobody waits for a result that is lost.

    Writing may fail all the same, for example on a full disk; the writer says so then.

    Raises:
        OutputError: a path exists and `force` is false, it is no regular file, or its folder is missing or read-only.
    """
    from skinproof.formats import atomic

    for path in paths:
        if path is not None:
            atomic.require_writable(path, force=force)


def require_report(path: Path | None, /) -> None:
    """Check that `path` (None is skipped) is free or holds JSON: --force replaces a report, never another file.

    A buffer or an image that some .gltf needs is lost easily, by a slip of the shell's completion.

    Raises:
        OutputError: it holds something else.
    """
    if path is None or not path.is_file():
        return
    with path.open("rb") as file:
        start = file.read(4096).lstrip()
    if start and not start.startswith(b"{"):
        raise OutputError(f"{path}: this is no JSON report, so it is not replaced by one. Use another name")


def require_distinct(paths: Sequence[tuple[str, Path | None]], /) -> None:
    """Refuse two parameters that name the same file, where one would be lost.

    Args:
        paths: pairs of a parameter's name, for the message, and its path or None.
    """
    seen: dict[Path, str] = {}
    for name, path in paths:
        if path is None:
            continue
        first = seen.setdefault(path.resolve(), name)
        if first != name:
            raise click.UsageError(f"{first} and {name} name the same file: {path}")


@contextmanager
def require_folder(folder: Path, /) -> Iterator[None]:
    """Make `folder` if it is missing; it goes again if the block fails and left it empty.

    Raises:
        OutputError: something else has this name, or the folder cannot be made.
    """
    missing = not os.path.lexists(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: this folder cannot be made: {error.strerror}. Name another one") from error
    try:
        yield
    except BaseException:
        if missing:
            with suppress(OSError):
                folder.rmdir()
        raise
