"""Linear blend skinning in float32, planned once for many poses (glTF 2.0, section 3.7.3.3, skinned mesh attributes).

Decision: vertices of one joint set are skinned side by side in blocks of 16, with the matrices of the set as common
operands; vertices whose joint set is rarer than six go in groups of four. Blocks alone would leave most lanes empty
on a mesh where no two vertices agree; groups of four alone take about twice as long on real characters.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array, require_no_overlap
from skinproof._native import INSTRUCTION_SET, _core
from skinproof.errors import OptionError
from skinproof.skinning._door import (
    PlannedJoints,
    require_influences,
    require_instruction_set,
    require_palettes,
    require_threads,
)


class SkinningPlan:
    """V vertices with their influences, laid out for skinning in many poses.

    It gives what `skin_positions` gives in float32, several times as fast. The order of the sums is another one, and
    products are fused with sums where the processor does that: the last digits differ from those of `skin_positions`,
    and between instruction sets, never with the number of threads or poses. Denormal weights count as zero.

    A plan belongs to one thread at a time; the interpreter's lock is released while it works.
    """

    def __init__(
        self,
        positions: NDArray[np.float32],
        joints: NDArray[np.uint16],
        weights: NDArray[np.float32],
        /,
        *,
        threads: int | None = None,
        instruction_set: str = INSTRUCTION_SET,
    ) -> None:
        """Plan the skinning of a mesh.

        Args:
            positions: float32 [V, 3], bind positions in mesh space, metres.
            joints: uint16 [V, N], index into the palettes; ignored where the weight is zero.
            weights: float32 [V, N], used as they are; zero (−0.0 too) is an empty slot.
            threads: work on at most so many processors; None takes all that this process may use.
            instruction_set: whose kernels to use, one of those that this processor runs.

        Raises:
            ArrayError: an array breaks the contract above.
            OptionError: `threads` is no count or below 1, or `instruction_set` does not run here.
        """
        require_array(positions, "positions", dtypes=[np.float32], shape=("V", 3))
        require_influences(joints, weights, dtypes=[np.float32], vertices=len(positions))
        require_instruction_set(instruction_set)
        count = require_threads(threads)
        self._vertices = len(positions)
        self._has_normals = False
        self._joints = PlannedJoints(joints, weights)
        self._plan = _core.SkinningPlan(positions, joints, weights, count, instruction_set)

    def set_positions(self, positions: NDArray[np.float32], /) -> None:
        """Take other positions for the same influences, as morph targets make them.

        Args:
            positions: float32 [V, 3], in mesh space, metres.

        Raises:
            ArrayError: the array breaks the contract above.
        """
        require_array(positions, "positions", dtypes=[np.float32], shape=(self._vertices, 3))
        self._plan.set_positions(positions)

    def skin(self, palettes: NDArray[np.float32], /, *, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return the positions of V vertices in each pose.

        Args:
            palettes: float32 [P, J, 4, 4], or [J, 4, 4] for one pose; target_from_mesh, bottom row 0 0 0 1.
            out: where to write, float32 [P, V, 3], or [V, 3] for one pose; shares no memory with the palettes.

        Returns:
            `out`, or a new array of its shape: positions in the palettes' target space, metres.

        Raises:
            ArrayError: an array breaks the contract above, or a joint is not in the palettes.
        """
        return self._run(self._plan.skin, palettes, out)

    def set_normals(self, normals: NDArray[np.float32], /) -> None:
        """Take the normals that `skin_normals` turns.

        Args:
            normals: float32 [V, 3], in mesh space, any length.

        Raises:
            ArrayError: the array breaks the contract above.
        """
        require_array(normals, "normals", dtypes=[np.float32], shape=(self._vertices, 3))
        self._plan.set_normals(normals)
        self._has_normals = True

    def skin_normals(
        self, palettes: NDArray[np.float32], /, *, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """Return the unit normals of V vertices in each pose, as the function `skin_normals` defines them.

        Args:
            palettes: float32 [P, J, 4, 4], or [J, 4, 4] for one pose; target_from_mesh, bottom row 0 0 0 1.
            out: where to write, float32 [P, V, 3], or [V, 3] for one pose; shares no memory with the palettes.

        Returns:
            `out`, or a new array of its shape: unit normals in the palettes' target space; 0 0 0 where none is left.

        Raises:
            ArrayError: an array breaks the contract above, or a joint is not in the palettes.
            OptionError: `set_normals` was not called before.
        """
        if not self._has_normals:
            raise OptionError("skin_normals: the plan has no normals; give it some with set_normals")
        return self._run(self._plan.skin_normals, palettes, out)

    def _run(
        self, kernel: Callable[..., None], palettes: NDArray[np.float32], out: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        blocks = require_palettes(palettes, dtypes=[np.float32])
        self._joints.require_in(blocks)
        whole = (len(blocks), self._vertices, 3)
        shape = whole if palettes.ndim == 4 else whole[1:]
        if out is None:
            out = np.empty(shape, np.float32)
        else:
            require_array(out, "out", dtypes=[np.float32], shape=shape, writable=True)
            require_no_overlap(out, {"palettes": blocks})
        kernel(blocks, out.reshape(whole))
        return out
