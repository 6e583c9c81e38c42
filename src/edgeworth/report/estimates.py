"""Convert estimates and test results to rows of tables and to plain values, for every kind."""

from __future__ import annotations

from collections.abc import Iterable

from edgeworth.common.arrays import finite_or_none
from edgeworth.common.json_types import JsonObject
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
    """Make a table with one row per estimate, and more rows below."""
    interval = f"{format_level(level)} CI/interval"
    columns = make_columns(f"{what}/measure", "value", interval, "chance level", "method/text")
    return Grid(title, columns, (*(estimate_row(estimate, level) for estimate in estimates), *more))


def estimate_row(estimate: Estimate, level: float) -> tuple[Cell, ...]:
    """Make a row of a table of estimates: measure, value, interval, chance level, method and caveat."""
    caveat = "" if estimate.caveat is None else f", but {estimate.caveat}"
    return (
        estimate.measure,
        finite_or_none(estimate.value),
        interval_cell(estimate.interval(level)),
        finite_or_none(estimate.chance),
        estimate.undefined or estimate.no_interval or f"{estimate.method}{caveat}",
    )


def test_result_to_dict(result: TestResult | None) -> JsonObject | None:
    """Return a test result as plain values."""
    if result is None:
        return None
    exact = None if result.exact is None else f"{result.exact.numerator}/{result.exact.denominator}"
    values = {name: getattr(result, name) for name in ("p_value", "low", "high", "method", "kind")}
    return values | {"exact": exact}
