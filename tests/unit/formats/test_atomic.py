import os
import random
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from skinproof.errors import OutputError
from skinproof.formats import atomic
from skinproof.formats.atomic import Output, write_files

KILLS = 12


def _files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_new_file(tmp_path):
    write_files([Output(tmp_path / "a", b"one")])
    assert _files(tmp_path) == {"a": b"one"}


def test_a_set_of_files_of_any_kind_of_bytes(tmp_path):
    write_files([Output(tmp_path / "a", bytearray(b"one")), Output(tmp_path / "b", memoryview(b"two"))])
    assert _files(tmp_path) == {"a": b"one", "b": b"two"}


def test_new_files_have_the_permissions_that_the_umask_leaves(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    write_files([Output(tmp_path / "a", b"one")])
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_replaced_file_keeps_its_permissions(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o640)
    write_files([Output(tmp_path / "a", b"new")], force=True)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert _files(tmp_path) == {"a": b"new"}


def test_a_link_is_replaced_and_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_bytes(b"precious")
    (tmp_path / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="exists"):
        write_files([Output(tmp_path / "a", b"new")])
    write_files([Output(tmp_path / "a", b"new")], force=True)
    assert _files(tmp_path) == {"a": b"new", "elsewhere": b"precious"}


def test_folders_are_made_only_where_asked_for(tmp_path):
    missing = tmp_path / "x" / "y"
    with pytest.raises(OutputError, match="x/y does not exist"):
        write_files([Output(missing / "a", b"")])
    write_files([Output(missing / "a", b"1", make_folder=True), Output(tmp_path / "b", b"2")])
    assert _files(tmp_path) == {"x/y/a": b"1", "b": b"2"}


@pytest.mark.parametrize("existing", ["companion", "main"])
def test_nothing_is_overwritten_without_force(tmp_path, existing):
    (tmp_path / existing).write_bytes(b"old")
    outputs = [Output(tmp_path / "companion", b"new"), Output(tmp_path / "main", b"new")]
    with pytest.raises(OutputError, match=rf"{existing}: exists. Use --force"):
        write_files(outputs)
    assert _files(tmp_path) == {existing: b"old"}
    write_files(outputs, force=True)
    assert _files(tmp_path) == {"companion": b"new", "main": b"new"}


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
    assert _files(tmp_path) == {"main": b"somebody else's"}


def test_a_file_system_without_hard_links(tmp_path, monkeypatch):
    def refuse(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write_files([Output(tmp_path / "a", b"one")])
    assert _files(tmp_path) == {"a": b"one"}
    with pytest.raises(OutputError, match="exists"):
        atomic._rename(tmp_path / "unused", tmp_path / "a", ExitStack(), force=False)


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
    assert _files(tmp_path) == {}


def test_a_file_where_a_folder_is_needed(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    with pytest.raises(OutputError, match="x/a"):
        write_files([Output(tmp_path / "x" / "a", b"", make_folder=True), Output(tmp_path / "b", b"")])
    assert _files(tmp_path) == {"x": b"old"}


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
        assert _files(tmp_path) == {"companion": b"new", "x/more": b"new", "main": b"new"}
        return
    with pytest.raises(OutputError, match=r"No space left on device. Free some space"):
        write_files(outputs, force=True)
    assert _files(tmp_path) == {"companion": b"old", "main": b"old"}
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
        assert _files(tmp_path) == {"a": b"new"}
        return
    with pytest.raises(OutputError, match="Input/output error"):
        write_files([Output(tmp_path / "a", b"new")], force=force)
    assert _files(tmp_path) == expected


def test_an_interruption_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files([Output(tmp_path / "a", b"one")])
    assert list(tmp_path.iterdir()) == []


FULL = """
import resource, sys
from pathlib import Path
from skinproof.errors import OutputError
from skinproof.formats.atomic import Output, write_files
folder = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_files([Output(folder / "small", b"x" * 500), Output(folder / "large", b"x" * 5000)], force=True)
except OutputError as error:
    print(error)
"""


def test_a_full_disk(tmp_path):
    """A real refusal by the system: the largest file size allowed to a child process."""
    (tmp_path / "large").write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", FULL, tmp_path], capture_output=True, text=True, timeout=60, check=True
    )
    assert "large: cannot be written: File too large. Raise the limit" in done.stdout
    assert _files(tmp_path) == {"large": b"old"}


READ_ONLY = """
import sys
from pathlib import Path
from skinproof.errors import OutputError
from skinproof.formats.atomic import Output, write_files
try:
    write_files([Output(Path(sys.argv[1]), b"x")])
except OutputError as error:
    print(error)
"""


def test_a_folder_that_cannot_be_written(tmp_path):
    """/proc takes no new files, not even from root."""
    command = [sys.executable, "-c", READ_ONLY, "/proc/skinproof"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "/proc/skinproof: cannot be written" in done.stdout


WRITER = """
import itertools, sys
from pathlib import Path
from skinproof.formats.atomic import Output, write_files
folder, names = Path(sys.argv[1]), sys.argv[2:]
print("ready", flush=True)
for generation in itertools.count():
    data = (b"%d " % generation) * 20000
    write_files([Output(folder / name, data) for name in names], force=True)
"""


@pytest.mark.parametrize("names", [["main"], ["companion", "main"]], ids=len)
def test_a_killed_writer_leaves_one_generation(tmp_path, names):
    """A writer is killed at random moments; what it left must be whole and of one generation."""
    moments = random.Random(2)
    seen = set()
    for _ in range(KILLS):
        with subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, *names], stdout=subprocess.PIPE) as writer:
            writer.stdout.readline()
            time.sleep(moments.uniform(0.005, 0.1))
            writer.send_signal(signal.SIGKILL)
        if not (tmp_path / "main").exists():
            assert names != ["main"] or not seen  # a single file, once there, is never missing
            continue
        contents = {(tmp_path / name).read_bytes() for name in names}
        assert len(contents) == 1
        numbers = contents.pop().split()
        assert len(numbers) == 20000
        assert len(set(numbers)) == 1
        seen.add(numbers[0])
    assert len(seen) > 1
