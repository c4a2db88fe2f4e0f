"""The standard streams: they take every name and, where they are no terminals, end no line with blanks."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper

_BEFORE_LINE_END = re.compile(r" +(?=\n)")


class _TrimmedStream(TextIOWrapper):
    """A text stream that drops the blanks at the ends of lines, with which tables are filled up to their width."""

    _blanks = ""
    """What may be the end of a line: written when something follows on it."""

    def write(self, text: str, /) -> int:
        """Write text; its length is returned, as if all of it had been written."""
        pending = self._blanks + text
        kept = pending.rstrip(" ")
        self._blanks = pending[len(kept) :]
        super().write(_BEFORE_LINE_END.sub("", kept))
        return len(text)


@contextmanager
def prepared_streams() -> Iterator[None]:
    """Prepare standard output and standard error for the block.

    A stream closed by the caller swallows what is printed; a character that the stream's encoding lacks is escaped.
    """
    given = {name: getattr(sys, name) for name in ("stdout", "stderr")}
    for name, stream in given.items():
        setattr(sys, name, _prepared(stream))
    try:
        yield
    finally:
        for name, stream in given.items():
            current = getattr(sys, name)
            setattr(sys, name, stream)
            if isinstance(current, _TrimmedStream):
                with suppress(OSError):  # standard error may be full, too
                    current.detach()  # else its end would close what belongs to the stream given


def _prepared(stream: TextIOWrapper | None) -> TextIOWrapper:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    if stream.isatty():
        stream.reconfigure(errors="backslashreplace")
        return stream
    return _TrimmedStream(
        stream.buffer,
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
