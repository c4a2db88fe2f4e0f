"""The command `skinproof` and what all its commands share."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import rich_click as click

from skinproof.cli._command import Group
from skinproof.cli._exits import Exit, guarded
from skinproof.cli._streams import prepared_streams
from skinproof.cli.audit import audit
from skinproof.cli.check import check
from skinproof.cli.demo import demo
from skinproof.cli.inspect import inspect
from skinproof.cli.limit import limit
from skinproof.cli.play import play
from skinproof.cli.probe import probe
from skinproof.cli.publish import publish

_EPILOG = """\
Exit codes: 0 pass; 1 a gate failed (what was asked for is written); 2 wrong usage; 3 no result; 130 interrupted; \
141 nobody read what was printed. Only with 0 and 1 anything is written, \
and the list of several files with 3.

Start with: skinproof demo
"""


@click.group(
    cls=Group,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EPILOG,
)
@click.version_option(package_name="skinproof", message="%(prog)s %(version)s")
def skinproof() -> None:
    """Cut, pack and prove the skin weights of real characters.

    At most K influences per vertex, sums that are exactly one as the engine decodes them, the displacement of every
    vertex measured over every clip, and a verdict that a build can act on.
    """


for _command in (inspect, limit, check, demo, probe, publish, play, audit):
    skinproof.add_command(_command)


def main(arguments: Sequence[str] | None = None, /) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: without the program's name; None takes the process's own.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)

    def run() -> int:
        with skinproof.make_context("skinproof", words) as context:
            if not words:
                sys.stderr.write(skinproof.get_help(context) + "\n")
                return Exit.USAGE
            code: int = skinproof.invoke(context)
            return code

    with prepared_streams():
        return guarded(run)
