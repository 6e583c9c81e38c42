"""Write a report as one HTML file with tables, pictures, and charts that JavaScript makes interactive.

Nothing is fetched: vl-convert supplies the drawing library when the page is built. The page's policy allows
one style sheet and one script by their hashes, so that code in a label cannot run.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypeVar

from edgeworth.common.json_types import JsonObject, JsonValue
from edgeworth.core.formatting import displayable, shorten, unique_name
from edgeworth.report.charts.chart import Chart, import_extra, slim_picture, svg_of
from edgeworth.report.html.key_figures import key_figures
from edgeworth.report.html.parts import (
    TITLE,
    DrawnChart,
    PageSection,
    describe_judged,
    first_sentence,
    keep_powers_whole,
    page_reports,
    table_html,
    title_of,
    verdicts,
)
from edgeworth.report.report import Grid, Report, json_text, map_texts
from edgeworth.report.wording import is_notice, list_provenance

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

Row = TypeVar("Row")

MAX_TITLE_LENGTH = 200

LEAD_WIDTH = 780
"""The width of the leading chart's plot, which fills the page together with its axis."""

MAX_COLUMNS_BESIDE = 4
"""Columns of a table that fit into the half of the page beside a leading chart."""

MAX_WARNINGS_SHOWN = 3
"""Warnings that are shown at once; the others are folded."""

MAX_CHART_ROWS = 40
"""Rows of the table behind a chart."""


def report_to_html(report: Report, *, title: str = "") -> str:
    """Return the page as text. Without a title, it is named after the data.

    Charts are drawn twice: as a picture, for paper and for readers without JavaScript, and as a
    specification that the script draws again with tooltips.
    """
    from edgeworth import __version__

    markup, template = _template()
    charts = {
        name: _draw_chart(chart, markup, is_lead=name == report.lead) for name, chart in report.charts.items()
    }
    reports = page_reports(report, charts)
    is_alive = bool(charts) or any(section.slider for sections in reports.values() for section in sections)
    lead = charts.get(report.lead)
    css, script = _resource("page.css"), _script() if is_alive else ""
    own_title = shorten(" ".join(title.split()), MAX_TITLE_LENGTH)
    heading = own_title or title_of(report)
    names: list[str] = []

    def table(grid: Grid, name: str) -> Markup:
        names.append(unique_name(name, names))
        return markup(table_html(grid, names[-1], can_stack=True))

    return str(
        template.render(
            report=report,
            verdicts=verdicts(report),
            judged=describe_judged(report),
            lead=lead,
            beside=_beside(report, reports, lead),
            title=own_title or (heading if heading == TITLE else f"{heading} – Edgeworth"),
            heading=heading,
            figures=key_figures(report),
            warnings=[first_sentence(text) for text in report.warnings if not is_notice(text)],
            shown_warnings=MAX_WARNINGS_SHOWN,
            notices=[text for text in report.warnings if is_notice(text)],
            whole=lambda text: markup(keep_powers_whole(text)),
            version=__version__,
            css=markup(css),
            script=markup(script),
            policy=markup(_policy(css, script)),
            reports=reports,
            embed=lambda value: markup(_embed_json(value)),
            specs=list(charts.values()),
            provenance=list_provenance(report.provenance),
            table=table,
        )
    )


def _beside(
    report: Report, reports: dict[str, list[PageSection]], lead: DrawnChart | None
) -> PageSection | None:
    """Choose the section beside a leading chart that leaves half of the page empty."""
    if lead is None or lead.is_wide or report.next_steps:
        return None
    first = next(iter(reports.get("", ())), None)
    if first is None or first.charts or first.is_folded:
        return None
    return first if all(len(grid.columns) <= MAX_COLUMNS_BESIDE for grid in first.grids) else None


def _draw_chart(chart: Chart, markup: type[Markup], *, is_lead: bool) -> DrawnChart:
    rows = map_texts(displayable, chart.rows())
    cut = (
        f"{MAX_CHART_ROWS} of {len(rows):,} rows, evenly spaced; the JSON has all rows"
        if len(rows) > MAX_CHART_ROWS
        else ""
    )
    grid = Grid("", chart.table, tuple(thin_rows(rows, MAX_CHART_ROWS)), cut) if chart.table else None
    spec = chart.to_dict()
    is_wide = is_lead and _widen(spec)
    picture = markup(slim_picture(svg_of(spec)))
    spec |= {"datasets": {name: pack_columns(rows) for name, rows in spec["datasets"].items()}}
    title, description = displayable(chart.title), displayable(chart.description)
    return DrawnChart(chart.name, title, description, picture, markup(_embed_json(spec)), grid, is_wide)


def _widen(spec: JsonObject) -> bool:
    """Make a plot, or plots one below the other, as wide as the page; square plots stay square."""
    plots = spec.get("vconcat", [spec])
    widths = [plot.get("width") for plot in plots]
    is_wide = len({*map(str, widths)}) == 1 and all(
        isinstance(width, (int, float)) and width != plot.get("height")
        for width, plot in zip(widths, plots, strict=True)
    )
    if is_wide:
        for plot in plots:
            plot["width"] = LEAD_WIDTH
    return is_wide


def _embed_json(value: JsonValue) -> str:
    """Write JSON that cannot end the script block around it."""
    return json_text(value).replace("<", "\\u003c")


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
    """Bundle Vega with our script, once per process, because that takes seconds."""
    sources = _resource("page.js") + _resource("slider.js")
    bundle = str(import_extra("vl_convert", "making pages").javascript_bundle(sources))
    # The licences of the libraries require that their notices are included.
    bundle = f"/*!\n{_resource('notices.txt')}*/\n{bundle}"
    # No text inside a library may end the script block.
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _template() -> tuple[type[Markup], Template]:
    jinja2, markup = import_extra("jinja2", "making pages"), import_extra("markupsafe", "making pages").Markup
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return markup, environment.from_string(_resource("page.html"))


def _resource(name: str) -> str:
    return (files("edgeworth.report.html") / name).read_text(encoding="utf-8")


def pack_columns(rows: Sequence[Mapping[str, JsonValue]]) -> list[JsonValue]:
    """Write rows as columns, which take less room; the page's script converts them to rows again.

    A column is its name and its values. If texts repeat, it is its name, the distinct texts, and their
    numbers.

    >>> pack_columns([{"x": 1, "who": "a"}, {"x": 2, "who": "b"}, {"x": 3, "who": "a"}])
    [['x', [1, 2, 3]], ['who', ['a', 'b'], [0, 1, 0]]]
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [[name, *_column([row.get(name) for row in rows])] for name in names]


def _column(values: list[JsonValue]) -> list[list[JsonValue]]:
    if not all(isinstance(value, str) for value in values):
        return [values]
    numbers = {text: number for number, text in enumerate(dict.fromkeys(values))}
    return [values] if len(numbers) == len(values) else [list(numbers), [numbers[value] for value in values]]


def thin_rows(rows: Sequence[Row], most: int) -> list[Row]:
    """Keep at most ``most`` rows, evenly spaced, with the first and the last.

    >>> thin_rows([0, 1, 2, 3, 4, 5, 6], 3)
    [0, 3, 6]
    """
    if len(rows) <= most:
        return list(rows)
    return [rows[round(index * (len(rows) - 1) / (most - 1))] for index in range(most)]
