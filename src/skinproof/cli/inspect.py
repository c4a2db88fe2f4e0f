"""`skinproof inspect`: what is in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from skinproof.cli import _options as options
from skinproof.cli._command import Command
from skinproof.cli._inputs import Input, gather, read_input
from skinproof.cli._output import Destination
from skinproof.cli._paths import require_distinct, require_report, require_writable
from skinproof.cli._several import judge_inputs

if TYPE_CHECKING:
    from skinproof.report import Report


@click.command(cls=Command)
@options.source_files
@options.output_options
@click.pass_context
def inspect(
    ctx: click.Context, files: tuple[str, ...], json_output: bool, json_file: Path | None, quiet: bool, force: bool
) -> int:
    """Show what is in FILE: primitives, skins, clips, influences, weight formats and sums, and what is wrong.

    FILE may be - for standard input, a folder, or a pattern such as "art/**/*.glb". Several files are judged one
    after the other; the JSON report is then a list.

    Exits with 1 if the weights of any break the weight contract.
    """
    inputs = gather(files)
    for file in inputs.files:
        require_distinct([("FILE", file.path), ("--json-file", json_file)])
    require_writable([json_file], force=force)
    require_report(json_file)
    given = options.as_given(ctx)

    def judge(file: Input) -> Report:
        return _inspect(file, given)

    return judge_inputs("inspect", inputs, Destination(json_output, json_file, quiet, force), judge)


def _inspect(file: Input, given: dict[str, object]) -> Report:
    from skinproof.gate import Policy, judge
    from skinproof.measuring import survey
    from skinproof.report import Report

    character = read_input(file)
    found, policy = survey(character), Policy()
    verdict = judge(policy, found, notes=character.findings)
    return Report("inspect", str(file.path), verdict, policy, found, options=given)
