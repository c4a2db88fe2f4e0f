"""tools/setup.sh on machines where something is missing: it installs where it may, else says exactly what to do."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from house.tree import ROOT

TOOLS = ("bash", "cat", "dirname", "env", "rm", "touch")


@dataclass(frozen=True)
class Machine:
    """A folder of programs that is all that the script finds; programs that do not matter are made up."""

    tree: Path

    @property
    def programs(self) -> Path:
        return self.tree / "programs"

    def add(self, name: str, script: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/usr/bin/env bash\n{script}\n")
        path.chmod(0o755)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.tree / "tools" / "setup.sh", *arguments],
            env={"PATH": str(self.programs), "CALLS": str(self.tree / "calls"), **environment},
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )

    def calls(self) -> list[str]:
        path = self.tree / "calls"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A user without rights, with a compiler, and a Python that can do whatever no file in `lacks` forbids."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "programs").mkdir()
    (tmp_path / "lacks").mkdir()
    (tmp_path / "tests" / "node").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "setup.sh", tmp_path / "tools")
    made = Machine(tmp_path)
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (made.programs / tool).symlink_to(found)
    made.add("id", "echo 1000")
    made.add("sudo", "exit 1")
    made.add("c++", "exit 0")
    made.add(
        "python3",
        """
        case "$*" in
        *ensurepip*) [ ! -e lacks/python3-venv ] ;;
        *Python.h*) [ ! -e lacks/python3-dev ] ;;
        *version_info*) [ ! -e lacks/new-python ] ;;
        *) echo "python3 $*" >>"$CALLS"; exit 9 ;;
        esac""",
    )
    return made


def _make_root(machine: Machine) -> None:
    machine.add("id", "echo 0")
    machine.add(
        "apt-get",
        """
        echo "$DEBIAN_FRONTEND apt-get $*" >>"$CALLS"
        case "$*" in *install*) for package; do rm -f "lacks/$package"; done ;; esac""",
    )


@pytest.mark.parametrize("package", ["python3-venv", "python3-dev"])
def test_a_missing_package_is_named_where_it_may_not_be_installed(machine: Machine, package: str) -> None:
    (machine.tree / "lacks" / package).touch()
    result = machine.run("venv")
    assert result.returncode == 1
    assert f"missing: {package}." in result.stdout
    assert f"apt-get update && apt-get install {package}" in result.stdout
    assert machine.calls() == []


def test_every_missing_package_is_named_at_once(machine: Machine) -> None:
    (machine.tree / "lacks" / "python3-venv").touch()
    (machine.programs / "c++").unlink()
    result = machine.run("venv")
    assert result.returncode == 1
    assert "missing: python3-venv g++." in result.stdout


@pytest.mark.parametrize("package", ["python3-venv", "python3-dev"])
def test_a_missing_package_is_installed_by_root(machine: Machine, package: str) -> None:
    (machine.tree / "lacks" / package).touch()
    _make_root(machine)
    machine.run("venv")
    update, install, *later = machine.calls()
    assert update == "noninteractive apt-get update -q"
    assert install.startswith("noninteractive apt-get install ")
    assert install.endswith(f" {package}")
    assert later == ["python3 -m venv --clear .venv"]


def test_nothing_is_installed_where_nothing_is_missing(machine: Machine) -> None:
    _make_root(machine)
    machine.run("venv")
    assert machine.calls() == ["python3 -m venv --clear .venv"]


def test_an_old_python_is_refused(machine: Machine) -> None:
    (machine.tree / "lacks" / "new-python").touch()
    result = machine.run("venv")
    assert result.returncode == 1
    assert "older than 3.11" in result.stdout


def test_without_node_it_says_which_tests_are_skipped(machine: Machine) -> None:
    stamp = machine.tree / "stamp"
    result = machine.run("node", str(stamp))
    assert result.returncode == 0
    assert "MISSING: node and npm" in result.stdout
    assert "The tests marked 'node' are skipped" in result.stdout
    assert not stamp.exists()


def test_debian_npm_is_not_put_beside_another_node(machine: Machine) -> None:
    machine.add("node", "exit 0")
    _make_root(machine)
    result = machine.run("node", str(machine.tree / "stamp"))
    assert "MISSING" in result.stdout
    assert machine.calls() == []


def test_root_gets_node_and_the_packages_of_the_lock_file(machine: Machine) -> None:
    _make_root(machine)
    for program in ("node", "npm"):
        machine.add(f"{program}-made", f'echo "{program} $*" >>"$CALLS"')
    machine.add(
        "apt-get",
        """
        echo "apt-get $1" >>"$CALLS"
        case "$1" in install) for p in node npm; do ln -sf "$p-made" "programs/$p"; done ;; esac""",
    )
    (machine.programs / "ln").symlink_to(shutil.which("ln") or "")
    stamp = machine.tree / "stamp"
    assert machine.run("node", str(stamp)).returncode == 0
    assert machine.calls() == ["apt-get update", "apt-get install", "npm ci --no-audit --no-fund --loglevel=error"]
    assert stamp.exists()


def test_without_a_cross_compiler_it_says_what_is_not_tried(machine: Machine) -> None:
    result = machine.run("arm")
    assert result.returncode == 1
    assert "missing: g++-aarch64-linux-gnu qemu-user." in result.stdout
    assert "64-bit ARM are not tried" in result.stdout


def test_root_gets_the_cross_compiler_and_the_emulator(machine: Machine) -> None:
    _make_root(machine)
    machine.add("made", "exit 0")
    machine.add(
        "apt-get",
        """
        echo "apt-get $*" >>"$CALLS"
        [ "$1" = install ] || exit 0
        for p in aarch64-linux-gnu-g++ qemu-aarch64; do ln -sf made "programs/$p"; done""",
    )
    (machine.programs / "ln").symlink_to(shutil.which("ln") or "")
    assert machine.run("arm").returncode == 0
    assert machine.calls()[-1].endswith(" g++-aarch64-linux-gnu qemu-user")
    assert machine.run("arm").returncode == 0
    assert len(machine.calls()) == 2


@pytest.mark.parametrize(
    ("lacking", "packages"),
    [
        ("spin", "spin gcc"),
        ("relacy", "relacy-dev g++"),
        ("sanitizer", "clang-19 libclang-rt-19-dev"),
        ("spin relacy sanitizer", "spin gcc relacy-dev g++ clang-19 libclang-rt-19-dev"),
    ],
)
def test_without_a_checker_it_says_what_is_not_proved(machine: Machine, lacking: str, packages: str) -> None:
    _add_checkers(machine, lacking.split())
    result = machine.run("verify")
    assert result.returncode == 1
    assert f"missing: {packages}." in result.stdout
    assert "the publisher is not proved" in result.stdout
    assert f"apt-get update && apt-get install {packages}" in result.stdout


def test_root_gets_the_checkers(machine: Machine) -> None:
    _add_checkers(machine, ["spin", "relacy", "sanitizer"])
    _make_root(machine)
    machine.add(
        "apt-get",
        """
        echo "apt-get $*" >>"$CALLS"
        [ "$1" != install ] || rm lacks/*""",
    )
    assert machine.run("verify").returncode == 0
    assert machine.calls()[-1].endswith(" spin gcc relacy-dev g++ clang-19 libclang-rt-19-dev")
    assert machine.run("verify").returncode == 0
    assert len(machine.calls()) == 2


def test_a_package_without_the_checker_is_not_enough(machine: Machine) -> None:
    """The runtime of the sanitizer has a package of its own: what counts is a program that links."""
    _add_checkers(machine, ["sanitizer"])
    _make_root(machine)
    machine.add("apt-get", "exit 0")
    result = machine.run("verify")
    assert result.returncode == 1
    assert "missing: clang-19 libclang-rt-19-dev." in result.stdout


def _add_checkers(machine: Machine, lacking: list[str]) -> None:
    for name in lacking:
        (machine.tree / "lacks" / name).touch()
    machine.add("gcc", "[ ! -e lacks/spin ]")
    machine.add("spin", "exit 0")
    machine.add("g++", "[ ! -e lacks/relacy ]")
    machine.add("clang++-19", "[ ! -e lacks/sanitizer ]")
