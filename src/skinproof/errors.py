"""The exceptions of skinproof: one small tree, every message with the place and the remedy.

Misuse raises; a flaw in an asset that still can be processed is a finding (`skinproof.findings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SkinproofError(Exception):
    """Root of every exception that skinproof raises on purpose."""


class ArrayError(SkinproofError, ValueError):
    """An array argument has the wrong type, dtype, shape, layout or values; the message names the argument."""


class OptionError(SkinproofError, ValueError):
    """An option has a value that makes no sense (K of 0, an unknown repair policy); the message names it."""


class PublishError(SkinproofError, RuntimeError):
    """An owner, candidate, snapshot or reader is used as it cannot be: over, closed, forked, or without a free cell."""


class SegmentError(PublishError, OSError):
    """A named segment cannot be made, attached or recovered, or is corrupt; the message says why and what to do."""


class PlatformError(PublishError, ImportError):
    """What was imported does not exist on this platform; the message says what does."""


@dataclass(frozen=True, slots=True)
class InfluenceProblem:
    """One broken rule of the weight contract on one vertex.

    Attributes:
        rule: what is broken, one of `INFLUENCE_RULES`.
        vertex: index of the vertex.
        joint: the joint index concerned, or None where the rule is about the whole vertex.
        value: the offending weight, or None.
        primitive: JSON pointer of the primitive, or "" where plain arrays were given.
    """

    rule: str
    vertex: int
    joint: int | None = None
    value: float | None = None
    primitive: str = ""

    def __str__(self) -> str:
        place = f"{self.primitive} vertex" if self.primitive else "vertex"
        text = f"{place} {self.vertex}: {INFLUENCE_RULES[self.rule]}"
        if self.joint is not None:
            text += f", joint {self.joint}"
        if self.value is not None:
            text += f", weight {self.value!r}"
        return text


INFLUENCE_RULES = {
    "no_influences": "has no influences",
    "negative_joint": "negative joint index",
    "joint_out_of_range": "joint index not below the joint count",
    "duplicate_joint": "the same joint twice (merge_duplicates first)",
    "nonfinite_weight": "weight is NaN or infinite",
    "negative_weight": "negative weight",
    "zero_sum": "all weights are zero",
}
"""Rule → words, in the order in which `influences.validate` reports them on one vertex."""


_RULE_NAMES = tuple(INFLUENCE_RULES)
_OF_VERTICES = frozenset({"no_influences", "zero_sum"})


@dataclass(frozen=True, slots=True, eq=False)
class ProblemArrays:
    """The broken rules of one primitive, as arrays, vertices ascending.

    Attributes:
        rules: uint8 [n], the place of each broken rule in `INFLUENCE_RULES`.
        vertices: intp [n].
        joints: integer [n], the joint index concerned; of no meaning where the rule is about the whole vertex.
        values: float64 [n], the offending weight; of no meaning there either.
        primitive: JSON pointer of the primitive, or "" where plain arrays were given.
    """

    rules: NDArray[np.uint8]
    vertices: NDArray[np.intp]
    joints: NDArray[Any]
    values: NDArray[np.float64]
    primitive: str = ""

    def problem(self, index: int) -> InfluenceProblem:
        """Return one of them as an object."""
        rule, vertex = _RULE_NAMES[int(self.rules[index])], int(self.vertices[index])
        if rule in _OF_VERTICES:
            return InfluenceProblem(rule, vertex, primitive=self.primitive)
        joint, value = int(self.joints[index]), float(self.values[index])
        return InfluenceProblem(rule, vertex, joint, value, self.primitive)


class RuleCount(NamedTuple):
    """How often a rule is broken.

    Attributes:
        first: the first problem of the rule.
        vertices: how many vertices break it.
    """

    first: InfluenceProblem
    vertices: int


class InfluenceProblems(Sequence[InfluenceProblem]):
    """Every broken rule, read like a tuple of `InfluenceProblem`, held in arrays.

    A file can be broken in millions of places. Each becomes an object when it is looked at and not before.

    Args:
        parts: the problems of each primitive.
    """

    def __init__(self, parts: Sequence[ProblemArrays], /) -> None:
        self._parts = tuple(parts)

    def __len__(self) -> int:
        return sum(len(part.rules) for part in self._parts)

    @overload
    def __getitem__(self, index: int) -> InfluenceProblem: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[InfluenceProblem, ...]: ...
    def __getitem__(self, index: int | slice) -> InfluenceProblem | tuple[InfluenceProblem, ...]:
        """Return one problem, or a tuple of those of a slice."""
        if isinstance(index, slice):
            return tuple(self[place] for place in range(*index.indices(len(self))))
        place = range(len(self))[index]
        for part in self._parts:
            if place < len(part.rules):
                return part.problem(place)
            place -= len(part.rules)
        raise IndexError(index)

    def __eq__(self, other: object) -> bool:
        """Whether `other` is a sequence of the same problems in the same order."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(mine == its for mine, its in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Name the number of problems, not each of millions."""
        return f"<{len(self)} influence problems>"

    @property
    def vertex_count(self) -> int:
        """Number of vertices with a problem, of all primitives."""
        return sum(_distinct(part.vertices) for part in self._parts)

    def by_rule(self) -> dict[str, RuleCount]:
        """Return how often each rule is broken that is, in the order of `INFLUENCE_RULES`."""
        counts: dict[str, RuleCount] = {}
        for number, rule in enumerate(INFLUENCE_RULES):
            for part in self._parts:
                chosen = part.rules == number
                if chosen.any():
                    first, vertices = counts.get(rule, RuleCount(part.problem(int(chosen.argmax())), 0))
                    counts[rule] = RuleCount(first, vertices + _distinct(part.vertices[chosen]))
        return counts

    def of_primitive(self, pointer: str, /) -> InfluenceProblems:
        """Return the same problems, said to be of the primitive at that JSON pointer."""
        return InfluenceProblems([replace(part, primitive=pointer) for part in self._parts])

    @classmethod
    def joined(cls, problems: Sequence[InfluenceProblems], /) -> InfluenceProblems:
        """Return the problems of several primitives as one sequence."""
        return cls([part for some in problems for part in some._parts])


