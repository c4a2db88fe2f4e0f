"""Where a report goes: text or JSON to standard output, JSON to a file, and the verdict into the exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from skinproof.cli._exits import Exit
from skinproof.errors import OutputError

if TYPE_CHECKING:
    from skinproof.formats.atomic import Staged
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

    @contextmanager
    def delivered(self, report: Report, /, *files: Staged) -> Iterator[Exit]:
        """Put `files` and the JSON file in place, print the report, and yield the exit code of its verdict.

        Whoever reads the report finds the files that it names; if it cannot be printed they are taken back, and so
        they are if the block fails. What is likeliest to fail, writing the bytes of the JSON file, comes first.
        """
        from skinproof.formats.atomic import Output, staged
        from skinproof.report import to_json

        text = to_json(report)
        with ExitStack() as stack:
            all_files = list(files)
            if self.json_file is not None:
                self._require_own_name(files)
                all_files.append(stack.enter_context(staged([Output(self.json_file, text.encode())], force=self.force)))
            for one in all_files:
                one.put_in_place()
            self._print(report, text)
            yield Exit.PASS if report.verdict.passed else Exit.GATE_FAILED

    def _require_own_name(self, files: Sequence[Staged]) -> None:
        """Raise if the JSON file would replace what is written beside the output, such as its buffer."""
        assert self.json_file is not None
        if self.json_file.resolve() in {path.resolve() for one in files for path in one.paths}:
            raise OutputError(f"{self.json_file}: another file of the output gets this name. Use another one")

    def _print(self, report: Report, text: str) -> None:
        from skinproof.cli._screen import console
        from skinproof.report import show

        if not self.json:
            show(report, console(sys.stdout), quiet=self.quiet)
        else:
            if not report.verdict.passed:
                with suppress(OSError):  # it is all in the JSON
                    show(report, console(sys.stderr), quiet=True)
            sys.stdout.write(text)
        sys.stdout.flush()  # what is only buffered has not been printed
