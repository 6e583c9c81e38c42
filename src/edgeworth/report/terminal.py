"""Print a report on a terminal: the verdict first, then the tables."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from edgeworth.common.escaping import visible
from edgeworth.core.formatting import MINUS, digits_shown
from edgeworth.report.report import Column, Grid, Report, Section
from edgeworth.report.wording import describe_provenance, format_rows, group_titles, is_notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from edgeworth.core.measures import Measure

PLAIN_WIDTH = 120

MIN_TERMINAL_WIDTH = 20
"""A terminal that reports fewer columns is treated as this wide."""

COLUMN_GAP = 2
"""Spaces between columns."""

MIN_TEXT_WIDTH = 16
"""Text is wrapped, but not into narrower columns."""

PROVENANCE_NOT_PRINTED = ("digest", "versions")
"""Facts that only the JSON and the page show, because they are long."""


class Terminal(Console):
    """Standard output. It is no error if a reader such as head or less stops early."""

    def __init__(self) -> None:
        super().__init__()
        # COLUMNS=0 means that the width is unknown, and nothing fits into a few columns.
        self.width = max(self.width or PLAIN_WIDTH, MIN_TERMINAL_WIDTH)

    def on_broken_pipe(self) -> None:
        """Raise the error that ends the command quietly."""
        raise BrokenPipeError


def _text(text: str, style: str = "") -> Text:
    """Make plain text (no markup) without control characters."""
    return Text("\n".join(map(visible, text.split("\n"))), style=style)


def print_report(report: Report, console: Console | None = None, *, full: bool = True) -> None:
    """Print a report, or only its verdict, warnings and main tables."""
    report = report.displayed()
    sections = report.sections if full else report.main_sections
    with digits_shown(report.digits):
        _print(report, sections, console or Terminal(), full=full)


def _print(report: Report, sections: Sequence[Section], out: Console, *, full: bool) -> None:
    out.print(Panel(_text(report.verdict, style="bold"), title="Verdict", title_align="left", padding=(0, 2)))
    for warning in report.warnings:
        if not is_notice(warning):
            out.print(_text(f"! {warning}", style="yellow"))
    for notice in filter(is_notice, report.warnings):
        out.print(_text(notice, style="dim"))
    for section in sections:
        if not section.text and not section.grids:
            continue  # charts only, which pages show
        out.print()
        out.print(_text(section.title, style="bold underline"))
        for line in section.text:
            out.print(_text(line))
        for grid in section.grids:
            if grid.title:
                # The title gets its own line, because it would wrap inside a narrow table.
                out.print(_text(grid.title, style="italic"))
            for table in _tables(grid, out.width, full=full):
                out.print(table)
            if grid.note:
                out.print(_text(grid.note, style="dim"))
    out.print()
    if len(sections) < len(report.sections):
        more = group_titles([section.title for section in report.sections if section not in sections])
        out.print(_text(f"--full shows more: {more}.", style="dim"))
        return
    if report.citation:
        out.print(_text(f"How to report this: {report.citation}\n"))
    out.print(_text(describe_provenance(report.provenance, PROVENANCE_NOT_PRINTED), style="dim"))


def _tables(grid: Grid, width: int, *, full: bool) -> list[Table]:
    """Make the table; one that is too wide continues below, with its first column repeated."""
    cells = format_rows(grid)
    sizes = [_sizes(column, [row[index] for row in cells]) for index, column in enumerate(grid.columns)]
    parts = _parts([least for least, _ in sizes], width)
    if len(parts) > 1 and not full:
        shown = [index for index, column in enumerate(grid.columns) if not column.is_extra]
        parts = [
            [shown[index] for index in part] for part in _parts([sizes[index][0] for index in shown], width)
        ]
    return [
        _table(
            [grid.columns[index] for index in indices],
            [[row[index] for index in indices] for row in cells],
            [sizes[index] for index in indices],
            width,
        )
        for indices in parts
    ]


def _sizes(column: Column, texts: list[str]) -> tuple[int, int]:
    """Return a column's minimum and full width: numbers are never cut, text and headings may wrap."""
    widest = max(map(cell_len, texts), default=0)
    word = max(map(cell_len, column.name.split()), default=0)
    least = (
        min(max(widest, word), MIN_TEXT_WIDTH) if column.is_text else max(widest, min(word, MIN_TEXT_WIDTH))
    )
    return least, max(widest, cell_len(column.name))


def _parts(least: list[int], width: int) -> list[list[int]]:
    """Divide the columns into tables that fit.

    >>> _parts([10, 20, 20, 20], 80), _parts([10, 20, 20, 20], 60)
    ([[0, 1, 2, 3]], [[0, 1, 2], [0, 3]])
    """
    parts, used = [[0]], least[0]
    for index in range(1, len(least)):
        if used + COLUMN_GAP + least[index] > width and len(parts[-1]) > 1:
            parts.append([0])
            used = least[0]
        parts[-1].append(index)
        used += COLUMN_GAP + least[index]
    return parts


def _table(
    columns: Sequence[Column], cells: list[list[str]], sizes: list[tuple[int, int]], width: int
) -> Table:
    """Lay out columns in a width; spare room goes first to those that need least, so that few wrap."""
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(_text(column.name), justify="left" if column.is_text else "right", overflow="fold")
    left = width - sum(least for least, _ in sizes) - COLUMN_GAP * (len(columns) - 1)
    for index in sorted(range(len(sizes)), key=lambda index: sizes[index][1] - sizes[index][0]):
        least, full = sizes[index]
        more = max(0, min(full - least, left))
        table.columns[index].width, left = least + more, left - more
    for row in cells:
        # Text, not markup: a label such as [red] is a label.
        table.add_row(*map(_text, row))
    return table


def print_measures(measures: Sequence[Measure]) -> None:
    """Print measures: the spelling, the formula, the range and the source of each."""
    out = Terminal()
    better = {"higher": "higher is better", "lower": "lower is better", "neither": "no direction is better"}
    for measure in measures:
        low, high = (f"{bound:g}".replace("inf", "∞").replace("-", MINUS) for bound in measure.range)
        high = measure.limit or high
        out.print(_text(measure.spelling, style="bold") + _text(f"  =  {measure.formula}", style="not bold"))
        lines = [f"{low} to {high}, {better[measure.direction]}; by chance: {measure.chance}", measure.source]
        names = {name.lower(): name for name in (*measure.synonyms, measure.words)}
        also = [name for lower, name in names.items() if lower != measure.name]
        if also:
            lines.append("also " + ", ".join(also))
        for line in lines:
            out.print(Padding(_text(line, style="dim"), (0, 0, 0, 4)))


def plain_text(report: Report) -> str:
    """Return a report as text without colours, for ``str(report)``."""
    buffer = io.StringIO()
    print_report(report, Console(file=buffer, width=PLAIN_WIDTH, no_color=True))
    return buffer.getvalue()
