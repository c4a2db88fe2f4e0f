"""An independent oracle of the weight operations: plain Python, exact fractions, one vertex at a time.

A vertex is a list of (joint, weight) without empty slots. Nothing here knows NumPy or the package.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from fractions import Fraction

Vertex = Sequence[tuple[int, float]]

STEPS = {"float32": 2**24, "unorm8": 255, "unorm16": 65535}
"""Units that make one whole in each storage format."""


def by_rank(vertex: Vertex) -> list[tuple[int, Fraction]]:
    """Weight descending, equal weights by joint ascending."""
    return sorted(((joint, Fraction(weight)) for joint, weight in vertex), key=lambda item: (-item[1], item[0]))


def exact_shares(vertex: Vertex) -> dict[int, Fraction]:
    """Each joint's part of the sum, exactly."""
    total = sum(Fraction(weight) for _, weight in vertex)
    return {joint: Fraction(weight) / total for joint, weight in vertex}


def keep_largest(vertex: Vertex, count: int) -> dict[int, Fraction]:
    """The kept joints and their exact weights."""
    kept = by_rank(vertex)[:count]
    total = sum(weight for _, weight in kept)
    return {joint: weight / total for joint, weight in kept}


def largest_remainder(vertex: Vertex, scale: int) -> dict[int, int]:
    """Whole units for each joint, zeros included, ties by rank."""
    shares = exact_shares(vertex)
    ranked = [joint for joint, _ in by_rank(vertex)]
    units = {joint: math.floor(shares[joint] * scale) for joint in ranked}
    missing = scale - sum(units.values())
    by_remainder = sorted(ranked, key=lambda joint: (units[joint] - shares[joint] * scale, ranked.index(joint)))
    for joint in by_remainder[:missing]:
        units[joint] += 1
    return units


def remainder_gap(vertex: Vertex, scale: int) -> Fraction | None:
    """Smallest remainder that got a unit less the largest that got none; None if all or none got one."""
    shares = exact_shares(vertex)
    remainders = sorted((share * scale - math.floor(share * scale) for share in shares.values()), reverse=True)
    missing = int(sum(remainders))
    return remainders[missing - 1] - remainders[missing] if 0 < missing < len(remainders) else None


def merged(vertex: Vertex) -> dict[int, Fraction]:
    """Each joint once, with the exact sum of its weights."""
    sums: dict[int, Fraction] = {}
    for joint, weight in vertex:
        sums[joint] = sums.get(joint, Fraction(0)) + Fraction(weight)
    return sums


def overflows(value: Fraction) -> bool:
    """True if no double is near `value`."""
    try:
        float(value)
    except OverflowError:
        return True
    return False


def broken_rules(vertex: Vertex, joint_count: int | None, *, listed: int) -> list[tuple[str, int | None, str]]:
    """(rule, joint, weight as text) of every problem of a vertex with `listed` slots, sorted."""
    if listed == 0:
        return [("no_influences", None, "")]
    found: list[tuple[str, int | None, str]] = []
    seen: set[int] = set()
    for joint, weight in vertex:
        if joint < 0:
            found.append(("negative_joint", joint, repr(weight)))
        if joint_count is not None and joint >= joint_count:
            found.append(("joint_out_of_range", joint, repr(weight)))
        if joint in seen:
            found.append(("duplicate_joint", joint, repr(weight)))
        if math.isnan(weight) or math.isinf(weight):
            found.append(("nonfinite_weight", joint, repr(weight)))
        elif weight < 0:
            found.append(("negative_weight", joint, repr(weight)))
        seen.add(joint)
    if all(weight == 0 for _, weight in vertex):
        found.append(("zero_sum", None, ""))
    return sorted(found, key=lambda item: (item[0], item[1] or 0, item[2]))


def khronos_sum(decoded: Sequence[float]) -> tuple[float, float]:
    """The sum of a vertex's weights as the Khronos validator adds them, and how far it may lie from one.

    Slot 0 of every set of four comes first, then slot 1 of every set; float32 after each addition.
    """
    total, allowed = 0.0, 0.0
    for slot in range(4):
        for weight in decoded[slot::4]:
            if weight > 0:
                total = float32(total + weight)
                allowed += 2e-7
    return total, allowed


def float32(value: float) -> float:
    """The float32 nearest to `value`."""
    return float(struct.unpack("f", struct.pack("f", value))[0])
