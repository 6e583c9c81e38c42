"""Make the HTML that a notebook shows, which works on light and dark backgrounds without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from edgeworth.core.formatting import displayable
from edgeworth.errors import MissingExtraError
from edgeworth.report.charts.chart import Chart, slim_picture
from edgeworth.report.html.key_figures import key_figures
from edgeworth.report.html.parts import first_sentence, keep_powers_whole, table_html, verdicts
from edgeworth.report.report import Grid, Report
from edgeworth.report.wording import is_notice

MAX_ROWS_SHOWN = 30
"""Rows of a table in a notebook; the page and the JSON have more."""

MAX_WARNINGS_SHOWN = 3
"""Warnings in a notebook; the page has them all."""


def report_fragment(report: Report) -> str:
    """Show verdict, key figures, warnings, the leading chart and the main tables.

    Everything but the picture is escaped text, and the picture comes from the converter.
    """
    parts = ['<div class="verdict">']
    for about, first, rest in verdicts(report):
        name = f"<b>{escape(about)}:</b> " if about else ""
        more = f" {keep_powers_whole(rest)}" if rest else ""
        parts.append(f"<p>{name}<strong>{keep_powers_whole(first)}</strong>{more}</p>")
    parts.append("</div>")
    parts += [_figures(report), *_warnings(report)]
    if report.lead in report.charts:
        parts.append(_picture(report.charts[report.lead]))
    for section in report.main_sections:
        parts.append(f"<h4>{escape(section.title)}</h4>")
        parts += [f"<p>{escape(line)}</p>" for line in section.text]
        parts += [table_html(grid, grid.title or section.title, MAX_ROWS_SHOWN) for grid in section.grids]
    return fragment([*parts, _more(report)])


def tables_fragment(headline: str, grids: Iterable[Grid], notes: Sequence[str]) -> str:
    """Show one sentence, the tables behind it and notes."""
    verdict = f'<div class="verdict"><p><strong>{escape(displayable(headline))}</strong></p></div>'
    tables = [table_html(grid, grid.title or headline, MAX_ROWS_SHOWN) for grid in grids]
    return fragment([verdict, *tables, *(f'<p class="note">{escape(displayable(x))}</p>' for x in notes)])


def fragment(parts: Iterable[str]) -> str:
    """Wrap parts in a fragment with its own style, whose rules apply only to this fragment."""
    return f'<div class="edgeworth-view"><style>{_style()}</style>{"".join(parts)}</div>'


def _figures(report: Report) -> str:
    figures = key_figures(report)
    if not figures:
        return ""
    shown = (
        f"<div><dt>{escape(figure.label)}</dt><dd>{escape(figure.value)}</dd>"
        + (f'<dd class="note">{keep_powers_whole(figure.detail)}</dd>' if figure.detail else "")
        + "</div>"
        for figure in figures
    )
    return f'<dl class="figures">{"".join(shown)}</dl>'


def _warnings(report: Report) -> list[str]:
    """Show a few warnings, each folded after its first sentence, and notes on how the data were read."""
    warnings = [text for text in report.warnings if not is_notice(text)]
    parts = []
    for text in warnings[:MAX_WARNINGS_SHOWN]:
        first, rest = first_sentence(text)
        folded = f"<details><summary>{escape(first)}</summary>{escape(rest)}</details>"
        parts.append(f'<div class="warning">{folded if rest else escape(first)}</div>')
    hidden = len(warnings) - MAX_WARNINGS_SHOWN
    if hidden > 0:
        parts.append(f'<p class="note">print(report) shows {hidden} more warnings.</p>')
    return parts + [f'<p class="note">{escape(text)}</p>' for text in report.warnings if is_notice(text)]


def _picture(chart: Chart) -> str:
    """Draw a chart in the notebook's text colour, or name the missing library."""
    title, note = escape(displayable(chart.title)), keep_powers_whole(displayable(chart.description))
    try:
        picture = slim_picture(chart.svg())
    except MissingExtraError as error:
        picture = f'<p class="note">{escape(str(error))}</p>'
    return f'<figure><figcaption>{title}<br><span class="note">{note}</span></figcaption>{picture}</figure>'


def _more(report: Report) -> str:
    """Name the other charts, and explain how to see the whole report."""
    others = [name for name in report.charts if name != report.lead]
    charts = ""
    if others:
        names = escape(displayable(", ".join(others)))
        charts = f"More charts: {names}. Show one with <code>report.charts[name]</code>. "
    return f'<p class="note">{charts}Write the whole report with <code>report.to_html(path)</code>.</p>'


@cache
def _style() -> str:
    return (files("edgeworth.report.html") / "notebook.css").read_text(encoding="utf-8")
