"""Names beside an axis: short enough to be drawn, and still different from each other.

What is too long loses its middle, since names that people give differ at their ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from edgeworth.core.formatting import cut_middle, displayable, unique_name

LONGEST = 60
"""Signs of a name in the data of a chart and under the pointer."""

DRAWN = 24
"""Signs of a name beside an axis."""

LIMIT = 230
"""Points that an axis gives to a name: room for so many wide signs, so that it cuts nothing itself."""

UNSAFE = frozenset(
    (
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"),
        *("toString", "valueOf", "__proto__"),
        *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
    )
)
"""What every object of JavaScript has: Vega keeps values as keys of objects, and fails at these."""

UNSEEN = "\u200c"
"""A sign without width behind such a name makes it another one that looks the same.

It is one that ``visible`` leaves as it is, since languages need it."""


@dataclass(frozen=True)
class AxisNames:
    """Names as the data say them, and as they are drawn."""

    names: tuple[str, ...]
    drawn: tuple[str, ...]

    @property
    def options(self) -> dict[str, Any]:
        """Give the options of an axis or a legend that write the names as they are drawn.

        A place among the names, not a key: a name may be anything.
        """
        if self.names == self.drawn:
            return {"labelLimit": LIMIT}
        names, drawn = json.dumps(self.names), json.dumps(self.drawn)
        return {"labelLimit": LIMIT, "labelExpr": f"{drawn}[indexof({names}, datum.value)]"}


def axis_names(names: Iterable[object], most: int = DRAWN) -> AxisNames:
    """Shorten the names of one chart so that they stay different.

    >>> axis_names([f"https://example.org/kinds/{name}" for name in ("cat", "dog", "bird")], 12).drawn
    ('https:…s/cat', 'https:…s/dog', 'https:…/bird')
    """
    # Vega puts names into expressions, in which a backslash and what follows would be another sign.
    full = [displayable(str(name)).replace("\\", "∖") for name in names]
    return AxisNames(distinct_names(full, LONGEST), distinct_names(full, most))


def distinct_names(names: Iterable[str], most: int) -> tuple[str, ...]:
    """Cut names to a length, and put a number behind those that would look like one before.

    >>> distinct_names(["a" * 9, "a" * 8 + "b", "a" * 10], 5)
    ('aa…aa', 'aa…ab', 'aa…aa (2)')
    """
    found: dict[str, None] = {}
    for name in names:
        cut = cut_middle(name, most)
        found[unique_name(f"{cut}{UNSEEN}" if cut in UNSAFE else cut, found)] = None
    return tuple(found)