def _distinct(ascending: NDArray[np.intp]) -> int:
    """Return how many different numbers there are."""
    return int((ascending[1:] != ascending[:-1]).sum()) + min(1, len(ascending))


class InfluenceError(SkinproofError, ValueError):
    """Influences break the weight contract; `problems` has every broken rule of every vertex.

    Attributes:
        problems: every broken rule of every vertex, of all primitives concerned; reads like a tuple.
        file: the file or character that has them, or "" where plain arrays were given.
        remedy: what to do about them.
    """

    def __init__(self, problems: InfluenceProblems, *, file: str = "") -> None:
        self.problems, self.file = problems, file
        broken = problems.by_rule().keys()
        self.remedy = " ".join(remedy for remedy, rules in _REMEDIES.items() if broken & rules)
        shown = "; ".join(str(problem) for problem in problems[:_SHOWN])
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        vertices = problems.vertex_count
        verb = "vertex breaks" if vertices == 1 else "vertices break"
        place = f"{file}: " if file else ""
        super().__init__(f"{place}{vertices} {verb} the weight contract: {shown}{more}. {self.remedy}".rstrip())


_SHOWN = 8
"""How many problems a message spells out; `problems` has them all."""

_REMEDIES = {
    "Mend the influences at the producer.": {"no_influences", "negative_joint", "joint_out_of_range"},
    "Merge them first (merge_duplicates).": {"duplicate_joint"},
    "Mend the weights at the producer, or name a policy for them (repair; on the command line --repair).": {
        "nonfinite_weight",
        "negative_weight",
        "zero_sum",
    },
}


class FormatError(SkinproofError):
    """A file cannot be read: what is wrong, where in it (a JSON pointer or byte offset), what to do.

    Attributes:
        path: the file, as the caller named it.
        pointer: JSON pointer into the file's JSON ("" is the root), or None where there is no JSON to point into.
        reason: what is wrong.
        remedy: what to do about it, or "".
    """

    def __init__(self, reason: str, *, path: str = "", pointer: str | None = None, remedy: str = "") -> None:
        self.path, self.pointer, self.reason, self.remedy = path, pointer, reason, remedy
        place = " ".join(part for part in (path, pointer) if part)
        message = f"{place}: {reason}" if place else reason
        super().__init__(f"{message}. {remedy}" if remedy else message)


class UnsupportedError(FormatError):
    """A file uses something that skinproof does not read; `feature` names it (an extension, for example)."""

    def __init__(
        self, reason: str, *, feature: str, path: str = "", pointer: str | None = None, remedy: str = ""
    ) -> None:
        self.feature = feature
        super().__init__(reason, path=path, pointer=pointer, remedy=remedy)


class OutputError(SkinproofError, OSError):
    """An output cannot be written; nothing was. The message names the path and the remedy."""


class ComparisonError(SkinproofError, ValueError):
    """Two characters cannot be compared; the message says what differs and what to compare instead.

    That is: other primitives, vertex counts or positions; a primitive shown through other skins; other skins, numbers
    or order of joints; another number of clips, or clips that begin or end at other times; other skinning matrices,
    at rest or in a clip. Also `changes` given to `measuring.measure` that are not one per primitive.
    """
