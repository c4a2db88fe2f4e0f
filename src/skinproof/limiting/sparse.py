"""The best K influences of each vertex: min wᵀHw over weights w ≥ 0 that sum to one, at most K of them not zero.

Known as a sparse standard quadratic program: I. M. Bomze, B. Peng, Y. Qiu, E. A. Yildirim, "Tractable relaxations of
sparse standard quadratic optimization problems" (2024). Here n is small, so that it is solved exactly: on the face of
a set T of joints the optimum is H_TT⁻¹1, normalized, where that is positive; the best of all faces of at most K joints
is the optimum. All faces are looked at while they are few, several vertices side by side; beyond that branch and bound
takes over, whose relaxation is the same program without the limit K.

Decision: looking at all faces, as long as it can be done, one vertex per lane of a vector (AVX-512: eight).
Milliseconds per vertex on one core of a busy machine (images along a chain that bends in ten poses):

| influences, K | faces | all faces | branch and bound |
| --- | --- | --- | --- |
| 8, 4 | 162 | 0.0004 | 0.2 |
| 12, 4 | 793 | 0.002 | |
| 12, 8 | 3,796 | 0.012 | 0.6 |
| 16, 8 | 39,202 | 0.11 | 12 |
| 20, 8 | 263,949 | 0.9 | more than 60 |
| 24, 8 | 1,271,625 | 3.7 | more than 60 |
| 64, 4 | 679,120 | 1.2 | more than 60 |
| 64, 8 | 5,130,659,560 | – | more than 80, not proven |

Where joints are many and poses few, dropping one of them costs next to nothing, so the relaxation bounds little until a
dozen joints are left. Looking at faces shares one elimination among all faces that begin alike
(cpp/repeatable/faces.inl).

What lost, nanoseconds per vertex for 4 of 8, where what is done now takes 330:

| | ns |
| --- | --- |
| four vertices side by side in 128-bit registers | 1,900 |
| compiled per instruction set, sizes known when run, divisions where needed, the least weight of a face | 450 |
| the same with each inverse made ahead, but everything in one function: 39 KB of stack | 500 |
| … with a function for each size of face | 400 |
| … with K and the room of a row known when compiled, signs instead of the least weight: what is done now | 330 |

Not tried: unrolling the whole tree for each n and K, which would take some 30 KB of code each. Also tried: backward
elimination (drop the joint that costs least, solve again) is not exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array, require_count
from skinproof._native import INSTRUCTION_SET, INSTRUCTION_SETS, _core
from skinproof.errors import OptionError

Array = NDArray[np.float64]

MAX_FACES = 2_000_000
"""Faces of one vertex up to which all are looked at, some 4 ms: 24 influences for K = 8, 64 for K = 4."""

MAX_NODES = 20_000
"""Relaxations that branch and bound solves for one vertex before it gives up the proof, some 80 ms at 64 influences."""

MOST_LISTED = 16
"""Faces that the core can list."""


class Ending(IntEnum):
    """How the problem of a vertex ended."""

    PROVEN = 0
    UNPROVEN = 1
    UNDECIDED = 2


@dataclass(frozen=True, slots=True, eq=False)
class SparseSolution:
    """The best weights of V vertices.

    Attributes:
        weights: float64 [V, n], sum one, at most K not zero.
        least: float64 [V], their cost wᵀHw.
        bounds: float64 [V]: no weights on at most K joints cost less (up to the ridge).
        endings: uint8 [V], an `Ending` each: proven; unproven, where the search was cut short; undecided, where all
            costs are noise and the first joint stands for any.
    """

    weights: Array
    least: Array
    bounds: Array
    endings: NDArray[np.uint8]


def solve_sparse(
    costs: Array,
    max_influences: int,
    /,
    *,
    sizes: Array | None = None,
    max_faces: int = MAX_FACES,
    max_nodes: int = MAX_NODES,
    instruction_set: str = INSTRUCTION_SET,
) -> SparseSolution:
    """Return the weights of least cost with at most K joints, for every vertex.

    Singular faces have a ridge: 1e-12 of the mean diagonal of H is added to its diagonal. Costs within 1e-10 of the
    mean diagonal of the least are tied with it; of those the fewest joints win, then the slots that come first. With
    slots in the contract's order (weight descending, joint ascending) that is the set with the larger source weights,
    then with the lower joints; the order of storage has no say.

    Args:
        costs: float64 [V, n, n], symmetric, positive semidefinite, n ≥ 1; square metres.
        max_influences: K ≥ 1.
        sizes: float64 [V], as `gram.vertex_costs` returns it; costs below 1e-14 of it are noise.
        max_faces: with more faces than this, or more than 64 joints, branch and bound.
        max_nodes: relaxations per search before it is cut short.
        instruction_set: the kernels that look at faces, one of those that run here; all give the same bytes.

    Raises:
        ArrayError: an array has the wrong dtype, shape or layout.
        OptionError: a number is out of range.
    """
    sizes = _require_problems(costs, sizes, max_influences, max_faces, max_nodes)
    if instruction_set not in INSTRUCTION_SETS:
        raise OptionError(f"instruction_set: expected one of {', '.join(INSTRUCTION_SETS)}, got {instruction_set!r}")
    count, width, _ = costs.shape
    solution = SparseSolution(np.empty((count, width)), np.empty(count), np.empty(count), np.empty(count, np.uint8))
    _core.solve_sparse(
        costs,
        sizes,
        max_influences,
        max_faces,
        max_nodes,
        instruction_set,
        solution.weights,
        solution.least,
        solution.bounds,
        solution.endings,
    )
    return solution


def list_sparse(
    costs: Array,
    max_influences: int,
    count: int,
    /,
    *,
    sizes: Array | None = None,
    max_faces: int = MAX_FACES,
    max_nodes: int = MAX_NODES,
) -> Array:
    """Return the cheapest weights with at most K joints, each on another set of joints, cheapest first.

    Where all faces are looked at these are the cheapest there are. With branch and bound they are the best set and the
    cheapest of those that differ from it in one joint.

    Args:
        costs: float64 [V, n, n], as for `solve_sparse`.
        max_influences: K ≥ 1.
        count: how many, 1 … 16.
        sizes: as for `solve_sparse`.
        max_faces: as for `solve_sparse`.
        max_nodes: as for `solve_sparse`.

    Returns:
        float64 [V, count, n]; rows of zeros where a vertex has no more.

    Raises:
        ArrayError: an array has the wrong dtype, shape or layout.
        OptionError: a number is out of range.
    """
    sizes = _require_problems(costs, sizes, max_influences, max_faces, max_nodes)
    if not 1 <= count <= MOST_LISTED:
        raise OptionError(f"count: expected a number from 1 to {MOST_LISTED}, got {count!r}")
    weights = np.empty((len(costs), count, costs.shape[1]))
    _core.list_sparse(costs, sizes, max_influences, max_faces, max_nodes, weights)
    return weights


def _require_problems(costs: Array, sizes: Array | None, max_influences: int, max_faces: int, max_nodes: int) -> Array:
    require_array(costs, "costs", dtypes=[np.float64], shape=("V", "n", "n"))
    width = costs.shape[1]
    require_array(costs, "costs", dtypes=[np.float64], shape=("V", width, width))
    if width < 1:
        raise OptionError("costs: expected at least one joint")
    require_count(max_influences, "max_influences", least=1)
    require_count(max_faces, "max_faces", least=0)
    require_count(max_nodes, "max_nodes", least=4 * width)  # enough to reach one solution
    if sizes is None:
        return np.zeros(len(costs))
    return require_array(sizes, "sizes", dtypes=[np.float64], shape=(len(costs),))
