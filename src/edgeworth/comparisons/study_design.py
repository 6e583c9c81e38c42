"""How many cases a study needs before there are data, from assumed rates or standard deviations.

The sizes come from the functions that plan after a comparison: the exact McNemar test, Tango's interval, the
randomisation test of informedness, and Student's t.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias

import numpy as np
import scipy

from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.labels.proportions import PairedProportions
from edgeworth.comparisons.margin_planning import no_worse_cases
from edgeworth.comparisons.planning import mcnemar_cases_needed, swap_cases_needed, units_needed
from edgeworth.comparisons.policy import MIN_UNITS_FOR_NO_WORSE
from edgeworth.core.sampling_distributions import (
    NormalLaw,
    Scale,
    bisect,
    normal_quantile,
    student_quantile,
    wilson_bounds,
)

Aim: TypeAlias = Literal["difference", "margin", "width"]

MAX_CASES_PLANNED = 10**9
"""A plan for more cases than this is not worth a number."""

POPULATION = 1_000_000
"""The size of an imagined population, in which whole numbers of wins and losses represent shares."""

UNITS_OF_A_LAW = 100
"""Any number: the standard deviation of one unit is computed from the law of the mean of this many."""


class Design(Protocol):
    """The assumptions about the cases of a study, which determine how many independent ones an aim needs."""

    def method(self, aim: Aim) -> str:
        """Name the test or the interval that the size is for."""

    def needed(self, aim: Aim, amount: float, level: float, power: float) -> float:
        """Compute how many independent cases reach an aim."""

    def deviation(self, aim: Aim, amount: float) -> float:
        """Compute the standard deviation of what one case adds."""


@dataclass(frozen=True)
class PairedAnswers:
    """Right-or-wrong answers of two systems to the same cases, which disagree on a share of them."""

    share: float
    within: float = 0.0
    """The part of the disagreement that reruns make: the flip rate of one system."""
    repeats: int = 1

    def method(self, aim: Aim) -> str:
        """Name the test or the interval that the size is for."""
        if self.repeats > 1:
            return "Student's t over items"
        return "exact McNemar test" if aim == "difference" else "Tango's interval"

    def needed(self, aim: Aim, amount: float, level: float, power: float) -> float:
        """Plan McNemar's test, or Tango's interval; with repeats, Student's t over item means."""
        share = max(self.share, amount) if aim == "difference" else self.share
        if self.repeats > 1:
            return Means(self.deviation(aim, amount)).needed(aim, amount, level, power)
        if aim == "difference":
            wins, losses = (share + amount) / 2, (share - amount) / 2
            return mcnemar_cases_needed(wins, losses, 1.0, level=level, power=power).needed
        if aim == "margin":
            return max(no_worse_cases(share, amount, level=level, power=power), float(MIN_UNITS_FOR_NO_WORSE))
        return _fewest(lambda cases: _half_width(share, cases, level) <= amount)

    def deviation(self, aim: Aim, amount: float) -> float:
        """Compute √(disagreement − difference² − flips + flips/repeats)."""
        gain = amount if aim == "difference" else 0.0
        share = max(self.share, gain)
        return math.sqrt(max(share - gain**2 - self.within * (1 - 1 / self.repeats), 0.0))


def _half_width(share: float, cases: float, level: float) -> float:
    low, high = PairedProportions(share * cases / 2, share * cases / 2, cases).interval(level)
    return (high - low) / 2


@dataclass(frozen=True)
class OneShare:
    """Right-or-wrong answers of one system."""

    share: float
    within: float = 0.0
    repeats: int = 1

    def method(self, aim: Aim) -> str:
        """Name the interval that the size is for."""
        del aim
        return "Wilson's interval"

    def needed(self, aim: Aim, amount: float, level: float, power: float) -> float:
        """Find the number of cases at which Wilson's interval has this half-width."""
        del power
        variance, quantile = self.share * (1 - self.share), normal_quantile(level)

        def is_enough(cases: float) -> bool:
            trials = cases * variance / self.deviation(aim, amount) ** 2
            low, high = wilson_bounds(np.array([self.share * trials]), np.array([trials]), quantile)
            return float(high[0] - low[0]) / 2 <= amount

        return _fewest(is_enough)

    def deviation(self, aim: Aim, amount: float) -> float:
        """Compute √(p(1 − p) − flips/2 + flips/(2 repeats))."""
        del aim, amount
        within = self.within / 2 * (1 - 1 / self.repeats)
        return math.sqrt(max(self.share * (1 - self.share) - within, 1e-12))


@dataclass(frozen=True)
class Means:
    """Values of items or queries, whose differences (or which, for one system) have a standard deviation."""

    spread: float
    is_student: bool = True

    def method(self, aim: Aim) -> str:
        """Name the test or the interval that the size is for."""
        if self.is_student:
            return "Student's t"
        return "normal test" if aim == "difference" else "normal interval"

    def needed(self, aim: Aim, amount: float, level: float, power: float) -> float:
        """Plan Student's t, or its interval."""
        if aim == "width":
            return _fewest(
                lambda cases: student_quantile(level, cases - 1) * self.spread / math.sqrt(cases) <= amount, 2
            )
        if not self.spread > 0:
            return math.ceil(1 - math.log2(1 - level))  # fewer differences of one sign show nothing
        error, freedom = self.spread / math.sqrt(UNITS_OF_A_LAW), float(UNITS_OF_A_LAW - 1)
        law = NormalLaw(amount, error, Scale(), freedom if self.is_student else math.inf)
        assumed = Difference("", "", "", (amount, 0.0), law=law, cases=UNITS_OF_A_LAW)
        needed = units_needed(assumed, level=level, power=power).needed
        return max(needed, float(MIN_UNITS_FOR_NO_WORSE)) if aim == "margin" else needed

    def deviation(self, aim: Aim, amount: float) -> float:
        """Return the standard deviation."""
        del aim, amount
        return self.spread


