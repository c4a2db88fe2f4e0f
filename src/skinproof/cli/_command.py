"""The classes of the commands, and how their help looks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import rich_click as click

from skinproof.errors import OptionError

click.rich_click.FORCE_TERMINAL = None  # rich-click would send escape codes into every log of a build server
click.rich_click.TEXT_PARAGRAPH_LINEBREAKS = "\n\n"
click.rich_click.OPTION_GROUPS = {
    f"skinproof {command}": [
        {"name": "Options", "options": own},
        {"name": "Measuring", "options": ["--tolerance", "--min-match", "--reference", "--fps", "--samples"]},
        {"name": "Report", "options": ["--json", "--json-file", "--quiet", "--force", "--help"]},
    ]
    for command, own in (
        ("limit", ["--output", "--max-influences", "--pack", "--repair"]),
        ("check", ["--against", "--max-influences"]),
    )
}


class Command(click.RichCommand):
    """A command that returns its exit code; an option that the library refuses is wrong usage."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options."""
        with _refusals_are_usage_errors(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        with _refusals_are_usage_errors(ctx):
            return super().invoke(ctx)


class Group(click.RichGroup):
    """The group, whose commands are listed in the order in which they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order in which they were added."""
        return list(self.commands)


@contextmanager
def _refusals_are_usage_errors(ctx: click.Context) -> Iterator[None]:
    try:
        yield
    except OptionError as error:
        raise click.UsageError(str(error), ctx) from error
