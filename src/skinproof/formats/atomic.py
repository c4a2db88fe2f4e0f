"""Writes files so that a reader sees all of the old or all of the new, whatever stops us.

Source: POSIX.1-2017, `rename` (replaces its target in one step) and `fsync` (which a rename does not imply).
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from skinproof.errors import OutputError


@dataclass(frozen=True, slots=True)
class Output:
    """One file to write.

    Attributes:
        path: where.
        data: its bytes.
        make_folder: whether a missing folder is made; otherwise it is an error.
    """

    path: Path
    data: bytes | bytearray | memoryview
    make_folder: bool = False


def write_files(outputs: Sequence[Output], /, *, force: bool = False) -> None:
    """Write `outputs` together: all or none; the last one is the file that names the others.

    Every file is written beside its target under a temporary name and flushed to the disk; then the files are
    renamed into place, the last one last. If that one exists already it is moved away first, so that it never
    names files of another generation: a process killed at any moment leaves the old set, the new set, or a set
    without its last file (and perhaps a temporary file). A single file is replaced in one step.

    Args:
        outputs: at least one, with different paths.
        force: replace files that exist. They keep their permissions.

    Raises:
        OutputError: a file exists and `force` is false, a folder is missing, a target is no regular file, or the
            system refuses (disk full, no permission). Nothing was changed then, and no temporary file remains.
    """
    for output in outputs:
        _require_writable(output, force=force)
    done = ExitStack()  # what to remove after success: the old files that were moved away
    with ExitStack() as undo:  # what to do on any failure, a KeyboardInterrupt too; last step first
        temporaries = [_stage(output, undo) for output in outputs]
        *companions, main = zip(outputs, temporaries, strict=True)
        with _errors_named(main[0].path):
            if force and os.path.lexists(main[0].path):
                (_move_away if companions else _keep_link)(main[0].path, undo, done)
                _sync_folder(main[0].path.parent)
        for output, temporary in [*companions, main]:
            with _errors_named(output.path):
                if force and output is not main[0] and os.path.lexists(output.path):
                    _move_away(output.path, undo, done)
                _rename(temporary, output.path, undo, force=force)
                _sync_folder(output.path.parent)  # it must reach the disk before the file that names it
        undo.pop_all()
    done.close()


def _require_writable(output: Output, *, force: bool) -> None:
    """Raise unless the target may be written, as far as can be told without trying."""
    path = output.path
    with _errors_named(path):
        if not (output.make_folder or path.parent.is_dir()):
            raise OutputError(f"{path}: the folder {path.parent} does not exist. Make it first")
        if not os.path.lexists(path):
            return
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            raise OutputError(f"{path}: is a folder. Name a file in it")
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            raise OutputError(f"{path}: is not a regular file, so it cannot be replaced in one step. Name a file")
        if not force:
            raise _exists(path)


def _stage(output: Output, undo: ExitStack) -> Path:
    """Write the data beside its target and return the temporary file's path."""
    path = output.path
    with _errors_named(path):
        if output.make_folder:
            _make_folders(path.parent, undo)
        temporary = _beside(path)
        # 0o666 less the umask, like any new file; O_EXCL, so that nobody's file is overwritten here.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        undo.callback(_quietly(temporary.unlink))
        with open(descriptor, "wb") as file:
            file.write(output.data)
            file.flush()
            os.fsync(file.fileno())
        if path.is_file():
            shutil.copymode(path, temporary)
    return temporary


def _rename(temporary: Path, path: Path, undo: ExitStack, *, force: bool) -> None:
    if force:
        if not os.path.lexists(path):  # else a link to the old file was kept, and brings it back
            undo.callback(_quietly(path.unlink))
        temporary.replace(path)
        return
    try:
        os.link(temporary, path)  # unlike a rename it fails if somebody made the file meanwhile
    except FileExistsError:
        raise _exists(path) from None
    except OSError:
        # Some file systems (FAT, a few network ones) have no hard links; there a check just before has to do.
        if os.path.lexists(path):
            raise _exists(path) from None
        temporary.rename(path)
    undo.callback(_quietly(path.unlink))
    _quietly(temporary.unlink)()


def _move_away(path: Path, undo: ExitStack, done: ExitStack) -> None:
    kept = _beside(path)
    path.rename(kept)
    undo.callback(_quietly(lambda: kept.replace(path)))
    done.callback(_quietly(kept.unlink))


def _keep_link(path: Path, undo: ExitStack, done: ExitStack) -> None:
    """Keep the old file under a second name, where the file system has such, and itself in place."""
    kept = _beside(path)
    with suppress(OSError):
        os.link(path, kept, follow_symlinks=False)
        undo.callback(_quietly(kept.unlink))  # renaming one name of a file to another of its names does nothing
        undo.callback(_quietly(lambda: kept.replace(path)))
        done.callback(_quietly(kept.unlink))


def _make_folders(folder: Path, undo: ExitStack) -> None:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for new in reversed(missing):
        new.mkdir()
        undo.callback(_quietly(new.rmdir))


def _beside(path: Path) -> Path:
    """A new name in the folder of `path`: only there is a rename a single step. Short, for long names' sake."""
    return path.parent / f".skinproof-{secrets.token_hex(8)}.tmp"


def _sync_folder(folder: Path) -> None:
    """Flush the renames in `folder`, where the system lets a folder be opened and flushed."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def _quietly(step: Callable[[], object]) -> Callable[[], None]:
    """Return `step` without its system errors: a failing clean-up must not hide why it was needed."""

    def quiet() -> None:
        with suppress(OSError):
            step()

    return quiet


def _exists(path: Path) -> OutputError:
    return OutputError(f"{path}: exists. Use --force (force=True) to replace it, or another name")


@contextmanager
def _errors_named(path: Path) -> Iterator[None]:
    """Turn what the system says into an `OutputError` that names `path` and what to do."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, "Check the folder or write elsewhere")
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}. {remedy}") from error


_REMEDIES = {
    errno.ENOSPC: "Free some space or write elsewhere",
    errno.EDQUOT: "Free some space or write elsewhere",
    errno.EFBIG: "Raise the limit on file sizes or write elsewhere",
    errno.EACCES: "Get write permission for the folder or write elsewhere",
    errno.EPERM: "Get write permission for the folder or write elsewhere",
    errno.EROFS: "Write to a folder that is not read-only",
    errno.ENAMETOOLONG: "Use a shorter name",
}
