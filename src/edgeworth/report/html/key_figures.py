"""Choose the numbers that a page shows in large type: levels, difference, intervals and sample size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from edgeworth.common.json_types import JsonValue
from edgeworth.core.amounts import format_difference, format_level_with_interval, format_levels
from edgeworth.core.estimates import Interval
from edgeworth.core.formatting import (
    cut_middle,
    displayable,
    format_count,
    format_dollars,
    format_level,
    format_number,
    format_p_value,
    format_signed_percent,
    plural,
)
from edgeworth.report.report import AtMost, Report
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.report.wording import describe_measure, format_cell

MAX_LABEL_LENGTH = 40
"""Characters of a system's name above its value."""

SIZES = {"cases": "cases", "items": "items", "lists": "queries"}
"""Facts of the provenance that are sample sizes, and their units."""

YIELD = ("bets", "yield", "yield_low", "yield_high", "level")
"""The numbers of a claim about settled bets."""


class KeyFigure(NamedTuple):
    """A number in large type with its label, and its interval or unit."""

    label: str
    value: str
    detail: str = ""


def key_figures(report: Report) -> tuple[KeyFigure, ...]:
    """Choose the figures of a report on one question; a report on several questions has none."""
    if not isinstance(report.verdict, Verdict):
        return ()
    claims = report.verdict.claims
    money = next((claim for claim in claims if _has_numbers(claim, *YIELD)), None)
    if money is not None:
        return tuple(_money(money.numbers))
    comparison = report.numbers.get("comparison")
    compared = next(
        (claim for claim in claims if _has_numbers(claim, "difference", "low", "high", "level")), None
    )
    if compared is not None and "values" in compared.numbers:
        figures = _scored(compared)
    elif compared is not None and isinstance(comparison, Mapping):
        figures = _compared(compared, comparison)
    elif isinstance(comparison, Mapping) and len(comparison.get("ranked") or ()) > 2:
        figures = _ranked(comparison)
    else:
        figures = [
            figure
            for claim in claims
            if _has_numbers(claim, "value", "low", "high", "level")
            for figure in (_at_threshold(claim) if "threshold" in claim.numbers else [_estimated(claim)])
        ]
    # Claims about calibration and evidence answer other questions than a difference of mean scores.
    is_scored = compared is not None and "values" in compared.numbers
    chance = next((claim for claim in claims if _has_numbers(claim, "p_value")), None)
    if figures and chance is not None and not is_scored:
        method = next((text for start, text in PLAIN_METHODS if chance.rests_on.startswith(start)), "")
        method = method or displayable(chance.rests_on)
        figures.append(KeyFigure("p-value", _p_value(chance.numbers["p_value"]), method))
    size = next((name for name in SIZES if isinstance(report.provenance.get(name), (int, float))), None)
    if figures and size is not None:
        figures.append(KeyFigure(SIZES[size].capitalize(), format_count(report.provenance[size])))
    elif figures and isinstance(comparison, Mapping) and comparison.get("cases"):
        unit = plural(2, str(comparison.get("unit") or "case"))
        figures.append(KeyFigure(unit.capitalize(), format_count(comparison["cases"])))
    return tuple(figures)


PLAIN_METHODS = (("proven bracket", "exact, up to rounding"), ("proven bound", "upper bound"))
"""How the methods of some p-values begin, and what a key figure says instead."""


def _p_value(p_value: float) -> str:
    if isinstance(p_value, AtMost):
        return format_cell(p_value, "probability")
    return format_p_value(p_value).removeprefix("p").removeprefix(" = ").strip()


def _has_numbers(claim: Claim, *names: str) -> bool:
    """Return whether a claim has all of these as finite numbers."""
    values = [claim.numbers.get(name) for name in names]
    return all(isinstance(value, (int, float)) and math.isfinite(value) for value in values)


def _estimated(claim: Claim, measure: str | None = None, condition: str = "") -> KeyFigure:
    """Show the value of a measure, that of the claim by default, and its interval."""
    numbers, measure = claim.numbers, measure or claim.about
    interval = Interval(numbers["low"], numbers["high"])
    value, low, high = format_level_with_interval(measure, numbers["value"], interval)
    name = "cost per case" if measure == "cost" else describe_measure(measure)
    return KeyFigure(
        f"{name[:1].upper()}{name[1:]}{condition}",
        value,
        f"{format_level(numbers['level'])} CI {low} to {high}",
    )


