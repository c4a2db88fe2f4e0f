"""The policy: what a file must satisfy, besides the weight contract itself."""

from __future__ import annotations

from dataclasses import dataclass

from skinproof.errors import OptionError
from skinproof.gate.tolerance import Tolerance


@dataclass(frozen=True, slots=True)
class Policy:
    """What to gate. The weight contract (valid weights, joints in range, decoded sums of one) always is.

    Attributes:
        max_influences: the most influences a vertex may have, or None for any number.
        tolerance: the largest displacement that passes, or None to leave displacement ungated.
        min_match: the least share of the vertices of either file that must have a partner in the other, where they
            have to be matched.
    """

    max_influences: int | None = None
    tolerance: Tolerance | None = None
    min_match: float = 1.0

    def __post_init__(self) -> None:
        if self.max_influences is not None and self.max_influences < 1:
            raise OptionError(f"max_influences: expected 1 or more, got {self.max_influences}")
        if not 0.0 <= self.min_match <= 1.0:
            raise OptionError(f"min_match: expected a share from 0 to 1, got {self.min_match}")
