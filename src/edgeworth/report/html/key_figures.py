"""Choose the numbers that a page shows in large type: levels, difference, intervals and sample size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from edgeworth.core.formatting import (
    cut_middle,
    displayable,
    format_count,
    format_level,
    format_number,
    format_p_value,
    format_together,
)
from edgeworth.report.report import Report
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.report.wording import describe_measure

MAX_LABEL_LENGTH = 40
"""Characters of a system's name above its value."""

SIZES = {"cases": "cases", "items": "items", "lists": "queries"}
"""Facts of the provenance that are sample sizes, and their units."""


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
    compared = next(
        (claim for claim in claims if _has_numbers(claim, "difference", "low", "high", "level")), None
    )
    if compared is not None and "values" in compared.numbers:
        figures = _scored(compared)
    elif compared is not None and isinstance(report.numbers.get("comparison"), Mapping):
        figures = _compared(compared, report.numbers["comparison"])
    else:
        figures = [
            _estimated(claim) for claim in claims if _has_numbers(claim, "value", "low", "high", "level")
        ]
    # Claims about calibration and evidence answer other questions than a difference of mean scores.
    is_scored = compared is not None and "values" in compared.numbers
    chance = next((claim for claim in claims if _has_numbers(claim, "p_value")), None)
    if figures and chance is not None and not is_scored:
        figures.append(
            KeyFigure("p-value", _p_value(chance.numbers["p_value"]), displayable(chance.rests_on))
        )
    size = next((name for name in SIZES if isinstance(report.provenance.get(name), (int, float))), None)
    if figures and size is not None:
        figures.append(KeyFigure(SIZES[size].capitalize(), format_count(report.provenance[size])))
    return tuple(figures)


def _p_value(p_value: float) -> str:
    return format_p_value(p_value).removeprefix("p").removeprefix(" = ").strip()


def _has_numbers(claim: Claim, *names: str) -> bool:
    """Return whether a claim has all of these as finite numbers."""
    values = [claim.numbers.get(name) for name in names]
    return all(isinstance(value, (int, float)) and math.isfinite(value) for value in values)


def _estimated(claim: Claim) -> KeyFigure:
    numbers = claim.numbers
    value, low, high = format_together(numbers["value"], numbers["low"], numbers["high"])
    name = describe_measure(claim.about)
    return KeyFigure(
        f"{name[:1].upper()}{name[1:]}", value, f"{format_level(numbers['level'])} CI {low} to {high}"
    )


def _scored(claim: Claim) -> list[KeyFigure]:
    """Show the mean score of a model and of what it is compared with, and their difference."""
    numbers = claim.numbers
    measure = describe_measure(numbers["measure"])
    return [
        *(_level(name, format_number(value), measure) for name, value in numbers["values"].items()),
        _difference(numbers["difference"], numbers["low"], numbers["high"], numbers["level"]),
    ]


def _level(name: str, value: str, measure: str) -> KeyFigure:
    return KeyFigure(cut_middle(displayable(name), MAX_LABEL_LENGTH), value, measure)


def _difference(difference: float, low: float, high: float, level: float) -> KeyFigure:
    texts = [
        text if text.startswith("−") or text == "0" else f"+{text}"
        for text in format_together(difference, low, high)
    ]
    return KeyFigure("Difference", texts[0], f"{format_level(level)} CI {texts[1]} to {texts[2]}")


def _compared(claim: Claim, comparison: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[KeyFigure]:
    """Show the level of each of two systems, the better one first, and their difference."""
    numbers = claim.numbers
    first, second = numbers["first"], numbers["second"]
    difference, low, high = numbers["difference"], numbers["low"], numbers["high"]
    if numbers.get("better") == second:
        first, second, difference, low, high = second, first, -difference, -high, -low
    measure = str(comparison["headline"])
    levels = [comparison["values"][name][measure] for name in (first, second)]
    return [
        *(
            _level(name, format_number(level), describe_measure(measure))
            for name, level in zip((first, second), levels, strict=True)
        ),
        _difference(difference, low, high, numbers["level"]),
    ]
