"""Make axes around 0 on which every tick has a label, and shared parts of charts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edgeworth.common.arrays import Values, finite_or_none
from edgeworth.common.escaping import visible
from edgeworth.report.charts.chart import INK, PALETTE, SECOND, Kit, Rows

TICK_COUNT = 4
"""The approximate number of ticks (Vega uses up to seven): few enough that every tick has a label."""

MAX_PLAIN_NUMBER = 100_000
"""Numbers up to this are written with all digits; larger ones as 250k."""


@dataclass(frozen=True)
class Ticks:
    """The ends of an axis, before Vega rounds them to ticks, and the approximate number of ticks."""

    domain: tuple[float, float]
    number: int = TICK_COUNT

    def scale(self, alt: Any) -> Any:
        """Make the scale of the axis."""
        return alt.Scale(domain=list(self.domain), nice=self.number, zero=False)

    def axis(self, alt: Any, *, signed: bool = False, unsigned: bool = False) -> Any:
        """Make an axis of plain numbers, either all or none with their sign."""
        size = max(map(abs, self.domain))
        form = "~s" if size > MAX_PLAIN_NUMBER else "~e" if size < 1e-5 else ",f"
        label = "replace(datum.label, '−', '')" if unsigned else "datum.label"
        return self._axis(alt, "+" * signed + form, label, "0")

    def percent_axis(self, alt: Any, *, signed: bool = False) -> Any:
        """Make an axis of shares in percent; 0 has no sign."""
        return self._axis(alt, "+" * signed + ",%", "datum.label", "0%")

    def points_axis(self, alt: Any) -> Any:
        """Make an axis of differences of shares in percentage points, with their sign."""
        return self._axis(alt, "+,%", "replace(datum.label, '%', '')", "0")

    def _axis(self, alt: Any, form: str, label: str, zero: str) -> Any:
        # If labels overlap, Vega would omit every second one, and 0 could be one of them.
        return alt.Axis(
            tickCount=self.number,
            format=form,
            labelExpr=f"datum.value ? {label} : '{zero}'",
            labelOverlap=False,
        )


def ticks(values: Iterable[float | None], *, whole: bool = False, zero: bool = True) -> Ticks:
    """Find ends around some values, and 0 if ``zero`` (only numbers count); ``whole`` allows no step below 1.

    >>> ticks([7, 143, None], whole=True)
    Ticks(domain=(0.0, 143), number=4)
    >>> ticks([0.62, 0.75], zero=False)
    Ticks(domain=(0.62, 0.75), number=4)
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    ends = known if known and not zero else [0.0, *known]
    low, high = min(ends), max(ends)
    if low == high:
        low, high = (-1.0, 1.0) if whole else (-0.1, 0.1)
    return Ticks((low, high), min(TICK_COUNT, max(1, int(high - low))) if whole else TICK_COUNT)


WIDE, HIGH = 400, 290
"""The size of a chart in pixels: two fit side by side on a page, and one is legible on a phone."""
MAX_LEGEND_LENGTH = 54
"""A legend with more characters is set in two columns, so that it is not wider than its chart."""
CHANCE = PALETTE[-1]
PLAIN = ",.6~g"
"""The format of an axis of plain numbers; without its digits Vega writes 10 as 1e+1."""


def table_rows(columns: Mapping[str, Values | None]) -> Rows:
    """Convert columns of numbers or names to rows; an unknown column is None in every row."""
    length = max(len(values) for values in columns.values() if values is not None)
    plain = [
        [None] * length
        if values is None
        else [finite_or_none(x) if isinstance(x, float) else x for x in values.tolist()]
        for values in columns.values()
    ]
    return tuple(dict(zip(columns, row, strict=True)) for row in zip(*plain, strict=True))


def picture_rows(columns: Mapping[str, Values | None]) -> Rows:
    """Convert columns to rows with six significant digits, which is enough for a picture.

    >>> import numpy as np
    >>> picture_rows({"x": np.array([2, np.inf, 0.123456789])})
    ({'x': 2.0}, {'x': None}, {'x': 0.123457})
    """
    return tuple({name: _short(value) for name, value in row.items()} for row in table_rows(columns))


def _short(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


def number_axis(values: Sequence[float]) -> dict[str, str]:
    """Choose the options of an axis of such values: 25,000, but 250k; 0 is 0, not 0k."""
    if max(map(abs, values), default=0) <= MAX_PLAIN_NUMBER:
        return {"format": PLAIN}
    return {"format": "~s", "labelExpr": "datum.value ? datum.label : '0'"}


def colour_layer(alt: Any, layer: Any, name: str, colours: Mapping[str, str]) -> Any:
    """Draw a layer in the colour of its system, with one legend for all layers."""
    columns = 2 if sum(map(len, colours)) > MAX_LEGEND_LENGTH else 0
    colour = alt.Color(
        "who:N",
        scale=alt.Scale(domain=list(colours), range=list(colours.values())),
        legend=alt.Legend(
            title=None, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1, columns=columns
        ),
    )
    return layer.transform_calculate(who=json.dumps(visible(name))).encode(color=colour)


def band_between(alt: Any, base: Any, low: str, high: str, colour: str) -> Any:
    return base.mark_area(color=colour, opacity=0.18).encode(y=alt.Y(f"{low}:Q"), y2=f"{high}:Q")


def mark_observed(kit: Kit, observed: float, domain: Sequence[float], text: str) -> list[Any]:
    """Draw a line at the observed value, with its text on the side that has room."""
    observed_position = kit.once().encode(x=kit.alt.datum(observed))
    align = "right" if observed > (domain[0] + domain[1]) / 2 else "left"
    words = observed_position.mark_text(fill=INK, fontWeight=600, baseline="bottom", align=align, dy=-4)
    words = words.encode(y=kit.alt.value(0), text=kit.alt.value(text))
    return [observed_position.mark_rule(color=SECOND, strokeWidth=2.5), words]


def touch_points(base: Any, *, clip: bool = False) -> Any:
    """Draw invisible points that show tooltips under the pointer."""
    return base.mark_point(shape="square", filled=True, size=90, opacity=0, aria=False, clip=clip)
