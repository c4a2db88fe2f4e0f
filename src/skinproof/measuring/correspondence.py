"""Which vertices of one character are which of another, primitive by primitive and skin by skin.

The rules are this project's own: docs/measuring.md, "Files with other vertices".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.errors import ComparisonError
from skinproof.measuring.common_space import CommonSpace, binds_of
from skinproof.measuring.extent import diagonal_of
from skinproof.measuring.match_vertices import Partners, Pool, match_vertices
from skinproof.measuring.pair_skins import Label, SkinGroup, pair_skins
from skinproof.model import Character, Primitive
from skinproof.model.match import SHOWN, MatchedSide, VertexList
from skinproof.poses import palettes, rest_worlds
from skinproof.tolerances import MATCH_POSITION

Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

_MOST_JOINTS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """n pairs of vertices: of one primitive of the original under one skin, and of one of the result under one skin.

    Attributes:
        primitive: index of the original's primitive.
        skin: index of the original's skin.
        result_primitive: index of the result's primitive.
        result_skin: index of the result's skin.
        vertices: intp [n], the original's vertices, ascending; one may stand in several pairs.
        result_vertices: intp [n], the result's vertices.
    """

    primitive: int
    skin: int
    result_primitive: int
    result_skin: int
    vertices: Indices
    result_vertices: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Correspondence:
    """What was found.

    Attributes:
        pairs: those of all skins.
        groups: the skins that go together.
        original: what became of the original's vertices.
        result: what became of the result's.
        radius: how far bind positions could lie apart and be the same vertex's, metres, the widest of all skins.
    """

    pairs: tuple[Pairs, ...]
    groups: tuple[SkinGroup, ...]
    original: MatchedSide
    result: MatchedSide
    radius: float

    @property
    def share(self) -> float:
        """The smaller of the two sides' matched shares."""
        return min(self.original.share, self.result.share)


def correspond(original: Character, result: Character, /) -> Correspondence:
    """Find the vertices of `original` and `result` that are the same, among those that are drawn through a skin.

    Args:
        original: the one.
        result: the other; its skins, joints and meshes may be arranged otherwise.

    Raises:
        ComparisonError: there are too many candidates (`match_vertices`), or too many joints.
    """
    groups = pair_skins(original, result)
    ours, theirs = _Side(original), _Side(result)
    found: list[Pairs] = []
    radius, rests = 0.0, rest_worlds(original.nodes)
    for group in groups:
        binds = binds_of([(original.skins[skin], labels) for skin, labels in group.original.items()])
        numbers = _numbers(group)
        originals, moved = ours.pool(group.original, binds, numbers)
        results, shifted = theirs.pool(group.result, binds, numbers)
        size = _size(originals.positions)
        reach = MATCH_POSITION * size + moved + shifted
        radius = max(radius, reach * _metres(original, group, rests))
        partners = match_vertices(originals, results, radius=reach, slack=MATCH_POSITION * size)
        found += _pairs(ours, theirs, *partners)
        ours.take(partners[0])
        theirs.take(partners[1])
    return Correspondence(tuple(found), groups, ours.matched(), theirs.matched(), radius)


class _Side:
    """One of the two characters: its drawn vertices, and what became of them."""

    def __init__(self, character: Character) -> None:
        self._character = character
        self._shown: dict[int, list[int]] = {}
        self._drawn: list[Mask] = []
        for index, primitive in enumerate(character.primitives):
            skins = character.skins_of(primitive)
            for skin in skins:
                self._shown.setdefault(skin, []).append(index)
            self._drawn.append(_drawn(primitive) & bool(skins))
        self._found = [np.zeros(len(drawn), np.bool_) for drawn in self._drawn]
        self._lost = [np.zeros(len(drawn), np.bool_) for drawn in self._drawn]
        self._ambiguous = [np.zeros(len(drawn), np.bool_) for drawn in self._drawn]
        self.skins, self.primitives, self.vertices = (np.zeros(0, np.intp) for _ in range(3))

    def pool(
        self,
        skins: Mapping[int, Sequence[Label]],
        binds: Mapping[Label, NDArray[np.float64]],
        numbers: Mapping[Label, int],
    ) -> tuple[Pool, float]:
        """Return the vertices that some skins show, and how far their encoding may have moved one.

        Where each of them comes from is then in `skins`, `primitives` and `vertices`, intp [n].
        """
        pools, moved = [], 0.0
        places: list[Indices] = []
        for skin, labels in skins.items():
            space = CommonSpace.of(self._character.skins[skin], labels, binds)
            joints = np.array([numbers[label] for label in labels], np.uint16)
            for index in self._shown[skin]:
                primitive, vertices = self._character.primitives[index], np.flatnonzero(self._drawn[index])
                positions, normals, shift = space.placed(primitive, vertices)
                moved = max(moved, shift)
                pools.append(
                    Pool(positions, normals, _uvs(primitive, vertices), *_weights(primitive, vertices, joints))
                )
                places.append(np.stack([np.full_like(vertices, skin), np.full_like(vertices, index), vertices]))
        self.skins, self.primitives, self.vertices = np.concatenate([np.zeros((3, 0), np.intp), *places], axis=1)
        return Pool.joined(pools), moved

    def take(self, partners: Partners) -> None:
        """Remember which vertices of the last pool have partners."""
        for index in np.unique(self.primitives):
            here = self.primitives == index
            vertices, has = self.vertices[here], partners.partner[here] >= 0
            self._found[index][vertices[has]] = True
            self._lost[index][vertices[~has]] = True
            self._ambiguous[index][vertices[partners.ambiguous[here]]] = True

    def matched(self) -> MatchedSide:
        """Return the figures; a vertex that several skins show has its partner under all of them."""
        unmatched: list[VertexList] = []
        ambiguous: list[VertexList] = []
        for index, drawn in enumerate(self._drawn):
            unmatched += self._listed(index, drawn & (self._lost[index] | ~self._found[index]))
            ambiguous += self._listed(index, drawn & self._ambiguous[index])
        vertices = sum(int(np.count_nonzero(drawn)) for drawn in self._drawn)
        return MatchedSide(vertices, tuple(unmatched), tuple(ambiguous))

    def _listed(self, index: int, mask: Mask) -> Iterator[VertexList]:
        primitive, vertices = self._character.primitives[index], np.flatnonzero(mask)
        if len(vertices):
            first = tuple(vertices[:SHOWN].tolist())
            yield VertexList(primitive.pointer, primitive.name, len(vertices), first)


