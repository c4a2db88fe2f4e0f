"""`skinproof audit`: find torn poses in a capture of what draws really used."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from skinproof.cli import _options as options
from skinproof.cli._command import Command
from skinproof.cli._exits import Exit, settle
from skinproof.cli._paths import require_distinct, require_report, require_writable
from skinproof.cli._screen import console

if TYPE_CHECKING:
    from skinproof.gate import Tolerance


@click.command(cls=Command)
@options.source_file("capture")
@click.option(
    "--against",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="The character whose clips the draws are held against.",
)
@click.option(
    "--skin", metavar="N", type=click.IntRange(min=0), help="The skin captured. Default: the first of as many joints."
)
@options.tolerance_option(
    "How far a joint's vertices may be off and count as standing in a pose: a length (0.1mm). Default: 0.002% of the "
    "skin's diagonal."
)
@click.option(
    "--fps",
    metavar="RATE",
    type=click.FloatRange(min=0.0, min_open=True),
    default=30.0,
    show_default=True,
    help="Poses per second of the engine: distances in time are also told in poses.",
)
@options.output_options
def audit(
    capture: Path,
    against: Path,
    skin: int | None,
    tolerance: Tolerance | None,
    fps: float,
    json_output: bool,
    json_file: Path | None,
    quiet: bool,
    force: bool,
) -> int:
    """Say of every draw in CAPTURE.npz whether it showed a whole pose of the clips of FILE.

    Or: joints of several poses (torn), an old pose (stale, where times or revisions are given), NaN, joints filled with
    identity, a wrong space, a wrong joint count, or a pose that no clip has. Exits with 1 if any draw is torn or worse.
    """
    require_distinct([("CAPTURE", capture), ("--against", against), ("--json-file", json_file)])
    require_writable([json_file], force=force)
    require_report(json_file)
    if tolerance is not None and tolerance.metres is None:
        raise click.UsageError("--tolerance: expected a length, for example 0.1mm, not a share.")

    from skinproof.audit import audit as audited
    from skinproof.audit import judge_capture, sentence
    from skinproof.formats import read, read_capture
    from skinproof.formats.atomic import Output, staged
    from skinproof.report import audit_to_json, show_audit

    captured, character = read_capture(capture), read(against)
    metres = None if tolerance is None else tolerance.metres
    found = audited(captured, character, skin=skin, tolerance=metres, fps=fps)
    verdict = judge_capture(found, joint_count=captured.joint_count)
    text = audit_to_json(str(capture), str(against), found, verdict)
    with ExitStack() as stack:
        if json_file is not None:
            stack.enter_context(staged([Output(json_file, text.encode())], force=force)).put_in_place()
        if json_output:
            sys.stdout.write(text)
        else:
            screen = console(sys.stdout)
            show_audit(str(capture), str(against), found, verdict, sentence, screen, quiet=quiet)
        sys.stdout.flush()
        settle()
        return Exit.PASS if verdict.passed else Exit.GATE_FAILED
