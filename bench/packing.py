"""Prints the figures behind two choices in the weight operations anew: `python bench/packing.py`.

How float32 weights are packed (src/skinproof/influences/pack.py), and how influences are sorted inside each vertex
(`sorted_within` in src/skinproof/influences/_entries.py). Times are of the machine it runs on.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import skinproof as sp
from skinproof.influences._entries import sorted_within

Array = NDArray[np.float64]

SEED = 718
VERTICES = 200_000
COUNTS = (4, 8, 16)
ORDERS = 8
RUNS = 9


def main() -> None:
    generator = np.random.default_rng(SEED)
    sums(generator)
    sorting(generator)


def nearest(weights: Array) -> NDArray[np.float32]:
    """each to its nearest float32"""
    return weights.astype(np.float32)


def rest_to_the_largest(weights: Array) -> NDArray[np.float32]:
    """the same, what is missing to the largest"""
    packed = weights.astype(np.float32)
    rows, largest = np.arange(len(packed)), packed.argmax(axis=1)
    others = packed.sum(axis=1, dtype=np.float64) - packed[rows, largest]
    packed[rows, largest] = (1 - others).astype(np.float32)
    return packed


def steps(weights: Array) -> NDArray[np.float32]:
    """steps of 2⁻²⁴, largest remainder"""
    joints = np.tile(np.arange(weights.shape[1], dtype=np.uint16), (len(weights), 1))
    return sp.pack(joints, weights, format="float32").stored


def sums(generator: np.random.Generator) -> None:
    print(f"Largest distance of a sum from one, {VERTICES:,} random vertices, float64 / float32 in {ORDERS} orders,")
    print("and the share of float64 sums that are exactly one.")
    print("\n| | " + " | ".join(f"{count} influences" for count in COUNTS) + " | exactly one |")
    print("| --- " * (len(COUNTS) + 2) + "|")
    weights = [generator.uniform(0, 1, (VERTICES, count)) for count in COUNTS]
    weights = [rows / rows.sum(axis=1, keepdims=True) for rows in weights]
    for method in (nearest, rest_to_the_largest, steps):
        packed = [method(rows) for rows in weights]
        cells = [
            f"{figure(_off_in_float64(rows).max())} / {figure(_off_in_float32(rows, generator))}" for rows in packed
        ]
        exact = " … ".join(f"{100 * np.mean(_off_in_float64(rows) == 0):.1f} %" for rows in (packed[0], packed[-1]))
        print(f"| {method.__doc__} | " + " | ".join(cells) + f" | {exact} |")


def sorting(generator: np.random.Generator) -> None:
    count = 8
    vertices = VERTICES // 2
    weights = generator.uniform(0, 1, vertices * count)
    joints = generator.integers(0, 64, vertices * count)
    counts = np.full(vertices, count)
    owners = np.repeat(np.arange(vertices), count)
    together = milliseconds(lambda: sorted_within(counts, joints, -weights))
    flat = milliseconds(lambda: np.lexsort([joints, -weights, owners]))
    print(f"\nSorting {vertices:,} vertices × {count}\n\n| | |\n| --- | --- |")
    print(f"| as rows of a matrix | {together:.0f} ms |\n| one numpy.lexsort | {flat:.0f} ms |")


def figure(number: float) -> str:
    """A small number as short as it goes: "4.8e-8", "0"."""
    return "0" if number == 0 else f"{number:.1e}".replace("e-0", "e-")


def milliseconds(work: Callable[[], object]) -> float:
    """Shortest of several runs: the rest is what else the machine did."""
    times = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        work()
        times.append((time.perf_counter() - begin) * 1e3)
    return min(times)


def _off_in_float64(packed: NDArray[np.float32]) -> Array:
    return np.abs(packed.sum(axis=1, dtype=np.float64) - 1)


def _off_in_float32(packed: NDArray[np.float32], generator: np.random.Generator) -> float:
    """The worst over several orders of adding, one weight after the other."""
    worst = 0.0
    for _ in range(ORDERS):
        total = np.zeros(len(packed), np.float32)
        for column in generator.permutation(packed.shape[1]):
            total += packed[:, column]
        worst = max(worst, float(np.abs(total.astype(np.float64) - 1).max()))
    return worst


if __name__ == "__main__":
    main()
