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
    markdown_table,
)
from edgeworth.core.kinds import kind_of
from edgeworth.core.measures import Measure
from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.core.sampling_distributions import (
    Alternative,
    PosteriorLaw,
    SamplingLaw,
    caveat_of,
    check_level,
    law_forbids_claim,
    normal_quantile,
)
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError


class Method(Protocol):
    """A method that computes the sampling distribution of a measure: what ``method=`` accepts.

    Any object with a ``law`` method is one, for example a frozen dataclass of your own.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ew.ContingencyTable.from_matrix([[45, 15], [5, 35]], rows="predicted")
    >>> print(ew.estimate(table, "mcc", method=ew.methods.Delta()))
    mcc 0.61 (95% CI 0.44 to 0.74, delta method); chance level 0, p < 1e-6
    """

    def law(self, tally: Any, resolved: Any) -> SamplingLaw:  # type: ignore[explicit-any]  # of its own kind
        """Compute the sampling distribution, or raise an error that says why the method does not apply.

        Parameters
        ----------
        tally : tally
            The counts, such as a ``ContingencyTable``.
        resolved : resolved measure
            The measure with its label, depth and options.

        Returns
        -------
        SamplingLaw
            An object with ``standard_error``, ``interval(level)`` and ``p_value(null, alternative)``.
        """

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
    """The value of a measure with its uncertainty, or the reason why there is none.

    ``ew.estimate`` returns estimates. An estimate keeps its tally and its sampling distribution, so you can
    ask it for an interval of another level without the data.

    Attributes
    ----------
    measure : str
        The measure as it is spelled.
    value : float
        The value; nan if it is undefined.
    chance : float
        The value that guessing or random selection reaches on average.
    method : Method or None
        The method of the interval. ``ew.estimate(..., method=estimate.method)`` gives the same interval.
    undefined : str or None
        Why the value is undefined.
    no_interval : str or None
        Why there is no interval.
    tally : tally
        What was counted.
    law : SamplingLaw or None
        The sampling distribution.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ew.ContingencyTable.from_matrix([[56, 48], [14, 32]], rows="predicted")
    >>> estimate = ew.estimate(table, "informedness")
    >>> print(estimate)
    informedness 0.20 (95% CI 0.05 to 0.33, Newcombe); chance level 0, p = 0.013
    >>> round(estimate.value, 3), estimate.chance, round(estimate.standard_error, 3)
    (0.2, 0.0, 0.073)
    >>> estimate.method, estimate.caveat, estimate.no_claim
    (Newcombe(), None, None)
    """

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
        """The standard error, or nan if it is undefined."""
        return math.nan if self.law is None else self.law.standard_error

    @property
    def caveat(self) -> str | None:
        """Why the interval may cover less than its level, or None."""
        return caveat_of(self.law)

    @property
    def no_claim(self) -> str | None:
        """Why the interval supports no conclusion, or None."""
        return law_forbids_claim(self.law)

    def interval(self, level: float = 0.95) -> Interval:
        """Compute the confidence (or credible) interval at a level.

        Parameters
        ----------
        level : float
            The confidence level.

        Returns
        -------
        Interval
            The lower and the upper bound: ``low, high = estimate.interval()``.

        Examples
        --------
        >>> from edgeworth import ContingencyTable
        >>> table = ContingencyTable.from_matrix([[56, 48], [14, 32]], rows="predicted")
        >>> low, high = estimate(table, "informedness").interval(0.9)
        >>> round(low, 3), round(high, 3)
        (0.077, 0.314)
        """
        check_level(level)
        if self.law is None:
            return Interval(math.nan, math.nan)
        return Interval(*self.law.interval(level))

    def p_value(self, null: float | None = None, alternative: Alternative = "two-sided") -> float:
        """Compute the p-value of a null hypothesis.

        Parameters
        ----------
        null : float, optional
            The value under the null hypothesis, tested with the sampling distribution. Without it the
            null hypothesis is chance: guessing with the same margins, or random selection. Chance is
            tested exactly if possible. With weights or clusters, the sampling distribution tests the
            chance level.
        alternative : {"two-sided", "greater", "less"}
            The direction of the test.

        Returns
        -------
        float
            The p-value, or nan if there is no test.

        Examples
        --------
        >>> from edgeworth import ContingencyTable
        >>> table = ContingencyTable.from_matrix([[56, 48], [14, 32]], rows="predicted")
        >>> result = estimate(table, "informedness")
        >>> round(result.p_value(), 4), round(result.p_value(null=0.1, alternative="greater"), 3)
        (0.0125, 0.09)
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
        """Test whether chance alone reaches this value.

        Parameters
        ----------
        alternative : {"greater", "less", "two-sided"}
            The direction of the test.

        Returns
        -------
        TestResult or None
            The p-value with its kind ("exact", "bound", "drawn", …), or None if there is no such test.

        Examples
        --------
        >>> from edgeworth import ContingencyTable
        >>> table = ContingencyTable.from_matrix([[56, 48], [14, 32]], rows="predicted")
        >>> test = estimate(table, "informedness").test_against_chance()
        >>> round(test.p_value, 4), test.kind
        (0.0063, 'exact')
        """
        if alternative not in ("two-sided", "greater", "less"):
            raise OptionError(f'alternative is "two-sided", "greater" or "less"; saw {alternative!r}')
        return None if self.undefined is not None else self.chance_test(alternative)

    def cases_needed(self, *, null: float | None = None, level: float = 0.95, power: float = 0.8) -> Plan:
        """Compute how many cases like these are needed to tell the measure from a null value.

        Parameters
        ----------
        null : float, optional
            The value to tell it from; by default the chance level of the measure.
        level : float
            The confidence level of the test.
        power : float
            The probability that the test detects a difference as large as the observed one.

        Returns
        -------
        Plan
            ``needed`` is the size of the whole sample and ``more`` the number of cases that are missing.

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
            but = "" if self.caveat is None else f", but {self.caveat}"
            text = f"{measure} {value} (95% CI {low} to {high}, {self.method}{but})"
        if math.isnan(self.chance):
            return text
        text = f"{text}; chance level {format_number(self.chance)}"
        try:
            p_value = self.p_value()
        except OptionError:  # the value is the same however one guesses, such as a prevalence
            return text
        return text if math.isnan(p_value) else f"{text}, {format_p_value(p_value)}"

    def _repr_html_(self) -> str:
        """Show the estimate in a notebook."""
        return html_table(self.measure, [], self._facts())

    def _repr_markdown_(self) -> str:
        """Show the estimate where a notebook becomes Markdown."""
        return markdown_table(self.measure, self._facts())

    def _facts(self) -> list[tuple[str, str]]:
        """Name and write what a notebook shows."""
        low, high = self.interval()
        value, *ends = format_apart(self.value, low, high)
        interval = UNDEFINED if math.isnan(low + high) else " to ".join(ends)
        interval += "" if self.caveat is None else f", but {self.caveat}"
        rows = [("value", value), ("95% CI", interval), ("chance level", format_number(self.chance))]
        reason = self.undefined or self.no_interval
        rows.append(("method", str(self.method)) if reason is None else ("why not", reason))
        return rows

    def to_dict(self, level: float = 0.95) -> dict[str, object]:
        """Return plain values for JSON.

        Parameters
        ----------
        level : float
            The confidence level of the interval.

        Returns
        -------
        dict
            The value, interval, p-value and method. An undefined value is None, with the reason beside it.

        Examples
        --------
        >>> from edgeworth import ContingencyTable
        >>> table = ContingencyTable.from_matrix([[45, 15], [5, 35]], rows="predicted")
        >>> facts = estimate(table, "accuracy").to_dict()
        >>> facts["value"], facts["method"]
        (0.8, 'Wilson')
        """
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
            "undefined_draws": self.law.undefined_draws if isinstance(self.law, PosteriorLaw) else 0,
            "caveat": self.caveat,
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
    tally: object, measure: str | Measure, *, method: Method | None = None, rng: Rng = 0
) -> Estimate:
    """Estimate a measure of a tally with its uncertainty.

    Parameters
    ----------
    tally : ContingencyTable, Ranking, RankedLists, ForecastScores, Calibration, Wealth or Grades
        What was counted.
    measure : str or Measure
        ``name[label]@depth(option=value)``, as ``ew.catalogue()`` lists them.
    method : Method, optional
        One of ``ew.methods``. Without one, the measure decides; see the notes. You can pass the ``method`` of
        another estimate.
    rng : int, numpy Generator or None
        The seed, or the source, of random numbers, for methods that draw.

    Returns
    -------
    Estimate
        ``.value``, ``.interval(level)``, ``.p_value()`` against chance, and the evidence behind them.

    Notes
    -----
    The default methods are:

    - Labels: Wilson for proportions, Newcombe for informedness of two classes or one label, and the delta
      method otherwise, also with weights and clusters.
    - One ranking: the influence of each case for average precision and ROC area, and a bootstrap
      otherwise. At a depth, the method that suits the decisions there.
    - Many ranked lists: Student's t over lists.
    - Probabilities: Student's t over cases.
    - Grades: Wilson for right-or-wrong answers and for grades within a range, and Student's t over items
      otherwise.

    Examples
    --------
    >>> from edgeworth import ContingencyTable
    >>> table = ContingencyTable.from_matrix([[56, 48], [14, 32]], rows="predicted")
    >>> [round(bound, 4) for bound in estimate(table, "informedness").interval()]
    [0.0524, 0.3339]
    """
    check_method(method)
    return kind_of(tally).estimate(tally, measure, method=method, seed=make_seed(rng))
