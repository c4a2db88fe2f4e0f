"""Which vertices of two files are the same: by bind position, then normal, then texture coordinates, then weights.

The order and the tolerances are this project's own: docs/measuring.md, "Files with other vertices".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.near_pairs import near_pairs
from skinproof.skinning import delta_influences
from skinproof.tolerances import MATCH_MAX_CANDIDATES, MATCH_NORMAL, MATCH_UV

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """n vertices among which partners are looked for; both pools of a match are in one space.

    Attributes:
        positions: float64 [n, 3], bind positions.
        normals: float64 [n, 3], unit length; NaN where a vertex has none.
        uvs: float64 [n, 2], texture coordinates; NaN where a vertex has none.
        joints: uint16 [n, N], with one number for the same joint in both pools.
        weights: float64 [n, N].
    """

    positions: Array
    normals: Array
    uvs: Array
    joints: NDArray[np.uint16]
    weights: Array

    def __len__(self) -> int:
        return len(self.positions)

    @classmethod
    def joined(cls, pools: Sequence[Pool], /) -> Pool:
        """Return all vertices of `pools`, in order; narrower influences get empty slots."""
        slots = max((pool.joints.shape[1] for pool in pools), default=1)

        def wide(values: NDArray[Any]) -> NDArray[Any]:
            return np.pad(values, ((0, 0), (0, slots - values.shape[1])))

        return cls(
            np.concatenate([np.zeros((0, 3)), *(pool.positions for pool in pools)]),
            np.concatenate([np.zeros((0, 3)), *(pool.normals for pool in pools)]),
            np.concatenate([np.zeros((0, 2)), *(pool.uvs for pool in pools)]),
            np.concatenate([np.zeros((0, slots), np.uint16), *(wide(pool.joints) for pool in pools)], dtype=np.uint16),
            np.concatenate([np.zeros((0, slots)), *(wide(pool.weights) for pool in pools)], dtype=np.float64),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Partners:
    """The partner of each vertex of one pool in the other.

    Attributes:
        partner: intp [n], −1 where there is none.
        ambiguous: bool [n], several vertices with different weights might be it; the one of the nearest weights is.
    """

    partner: Indices
    ambiguous: NDArray[np.bool_]


def match_vertices(originals: Pool, results: Pool, /, *, radius: float, slack: float) -> tuple[Partners, Partners]:
    """Find for each vertex of either pool its partner in the other; several may have the same one.

    Candidates are the vertices within `radius`. Those whose normals agree go before others, then those whose texture
    coordinates agree, then the nearest. Where several are left, the one whose weights are nearest is taken, and the
    vertex is called ambiguous if their weights differ.

    Args:
        originals: n vertices.
        results: m vertices.
        radius: how far the positions of partners may lie apart.
        slack: how much further than the nearest a candidate may lie and count as equally near.

    Returns:
        the partners of the originals among the results, and those of the results among the originals.

    Raises:
        ComparisonError: so many vertices lie at the same places that there are too many candidates.
    """
    most = MATCH_MAX_CANDIDATES * (len(originals) + len(results) + 1)
    original, result, apart = near_pairs(originals.positions, results.positions, radius=radius, most=most)
    candidates = _Candidates(original, result, apart, *_likeness(originals, results, original, result))
    return (
        _chosen(candidates, original, result, len(originals), _classes(results), slack),
        _chosen(candidates, result, original, len(results), _classes(originals), slack),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """p pairs: indices of the two vertices, how far apart they lie, and how alike they are otherwise.

    `same_normal` and `same_uv` bool [p] are true where a vertex has none; `unlike` float64 [p] is Σ |w − w′|.
    """

    original: Indices
    result: Indices
    apart: Array
    same_normal: NDArray[np.bool_]
    same_uv: NDArray[np.bool_]
    unlike: Array


def _likeness(
    originals: Pool, results: Pool, original: Indices, result: Indices
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Array]:
    normals = np.linalg.norm(originals.normals[original] - results.normals[result], axis=1)
    uvs = np.abs(originals.uvs[original] - results.uvs[result]).max(axis=1, initial=0.0)
    _, deltas = delta_influences(
        originals.joints[original], originals.weights[original], results.joints[result], results.weights[result]
    )
    # Not "<=": what is missing, NaN here, does not tell vertices apart.
    return ~(normals > MATCH_NORMAL), ~(uvs > MATCH_UV), np.abs(deltas).sum(axis=1)


def _chosen(
    candidates: _Candidates, owner: Indices, other: Indices, count: int, classes: Indices, slack: float
) -> Partners:
    """Choose for each of `count` owners among its candidates `other`, whose influences are of `classes`."""
    kept = np.arange(len(owner))
    kept = _preferred(kept, owner, candidates.same_normal, count)
    kept = _preferred(kept, owner, candidates.same_uv, count)
    nearest = np.full(count, np.inf)
    np.minimum.at(nearest, owner[kept], candidates.apart[kept])
    kept = kept[candidates.apart[kept] <= nearest[owner[kept]] + slack]
    lowest, highest = np.full(count, np.iinfo(np.intp).max), np.full(count, -1, np.intp)
    np.minimum.at(lowest, owner[kept], classes[other[kept]])
    np.maximum.at(highest, owner[kept], classes[other[kept]])
    # The last written wins: nearest weights last, then least apart, then the lowest index.
    kept = kept[np.lexsort((-other[kept], -candidates.apart[kept], -candidates.unlike[kept]))]
    partner = np.full(count, -1, np.intp)
    partner[owner[kept]] = other[kept]
    return Partners(partner, lowest < highest)


def _preferred(kept: Indices, owner: Indices, agrees: NDArray[np.bool_], count: int) -> Indices:
    """Return the candidates of `kept` that agree; all of an owner's where none of its does."""
    some = np.zeros(count, np.bool_)
    some[owner[kept[agrees[kept]]]] = True
    return kept[agrees[kept] | ~some[owner[kept]]]


def _classes(pool: Pool) -> Indices:
    """Return a number, intp [n], that vertices share if their influences are the same, slot order aside."""
    order = np.lexsort((pool.joints, -pool.weights), axis=1)
    joints = np.take_along_axis(np.where(pool.weights != 0, pool.joints, 0), order, axis=1)
    weights = np.take_along_axis(pool.weights, order, axis=1) + 0.0  # −0.0 is an empty slot like any other
    _, classes = np.unique(np.concatenate([joints, weights], axis=1), axis=0, return_inverse=True)
    return classes.reshape(-1).astype(np.intp)
