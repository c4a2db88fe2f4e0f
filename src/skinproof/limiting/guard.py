"""Never worse on what was measured: how far candidates move their vertices at most, over all poses and skins.

The rule is this project's own: a lower mean square is no excuse for a higher maximum (docs/limiting.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.limiting._morphs import Morphs
from skinproof.model import Character
from skinproof.poses import PoseBlock, palettes
from skinproof.skinning import DisplacementPlan, DisplacementTotals, accumulate_displacement, delta_influences

Array = NDArray[np.float64]
Joints = NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Candidates, one vertex each; a vertex may stand in several rows.

    Attributes:
        positions: float64 [R, 3], bind positions in mesh space, metres.
        joints, weights: uint16, float64 [R, N], the source influences, weights normalized.
        kept_joints, kept_weights: uint16, float64 [R, K], the candidates', as a consumer decodes them.
        skins: the skins that show all of these rows.
        morphs: where they are instead of `positions`, pose by pose; None where they stay.
    """

    positions: Array
    joints: Joints
    weights: Array
    kept_joints: Joints
    kept_weights: Array
    skins: tuple[int, ...]
    morphs: Morphs | None = None

    def __len__(self) -> int:
        return len(self.positions)


def max_squared(rows: Sequence[Rows], blocks: Iterable[PoseBlock], character: Character, /) -> list[Array]:
    """Return the largest |e|² of each row over all poses and the skins that show it, float64 [R] each.

    NaN where a displacement is not a number in some pose.

    Args:
        rows: the candidates, in groups.
        blocks: the poses.
        character: whose instances and skins.
    """
    moved = [delta_influences(one.joints, one.weights, one.kept_joints, one.kept_weights) for one in rows]
    # What is decided here must be decided alike on every machine: hence repeatable plans, and the plain kernel.
    plans = [
        {skin: DisplacementPlan(one.positions, joints, weights, repeatable=True) for skin in one.skins}
        if len(one) and one.morphs is None
        else {}
        for one, (joints, weights) in zip(rows, moved, strict=True)
    ]
    totals = [{skin: DisplacementTotals.zeros(len(one)) for skin in one.skins} for one in rows]
    used = sorted({skin for one in rows if len(one) for skin in one.skins})
    for block in blocks if used else ():
        matrices: Mapping[int, Array] = {skin: palettes(character.skins[skin], block.worlds) for skin in used}
        for one, (joints, weights), by_skin, planned in zip(rows, moved, totals, plans, strict=True):
            for skin, plan in planned.items():
                plan.add(matrices[skin], first_pose=0)
            if one.morphs is None or not len(one):
                continue
            for instance in one.morphs.instances:
                skin = character.instances[instance].skin
                for pose, shape in enumerate(block.morph_weights[instance]):
                    placed = one.morphs.placed(shape)
                    accumulate_displacement(placed, joints, weights, matrices[skin][pose], out=by_skin[skin])
    for by_skin, planned in zip(totals, plans, strict=True):
        by_skin.update({skin: plan.take() for skin, plan in planned.items()})
    return [
        np.max([total.max_squared for total in by_skin.values()], axis=0) if by_skin else np.zeros(len(one))
        for one, by_skin in zip(rows, totals, strict=True)
    ]
