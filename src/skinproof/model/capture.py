"""A capture: the palettes that draws really used, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import frozen, require_array
from skinproof.errors import ArrayError


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """D draws of one skin of J joints, in the order in which they were drawn.

    Attributes:
        palettes: float32 [D, J, 4, 4], skinning matrices, row-major, world_from_mesh; may hold NaN and anything else.
        times: float64 [D], seconds: the time of its clip that each draw was meant to show; None if not known.
        clips: int32 [D], the clip meant, in the file's order; None if not known.
        revisions: int64 [D], the identity of the pose that each draw was meant to show; None if not known.
        joint_names: J names in palette order, or None.
    """

    palettes: NDArray[np.float32]
    times: NDArray[np.float64] | None = None
    clips: NDArray[np.int32] | None = None
    revisions: NDArray[np.int64] | None = None
    joint_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        palettes = require_array(self.palettes, "palettes", dtypes=[np.float32], shape=("D", "J", 4, 4))
        object.__setattr__(self, "palettes", frozen(palettes))
        for name, dtype in (("times", np.float64), ("clips", np.int32), ("revisions", np.int64)):
            if (value := getattr(self, name)) is not None:
                array = require_array(value, name, dtypes=[dtype], shape=(len(palettes),))
                object.__setattr__(self, name, frozen(array))
        if self.times is not None and not np.isfinite(self.times).all():
            raise ArrayError("times: expected finite seconds")
        if self.joint_names is not None and len(self.joint_names) != palettes.shape[1]:
            raise ArrayError(f"joint_names: expected {palettes.shape[1]}, as palettes has, got {len(self.joint_names)}")

    def __len__(self) -> int:
        return len(self.palettes)

    @property
    def joint_count(self) -> int:
        """J."""
        return int(self.palettes.shape[1])
