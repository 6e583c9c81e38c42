"""Make the parts of a page: titles, verdicts, sections with their charts, and tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from edgeworth.core.formatting import cut_middle, displayable, shorten
from edgeworth.report.report import Column, Grid, Report
from edgeworth.report.slider import Slider
from edgeworth.report.verdict import Verdict
from edgeworth.report.wording import describe_provenance, format_rows

if TYPE_CHECKING:
    from markupsafe import Markup

TITLE = "Edgeworth report"
TITLES = {
    "noise": "Noise between runs",
    "plan": "Sample size",
    "kelly": "Kelly's stakes",
    "chance": "Random selection",
}
"""Titles of reports that read no file and compare no systems."""

MAX_SYSTEMS_IN_TITLE = 3
"""With more systems, a title states their number."""

MAX_FILE_NAME_LENGTH = 100

MAX_ROWS_SHOWN = 200
"""Rows of a table on the page; the JSON has all of them."""

MAX_CELL_LENGTH = 300
"""Characters of a cell that are shown; the JSON has all of them."""

MAX_HEADING_LENGTH = 60

MAX_UNBROKEN_WORD = 26
"""Characters of a word that a column keeps together; longer words may break anywhere."""

MIN_STACKED_COLUMNS = 4
MAX_STACKED_ROWS = 30
"""On a phone, a table with at least this many columns and at most this many rows is one list per row."""

_POWER = re.compile(r"(?:[&]lt; |[&]gt; |[≤≥=] |(?=−)|(?<![0-9.]))−?[0-9.]++e-[0-9]+")
_FILE = re.compile(r"(?>[^/\\]+\.[A-Za-z])[\w.]*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_NUMBER = re.compile(r"[−+-]?\$?(\d[\d,]*(\.\d+)?|\.\d+)([eE][−+-]?\d+)?[%×]?")
_FIGURE = re.compile(
    rf"(about |below |above |at (least|most) |more than |less than |[<>≤≥~] ?)?{_NUMBER.pattern}"
    rf"( or (more|less)|( to | ± ){_NUMBER.pattern})?"
)
_NOTHING = {"", "–", "—", "-", "∞", "−∞"}


@dataclass(frozen=True)
class DrawnChart:
    """A chart ready for the page."""

    name: str
    title: str
    description: str
    svg: Markup
    json: Markup
    grid: Grid | None
    is_wide: bool = False
    """Whether it is as wide as the page."""


@dataclass(frozen=True)
class PageSection:
    """A section with its charts; on a page of several reports, ``about`` names its report."""

    number: int
    title: str
    text: tuple[str, ...]
    grids: tuple[Grid, ...]
    charts: tuple[DrawnChart, ...]
    about: str = ""
    slider: Slider | None = None
    folds_tables: bool = False
    is_folded: bool = False

    def table_name(self, grid: Grid) -> str:
        """Return the accessible name of a table: its title, or its section's title with "(table)"."""
        return ": ".join(part for part in (self.about, grid.title or f"{self.title} (table)") if part)


def page_reports(report: Report, charts: Mapping[str, DrawnChart]) -> dict[str, list[PageSection]]:
    """Group sections by report: combined reports have the name of a report before each title.

    A single report has no name.
    """
    sections_by_report: dict[str, list[PageSection]] = {}
    for number, section in enumerate(report.sections, 1):
        about, title = split_name(report, section.title)
        drawn = tuple(charts[name] for name in section.charts if name in charts and name != report.lead)
        slider = None if section.slider is None else section.slider()
        page_section = PageSection(
            *(number, title, section.text, section.grids, drawn, about, slider),
            folds_tables=bool(drawn) or bool(section.charts and not section.is_main),
            is_folded=section.is_folded,
        )
        sections_by_report.setdefault(about, []).append(page_section)
    charts_in_sections = {name for section in report.sections for name in section.charts} | {report.lead}
    rest = tuple(chart for name, chart in charts.items() if name not in charts_in_sections)
    if rest:
        sections_by_report.setdefault("", []).append(
            PageSection(len(report.sections) + 1, "Pictures", (), (), rest)
        )
    return sections_by_report


