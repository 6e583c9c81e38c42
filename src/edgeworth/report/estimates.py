"""Estimates and tail probabilities as rows of tables and as plain values, for every kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from edgeworth.common.arrays import finite_or_none
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import format_level
from edgeworth.core.test_results import TestResult
from edgeworth.report.report import Cell, Grid, make_columns
from edgeworth.report.wording import interval_cell


def estimates_grid(
    estimates: Iterable[Estimate],
    level: float,
    *more: tuple[Cell, ...],
    title: str = "",
    what: str = "measure",
) -> Grid:
    """Make a table of estimates, one a line, and more lines below."""
    interval = f"{format_level(level)} CI/interval"
    columns = make_columns(f"{what}/measure", "value", interval, "chance level", "method/text")
    return Grid(title, columns, (*(estimate_row(estimate, level) for estimate in estimates), *more))


def estimate_row(estimate: Estimate, level: float) -> tuple[Cell, ...]:
    """Make a row of a table of estimates: measure, value, interval, chance level, method."""
    return (
        estimate.measure,
        finite_or_none(estimate.value),
        interval_cell(estimate.interval(level)),
        finite_or_none(estimate.chance),
        estimate.undefined or estimate.no_interval or str(estimate.method),
    )


def test_result_to_dict(tail: TestResult | None) -> dict[str, Any] | None:
    """Write a tail probability as plain values."""
    if tail is None:
        return None
    exact = None if tail.exact is None else f"{tail.exact.numerator}/{tail.exact.denominator}"
    found = {name: getattr(tail, name) for name in ("p_value", "low", "high", "method", "kind")}
    return found | {"exact": exact}
