"""Sets of files written by the atomic writer, for its tests."""

from __future__ import annotations

import inspect

from skinproof.formats.atomic import Output, staged


def write_files(outputs, *, force=False):
    """Stage and put in place at once."""
    with staged(outputs, force=force) as files:
        files.put_in_place()


WRITE_FILES = f"from skinproof.formats.atomic import Output, staged\n{inspect.getsource(write_files)}"
"""For processes of their own."""


def contents(folder):
    """Return what is in the files of a folder, by their paths in it."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SETS = [["main"], ["companion", "main"], ["companion", "other", "main"]]


def outputs_in(folder, names):
    """Return new files of these names."""
    return [Output(folder / name, b"new") for name in names]