COLUMNS = (
    "truth",
    "prediction",
    "score",
    "probabilities",
    "correct",
    "grade",
    "against",
    "query",
    "systems",
    "runs",
)
PREDICTIONS = ("prediction", "score", "probabilities", "correct", "grade")
"""Columns of one system that can name a page."""
JUDGED = (*COLUMNS, "positive", "cases", "items", "lists", "targets", "grades")


def describe_judged(report: Report) -> str:
    """Describe in one line what was evaluated, and on which data."""
    known = report.provenance
    facts = {name: known[name] for name in JUDGED if known.get(name, name) != name}
    files = {name: _file_name(known.get(name)) for name in ("source", "qrels")}
    return describe_provenance(files | facts)


def _file_name(source: object) -> str | None:
    """Return the name of a file without its folders, or how many files there are; None for other sources."""
    paths = source.replace("\\", "/").split(", ") if isinstance(source, str) else []
    names = [path.rsplit("/", 1)[-1] for path in paths]
    if not names or not all(map(_FILE.fullmatch, names)):
        return None
    return names[0] if len(names) == 1 else f"{len(names)} files"


def verdicts(report: Report) -> list[tuple[str, str, str]]:
    """Split each verdict into its report's name (if there are several), its first sentence and the rest."""
    if isinstance(report.verdict, Verdict) and report.verdict.claims:
        # Names may hold a full stop, so the text is divided between claims.
        first, *rest = (claim.text for claim in report.verdict.claims)
        return [("", first, " ".join(rest))]
    lines = (split_name(report, line) for line in report.verdict.split("\n"))
    return [(about, *first_sentence(text)) for about, text in lines]


def title_of(report: Report) -> str:
    """Name a page without a title after the systems compared, or the column and file that were read.

    >>> title_of(Report("", (), (), {"source": "/data/predictions.csv"}))
    'predictions.csv'
    >>> title_of(Report("", (), (), {"source": "/data/births.csv", "prediction": "larger_model"}))
    'larger_model on births.csv'
    >>> title_of(Report("", (), (), {"source": "arrays"}))
    'Edgeworth report'
    >>> title_of(Report("", (), (), {"source": "a/old.json, a/new.json"}, {"kind": "changes"}))
    'new.json against old.json'
    """
    systems = report.numbers.get("comparison", {}).get("names", ())
    if len(systems) > MAX_SYSTEMS_IN_TITLE:
        return f"{len(systems):,} systems compared"
    source, kind = report.provenance.get("source"), report.numbers.get("kind")
    if kind == "changes" and isinstance(source, str):
        systems = [path.replace("\\", "/").rsplit("/", 1)[-1] for path in reversed(source.split(", "))]
    name = displayable((" against " if len(systems) == 2 else ", ").join(systems))
    file_name = _file_name(source)
    column = next((report.provenance[role] for role in PREDICTIONS if report.provenance.get(role)), None)
    if not name and file_name and isinstance(column, str):
        name = f"{column} on {file_name}"
    return cut_middle(name or file_name or TITLES.get(str(kind), TITLE), MAX_FILE_NAME_LENGTH)


def keep_powers_whole(text: str) -> str:
    """Write text as HTML in which no line ends inside a power of ten.

    >>> keep_powers_whole("a<b (p < 1e-12)")
    'a&lt;b (p <span class="whole">&lt; 1e-12</span>)'
    """
    return _POWER.sub(lambda match: f'<span class="whole">{match[0]}</span>', escape(text))


def split_name(report: Report, text: str) -> tuple[str, str]:
    """Split off the name of the combined report with which a text begins; a single report has none."""
    shown = map(displayable, report.numbers.get("reports", ()))
    about = next((name for name in shown if text.startswith(f"{name}: ")), "")
    return about, text.removeprefix(f"{about}: ") if about else text


def first_sentence(text: str) -> tuple[str, str]:
    """Split off the first sentence.

    >>> first_sentence("Better by .05 (p = 0.02). They differ.")
    ('Better by .05 (p = 0.02).', 'They differ.')
    >>> first_sentence("It is so.")
    ('It is so.', '')
    """
    first, *rest = _SENTENCE_END.split(text, maxsplit=1)
    return first, rest[0] if rest else ""


