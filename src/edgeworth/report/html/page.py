"""One HTML file: our template, the report's tables, its charts as pictures that come alive with JavaScript.

Nothing is fetched: the drawing library comes out of vl-convert when the page is built. The page allows itself
exactly one style sheet and one script, named by their hashes, so that nothing smuggled in by a label can run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from edgeworth.errors import MissingExtraError
from edgeworth.report.charts.chart import Chart
from edgeworth.report.html.sections import DrawnChart, is_notice, page_reports, title_of, unbroken, verdicts
from edgeworth.report.html.slim import packed, slim_numbers, slim_picture, spread
from edgeworth.report.html.tables import namer, table_html
from edgeworth.report.report import Grid, Report
from edgeworth.report.wording import option_said, shortened

LONGEST_TITLE = 200

CHART_ROWS = 40
"""Rows of the table behind a chart."""


def report_to_html(report: Report, *, title: str = "") -> str:
    """The page as text, under a title (one of nothing but blanks is none: then under what was read).

    Charts are drawn twice: as a picture in the page, for paper and for readers without JavaScript, and as a
    specification that the script draws anew, with figures under the pointer.
    """
    from edgeworth import __version__

    markup, template = _template()
    charts = {name: _drawn(chart, markup) for name, chart in report.charts.items()}
    css, script = _resource("page.css"), _script() if charts else ""
    named = namer()
    return str(
        template.render(
            report=report,
            verdicts=verdicts(report),
            title=shortened(" ".join(title.split()), LONGEST_TITLE) or title_of(report),
            warnings=[said for said in report.warnings if not is_notice(said)],
            notices=[said for said in report.warnings if is_notice(said)],
            whole=lambda text: markup(unbroken(text)),
            version=__version__,
            css=markup(css),
            script=markup(script),
            policy=markup(_policy(css, script)),
            reports=page_reports(report, charts),
            specs=list(charts.values()),
            provenance=[
                (name.replace("_", " "), option_said(value))
                for name, value in report.provenance.items()
                if value not in (None, "", [], ())
            ],
            table=lambda grid, name: markup(table_html(grid, named(name))),
        )
    )


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
        markup(_embedded(_specification(chart))),
        grid,
    )


def _specification(chart: Chart) -> dict[str, Any]:
    spec: dict[str, Any] = slim_numbers(chart.to_dict())
    return spec | {"datasets": {name: packed(rows) for name, rows in spec["datasets"].items()}}


def _embedded(value: Any) -> str:
    """JSON that cannot end the script block it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


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
    return (files("edgeworth.report.html") / name).read_text(encoding="utf-8")
