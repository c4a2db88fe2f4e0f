"""Tests that not every machine can run. They are not collected where they cannot, and every run says so.

A skipped test fails CI (tests/conftest.py), because what was not tried was not shown. These are different: no set-up
could make them run there, so they are no part of that machine's suite.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Condition:
    """Some test files, and what they need.

    Attributes:
        files: paths of test files from their end, as glob patterns.
        met: whether this machine and interpreter have it.
        needs: what it is, in words.
    """

    files: tuple[str, ...]
    met: bool
    needs: str


CONDITIONS = (
    Condition(
        ("unit/publish/test_reader*.py", "unit/publish/test_forks.py", "cli/test_publish.py"),
        sys.platform == "linux",
        "Linux",
    ),
    Condition(
        ("unit/publish/test_reader_other_user.py",),
        hasattr(os, "getuid") and os.getuid() == 0,
        "root, who alone can become another user",
    ),
    Condition(
        ("unit/publish/test_free_threaded.py",),
        not getattr(sys, "_is_gil_enabled", lambda: True)(),
        "an interpreter without a global lock (free-threaded CPython)",
    ),
)


def reasons(path: Path) -> list[str]:
    """What a test file lacks here; empty if it is collected."""
    unmet = [one for one in CONDITIONS if not one.met]
    return [one.needs for one in unmet if any(path.match(pattern) for pattern in one.files)]


def left_out() -> list[str]:
    """A line for each group of tests that is not collected here."""
    return [f"not collected: {', '.join(one.files)} (needs {one.needs})" for one in CONDITIONS if not one.met]