def table_html(grid: Grid, name: str, most: int = MAX_ROWS_SHOWN, *, can_stack: bool = False) -> str:
    """Make a table that scrolls if it is wider than the page; ``name`` is its accessible name.

    With ``can_stack``, a phone shows a table of several columns as one list per row.
    """
    columns = grid.columns
    texts = [[shorten(text, MAX_CELL_LENGTH) for text in row] for row in format_rows(grid, most)]
    # A text column whose texts are all numbers is aligned as numbers, except the first, which names rows.
    words = [
        column.is_text and not (index and are_numbers([row[index] for row in texts]))
        for index, column in enumerate(columns)
    ]
    kinds = ["text" if is_text else "number" for is_text in words]
    is_stacked = can_stack and len(columns) >= MIN_STACKED_COLUMNS and len(texts) <= MAX_STACKED_ROWS
    stack = ' class="stack"' if is_stacked else ""
    out = [f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}"><table{stack}>']
    if grid.title:
        out.append(f"<caption>{escape(grid.title)}</caption>")
    heads = "".join(
        f'<th scope="col" class="{kind}">{escape(shorten(column.name, MAX_HEADING_LENGTH))}</th>'
        for kind, column in zip(kinds, grid.columns, strict=True)
    )
    out.append(f"<thead><tr>{heads}</tr></thead><tbody>")
    heading = count_heading_columns(texts, kinds) if is_stacked else 0
    for row, values in zip(texts, grid.rows, strict=False):
        cells = zip(row, kinds, columns, values, strict=True)
        shown = (_cell(*cell, index, heading) for index, cell in enumerate(cells))
        out.append(f"<tr>{''.join(shown)}</tr>")
    out.append("</tbody></table></div>")
    notes = [grid.note.removeprefix("; ")] if grid.note else []
    if len(grid.rows) > most:
        notes.append(f"the first {most} of {len(grid.rows):,} rows; the JSON has all rows")
    if notes:
        out.append(f'<p class="note">{escape("; ".join(notes))}</p>')
    return "".join(out)


def are_numbers(texts: Sequence[str]) -> bool:
    """Return whether all texts of a column are numbers, which are aligned to the right.

    >>> are_numbers(["1,134", "–"]), are_numbers(["$5.20", "62.2%"]), are_numbers(["12", "twelve"])
    (True, True, False)
    """
    shown = [text for text in texts if text not in _NOTHING]
    return bool(shown) and all(_FIGURE.fullmatch(text) for text in shown)


def count_heading_columns(texts: Sequence[Sequence[str]], kinds: Sequence[str]) -> int:
    """Count the first columns of text that are needed to distinguish rows; on a phone they head the lists.

    >>> count_heading_columns([["law", "a", "1"], ["law", "b", "2"]], ["text", "text", "number"])
    2
    """
    for number in range(1, len(kinds)):
        if len({tuple(row[:number]) for row in texts}) == len(texts) or kinds[number] != "text":
            return number
    return 1


def _cell(text: str, kind: str, column: Column, value: object, index: int, heading: int) -> str:
    """Make a cell: text in the first column heads its row, and a measure has its spelling as a tooltip.

    In a table that a phone shows as a list, the first ``heading`` columns are above the list, and each other
    cell has the name of its column. A table that is no such list has ``heading`` 0.
    """
    is_long = kind == "text" and max(map(len, text.split()), default=0) > MAX_UNBROKEN_WORD
    spelling = f' title="{escape(str(value))}"' if column.kind == "measure" else ""
    is_heading = index < heading and kind == "text"
    above = " data-above" if is_heading else ""
    head = f' data-head="{escape(shorten(column.name, MAX_HEADING_LENGTH))}"' if heading else ""
    classes = f"{kind}{' long' if is_long else ''}"
    inside = f'class="{classes}"{spelling}{head}{above}>{escape(text)}'
    return f'<th scope="row" {inside}</th>' if index == 0 and kind == "text" else f"<td {inside}</td>"
