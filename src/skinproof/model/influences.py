"""Influences of the vertices of one primitive: which joints move them, and by how much."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import frozen, require_array
from skinproof.errors import ArrayError

SLOTS_PER_SET = 4
"""Slots of one JOINTS_n/WEIGHTS_n set (glTF 2.0, section 3.7.3.3, skinned mesh attributes)."""


class WeightFormat(StrEnum):
    """How weights are stored: glTF 2.0, section 3.7.3.3 (skinned mesh attributes)."""

    FLOAT32 = "float32"
    UNORM8 = "unorm8"
    UNORM16 = "unorm16"

    @property
    def scale(self) -> int | None:
        """The integer that stands for 1 (255, 65535), or None for float32."""
        return {"float32": None, "unorm8": 255, "unorm16": 65535}[self.value]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of what is stored: float32, uint8 or uint16."""
        return np.dtype({"float32": np.float32, "unorm8": np.uint8, "unorm16": np.uint16}[self.value])


def sets_for(slots: int, /) -> int:
    """Return how many sets hold `slots` slots."""
    return -(-slots // SLOTS_PER_SET)


@dataclass(frozen=True, slots=True, eq=False)
class Influences:
    """Influences of V vertices in N slots (all JOINTS_n/WEIGHTS_n sets side by side, so N is any number ≥ 1).

    Attributes:
        joints: uint16 [V, N], index into the skin's joints.
        weights: float32 [V, N], **as a consumer decodes them**; a slot of weight zero (−0.0 too) is empty. They
            may break the weight contract (negative, NaN, sums off): `influences.validate` finds that, not this class.
        set_formats: how each set of four slots was, or is to be, stored, ⌈N / 4⌉ of them; sets may differ in files
            we read.
        stored: the integers as stored (uint8 or uint16 [V, N]) if all sets share one integer format, else None.
            They decode to exactly `weights`.

    Raises:
        ArrayError: on construction, where these do not fit together.
    """

    joints: NDArray[np.uint16]
    weights: NDArray[np.float32]
    set_formats: tuple[WeightFormat, ...]
    stored: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        require_array(self.joints, "joints", dtypes=[np.uint16], shape=("V", "N"))
        require_array(self.weights, "weights", dtypes=[np.float32], shape=self.joints.shape)
        slots = self.joints.shape[1]
        if slots == 0 or len(self.set_formats) != sets_for(slots):
            raise ArrayError(
                f"set_formats: expected one per set of {SLOTS_PER_SET} slots, {sets_for(slots)} for {slots} slots "
                f"(at least 1), got {len(self.set_formats)}"
            )
        object.__setattr__(self, "joints", frozen(self.joints))
        object.__setattr__(self, "weights", frozen(self.weights))
        if self.stored is not None:
            self._require_stored(self.stored)
            object.__setattr__(self, "stored", frozen(self.stored))

    def _require_stored(self, stored: NDArray[Any]) -> None:
        """Refuse integers [V, N] that are not of the one format of all sets, or not the weights."""
        scale = self.format.scale
        if scale is None:
            raise ArrayError(f"stored: expected None, for the sets are stored as {', '.join(self.set_formats)}")
        require_array(stored, "stored", dtypes=[self.format.dtype], shape=self.joints.shape)
        differing = stored.astype(np.float32) / np.float32(scale) != self.weights
        if differing.any():
            vertex, slot = (int(index) for index in np.argwhere(differing)[0])
            raise ArrayError(
                f"stored: vertex {vertex}, slot {slot} holds {stored[vertex, slot]}, which decodes to "
                f"{stored[vertex, slot] / scale:.9g}, but its weight is {float(self.weights[vertex, slot])!r}"
            )

    @property
    def format(self) -> WeightFormat:
        """The one format that fits all sets: the sets' own if they agree, else float32."""
        return self.set_formats[0] if len(set(self.set_formats)) == 1 else WeightFormat.FLOAT32

    @property
    def counts(self) -> NDArray[np.intp]:
        """Number of non-empty slots per vertex, intp [V]."""
        counts: NDArray[np.intp] = np.count_nonzero(self.weights, axis=1)
        return counts
