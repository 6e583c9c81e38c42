"""The parts of a page in their order: sections with their charts, under the reports they belong to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from edgeworth.report.charts.names import middle_cut
from edgeworth.report.report import Grid, Report

TITLE = "Edgeworth report"
LONGEST_FILE = 100

_POWER = re.compile(r"(?:[&]lt; |[&]gt; |[≤≥=] )?−?[0-9.]+e-[0-9]+")
_NOTICE = re.compile(r"(?:[^.:]+: )?Took '")
_FILE = re.compile(r"[^/\\]+\.[A-Za-z][\w.]*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


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
    """A section with the charts that belong to it; on a page of several reports, ``about`` is its report."""

    place: int
    title: str
    text: tuple[str, ...]
    grids: tuple[Grid, ...]
    charts: tuple[DrawnChart, ...]
    about: str = ""

    def table_name(self, grid: Grid) -> str:
        """What a table is called: its title, or its section's, which is a region of that name itself."""
        return ": ".join(part for part in (self.about, grid.title or f"{self.title} (table)") if part)


@dataclass(frozen=True)
class PageReport:
    """The sections of one report; one that stands alone has no name."""

    name: str
    sections: tuple[PageSection, ...]


@dataclass(frozen=True)
class Verdict:
    """A verdict, what it is about where there are several, and its first sentence by itself."""

    about: str
    first: str
    rest: str


def page_reports(report: Report, charts: Mapping[str, DrawnChart]) -> list[PageReport]:
    """Sections under the report they came from: gathered reports write its name before the titles."""
    names = report_names(report)
    found: dict[str, list[PageSection]] = {}
    for place, section in enumerate(report.sections, 1):
        about = next((name for name in names if section.title.startswith(f"{name}: ")), "")
        title = section.title.removeprefix(f"{about}: ") if about else section.title
        drawn = tuple(charts[name] for name in section.charts if name in charts)
        found.setdefault(about, []).append(
            PageSection(place, title, section.text, section.grids, drawn, about)
        )
    placed = {name for section in report.sections for name in section.charts}
    rest = tuple(chart for name, chart in charts.items() if name not in placed)
    if rest:
        found.setdefault("", []).append(PageSection(len(report.sections) + 1, "Pictures", (), (), rest))
    return [PageReport(name, tuple(sections)) for name, sections in found.items()]


def verdicts(report: Report) -> list[Verdict]:
    """One verdict as it is; of several, each with what it is about."""
    names, found = report_names(report), []
    for line in report.verdict.split("\n"):
        about = next((name for name in names if line.startswith(f"{name}: ")), "")
        first, rest = first_sentence(line.removeprefix(f"{about}: ") if about else line)
        found.append(Verdict(about, first, rest))
    return found


def title_of(report: Report) -> str:
    """What a page is called that was given no title: the name of the file that was read, if it was one.

    >>> title_of(Report("", (), (), {"source": "/data/predictions.csv"}))
    'predictions.csv – Edgeworth'
    >>> title_of(Report("", (), (), {"source": "arrays"}))
    'Edgeworth report'
    """
    source = report.provenance.get("source")
    name = source.replace("\\", "/").rsplit("/", 1)[-1] if isinstance(source, str) else ""
    return f"{middle_cut(name, LONGEST_FILE)} – Edgeworth" if _FILE.fullmatch(name) else TITLE


def is_notice(warning: str) -> bool:
    """Whether a sentence only says how the data were read: nothing to be warned of.

    >>> is_notice("Took 'label' as truth."), is_notice("12 rows were dropped.")
    (True, False)
    """
    return _NOTICE.match(warning) is not None


def unbroken(text: str) -> str:
    """Text as HTML in which no line ends inside a power of ten.

    >>> unbroken("a<b (p < 1e-12)")
    'a&lt;b (p <span class="whole">&lt; 1e-12</span>)'
    """
    return _POWER.sub(lambda found: f'<span class="whole">{found[0]}</span>', escape(text))


def report_names(report: Report) -> tuple[str, ...]:
    """Names of the reports that were gathered into this one; none for one report."""
    return tuple(report.numbers["reports"]) if report.numbers.get("kind") == "several" else ()


def first_sentence(text: str) -> tuple[str, str]:
    """The first sentence and the others: a reader in a hurry reads the first.

    >>> first_sentence("Better by .05 (p = 0.02). They differ.")
    ('Better by .05 (p = 0.02).', 'They differ.')
    >>> first_sentence("It is so.")
    ('It is so.', '')
    """
    first, *rest = _SENTENCE_END.split(text, maxsplit=1)
    return first, rest[0] if rest else ""
