"""Where a report goes: the terminal, and files as asked for."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from edgeworth.arguments import Hyphen
from edgeworth.errors import OptionError

if TYPE_CHECKING:
    from edgeworth.reports import Report


FORMATS = ("svg", "png", "pdf", "json")
"""As in reports/charts, which a command that only says --help must not import."""


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
        names = self.files
        for name in names:
            if not name or not Path(name).absolute().parent.is_dir():
                raise OptionError(f"{name!r} cannot be written: there is no such folder")
        if len({os.path.realpath(name) for name in names}) < len(names):
            raise OptionError(f"two outputs would be written to one file; saw {', '.join(names)}")
        for _, path in self.chart:
            if Path(path).suffix.lower().removeprefix(".") not in FORMATS:
                raise OptionError(f"a chart is written as {', '.join(FORMATS)}; saw {Path(path).name!r}")

    @property
    def files(self) -> list[str]:
        """Every file that will be written."""
        given = (self.json, self.html, self.markdown)
        return [name for name in given if name is not None and name != "-"] + [path for _, path in self.chart]

    def check(self, *inputs: str) -> None:
        """Nothing that is read may be written over."""
        taken = {os.path.realpath(name) for name in inputs}
        for name in self.files:
            if os.path.realpath(name) in taken:
                raise OptionError(f"{name} is read, so nothing is written over it")


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
