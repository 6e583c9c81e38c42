"""A report inside another page: what a notebook shows. Verdict, warnings, tables; no script, no style."""

from __future__ import annotations

from html import escape

from edgeworth.core.markup import html_table
from edgeworth.report.report import Grid, Report
from edgeworth.report.wording import shortened, shown

SHOWN_ROWS = 30
LONGEST = 200


def report_fragment(report: Report) -> str:
    """HTML that can stand anywhere; everything in it is text, whatever it looks like."""
    parts = [f"<p><strong>{escape(report.verdict)}</strong></p>".replace("\n", "<br>")]
    parts += [f"<p>! {escape(warning)}</p>" for warning in report.warnings]
    for section in report.sections:
        parts.append(f"<h4>{escape(section.title)}</h4>")
        parts += [f"<p>{escape(line)}</p>" for line in section.text]
        parts += [_table(grid) for grid in section.grids]
    if report.charts:
        names = ", ".join(report.charts)
        parts.append(f"<p>Charts: {escape(names)}; report.charts[name] shows one.</p>")
    return f"<div>{''.join(parts)}</div>"


def _table(grid: Grid) -> str:
    rows = [
        [shortened(shown(cell, column.kind), LONGEST) for cell, column in zip(row, grid.columns, strict=True)]
        for row in grid.rows[:SHOWN_ROWS]
    ]
    notes = [grid.note.removeprefix("; ")] if grid.note else []
    if len(grid.rows) > SHOWN_ROWS:
        notes.append(f"the first {SHOWN_ROWS} of {len(grid.rows):,} rows")
    said = f"<p><small>{escape('; '.join(notes))}</small></p>" if notes else ""
    return html_table(grid.title, [shortened(column.name, LONGEST) for column in grid.columns], rows) + said
