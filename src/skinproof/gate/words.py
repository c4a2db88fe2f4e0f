"""Numbers in words, the same in findings and in reports."""

from __future__ import annotations

import math


def length(metres: float) -> str:
    """Return a length as people read it: "16 mm", "0.31 µm", "1.2 m"; three significant digits."""
    if metres == 0.0 or not math.isfinite(metres):
        return f"{metres:.0f} m"
    for factor, unit in ((1.0, "m"), (1e3, "mm"), (1e6, "µm")):
        if abs(metres) * factor >= 1.0:
            return f"{_digits(metres * factor)} {unit}"
    return f"{_digits(metres * 1e6)} µm"


def share(relative: float) -> str:
    """Return a share as a percentage with three significant digits: "0.836 %"."""
    return f"{_digits(relative * 100.0)} %" if math.isfinite(relative) else "–"


def count(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun: "1 vertex", "3,273 vertices"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def vertices(number: int) -> str:
    """Return a number of vertices: "1 vertex", "3,273 vertices"."""
    return count(number, "vertex", "vertices")


def seconds(time: float) -> str:
    """Return a time on a clip's clock: "0.842 s"."""
    return f"{time:.3f} s"


def _digits(value: float) -> str:
    if value == 0.0:
        return "0"
    if abs(value) < 1e-4:
        return f"{value:.2e}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"
