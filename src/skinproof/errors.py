"""The exceptions of skinproof: one small tree, every message with the place and the remedy.

Misuse raises; a flaw in an asset that still can be processed is a finding (`skinproof.findings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class SkinproofError(Exception):
    """Root of every exception that skinproof raises on purpose."""


class ArrayError(SkinproofError, ValueError):
    """An array argument has the wrong type, dtype, shape, layout or values; the message names the argument."""


class OptionError(SkinproofError, ValueError):
    """An option has a value that makes no sense (K of 0, an unknown repair policy); the message names it."""


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


class InfluenceError(SkinproofError, ValueError):
    """Influences break the weight contract; `problems` has every broken rule of every vertex.

    Attributes:
        problems: every broken rule of every vertex, of all primitives concerned.
        remedy: what to do about them.
    """

    def __init__(self, problems: Sequence[InfluenceProblem]) -> None:
        self.problems = tuple(problems)
        self.remedy = " ".join(
            remedy for remedy, rules in _REMEDIES.items() if any(problem.rule in rules for problem in self.problems)
        )
        vertices = len({(problem.primitive, problem.vertex) for problem in self.problems})
        shown = "; ".join(str(problem) for problem in self.problems[:_SHOWN])
        more = f"; and {len(self.problems) - _SHOWN} more" if len(self.problems) > _SHOWN else ""
        verb = "vertex breaks" if vertices == 1 else "vertices break"
        super().__init__(f"{vertices} {verb} the weight contract: {shown}{more}. {self.remedy}".rstrip())


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
