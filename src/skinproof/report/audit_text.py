"""An audit as text, for people: the verdict, the counts, and a timeline of the draws."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from skinproof.findings import Severity
from skinproof.gate import Verdict, words
from skinproof.model.audit import CaptureAudit, DrawAudit, DrawKind
from skinproof.report.text import findings_table, printable

_MAX_LINES = 20
_WIDTH = 64
_MARKS = {
    DrawKind.WHOLE: (".", "green"),
    DrawKind.STALE: ("s", "yellow"),
    DrawKind.UNEXPLAINED: ("?", "yellow"),
    DrawKind.TORN: ("T", "bold red"),
    DrawKind.IDENTITY_FILLED: ("I", "bold red"),
    DrawKind.WRONG_SPACE: ("W", "bold red"),
    DrawKind.NOT_FINITE: ("N", "bold red"),
    DrawKind.WRONG_JOINT_COUNT: ("J", "bold red"),
}
"""Kind → its mark in the timeline, a worse kind further down."""
_RANK = {kind: rank for rank, kind in enumerate(_MARKS)}


def show_audit(
    file: str,
    against: str,
    found: CaptureAudit,
    verdict: Verdict,
    say: Callable[[CaptureAudit, DrawAudit], str],
    console: Console,
    /,
    *,
    quiet: bool = False,
) -> None:
    """Print an audit.

    Args:
        file: the capture.
        against: the character's file.
        found: what the audit says.
        verdict: what it means.
        say: puts one draw into words.
        console: where to.
        quiet: the verdict and the errors only.
    """
    word, colour = (" PASS ", "green") if verdict.passed else (" FAIL ", "red")
    console.print(
        Text.assemble(
            (word, f"bold white on {colour}"), " ", (printable(file), "bold"), f"  against {printable(against)}"
        ),
        soft_wrap=True,
    )
    counts = " · ".join(f"{number:,} {kind.value}" for kind, number in found.counts.items() if number)
    console.print(f"       {words.count(len(found.draws), 'draw')}: {counts or 'nothing to see'}", style="dim")
    shown = [one for one in verdict.findings if not quiet or one.severity is Severity.ERROR]
    if shown:
        console.print(findings_table(shown))
    if quiet or not found.draws:
        return
    console.print()
    console.print(_timeline(found))
    odd = [draw for draw in found.draws if draw.kind is not DrawKind.WHOLE]
    for draw in sorted(odd, key=lambda draw: -_RANK[draw.kind])[:_MAX_LINES]:
        mark, style = _MARKS[draw.kind]
        line = Text.assemble(f"draw {draw.draw:>6}  ", (mark, style), f"  {draw.kind.value}: ")
        console.print(line + printable(say(found, draw)))
    if len(odd) > _MAX_LINES:
        console.print(f"… and {words.count(len(odd) - _MAX_LINES, 'more draw')} in the JSON", style="dim")


def _timeline(found: CaptureAudit) -> Text:
    """One mark per draw, or per so many draws that all fit: the worst of them."""
    per_mark = -(-len(found.draws) // (_WIDTH * 8))
    line = Text(f"each mark {words.count(per_mark, 'draw')}; . whole")
    for kind, (mark, style) in _MARKS.items():
        if kind is not DrawKind.WHOLE and found.counts[kind]:
            line.append(f", {mark} {kind.value}", style=style)
    marks = [
        max((draw.kind for draw in found.draws[first : first + per_mark]), key=_RANK.__getitem__)
        for first in range(0, len(found.draws), per_mark)
    ]
    for first in range(0, len(marks), _WIDTH):
        line.append(f"\n{first * per_mark:>8}  ")
        for kind in marks[first : first + _WIDTH]:
            mark, style = _MARKS[kind]
            line.append(mark, style=style)
    return line
