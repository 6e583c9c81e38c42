"""Estimates: a value with its sampling law, from which intervals and p-values are computed at any level."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol, TypeAlias

from edgeworth.common.arrays import finite_or_none
from edgeworth.common.escaping import visible
from edgeworth.core.formatting import (
    UNDEFINED,
    format_apart,
    format_number,
    format_p_value,
    format_together,
    html_table,
)
from edgeworth.core.kinds import kind_of
from edgeworth.core.measures import Measure
from edgeworth.core.sampling_distributions import Alternative, SamplingLaw, check_level, normal_quantile
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError, check_seed


class Method(Protocol):
    """A way to compute the sampling law of a measure of a tally."""

    def law(self, tally: Any, resolved: Any) -> SamplingLaw:  # type: ignore[explicit-any]  # of its own kind
        """Compute the law, or raise an error that says why the method does not apply."""

    def __str__(self) -> str:
        """Name the method as a report does."""


class HasMeasure(Protocol):
    """A measure as it was looked up, with its label, depth and options."""

    @property
    def measure(self) -> Measure: ...


ChanceTest: TypeAlias = Callable[[Alternative], TestResult | None]


SMALLEST_DISTANCE = 1e-12
"""A smaller distance from the null is a rounding error."""


def no_test(alternative: Alternative) -> None:
    """Return None, for an estimate without a test against chance."""
    del alternative


class Interval(NamedTuple):
    """The bounds of an interval.

    >>> low, high = interval = Interval(0.1, 0.4)
    >>> interval[0], interval.high, 0.2 in interval
    (0.1, 0.4, True)
    """

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (int, float)) and self.low <= value <= self.high


@dataclass(frozen=True)
class Plan:
    """The sample size needed to detect a difference from a null, if the true value is the observed one.

    ``needed`` is the size of a sample that detects it with the given power; ``more`` is how many cases are
    missing. It is infinite if the value equals the null, and nan if the standard error is unknown.
    """

    cases: float
    needed: float
    power: float
    level: float

    @property
    def more(self) -> float:
        """Return how many more cases are needed."""
        return max(self.needed - self.cases, 0.0)  # nan stays nan


@dataclass(frozen=True)
class Estimate:
    """A measure's value with its sampling law, or the reason why it has none."""

    measure: str
    value: float
    chance: float
    method: Method | None
    undefined: str | None
    no_interval: str | None
    tally: object = field(repr=False)
    law: SamplingLaw | None = field(repr=False)
    chance_test: ChanceTest = field(default=no_test, repr=False)
    """Computes the test against chance when it is needed."""
    planner: Callable[[float, float, int, float], int | None] | None = field(default=None, repr=False)
    """Finds the sample size at which the test against chance reaches a power, near a first guess."""
    no_chance_test: str | None = field(default=None, repr=False)
    """Why the chance level cannot be tested although it is known, or None."""
    size: float = field(default=math.nan, repr=False)
    """The number of cases or lists; with sampling weights, the effective number."""

    @property
    def standard_error(self) -> float:
        """Return the standard error, or nan if it is undefined."""
        return math.nan if self.law is None else self.law.standard_error

    @property
    def caveat(self) -> str | None:
        """Return why the interval may cover less than its level, or None."""
        return getattr(self.law, "caveat", None)

    def interval(self, level: float = 0.95) -> Interval:
        """Compute the confidence (or credible) interval at a level."""
        check_level(level)
        if self.law is None:
            return Interval(math.nan, math.nan)
        return Interval(*self.law.interval(level))

    def p_value(self, null: float | None = None, alternative: Alternative = "two-sided") -> float:
        """Compute the p-value of a null hypothesis.

        Without ``null`` the hypothesis is chance: guessing with the same margins, or random selection. It is
        tested exactly if possible; with weights or clusters, the sampling law tests the chance level. With
        ``null`` the hypothesis is that the true value is ``null``, tested by the sampling law.
        """
        if self.undefined is not None:
            return math.nan
        result = self.test_against_chance(alternative) if null is None else None
        if result is not None:
            return result.p_value
        if null is None and self.no_chance_test is not None:
            return math.nan
        value = self.chance if null is None else float(null)
        if self.law is None or math.isnan(value):
            return math.nan
        return self.law.p_value(value, alternative)

    def test_against_chance(self, alternative: Alternative = "greater") -> TestResult | None:
        """Test whether chance alone does as well; return None if there is no such test."""
        if alternative not in ("two-sided", "greater", "less"):
            raise OptionError(f'alternative is "two-sided", "greater" or "less"; saw {alternative!r}')
        return None if self.undefined is not None else self.chance_test(alternative)

    def cases_needed(self, *, null: float | None = None, level: float = 0.95, power: float = 0.8) -> Plan:
        """Compute how many cases like these are needed to tell the measure from ``null``.

        Parameters
        ----------
        null : float, optional
            The value to tell it from; by default the chance level of the measure.
        level : float
            The confidence level of the test.
        power : float
            The probability that the test detects a difference as large as the observed one.

        Notes
        -----
        ``n · ((z_level + z_power) · standard error / distance)²``, because the error shrinks with √n. For
        labels, the exact test against guessing has the power.

        Examples
        --------
        >>> from edgeworth import ContingencyTable
        >>> table = ContingencyTable.from_matrix([[56, 48], [14, 32]], rows="predicted")
        >>> plan = estimate(table, "informedness").cases_needed()
        >>> plan.cases, plan.needed, plan.more
        (150.0, 176, 26.0)
        """
        check_level(level)
        if not 0 < power < 1:
            raise OptionError(f"power lies between 0 and 1; saw {power!r}")
        if self.law is None or (null is None and self.no_chance_test is not None):
            return Plan(self.size, math.nan, power, level)
        distance = abs(self.value - (self.chance if null is None else null))
        if math.isnan(distance):
            return Plan(self.size, math.nan, power, level)
        low, high = self.interval(level)
        # At the end of a range the standard error is 0 and the interval is not.
        error = max(self.standard_error, (high - low) / (2 * normal_quantile(level)))
        if distance < SMALLEST_DISTANCE:
            return Plan(self.size, math.inf, power, level)
        quantiles = normal_quantile(level) + NormalDist().inv_cdf(power)
        first_guess = math.ceil(self.size * (quantiles * error / distance) ** 2)
        exact = None
        if null is None and self.planner is not None:
            exact = self.planner(level, power, first_guess, self.standard_error)
        return Plan(self.size, first_guess if exact is None else exact, power, level)

    def __str__(self) -> str:
        measure = visible(self.measure)
        if self.undefined is not None:
            return f"{measure} undefined: {visible(self.undefined)}"
        text = f"{measure} {format_number(self.value)}"
        if self.law is not None:
            value, low, high = format_together(self.value, *self.interval())
            text = f"{measure} {value} (95% CI {low} to {high}, {self.method})"
        if math.isnan(self.chance):
            return text
        text = f"{text}; chance level {format_number(self.chance)}"
        p_value = self.p_value()
        return text if math.isnan(p_value) else f"{text}, {format_p_value(p_value)}"

    def _repr_html_(self) -> str:
        """Show the estimate in a notebook."""
        low, high = self.interval()
        value, *ends = format_apart(self.value, low, high)
        interval = UNDEFINED if math.isnan(low + high) else " to ".join(ends)
        rows = [("value", value), ("95% CI", interval), ("chance level", format_number(self.chance))]
        reason = self.undefined or self.no_interval
        rows.append(("method", str(self.method)) if reason is None else ("why not", reason))
        return html_table(self.measure, [], rows)

    def to_dict(self, level: float = 0.95) -> dict[str, object]:
        """Return plain values for JSON; an undefined value is None, with the reason beside it."""
        interval = self.interval(level)
        return {
            "measure": self.measure,
            "value": finite_or_none(self.value),
            "low": finite_or_none(interval.low),
            "high": finite_or_none(interval.high),
            "level": level,
            "standard_error": finite_or_none(self.standard_error),
            "chance": finite_or_none(self.chance),
            "method": None if self.method is None else str(self.method),
            "undefined": self.undefined,
            "no_interval": self.no_interval,
            "undefined_draws": getattr(self.law, "undefined_draws", 0),
            "doubt": self.caveat,
        }


