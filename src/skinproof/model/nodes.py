"""The node tree of a character: parents and rest transforms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import frozen, require_affine, require_array


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """N nodes in the file's order.

    Attributes:
        names: one per node, "" where the file gives none.
        parents: int32 [N], −1 for a root; acyclic.
        translations: float64 [N, 3], metres, parent from node.
        rotations: float64 [N, 4], unit quaternions x, y, z, w.
        scales: float64 [N, 3].
        matrices: float64 [N, 4, 4], parent_from_node at rest (from TRS, or the node's own matrix), bottom row 0 0 0 1.
        has_matrix: bool [N], true where the file gives a matrix; such a node cannot be animated and its TRS
            arrays hold the identity.
        order: int32 [N], every parent before its children.
    """

    names: tuple[str, ...]
    parents: NDArray[np.int32]
    translations: NDArray[np.float64]
    rotations: NDArray[np.float64]
    scales: NDArray[np.float64]
    matrices: NDArray[np.float64]
    has_matrix: NDArray[np.bool_]
    order: NDArray[np.int32]

    def __post_init__(self) -> None:
        count = len(self.names)
        for name, dtype, shape in (
            ("parents", np.int32, (count,)),
            ("translations", np.float64, (count, 3)),
            ("rotations", np.float64, (count, 4)),
            ("scales", np.float64, (count, 3)),
            ("matrices", np.float64, (count, 4, 4)),
            ("has_matrix", np.bool_, (count,)),
            ("order", np.int32, (count,)),
        ):
            object.__setattr__(
                self, name, frozen(require_array(getattr(self, name), name, dtypes=[dtype], shape=shape))
            )
        require_affine(self.matrices, "matrices", axes=("node",))

    def __len__(self) -> int:
        return len(self.names)
