"""Runs the installed command as a user's shell does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SKINPROOF = Path(sys.executable).parent / "skinproof"
SECONDS = 120
"""Far above the slowest command here; only stops a hang."""

ESCAPE = "\x1b"


def environment(**extra):
    """The process's environment without what would force or forbid colours or buffers, as `extra` changes it."""
    colours = {"FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "NO_COLOR", "TTY_COMPATIBLE"}
    forcing = colours | {"COLUMNS", "TERMINAL_WIDTH", "PYTHONUNBUFFERED"}
    return {key: value for key, value in os.environ.items() if key not in forcing} | extra


def skinproof(*arguments, cwd=None, stdout=subprocess.PIPE, **extra):
    """Run the command with piped output, or `stdout`, and return the finished process."""
    return subprocess.run(
        [SKINPROOF, *map(os.fspath, map(_text, arguments))],
        cwd=cwd,
        env=environment(**extra),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def run(script, *arguments, folder):
    """Run the command in a process in which `script` was executed first, as if a part of it had a fault."""
    start = f"{script}\nimport sys\nfrom skinproof.cli import main\nsys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", start, *map(str, arguments)],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def _text(argument):
    return argument if isinstance(argument, str | Path) else str(argument)


def expect(process, code):
    """Check the exit code and that nothing looks like a crash or a terminal; return the process."""
    shown = f"exit code {process.returncode}\n--- stdout\n{process.stdout}\n--- stderr\n{process.stderr}"
    printed = (process.stdout or "") + process.stderr
    assert process.returncode == code, shown
    assert "Traceback" not in printed, shown
    assert ESCAPE not in printed, shown
    return process
