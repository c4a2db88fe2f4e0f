"""Seed every fault of faults.toml into a copy of the core and see its test fail; the untouched core must pass.

A fault whose text is not found exactly once, or that does not compile, is an error: it would prove nothing.
Usage: python verify/faults.py [NAME …]
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORE = HERE.parent / "cpp"
SOURCES = ["backing", "bounds", "candidate", "copy_finite", "files", "fork_guard", "owner"]
FILES = [f"publish/{name}.cpp" for name in SOURCES]
COMPILER = os.environ.get("CXX", "g++")
FLAGS = ["-std=c++20", "-O1", "-w", "-pthread"]
INCLUDE = re.compile(r"^#include <([\w./]+)>", re.MULTILINE)
SECONDS_PER_TEST = 10


def compiled(core: Path, file: str, scratch: Path, name: str) -> Path:
    """Compile one file of the core in `core`; return its object."""
    target = scratch / f"{name}.o"
    flags = [*FLAGS, "-include", str(scratch / "standard.hpp"), f"-I{core}", f"-I{core}/tests/publish"]
    subprocess.run([COMPILER, *flags, "-c", str(core / file), "-o", str(target)], check=True, timeout=120)
    return target


def link(objects: list[Path], program: Path) -> None:
    """Link a program."""
    subprocess.run([COMPILER, "-pthread", *map(str, objects), "-o", str(program)], check=True, timeout=120)


def touched(fault: dict) -> list[str]:
    """The files to compile anew: those edited or, where one of them is a header, every one that may include it."""
    edited = {edit["file"] for edit in fault["edit"]}
    if all(file.endswith(".cpp") for file in edited):
        return [file for file in FILES if file in edited]
    return [*FILES, f"tests/publish/{fault['test']}.cpp"]


def precompile(scratch: Path) -> None:
    """Compile the standard headers once: they are most of the time of every build."""
    names = sorted({name for path in CORE.rglob("publish/*.[hc]pp") for name in INCLUDE.findall(path.read_text())})
    header = scratch / "standard.hpp"
    header.write_text("".join(f"#include <{name}>\n" for name in names if name.isidentifier()))
    subprocess.run([COMPILER, *FLAGS, "-x", "c++-header", str(header)], check=True, timeout=120)


def passes(program: Path) -> bool:
    """Run a test program; a hang counts as failing."""
    try:
        done = subprocess.run([str(program)], capture_output=True, timeout=SECONDS_PER_TEST, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def seed(core: Path, fault: dict) -> None:
    """Apply a fault's edits to the copy in `core`."""
    for edit in fault["edit"]:
        path = core / edit["file"]
        text = path.read_text()
        found = text.count(edit["find"])
        if found != 1:
            sys.exit(f"{fault['name']}: {edit['file']}: the text to change occurs {found} times, not once")
        path.write_text(text.replace(edit["find"], edit["replace"]))


def main(names: list[str]) -> int:
    """Seed the named faults, or all."""
    faults = tomllib.loads((HERE / "faults.toml").read_text())["fault"]
    if names:
        faults = [fault for fault in faults if fault["name"] in names]
    if not faults:
        sys.exit("no such fault")
    started = time.monotonic()
    survived = []
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        precompile(root)
        sound = {file: compiled(CORE, file, root, Path(file).stem) for file in FILES}
        for test in sorted({fault["test"] for fault in faults}):
            file = f"tests/publish/{test}.cpp"
            sound[file] = compiled(CORE, file, root, f"test-{test}")
            link([*(sound[one] for one in FILES), sound[file]], root / test)
            if not passes(root / test):
                sys.exit(f"{test} fails without any fault")
        for fault in faults:
            since = time.monotonic()
            core = root / "core"
            shutil.copytree(CORE, core)
            seed(core, fault)
            objects = {file: sound[file] for file in [*FILES, f"tests/publish/{fault['test']}.cpp"]}
            for number, file in enumerate(touched(fault)):
                objects[file] = compiled(core, file, root, f"faulty-{number}")
            link(list(objects.values()), root / "faulty")
            killed = not passes(root / "faulty")
            verdict, seconds = "killed  " if killed else "SURVIVED", time.monotonic() - since
            print(f"{verdict} {seconds:4.1f} s  {fault['name']}: {fault['rule']}", flush=True)
            survived += [] if killed else [fault["name"]]
            shutil.rmtree(core)
    print(f"{len(faults) - len(survived)} of {len(faults)} faults killed in {time.monotonic() - started:.0f} s")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
