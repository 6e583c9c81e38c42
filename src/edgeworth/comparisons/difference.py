"""The difference of a measure between two systems on the same cases, and what is known about it.

Differences are the first system minus the second for every measure; ``is_higher_better`` is the good sign.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self, TypeAlias

from edgeworth.common.arrays import plain_values
from edgeworth.common.escaping import visible
from edgeworth.core.amounts import is_share
from edgeworth.core.estimates import Interval
from edgeworth.core.formatting import (
    UNDEFINED,
    format_apart,
    format_belief,
    format_p_value,
    format_together,
    html_table,
    markdown_table,
)
from edgeworth.core.measures import Direction
from edgeworth.core.sampling_distributions import SamplingLaw, check_level, is_significant, mirror_law
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError

Bounds: TypeAlias = Callable[[float], tuple[float, float]]
"""Lower and upper bound at a confidence level."""


@dataclass(frozen=True)
class Effect:
    """A difference in units of its own spread, what it is called, and its bounds at a level."""

    name: str
    value: float
    bounds: Bounds = field(repr=False, compare=False)

    def interval(self, level: float = 0.95) -> Interval:
        """Return the confidence interval at a level."""
        check_level(level)
        return Interval(*self.bounds(level))

    def mirror(self) -> Self:
        """Return the same effect, seen from the other system."""
        return replace(self, value=-self.value, bounds=self._mirror_bounds)

    def _mirror_bounds(self, level: float) -> tuple[float, float]:
        low, high = self.bounds(level)
        return -high, -low

    def to_dict(self, level: float = 0.95) -> dict[str, object]:
        """Return plain values."""
        low, high = self.bounds(level)
        effect = {"name": self.name, "value": self.value, "low": low, "high": high, "level": level}
        return {name: plain_values(value) for name, value in effect.items()}


def standardised_effect(value: float, law: SamplingLaw, units: float) -> Effect:
    """Express a difference in standard deviations of what one unit adds to it."""
    spread = law.standard_error * math.sqrt(units)
    return Effect("standardised difference", value / spread, partial(_standardised_bounds, law, spread))


def _standardised_bounds(law: SamplingLaw, spread: float, level: float) -> tuple[float, float]:
    low, high = law.interval(level)
    return low / spread, high / spread


@dataclass(frozen=True, repr=False)
class Difference:
    """One measure, two systems, the same cases.

    ``law`` is the sampling law of the difference (None when it has none, with the reason in ``no_interval``);
    ``tests`` are two-sided tests of "no difference" by name, the primary one first;
    ``probability_better`` is the posterior probability that the first is the better one, computed by
    ``probability_method``.
    """

    measure: str
    first: str
    second: str
    values: tuple[float, float]
    direction: Direction = "higher"
    law: SamplingLaw | None = field(default=None, repr=False)
    tests: Mapping[str, TestResult] = field(default_factory=dict)
    probability_better: float = math.nan
    probability_method: str = ""
    effect: Effect | None = None
    cases: float = math.nan
    """The number of independent units (cases, clusters, queries) behind the difference."""
    interval_method: str = ""
    """How the interval was found."""
    discordant: tuple[int, int] | None = None
    """For two proportions of the same cases: successes of only the first system, and of only the second."""
    amounts: Mapping[int, int] | None = field(default=None, repr=False)
    """What a case on which they differ adds to the difference, in a whole unit, and how many cases add it."""
    typical: tuple[int, int] | None = None
    """In how many units the first, or the second, did better, if only the typical unit may be claimed."""
    undefined: str | None = None
    no_interval: str | None = None
    no_winner: str | None = None
    """Why too little is known to name a winner, however small the p-value."""
    unseen_shifts: tuple[float, float] = (0.0, 0.0)
    """How far a few unseen units at the worst end could lower and raise the difference."""
    no_test: str | None = None
    """Why no p-value is reported."""
    caveat: str | None = None
    """What makes the interval or the test less reliable than it looks."""

    @property
    def is_higher_better(self) -> bool:
        """Whether the system with the higher value is the better one."""
        return self.direction != "lower"

    @property
    def difference(self) -> float:
        """The first's value minus the second's; nan if one of them is undefined."""
        return self.values[0] - self.values[1]

    @property
    def standard_error(self) -> float:
        """The standard deviation of the difference."""
        return math.nan if self.law is None else self.law.standard_error

    def interval(self, level: float = 0.95) -> Interval:
        """Return the confidence interval of the difference at a level."""
        check_level(level)
        low, high = (math.nan, math.nan) if self.law is None else self.law.interval(level)
        return Interval(low, high)

    def p_value(self, test: str | None = None) -> float:
        """Return the two-sided p-value of "no difference", by the first test or by one that is named."""
        if self.undefined is not None or (self.no_test is not None and test is None):
            return math.nan
        if test is not None and test not in self.tests:
            raise OptionError(
                f"{self.measure} has no test {test!r}; there are {', '.join(self.tests) or 'none'}"
            )
        if self.tests:
            return next(iter(self.tests.values())).p_value if test is None else self.tests[test].p_value
        return math.nan if self.law is None else self.law.p_value(0.0, "two-sided")

    def disagrees(self, level: float = 0.95) -> bool:
        """Return whether the primary test and the interval contradict each other at a level.

        An exact test and an interval by another method may: the one finds a difference and the other does
        not. Where they do, nothing should be built on either alone.
        """
        interval, p_value = self.interval(level), self.p_value()
        if math.isnan(interval.low + interval.high + p_value):
            return False
        return is_significant(p_value, level) == (interval.low <= 0 <= interval.high)

    @property
    def row_caveat(self) -> str | None:
        """The reason why no winner is named, or else the caveat: a table prints it in the same row."""
        return self.no_winner if self.no_winner is not None else self.caveat

    def describe_no_winner(self) -> str | None:
        """Explain why no winner is named, and what the p-value is then about; None if one may be named."""
        if self.no_winner is None or self.typical is None:
            return self.no_winner
        return f"{self.no_winner} (p is from the sign test, for the typical item)"

    def is_shown(self, level: float) -> bool:
        """Return whether the interval excludes 0, and enough is known to name a winner."""
        low, high = self.interval(level)
        return self.no_winner is None and (low > 0 or high < 0)

    @property
    def better(self) -> str | None:
        """The system that did better, however surely; None when neither did."""
        if math.isnan(self.difference) or self.difference == 0:
            return None
        return self.first if (self.difference > 0) == self.is_higher_better else self.second

    def mirror(self) -> Self:
        """Return the same difference, second system less first."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            values=self.values[::-1],
            discordant=None if self.discordant is None else self.discordant[::-1],
            amounts=None if self.amounts is None else {-amount: n for amount, n in self.amounts.items()},
            typical=None if self.typical is None else self.typical[::-1],
            unseen_shifts=self.unseen_shifts[::-1],
            law=None if self.law is None else mirror_law(self.law),
            probability_better=1 - self.probability_better,
            effect=None if self.effect is None else self.effect.mirror(),
        )

    @property
    def agreement(self) -> float | None:
        """The share of cases on which both are right or both are wrong, for shares of right answers."""
        if self.discordant is None or not is_share(self.measure) or not self.cases > 0:
            return None
        return 1 - sum(self.discordant) / self.cases

    def __str__(self) -> str:
        systems = visible(f"{self.measure} of {self.first} − {self.second}")
        if self.undefined is not None:
            return f"{systems} undefined: {visible(self.undefined)}"
        value, low, high = format_together(self.difference, *self.interval())
        interval = "" if self.law is None else f" (95% CI {low} to {high})"
        test = "no test" if self.no_test is not None else format_p_value(self.p_value())
        caveat = "" if self.caveat is None else f"; {visible(self.caveat)}"
        if self.no_winner is not None:
            caveat = f"; no winner is named: {visible(self.no_winner)}"
        return f"{systems}: {value}{interval}, {test}{caveat}"

    def __repr__(self) -> str:
        return f"<Difference in {self}>"

    def _repr_html_(self) -> str:
        """Show the difference in a notebook."""
        return html_table(self.measure, [], self._facts())

    def _repr_markdown_(self) -> str:
        """Show the difference where a notebook becomes Markdown."""
        return markdown_table(self.measure, self._facts())

    def row(self) -> tuple[str, ...]:
        """Write the measure, both values, the difference, its interval and its p-value."""
        low, high = self.interval()
        difference, *ends = format_apart(self.difference, low, high)
        interval = UNDEFINED if math.isnan(low + high) else " to ".join(ends)
        return self.measure, *format_apart(*self.values), difference, interval, format_p_value(self.p_value())

    def _facts(self) -> list[tuple[str, str]]:
        """Name and write what a notebook shows."""
        _, first, second, difference, interval, test = self.row()
        rows = [
            (self.first, first),
            (self.second, second),
            ("difference", difference),
            ("95% CI", interval),
            ("test", test),
            (f"P({self.first} better)", format_belief(self.probability_better)),
        ]
        if (reason := self.undefined or self.no_interval) is not None:
            rows.append(("why not", reason))
        if self.row_caveat is not None:
            rows.append(("caveat", self.row_caveat))
        return rows

    def to_dict(self, level: float = 0.95) -> dict[str, object]:
        """Return plain values; undefined ones are None, with the reason beside them."""
        interval, effect = self.interval(level), self.effect

        def named(*names: str) -> dict[str, object]:
            return {name: getattr(self, name) for name in names}

        known = {
            **named("measure", "first", "second", "values", "difference"),
            "low": interval.low,
            "high": interval.high,
            "level": level,
            **named("interval_method", "standard_error"),
            "p_value": self.p_value(),
            "tests": {
                name: {"p_value": tail.p_value, "method": tail.method, "kind": tail.kind}
                for name, tail in self.tests.items()
            },
            **named("probability_better", "probability_method"),
            "effect": effect and effect.to_dict(level),
            "disagrees": self.disagrees(level),
            **named("typical", "agreement"),
            **named(
                "cases", "is_higher_better", "undefined", "no_interval", "no_winner", "no_test", "caveat"
            ),
        }
        return {name: plain_values(value) for name, value in known.items()}
