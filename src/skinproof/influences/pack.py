"""Pack weights into what a file stores, with a decoded sum of exactly one, and unpack them as a consumer does.

Sources: largest remainder: M. L. Balinski, H. P. Young, "Fair Representation", 1982, chapter 3 (Hamilton's method);
decoding: Khronos Group, glTF 2.0, sections 3.6.2.2 (accessor data types) and 3.7.3.3 (skinned mesh attributes).

Decision: float32 is packed in steps of 2⁻²⁴, like an integer format. Tried on 200,000 random vertices, largest
distance of the sum from one, added in float64 / in float32 in several orders, and how many sums are exactly one in
float64 (`python bench/packing.py` prints the table anew):

| | 4 influences | 8 influences | 16 influences | exactly one |
| --- | --- | --- | --- | --- |
| each to its nearest float32 | 4.8e-8 / 1.2e-7 | 4.2e-8 / 1.8e-7 | 3.4e-8 / 2.4e-7 | 21.6 % … 3.5 % |
| the same, what is missing to the largest | 3.0e-8 / 1.2e-7 | 2.9e-8 / 1.8e-7 | 9.3e-9 / 2.4e-7 | 25.3 % … 7.2 % |
| steps of 2⁻²⁴, largest remainder | 0 / 0 | 0 / 0 | 0 / 0 | 100.0 % … 100.0 % |

What it costs: a weight is off by less than 2⁻²⁴ where its nearest float32 is off by up to 2⁻²⁵, and weights below
about 3e-8, which move a vertex by that share of the joints' distance, become empty slots.

The Khronos validator (2.0.0-dev, lib/src/data_access/validate_accessors.dart, the checker of influences) adds slot 0
of all sets, then slot 1 of all sets and so on, rounds to float32 after each addition, and allows 2e-7 per non-zero
weight. For float32 as packed here no addition is rounded: its sum is one. For integers each addition rounds a partial
sum below 2, so it is off by at most 2⁻²⁴ = 6.0e-8 per weight, less than a third of what is allowed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array
from skinproof.errors import ArrayError, OptionError
from skinproof.influences._entries import Entries, offsets_from_counts, read_entries, sorted_within, sums_by_vertex
from skinproof.influences._rows import try_pack
from skinproof.influences.normalize import shares
from skinproof.influences.validate import require_valid
from skinproof.model import WeightFormat

_FLOAT32_UNITS = 1 << 24
"""The number of equal steps from 0 to 1 that float32 holds: the spacing of its numbers in [0.5, 1) is 2⁻²⁴."""

_STEPS_PER_UNIT = 1 << 20
"""Shares are rounded to this part of a unit before they are compared, so that the rounding of the quotients decides
neither a floor nor a tie: with n influences it is below (n + 2)·2⁻⁵³ of the whole, less than half such a part even
for float32 up to n = 250. 2²⁴ · 2²⁰ is still exact in float64."""


class Packed(NamedTuple):
    """Influences as stored.

    Attributes:
        joints: the input's type, [V, N]; [m] with `offsets`.
        stored: uint8, uint16 or float32, the shape of `joints`.
        offsets: int64 [V + 1] for the variable-length form, else None.
    """

    joints: NDArray[Any]
    stored: NDArray[Any]
    offsets: NDArray[np.int64] | None


def pack(
    joints: NDArray[Any],
    weights: NDArray[Any],
    /,
    *,
    format: WeightFormat | str,  # noqa: A002  the word that users have for it
    joint_count: int | None = None,
    offsets: NDArray[np.int64] | None = None,
) -> Packed:
    """Round the weights to a storage format so that what a consumer decodes sums to exactly one.

    Largest remainder: each weight's share of its vertex is measured in units (1/255, 1/65535; for float32 2⁻²⁴),
    rounded down, and the units still missing go one each to the largest remainders, ties by rank. So every stored
    number is the floor or the ceiling of the exact one, whatever the number of influences, and none can wrap.

    For float32 the unit is the step of that type just below one. The sum of such weights is exactly one in float32
    and float64, in any order and any grouping, with or without fused operations, because no partial sum is rounded.
    The price is an error below 2⁻²⁴ per weight, what float32 itself costs a weight near one.

    Weights that round to zero leave: an empty slot with joint 0 in the fixed-width form, nothing in the
    variable-length one. The output is in the contract's order by the *stored* weight: descending, equal ones by
    joint ascending, so packing the unpacked weights again changes nothing.

    Args:
        joints: integer [V, N], index into the skin's joints; [n] with `offsets`.
        weights: float32 or float64, the shape of `joints`; any sum, they are normalized here.
        format: "float32", "unorm8" or "unorm16".
        joint_count: joints of the skin; None leaves out the check against it.
        offsets: int64 [V + 1] for the variable-length form.

    Raises:
        InfluenceError: influences break the contract; names every vertex.
        OptionError: unknown `format`, or `joint_count` is no count.
        ArrayError: an array has the wrong dtype, shape or layout.
    """
    target = _require_format(format)
    done = try_pack(joints, weights, target.dtype, offsets, joint_count)
    if done is not None:
        return Packed(*done, None)
    return written_out(joints, weights, target, joint_count=joint_count, offsets=offsets)


def written_out(
    joints: NDArray[Any],
    weights: NDArray[Any],
    target: WeightFormat,
    /,
    *,
    joint_count: int | None,
    offsets: NDArray[np.int64] | None,
) -> Packed:
    """Do what `pack` does, in NumPy, for every form of influences."""
    entries = read_entries(joints, weights, offsets)
    require_valid(entries, joint_count=joint_count)
    ranked = entries.by_rank()
    units = _largest_remainder(ranked, target.scale or _FLOAT32_UNITS)
    # Up to 2²⁴ units are exact in float64, as numbers and as order.
    result = replace(ranked, weights=units.astype(np.float64)).by_rank()
    stored = (result.weights / (1 if target.scale else _FLOAT32_UNITS)).astype(target.dtype)
    used = result.weights > 0
    if offsets is not None:
        counts = np.bincount(result.vertices[used], minlength=result.vertex_count)
        return Packed(result.joints[used], stored[used], offsets_from_counts(counts))
    out_joints = np.zeros_like(joints)
    out_stored = np.zeros(joints.shape, dtype=target.dtype)
    slots = result.vertices[used], result.positions()[used]
    out_joints[slots] = result.joints[used]
    out_stored[slots] = stored[used]
    return Packed(out_joints, out_stored, None)


def unpack(stored: NDArray[Any], /, *, format: WeightFormat | str) -> NDArray[np.float32]:  # noqa: A002
    """Return the weights that a consumer of the file decodes: c/255, c/65535, or the floats themselves.

    Args:
        stored: uint8 (unorm8), uint16 (unorm16) or float32 (float32), [V, N] or [n].
        format: "float32", "unorm8" or "unorm16".

    Returns:
        float32 of the shape of `stored`, each the float32 nearest to the exact quotient.

    Raises:
        OptionError: unknown `format`.
        ArrayError: `stored` is not of that format, or has the wrong shape or layout.
    """
    target = _require_format(format)
    if isinstance(stored, np.ndarray) and stored.ndim not in (1, 2):
        raise ArrayError(f"stored: expected shape [V, N] or [n], got {list(stored.shape)}")
    shape: tuple[str, ...] = ("V", "N") if np.ndim(stored) == 2 else ("n",)
    array = require_array(stored, "stored", dtypes=[target.dtype], shape=shape)
    # Numerator and denominator are exact in float32, so this one division is the only rounding.
    decoded: NDArray[np.float32] = array.astype(np.float32) / np.float32(target.scale or 1)
    return decoded


def _largest_remainder(ranked: Entries, scale: int) -> NDArray[np.int64]:
    """Return int64 [n]: the whole units of each influence, summing to `scale` on every vertex.

    The units missing after rounding down are fewer than the influences with a remainder (their remainders sum to
    it, up to half a step per influence), so nobody gets two of them and nobody without a remainder gets one. That
    holds below 2²⁰ influences on one vertex.
    """
    steps = np.rint(shares(ranked) * (scale * _STEPS_PER_UNIT)).astype(np.int64)
    units, remainders = np.divmod(steps, _STEPS_PER_UNIT)
    missing = scale - sums_by_vertex(ranked, units).astype(np.int64)
    order = sorted_within(ranked.counts, -remainders)
    units[order] += ranked.positions() < missing[ranked.vertices]
    return units


def _require_format(value: WeightFormat | str) -> WeightFormat:
    try:
        return WeightFormat(value)
    except ValueError:
        names = ", ".join(WeightFormat)
        raise OptionError(f"format: expected one of {names}, got {value!r}") from None
