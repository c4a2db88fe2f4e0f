"""Reports on several files as one JSON text, written piece by piece, so that it may be longer than memory.

docs/report-json.md describes it, several_schema.json beside this file holds it.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from importlib import resources
from importlib.metadata import version

from skinproof.report._content import Report
from skinproof.report.json_report import Object, document, schema

SEVERAL_SCHEMA = "skinproof-reports-1"
"""The value of `schema`, as of `json_report.SCHEMA`."""


class SeveralJson:
    """Makes the text: `opening`, then one `entry` per file, then `closing`. All of it is ASCII."""

    def __init__(self, command: str) -> None:
        """Begin the reports of a command."""
        self._command = command
        self._entries = 0

    def opening(self) -> str:
        """Return what comes before the entries."""
        head = json.dumps(
            {"schema": SEVERAL_SCHEMA, "version": version("skinproof"), "command": self._command}, indent=2
        )
        return head.removesuffix("\n}") + ',\n  "files": ['

    def entry(self, file: str, exit_code: int, /, *, report: Report | None = None, error: str | None = None) -> str:
        """Return the entry of a file.

        Args:
            file: as it is called.
            exit_code: that of its verdict, or of the error.
            report: what was found, if it could be judged.
            error: why it could not.
        """
        made = {
            "file": file,
            "exit_code": int(exit_code),
            "error": error,
            "report": None if report is None else document(report),
        }
        comma = "," if self._entries else ""
        self._entries += 1
        return comma + "\n" + textwrap.indent(json.dumps(made, indent=2, allow_nan=False), " " * 4)

    def closing(self, counts: Mapping[int, int], /) -> str:
        """Return what comes after the entries.

        Args:
            counts: exit code → how many files ended with it.
        """
        tail: Object = {
            "passed": counts.get(0, 0),
            "failed": counts.get(1, 0),
            "not_judged": sum(count for code, count in counts.items() if code > 1),
            "exit_code": int(max(counts, default=0)),
        }
        return "\n  ],\n" + json.dumps(tail, indent=2).removeprefix("{\n") + "\n"


def several_schema() -> Object:
    """Return the published JSON schema of the list, that of the reports in it included."""
    text = resources.files("skinproof.report").joinpath("several_schema.json").read_text(encoding="utf-8")
    loaded: Object = json.loads(text)
    return {**loaded, "$defs": {"report": schema()}}
