"""The numbers of the weight contract, computed by the very operations and kernel that characters go through.

The contract is this project's own. Any other implementation can be held to its numbers too
(docs/weight-contract.md, "The fixed numbers"). One axis: each joint only
translates along x, so its skinning matrix is a translation and the result is one number per vertex.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.influences import keep_largest, normalize
from skinproof.skinning import skin_positions
from skinproof.tolerances import CONTRACT_NUMBER, CONTRACT_SCAN

SCAN_SEED = 718
"""Seed of the scan's generator, fixed so that everyone scans the same vertices."""

_SCAN_VERTICES = 10_000
_SCAN_BATCH = 5_000
"""Vertices scanned at once: each has eight joints of its own, and uint16 names no more than 65,536."""


@dataclass(frozen=True, slots=True)
class ContractNumber:
    """One fixed number: what it is, what it must be, what the library computes."""

    what: str
    expected: float
    computed: float

    @property
    def holds(self) -> bool:
        """True if the two agree within `tolerances.CONTRACT_NUMBER`."""
        return abs(self.computed - self.expected) <= CONTRACT_NUMBER


@dataclass(frozen=True, slots=True)
class ContractScan:
    """What a scan of random vertices found.

    Attributes:
        vertices: how many were scanned.
        max_sum_error: largest |Σw − 1| after the cut.
        max_translation_error: largest difference between a common move of all joints and what it moved a vertex by.
        max_bound_excess: largest |error| − r·D: how far a vertex went beyond its bound; negative if none did.
        max_error: largest |error| seen; an observation of this scan, no limit for other skeletons.
    """

    vertices: int
    max_sum_error: float
    max_translation_error: float
    max_bound_excess: float
    max_error: float

    @property
    def holds(self) -> bool:
        """True if sum, common translation and bound hold within `tolerances.CONTRACT_SCAN`, on at least one vertex."""
        held = (self.max_sum_error, self.max_translation_error, self.max_bound_excess)
        return self.vertices > 0 and all(error <= CONTRACT_SCAN for error in held)


def fixed_numbers() -> tuple[ContractNumber, ...]:
    """Compute the fixed numbers: p = 2, joints translated by 10, 20, 30, 40, weights 0.4, 0.3, 0.2, 0.1, K = 2."""
    position = np.array([2.0])
    moves = np.array([10.0, 20.0, 30.0, 40.0])
    same = np.full(4, 10.0)
    joints = np.array([[0, 1, 2, 3]], dtype=np.uint16)
    weights = np.array([[0.4, 0.3, 0.2, 0.1]])
    kept = keep_largest(joints, weights, 2)
    cut = joints[:, :2].copy(), weights[:, :2].copy()
    dropped = joints[:, 2:].copy(), weights[:, 2:].copy()
    dropped_alone = dropped[0], normalize(*dropped)

    def shown(influences: tuple[NDArray[np.uint16], NDArray[np.float64]], joint_moves: NDArray[np.float64]) -> float:
        return float(_blend(position, *influences, joint_moves)[0])

    full, limited = shown((joints, weights), moves), shown(kept, moves)
    return (
        ContractNumber("full result", 22, full),
        ContractNumber("cut to two, not normalized", 11.4, shown(cut, moves)),
        ContractNumber("cut to two, normalized", 114 / 7, limited),
        ContractNumber("first weight kept", 4 / 7, float(kept[1][0, 0])),
        ContractNumber("second weight kept", 3 / 7, float(kept[1][0, 1])),
        ContractNumber("dropped mass r", 0.3, float(dropped[1].sum())),
        ContractNumber("kept mean a", 114 / 7, limited),
        ContractNumber("dropped mean b", 106 / 3, shown(dropped_alone, moves)),
        ContractNumber("error of the normalized one", 40 / 7, full - limited),
        ContractNumber("all joints moved by 100: full moves by", 100, shown((joints, weights), moves + 100) - full),
        ContractNumber("all joints moved by 100: normalized moves by", 100, shown(kept, moves + 100) - limited),
        ContractNumber(
            "all joints moved by 100: not normalized moves by", 70, shown(cut, moves + 100) - shown(cut, moves)
        ),
        ContractNumber("all joints translated by 10: normalized", 12, shown(kept, same)),
        ContractNumber("all joints translated by 10: not normalized", 8.4, shown(cut, same)),
    )


def scan() -> ContractScan:
    """Cut 10,000 random vertices with eight influences to four, and hold them against the contract.

    Drawn in this order from `numpy.random.default_rng(SCAN_SEED)`: weights uniform in (0, 1), not normalized;
    positions and joint translations uniform in (−100, 100). Held are the sum, a common translation and the bound
    r·D, with D the largest less the smallest translation.
    """
    generator = np.random.default_rng(SCAN_SEED)
    weights = generator.uniform(0, 1, (_SCAN_VERTICES, 8))
    positions = generator.uniform(-100, 100, _SCAN_VERTICES)
    moves = generator.uniform(-100, 100, (_SCAN_VERTICES, 8))
    batches = (range(begin, begin + _SCAN_BATCH) for begin in range(0, _SCAN_VERTICES, _SCAN_BATCH))
    found = [_scan_batch(weights[rows], positions[rows], moves[rows], max_influences=4) for rows in batches]
    return ContractScan(_SCAN_VERTICES, *(float(worst) for worst in np.max(found, axis=0)))


def _scan_batch(
    weights: NDArray[np.float64], positions: NDArray[np.float64], moves: NDArray[np.float64], *, max_influences: int
) -> tuple[float, float, float, float]:
    """Return the four maxima of `ContractScan` over some vertices: weights and moves [V, N], positions [V]."""
    joints = np.arange(weights.size, dtype=np.uint16).reshape(weights.shape)
    whole = normalize(joints, weights)
    kept_joints, kept_weights = keep_largest(joints, weights, max_influences)
    full = _blend(positions, joints, whole, moves.ravel())
    limited = _blend(positions, kept_joints, kept_weights, moves.ravel())
    moved = _blend(positions, kept_joints, kept_weights, moves.ravel() + 100)
    dropped_mass = 1 - np.sort(whole, axis=1)[:, -max_influences:].sum(axis=1)
    error = np.abs(limited - full)
    return (
        float(np.abs(kept_weights.sum(axis=1) - 1).max()),
        float(np.abs(moved - limited - 100).max()),
        float((error - dropped_mass * np.ptp(moves, axis=1)).max()),
        float(error.max()),
    )


def _blend(
    positions: NDArray[np.float64],
    joints: NDArray[np.uint16],
    weights: NDArray[np.float64],
    moves: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return x of each vertex: positions [V], joints and weights [V, N], `moves` [J] the joints' translations."""
    points = np.zeros((len(positions), 3))
    points[:, 0] = positions
    palette = np.tile(np.eye(4), (len(moves), 1, 1))
    palette[:, 0, 3] = moves
    return skin_positions(points, joints, weights, palette)[:, 0]
