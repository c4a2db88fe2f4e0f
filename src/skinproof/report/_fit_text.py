"""The part of the text report that says how influences were fitted, and what that is worth in other poses."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from skinproof.gate import words
from skinproof.model import InfluenceFit, Outcome
from skinproof.model.fit import NearStillJoint, Trial
from skinproof.report._content import Report
from skinproof.report._fit_json import pooled
from skinproof.report._tables import new_table, number_columns, printable, section

_OUTCOMES = {
    Outcome.BEST: "given the best influences there are",
    Outcome.NEXT: "given the next best that move it no further than the largest",
    Outcome.MAXIMUM: "kept the largest: others move it further in some pose",
    Outcome.PRIOR: "kept the largest: others promise worse in other poses",
    Outcome.UNDECIDED: "kept the largest: nothing tells the joints apart",
    Outcome.UNSHOWN: "kept the largest: no skin shows it",
}
_TRIALS = {"training": "these poses", "held_out": "held out", "fresh": "fresh, random"}
_MOST_STILL = 6


def fit_section(report: Report, fits: Sequence[InfluenceFit], /) -> RenderableType:
    """Return the section; `fits` of all primitives that were fitted."""
    title = f"Fit of {words.vertices(sum(fit.fitted for fit in fits))} with more influences than that"
    parts: list[RenderableType] = [_outcomes(fits)]
    if report.fit_check is not None:
        parts += [Text(), _trials(report.fit_check.trials)]
        if report.fit_check.still:
            parts += [Text(), _still(report.fit_check.still)]
    return section(title, Group(*parts))


def _outcomes(fits: Sequence[InfluenceFit]) -> RenderableType:
    table = new_table(headed=False)
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    for outcome, said in _OUTCOMES.items():
        count = sum(fit.count(outcome) for fit in fits)
        if count:
            table.add_row(said, f"{count:,}")
    unproven = sum(int(fit.unproven.sum()) for fit in fits)
    if unproven:
        table.add_row("search cut short: there may be better", f"{unproven:,}")
    costs = {
        "RMS cost of the optimum": "optimum",
        "of what was written": "chosen",
        "of keep-the-largest": "largest",
    }
    found = pooled(fits)
    for said, name in costs.items():
        table.add_row(said, words.length(found[name]))
    return table


def _trials(trials: Sequence[Trial]) -> RenderableType:
    table = new_table()
    table.add_column("in poses")
    number_columns(table, "poses", "RMS", "largest’s RMS", "max", "largest’s max")
    for trial in trials:
        figures = (trial.exact.rms, trial.largest.rms, trial.exact.max, trial.largest.max)
        table.add_row(_TRIALS[trial.name], f"{trial.poses:,}", *map(words.length, figures))
    return table


def _still(still: Sequence[NearStillJoint]) -> RenderableType:
    shown = sorted(still, key=lambda near: -len(near.vertices))[:_MOST_STILL]
    named = ", ".join(f"{printable(near.name)} ({len(near.vertices):,})" for near in shown)
    more = f" and {len(still) - len(shown)} more" if len(still) > len(shown) else ""
    return Text(f"Joints that no pose moves, near so many of these vertices: {named}{more}", style="dim")
