"""Where a report goes: text or JSON to standard output, JSON to a file, and the verdict into the exit code."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from skinproof.cli._exits import Exit

if TYPE_CHECKING:
    from skinproof.report import Report


@dataclass(frozen=True, slots=True)
class Destination:
    """What the caller wants to see.

    Attributes:
        json: JSON instead of text on standard output.
        json_file: where JSON goes as well, or None.
        quiet: only the verdict and the errors as text.
        force: whether `json_file` is replaced if it exists.
    """

    json: bool = False
    json_file: Path | None = None
    quiet: bool = False
    force: bool = False

    def deliver(self, report: Report, /) -> Exit:
        """Write and print the report and return the exit code that its verdict stands for."""
        from skinproof.cli._screen import console
        from skinproof.formats.atomic import Output, write_files
        from skinproof.report import show, to_json

        if self.json_file is not None:
            # A file name may hold bytes that are no text; escaped, they are still JSON.
            data = to_json(report).encode("utf-8", errors="backslashreplace")
            write_files([Output(self.json_file, data)], force=self.force)
        if self.json:
            sys.stdout.write(to_json(report))
            if not report.verdict.passed:
                show(report, console(sys.stderr), quiet=True)
        else:
            show(report, console(sys.stdout), quiet=self.quiet)
        return Exit.PASS if report.verdict.passed else Exit.GATE_FAILED
