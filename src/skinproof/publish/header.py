"""Where the C header with a segment's layout is, for readers in C and C++."""

from __future__ import annotations

from pathlib import Path

from skinproof._native import _publish


def include_dir() -> Path:
    """The folder to give a C99 or C++ compiler as -I: it holds skinproof_segment.h of this very release."""
    return Path(str(_publish.__file__)).parent / "include"
