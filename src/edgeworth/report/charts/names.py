"""Names beside an axis: short enough to be drawn, and still different from each other.

What all of many long names begin with is left out and said once; what is still too long loses its middle,
since names that people give differ at their ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from edgeworth.core.formatting import cut_middle, displayable, width_of

LONGEST = 60
"""Signs of a name in the data of a chart and under the pointer."""

DRAWN = 24
"""Signs of a name beside an axis."""

LIMIT = 230
"""Points that an axis gives to a name: room for so many wide signs, so that it cuts nothing itself."""

WORTH_LEAVING_OUT = 6

UNSAFE = frozenset(
    (
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"),
        *("toString", "valueOf", "__proto__"),
        *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
    )
)
"""What every object of JavaScript has: Vega keeps values as keys of objects, and fails at these."""

UNSEEN = "\u200b"
"""A sign without width behind such a name makes it another one that looks the same."""


@dataclass(frozen=True)
class AxisNames:
    """Names as the data say them, as they are drawn, and the beginning that is not drawn."""

    names: tuple[str, ...]
    drawn: tuple[str, ...]
    beginning: str = ""

    @property
    def caption(self) -> str:
        """Say in the caption what names are drawn without, if anything."""
        cut = cut_middle(self.beginning, LONGEST)
        return f" Names are drawn without “{cut}”, with which all begin." if cut else ""

    @property
    def options(self) -> dict[str, Any]:
        """Give the options of an axis or a legend that write the names as they are drawn.

        A place among the names, not a key: a name may be anything.
        """
        if self.names == self.drawn:
            return {"labelLimit": LIMIT}
        names, drawn = json.dumps(self.names), json.dumps(self.drawn)
        return {"labelLimit": LIMIT, "labelExpr": f"{drawn}[indexof({names}, datum.value)]"}

    def short(self, name: str) -> str:
        """Give one of the names as it is drawn."""
        return self.drawn[self.names.index(name)]


def axis_names(names: Iterable[object], most: int = DRAWN) -> AxisNames:
    """Shorten the names of one chart so that they stay different.

    >>> urls = [f"https://example.org/kinds/{name}" for name in ("cat", "dog", "a very long kind of bird")]
    >>> found = axis_names(urls, 12)
    >>> found.drawn, found.beginning
    (('…cat', '…dog', '…a ver… bird'), 'https://example.org/kinds/')
    """
    # Vega puts names into expressions, in which a backslash and what follows would be another sign.
    full = [displayable(str(name)).replace("\\", "∖") for name in names]
    beginning = _beginning(full) if any(width_of(name) > most for name in full) else ""
    rests = [f"…{name[len(beginning) :]}" if beginning else name for name in full]
    return AxisNames(distinct_names(full, LONGEST), distinct_names(rests, most), beginning)


def distinct_names(names: Iterable[str], most: int) -> tuple[str, ...]:
    """Cut names to a length, and put a number behind those that would look like one before.

    >>> distinct_names(["a" * 9, "a" * 8 + "b", "a" * 10], 5)
    ('aa…aa', 'aa…ab', 'aa…aa (2)')
    """
    found: dict[str, None] = {}
    for name in names:
        cut, number = cut_middle(name, most), 2
        cut = f"{cut}{UNSEEN}" if cut in UNSAFE else cut
        trial = cut
        while trial in found:
            trial, number = f"{cut} ({number})", number + 1
        found[trial] = None
    return tuple(found)


def _beginning(names: list[str]) -> str:
    """Find what all names begin with, up to the end of a word, or not within a number."""
    if len(set(names)) < 2:
        return ""
    first, last = min(names), max(names)
    pairs = zip(first, last, strict=False)
    common = first[: next((place for place, (a, b) in enumerate(pairs) if a != b), len(first))]
    words = len(common)
    while words and common[words - 1].isalnum():
        words -= 1
    common = common[:words] if words >= WORTH_LEAVING_OUT else common.rstrip("0123456789")
    is_whole = any(len(name) == len(common) for name in names)
    return "" if is_whole or len(common) < WORTH_LEAVING_OUT else common
