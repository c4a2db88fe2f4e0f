"""Every rule of the pose contract has seeded faults, and each of them can still be seeded.

`make verify` seeds them all; here is what can be said at once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import pytest

from house.tree import ROOT

LISTS = {"verify/faults.toml": "cpp", "verify/python_faults.toml": "."}
"""Lists of faults, with the folder that their edits are relative to."""

FAULTS = [
    (file, fault) for file in LISTS for fault in tomllib.loads((ROOT / file).read_text(encoding="utf-8"))["fault"]
]

RULES = {
    "**Complete**": ["completeness-by-count", "no-complete-gate", "a-failed-job-is-published", "failed-range-counts"],
    "**Finite**": ["no-finite-gate", "infinity-passes", "hole-patched-with-identity", "dead-candidate-is-written"],
    "**Current**": ["no-current-gate", "current-at-begin-only", "judged-when-the-jobs-start"],
    "A revision names": ["scheduler-makes-the-revision", "graph-version-ignored", "graph-version-lost-at-the-border"],
    "An owner starts": ["first-palette-not-copied", "first-palette-not-checked"],
    "A snapshot shares": ["active-palette-written-in-place", "topology-shares-its-arrays", "copy-is-a-view"],
    "The unit of publication": ["pins-not-scanned", "pin-given-back-under-a-view", "closed-snapshot-gives-views"],
    "Publishing is one exchange": ["no-recheck", "writing-not-compared"],
    "Copies may be saved": ["half-a-revision-uploaded", "bound-before-it-is-uploaded", "bound-before-it-is-submitted"],
    "Topology version": [
        "topology-kept-in-slot",
        "topology-is-no-request",
        "wrong-joint-count-begins",
        "too-many-joints-accepted",
    ],
    "A slot that a GPU": ["overwritten-while-it-is-read", "draws-do-not-hold", "uploads-go-back"],
    "Requesting the current": ["equal-request-is-new", "revision-instead-of-request"],
    "A joint written twice": ["twice-not-reported", "twice-refused"],
}
"""How each rule of docs/pose-contract.md begins, with the faults that break it."""


def _rules(document: str) -> list[str]:
    """The items of the chapter with the rules, without what precedes their text."""
    chapter = document.partition("## The rules")[2].partition("\n## ")[0]
    return [line[2:].lstrip(". ") for line in chapter.splitlines() if line[:2] in ("- ", "1.", "2.", "3.")]


def _without_fault(document: str, rules: Mapping[str, list[str]], names: set[str]) -> list[str]:
    """Rules that no fault breaks, and faults of the table that do not exist."""
    lacking = [rule for rule in _rules(document) if not any(rule.startswith(begin) for begin in rules)]
    return lacking + [name for faults in rules.values() for name in faults if name not in names]


@pytest.mark.parametrize(("file", "fault"), FAULTS, ids=[fault["name"] for _, fault in FAULTS])
def test_it_can_be_seeded(file: str, fault: dict[str, Any]) -> None:
    for edit in fault["edit"]:
        text = (ROOT / LISTS[file] / edit["file"]).read_text(encoding="utf-8")
        assert text.count(edit["find"]) == 1, "the text to change must be there once"
        assert edit["find"] != edit["replace"]
    test = fault["test"] if fault["test"].endswith(".py") else f"cpp/tests/publish/{fault['test']}.cpp"
    assert (ROOT / test).is_file()


def test_every_rule_has_faults() -> None:
    names = [fault["name"] for _, fault in FAULTS]
    assert len(names) == len(set(names)) >= 60
    document = (ROOT / "docs" / "pose-contract.md").read_text(encoding="utf-8")
    assert len(_rules(document)) == len(RULES) == 13
    assert _without_fault(document, RULES, set(names)) == []


def test_a_rule_without_fault_is_found() -> None:
    document = (
        "## The rules\n\n1. **Complete**: all.\n\n- A new rule.\n- A joint written\n  twice.\n\n## More\n\n- Else.\n"
    )
    assert _without_fault(document, {"**Complete**": ["x"], "A joint": ["y"]}, {"x"}) == ["A new rule.", "y"]
