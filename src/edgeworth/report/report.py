"""A report as a value: a verdict, sections of tables, warnings, and where it all came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from edgeworth.progress import progress_of

if TYPE_CHECKING:
    from edgeworth.report.charts.chart import Chart

SCHEMA = "edgeworth.report/1"

Kind: TypeAlias = Literal[
    "text", "measure", "count", "number", "percent", "dollars", "probability", "belief", "interval"
]
"""A measure is written by its name and read in words; a belief is a probability that is approximate."""

Cell: TypeAlias = str | int | float | tuple[float | None, float | None] | None
"""A pair is an interval. None is undefined."""


class AtMost(float):
    """A probability of which only an upper bound is known: a number like others, and shown as a bound."""


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and how its numbers are to be read."""

    name: str
    kind: Kind = "text"

    @property
    def is_text(self) -> bool:
        """Words stand to the left, numbers to the right."""
        return self.kind in ("text", "measure")


@dataclass(frozen=True)
class Grid:
    """A table: plain values, and how to show them."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "title": self.title,
            "columns": [{"name": column.name, "kind": column.kind} for column in self.columns],
            "rows": [list(row) for row in self.rows],
            "note": self.note,
        }


@dataclass(frozen=True)
class Section:
    """A heading with sentences and tables under it."""

    title: str
    text: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()
    charts: tuple[str, ...] = ()
    """Names of the report's charts that belong here."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "title": self.title,
            "text": list(self.text),
            "tables": [grid.to_dict() for grid in self.grids],
            "charts": list(self.charts),
        }


def _no_charts() -> Mapping[str, Chart]:
    from edgeworth.report.charts.chart import Charts

    return Charts()


@dataclass(frozen=True)
class Report:
    """What an evaluation says: the verdict first, then what it rests on."""

    verdict: str
    sections: tuple[Section, ...]
    warnings: tuple[str, ...]
    provenance: Mapping[str, Any]
    numbers: Mapping[str, Any] = field(default_factory=dict, repr=False)
    charts: Mapping[str, Chart] = field(default_factory=_no_charts, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything the report shows, and the numbers behind it, as plain values."""
        return {
            "schema": SCHEMA,
            "verdict": self.verdict,
            "warnings": list(self.warnings),
            **self.numbers,
            "sections": [section.to_dict() for section in self.sections],
            "charts": {name: chart.numbers() for name, chart in self.charts.items()},
            "provenance": dict(self.provenance),
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """The report as JSON text; also written to ``path`` when given, whole or not at all."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
        if path is not None:
            from edgeworth.report.formats import write_file

            write_file(Path(path), text)
        return text

    def to_html(self, path: str | Path | None = None, *, title: str = "") -> str:
        """The report as one page that needs no network; also written to ``path`` when given.

        Without a title the page is called by what was read.
        """
        from edgeworth.report.html.page import report_to_html

        with progress_of("drawing the page"):
            text = report_to_html(self, title=title)
        if path is not None:
            from edgeworth.report.formats import write_file

            write_file(Path(path), text)
        return text

    def to_markdown(self, path: str | Path | None = None, *, title: str = "") -> str:
        """The report as Markdown, under a title if there is one; also written to ``path`` when given."""
        from edgeworth.report.formats import report_to_markdown

        text = report_to_markdown(self, title=title)
        if path is not None:
            from edgeworth.report.formats import write_file

            write_file(Path(path), text)
        return text

    def _repr_html_(self) -> str:
        """What a notebook shows: verdict, warnings and tables. Charts are shown by asking for them."""
        from edgeworth.report.html.parts import report_fragment

        return report_fragment(self)

    def __str__(self) -> str:
        from edgeworth.report.terminal import plain_text

        return plain_text(self)


def gather_reports(reports: Mapping[str, Report]) -> Report:
    """Several reports as one, each under its name; in JSON each has a key of its own."""
    from edgeworth.report.charts.chart import Charts

    return Report(
        verdict="\n".join(f"{name}: {report.verdict}" for name, report in reports.items()),
        sections=tuple(
            replace(section, title=f"{name}: {section.title}")
            for name, report in reports.items()
            for section in report.sections
        ),
        warnings=tuple(
            f"{name}: {warning}" for name, report in reports.items() for warning in report.warnings
        ),
        provenance=next(iter(reports.values())).provenance,
        numbers={
            "kind": "several",
            "reports": {
                name: {"verdict": x.verdict, **x.numbers, "provenance": dict(x.provenance)}
                for name, x in reports.items()
            },
        },
        charts=Charts(chart for report in reports.values() for chart in report.charts.values()),
    )


def join_reports(first: Report, second: Report) -> Report:
    """Two reports on the same data as one, the first one's verdict first."""
    from edgeworth.report.charts.chart import Charts

    return Report(
        verdict=f"{first.verdict}\n{second.verdict}",
        sections=(*first.sections, *second.sections),
        warnings=tuple(dict.fromkeys((*first.warnings, *second.warnings))),
        provenance=second.provenance,
        numbers={**first.numbers, **second.numbers},
        charts=Charts((*first.charts.values(), *second.charts.values())),
    )
