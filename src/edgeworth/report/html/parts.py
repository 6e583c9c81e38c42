"""Parts of a page: sections with their charts under their reports, tables, and what a notebook shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from edgeworth.core.formatting import cut_middle, displayable, shorten
from edgeworth.report.report import Column, Grid, Report
from edgeworth.report.slider import Slider
from edgeworth.report.wording import describe_provenance, format_rows

TITLE = "Edgeworth report"
LONGEST_FILE = 100

SHOWN_ROWS = 200
"""Rows of a table on the page; the JSON has them all."""

LONGEST_CELL, LONGEST_HEAD = 300, 60
"""Signs of a text that are shown; the JSON has them all."""

LONGEST_WORD = 26
"""Signs of a word that a column keeps whole; only longer ones may break wherever the column ends."""

NOTEBOOK_ROWS = 30
"""Rows of a table in a notebook."""

_POWER = re.compile(r"(?:[&]lt; |[&]gt; |[≤≥=] |(?=−)|(?<![0-9.]))−?[0-9.]++e-[0-9]+")
_NOTICE = re.compile(r"(?:[^.:]+: )?Took '")
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
    slider: Slider | None = None
    folds_tables: bool = False
    is_folded: bool = False

    def table_name(self, grid: Grid) -> str:
        """What a table is called: its title, or its section's, which is a region of that name itself."""
        return ": ".join(part for part in (self.about, grid.title or f"{self.title} (table)") if part)


def page_reports(report: Report, charts: Mapping[str, DrawnChart]) -> dict[str, list[PageSection]]:
    """Put sections under the report they came from: gathered reports write its name before the titles.

    One that stands alone has no name.
    """
    found: dict[str, list[PageSection]] = {}
    for place, section in enumerate(report.sections, 1):
        about, title = split_name(report, section.title)
        drawn = tuple(charts[name] for name in section.charts if name in charts and name != report.lead)
        slider = None if section.slider is None else section.slider()
        made = PageSection(
            *(place, title, section.text, section.grids, drawn, about, slider),
            folds_tables=bool(drawn) or bool(section.charts and not section.is_main),
            is_folded=section.is_folded,
        )
        found.setdefault(about, []).append(made)
    placed = {name for section in report.sections for name in section.charts} | {report.lead}
    rest = tuple(chart for name, chart in charts.items() if name not in placed)
    if rest:
        found.setdefault("", []).append(PageSection(len(report.sections) + 1, "Pictures", (), (), rest))
    return found


COLUMNS = ("truth", "prediction", "score", "probabilities", "correct", "grade", "against", "query", "systems")
JUDGED = (*COLUMNS, "positive", "cases", "items", "lists", "targets", "grades")


def describe_judged(report: Report) -> str:
    """Say in a line what was judged, and on which data."""
    known = report.provenance
    return describe_provenance(
        {name: known[name] for name in ("source", *JUDGED) if known.get(name, name) != name}
    )


def verdicts(report: Report) -> list[tuple[str, str, str]]:
    """Split each verdict: what it is about where there are several, its first sentence, and the rest."""
    lines = (split_name(report, line) for line in report.verdict.split("\n"))
    return [(about, *first_sentence(text)) for about, text in lines]


def title_of(report: Report) -> str:
    """Name a page that was given no title: by the systems compared, or the file that was read.

    >>> title_of(Report("", (), (), {"source": "/data/predictions.csv"}))
    'predictions.csv – Edgeworth'
    >>> title_of(Report("", (), (), {"source": "arrays"}))
    'Edgeworth report'
    """
    source, systems = report.provenance.get("source"), report.numbers.get("comparison", {}).get("names", ())
    name = source.replace("\\", "/").rsplit("/", 1)[-1] if isinstance(source, str) else ""
    name = displayable((" against " if len(systems) == 2 else ", ").join(systems)) or name
    return f"{cut_middle(name, LONGEST_FILE)} – Edgeworth" if systems or _FILE.fullmatch(name) else TITLE


def is_notice(warning: str) -> bool:
    """Tell whether a sentence only says how the data were read: nothing to be warned of.

    >>> is_notice("Took 'label' as truth."), is_notice("12 rows were dropped.")
    (True, False)
    """
    return _NOTICE.match(warning) is not None


