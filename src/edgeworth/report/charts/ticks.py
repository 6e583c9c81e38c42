"""An axis around 0: Vega places the marks, and every one of them is written."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MARKS = 4
"""About so many marks of an axis (Vega takes up to seven): few enough that no number has to be left out."""

LARGEST = 100_000
"""A number up to this is written with all its digits; from there on 250k."""


@dataclass(frozen=True)
class Ticks:
    """The ends of an axis, before Vega rounds them to marks, and about how many marks it has."""

    domain: tuple[float, float]
    number: int = MARKS

    def scale(self, alt: Any) -> Any:
        """The scale of the axis."""
        return alt.Scale(domain=list(self.domain), nice=self.number, zero=False)

    def axis(self, alt: Any, *, signed: bool = False, unsigned: bool = False) -> Any:
        """An axis of plain numbers: all with their sign, or none."""
        size = max(map(abs, self.domain))
        form = "~s" if size > LARGEST else "~e" if size < 1e-5 else ",f"
        label = "replace(datum.label, '−', '')" if unsigned else "datum.label"
        return self._axis(alt, "+" * signed + form, label, "0")

    def percent_axis(self, alt: Any, *, signed: bool = False) -> Any:
        """An axis of shares, written as per cents; 0 has no sign."""
        return self._axis(alt, "+" * signed + ",%", "datum.label", "0%")

    def _axis(self, alt: Any, form: str, label: str, zero: str) -> Any:
        # Where numbers overlap Vega would leave out every second of them, and 0 could be one.
        return alt.Axis(
            tickCount=self.number,
            format=form,
            labelExpr=f"datum.value ? {label} : '{zero}'",
            labelOverlap=False,
        )


def ticks(values: Iterable[float | None], *, whole: bool = False) -> Ticks:
    """Ends around some values and 0 (what is no number does not count); ``whole`` allows no step below 1.

    >>> ticks([7, 143, None], whole=True)
    Ticks(domain=(0.0, 143), number=4)
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min([0.0, *known]), max([0.0, *known])
    if low == high:
        low, high = (-1.0, 1.0) if whole else (-0.1, 0.1)
    return Ticks((low, high), min(MARKS, max(1, int(high - low))) if whole else MARKS)
