"""The console: results go to standard output, everything else to standard error."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def console(stream: IO[str], /) -> Console:
    """Return a console on `stream`, plain where it is no terminal.

    When nobody reads on it raises BrokenPipeError, where rich would end the process with 1, our "gate failed".
    """
    from rich.console import Console

    class HonestConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return HonestConsole(file=stream, highlight=False)
