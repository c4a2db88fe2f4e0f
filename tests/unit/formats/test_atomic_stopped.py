"""Writing that is stopped: by Ctrl-C at any line, by a kill at any moment."""

import itertools
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from file_sets import SETS, WRITE_FILES, contents, outputs_in, write_files
from skinproof.formats import atomic
from skinproof.formats.atomic import Output

KILLS = 12


def _interrupted(nth, call):
    """Call with a Ctrl-C at the nth line that is executed in the module; return whether there were so many."""
    lines = itertools.count(1)

    def trace(frame, event, argument):
        if frame.f_code.co_filename != atomic.__file__:
            return None
        if event == "line" and next(lines) == nth:
            sys.settrace(None)
            signal.raise_signal(signal.SIGINT)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return next(lines) > nth


# An interruption between the opening of a file and its `with` leaves the closing to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("names", SETS, ids=len)
def test_an_interruption_at_any_line_leaves_all_of_the_old_or_all_of_the_new(tmp_path, names, force):
    seen = set()
    for nth in itertools.count(1):
        folder = tmp_path / str(nth)
        folder.mkdir()
        old = dict.fromkeys(names, b"old") if force else {}
        for name, data in old.items():
            (folder / name).write_bytes(data)
        hit = _interrupted(nth, lambda folder=folder: write_files(outputs_in(folder, names), force=force))
        found = contents(folder)
        assert found in (old, dict.fromkeys(names, b"new")), nth
        seen.add(found == old)
        if not hit:
            assert found != old
            break
    assert seen == {True, False}
    assert nth > 30


def test_ctrl_c_waits_for_the_renames_and_then_counts(tmp_path, monkeypatch):
    """It comes twice during them, from somebody impatient: they are all done, and then all taken back."""
    (tmp_path / "main").write_bytes(b"old")
    replace = Path.replace
    replaced = []

    def interrupted(source, target):
        replaced.append(target.name)
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files(outputs_in(tmp_path, ["companion", "main"]), force=True)
    assert replaced == ["companion", "main", "main"]
    assert contents(tmp_path) == {"main": b"old"}


def test_a_thread_can_write(tmp_path):
    """Only the main thread is interrupted, and only it may say what happens then."""
    thread = threading.Thread(target=write_files, args=([Output(tmp_path / "a", b"one")],))
    thread.start()
    thread.join()
    assert contents(tmp_path) == {"a": b"one"}


WRITER = (
    WRITE_FILES
    + """
import itertools, sys
from pathlib import Path
folder, names = Path(sys.argv[1]), sys.argv[2:]
print("ready", flush=True)
for generation in itertools.count():
    data = (b"%d " % generation) * 20000
    write_files([Output(folder / name, data) for name in names], force=True)
"""
)


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
