"""`skinproof demo`: the main job on a character made in code."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from rich.padding import Padding
from rich.text import Text

from skinproof.cli._command import Command
from skinproof.cli._exits import Exit, settle
from skinproof.cli._job import LimitJob
from skinproof.cli._output import Destination
from skinproof.cli._paths import require_folder, require_writable
from skinproof.cli._screen import console

if TYPE_CHECKING:
    from skinproof.report import Report

LIMITS = (4, 2)
"""The K that are shown: what most engines take, and what a distant LOD can do with."""


@click.command(cls=Command)
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    default="demo-out",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Where the files go; made if it is missing.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print only the verdicts and where the files are.")
@click.option("-f", "--force", is_flag=True, help="Replace files that exist.")
def demo(output: Path, quiet: bool, force: bool) -> int:
    """Make a character in code, limit it to 4 and to 2 influences, and show what that costs.

    A body of some 9,600 vertices and 28 joints, up to 8 influences a vertex, that walks and bends. Needs no file and
    no network.
    """
    from skinproof.gate import Policy

    source = output / "character.glb"
    results = [output / f"character-k{k}.glb" for k in LIMITS]
    with require_folder(output), ExitStack() as all_or_nothing:
        require_writable([source, *results, *map(_json_of, results)], force=force)
        all_or_nothing.enter_context(_made(source, force=force))
        reports = []
        for k, result in zip(LIMITS, results, strict=True):
            job = LimitJob("demo", source, result, Policy(max_influences=k), force=force)
            report, files = all_or_nothing.enter_context(job.judged())
            destination = Destination(json_file=_json_of(result), quiet=quiet, force=force)
            all_or_nothing.enter_context(destination.delivered(report, files))
            console(sys.stdout).print()
            reports.append(report)
        _summarize(source, results, reports)
        sys.stdout.flush()  # what is only buffered has not been printed
        settle()
    return Exit.PASS if all(report.verdict.passed for report in reports) else Exit.GATE_FAILED


def _json_of(result: Path) -> Path:
    return result.with_suffix(".json")


@contextmanager
def _made(path: Path, *, force: bool) -> Iterator[None]:
    """Put the character in place, for as long as the block does not fail."""
    from skinproof.demo import make_character
    from skinproof.formats import stage

    with stage(make_character(), path, force=force) as files:
        files.put_in_place()
        yield


def _summarize(source: Path, results: Sequence[Path], reports: Sequence[Report]) -> None:
    """Show the files side by side, and what to try next."""
    from rich.table import Table

    from skinproof.gate.words import length

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("file", overflow="fold")
    for header in ("bytes", "influences", "max", "RMS"):
        table.add_column(header, justify="right", no_wrap=True)
    first = reports[0].original
    assert first is not None
    table.add_row(Text(str(source)), f"{source.stat().st_size:,}", str(first.max_influences), "–", "–")
    for path, report in zip(results, reports, strict=True):
        assert report.measurement is not None
        figures = report.measurement.summary
        cells = [
            f"{path.stat().st_size:,}",
            str(report.survey.max_influences),
            length(figures.max),
            length(figures.rms),
        ]
        table.add_row(Text(str(path)), *cells)
    screen = console(sys.stdout)
    screen.print("Side by side", style="bold")
    screen.print(Padding(table, (0, 0, 0, 2)))
    screen.print(f"\nThe files are in {source.parent.resolve()},", soft_wrap=True, markup=False)
    screen.print("with a JSON report beside each result. What to try next:", markup=False)
    for command in (
        ["skinproof", "inspect", str(source)],
        ["skinproof", "check", str(results[-1]), "--against", str(source), "--tolerance", "2mm"],
    ):
        screen.print(f"  {shlex.join(command)}", soft_wrap=True, markup=False)
