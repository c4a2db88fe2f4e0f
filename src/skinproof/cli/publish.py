"""`skinproof publish`: what a named segment of palettes is doing."""

from __future__ import annotations

import json
import sys

import rich_click as click

from skinproof.cli._command import Command, Group
from skinproof.cli._exits import Exit
from skinproof.cli._screen import console


@click.group(cls=Group)
def publish() -> None:
    """Look at palettes that are published at run time."""


@publish.command(cls=Command)
@click.argument("name")
@click.option("--json", "json_output", is_flag=True, help="Print JSON instead of a table.")
def stat(name: str, json_output: bool) -> int:
    """Show the counters of the segment NAME: commits by result, retries, slots, rows and cells in use, rows reaped.

    It only looks: nothing is attached, locked or changed.
    """
    from skinproof.publish import segment_statistics

    statistics = segment_statistics(name)
    if json_output:
        sys.stdout.write(json.dumps(statistics, indent=2) + "\n")
        return Exit.PASS
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    for what, value in statistics.items():
        shown = ("yes" if value else "no") if isinstance(value, bool) else str(value)
        table.add_row(what.replace("_", " "), shown)
    console(sys.stdout).print(table)
    return Exit.PASS
