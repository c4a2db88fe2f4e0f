"""Skinning: morph targets, linear blends of positions and normals, displacement between influences, and its bound.

`reference` is the oracle: float64, plain NumPy, written from the specification, without the compiled core.
"""

from skinproof.skinning.bound import accumulate_bound
from skinproof.skinning.deltas import delta_influences
from skinproof.skinning.displacement import DisplacementTotals, accumulate_displacement
from skinproof.skinning.displacement_plan import DisplacementPlan
from skinproof.skinning.linear import skin_positions
from skinproof.skinning.morphs import rest_positions
from skinproof.skinning.normals import skin_normals
from skinproof.skinning.skinning_plan import SkinningPlan

__all__ = [
    "DisplacementPlan",
    "DisplacementTotals",
    "SkinningPlan",
    "accumulate_bound",
    "accumulate_displacement",
    "delta_influences",
    "rest_positions",
    "skin_normals",
    "skin_positions",
]
