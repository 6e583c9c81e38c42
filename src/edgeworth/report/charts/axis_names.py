"""Shorten names for an axis and keep them different from each other.

A long name loses its middle, because names usually differ at their ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from edgeworth.core.formatting import cut_middle, displayable, unique_name

MAX_NAME_LENGTH = 60
"""Characters of a name in the data of a chart and in tooltips."""

MAX_AXIS_LABEL_LENGTH = 24
"""Characters of a name beside an axis."""

AXIS_LABEL_PIXELS = 230
"""Pixels that an axis reserves for a name: enough for that many wide characters, so that Vega cuts none."""

JAVASCRIPT_KEYS = frozenset(
    (
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"),
        *("toString", "valueOf", "__proto__"),
        *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
    )
)
"""Attributes of every JavaScript object: Vega uses values as keys of objects, and fails on these."""

ZERO_WIDTH = "\u200c"
"""A character without width that makes such a name safe without changing its look.

``visible`` keeps this character, because some languages need it."""


@dataclass(frozen=True)
class AxisNames:
    """Names in the data, and as they are drawn."""

    names: tuple[str, ...]
    drawn: tuple[str, ...]

    @property
    def options(self) -> dict[str, Any]:
        """The options of an axis or a legend that show the names as they are drawn.

        Names are looked up by position, because a name may be any text.
        """
        if self.names == self.drawn:
            return {"labelLimit": AXIS_LABEL_PIXELS}
        names, drawn = json.dumps(self.names), json.dumps(self.drawn)
        return {"labelLimit": AXIS_LABEL_PIXELS, "labelExpr": f"{drawn}[indexof({names}, datum.value)]"}


def axis_names(names: Iterable[object], most: int = MAX_AXIS_LABEL_LENGTH) -> AxisNames:
    """Shorten the names of one chart so that they stay different.

    >>> axis_names([f"https://example.org/kinds/{name}" for name in ("cat", "dog", "bird")], 12).drawn
    ('https:…s/cat', 'https:…s/dog', 'https:…/bird')
    """
    # Vega puts names into expressions, in which a backslash would start an escape sequence.
    full = [displayable(str(name)).replace("\\", "∖") for name in names]
    return AxisNames(distinct_names(full, MAX_NAME_LENGTH), distinct_names(full, most))


def distinct_names(names: Iterable[str], most: int) -> tuple[str, ...]:
    """Cut names to a length, and add a number to those that would equal an earlier one.

    >>> distinct_names(["a" * 9, "a" * 8 + "b", "a" * 10], 5)
    ('aa…aa', 'aa…ab', 'aa…aa (2)')
    """
    distinct: dict[str, None] = {}
    for name in names:
        cut = cut_middle(name, most)
        distinct[unique_name(f"{cut}{ZERO_WIDTH}" if cut in JAVASCRIPT_KEYS else cut, distinct)] = None
    return tuple(distinct)
