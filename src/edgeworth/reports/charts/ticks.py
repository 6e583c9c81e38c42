"""Where an axis has its marks, and how it writes them: each another number, and 0 wherever it belongs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MOST = 6
"""Marks of an axis: so many numbers stand side by side on a telephone too."""

LARGEST = 100_000
"""A number up to this is written with all its digits; from there on 250k."""

NARROWEST = 1e-12
"""A span of the axis in which floats have digits to tell marks apart, as a share of the largest value."""


@dataclass(frozen=True)
class Ticks:
    """The marks of an axis: multiples of a step, from end to end."""

    places: tuple[float, ...]
    decimals: int

    @property
    def domain(self) -> list[float]:
        """The ends of the axis."""
        return [self.places[0], self.places[-1]]

    def scale(self, alt: Any) -> Any:
        """The scale of the axis, which nothing may widen to other numbers."""
        return alt.Scale(domain=self.domain, nice=False, zero=False)

    def axis(self, alt: Any, *, signed: bool = False, unsigned: bool = False, **options: Any) -> Any:
        """An axis of plain numbers: all with their sign, or none."""
        form = self._form
        if unsigned:
            return self._axis(alt, f"format(abs(datum.value), '{form}')", options)
        return self._axis(alt, f"datum.value ? format(datum.value, '{'+' * signed}{form}') : '0'", options)

    def percent_axis(self, alt: Any, *, signed: bool = False, **options: Any) -> Any:
        """An axis of shares, written as per cents; 0 has no sign."""
        form = f"{'+' * signed},.{max(0, self.decimals - 2)}%"
        return self._axis(alt, f"datum.value ? format(datum.value, '{form}') : '0%'", options)

    @property
    def _form(self) -> str:
        if self.decimals > 5:
            return "~e"
        return "~s" if max(map(abs, self.domain)) > LARGEST else f",.{self.decimals}f"

    def _axis(self, alt: Any, expression: str, options: dict[str, Any]) -> Any:
        # Vega leaves out every second mark beyond the number that it was told to have.
        asked = {"tickCount": len(self.places), **options}
        order = self._order()
        if order is None:
            expression = f"round(datum.value / {self._step!r}) % 2 ? '' : ({expression})"
        return alt.Axis(values=list(order or self.places), labelExpr=expression, **asked)

    @property
    def _step(self) -> float:
        return round(self.places[1] - self.places[0], self.decimals)

    def _order(self) -> tuple[float, ...] | None:
        """The marks in an order in which 0 is written even where there is no room for all.

        Numbers that would overlap lose every second of them, the first one staying: from one end or the
        other 0 has to stand at an even place, and of many at one that is even a second time. None where it
        does neither way: then only every second number is written, counted from 0.
        """
        if 0.0 not in self.places:
            return self.places
        every = 2 if len(self.places) < MOST else 4
        for order in (self.places, self.places[::-1]):
            if order.index(0.0) % every == 0:
                return order
        return None


def ticks(values: Iterable[float | None], *, zero: bool = True, whole: bool = False) -> Ticks:
    """Marks around some values (what is no number does not count): at most six steps of 1, 2 or 5 times ten.

    ``zero`` brings 0 onto the axis, ``whole`` allows no step below 1.

    >>> ticks([-0.0004, 0.0011]).places
    (-0.0005, 0.0, 0.0005, 0.001, 0.0015)
    >>> ticks([7, 143, None], whole=True).places
    (0.0, 50.0, 100.0, 150.0)
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=0.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    size = max(abs(low), abs(high))
    if high - low <= NARROWEST * size:
        # Nothing but one number: some room around it.
        room = 0.1 * size or 0.1
        low, high = low - room, high + room
    step, decimals = _step(high - low, 1.0 if whole else 0.0)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Ticks(tuple(round(place * step, decimals) + 0.0 for place in range(first, last + 1)), decimals)


def _step(span: float, least: float) -> tuple[float, int]:
    """The smallest step of 1, 2 or 5 times a power of ten that needs few enough marks, and its decimals."""
    power = math.floor(math.log10(span / MOST))
    for exponent in (power, power + 1):
        for digit in (1, 2, 5):
            step = digit * 10.0**exponent
            if step >= least and span / step <= MOST - 1:
                return step, max(0, -exponent)
    step = max(10.0 ** (power + 2), least)
    return step, max(0, -(power + 2)) if step < 1 else 0
