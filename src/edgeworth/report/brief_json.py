"""Shorten the JSON of a report: omit the rows behind charts and the digits that no chart shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from edgeworth.common.json_types import JsonObject, JsonValue

if TYPE_CHECKING:
    from edgeworth.report.charts.chart import Chart

CHART_DATA = "chart_data"
"""The key of numbers that are used only by charts."""
MIN_POINTS_OF_A_CURVE = 33
"""A list of at least this many numbers is a curve or a path: tables of results are shorter."""
DIGITS_OF_A_CURVE = 6
"""Enough digits for any screen; the final result of a curve keeps all digits elsewhere."""

NUMBER = r"(?:-?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?|null)"
NUMBERS_ON_LINES = re.compile(rf"\[\n\s+({NUMBER}(?:,\n\s+{NUMBER})*)\n\s*\]")


def leave_out_curves(numbers: Mapping[str, JsonValue]) -> JsonObject:
    """Omit the numbers that only charts use, and round the numbers of curves."""
    return {name: _shorten(value) for name, value in numbers.items() if name != CHART_DATA}


def describe_charts(charts: Mapping[str, Chart], *, full: bool) -> JsonObject:
    """Return each chart's title and sentence, and with ``full`` the rows behind it."""
    if full:
        return {name: chart.numbers() for name, chart in charts.items()}
    return {name: {"title": chart.title, "description": chart.description} for name, chart in charts.items()}


def _shorten(value: JsonValue) -> JsonValue:
    """Round the numbers of every curve inside a value to a few significant digits.

    >>> _shorten({"value": 1 / 3, "curve": [1 / 3] * 40})["curve"][:2]
    [0.333333, 0.333333]
    """
    if isinstance(value, Mapping):
        return {name: _shorten(part) for name, part in value.items()}
    if not isinstance(value, (list, tuple)):
        return value
    is_curve = len(value) >= MIN_POINTS_OF_A_CURVE and all(
        point is None or isinstance(point, (int, float)) for point in value
    )
    if not is_curve:
        return [_shorten(part) for part in value]
    return [float(f"{x:.{DIGITS_OF_A_CURVE}g}") if isinstance(x, float) else x for x in value]


def join_number_lines(text: str) -> str:
    r"""Write each list of numbers in indented JSON on one line.

    >>> join_number_lines('{\n  "low": [\n    1.5,\n    null\n  ]\n}')
    '{\n  "low": [1.5, null]\n}'
    """
    # A string in JSON has no line breaks, so nothing inside one can match.
    return NUMBERS_ON_LINES.sub(lambda match: f"[{' '.join(match[1].split())}]", text)
