"""`skinproof limit`: the main job, from a file to a smaller one that has been proven."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from skinproof.cli import _options as options
from skinproof.cli._command import Command
from skinproof.cli._exits import settle
from skinproof.cli._fit import fit_options, read_fit
from skinproof.cli._job import LimitJob, Sampling
from skinproof.cli._output import Destination
from skinproof.cli._paths import require_distinct, require_report, require_writable

if TYPE_CHECKING:
    from skinproof.gate import Tolerance

METHODS = ("largest", "exact")
ENCODINGS = ("keep", "none", "meshopt")


@click.command(cls=Command)
@options.source_file()
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    required=True,
    type=click.Path(path_type=Path),
    help="The file to write: .glb, .gltf or .vrm.",
)
@click.option(
    "-k",
    "--max-influences",
    metavar="K",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    help="The most influences a vertex keeps.",
)
@click.option(
    "--pack",
    metavar="FORMAT",
    type=click.Choice(options.WEIGHT_FORMATS),
    help="Store weights as float32, unorm8 or unorm16. Default: as in FILE; float32 where its sets differ.",
)
@click.option(
    "--encoding",
    metavar="ENCODING",
    type=click.Choice(ENCODINGS),
    default="keep",
    show_default=True,
    help="Store data as FILE does, with none of its compression and quantization, or compressed by meshopt.",
)
@click.option(
    "--method",
    metavar="METHOD",
    type=click.Choice(METHODS),
    default="largest",
    show_default=True,
    help="Keep the largest weights, or the exact best K influences over all clips, never worse than the largest.",
)
@fit_options
@options.tolerance_option(
    "The furthest a vertex may move: a length (2mm) or a share of the bounding diagonal (0.1%). "
    "Without it displacement is measured, but not gated."
)
@options.repair_option(
    "Repair broken weights: zero=joint=INDEX, negative=drop|absolute, nonfinite=drop. "
    "Without it a file that has some is refused."
)
@options.measuring_options
@options.output_options
@click.pass_context
def limit(
    ctx: click.Context,
    file: Path,
    output: Path,
    max_influences: int,
    pack: str | None,
    encoding: str,
    method: str,
    prior: float | None,
    angle: float | None,
    joint_angle: tuple[str, ...],
    tolerance: Tolerance | None,
    repair: dict[str, str],
    fps: float,
    samples: int | None,
    reference: str,
    json_output: bool,
    json_file: Path | None,
    quiet: bool,
    force: bool,
) -> int:
    """Limit every vertex of FILE to K influences, write the result, and prove it.

    The weights are normalized and packed so that they sum to exactly one as stored. With --method exact the joints
    kept are those that move each vertex least over the clips, not those of the largest weights. The written file is
    then read back and measured against FILE: how far does each vertex move, over all clips?

    Exits with 1 if a gate fails; OUT is written all the same.
    """
    options.require_one_way_to_sample(ctx)
    options.require_gltf_name(output)
    fit = read_fit(ctx, method, prior, angle, joint_angle)
    require_distinct([("FILE", file), ("--json-file", json_file)])
    require_distinct([("--output", output), ("--json-file", json_file)])
    require_writable([output, json_file], force=force)
    require_report(json_file)

    from skinproof.gate import Policy
    from skinproof.model import WeightFormat

    job = LimitJob(
        command="limit",
        file=file,
        output=output,
        policy=Policy(max_influences, tolerance),
        pack=None if pack is None else WeightFormat(pack),
        repair=repair,
        encoding=encoding,
        method=method,
        fit=fit,
        sampling=Sampling(reference, fps, samples),
        force=force,
        options=options.as_given(ctx),
    )
    destination = Destination(json_output, json_file, quiet, force)
    with job.judged() as (report, files), destination.delivered(report, files) as code:
        settle()
        return code
