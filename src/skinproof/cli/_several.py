"""Several files in one call: each is judged for itself, one that cannot be does not stop the others."""

from __future__ import annotations

import mmap
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from skinproof.cli._exits import Exit, say_error, words_of_failure
from skinproof.cli._inputs import Input, Inputs
from skinproof.cli._output import Destination

if TYPE_CHECKING:
    from skinproof.report import Report


def judge_inputs(command: str, inputs: Inputs, destination: Destination, judge: Callable[[Input], Report], /) -> int:
    """Judge files, deliver their reports, and return the exit code: the worst of all.

    One file is reported by itself. Several give their reports one after the other, then a count; as JSON a list
    (`report.SeveralJson`), which is written as it grows: memory is that for the largest file.

    Args:
        command: its name, for the list.
        inputs: the files.
        destination: where the reports go.
        judge: makes the report on one file.
    """
    from skinproof.cli._exits import settle

    if not inputs.several:
        with destination.delivered(judge(inputs.files[0])) as code:
            settle()
            return code
    with _List(command, destination).delivered(inputs) as several:
        for number, file in enumerate(inputs.files):
            try:
                several.add(file, judge)
            except KeyboardInterrupt:
                seen = f"{number} of {len(inputs.files)} files were judged"
                raise KeyboardInterrupt(f"{seen}, no JSON file was written") from None
    settle()
    return several.worst


class _List:
    """The reports of several files on their way out."""

    def __init__(self, command: str, destination: Destination) -> None:
        from skinproof.report import SeveralJson

        self._destination = destination
        self._json = SeveralJson(command)
        self._codes: Counter[int] = Counter()
        self._file: IO[bytes] | None = None

    @property
    def worst(self) -> int:
        return max(self._codes, default=Exit.PASS)

    @contextmanager
    def delivered(self, inputs: Inputs) -> Iterator[_List]:
        """Print what the block adds and, once all of it is printed, put the JSON file in place."""
        with ExitStack() as stack:
            if self._destination.json_file is not None:
                self._file = stack.enter_context(TemporaryFile())
            self._write_json(self._json.opening())
            yield self
            self._write_json(self._json.closing(self._codes))
            if not self._destination.json:
                self._print_counts(len(inputs.files))
            sys.stdout.flush()  # what is only buffered has not been printed
            if self._file is not None and self._destination.json_file is not None:
                self._put_in_place(self._file, self._destination.json_file)

    def add(self, file: Input, judge: Callable[[Input], Report]) -> None:
        """Judge a file and print its report, or why there is none."""
        report, error = None, None
        try:
            report = judge(file)
        except Exception as failure:  # noqa: BLE001  the other files shall have their verdicts
            error = words_of_failure(failure)
        code = Exit.NO_RESULT if report is None else Exit.PASS if report.verdict.passed else Exit.GATE_FAILED
        first = not self._codes
        self._codes[code] += 1
        if self._file is not None or self._destination.json:
            self._write_json(self._json.entry(str(file.path), code, report=report, error=error))
        if error is not None:
            sys.stdout.flush()
            say_error(error)
        elif report is not None:
            self._show(report, first=first)

    def _show(self, report: Report, *, first: bool) -> None:
        from skinproof.cli._screen import console
        from skinproof.report import show

        if not self._destination.json:
            if not first:
                sys.stdout.write("\n")
            show(report, console(sys.stdout), quiet=self._destination.quiet)
        elif not report.verdict.passed:
            with suppress(OSError):  # it is all in the JSON
                show(report, console(sys.stderr), quiet=True)

    def _print_counts(self, files: int) -> None:
        passed, failed = self._codes[Exit.PASS], self._codes[Exit.GATE_FAILED]
        sys.stdout.write(
            f"\n{files:,} files: {passed:,} passed, {failed:,} failed, {files - passed - failed:,} not judged\n"
        )

    def _write_json(self, text: str) -> None:
        if self._file is not None:
            self._file.write(text.encode())
        if self._destination.json:
            sys.stdout.write(text)
            sys.stdout.flush()

    def _put_in_place(self, file: IO[bytes], path: Path) -> None:
        from skinproof.formats.atomic import Output, staged

        file.flush()
        # Mapped, not read: the reports on thousands of files need not fit into memory.
        with (
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
            memoryview(mapped) as view,
            staged([Output(path, view)], force=self._destination.force) as files,
        ):
            files.put_in_place()
