"""Influences of the vertices of one primitive: which joints move them, and by how much."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import frozen, require_array


class WeightFormat(StrEnum):
    """How weights are stored: glTF 2.0, section 3.7.3.3 (skinned mesh attributes)."""

    FLOAT32 = "float32"
    UNORM8 = "unorm8"
    UNORM16 = "unorm16"

    @property
    def scale(self) -> int | None:
        """The integer that stands for 1 (255, 65535), or None for float32."""
        return {"float32": None, "unorm8": 255, "unorm16": 65535}[self.value]


@dataclass(frozen=True, slots=True, eq=False)
class Influences:
    """Influences of V vertices in N slots (all JOINTS_n/WEIGHTS_n sets side by side, so N is any number ≥ 1).

    Attributes:
        joints: uint16 [V, N], index into the skin's joints.
        weights: float32 [V, N], **as a consumer decodes them**; a slot of weight zero (−0.0 too) is empty. They
            may break the weight contract (negative, NaN, sums off): `influences.validate` finds that, not this class.
        set_formats: how each set of four slots was, or is to be, stored; sets may differ in files we read.
        stored: the integers as stored (uint8 or uint16 [V, N]) if all sets share one integer format, else None.
    """

    joints: NDArray[np.uint16]
    weights: NDArray[np.float32]
    set_formats: tuple[WeightFormat, ...]
    stored: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        require_array(self.joints, "joints", dtypes=[np.uint16], shape=("V", "N"))
        require_array(self.weights, "weights", dtypes=[np.float32], shape=self.joints.shape)
        object.__setattr__(self, "joints", frozen(self.joints))
        object.__setattr__(self, "weights", frozen(self.weights))
        if self.stored is not None:
            require_array(self.stored, "stored", dtypes=[np.uint8, np.uint16], shape=self.joints.shape)
            object.__setattr__(self, "stored", frozen(self.stored))

    @property
    def format(self) -> WeightFormat:
        """The one format that fits all sets: the sets' own if they agree, else float32."""
        return self.set_formats[0] if len(set(self.set_formats)) == 1 else WeightFormat.FLOAT32

    @property
    def counts(self) -> NDArray[np.intp]:
        """Number of non-empty slots per vertex, intp [V]."""
        counts: NDArray[np.intp] = np.count_nonzero(self.weights, axis=1)
        return counts
