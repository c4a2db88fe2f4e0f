import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from file_sets import SETS, WRITE_FILES, contents, outputs_in, write_files
from skinproof.errors import OutputError
from skinproof.formats import atomic
from skinproof.formats.atomic import Output, require_writable, staged


def _fail_after_all(outputs, *, force):
    """A block that fails when everything is in place."""

    def block():
        with staged(outputs, force=force) as files:
            files.put_in_place()
            assert all(output.path.read_bytes() == output.data for output in outputs)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        block()


def test_a_new_file(tmp_path):
    write_files([Output(tmp_path / "a", b"one")])
    assert contents(tmp_path) == {"a": b"one"}


def test_a_set_of_files_of_any_kind_of_bytes(tmp_path):
    write_files([Output(tmp_path / "a", bytearray(b"one")), Output(tmp_path / "b", memoryview(b"two"))])
    assert contents(tmp_path) == {"a": b"one", "b": b"two"}


def test_new_files_have_the_permissions_that_the_umask_leaves(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    write_files([Output(tmp_path / "a", b"one")])
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_replaced_file_keeps_its_permissions(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o640)
    write_files([Output(tmp_path / "a", b"new")], force=True)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert contents(tmp_path) == {"a": b"new"}


def test_a_link_is_replaced_and_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_bytes(b"precious")
    (tmp_path / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="exists"):
        write_files([Output(tmp_path / "a", b"new")])
    write_files([Output(tmp_path / "a", b"new")], force=True)
    assert contents(tmp_path) == {"a": b"new", "elsewhere": b"precious"}


def test_folders_are_made_only_where_asked_for(tmp_path):
    missing = tmp_path / "x" / "y"
    with pytest.raises(OutputError, match="x/y does not exist"):
        write_files([Output(missing / "a", b"")])
    write_files([Output(missing / "a", b"1", make_folder=True), Output(tmp_path / "b", b"2")])
    assert contents(tmp_path) == {"x/y/a": b"1", "b": b"2"}


@pytest.mark.parametrize("existing", ["companion", "main"])
def test_nothing_is_overwritten_without_force(tmp_path, existing):
    (tmp_path / existing).write_bytes(b"old")
    outputs = [Output(tmp_path / "companion", b"new"), Output(tmp_path / "main", b"new")]
    with pytest.raises(OutputError, match=rf"{existing}: exists. Use --force"):
        write_files(outputs)
    assert contents(tmp_path) == {existing: b"old"}
    write_files(outputs, force=True)
    assert contents(tmp_path) == {"companion": b"new", "main": b"new"}


@pytest.mark.parametrize("names", [["main"], ["companion", "main"]], ids=len)
def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path, monkeypatch, names):
    stage = atomic._stage

    def stage_slowly(output, undo):
        staged = stage(output, undo)
        (tmp_path / "main").write_bytes(b"somebody else's")
        return staged

    monkeypatch.setattr(atomic, "_stage", stage_slowly)
    with pytest.raises(OutputError, match="exists"):
        write_files([Output(tmp_path / name, b"new") for name in names])
    assert contents(tmp_path) == {"main": b"somebody else's"}


def test_a_file_system_without_hard_links(tmp_path, monkeypatch):
    def refuse(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write_files([Output(tmp_path / "a", b"one")])
    assert contents(tmp_path) == {"a": b"one"}
    with pytest.raises(OutputError, match="exists"):
        atomic._rename(tmp_path / "unused", tmp_path / "a", ExitStack(), force=False)


def test_without_hard_links_the_old_file_comes_back_all_the_same(tmp_path, monkeypatch):
    def refuse(source, target, **_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "a").write_bytes(b"old")
    _fail_after_all([Output(tmp_path / "a", b"new")], force=True)
    assert contents(tmp_path) == {"a": b"old"}
    write_files([Output(tmp_path / "a", b"new")], force=True)
    assert contents(tmp_path) == {"a": b"new"}


@pytest.mark.parametrize("names", SETS, ids=len)
def test_staged_files_can_be_read_before_they_are_in_place(tmp_path, names):
    (tmp_path / "main").write_bytes(b"old")
    with staged(outputs_in(tmp_path, names), force=True) as files:
        assert files.paths == tuple(tmp_path / name for name in reversed(names))
        assert {files.located(path).read_bytes() for path in files.paths} == {b"new"}
        assert files.located(tmp_path / "elsewhere") == tmp_path / "elsewhere"
        assert (tmp_path / "main").read_bytes() == b"old"
        files.put_in_place()
        assert [files.located(path) for path in files.paths] == list(files.paths)
        assert {path.read_bytes() for path in files.paths} == {b"new"}
    assert contents(tmp_path) == dict.fromkeys(names, b"new")


@pytest.mark.parametrize("names", SETS, ids=len)
def test_files_not_put_in_place_are_not_written(tmp_path, names):
    (tmp_path / "main").write_bytes(b"old")
    with staged(outputs_in(tmp_path, names), force=True):
        assert len(contents(tmp_path)) == 1 + len(names)
    assert contents(tmp_path) == {"main": b"old"}


@pytest.mark.parametrize("old", [[], ["main"], ["companion"], ["companion", "main"]], ids="-".join)
@pytest.mark.parametrize("names", SETS, ids=len)
def test_a_block_that_fails_takes_everything_back(tmp_path, names, old):
    for name in old:
        (tmp_path / name).write_bytes(b"old")
        (tmp_path / name).chmod(0o640)
    before = {path: path.stat() for path in tmp_path.iterdir()}
    _fail_after_all(outputs_in(tmp_path, names), force=True)
    assert contents(tmp_path) == dict.fromkeys(old, b"old")
    for path, stat in before.items():
        after = path.stat()
        assert (after.st_ino, after.st_mode, after.st_mtime_ns) == (stat.st_ino, stat.st_mode, stat.st_mtime_ns)


@pytest.mark.parametrize("names", SETS, ids=len)
def test_without_force_a_block_that_fails_takes_everything_back(tmp_path, names):
    _fail_after_all(outputs_in(tmp_path, names), force=False)
    assert contents(tmp_path) == {}


def test_a_link_to_a_device_is_no_target(tmp_path):
    (tmp_path / "a").symlink_to("/dev/null")
    with pytest.raises(OutputError, match="a: is not a regular file"):
        write_files([Output(tmp_path / "a", b"")], force=True)
    (tmp_path / "a").unlink()
    (tmp_path / "a").symlink_to("nowhere")
    write_files([Output(tmp_path / "a", b"new")], force=True)
    assert contents(tmp_path) == {"a": b"new"}


def test_a_folder_that_may_not_be_written_is_seen_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(OutputError, match=r"is not writable\. Write elsewhere"):
        require_writable(tmp_path / "a", force=True)


def test_a_folder_or_a_device_is_no_target(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="folder: is a folder"):
        write_files([Output(tmp_path / "folder", b"")], force=True)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="not a regular file"):
        write_files([Output(tmp_path / "pipe", b"")], force=True)
    with pytest.raises(OutputError, match="not a regular file"):
        write_files([Output(Path("/dev/null"), b"")], force=True)


