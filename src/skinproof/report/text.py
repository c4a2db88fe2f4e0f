"""The report as text, for people: the verdict first, then what to look at, then the figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from skinproof.findings import REGISTRY, Finding, Severity
from skinproof.gate import words
from skinproof.model.measurement import Measurement, WorstVertex
from skinproof.model.survey import Survey
from skinproof.report._content import Report
from skinproof.report._fit_text import fit_section
from skinproof.report._tables import Unit, name_cell, new_table, number_columns, printable, section

__all__ = ["findings_table", "printable", "show"]

_COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
_MAX_FINDINGS = 12
_MAX_ROWS = 20
_BAR_WIDTH = 24
_FAR = 1e6
_INDENT = 7


def show(report: Report, console: Console, /, *, quiet: bool = False) -> None:
    """Print the report.

    Args:
        report: what to print.
        console: where to; colours are used only if it is a terminal.
        quiet: print the verdict and the errors only.
    """
    errors = [finding for finding in report.verdict.findings if finding.severity is Severity.ERROR]
    # Lines with paths are not wrapped, so that a path can be found and copied whole.
    console.print(_verdict(report), soft_wrap=True)
    console.print(Padding(_gated(report), (0, 0, 0, _INDENT), expand=False))
    for path in report.written:
        console.print(Text(f"{' ' * _INDENT}written: {printable(path)}", style="dim"), soft_wrap=True)
    found = errors if quiet else list(report.verdict.findings)
    if found:
        console.print(findings_table(found))
    if quiet:
        return
    for part in _sections(report):
        console.print()
        console.print(part)


def _sections(report: Report) -> Iterator[RenderableType]:
    measurement = report.measurement
    if measurement is not None and measurement.worst is not None:
        yield _displacement(report, measurement)
        yield _worst(measurement, measurement.worst)
        yield _causes(report, measurement)
        yield _spread(measurement)
        yield _clips(measurement)
    if report.command == "inspect":
        yield _primitives(report.survey)
        yield _skins(report.survey)
        if report.survey.clips:
            yield _clip_list(report.survey)
    fits = [change.fit for change in report.changes if change.fit is not None]
    if fits:
        yield fit_section(report, fits)
    yield _histogram(report)
    yield _checks(report)


def _verdict(report: Report) -> Text:
    word, colour = (" PASS ", "green") if report.verdict.passed else (" FAIL ", "red")
    against = "" if report.original_file is None else f"  against {printable(report.original_file)}"
    return Text.assemble((word, f"bold white on {colour}"), " ", (printable(report.file), "bold"), against)


def _gated(report: Report) -> RenderableType:
    policy = report.policy
    parts = []
    if policy.max_influences is not None:
        parts.append(f"at most {words.count(policy.max_influences, 'influence')} per vertex")
    if policy.tolerance is not None:
        parts.append(f"displacement at most {policy.tolerance.text}")
    counts = {level: sum(one.severity is level for one in report.verdict.findings) for level in Severity}
    found = [
        words.count(counts[Severity.ERROR], "error"),
        words.count(counts[Severity.WARNING], "warning"),
        words.count(counts[Severity.INFO], "note"),
        words.count(len(report.verdict.checks), "check"),
    ]
    return Group(Text("gated: " + ", ".join([*parts, "weight contract"])), Text(" · ".join(found), style="dim"))


def findings_table(findings: Sequence[Finding], /) -> RenderableType:
    """Return findings as a table, with what to do; `findings` in the order wanted."""
    table = new_table(headed=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    shown = findings[:_MAX_FINDINGS]
    last_of = {finding.code: finding for finding in shown}
    for finding in shown:
        said = Text(finding.code, style="bold")
        said.append(f"  {printable(finding.message)}", style="not bold")
        if finding.severity is not Severity.INFO and finding is last_of[finding.code]:
            said.append(f"\n→ {REGISTRY[finding.code].remedy}", style="not bold dim")
        level = "note" if finding.severity is Severity.INFO else finding.severity.value
        table.add_row(Text(level, style=_COLOURS[finding.severity]), said)
    if len(findings) > _MAX_FINDINGS:
        table.add_row("", f"… and {words.count(len(findings) - _MAX_FINDINGS, 'more finding')} in the JSON report")
    return Group(Text(), table)


def _displacement(report: Report, measurement: Measurement) -> RenderableType:
    table = new_table(headed=False)
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim")
    summary, tolerance = measurement.summary, report.policy.tolerance
    limit = tolerance.limit(measurement.diagonal) if tolerance is not None else None
    rows = [("maximum", summary.max, f"of the diagonal, {words.length(measurement.diagonal)}")]
    if tolerance is not None and limit is not None:
        rows.append(("tolerance", limit, tolerance.text))
    rows.append(("RMS", summary.rms, "over vertices and poses"))
    if math.isfinite(summary.bound) or measurement.match is None:  # none is made of two sets of joints
        rows.append(("bound", summary.bound, "the maximum cannot exceed it in these poses"))
    for name, metres, note in rows:
        style = "bold red" if name == "maximum" and limit is not None and metres > limit else ""
        share = words.share(measurement.relative(metres))
        table.add_row(name, Text(words.length(metres), style=style), Text(share, style=style), note)
    against = "the original as stored" if measurement.reference == "stored" else "the original, normalized"
    seen = f"{words.vertices(summary.vertices)}, {words.count(measurement.poses, 'pose')}"
    return section(f"Displacement from {against} ({seen})", table)


def _worst(measurement: Measurement, worst: WorstVertex) -> RenderableType:
    when = words.moment(printable(worst.clip), worst.time, worst.pose)
    title = f"Worst vertex: {worst.vertex} of {printable(worst.name)}, {when}"
    before = dict(zip(worst.joints_before, worst.weights_before, strict=True))
    after = dict(zip(worst.joints_after, worst.weights_after, strict=True))
    table = new_table()
    table.add_column("joint", overflow="fold")
    table.add_column("before", justify="right", no_wrap=True)
    table.add_column("after", justify="right", no_wrap=True)
    for joint in dict.fromkeys([*before, *after]):
        dropped = joint not in after
        style = "red" if dropped else ""
        cells = [f"{weights[joint]:.4f}" if joint in weights else "–" for weights in (before, after)]
        table.add_row(Text(printable(joint), style=style), *(Text(cell, style=style) for cell in cells))
    table.add_row("sum", *(f"{sum(weights.values()):.4f}" for weights in (before, after)), style="dim")
    positions = [" ".join(map(_coordinate, point)) for point in (worst.position_before, worst.position_after)]
    where = Text(f"from {positions[0]} to {positions[1]} m ({words.length(worst.metres)})", style="dim")
    place = Text(printable(worst.primitive), style="dim")
    return section(title, Group(place, where, table))


def _coordinate(metres: float) -> str:
    return f"{metres:.4f}" if abs(metres) < _FAR else f"{metres:.4g}"


def _causes(report: Report, measurement: Measurement) -> RenderableType:
    table = new_table()
    unit = Unit(measurement)
    table.add_column("part of it")
    number_columns(table, f"max {unit.name}", "RMS")
    table.add_column("worst vertex", style="dim", overflow="fold")
    names = {primitive.pointer: primitive.name for primitive in measurement.primitives}
    for cause in measurement.causes:
        where = f"{cause.vertex} of {printable(names[cause.primitive])}" if cause.vertex >= 0 else "–"
        # Where nobody knows the weights before packing, sums that are not one fall under it.
        name = cause.name if report.changes or cause.name != "packing" else "sums, packing"
        table.add_row(name, unit(cause.max), unit(cause.rms), Text(where))
    return section("Causes", table)


def _spread(measurement: Measurement) -> RenderableType:
    shown = sorted(measurement.primitives, key=lambda one: -one.summary.max)
    percents = [percent for percent in measurement.summary.percentiles if percent not in (95.0,)]
    table, unit = new_table(), Unit(measurement)
    table.add_column("primitive", overflow="fold")
    number_columns(table, "vertices", *(f"{percent:g} %" for percent in percents), "max", "RMS")
    for primitive in shown[:_MAX_ROWS]:
        summary = primitive.summary
        spread = [unit(summary.percentiles.get(percent, 0.0)) for percent in percents]
        cells = [f"{summary.vertices:,}", *spread, unit(summary.max), unit(summary.rms)]
        table.add_row(name_cell(primitive.name), *cells)
    return section(f"Largest displacement per vertex, percentiles in {unit.name}", _cut(table, len(shown), "primitive"))


def _clips(measurement: Measurement) -> RenderableType:
    shown = sorted(measurement.clips, key=lambda one: -one.max)
    table, unit = new_table(), Unit(measurement)
    table.add_column("clip", overflow="fold")
    number_columns(table, "duration", "poses", f"max {unit.name}", "at", "RMS")
    for clip in shown[:_MAX_ROWS]:
        duration = "–" if measurement.made_poses else words.seconds(clip.duration)
        at = f"pose {clip.pose}" if clip.time is None else words.seconds(clip.time)
        table.add_row(name_cell(clip.name), duration, f"{clip.poses:,}", unit(clip.max), at, unit(clip.rms))
    return section("Clips", _cut(table, len(shown), "clip"))


def _histogram(report: Report) -> RenderableType:
    after = report.survey.histogram
    before = report.original.histogram if report.original is not None else None
    most = max(len(after), len(before or ()))
    table = new_table()
    number_columns(table, "influences", *(("before", "after") if before is not None else ("vertices",)))
    table.add_column(no_wrap=True)
    largest = max(max(after, default=0), 1)
    for count in range(most):
        row = [_at(before, count), _at(after, count)] if before is not None else [_at(after, count)]
        if any(row):
            bar = "#" * round(_BAR_WIDTH * row[-1] / largest)
            table.add_row(str(count), *(f"{number:,}" if number else "–" for number in row), Text(bar, style="blue"))
    return section("Vertices by number of influences", table)


def _checks(report: Report) -> RenderableType:
    table = new_table(headed=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(style="dim")
    for check in report.verdict.checks:
        mark = Text("pass", style="green") if check.passed else Text("FAIL", style="bold red")
        table.add_row(mark, check.name.replace("_", " "), words.vertices(check.subjects))
    return section("Checks", table)


def _primitives(survey: Survey) -> RenderableType:
    table = new_table()
    table.add_column("primitive", overflow="fold")
    number_columns(table, "vertices", "influences", "slots")
    table.add_column("stored as")
    table.add_column("skins")
    for one in survey.primitives:
        cells = [f"{one.vertices:,}", str(one.max_influences), str(one.slots)]
        formats = ", ".join(dict.fromkeys(one.set_formats))
        table.add_row(name_cell(one.name), *cells, formats, ", ".join(map(str, one.skins)) or "none")
    return section("Primitives", table)


def _skins(survey: Survey) -> RenderableType:
    table = new_table()
    table.add_column("skin", overflow="fold")
    number_columns(table, "joints", "with weights", "vertices", "bind mismatch")
    for index, skin in enumerate(survey.skins[:_MAX_ROWS]):
        fit = "–" if skin.bind_mismatch is None else words.share(skin.bind_mismatch)
        cells = [f"{number:,}" for number in (skin.joints, skin.weighted_joints, skin.vertices)]
        table.add_row(name_cell(f"{index} {skin.name}".rstrip()), *cells, fit)
    return section("Skins", _cut(table, len(survey.skins), "skin"))


def _clip_list(survey: Survey) -> RenderableType:
    table = new_table()
    table.add_column("clip", overflow="fold")
    number_columns(table, "duration", "channels")
    for clip in survey.clips[:_MAX_ROWS]:
        table.add_row(name_cell(clip.name), words.seconds(clip.duration), f"{clip.channels:,}")
    return section("Clips", _cut(table, len(survey.clips), "clip"))


def _cut(table: Table, rows: int, noun: str) -> RenderableType:
    if rows <= _MAX_ROWS:
        return table
    return Group(table, Text(f"… and {words.count(rows - _MAX_ROWS, 'more ' + noun)} in the JSON report", style="dim"))


def _at(histogram: tuple[int, ...] | None, count: int) -> int:
    return histogram[count] if histogram is not None and count < len(histogram) else 0
