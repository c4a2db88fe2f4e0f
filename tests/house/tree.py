"""Copies of the project's tree, for tests that seed a fault and want to see a gate turn red."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "demo-out", "node_modules", "__pycache__", ".*_cache", ".hypothesis"
)


def project_files() -> list[Path]:
    """What a clone would hold, and what is not committed yet."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        left_out = _LEFT_OUT(folder, folders + files)
        folders[:] = sorted(set(folders) - left_out)
        found += [Path(folder, file) for file in sorted(set(files) - left_out)]
    return found


def copy_tree(to: Path) -> Path:
    """Copy what a clone would hold (and what is not committed yet) into the new folder `to`."""
    shutil.copytree(ROOT, to, ignore=_LEFT_OUT)
    return to


@contextlib.contextmanager
def seeded(tree: Path, file: str, fault: str, *, instead_of: str | None = None) -> Iterator[None]:
    """Append `fault` to a file of `tree` (a new file if there is none), or put it `instead_of` a text there."""
    path = tree / file
    before = path.read_text() if path.exists() else None
    if instead_of is not None:
        assert before is not None, f"there is no {file} to spoil"
        assert instead_of in before, f"{file} has no {instead_of!r} to spoil"
        text = before.replace(instead_of, fault, 1)
    else:
        text = (before or "") + fault
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    try:
        yield
    finally:
        if before is None:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
        else:
            path.write_text(before)


def run(tree: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in `tree`; standard output has both streams."""
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb"}
    return subprocess.run(
        command,
        cwd=tree,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )
