"""One HTML file: our template, the report's tables, its charts as pictures that come alive with JavaScript.

Nothing is fetched: the drawing library comes out of vl-convert when the page is built. The page allows itself
exactly one style sheet and one script, named by their hashes, so that nothing smuggled in by a label can run.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from edgeworth.core.formatting import displayable, shorten, unique_name
from edgeworth.report.charts.chart import Chart, import_extra, svg_of
from edgeworth.report.html.parts import (
    DrawnChart,
    describe_judged,
    is_notice,
    keep_powers_whole,
    page_reports,
    table_html,
    title_of,
    verdicts,
)
from edgeworth.report.report import Grid, Report, json_text, map_texts
from edgeworth.report.wording import list_provenance

Row = TypeVar("Row")

LONGEST_TITLE = 200

CHART_ROWS = 40
"""Rows of the table behind a chart."""

_NEEDLESS = re.compile(
    r'\s(?:style|class|role|aria-[a-z]+|pointer-events|font-family|stroke-miterlimit|xmlns:xlink|version)="[^"]*"'
    r'|\sopacity="1"|\s(?:fill|stroke)-opacity="1"|\stransform="translate\(0,0\)"'
)
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")


def report_to_html(report: Report, *, title: str = "") -> str:
    """Write the page as text, under a title (a blank one is none: then under what was read).

    Charts are drawn twice: as a picture in the page, for paper and for readers without JavaScript, and as a
    specification that the script draws anew, with figures under the pointer.
    """
    from edgeworth import __version__

    markup, template = _template()
    charts = {name: _draw_chart(chart, markup) for name, chart in report.charts.items()}
    reports = page_reports(report, charts)
    is_alive = bool(charts) or any(section.slider for sections in reports.values() for section in sections)
    css, script = _resource("page.css"), _script() if is_alive else ""
    names: list[str] = []

    def table(grid: Grid, name: str) -> Any:
        names.append(unique_name(name, names))
        return markup(table_html(grid, names[-1]))

    return str(
        template.render(
            report=report,
            verdicts=verdicts(report),
            judged=describe_judged(report),
            lead=charts.get(report.lead),
            title=shorten(" ".join(title.split()), LONGEST_TITLE) or title_of(report),
            warnings=[text for text in report.warnings if not is_notice(text)],
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


def _draw_chart(chart: Chart, markup: Any) -> DrawnChart:
    rows = map_texts(displayable, chart.rows())
    cut = f"{CHART_ROWS} of {len(rows):,} rows, evenly; all are in the JSON" if len(rows) > CHART_ROWS else ""
    grid = Grid("", chart.table, tuple(thin_rows(rows, CHART_ROWS)), cut) if chart.table else None
    spec = chart.to_dict()
    picture = markup(slim_picture(svg_of(spec)))
    spec |= {"datasets": {name: pack_columns(rows) for name, rows in spec["datasets"].items()}}
    title, says = displayable(chart.title), displayable(chart.says)
    return DrawnChart(chart.name, title, says, picture, markup(_embed_json(spec)), grid)


def _embed_json(value: Any) -> str:
    """Write JSON that cannot end the script block it stands in."""
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
    """Bundle Vega with our few lines, once a process, since that takes seconds."""
    sources = _resource("page.js") + _resource("slider.js")
    bundle = str(import_extra("vl_convert", "making pages").javascript_bundle(sources))
    # The licences of the libraries ask for their notices wherever the libraries go.
    bundle = f"/*!\n{_resource('notices.txt')}*/\n{bundle}"
    # No text inside a library may end the script block.
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _template() -> tuple[Any, Any]:
    jinja2, markup = import_extra("jinja2", "making pages"), import_extra("markupsafe", "making pages").Markup
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return markup, environment.from_string(_resource("page.html"))


def _resource(name: str) -> str:
    return (files("edgeworth.report.html") / name).read_text(encoding="utf-8")


def slim_picture(svg: str) -> str:
    """Strip an SVG of what a page does not need: the names of marks are most of it.

    Styles of its own go as well: the page's policy would refuse them. The page says its font.

    >>> slim_picture('<?xml?><svg class="marks"><text opacity="1" x="1">role="y" z</text></svg>')
    '<svg><text x="1">role="y" z</text></svg>'
    """
    # Inside tags only: what stands between them are labels, and these stay as they are.
    return _TAG.sub(lambda tag: _NEEDLESS.sub("", tag[0]), svg[svg.index("<svg") :])


def pack_columns(rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Write rows as columns, which the page's script makes rows of again: names are not in each row.

    A column is its name and its values; one of texts that recur is its name, the texts, and their places.

    >>> pack_columns([{"x": 1, "who": "a"}, {"x": 2, "who": "b"}, {"x": 3, "who": "a"}])
    [['x', [1, 2, 3]], ['who', ['a', 'b'], [0, 1, 0]]]
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [[name, *_column([row.get(name) for row in rows])] for name in names]


def _column(values: list[Any]) -> list[list[Any]]:
    if not all(isinstance(value, str) for value in values):
        return [values]
    places = {text: place for place, text in enumerate(dict.fromkeys(values))}
    return [values] if len(places) == len(values) else [list(places), [places[value] for value in values]]


def thin_rows(rows: Sequence[Row], most: int) -> list[Row]:
    """Keep at most so many rows, evenly over the whole, the first and the last among them.

    >>> thin_rows([0, 1, 2, 3, 4, 5, 6], 3)
    [0, 3, 6]
    """
    if len(rows) <= most:
        return list(rows)
    return [rows[round(place * (len(rows) - 1) / (most - 1))] for place in range(most)]
