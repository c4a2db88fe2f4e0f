"""Writes files so that a reader sees all of the old or all of the new, whatever stops us.

Source: POSIX.1-2017, `rename` (replaces its target in one step) and `fsync` (which a rename does not imply).
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import signal
import threading
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


class Staged:
    """Files that are whole and on the disk, but not yet in their places. `staged` makes it."""

    def __init__(self, outputs: Sequence[Output], /, *, force: bool) -> None:
        """Write nothing yet.

        Args:
            outputs: what to write.
            force: replace files that exist.
        """
        self._outputs = tuple(outputs)
        self._force = force
        self._temporaries: dict[Path, Path] = {}
        self._undo = ExitStack()  # what takes everything back, the last step first
        self._done = ExitStack()  # what to remove in the end: the old files that were moved away

    @property
    def paths(self) -> tuple[Path, ...]:
        """Where the files go, the one that names the others first."""
        return tuple(output.path for output in reversed(self._outputs))

    def located(self, path: Path, /) -> Path:
        """Return where the bytes are that belong at `path`: beside it as long as they are staged, or there."""
        return self._temporaries.get(path, path)

    def put_in_place(self) -> None:
        """Rename the files into place, the last one last. Leaving the block of `staged` with an error takes it back.

        Raises:
            OutputError: a file has come into being meanwhile and `force` is false, or the system refuses.
        """
        with _uninterrupted():
            *companions, main = self._outputs
            with _errors_named(main.path):
                self._undo.callback(_quietly(lambda: _sync_folder(main.path.parent)))
                if self._force and os.path.lexists(main.path):
                    (_move_away if companions else _keep)(main.path, self._undo, self._done)
                    _sync_folder(main.path.parent)
            for output in [*companions, main]:
                with _errors_named(output.path):
                    if self._force and output is not main and os.path.lexists(output.path):
                        _move_away(output.path, self._undo, self._done)
                    _rename(self._temporaries[output.path], output.path, self._undo, force=self._force)
                    _sync_folder(output.path.parent)  # it must reach the disk before the file that names it
            self._temporaries.clear()

    def _write(self) -> None:
        for output in self._outputs:
            self._temporaries[output.path] = _stage(output, self._undo)

    def _end(self) -> None:
        with _uninterrupted():
            if not self._temporaries:  # they are in place
                self._undo.pop_all()
                self._done.close()
            self._undo.close()

    def _take_back(self) -> None:
        with _uninterrupted():
            self._undo.close()


@contextmanager
def staged(outputs: Sequence[Output], /, *, force: bool = False) -> Iterator[Staged]:
    """Write `outputs` beside their targets, and let the caller look at them before they are put in place, or not.

    Every file is written beside its target under a temporary name and flushed to the disk. `Staged.put_in_place`
    renames them, the last one last. If that one exists already it is moved away first, so that it never names files
    of another generation. A single file is replaced in one step. Old files are kept until the block ends well: if it
    ends with an exception, a KeyboardInterrupt too, everything is as it was before. So it is if the block ends
    without having put them in place.

    A process killed at any moment leaves the old set, the new set, or a set without its last file, and perhaps files
    named .skinproof-….tmp beside it, which may be removed.

    Args:
        outputs: at least one, with different paths; the last one is the file that names the others.
        force: replace files that exist. They keep their permissions.

    Raises:
        OutputError: a file exists and `force` is false, a folder is missing, a target is no regular file, or the
            system refuses (disk full, no permission).
    """
    for output in outputs:
        require_writable(output.path, force=force, make_folder=output.make_folder)
    files = Staged(outputs, force=force)
    try:
        files._write()
        yield files
        files._end()
    except BaseException:
        files._take_back()
        raise


def require_writable(path: Path, /, *, force: bool, make_folder: bool = False) -> None:
    """Raise unless the target may be written, as far as can be told without trying.

    Args:
        path: where a file is to go.
        force: whether a file that exists may be replaced. A link is replaced, too, unless it leads to a device.
        make_folder: whether its folder may be missing.

    Raises:
        OutputError: it exists and `force` is false, it is a folder or no regular file, or its folder is missing or
            read-only.
    """
    with _errors_named(path):
        folder = path.parent
        if folder.is_dir():
            if not os.access(folder, os.W_OK | os.X_OK):
                raise OutputError(f"{path}: the folder {folder} is not writable. Write elsewhere")
        elif not make_folder:
            raise OutputError(f"{path}: the folder {folder} does not exist. Make it first")
        if not os.path.lexists(path):
            return
        if path.is_dir():
            raise OutputError(f"{path}: is a folder. Name a file in it")
        if path.exists() and not path.is_file():
            raise OutputError(f"{path}: is not a regular file, so it cannot be replaced in one step. Name a file")
        if not force:
            raise _exists(path)


def _stage(output: Output, undo: ExitStack) -> Path:
    """Write the data beside its target and return the temporary file's path."""
    path = output.path
    with _errors_named(path):
        if output.make_folder:
            with _uninterrupted():
                _make_folders(path.parent, undo)
        temporary = _beside(path)
        undo.callback(_quietly(temporary.unlink))  # first, lest an interruption comes between
        # 0o666 less the umask, like any new file; O_EXCL, so that nobody's file is overwritten here.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
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


def _keep(path: Path, undo: ExitStack, done: ExitStack) -> None:
    """Keep the old file under a second name, or a copy of it where the file system has no links, and it in place."""
    kept = _beside(path)
    undo.callback(_quietly(kept.unlink))  # renaming one name of a file to another of its names does nothing
    try:
        os.link(path, kept, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, kept, follow_symlinks=False)
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


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until the block is done: a step and what undoes it belong together."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is None:
        yield  # nobody is interrupted here, or not by Python
        return
    waiting: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if waiting:
        signal.raise_signal(signal.SIGINT)


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