def test_a_name_that_is_too_long_names_the_remedy(tmp_path):
    with pytest.raises(OutputError, match="shorter name"):
        write_files([Output(tmp_path / ("x" * 300), b"")])
    assert contents(tmp_path) == {}


def test_a_file_where_a_folder_is_needed(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    with pytest.raises(OutputError, match="x/a"):
        write_files([Output(tmp_path / "x" / "a", b"", make_folder=True), Output(tmp_path / "b", b"")])
    assert contents(tmp_path) == {"x": b"old"}


STEPS = 12  # three flushes of data, two old files moved away, three renames, and four flushes of folders


@pytest.mark.parametrize("failing", range(1, STEPS + 2))
def test_whatever_step_fails_nothing_changes(tmp_path, monkeypatch, failing):
    """Every rename and flush in turn fails; in the last round none does."""
    for name in ("companion", "main"):
        (tmp_path / name).write_bytes(b"old")
    calls = []

    def counted(function):
        def call(*arguments, **options):
            calls.append(function)
            if len(calls) == failing:
                raise OSError(28, "No space left on device")
            return function(*arguments, **options)

        return call

    for owner, name in ((os, "fsync"), (Path, "rename"), (Path, "replace")):
        monkeypatch.setattr(owner, name, counted(getattr(owner, name)))
    outputs = [
        Output(tmp_path / "companion", b"new"),
        Output(tmp_path / "x" / "more", b"new", make_folder=True),
        Output(tmp_path / "main", b"new"),
    ]
    if failing > STEPS:
        write_files(outputs, force=True)
        assert len(calls) == STEPS
        assert contents(tmp_path) == {"companion": b"new", "x/more": b"new", "main": b"new"}
        return
    with pytest.raises(OutputError, match=r"No space left on device. Free some space"):
        write_files(outputs, force=True)
    assert contents(tmp_path) == {"companion": b"old", "main": b"old"}
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("failing", range(1, 4))
@pytest.mark.parametrize("force", [False, True])
def test_whatever_step_of_a_single_file_fails_nothing_changes(tmp_path, monkeypatch, failing, force):
    expected = {"a": b"old"} if force else {}
    if force:
        (tmp_path / "a").write_bytes(b"old")
    calls = []
    fsync = os.fsync

    def counted(descriptor):
        calls.append(descriptor)
        if len(calls) == failing:
            raise OSError(5, "Input/output error")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", counted)
    steps = 3 if force else 2
    if failing > steps:
        write_files([Output(tmp_path / "a", b"new")], force=force)
        assert contents(tmp_path) == {"a": b"new"}
        return
    with pytest.raises(OutputError, match="Input/output error"):
        write_files([Output(tmp_path / "a", b"new")], force=force)
    assert contents(tmp_path) == expected


FULL = (
    WRITE_FILES
    + """
import resource, sys
from pathlib import Path
from skinproof.errors import OutputError
folder = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_files([Output(folder / "small", b"x" * 500), Output(folder / "large", b"x" * 5000)], force=True)
except OutputError as error:
    print(error)
"""
)


def test_a_full_disk(tmp_path):
    """A real refusal by the system: the largest file size allowed to a child process."""
    (tmp_path / "large").write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", FULL, tmp_path], capture_output=True, text=True, timeout=60, check=True
    )
    assert "large: cannot be written: File too large. Raise the limit" in done.stdout
    assert contents(tmp_path) == {"large": b"old"}


READ_ONLY = (
    WRITE_FILES
    + """
import sys
from pathlib import Path
from skinproof.errors import OutputError
try:
    write_files([Output(Path(sys.argv[1]), b"x")])
except OutputError as error:
    print(error)
"""
)


def test_a_folder_that_cannot_be_written(tmp_path):
    """/proc takes no new files, not even from root."""
    command = [sys.executable, "-c", READ_ONLY, "/proc/skinproof"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "/proc/skinproof: cannot be written" in done.stdout
