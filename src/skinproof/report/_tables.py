"""How the tables of a report look: sections, columns, one unit for all lengths of a table."""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from skinproof.model.measurement import Measurement

_LARGE = 100.0


def printable(text: str) -> str:
    """Return a name from a file, safe to print: what would steer a terminal is shown as a question mark."""
    return "".join(character if character.isprintable() else "?" for character in text)


def name_cell(text: str) -> Text:
    """A name from a file as a cell: rich would read square brackets in a plain string as mark-up."""
    return Text(printable(text))


def section(title: str, body: RenderableType) -> RenderableType:
    return Group(Text(title, style="bold"), Padding(body, (0, 0, 0, 2), expand=False))


def new_table(*, headed: bool = True) -> Table:
    return Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim", show_header=headed)


class Unit:
    """One unit for all lengths of a table, so that they can be compared at a glance: three decimals of millimetres.

    Characters of a hundred metres and more (or in another unit than metres) get metres.
    """

    def __init__(self, measurement: Measurement) -> None:
        self.name, self._factor = ("m", 1.0) if measurement.diagonal >= _LARGE else ("mm", 1e3)

    def __call__(self, metres: float) -> str:
        value = metres * self._factor
        if not math.isfinite(value):
            return "∞"
        return "<0.001" if 0.0 < value < 0.0005 else f"{value:,.3f}"


def number_columns(table: Table, *headers: str) -> None:
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True)
