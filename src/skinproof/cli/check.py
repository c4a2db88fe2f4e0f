"""`skinproof check`: hold files, whoever made them, to the weight contract and to their originals."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from skinproof.cli import _options as options
from skinproof.cli._command import Command
from skinproof.cli._inputs import STANDARD_INPUT, Input, Inputs, gather, original_of, read_input
from skinproof.cli._job import Sampling, measured
from skinproof.cli._output import Destination
from skinproof.cli._paths import require_distinct, require_report, require_writable
from skinproof.cli._several import judge_inputs

if TYPE_CHECKING:
    from skinproof.gate import Policy, Tolerance
    from skinproof.report import Report


@click.command(cls=Command)
@options.source_files
@click.option(
    "--against",
    metavar="ORIGINAL",
    type=click.Path(),
    help="What FILE was made from, or a folder with the originals of several: measure how far vertices lie from it.",
)
@click.option(
    "-k",
    "--max-influences",
    metavar="K",
    type=click.IntRange(min=1),
    help="The most influences a vertex may have. Default: any number.",
)
@options.tolerance_option(
    "The furthest a vertex may lie from ORIGINAL's: a length (2mm) or a share of the bounding diagonal (0.1%). "
    "Without it displacement is measured, but not gated."
)
@click.option(
    "--min-match",
    metavar="SHARE",
    type=click.FloatRange(min=0.0, max=1.0),
    default=1.0,
    show_default=True,
    help="Where FILE has other vertices than ORIGINAL: the least share of both that must be matched.",
)
@options.measuring_options
@options.output_options
@click.pass_context
def check(
    ctx: click.Context,
    files: tuple[str, ...],
    against: str | None,
    max_influences: int | None,
    tolerance: Tolerance | None,
    min_match: float,
    fps: float,
    samples: int | None,
    reference: str,
    json_output: bool,
    json_file: Path | None,
    quiet: bool,
    force: bool,
) -> int:
    """Check FILE, whoever made it: are its weights sound, do they sum to one as decoded?

    With --against also: how far does each vertex lie from where ORIGINAL puts it, over all clips of ORIGINAL? Where
    other tools welded, reordered or re-encoded the vertices, they are matched by bind position.

    FILE may be - for standard input, a folder, or a pattern such as "built/**/*.glb". Several files are judged one
    after the other; the JSON report is then a list, and ORIGINAL a folder that has each original at the same place.

    Exits with 1 if a gate fails for any.
    """
    options.require_one_way_to_sample(ctx)
    if against is None:
        for name in ("tolerance", "min_match", "reference", "fps", "samples"):
            if options.given(ctx, name):
                option = name.replace("_", "-")
                raise click.UsageError(f"--{option} needs --against: there is no original to measure against.", ctx)
    inputs = gather(files)
    _require_originals(ctx, inputs, against)
    for file in inputs.files:
        require_distinct([("FILE", file.path), ("--json-file", json_file)])
    require_distinct([("--against", None if against is None else Path(against)), ("--json-file", json_file)])
    require_writable([json_file], force=force)
    require_report(json_file)

    from skinproof.gate import Policy

    policy = Policy(max_influences, tolerance, min_match)
    sampling, given = Sampling(reference, fps, samples), options.as_given(ctx)

    def judge(file: Input) -> Report:
        return _check(file, against, policy, sampling, given)

    return judge_inputs("check", inputs, Destination(json_output, json_file, quiet, force), judge)


def _require_originals(ctx: click.Context, inputs: Inputs, against: str | None) -> None:
    """Refuse one original for several files, and standard input as both."""
    if against is None:
        return
    piped = any(file.piped for file in inputs.files)
    if inputs.several and not os.path.isdir(against):
        raise click.UsageError("--against: several files need a folder with their originals.", ctx)
    if against == STANDARD_INPUT and piped:
        raise click.UsageError("Standard input, -, can be read once only.", ctx)
    if os.path.isdir(against) and piped:
        raise click.UsageError("--against: name the original of standard input by itself.", ctx)


def _check(file: Input, against: str | None, policy: Policy, sampling: Sampling, given: dict[str, object]) -> Report:
    from skinproof.gate import judge
    from skinproof.measuring import survey
    from skinproof.report import Report

    source = None if against is None else original_of(file, against)
    result = read_input(file)
    original = None if source is None else read_input(source)
    after, before = survey(result), None if original is None else survey(original)
    measurement = None if original is None else measured(original, result, sampling)
    return Report(
        command="check",
        file=str(file.path),
        verdict=judge(policy, after, original=before, measurement=measurement, notes=result.findings),
        policy=policy,
        survey=after,
        original_file=None if source is None else str(source.path),
        original=before,
        measurement=measurement,
        options=given,
    )
