"""One HTML file: our template, the report's tables, its charts as pictures that come alive with JavaScript.

Nothing is fetched: the drawing library comes out of vl-convert when the page is built. The page allows itself
exactly one style sheet and one script, named by their hashes, so that nothing smuggled in by a label can run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from edgeworth.errors import MissingExtraError
from edgeworth.reports.charts.chart import Chart
from edgeworth.reports.html.slim import slim_numbers, slim_picture, spread
from edgeworth.reports.report import Grid, Report
from edgeworth.reports.wording import shortened, shown

SHOWN_ROWS = 200
"""Rows of a table on the page; the JSON has them all."""

CHART_ROWS = 40
"""Rows of the table behind a chart."""

LONGEST_CELL, LONGEST_HEAD = 300, 60
"""Signs of a text that are shown; the JSON has them all."""


def report_to_html(report: Report, *, title: str = "Edgeworth report") -> str:
    """The page as text.

    Charts are drawn twice: as a picture in the page, for paper and for readers without JavaScript, and as a
    specification that the script draws anew, with figures under the pointer.
    """
    from edgeworth import __version__

    markup, template = _template()
    charts = {name: _drawn(chart, markup) for name, chart in report.charts.items()}
    css, script = _resource("page.css"), _script() if charts else ""
    return str(
        template.render(
            report=report,
            verdicts=_verdicts(report.verdict),
            title=title,
            version=__version__,
            css=markup(css),
            script=markup(script),
            policy=markup(_policy(css, script)),
            sections=_sections(report, charts),
            specs=list(charts.values()),
            provenance=[(name.replace("_", " "), value) for name, value in report.provenance.items()],
            table=lambda grid: _table(grid, markup),
        )
    )


def _verdicts(verdict: str) -> list[tuple[str, str]]:
    """One verdict as it is; of several, each with what it is about.

    >>> _verdicts("It is so."), _verdicts("Labels: good.\\nScores: bad.")
    ([('', 'It is so.')], [('Labels', 'good.'), ('Scores', 'bad.')])
    """
    lines = verdict.split("\n")
    if len(lines) == 1:
        return [("", verdict)]
    parts = [line.partition(": ") for line in lines]
    return [(head, rest) if rest else ("", head) for head, _, rest in parts]


@dataclass(frozen=True)
class DrawnChart:
    """A chart ready for the page."""

    name: str
    title: str
    says: str
    svg: Any
    json: Any
    grid: Grid | None


@dataclass(frozen=True)
class PageSection:
    """A section with the charts that belong to it."""

    title: str
    text: tuple[str, ...]
    grids: tuple[Grid, ...]
    charts: tuple[DrawnChart, ...]


def _sections(report: Report, charts: dict[str, DrawnChart]) -> list[PageSection]:
    placed = {name for section in report.sections for name in section.charts}
    found = [
        PageSection(
            section.title,
            section.text,
            section.grids,
            tuple(charts[name] for name in section.charts if name in charts),
        )
        for section in report.sections
    ]
    rest = tuple(chart for name, chart in charts.items() if name not in placed)
    return found if not rest else [*found, PageSection("Pictures", (), (), rest)]


def _drawn(chart: Chart, markup: Any) -> DrawnChart:
    grid = None
    if chart.table:
        rows = chart.rows()
        note = (
            f"{CHART_ROWS} of {len(rows):,} rows, evenly; all are in the JSON"
            if len(rows) > CHART_ROWS
            else ""
        )
        grid = Grid("", chart.table, tuple(spread(rows, CHART_ROWS)), note)
    return DrawnChart(
        chart.name,
        chart.title,
        chart.says,
        markup(slim_picture(chart.svg())),
        markup(_embedded(slim_numbers(chart.to_dict()))),
        grid,
    )


def _embedded(value: Any) -> str:
    """JSON that cannot end the script block it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _table(grid: Grid, markup: Any) -> Any:
    """An HTML table; every value is escaped."""
    escape = markup.escape
    out = [
        '<div class="scroll" tabindex="0" role="region"',
        f' aria-label="{escape(grid.title or "Table")}"><table>',
    ]
    if grid.title:
        out.append(f"<caption>{escape(grid.title)}</caption>")
    kinds = ["text" if column.kind == "text" else "number" for column in grid.columns]
    heads = [
        f'<th scope="col" class="{kind}">{escape(shortened(column.name, LONGEST_HEAD))}</th>'
        for kind, column in zip(kinds, grid.columns, strict=True)
    ]
    out.append(f"<thead><tr>{''.join(heads)}</tr></thead><tbody>")
    for row in grid.rows[:SHOWN_ROWS]:
        cells = [
            f'<td class="{kind}">{escape(shortened(shown(cell, column.kind), LONGEST_CELL))}</td>'
            for cell, kind, column in zip(row, kinds, grid.columns, strict=True)
        ]
        out.append(f"<tr>{''.join(cells)}</tr>")
    out.append("</tbody></table></div>")
    notes = [grid.note.removeprefix("; ")] if grid.note else []
    if len(grid.rows) > SHOWN_ROWS:
        notes.append(f"the first {SHOWN_ROWS} of {len(grid.rows):,} rows; all are in the JSON")
    if notes:
        out.append(f'<p class="note">{escape("; ".join(notes))}</p>')
    return markup("".join(out))


def _policy(css: str, script: str) -> str:
    scripts = f"'sha256-{_digest(script)}'" if script else "'none'"
    return (
        f"default-src 'none'; style-src 'sha256-{_digest(css)}'; script-src {scripts}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _script() -> str:
    """Vega with our few lines; bundled once a process, since that takes seconds."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("making pages", "report") from None
    bundle = str(vl_convert.javascript_bundle(_resource("page.js")))
    # No text inside a library may end the script block.
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _template() -> tuple[Any, Any]:
    try:
        from jinja2 import Environment
        from markupsafe import Markup
    except ImportError:
        raise MissingExtraError("making pages", "report") from None
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return Markup, environment.from_string(_resource("page.html"))


def _resource(name: str) -> str:
    return (files("edgeworth.reports.html") / name).read_text(encoding="utf-8")
