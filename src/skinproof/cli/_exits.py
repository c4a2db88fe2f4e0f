"""What the process exits with, and how a failure is said: the place and the remedy, no traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from typing import Any

import click

from skinproof.errors import SkinproofError

TRACEBACK = "SKINPROOF_TRACEBACK"
"""Environment variable: set to anything, a fault of ours prints its traceback."""


class Exit(IntEnum):
    """The exit codes."""

    PASS = 0
    GATE_FAILED = 1
    USAGE = 2
    NO_RESULT = 3
    INTERRUPTED = 130  # 128 + SIGINT, as shells report it
    BROKEN_PIPE = 141  # 128 + SIGPIPE


def guarded(run: Callable[[], int], /) -> int:
    """Call `run` and return its exit code or, after saying what happened on standard error, that of what it raised.

    Nothing raised ends in 1, which means that a gate failed. What could not be printed counts as raised, also where
    it was still buffered; the interpreter's own last flush then has nothing left to fail on.
    """
    interrupted = signal.getsignal(signal.SIGINT)
    code = _outcome(run)
    try:
        sys.stdout.flush()
    except OSError:
        _discard_standard_output()
    _on_interrupt(interrupted)
    return code


def settle() -> None:
    """Ignore Ctrl-C from here on: the files are in place and the report is printed, so that the result stands."""
    _on_interrupt(signal.SIG_IGN)


def _on_interrupt(handler: Any) -> None:
    if threading.current_thread() is threading.main_thread():  # no other one may set it, or is interrupted
        signal.signal(signal.SIGINT, handler)


def _outcome(run: Callable[[], int]) -> int:
    try:
        try:
            code = run()
        except click.exceptions.Exit as error:  # --help and --version have printed
            code = error.exit_code
        sys.stdout.flush()
    except BrokenPipeError:
        return Exit.BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort) as error:
        return _say("interrupted", _words_of(error), Exit.INTERRUPTED)
    except click.UsageError as error:
        return _usage(error)
    except (SkinproofError, click.ClickException, OSError, MemoryError) as error:
        return _say("error", _words_of(error), Exit.NO_RESULT)
    except Exception as error:  # noqa: BLE001  a fault of ours must not pass for a failed gate
        return _say("error", _fault(error), Exit.NO_RESULT)
    return code


def words_of_failure(error: Exception, /) -> str:
    """Return what is said of a file that gave no result: the place and the remedy, or that the fault is ours."""
    if isinstance(error, SkinproofError | OSError | MemoryError):
        return _words_of(error)
    return _fault(error)


def say_error(message: str, /) -> None:
    """Print an error on standard error, as that which ends the command is printed."""
    _say("error", message, Exit.NO_RESULT)


def _say(label: str, message: str, code: Exit) -> Exit:
    """Print ``label: message`` to standard error, the label in colour where that is a terminal, and return the code.

    If it cannot be printed, nobody can be told; the exit code still says what happened. Messages quote names from
    files, which must not steer the terminal.
    """
    from rich.console import Console

    from skinproof.report.text import printable

    message = "\n".join(map(printable, message.split("\n")))
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    with suppress(OSError):
        console.print(f"{label}:", style="bold red", end=" ")
        console.print(message, markup=False)
    return code


def _fault(error: Exception) -> str:
    """Return the words for a fault of ours, its kind and place; the whole traceback is for those who ask for it."""
    wanted = bool(os.environ.get(TRACEBACK))
    if wanted:
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(os.path.dirname(last.filename))}/{os.path.basename(last.filename)}:{last.lineno}"
    report = "please report it with the lines above" if wanted else f"run it again with {TRACEBACK}=1 and report that"
    return f"{type(error).__name__}: {error} ({place}). A fault of skinproof; {report}"


def _usage(error: click.UsageError) -> Exit:
    command = error.ctx.command_path if error.ctx else "skinproof"
    return _say("error", f"{error.format_message()}\nTry '{command} --help'.", Exit.USAGE)


def _words_of(error: BaseException) -> str:
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError) and not isinstance(error, SkinproofError):
        place = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else "standard output"
        return f"{place}: {error.strerror or error}"
    if isinstance(error, MemoryError):
        return "not enough memory for this file"
    return str(error) or "nothing was judged, nothing was written"


def _discard_standard_output() -> None:
    """Let the interpreter's last flush go nowhere instead of failing again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
