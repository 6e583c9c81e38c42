"""Pictures and numbers made small for a page, without a difference that anyone could see."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_EMPTY_GROUP = re.compile(r"<g>\s*</g>")


def slim_picture(svg: str) -> str:
    """An SVG without what a page does not need of it: names of marks, far decimals, what is not seen.

    Styles of its own go as well: the page's policy would refuse them. The page says its font.

    >>> slim_picture('<?xml?><svg class="marks"><path d="M1.23456,2h0" opacity="1"/><g></g></svg>')
    '<svg><path d="M1.23,2h0"/></svg>'
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


def spread(rows: Sequence[Row], most: int) -> list[Row]:
    """At most so many rows, evenly over the whole, the first and the last among them.

    >>> spread([0, 1, 2, 3, 4, 5, 6], 3)
    [0, 3, 6]
    """
    if len(rows) <= most:
        return list(rows)
    return [rows[round(place * (len(rows) - 1) / (most - 1))] for place in range(most)]
