"""A report on a terminal: the verdict first, then the tables."""

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
from edgeworth.report.wording import describe_provenance, format_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from edgeworth.core.measures import Measure

PLAIN_WIDTH = 120

NARROWEST = 20
"""Columns below which a terminal is taken to be wider than it says."""

GAP = 2
"""Between columns."""

LEAST_TEXT = 16
"""Words are folded, but not into columns narrower than that."""

LONG_ORIGINS = ("digest", "versions")
"""What the JSON and the page say, and a terminal has no room for."""


class Terminal(Console):
    """Standard output. A reader that leaves early (head, less) is no error."""

    def __init__(self) -> None:
        super().__init__()
        # COLUMNS=0 means that the width is unknown, and nothing fits into a few columns.
        self.width = max(self.width or PLAIN_WIDTH, NARROWEST)

    def on_broken_pipe(self) -> None:
        """Let the command end quietly."""
        raise BrokenPipeError


def _text(text: str, style: str = "") -> Text:
    """Make text, not markup, that nothing on its way can make a terminal obey."""
    return Text("\n".join(map(visible, text.split("\n"))), style=style)


def print_report(report: Report, console: Console | None = None, *, full: bool = True) -> None:
    """Show a report, or its verdict, warnings and main tables alone."""
    report = report.displayed()
    main = [section for section in report.sections if section.is_main]
    sections = report.sections if full or not main else main
    with digits_shown(report.digits):
        _print(report, sections, console or Terminal(), full=full)


def _print(report: Report, sections: Sequence[Section], out: Console, *, full: bool) -> None:
    out.print(Panel(_text(report.verdict, style="bold"), title="Verdict", title_align="left", padding=(0, 2)))
    for warning in report.warnings:
        out.print(_text(f"! {warning}", style="yellow"))
    for section in sections:
        out.print()
        out.print(_text(section.title, style="bold underline"))
        for line in section.text:
            out.print(_text(line))
        for grid in section.grids:
            if grid.title:
                # A title of its own line does not wrap inside a narrow table.
                out.print(_text(grid.title, style="italic"))
            for table in _tables(grid, out.width, full=full):
                out.print(table)
            if grid.note:
                out.print(_text(grid.note, style="dim"))
    out.print()
    if len(sections) < len(report.sections):
        more = ", ".join(section.title for section in report.sections if section not in sections)
        out.print(_text(f"--full shows more: {more}.", style="dim"))
        return
    if report.citation:
        out.print(_text(f"How to report this: {report.citation}\n"))
    out.print(_text(describe_provenance(report.provenance, LONG_ORIGINS), style="dim"))


def _tables(grid: Grid, width: int, *, full: bool) -> list[Table]:
    """Make the table; one that is too wide goes on below, with its first column again."""
    cells = format_rows(grid)
    sizes = [_sizes(column, [row[place] for row in cells]) for place, column in enumerate(grid.columns)]
    parts = _parts([least for least, _ in sizes], width)
    if len(parts) > 1 and not full:
        kept = [place for place, column in enumerate(grid.columns) if not column.is_extra]
        parts = [
            [kept[place] for place in part] for part in _parts([sizes[place][0] for place in kept], width)
        ]
    return [
        _table(
            [grid.columns[place] for place in places],
            [[row[place] for place in places] for row in cells],
            [sizes[place] for place in places],
            width,
        )
        for places in parts
    ]


def _sizes(column: Column, texts: list[str]) -> tuple[int, int]:
    """Find a column's least and full width: numbers are never cut, words and headings may be folded."""
    widest = max(map(cell_len, texts), default=0)
    word = max(map(cell_len, column.name.split()), default=0)
    least = min(max(widest, word), LEAST_TEXT) if column.is_text else max(widest, min(word, LEAST_TEXT))
    return least, max(widest, cell_len(column.name))


def _parts(least: list[int], width: int) -> list[list[int]]:
    """Choose which columns stand together.

    >>> _parts([10, 20, 20, 20], 80), _parts([10, 20, 20, 20], 60)
    ([[0, 1, 2, 3]], [[0, 1, 2], [0, 3]])
    """
    parts, used = [[0]], least[0]
    for place in range(1, len(least)):
        if used + GAP + least[place] > width and len(parts[-1]) > 1:
            parts.append([0])
            used = least[0]
        parts[-1].append(place)
        used += GAP + least[place]
    return parts


def _table(
    columns: Sequence[Column], cells: list[list[str]], sizes: list[tuple[int, int]], width: int
) -> Table:
    """Set some columns in a width; spare room goes to those that lack least, so that most are not folded."""
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(_text(column.name), justify="left" if column.is_text else "right", overflow="fold")
    left = width - sum(least for least, _ in sizes) - GAP * (len(columns) - 1)
    for place in sorted(range(len(sizes)), key=lambda place: sizes[place][1] - sizes[place][0]):
        least, full = sizes[place]
        more = max(0, min(full - least, left))
        table.columns[place].width, left = least + more, left - more
    for row in cells:
        # Text, not markup: a label such as [red] is a label.
        table.add_row(*map(_text, row))
    return table


def print_measures(measures: Sequence[Measure], console: Console | None = None) -> None:
    """Show a list of measures: how each is written, what it is, and where it comes from."""
    out = console or Terminal()
    better = {"higher": "higher is better", "lower": "lower is better", "neither": "neither way is better"}
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
    """Show a report without colours, for ``str(report)``."""
    buffer = io.StringIO()
    print_report(report, Console(file=buffer, width=PLAIN_WIDTH, no_color=True))
    return buffer.getvalue()