def _pairs(ours: _Side, theirs: _Side, there: Partners, back: Partners) -> Iterator[Pairs]:
    """Yield every pair in which one vertex is the partner of the other, each once."""
    has, had = np.flatnonzero(there.partner >= 0), np.flatnonzero(back.partner >= 0)
    rows = np.stack(
        [np.concatenate([has, back.partner[had]]), np.concatenate([there.partner[has], had])],
        axis=1,
    )
    original, result = np.unique(rows, axis=0).T
    sides = ours.primitives[original], ours.skins[original], theirs.primitives[result], theirs.skins[result]
    kinds, kind = np.unique(np.stack(sides, axis=1), axis=0, return_inverse=True)
    for index, places in enumerate(kinds.tolist()):
        here = kind.reshape(-1) == index
        primitive, skin, result_primitive, result_skin = places
        yield Pairs(
            primitive, skin, result_primitive, result_skin, ours.vertices[original[here]], theirs.vertices[result[here]]
        )


def _drawn(primitive: Primitive) -> Mask:
    """Return the vertices that its indices name, bool [V]; all, if it has none."""
    if primitive.indices is None:
        return np.ones(primitive.vertex_count, np.bool_)
    drawn = np.zeros(primitive.vertex_count, np.bool_)
    drawn[primitive.indices] = True
    return drawn


def _uvs(primitive: Primitive, vertices: Indices) -> NDArray[np.float64]:
    if primitive.uvs is None:
        return np.full((len(vertices), 2), np.nan)
    return primitive.uvs[vertices].astype(np.float64)


def _weights(
    primitive: Primitive, vertices: Indices, numbers: NDArray[np.uint16]
) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
    """Return the influences of some vertices with the joints' common numbers, without those that mean nothing."""
    joints, weights = primitive.influences.joints[vertices], primitive.influences.weights[vertices].astype(np.float64)
    usable = np.isfinite(weights) & (joints < len(numbers))
    return numbers[np.where(usable, joints, 0)], np.where(usable, weights, 0.0)


def _numbers(group: SkinGroup) -> dict[Label, int]:
    """Return one number for each joint of a group."""
    labels = [label for side in (group.original, group.result) for skin in side.values() for label in skin]
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    if len(numbers) > _MOST_JOINTS:
        raise ComparisonError(
            f"the skins have {len(numbers):,} different joints, more than the {_MOST_JOINTS:,} that can be told apart. "
            "Compare files whose joints have the same names"
        )
    return numbers


def _metres(character: Character, group: SkinGroup, rests: NDArray[np.float64]) -> float:
    """Return the length at rest, metres, of what is one long in the mesh space of a group: the median over its joints.

    It need not be one: positions may be stored as integers, or joints may be scaled.
    """
    first = next(iter(group.original))
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.cbrt(np.abs(np.linalg.det(palettes(character.skins[first], rests)[:, :3, :3])))
    lengths = lengths[np.isfinite(lengths)]
    return float(np.median(lengths)) if len(lengths) else 1.0


def _size(positions: NDArray[np.float64]) -> float:
    """Return the diagonal of points [n, 3] and the origin, by which float32 rounds them; 0 for none."""
    finite = positions[np.isfinite(positions).all(axis=1)]
    return diagonal_of(np.concatenate([finite, np.zeros((1, 3))])) if len(finite) else 0.0
