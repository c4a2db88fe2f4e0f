"""Numbers in words, the same in findings and in reports."""

from __future__ import annotations

import math

_UNITS = ((1.0, "m"), (1e3, "mm"), (1e6, "µm"))


def length(metres: float) -> str:
    """Return a length as people read it: "16.0 mm", "0.310 µm", "1.20 m"; three significant digits."""
    if metres == 0.0:
        return "0"
    if not math.isfinite(metres):
        return "∞"
    if abs(metres) < 1e-9:
        return "< 1 nm"
    factor, unit = next((one for one in _UNITS if abs(metres) * one[0] >= 1.0), _UNITS[-1])
    return f"{_digits(metres * factor)} {unit}"


def share(relative: float) -> str:
    """Return a share as a percentage: "0.836 %"; three significant digits, none below a millionth."""
    if not math.isfinite(relative):
        return "∞"
    if 0.0 < abs(relative) < 1e-6:
        return "< 0.0001 %"
    return f"{_digits(relative * 100.0)} %"


def count(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun: "1 vertex", "3,273 vertices"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def vertices(number: int) -> str:
    """Return a number of vertices: "1 vertex", "3,273 vertices"."""
    return count(number, "vertex", "vertices")


def seconds(time: float) -> str:
    """Return a time on a clip's clock: "0.842 s"."""
    return f"{time:.3f} s"


def moment(clip: str, time: float | None, pose: int) -> str:
    """Return when something is seen: "walk at 0.842 s", or for a made pose, without a time, "pose 12 of the …"."""
    return f"pose {pose} of the {clip}" if time is None else f"{clip} at {seconds(time)}"


def _digits(value: float) -> str:
    if value == 0.0:
        return "0"
    # Rounded first, so that 0.9996 becomes 1.00 and not 1.000.
    exponent = math.floor(math.log10(abs(float(f"{value:.2e}"))))
    return f"{value:,.{max(0, 2 - exponent)}f}"
