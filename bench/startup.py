"""What starting costs: the command, beside a Python that loads NumPy and nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from resource import RUSAGE_CHILDREN, getrusage

from harness import Contender, Row
from native import Native

NUMPY = "python -c 'import numpy'"
MOST = 3.0
"""Times as long as Python with NumPy that `skinproof --help` may take."""


def rows(native: Native, instruction_set: str, *, full: bool) -> Iterator[Row]:
    """The row of the table."""

    def check(name: str, found: object) -> None:
        assert isinstance(found, bytes)
        assert (b"Usage" in found) == (name != NUMPY), name

    yield Row(
        title="starting, processor time",
        unit="start",
        ours=_started("skinproof --help", ["-m", "skinproof.cli", "--help"]),
        peers=[_started(NUMPY, ["-c", "import numpy"])],
        check=check,
        bound=None,
        floors={NUMPY: {instruction_set: 1 / MOST}},
    )


def _started(name: str, arguments: Sequence[str]) -> Contender:
    def run() -> bytes:
        return subprocess.run([sys.executable, *arguments], stdout=subprocess.PIPE, check=True).stdout

    return Contender(name, run, 1, _children_ns)


def _children_ns() -> int:
    """Processor time of the child processes that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return round((used.ru_utime + used.ru_stime) * 1e9)
