"""Mean differences of scores, model − baseline, as a table and for JSON."""

from __future__ import annotations

import math

from edgeworth.common.arrays import finite_or_none
from edgeworth.common.json_types import JsonObject
from edgeworth.core.formatting import cut_middle, format_level
from edgeworth.forecasts.curves import sequence_path
from edgeworth.forecasts.estimates import INFINITE_SCORE, AverageDifference
from edgeworth.forecasts.findings import ForecastFindings
from edgeworth.forecasts.scarce_outcomes import HOEFFDING
from edgeworth.forecasts.tally import MODEL
from edgeworth.report.report import Cell, Grid, Section, make_columns

DIFFERENCES = "Difference in mean score"

MAX_HEADING_LENGTH = 24
"""Characters of a name in the heading of a column."""


def name_difference(findings: ForecastFindings) -> str:
    """Name the difference of scores, which is below 0 if the model scores better."""
    model, rival = (
        cut_middle(findings.short_name(system), MAX_HEADING_LENGTH) for system in findings.scores.systems
    )
    return f"{model} − {rival}"


def average_section(findings: ForecastFindings) -> Section:
    """Show which system scores better on average, with bounds for the difference."""
    level = format_level(findings.level)
    columns = ["score/text", f"{name_difference(findings)}/number", f"{level} interval/interval"]
    differences = {"Brier score": findings.bets.brier, "log score": findings.bets.log}
    finite = {name: x.model_less_baseline for name, x in differences.items() if x is not None}
    unknown: tuple[Cell, ...] = (None, (None, None), INFINITE_SCORE)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name,
            *((finite_or_none(finite[name].mean), *_bounds(finite[name])) if name in finite else unknown),
        )
        for name in differences
    )
    names_by_method: dict[str, list[str]] = {}
    for name, x in finite.items():
        names_by_method.setdefault(x.method, []).append(name)
    methods = "; ".join(f"{' and '.join(names)}: {method}" for method, names in names_by_method.items())
    note = f"below 0: {findings.name(MODEL)} scores better; {methods}"
    validities = {str(row[-1]) for row in rows}
    are_scarce = any(x.no_winner is not None or x.caveat is not None for x in finite.values())
    have_intervals = all(row[2] != (None, None) for row in rows)
    if len(validities) == 1 and have_intervals and not are_scarce:
        rows = tuple(row[:-1] for row in rows)
        note += f"; intervals hold {validities.pop()}"
    else:
        columns.append("valid/text")
    return Section(DIFFERENCES, (), (Grid("", make_columns(*columns), rows, note),), is_main=True)


def _bounds(difference: AverageDifference) -> tuple[Cell, Cell]:
    if math.isnan(difference.low) and difference.no_winner is not None:
        return (None, None), difference.no_winner
    if math.isnan(difference.low):
        if difference.sequence is None:
            return (None, None), "too few cases"
        reason = difference.sequence.undefined
        return (None, None), f"undefined: {reason}" if reason else difference.holds
    remark = " (the whole range)" if difference.is_uninformative else ""
    reason = difference.no_winner or difference.caveat
    caveat = "" if reason is None else f". No t test: {reason}"
    if reason is not None and difference.method != HOEFFDING:
        caveat = f"; too narrow: {reason}"
    return (difference.low, difference.high), f"{difference.holds}{remark}{caveat}"


def average_numbers(difference: AverageDifference | None) -> JsonObject:
    """Return a mean difference of scores, model − baseline, for JSON."""
    names = ("mean", "low", "high", "holds", "method")
    if difference is None:
        return {**dict.fromkeys((*names, "path")), "undefined": INFINITE_SCORE}
    difference = difference.model_less_baseline
    rows = () if difference.sequence is None else sequence_path(difference.sequence)
    path = dict(zip(("cases", *names[:3]), rows, strict=False)) or None
    return {**{name: getattr(difference, name) for name in names}, "path": path, "undefined": None}
