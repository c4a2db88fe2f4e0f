"""`skinproof play`: a clip through the whole run-time path, by threads that race."""

from __future__ import annotations

import io
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from skinproof.cli import _options as options
from skinproof.cli._command import Command
from skinproof.cli._exits import Exit, settle
from skinproof.cli._paths import require_distinct, require_writable
from skinproof.cli._screen import console

if TYPE_CHECKING:
    from rich.console import Console

    from skinproof.formats.atomic import Output
    from skinproof.player import Played

_COUNT = click.IntRange(min=1)


@click.command(cls=Command)
@options.source_file()
@click.option("--clip", metavar="NAME", help="The clip to play. Default: the first.")
@click.option("--skin", metavar="N", type=click.IntRange(min=0), default=0, show_default=True, help="The skin.")
@click.option(
    "--frames",
    metavar="N",
    type=click.IntRange(min=2),
    default=600,
    show_default=True,
    help="Poses to play, 60 per second of the clip.",
)
@click.option("--jobs", metavar="N", type=_COUNT, default=4, show_default=True, help="Jobs that write a pose.")
@click.option("--readers", metavar="N", type=_COUNT, default=2, show_default=True, help="Threads that draw.")
@click.option("--naive", is_flag=True, help="Write joints straight into what is drawn, as faulty engines do.")
@click.option("--late", is_flag=True, help="In one pose of ten, jobs finish after another pose was asked for.")
@click.option(
    "--drop-joint", metavar="N", type=click.IntRange(min=0), help="In one pose of ten, never write this joint."
)
@click.option("--nan", is_flag=True, help="In one pose of ten, a matrix holds NaN.")
@click.option(
    "--record",
    metavar="OUT.npz",
    type=click.Path(path_type=Path),
    help="Write what the first draws used, for `audit`, and beside it, as OUT-truth.npz, which pose each joint was.",
)
@click.option(
    "--seed", metavar="N", type=click.IntRange(min=0), default=0, show_default=True, help="Of the jobs' order."
)
@click.option("-f", "--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "json_output", is_flag=True, help="Print the figures as JSON, and nothing else.")
def play(
    file: Path,
    clip: str | None,
    skin: int,
    frames: int,
    jobs: int,
    readers: int,
    naive: bool,
    late: bool,
    drop_joint: int | None,
    nan: bool,
    record: Path | None,
    seed: int,
    force: bool,
    json_output: bool,
) -> int:
    """Play a clip of FILE through the publisher: jobs out of order, a commit, readers that skin what they are shown.

    Every draw is held against the poses that were made, bit for bit. Exits with 1 if one was torn, which --naive shows.
    """
    if naive and (late or nan or drop_joint is not None):
        raise click.UsageError("--naive has nothing that could refuse --late, --drop-joint or --nan; leave it out.")
    truth = None if record is None else record.with_name(f"{record.stem}-truth.npz")
    require_distinct([("FILE", file), ("--record", record)])
    require_writable([record, truth], force=force)

    from skinproof.errors import OptionError
    from skinproof.formats import read
    from skinproof.formats.atomic import staged
    from skinproof.player import Faults, play

    try:
        played = play(
            read(file),
            clip=clip,
            skin=skin,
            frames=frames,
            jobs=jobs,
            readers=readers,
            naive=naive,
            faults=Faults(late, drop_joint, nan),
            record=0 if record is None else 10_000,
            seed=seed,
        )
    except OptionError as error:
        raise click.UsageError(str(error).replace("drop_joint", "--drop-joint")) from None
    with ExitStack() as stack:
        if record is not None and truth is not None:
            files = stack.enter_context(staged(_recorded(played, record, truth), force=force))
            files.put_in_place()
        if json_output:
            sys.stdout.write(json.dumps(_figures(file, played), indent=2) + "\n")
        else:
            _show(file, played, [path for path in (record, truth) if path is not None], console(sys.stdout))
        sys.stdout.flush()
        settle()
        return Exit.GATE_FAILED if played.torn else Exit.PASS


def _recorded(played: Played, record: Path, truth: Path) -> list[Output]:
    """The capture, and beside it of which pose each joint was."""
    import numpy as np

    from skinproof.formats import capture_bytes
    from skinproof.formats.atomic import Output

    assert played.capture is not None
    assert played.frames_of_joints is not None
    stream = io.BytesIO()
    np.savez(stream, frames_of_joints=played.frames_of_joints)
    return [Output(truth, stream.getvalue()), Output(record, capture_bytes(played.capture))]


def _figures(file: Path, played: Played) -> dict[str, object]:
    from skinproof.player.played import PERCENTILES, percentiles

    latencies = {"publish": played.publish_ns, "acquire": played.acquire_ns, "draw": played.draw_ns}
    names = [f"p{percent:g}" for percent in PERCENTILES]
    return {
        "schema": "skinproof-play-1",
        "file": str(file),
        "clip": played.clip,
        "joints": played.joints,
        "vertices": played.vertices,
        "frames": played.frames,
        "seconds": played.seconds,
        "results": dict(played.results),
        "draws": played.draws,
        "torn": played.torn,
        "microseconds": {
            what: dict(zip(names, percentiles(values), strict=True)) for what, values in latencies.items()
        },
    }


def _show(file: Path, played: Played, written: list[Path], screen: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    from skinproof.player.played import percentiles
    from skinproof.report.text import printable

    word, colour = (" TORN ", "red") if played.torn else (" WHOLE ", "green")
    title = f"  {printable(played.clip)}, {played.joints} joints, {played.vertices:,} vertices"
    screen.print(
        Text.assemble((word, f"bold white on {colour}"), " ", (printable(str(file)), "bold"), title), soft_wrap=True
    )
    share = f" ({played.torn / played.draws:.1%})" if played.torn else ""
    screen.print(f"       {played.draws:,} draws, {played.torn:,} of them torn{share}", highlight=False)
    results = " · ".join(f"{count:,} {name}" for name, count in sorted(played.results.items()))
    screen.print(f"       {played.frames:,} poses in {played.seconds:.2f} s: {results}", highlight=False)
    for path in written:
        screen.print(f"       written: {printable(str(path))}", soft_wrap=True, highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("latency, µs")
    for name in ("median", "99 %", "99.9 %"):
        table.add_column(name, justify="right")
    for what, values in (
        ("from the request to the commit", played.publish_ns),
        ("to get a snapshot", played.acquire_ns),
        ("to get it and skin with it", played.draw_ns),
    ):
        table.add_row(what, *(f"{value:,.1f}" for value in percentiles(values)))
    screen.print()
    screen.print(table)
