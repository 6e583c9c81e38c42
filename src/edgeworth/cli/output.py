"""Where a report goes: the terminal, and files as asked for."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from edgeworth.arguments import Hyphen
from edgeworth.errors import OptionError

if TYPE_CHECKING:
    from edgeworth.reports import Report


@Parameter(name="*")
@dataclass(frozen=True)
class Output:
    """Options that every report has."""

    json: Annotated[
        str | None,
        Hyphen,
        Parameter(help="Also write everything as JSON to this file; - is standard output, alone."),
    ] = None
    html: Annotated[
        str | None, Parameter(help="Also write one page that needs no network, charts and all, to this file.")
    ] = None
    markdown: Annotated[
        str | None, Hyphen, Parameter(help="Also write the report as Markdown to this file; - as with JSON.")
    ] = None
    chart: Annotated[
        tuple[tuple[str, str], ...],
        Parameter(
            help="Write a chart, by its name, to a file that ends in .svg, .png, .pdf or .json.", negative=""
        ),
    ] = ()

    def __post_init__(self) -> None:
        if self.json == self.markdown == "-":
            raise OptionError("standard output is one thing alone: JSON or Markdown")


NO_OUTPUT = Output()


def show(report: Report, output: Output, *, quiet: bool = False) -> None:
    """Write what was asked for, and show the report unless standard output is taken."""
    # Charts first: a name that does not exist is found before anything is written.
    charts = [(report.charts[name], path) for name, path in output.chart]
    for chart, path in charts:
        chart.save(path)
    if output.html is not None:
        report.to_html(output.html)
    for target, write in ((output.json, report.to_json), (output.markdown, report.to_markdown)):
        if target not in (None, "-"):
            write(target)
    if "-" in (output.json, output.markdown):
        # Text is UTF-8 whatever the terminal is.
        written = report.to_json() if output.json == "-" else report.to_markdown()
        sys.stdout.buffer.write(written.encode())
        return
    if quiet:
        return
    from edgeworth.reports.terminal import print_report

    print_report(report)