def keep_powers_whole(text: str) -> str:
    """Write text as HTML in which no line ends inside a power of ten.

    >>> keep_powers_whole("a<b (p < 1e-12)")
    'a&lt;b (p <span class="whole">&lt; 1e-12</span>)'
    """
    return _POWER.sub(lambda found: f'<span class="whole">{found[0]}</span>', escape(text))


def split_name(report: Report, text: str) -> tuple[str, str]:
    """Split off the name of the gathered report that a text begins with; one report alone has none."""
    names = report.numbers["reports"] if report.numbers.get("kind") == "several" else ()
    shown = map(displayable, names)
    about = next((name for name in shown if text.startswith(f"{name}: ")), "")
    return about, text.removeprefix(f"{about}: ") if about else text


def first_sentence(text: str) -> tuple[str, str]:
    """Split off the first sentence: a reader in a hurry reads that.

    >>> first_sentence("Better by .05 (p = 0.02). They differ.")
    ('Better by .05 (p = 0.02).', 'They differ.')
    >>> first_sentence("It is so.")
    ('It is so.', '')
    """
    first, *rest = _SENTENCE_END.split(text, maxsplit=1)
    return first, rest[0] if rest else ""


def table_html(grid: Grid, name: str, most: int = SHOWN_ROWS) -> str:
    """Make a table that scrolls where it is wider than the page, under a name for those who hear it."""
    columns = grid.columns
    texts = [[shorten(text, LONGEST_CELL) for text in row] for row in format_rows(grid, most)]
    # Names of labels may be numbers; a first column of text names its rows.
    words = [
        column.is_text and not (place and are_numbers([row[place] for row in texts]))
        for place, column in enumerate(columns)
    ]
    kinds = ["text" if is_text else "number" for is_text in words]
    out = [f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}"><table>']
    if grid.title:
        out.append(f"<caption>{escape(grid.title)}</caption>")
    heads = "".join(
        f'<th scope="col" class="{kind}">{escape(shorten(column.name, LONGEST_HEAD))}</th>'
        for kind, column in zip(kinds, grid.columns, strict=True)
    )
    out.append(f"<thead><tr>{heads}</tr></thead><tbody>")
    for row, given in zip(texts, grid.rows, strict=False):
        cells = zip(row, kinds, columns, given, strict=True)
        out.append(f"<tr>{''.join(_cell(*cell, place == 0) for place, cell in enumerate(cells))}</tr>")
    out.append("</tbody></table></div>")
    notes = [grid.note.removeprefix("; ")] if grid.note else []
    if len(grid.rows) > most:
        notes.append(f"the first {most} of {len(grid.rows):,} rows; all are in the JSON")
    if notes:
        out.append(f'<p class="note">{escape("; ".join(notes))}</p>')
    return "".join(out)


def are_numbers(texts: Sequence[str]) -> bool:
    """Tell whether a column of texts is one of numbers, which stand to the right.

    >>> are_numbers(["1,134", "–"]), are_numbers(["$5.20", "62.2%"]), are_numbers(["12", "twelve"])
    (True, True, False)
    """
    said = [text for text in texts if text not in _NOTHING]
    return bool(said) and all(_FIGURE.fullmatch(text) for text in said)


def _cell(text: str, kind: str, column: Column, given: object, is_first: bool) -> str:
    """Make a cell: a first one of text is its row's head, a measure has its spelling under the pointer."""
    is_long = kind == "text" and max(map(len, text.split()), default=0) > LONGEST_WORD
    spelling = f' title="{escape(str(given))}"' if column.kind == "measure" else ""
    inside = f'class="{kind}{" long" if is_long else ""}"{spelling}>{escape(text)}'
    return f'<th scope="row" {inside}</th>' if is_first and kind == "text" else f"<td {inside}</td>"


def report_fragment(report: Report) -> str:
    """Make HTML that can stand anywhere; everything in it is text, whatever it looks like."""
    parts = [f"<p><strong>{escape(report.verdict)}</strong></p>".replace("\n", "<br>")]
    parts += [f"<p>! {escape(warning)}</p>" for warning in report.warnings]
    for section in report.sections:
        parts.append(f"<h4>{escape(section.title)}</h4>")
        parts += [f"<p>{escape(line)}</p>" for line in section.text]
        parts += [table_html(grid, grid.title or section.title, NOTEBOOK_ROWS) for grid in section.grids]
    if report.charts:
        names = ", ".join(report.charts)
        parts.append(f"<p>Charts: {escape(names)}; report.charts[name] shows one.</p>")
    return f"<div>{''.join(parts)}</div>"
