"""`skinproof inspect`: what is in a file."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from skinproof.cli import _options as options
from skinproof.cli._command import Command
from skinproof.cli._exits import settle
from skinproof.cli._output import Destination
from skinproof.cli._paths import require_distinct, require_report, require_writable


@click.command(cls=Command)
@options.source_file()
@options.output_options
@click.pass_context
def inspect(ctx: click.Context, file: Path, json_output: bool, json_file: Path | None, quiet: bool, force: bool) -> int:
    """Show what is in FILE: primitives, skins, clips, influences, weight formats and sums, and what is wrong.

    Exits with 1 if the weights break the weight contract.
    """
    require_distinct([("FILE", file), ("--json-file", json_file)])
    require_writable([json_file], force=force)
    require_report(json_file)

    from skinproof.formats import read
    from skinproof.gate import Policy, judge
    from skinproof.measuring import survey
    from skinproof.report import Report

    character = read(file)
    found, policy = survey(character), Policy()
    verdict = judge(policy, found, notes=character.findings)
    report = Report("inspect", str(file), verdict, policy, found, options=options.as_given(ctx))
    with Destination(json_output, json_file, quiet, force).delivered(report) as code:
        settle()
        return code
