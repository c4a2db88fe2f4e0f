"""Which joints a palette is for: they change only together with the palette, by one publication."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import frozen, require_array
from skinproof.errors import ArrayError, OptionError


@dataclass(frozen=True, slots=True, eq=False)
class Topology:
    """J joints, at least one.

    Attributes:
        joint_names: J names, in palette order.
        inverse_binds: float32 [J, 4, 4], joint_from_mesh at bind time, row-major, finite.
        joint_boxes: float32 [J, 2, 3], least and greatest corner, metres, of the vertices that each joint moves, in
            mesh space at bind time; least > greatest where it moves none. None: snapshots have no bounds.

    Raises:
        ArrayError: an array has another dtype or shape, or holds NaN or infinity.
        OptionError: there is no name, or one is not text that UTF-8 can hold.
    """

    joint_names: tuple[str, ...]
    inverse_binds: NDArray[np.float32]
    joint_boxes: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.joint_names, str) or not isinstance(self.joint_names, Iterable):
            raise OptionError(f"joint_names: expected a tuple of names, got {self.joint_names!r}")
        names = tuple(self.joint_names)
        if not names:
            raise OptionError("joint_names: a palette has at least one joint")
        for joint, name in enumerate(names):
            try:
                name.encode("utf-8")
            except (AttributeError, UnicodeEncodeError) as error:
                raise OptionError(f"joint_names[{joint}]: {name!r} is not text that UTF-8 can hold") from error
        binds = require_array(self.inverse_binds, "inverse_binds", dtypes=[np.float32], shape=(len(names), 4, 4))
        _require_finite(binds, "inverse_binds")
        object.__setattr__(self, "joint_names", names)
        object.__setattr__(self, "inverse_binds", frozen(binds))
        if self.joint_boxes is not None:
            boxes = require_array(self.joint_boxes, "joint_boxes", dtypes=[np.float32], shape=(len(names), 2, 3))
            _require_finite(boxes, "joint_boxes")
            object.__setattr__(self, "joint_boxes", frozen(boxes))

    def __len__(self) -> int:
        return len(self.joint_names)

    @property
    def name_bytes(self) -> int:
        """Bytes of UTF-8 of all names together."""
        return sum(len(name.encode("utf-8")) for name in self.joint_names)


def _require_finite(array: NDArray[np.float32], name: str) -> None:
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        raise ArrayError(f"{name}: joint {int(bad[0][0])} holds a number that is NaN or infinite")
