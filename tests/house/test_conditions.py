"""What a machine cannot run is not collected there, and the run says so; everywhere else it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from house.tree import ROOT

# Put before the interpreter's own start-up, which makes the machine look like another one.
MACHINES = {
    "root on Linux": "import os; os.getuid = lambda: 0",
    "a user on Linux": "import os; os.getuid = lambda: 1000",
    "a free-threaded interpreter": "import os, sys; os.getuid = lambda: 0; sys._is_gil_enabled = lambda: False",
}
OTHER_USER, FREE_THREADED = "test_reader_other_user.py", "test_free_threaded.py"


def collect(folder: Path, machine: str, *arguments: str) -> str:
    (folder / "sitecustomize.py").write_text(MACHINES[machine] + "\n")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    environment["PYTHONPATH"] = str(folder)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    done = subprocess.run(
        [*command, "tests/unit/publish"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("machine", "collected", "left_out"),
    [
        ("root on Linux", [OTHER_USER], [FREE_THREADED]),
        ("a user on Linux", [], [OTHER_USER, FREE_THREADED]),
        ("a free-threaded interpreter", [OTHER_USER, FREE_THREADED], []),
    ],
)
def test_what_is_collected_and_what_is_said(
    tmp_path: Path, machine: str, collected: list[str], left_out: list[str]
) -> None:
    lines = collect(tmp_path, machine, "--collect-only").splitlines()
    said = [line for line in lines if line.startswith("not collected: ")]
    files = {line.split()[1].rstrip(">") for line in lines if line.strip().startswith("<Module ")}
    assert "test_reader.py" in files
    for file in collected:
        assert file in files
    for file in left_out:
        assert file not in files
    assert [sum(file in line for line in said) for file in left_out] == [1] * len(left_out)
    assert len(said) == len(left_out)


def test_the_tests_for_free_threads_hold_with_a_lock_too(tmp_path: Path) -> None:
    """So that they are known to run, before an interpreter comes that needs them."""
    assert "passed" in collect(tmp_path, "a free-threaded interpreter", "-k", "test_free_threaded", "-q")
