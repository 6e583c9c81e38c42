"""A report on a terminal: the verdict first, then the tables."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from edgeworth.reports.report import Grid, Report
from edgeworth.reports.wording import MINUS, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from edgeworth.measures import Measure

PLAIN_WIDTH = 120

LONG_ORIGINS = ("digest", "versions")
"""What the JSON and the page say, and a terminal has no room for."""


class Terminal(Console):
    """Standard output. A reader that leaves early (head, less) is no error."""

    def on_broken_pipe(self) -> None:
        """Leave quietly, and keep Python from complaining when it closes the pipe."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def print_report(report: Report, console: Console | None = None) -> None:
    """Show a report."""
    out = console or Terminal()
    out.print(Panel(Text(report.verdict, style="bold"), title="Verdict", title_align="left", padding=(1, 2)))
    for warning in report.warnings:
        out.print(Text(f"! {warning}", style="yellow"))
    for section in report.sections:
        out.print()
        out.print(Text(section.title, style="bold underline"))
        for line in section.text:
            out.print(Text(line))
        for grid in section.grids:
            if grid.title:
                # A title of its own line does not wrap inside a narrow table.
                out.print(Text(grid.title, style="italic"))
            out.print(_table(grid))
            if grid.note:
                out.print(Text(grid.note.removeprefix("; "), style="dim"))
    out.print()
    out.print(Text(_origin(report), style="dim"))


def _table(grid: Grid) -> RenderableType:
    table = Table(box=None, pad_edge=False)
    for column in grid.columns:
        number = column.kind != "text"
        table.add_column(
            Text(column.name), justify="right" if number else "left", no_wrap=number, overflow="fold"
        )
    for row in grid.rows:
        # Text, not markup: a label such as [red] is a label.
        table.add_row(
            *(Text(shown(cell, column.kind)) for cell, column in zip(row, grid.columns, strict=True))
        )
    return table


def _origin(report: Report) -> str:
    return " · ".join(
        f"{name} {value}"
        for name, value in report.provenance.items()
        if value not in (None, "") and name not in LONG_ORIGINS
    )


def print_measures(measures: Sequence[Measure], console: Console | None = None) -> None:
    """A list of measures: how each is written, what it is, and where it comes from."""
    out = console or Terminal()
    better = {"higher": "higher is better", "lower": "lower is better", "neither": "neither way is better"}
    for measure in measures:
        low, high = (f"{bound:g}".replace("inf", "∞").replace("-", MINUS) for bound in measure.range)
        out.print(Text(measure.spelling, style="bold") + Text(f"  =  {measure.formula}", style="not bold"))
        lines = [
            f"{low} to {high}, {better[measure.direction]}; by chance: {measure.chance}",
            measure.source,
        ]
        if measure.synonyms:
            lines.append("also " + ", ".join(measure.synonyms))
        for line in lines:
            out.print(Padding(Text(line, style="dim"), (0, 0, 0, 4)))


def plain_text(report: Report) -> str:
    """The same without colours, for ``str(report)``."""
    buffer = io.StringIO()
    print_report(report, Console(file=buffer, width=PLAIN_WIDTH, no_color=True))
    return buffer.getvalue()
