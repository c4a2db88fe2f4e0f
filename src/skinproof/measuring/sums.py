"""Decoded weight sums: does every vertex follow a common move of its joints in full, for every way of adding?

Sources: glTF 2.0, section 3.7.3.3 (skinned mesh attributes: integer weights sum to the largest integer, float weights
to one within a threshold); Khronos glTF Validator, ACCESSOR_WEIGHTS_NON_NORMALIZED (float32, 2e-7 per non-zero weight).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Influences, WeightFormat
from skinproof.model.influences import SLOTS_PER_SET
from skinproof.model.survey import SumCheck
from skinproof.tolerances import SUM_PER_WEIGHT


def decoded_sums(influences: Influences, /) -> tuple[SumCheck, ...]:
    """Judge the weight sums of every vertex, as those add them who will decode the weights.

    Stored integers must sum to exactly 255 or 65535; the decoded float32 weights, added in float64, to one within
    `SUM_PER_WEIGHT` per non-zero weight; where a set is stored as float32, they must also do so when added in float32
    in the Khronos validator's order. (It leaves out negative weights and repeated joints, errors of their own here.)

    Args:
        influences: of V vertices. Vertices without a non-zero weight, or with one that is not finite, are left out:
            they have no sum.

    Returns:
        one `SumCheck` per way of adding that applies: "integer", "float64", "validator".
    """
    checks = []
    weights = influences.weights
    judged = np.flatnonzero(np.isfinite(weights).all(axis=1) & (weights != 0).any(axis=1))
    weights = weights[judged]
    if influences.stored is not None:
        checks.append(_integer(influences.stored[judged], judged))
    limits = SUM_PER_WEIGHT * np.count_nonzero(weights, axis=1)
    checks.append(_check("float64", weights.sum(axis=1, dtype=np.float64), judged, limits))
    if WeightFormat.FLOAT32 in influences.set_formats:
        checks.append(_check("validator", _validator_sums(weights), judged, limits))
    return tuple(checks)


def _integer(stored: NDArray[np.unsignedinteger], judged: NDArray[np.intp]) -> SumCheck:
    """Judge the integers uint8 or uint16 [n, N] of the vertices `judged`, intp [n]."""
    scale = int(np.iinfo(stored.dtype).max)
    sums = stored.sum(axis=1, dtype=np.int64).astype(np.float64)
    return _check("integer", sums, judged, np.zeros(len(sums)), scale=scale)


def _check(
    method: str,
    sums: NDArray[np.float64],
    judged: NDArray[np.intp],
    limits: NDArray[np.float64],
    *,
    scale: int = 1,
) -> SumCheck:
    """Hold sums float64 [n] of the vertices `judged`, intp [n], against `scale`, limits float64 [n] in its unit."""
    unit = "1" if scale == 1 else f"1/{scale}"
    if not len(sums):
        return SumCheck(method, 0, 0, -1, 0.0, 0.0, 0.0, 0.0, unit)
    errors = np.abs(sums - scale)
    failing = errors > limits
    # A vertex of one weight has the tightest limit: the worst of those that fail need not be the worst of all.
    worst = int(np.argmax(np.where(failing, errors, -1.0) if failing.any() else errors))
    return SumCheck(
        method=method,
        vertices=len(sums),
        failing=int(np.count_nonzero(failing)),
        vertex=int(judged[worst]),
        sum=float(sums[worst]),
        error=float(errors[worst]),
        limit=float(limits[worst]),
        max_error=float(errors.max()) / scale,
        unit=unit,
    )


def _validator_sums(weights: NDArray[np.float32]) -> NDArray[np.float64]:
    """Add weights float32 [V, N]: the first of all sets, then the second ones, ..., rounding to float32 each time.

    Returns float64 [V].
    """
    total = np.zeros(len(weights), np.float32)
    with np.errstate(over="ignore"):
        for component in range(SLOTS_PER_SET):
            for slot in range(component, weights.shape[1], SLOTS_PER_SET):
                total += weights[:, slot]
    return total.astype(np.float64)