def _at_threshold(claim: Claim) -> list[KeyFigure]:
    """Show a threshold, or the depth if scores are ranks, and the value that it is expected to reach."""
    threshold, numbers = claim.numbers["threshold"], claim.numbers
    figures = []
    if math.isfinite(threshold):
        figures.append(
            KeyFigure("Depth", format_count(-threshold))
            if numbers["is_depth"]
            else KeyFigure("Threshold", format_number(threshold))
        )
    condition = " on new data" if numbers["is_on_new_data"] else " on these data"
    return [*figures, _estimated(claim, numbers["measure"], condition)]


def _money(numbers: Mapping[str, float]) -> list[KeyFigure]:
    """Show what settled bets earned: the bankroll or the profit, the yield and the number of bets."""
    figures = []
    if "end" in numbers:
        start = f"from {format_dollars(numbers['start'])}"
        figures.append(KeyFigure("Final bankroll", format_dollars(numbers["end"]), start))
    elif "profit" in numbers:
        staked = f"on {format_dollars(numbers['turnover'])} staked"
        figures.append(KeyFigure("Profit", format_dollars(numbers["profit"]), staked))
    rate, low, high = (format_signed_percent(numbers[name]) for name in YIELD[1:4])
    return [
        *figures,
        KeyFigure("Yield", rate, f"{format_level(numbers['level'])} CI {low} to {high}"),
        KeyFigure("Bets", format_count(numbers["bets"])),
    ]


def _scored(claim: Claim) -> list[KeyFigure]:
    """Show the mean score of a model and of what it is compared with, and their difference."""
    numbers = claim.numbers
    measure = numbers["measure"]
    return [
        *(
            _level(name, format_number(value), describe_measure(measure))
            for name, value in numbers["values"].items()
        ),
        _difference(measure, numbers),
    ]


def _level(name: str, value: str, measure: str) -> KeyFigure:
    return KeyFigure(cut_middle(displayable(name), MAX_LABEL_LENGTH), value, measure)


def _difference(measure: str, numbers: Mapping[str, float], sign: int = 1) -> KeyFigure:
    """Show a difference with its interval, or of the second system minus the first if ``sign`` is −1."""
    low, high = sorted((sign * numbers["low"], sign * numbers["high"]))
    texts = format_difference(measure, sign * numbers["difference"], Interval(low, high))
    return KeyFigure("Difference", texts[0], f"{format_level(numbers['level'])} CI {texts[1]} to {texts[2]}")


def _compared(claim: Claim, comparison: Mapping[str, JsonValue]) -> list[KeyFigure]:
    """Show the level of each of two systems, the better one first, and their difference."""
    numbers = claim.numbers
    names = [numbers["first"], numbers["second"]]
    sign = -1 if numbers.get("better") == names[1] else 1
    measure = str(comparison["headline"])
    levels = _levels(names[::sign], measure, comparison, numbers["difference"])
    return [*levels, _difference(measure, numbers, sign)]


def _levels(
    names: Sequence[str], measure: str, comparison: Mapping[str, JsonValue], gap: float
) -> list[KeyFigure]:
    """Show the level of each system, with its own interval if it has one."""
    values, intervals = comparison["values"], comparison.get("intervals") or {}
    texts = format_levels(measure, *(values[name][measure] for name in names), gap=gap)
    figures = []
    for name, text in zip(names, texts, strict=True):
        detail = describe_measure(measure)
        low, high = (intervals.get(name, {}).get(end) for end in ("low", "high"))
        if low is not None and high is not None:
            _, *ends = format_level_with_interval(measure, values[name][measure], Interval(low, high))
            detail += f", {format_level(comparison['level'])} CI {' to '.join(ends)}"
        figures.append(_level(name, text, detail))
    return figures


def _ranked(comparison: Mapping[str, JsonValue]) -> list[KeyFigure]:
    """Show the levels of the first two of several systems, and their difference if it has an interval."""
    names, measure = comparison["ranked"][:2], str(comparison["headline"])
    pair = next(pair for pair in comparison["pairs"] if {pair["first"], pair["second"]} == {*names})
    numbers = pair["measures"][measure]
    if any(numbers.get(name) is None for name in ("difference", "low", "high", "level")):
        return []
    sign = 1 if pair["first"] == names[0] else -1
    levels = _levels(names, measure, comparison, numbers["difference"])
    return [*levels, _difference(measure, numbers, sign)]
