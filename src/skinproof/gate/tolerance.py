"""A tolerance for displacement, as people write it: a length ("2mm", "0.002m") or a share of the diagonal ("0.1%")."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

from skinproof.errors import OptionError

_UNITS = {"m": Decimal(1), "cm": Decimal("1e-2"), "mm": Decimal("1e-3"), "um": Decimal("1e-6"), "µm": Decimal("1e-6")}
_PERCENT = Decimal("1e-2")
_PATTERN = re.compile(r"\s*([0-9]+\.?[0-9]*(?:e[+-]?[0-9]{1,3})?|\.[0-9]+)\s*([a-zµμ%]*)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The largest displacement that passes; exactly one of the two numbers is set.

    Attributes:
        text: as it was written, for messages.
        metres: an absolute length, or None.
        relative: a share of the bounding diagonal of the source posed at rest, or None.
    """

    text: str
    metres: float | None = None
    relative: float | None = None

    def limit(self, diagonal: float) -> float:
        """Return the tolerance in metres, for a source of this bounding diagonal in metres."""
        if self.metres is not None:
            return self.metres
        return (self.relative or 0.0) * diagonal


def parse(text: str, /) -> Tolerance:
    """Return the tolerance that `text` writes: a number ≥ 0 with its unit, one of m, cm, mm, um or %.

    A bare number is refused: centimetres or metres, nobody can tell.

    Raises:
        OptionError: no number, no unit or an unknown one; the message shows how to write it.
    """
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise OptionError(f"tolerance {text!r}: expected a number ≥ 0 with its unit, for example 2mm or 0.1%")
    number, unit = Decimal(match[1]), match[2].lower().replace("μ", "µ")
    if unit == "":
        raise OptionError(f"tolerance {text!r}: the unit is missing; write {match[1]}mm, {match[1]}m or {match[1]}%")
    if unit != "%" and unit not in _UNITS:
        raise OptionError(f"tolerance {text!r}: unknown unit {match[2]!r}; there are {', '.join(_UNITS)} and %")
    # Decimal, so that 2mm is the double nearest to 0.002 and not twice the double nearest to 0.001.
    value = float(number * (_PERCENT if unit == "%" else _UNITS[unit]))
    if not math.isfinite(value):
        raise OptionError(f"tolerance {text!r}: too large")
    written = text.strip()
    return Tolerance(written, relative=value) if unit == "%" else Tolerance(written, metres=value)