def undefined_estimate(tally: object, spelling: str, reason: str, size: float) -> Estimate:
    """Make the estimate of a measure that is undefined, with the reason."""
    return Estimate(spelling, math.nan, math.nan, None, reason, reason, tally, None, size=size)


def check_method(method: object) -> None:
    """Raise an error unless a method is None or an object with a ``law`` method."""
    if method is not None and (isinstance(method, type) or not hasattr(method, "law")):
        raise OptionError(f"a method is an object such as Bootstrap(draws=2000); saw {method!r}")


def law_or_reason(
    method: Method, tally: object, resolved: HasMeasure, *, required: bool
) -> tuple[SamplingLaw | None, str | None]:
    """Return the law, or the reason why there is none; raise an error if the law is required."""
    if not required and resolved.measure.no_interval is not None:
        return None, resolved.measure.no_interval
    try:
        return method.law(tally, resolved), None
    except OptionError as error:
        if required:
            raise
        return None, str(error)


def estimate(
    tally: object, measure: str | Measure, *, method: Method | None = None, seed: int = 0
) -> Estimate:
    """Estimate a measure of a tally with its uncertainty.

    Parameters
    ----------
    tally : ContingencyTable, Ranking, RankedLists, ForecastScores, Calibration, Wealth or Grades
        What was counted.
    measure : str or Measure
        ``name[label]@depth(option=value)``, as ``ew.catalogue()`` lists them.
    method : optional
        One of ``ew.methods``. Without one each measure gets the method that suits it. Of decisions: Wilson
        for proportions, Newcombe for informedness of two classes or of one label, the delta method for the
        rest, weights and clusters included. Of a ranking: the influence of each case for average precision
        and ROC area, a bootstrap for the rest; at a depth, what suits the decisions there. Of many lists:
        Student's t over lists. Of probabilities: Student's t over cases. Of grades: Wilson for right or
        wrong answers and for grades within a range, Student's t over items otherwise. The ``method`` of an
        estimate can be passed on: it gives the same interval.
    seed : int
        For methods that draw at random.

    Returns
    -------
    Estimate
        ``.value``, ``.interval(level)``, ``.p_value()`` against chance, and the evidence behind them.

    Examples
    --------
    >>> from edgeworth import ContingencyTable
    >>> table = ContingencyTable.from_matrix([[56, 48], [14, 32]], rows="predicted")
    >>> [round(bound, 4) for bound in estimate(table, "informedness").interval()]
    [0.0524, 0.3339]
    """
    check_seed(seed)
    check_method(method)
    return kind_of(tally).estimate(tally, measure, method=method, seed=seed)
