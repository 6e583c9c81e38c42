"""Small tables in HTML, for what a notebook shows of a value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from edgeworth.core.figures import figure


def html_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a caption; everything in it is text, whatever it looks like.

    >>> html_table("a < b", [], [[1]])
    '<table><caption>a &lt; b</caption><tbody><tr><td>1</td></tr></tbody></table>'
    """
    top = "".join(f"<th>{escape(str(head))}</th>" for head in heads)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(_said(cell))}</td>' for cell in row)}</tr>" for row in rows)
    head = f"<thead><tr>{top}</tr></thead>" if heads else ""
    return f"<table><caption>{escape(title)}</caption>{head}<tbody>{lines}</tbody></table>"


def _said(cell: object) -> str:
    if isinstance(cell, float):
        return figure(cell)
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)
