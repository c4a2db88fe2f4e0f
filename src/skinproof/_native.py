"""The only importer of the compiled modules; everything else takes the core from here.

The kernels are compiled for several instruction sets. Which of them are used is settled here, once, when the core is
loaded: the widest that the processor runs, or the one that the environment variable SKINPROOF_ISA names.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import skinproof._core as _core
import skinproof._publish as _publish
from skinproof.errors import OptionError

__all__ = ["INSTRUCTION_SET", "INSTRUCTION_SETS", "_core", "_publish"]

KNOWN_INSTRUCTION_SETS = ("scalar", "x86-64-v2", "x86-64-v3", "x86-64-v4", "neon")
"""All that skinproof has kernels for, on one processor or another."""


def choose_instruction_set(asked: str, runnable: Sequence[str]) -> str:
    """Return the instruction set to use: `asked`, or the last (widest) of `runnable` if that is empty.

    Raises:
        OptionError: `asked` is no instruction set, or none that this processor and this build run.
    """
    if not asked:
        return runnable[-1]
    if asked in runnable:
        return asked
    here = ", ".join(runnable)
    if asked in KNOWN_INSTRUCTION_SETS:
        raise OptionError(f"SKINPROOF_ISA: {asked} does not run on this processor or was not built; here run {here}")
    raise OptionError(f"SKINPROOF_ISA: expected one of {here}, got {asked!r}")


INSTRUCTION_SETS: tuple[str, ...] = tuple(_core.instruction_sets())
"""Those that this processor runs, narrowest first; "scalar" always does."""

INSTRUCTION_SET: str = choose_instruction_set(os.environ.get("SKINPROOF_ISA", ""), INSTRUCTION_SETS)
"""The one whose kernels are used."""
