"""Runs the fenced blocks of a Markdown document, so that what the docs say is what happens.

| fence | what is done with it |
| --- | --- |
| `python` | run; the blocks of one document share their names |
| `output` | compared with what the `python` block right before it printed |
| `console` | each `$ command` is run by bash; the lines below it, if any, are compared with what it prints |
| `bash` | run as one script; it must exit with 0 |
| `json` | must parse |
| `text` | prose, formulas, trees; must not hold commands |

`...` stands for anything, within a line or for whole lines. A block of another kind, or one that cannot be run, needs
`<!-- not run: the reason -->` on the line before it.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(?P<indent> *)```(?P<kind>[^\n]*)\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL)
_MARKER = re.compile(r"<!-- not run:(?P<reason>.*?)-->\s*\Z", re.DOTALL)
_COMMAND_IN_TEXT = re.compile(r"^\s*(\$ |skinproof |make |pip |python |>>> )", re.MULTILINE)
_SECONDS = 300


@dataclass(frozen=True)
class Block:
    document: str
    line: int
    kind: str
    body: str
    not_run: str | None

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"


@dataclass
class Count:
    """What was done with the blocks of a document."""

    run: int = 0
    compared: int = 0
    not_run: int = 0


class BlockError(AssertionError):
    """A block does not do what the document says."""


def blocks_of(name: str, markdown: str) -> list[Block]:
    found = []
    for match in _FENCE.finditer(markdown):
        marker = _MARKER.search(markdown[: match.start()])
        line = markdown.count("\n", 0, match.start()) + 1
        indent = len(match["indent"])
        body = "".join(text[indent:] for text in match["body"].splitlines(keepends=True))
        reason = marker["reason"].strip() if marker else None
        block = Block(name, line, match["kind"].strip(), body, reason)
        if reason == "":
            raise BlockError(f"{block.place}: 'not run' without a reason")
        found.append(block)
    if markdown.count("```") != 2 * len(found):
        raise BlockError(f"{name}: {markdown.count('```')} fences do not make {len(found)} blocks")
    return found


def run_document(name: str, markdown: str, folder: Path) -> Count:
    """Run the blocks in order in `folder`; raise `BlockError` at the first that does not hold."""
    count = Count()
    names: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = None
    for block in blocks_of(name, markdown):
        if block.not_run is not None:
            count.not_run += 1
            printed = None
            continue
        if block.kind == "output":
            if printed is None:
                raise BlockError(f"{block.place}: 'output' does not follow a python block that was run")
            _compare(block.place, block.body, printed)
            count.compared += 1
            printed = None
            continue
        printed = None
        if block.kind == "python":
            printed = _run_python(block, names, folder)
        elif block.kind == "console":
            count.compared += _run_console(block, folder)
        elif block.kind == "bash":
            status, output = _bash(f"set -euo pipefail\n{block.body}", folder)
            if status != 0:
                raise BlockError(f"{block.place}: exit code {status}\n{output}")
        elif block.kind == "json":
            _parse_json(block)
        elif block.kind == "text":
            if _COMMAND_IN_TEXT.search(block.body):
                raise BlockError(f"{block.place}: a command in a 'text' block is not run; make it 'console'")
            continue
        else:
            raise BlockError(f"{block.place}: blocks of kind {block.kind!r} are not run; mark it with the reason")
        count.run += 1
    return count


def _parse_json(block: Block) -> None:
    try:
        json.loads(block.body)
    except ValueError as error:
        raise BlockError(f"{block.place}: not JSON: {error}") from error


def _run_python(block: Block, names: dict[str, object], folder: Path) -> str:
    out = io.StringIO()
    code = compile("\n" * block.line + block.body, block.document, "exec")
    with contextlib.chdir(folder), contextlib.redirect_stdout(out):
        try:
            exec(code, names)
        except Exception as error:
            raise BlockError(f"{block.place}: {type(error).__name__}: {error}") from error
    return out.getvalue()


def _run_console(block: Block, folder: Path) -> int:
    compared = 0
    for command, expected in _commands(block):
        status, output = _bash(command, folder)
        if status != 0:
            raise BlockError(f"{block.place}: `{command}` exits with {status}\n{output}")
        if expected.strip():
            _compare(f"{block.place}: `{command}`", expected, output)
            compared += 1
    return compared


def _commands(block: Block) -> Iterator[tuple[str, str]]:
    parts = re.split(r"^\$ ", block.body, flags=re.MULTILINE)
    if parts[0].strip() or len(parts) == 1:
        raise BlockError(f"{block.place}: a console block starts with '$ '")
    for part in parts[1:]:
        lines = part.splitlines()
        length = 1
        while lines[length - 1].endswith("\\") and length < len(lines):
            length += 1
        yield "\n".join(lines[:length]), "\n".join(lines[length:])


def _bash(script: str, folder: Path) -> tuple[int, str]:
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    result = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_SECONDS,
        check=False,
    )
    return result.returncode, result.stdout


def _compare(place: str, expected: str, actual: str) -> None:
    """Blank lines and spaces at the ends of lines do not count; `...` stands for anything."""
    pattern = re.escape("\n".join(_lines(expected)))
    any_lines = re.compile(r"(?:(?<=\n)|\A)\\\.\\\.\\\.(?:\\\n|\n|\Z)")
    pattern = any_lines.sub(lambda _: r"(?:[^\n]*(?:\n|\Z))*?", pattern).replace(r"\.\.\.", r"[^\n]*")
    if not re.fullmatch(pattern, "\n".join(_lines(actual))):
        raise BlockError(f"{place}\n--- the document says\n{expected}\n--- it printed\n{actual}")


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]
