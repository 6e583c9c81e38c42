"""A table of a report as HTML: every value is text, whatever it looks like."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from itertools import count

from edgeworth.report.report import Column, Grid
from edgeworth.report.wording import shortened, shown

SHOWN_ROWS = 200
"""Rows of a table on the page; the JSON has them all."""

LONGEST_CELL, LONGEST_HEAD = 300, 60
"""Signs of a text that are shown; the JSON has them all."""

LONGEST_WORD = 26
"""Signs of a word that a column keeps whole; only longer ones may break wherever the column ends."""

_NUMBER = re.compile(r"[−+-]?\$?(\d[\d,]*(\.\d+)?|\.\d+)([eE][−+-]?\d+)?[%×]?")
_FIGURE = re.compile(
    rf"(about |below |above |at (least|most) |more than |less than |[<>≤≥~] ?)?{_NUMBER.pattern}"
    rf"( or (more|less)|( to | ± ){_NUMBER.pattern})?"
)
_NOTHING = {"", "–", "—", "-", "∞", "−∞"}


def namer() -> Callable[[str], str]:
    """Gives each table of a page another name: one met before gets a number.

    >>> name = namer()
    >>> name("Overall"), name("Tests"), name("Overall")
    ('Overall', 'Tests', 'Overall (2)')
    """
    taken: set[str] = set()

    def named(wanted: str) -> str:
        numbers = count(2)
        found = wanted
        while found in taken:
            found = f"{wanted} ({next(numbers)})"
        taken.add(found)
        return found

    return named


def table_html(grid: Grid, name: str) -> str:
    """A table that scrolls by itself where it is wider than the page, under a name for those who hear it."""
    columns = grid.columns
    texts = [
        [shortened(shown(cell, column.kind), LONGEST_CELL) for cell, column in zip(row, columns, strict=True)]
        for row in grid.rows[:SHOWN_ROWS]
    ]
    # Names of labels may be numbers; a first column of text names its rows.
    words = [
        column.is_text and not (place and are_figures([row[place] for row in texts]))
        for place, column in enumerate(columns)
    ]
    kinds = ["text" if is_text else "number" for is_text in words]
    out = [f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}"><table>']
    if grid.title:
        out.append(f"<caption>{escape(grid.title)}</caption>")
    heads = "".join(
        f'<th scope="col" class="{kind}">{escape(shortened(column.name, LONGEST_HEAD))}</th>'
        for kind, column in zip(kinds, grid.columns, strict=True)
    )
    out.append(f"<thead><tr>{heads}</tr></thead><tbody>")
    for row, given in zip(texts, grid.rows, strict=False):
        cells = zip(row, kinds, _spellings(given, columns), strict=True)
        out.append(f"<tr>{''.join(_cell(*cell, place == 0) for place, cell in enumerate(cells))}</tr>")
    out.append("</tbody></table></div>")
    notes = [grid.note.removeprefix("; ")] if grid.note else []
    if len(grid.rows) > SHOWN_ROWS:
        notes.append(f"the first {SHOWN_ROWS} of {len(grid.rows):,} rows; all are in the JSON")
    if notes:
        out.append(f'<p class="note">{escape("; ".join(notes))}</p>')
    return "".join(out)


def are_figures(texts: Sequence[str]) -> bool:
    """Whether a column of texts is one of numbers, which stand to the right.

    >>> are_figures(["1,134", "–"]), are_figures(["$5.20", "62.2%"]), are_figures(["12", "twelve"])
    (True, True, False)
    """
    said = [text for text in texts if text not in _NOTHING]
    return bool(said) and all(_FIGURE.fullmatch(text) for text in said)


def _spellings(row: Sequence[object], columns: Sequence[Column]) -> list[str]:
    """Under the pointer, a measure said in words has the spelling by which one asks for it."""
    return [
        f' title="{escape(str(cell))}"' if column.kind == "measure" else ""
        for cell, column in zip(row, columns, strict=True)
    ]


def _cell(text: str, kind: str, spelling: str, is_first: bool) -> str:
    """A first cell of text is its row's head."""
    is_long = kind == "text" and max(map(len, text.split()), default=0) > LONGEST_WORD
    classes = f"{kind} long" if is_long else kind
    if is_first and kind == "text":
        return f'<th scope="row" class="{classes}"{spelling}>{escape(text)}</th>'
    return f'<td class="{classes}"{spelling}>{escape(text)}</td>'
