"""The section on calibration: slope, intercept, error and z with their intervals, and miscalibration."""

from __future__ import annotations

from collections.abc import Sequence

from edgeworth.common.arrays import finite_or_none
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import format_level
from edgeworth.forecasts.findings import ForecastFindings
from edgeworth.report.report import Cell, Column, Grid, Section, make_columns

CALIBRATION_NAMES = {
    "calibration_slope": "slope of log odds (1 if calibrated)",
    "calibration_intercept": "intercept, slope 1 (0 if calibrated)",
    "ece": "ECE, debiased, 10 bins of equal numbers",
    "spiegelhalter_z": "Spiegelhalter's z (0 if calibrated)",
}


def interval_cell(estimate: Estimate, level: float) -> Cell:
    """Make the cell of an interval; empty if there is none."""
    low, high = estimate.interval(level)
    return finite_or_none(low), finite_or_none(high)


def with_caveats(
    columns: tuple[Column, ...], rows: list[tuple[Cell, ...]], caveats: Sequence[str]
) -> tuple[tuple[Column, ...], list[tuple[Cell, ...]]]:
    """Add a column with the caveat of each row, or the reason for an empty cell, if any row has one."""
    if not any(caveats):
        return columns, rows
    return (*columns, Column("caveat")), [(*row, text) for row, text in zip(rows, caveats, strict=True)]


def calibration_section(findings: ForecastFindings) -> Section:
    """Make the table of calibration slope, intercept, error and z with their intervals."""
    heads = ("class/text", "calibration/text", "value", f"{format_level(findings.level)} interval/interval")
    rows: list[tuple[Cell, ...]] = []
    caveats: list[str] = []
    for label, estimates in findings.calibration.items():
        test = findings.reliability[label].test
        for name, estimate in estimates.items():
            p_value = test.p_values.get(name) or estimate.p_value()
            cells = (str(label), CALIBRATION_NAMES[name], finite_or_none(estimate.value))
            rows.append((*cells, interval_cell(estimate, findings.level), finite_or_none(p_value)))
            caveats.append(estimate.caveat or estimate.undefined or estimate.no_interval or "")
        miscalibration = findings.parts["brier"][label].miscalibration
        by_draws = test.p_values.get("miscalibration")
        rows.append(
            (str(label), "miscalibration (CORP, Brier score)", miscalibration, (None, None), by_draws)
        )
        caveats.append("")
    columns = make_columns(*heads, "p/probability")
    columns, rows = with_caveats(columns, rows, caveats)
    combined = "z, calibration in the large and miscalibration in one test"
    if findings.is_robust:
        combined = "the t tests of z and of the mean error, adjusted for both"
    note = (
        "p: one test per row; slope below 1 or z above 0: forecasts too extreme; intercept above 0: too low; "
        f"the conclusion combines {combined}; miscalibration has no interval, because isotonic regression "
        "also fits noise, and --measure squared_calibration_error has one"
    )
    return Section("Calibration", (), (Grid("", columns, tuple(rows), note),))
