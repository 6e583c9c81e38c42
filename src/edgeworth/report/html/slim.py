"""Pictures and numbers made small for a page, without a difference that anyone could see."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

Row = TypeVar("Row")

DIGITS = 6
"""Significant digits of numbers under the pointer; the JSON beside the page has them all."""

_NEEDLESS = re.compile(
    r'\s(?:style|class|role|aria-[a-z]+|pointer-events|font-family|stroke-miterlimit|xmlns:xlink|version)="[^"]*"'
    r'|\sopacity="1"|\s(?:fill|stroke)-opacity="1"|\stransform="translate\(0,0\)"'
)
_INVISIBLE = re.compile(r'<path[^>]*(?:\sdisplay="none"|\sopacity="0"|\sd="M0,0h0v0h0Z")[^>]*/>')
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_RGB = re.compile(r"rgb\((\d+), (\d+), (\d+)\)")
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_EMPTY_GROUP = re.compile(r"<g>\s*</g>")


def slim_picture(svg: str) -> str:
    """An SVG without what a page does not need of it: names of marks, far decimals, what is not seen.

    Styles of its own go as well: the page's policy would refuse them. The page says its font.

    >>> slim_picture('<?xml?><svg class="marks"><path d="M1.23456,2h0" opacity="1"/><g></g></svg>')
    '<svg><path d="M1.23,2h0"/></svg>'
    >>> slim_picture('<svg><path fill="rgb(242, 9, 243)"/></svg>')
    '<svg><path fill="#f209f3"/></svg>'
    >>> slim_picture('<svg><text x="1.2345">3.14159 role="y" z</text></svg>')
    '<svg><text x="1.23">3.14159 role="y" z</text></svg>'
    """
    svg = _INVISIBLE.sub("", svg[svg.index("<svg") :])
    # Inside tags only: what stands between them are labels, and these stay as they are.
    svg = _TAG.sub(lambda tag: _slim_tag(tag[0]), svg)
    while _EMPTY_GROUP.search(svg):
        svg = _EMPTY_GROUP.sub("", svg)
    return svg


def _slim_tag(tag: str) -> str:
    tag = _RGB.sub(lambda colour: "#{:02x}{:02x}{:02x}".format(*map(int, colour.groups())), tag)
    tag = _NEEDLESS.sub("", tag)
    return _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), tag)


def slim_numbers(value: Any) -> Any:
    """Floats rounded to the digits that a page shows.

    >>> slim_numbers({"x": [0.12345678, None, 3, "a"]})
    {'x': [0.123457, None, 3, 'a']}
    """
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: slim_numbers(item) for key, item in value.items()}
    return [slim_numbers(item) for item in value] if isinstance(value, (list, tuple)) else value


def packed(rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Rows as columns, which the page's script makes rows of again: names are not written in each row.

    A column is its name and its values; one of texts that recur is its name, the texts, and their places.

    >>> packed([{"x": 1, "who": "a"}, {"x": 2, "who": "b"}, {"x": 3, "who": "a"}])
    [['x', [1, 2, 3]], ['who', ['a', 'b'], [0, 1, 0]]]
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [[name, *_column([row.get(name) for row in rows])] for name in names]


def _column(values: list[Any]) -> list[list[Any]]:
    if not all(isinstance(value, str) for value in values):
        return [values]
    places = {text: place for place, text in enumerate(dict.fromkeys(values))}
    return [values] if len(places) == len(values) else [list(places), [places[value] for value in values]]


def spread(rows: Sequence[Row], most: int) -> list[Row]:
    """At most so many rows, evenly over the whole, the first and the last among them.

    >>> spread([0, 1, 2, 3, 4, 5, 6], 3)
    [0, 3, 6]
    """
    if len(rows) <= most:
        return list(rows)
    return [rows[round(place * (len(rows) - 1) / (most - 1))] for place in range(most)]
