"""Margins: whether a system is no worse than another by more than a margin, or equivalent to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from edgeworth.common.arrays import plain_values
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.margin_planning import are_no_worse, margin_plan, paired_counts
from edgeworth.comparisons.planning import SampleSizePlan
from edgeworth.comparisons.policy import MAX_PAIRS_SHOWN, MIN_UNITS_FOR_NO_WORSE
from edgeworth.core.amounts import describe_amount
from edgeworth.core.estimates import Interval
from edgeworth.core.formatting import (
    format_count,
    format_level,
    format_number,
    format_percent,
    format_rounded,
    plural,
)
from edgeworth.core.sampling_distributions import is_significant
from edgeworth.report.report import Cell, Column, Grid, Section, make_columns
from edgeworth.report.verdict import Claim, Strength
from edgeworth.report.wording import describe_measure, interval_cell

if TYPE_CHECKING:
    from edgeworth.comparisons.findings import ComparisonFindings

UNSEEN = "a few unseen items at the worst end could move the mean across the margin"
"""Why a margin is not decided although the interval decides it."""

MarginOutcome: TypeAlias = Literal["equivalent", "no worse", "worse", "undecided"]


def gain_interval(difference: Difference, level: float) -> Interval:
    """Return the interval of how much better the first system is: minus the difference if low is good."""
    low, high = difference.interval(level)
    return Interval(low, high) if difference.is_higher_better else Interval(-high, -low)


def is_no_worse(difference: Difference, margin: float, level: float) -> bool:
    """Return whether the first system is shown to be no worse than the second by a margin.

    The interval lies above the margin, and a few unseen items at the worst end would not change that. With
    few right-or-wrong answers the exact test must show it too.
    """
    if not gain_interval(difference, level).low > -margin or not survives_unseen(difference, margin):
        return False
    counts = paired_counts(difference)
    if counts is None or not math.isinf(counts.freedom) or not float(counts.trials).is_integer():
        return True
    wins, losses = np.array([float(counts.only_first)]), np.array([float(counts.only_second)])
    return bool(are_no_worse(wins, losses, counts.trials, margin, level)[0])


def survives_unseen(difference: Difference, margin: float) -> bool:
    """Return whether a few unseen units would leave the gain on the side of −margin where it is."""
    gain, (lower, upper) = difference.difference, difference.unseen_shifts
    if not difference.is_higher_better:
        gain, lower, upper = -gain, upper, lower
    return gain - lower > -margin or gain + upper < -margin


def reason_for_no_margin(difference: Difference, unit: str = "case") -> str | None:
    """Explain why nothing is decided about a margin, whatever the interval, or return None."""
    if difference.undefined is not None:
        return difference.undefined
    if difference.direction == "neither":
        return f"neither direction of {describe_measure(difference.measure)} is better"
    if difference.law is None:
        return f"there is no interval: {difference.no_interval}"
    counts = paired_counts(difference)
    trials = difference.cases if counts is None else min(difference.cases, counts.trials)
    if trials < MIN_UNITS_FOR_NO_WORSE:
        few = f"{format_count(trials)} {plural(trials, unit)}"
        return f"{few} are too few: below {MIN_UNITS_FOR_NO_WORSE}, no system is called no worse"
    # Unseen units count against the margin itself (``survives_unseen``), not against no difference.
    return None if any(difference.unseen_shifts) else difference.no_winner


@dataclass(frozen=True)
class MarginTest:
    """Whether the first of two systems is no worse than the second by more than a margin.

    ``gain`` is how much better the first is, and ``interval`` its interval. Equivalence is two one-sided
    tests: each system is no worse than the other.
    """

    difference: Difference = field(repr=False)
    margin: float
    level: float
    power: float = 0.8
    unit: str = "case"

    @property
    def first(self) -> str:
        """The system that is tested."""
        return self.difference.first

    @property
    def second(self) -> str:
        """The system that it is compared with."""
        return self.difference.second

    @property
    def interval(self) -> Interval:
        """The interval of how much better the first system is."""
        return gain_interval(self.difference, self.level)

    @property
    def reason(self) -> str | None:
        """Why nothing is decided, whatever the interval."""
        reason = reason_for_no_margin(self.difference, self.unit)
        is_clear = not self.interval.low <= -self.margin <= self.interval.high
        if reason is None and is_clear and not survives_unseen(self.difference, self.margin):
            return UNSEEN
        return reason

    @property
    def outcome(self) -> MarginOutcome:
        """What the interval shows about the first system."""
        if self.reason is not None:
            return "undecided"
        if self.interval.high < -self.margin:
            return "worse"
        if is_no_worse(self.difference, self.margin, self.level):
            return (
                "equivalent" if is_no_worse(self.difference.mirror(), self.margin, self.level) else "no worse"
            )
        return "undecided"

    @property
    def plan(self) -> SampleSizePlan:
        """The sample size that shows "no worse" with the power if the two systems are equally good."""
        return margin_plan(self.difference, self.margin, level=self.level, power=self.power)

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        fields = {
            "first": self.first,
            "second": self.second,
            "measure": self.difference.measure,
            "margin": self.margin,
            "outcome": self.outcome,
            "difference": self.difference.difference,
            "is_higher_better": self.difference.is_higher_better,
            "gain_low": self.interval.low,
            "gain_high": self.interval.high,
            "level": self.level,
            "reason": self.reason,
            "plan": self.plan.to_dict(),
        }
        return {name: plain_values(value) for name, value in fields.items()}


def margin_tests(findings: ComparisonFindings) -> tuple[MarginTest, ...]:
    """Test each system against each other, by the primary measure; nothing without a margin."""
    if findings.margin is None:
        return ()
    test = partial(MarginTest, margin=findings.margin, level=findings.level, unit=findings.unit)
    power = next(iter(findings.plans.values())).power
    tests = []
    for first, second in findings.ranked_pairs:
        difference = findings.difference(first, second)[findings.headline]
        tests += [test(difference, power=power), test(difference.mirror(), power=power)]
    return tuple(tests)


def margin_claims(findings: ComparisonFindings) -> list[Claim]:
    """Write what the margin shows about two systems; of more, about the best and each other one."""
    tests = margin_tests(findings)
    if not tests:
        return []
    if len(findings.names) == 2:
        return [_claim_of_two(tests[0], tests[1], findings)]
    best, margin = findings.ranked[0], describe_amount(findings.headline, findings.margin or math.nan)
    shown: dict[MarginOutcome, list[str]] = {}
    for test in tests:
        if test.second == best:
            shown.setdefault(test.outcome, []).append(test.first)
    close = [*shown.get("equivalent", ()), *shown.get("no worse", ())]
    parts = [f"no worse than {best} within a margin of {margin}: {', '.join(close) or 'none'}"]
    parts += [f"worse by more: {', '.join(shown['worse'])}"] if "worse" in shown else []
    parts += [f"undecided: {', '.join(shown['undecided'])}"] if "undecided" in shown else []
    numbers = {"margin": findings.margin, "best": best, "outcomes": shown}
    text = "; ".join(parts)
    return [Claim("margin", f"{text[0].upper()}{text[1:]}.", "shown" if close else "not shown", numbers)]


def _claim_of_two(ahead: MarginTest, behind: MarginTest, findings: ComparisonFindings) -> Claim:
    """Write the outcome for two systems; ``ahead`` tests the one with the better value."""
    measure = ahead.difference.measure
    margin = f"{describe_amount(measure, ahead.margin)} of {describe_measure(measure)}"
    first, second = ahead.first, ahead.second
    strength: Strength = "shown"
    is_better = ahead.interval.low > 0 and is_significant(ahead.difference.p_value(), ahead.level)
    if ahead.outcome == "equivalent":
        text = f"{first} and {second} are equivalent within {margin}"
    elif behind.outcome == "worse":
        text = f"{first} is better than {second} by more than {margin}"
    elif ahead.outcome == "no worse":
        # A system that is shown to be better is no worse, which needs no sentence of its own.
        amount = describe_amount(measure, ahead.margin)
        text = f"whether {second} is worse than {first} by more than {amount} is undecided"
        if is_better:
            text = f"{text[0].upper()}{text[1:]}"
        else:
            no_worse = f"{first} is no worse than {second} within a margin of {margin}"
            text = f"{no_worse}. {text[0].upper()}{text[1:]}"
    else:
        strength = "not shown"
        text = f"It is undecided whether {first} and {second} are within {margin} of each other"
    text += "."
    if ahead.reason is not None:
        text += f" {ahead.reason[0].upper()}{ahead.reason[1:]}."
    elif (
        "undecided" in (ahead.outcome, behind.outcome)
        and not is_better
        and math.isfinite(ahead.plan.more)
        and ahead.plan.more
    ):
        units = plural(ahead.plan.needed, findings.unit)
        needed = f"about {format_rounded(ahead.plan.needed)} {units} in all"
        what = f"that {second} is no worse either" if ahead.outcome == "no worse" else "it"
        power = f"{format_percent(ahead.power)} power"
        text += f" If the two are equally good, {needed} would show {what} ({power})."
    low, high = ahead.interval
    numbers = {"margin": ahead.margin, "first": first, "second": second, "low": low, "high": high}
    outcomes = {"outcome": ahead.outcome, "mirrored_outcome": behind.outcome}
    return Claim("margin", text, strength, numbers | outcomes, ahead.difference.interval_method)


def margin_section(findings: ComparisonFindings) -> Section | None:
    """Tabulate each system against each other: the gain, its interval, the outcome and the sample size."""
    tests = margin_tests(findings)
    if not tests:
        return None
    level, units = format_level(findings.level), plural(2, findings.unit)
    columns = (
        *make_columns("system", "no worse than", default="text"),
        *make_columns("gain/number", f"{level} CI/interval", default="text"),
        Column("outcome"),
        Column(f"{units} needed", "text"),
    )
    rows: list[tuple[Cell, ...]] = []
    for test in tests[: 2 * MAX_PAIRS_SHOWN]:
        sign = 1 if test.difference.is_higher_better else -1
        needed = test.plan.needed
        size = "–" if not math.isfinite(needed) else format_count(needed)
        value = sign * test.difference.difference
        gain = None if math.isnan(value) else value
        rows.append((test.first, test.second, gain, interval_cell(test.interval), test.outcome, size))
    margin = format_number(findings.margin or math.nan)
    note = (
        f"gain: how much better by {describe_measure(findings.headline)}; no worse: the interval lies above "
        f"−{margin}; equivalent: within ±{margin}; needed: in all, to show no worse if both are equally good"
    )
    return Section("Margin", (), (Grid("", columns, tuple(rows), note),), ("margin",), is_main=True)
