"""A report on a terminal: the verdict first, then the tables."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from edgeworth.reports.report import Grid, Report
from edgeworth.reports.wording import shown

if TYPE_CHECKING:
    from rich.console import RenderableType

PLAIN_WIDTH = 120


def print_report(report: Report, console: Console | None = None) -> None:
    """Show a report."""
    out = console or Console()
    out.print(Panel(Text(report.verdict, style="bold"), title="Verdict", title_align="left", padding=(1, 2)))
    for warning in report.warnings:
        out.print(Text(f"! {warning}", style="yellow"))
    for section in report.sections:
        out.print()
        out.print(Text(section.title, style="bold underline"))
        for line in section.text:
            out.print(Text(line))
        for grid in section.grids:
            out.print(_table(grid))
            if grid.note:
                out.print(Text(grid.note.removeprefix("; "), style="dim"))
    out.print()
    out.print(Text(_origin(report), style="dim"))


def _table(grid: Grid) -> RenderableType:
    table = Table(
        title=grid.title or None, title_justify="left", title_style="italic", box=None, pad_edge=False
    )
    for column in grid.columns:
        table.add_column(
            Text(column.name), justify="left" if column.kind == "text" else "right", overflow="fold"
        )
    for row in grid.rows:
        # Text, not markup: a label such as [red] is a label.
        table.add_row(
            *(Text(shown(cell, column.kind)) for cell, column in zip(row, grid.columns, strict=True))
        )
    return table


def _origin(report: Report) -> str:
    return " · ".join(
        f"{name} {value}" for name, value in report.provenance.items() if value not in (None, "")
    )


def plain_text(report: Report) -> str:
    """The same without colours, for ``str(report)``."""
    buffer = io.StringIO()
    print_report(report, Console(file=buffer, width=PLAIN_WIDTH, no_color=True))
    return buffer.getvalue()
