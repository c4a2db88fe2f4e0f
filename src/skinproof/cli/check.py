"""`skinproof check`: hold a file, whoever made it, to the weight contract and to its original."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from skinproof.cli import _options as options
from skinproof.cli._command import Command
from skinproof.cli._exits import settle
from skinproof.cli._job import Sampling, measured
from skinproof.cli._output import Destination
from skinproof.cli._paths import require_distinct, require_report, require_writable

if TYPE_CHECKING:
    from skinproof.gate import Policy, Tolerance
    from skinproof.report import Report


@click.command(cls=Command)
@options.source_file()
@click.option(
    "--against",
    metavar="ORIGINAL",
    type=click.Path(path_type=Path),
    help="The file that FILE was made from: measure how far FILE's vertices lie from its.",
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
    file: Path,
    against: Path | None,
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

    Exits with 1 if a gate fails.
    """
    options.require_one_way_to_sample(ctx)
    if against is None:
        for name in ("tolerance", "min_match", "reference", "fps", "samples"):
            if options.given(ctx, name):
                option = name.replace("_", "-")
                raise click.UsageError(f"--{option} needs --against: there is no original to measure against.", ctx)
    require_distinct([("FILE", file), ("--json-file", json_file)])
    require_distinct([("--against", against), ("--json-file", json_file)])
    require_writable([json_file], force=force)
    require_report(json_file)

    from skinproof.gate import Policy

    policy = Policy(max_influences, tolerance, min_match)
    report = _check(file, against, policy, Sampling(reference, fps, samples), options.as_given(ctx))
    with Destination(json_output, json_file, quiet, force).delivered(report) as code:
        settle()
        return code


def _check(file: Path, against: Path | None, policy: Policy, sampling: Sampling, given: dict[str, object]) -> Report:
    from skinproof.formats import read
    from skinproof.gate import judge
    from skinproof.measuring import survey
    from skinproof.report import Report

    result = read(file)
    original = None if against is None else read(against)
    after, before = survey(result), None if original is None else survey(original)
    measurement = None if original is None else measured(original, result, sampling)
    return Report(
        command="check",
        file=str(file),
        verdict=judge(policy, after, original=before, measurement=measurement, notes=result.findings),
        policy=policy,
        survey=after,
        original_file=None if against is None else str(against),
        original=before,
        measurement=measurement,
        options=given,
    )