@dataclass(frozen=True)
class PairedInformedness:
    """Labels of two systems for two classes, which disagree on the same share of cases in both."""

    share: float
    targets: float

    def method(self, aim: Aim) -> str:
        """Name the test or the interval that the size is for."""
        return "randomisation test" if aim == "difference" else "normal interval"

    def needed(self, aim: Aim, amount: float, level: float, power: float) -> float:
        """Plan the randomisation test if half of the difference is in the recall of each class."""
        if aim != "difference":
            return Means(self.deviation(aim, amount), is_student=False).needed(aim, amount, level, power)
        real = (round(POPULATION * self.targets), POPULATION - round(POPULATION * self.targets))
        share, part = max(self.share, amount / 2), math.gcd(*real)
        amounts: dict[int, int] = {}
        for own, other in (real, real[::-1]):
            worth = other // part
            for sign in (1, -1):
                number = round(own * (share + sign * amount / 2) / 2)
                amounts[sign * worth] = amounts.get(sign * worth, 0) + number
        return swap_cases_needed(amounts, amount, POPULATION, level=level, power=power).needed

    def deviation(self, aim: Aim, amount: float) -> float:
        """Compute √((disagreement − gain²)(1/q + 1/(1 − q)))."""
        gain = amount / 2 if aim == "difference" else 0.0
        share = max(self.share, gain) - gain**2
        return math.sqrt(share / self.targets + share / (1 - self.targets))


@dataclass(frozen=True)
class OfTargets:
    """A design for the cases of one class, which are a share of all cases: recall."""

    inner: Design
    targets: float

    def method(self, aim: Aim) -> str:
        """Name the test or the interval that the size is for."""
        return self.inner.method(aim)

    def needed(self, aim: Aim, amount: float, level: float, power: float) -> float:
        """Compute how many cases hold as many targets as are needed."""
        targets = self.inner.needed(aim, amount, level, power)
        return math.ceil(targets / self.targets) if math.isfinite(targets) else math.inf

    def deviation(self, aim: Aim, amount: float) -> float:
        """Spread what a target adds over all cases."""
        return self.inner.deviation(aim, amount) / math.sqrt(self.targets)


def roc_area_deviation(area: float, targets: float, correlation: float | None = None) -> float:
    """Compute the standard deviation per case of an ROC area, or of the difference of two equal ones.

    Scores are normal with the same variance in both classes. The chance that a target beats two others is
    a bivariate normal probability with correlation 1/2; for two systems whose scores have a correlation
    within a class, half of that correlation takes its place.

    >>> round(roc_area_deviation(0.8, 0.5), 3)
    0.434
    """
    quantile = float(scipy.special.ndtri(area))

    def covariance(rho: float) -> float:
        # P(both below h) = Φ(h)² + ∫₀^ρ φ₂(h, h; r) dr, and the square is the area's.
        nodes, weights = np.polynomial.legendre.leggauss(40)
        r = rho * (nodes + 1) / 2
        density = np.exp(-(quantile**2) / (1 + r)) / (2 * math.pi * np.sqrt(1 - r**2))
        return rho / 2 * float(weights @ density)

    own = covariance(0.5)
    variance = own if correlation is None else 2 * (own - covariance(correlation / 2))
    return math.sqrt(max(variance, 0.0) * (1 / targets + 1 / (1 - targets)))


@dataclass(frozen=True)
class Clusters:
    """Cases in clusters of one size, with the correlation of cases in a cluster."""

    size: int = 1
    icc: float = 0.0

    @property
    def effect(self) -> float:
        """The design effect, 1 + (size − 1) icc."""
        return 1 + (self.size - 1) * self.icc


@dataclass(frozen=True)
class StudyPlan:
    """How many cases an aim needs with a design, and what is assumed."""

    design: Design
    aim: Aim
    amount: float
    level: float = 0.95
    power: float = 0.8
    clusters: Clusters = Clusters()

    @property
    def needed(self) -> float:
        """The number of cases: independent ones times the design effect, in whole clusters."""
        cases = self.design.needed(self.aim, self.amount, self.level, self.power)
        if self.clusters.size == 1 or not math.isfinite(cases):
            return cases
        size, effect = self.clusters.size, self.clusters.effect
        # Few clusters know their own spread badly: plan Student's t over cluster means too.
        spread = self.design.deviation(self.aim, self.amount) * math.sqrt(effect / size)
        clusters = Means(spread).needed(self.aim, self.amount, self.level, self.power)
        return float(size * max(math.ceil(cases * effect / size), clusters))

    @property
    def number_of_clusters(self) -> float:
        """The number of clusters."""
        return self.needed / self.clusters.size

    def at(self, amount: float) -> StudyPlan:
        """Plan for another amount."""
        return replace(self, amount=amount)


def smallest_amount(plan: StudyPlan, cases: float, largest: float = 1.0) -> float:
    """Find the smallest difference, margin or half-width that a number of cases can show; nan if none."""
    if not plan.at(largest).needed <= cases:
        return math.nan
    return bisect(lambda amount: plan.at(amount).needed <= cases, largest * 1e-4, largest, largest * 1e-5)


def _fewest(is_enough: Callable[[float], bool], least: int = 1) -> float:
    """Find the fewest cases that are enough; infinite if no reasonable number is."""
    enough = max(least, 16)
    while not is_enough(float(enough)):
        enough *= 2
        if enough > MAX_CASES_PLANNED:
            return math.inf
    numbers = range(least, enough + 1)
    return float(numbers[bisect_left(numbers, True, key=lambda cases: is_enough(float(cases)))])
