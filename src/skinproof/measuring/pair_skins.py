"""Which skins of two characters are the same, and which of their joints: by the joints' names.

The rules are this project's own: docs/measuring.md, "Files with other vertices".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from skinproof.model import Character

Label = str | int | tuple[str, int, int]
"""A joint's name, its place in the skin or, for one that nothing else is the same as, its side, skin and place."""

Names = Mapping[int, tuple[str, ...]]
"""Index of a skin → the names of its joints."""


@dataclass(frozen=True, slots=True)
class SkinGroup:
    """Skins of two characters between which vertices may have gone: mostly one of each.

    Attributes:
        original: index of the original's skins → one label per joint; the same label is the same joint.
        result: the same of the result's skins.
    """

    original: Mapping[int, tuple[Label, ...]]
    result: Mapping[int, tuple[Label, ...]]


def pair_skins(original: Character, result: Character, /) -> tuple[SkinGroup, ...]:
    """Return the skins that show something, grouped with those of the other character that have the same joints.

    A joint is known by its name, if that stands once in its skin. Where no names say anything, two skins with as many
    joints have them in the same order. Each skin goes with the one that has most of its joints, among those the one of
    the same name, then the one in the same place; a skin that has no joint of another's goes with none.
    """
    ours, theirs = _names(original), _names(result)
    links = _best(original, ours, result, theirs)
    taken = {other for _, other in links}
    rest = {skin: names for skin, names in theirs.items() if skin not in taken}
    links += [(best, skin) for skin, best in _best(result, rest, original, ours)]
    return tuple(_group(ours, theirs, members) for members in _connected(links))


def _names(character: Character) -> Names:
    """Return the joint names of each skin through which something is shown."""
    shown = {skin for primitive in character.primitives for skin in character.skins_of(primitive)}
    return {
        index: tuple(character.nodes.names[joint] for joint in character.skins[index].joints.tolist())
        for index in sorted(shown)
    }


def _known(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if name and count == 1}


def _best(character: Character, skins: Names, other: Character, others: Names) -> list[tuple[int, int]]:
    """Return pairs of each of `skins` and the one of `others` that it goes with, preferably one that is still free."""
    ranking = _Ranking(other, others)
    pairs = []
    for place, (skin, names) in enumerate(skins.items()):
        best = ranking.best(names, character.skins[skin].name, place)
        if best is not None:
            pairs.append((skin, best))
    return pairs


class _Ranking:
    """Ranks skins by what they have in common with another one."""

    def __init__(self, character: Character, skins: Names) -> None:
        self._character, self._skins = character, skins
        self._known = {skin: _known(names) for skin, names in skins.items()}
        self._order = list(skins)
        self._taken: set[int] = set()

    def best(self, names: tuple[str, ...], name: str, place: int) -> int | None:
        """Return the skin that goes best with one of these joints, this name and this place, or None."""
        own = _known(names)

        def rank(other: int) -> tuple[int, bool, bool, int]:
            skin = self._order[other]
            common = len(own & self._known[skin])
            return common, skin not in self._taken, self._character.skins[skin].name == name, -abs(other - place)

        found = range(len(self._order))
        if own and place in found and rank(place) == (len(own), True, True, 0):
            found = range(place, place + 1)  # there is no better one: a crowd has hundreds
        elif not any(rank(other)[0] for other in found):
            return self._first([other for other in found if len(self._skins[self._order[other]]) == len(names)], rank)
        return self._first(found, rank)

    def _first(self, found: Sequence[int], rank: Callable[[int], tuple[int, bool, bool, int]]) -> int | None:
        if not found:
            return None
        skin = self._order[max(found, key=rank)]
        self._taken.add(skin)
        return skin


def _connected(links: Sequence[tuple[int, int]]) -> list[tuple[set[int], set[int]]]:
    """Return the connected parts of a graph between the original's skins and the result's."""
    parts: dict[tuple[str, int], tuple[set[int], set[int]]] = {}
    for original, result in links:
        here, there = ("original", original), ("result", result)
        part = parts.get(here, ({original}, set()))
        joining = parts.get(there, (set(), {result}))
        part = (part[0] | joining[0], part[1] | joining[1])
        for one in part[0]:
            parts["original", one] = part
        for one in part[1]:
            parts["result", one] = part
    first = {min(part[0]): part for part in parts.values()}
    return [first[skin] for skin in sorted(first)]


def _group(ours: Names, theirs: Names, members: tuple[set[int], set[int]]) -> SkinGroup:
    originals = {skin: ours[skin] for skin in sorted(members[0])}
    results = {skin: theirs[skin] for skin in sorted(members[1])}
    every = [*originals.values(), *results.values()]
    named = [set().union(*map(_known, side.values())) for side in (originals, results)]
    alike = len({len(names) for names in every}) == 1 and named[0].isdisjoint(named[1])
    if alike or len(set(every)) == 1:
        return SkinGroup(_numbered(originals), _numbered(results))
    return SkinGroup(_labelled(originals, "original"), _labelled(results, "result"))


def _numbered(skins: Names) -> dict[int, tuple[Label, ...]]:
    return {skin: tuple(range(len(names))) for skin, names in skins.items()}


def _labelled(skins: Names, side: str) -> dict[int, tuple[Label, ...]]:
    """Return names as labels; a joint whose name says nothing gets a label that no other joint has."""
    labels: dict[int, tuple[Label, ...]] = {}
    for skin, names in skins.items():
        known = _known(names)
        labels[skin] = tuple(name if name in known else (side, skin, joint) for joint, name in enumerate(names))
    return labels
