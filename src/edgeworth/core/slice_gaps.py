"""Gaps: how far a measure in one part of the cases is from the same measure in all other cases.

A part and the rest are disjoint, so a gap is the difference of two estimates. Each kind makes its own gaps
with the functions below: bounds by square-and-add or by a skewness-corrected t, and a test of the hypothesis
that the part is no different.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.core.estimates import Estimate, Interval
from edgeworth.core.measures import Combination
from edgeworth.core.sampling_distributions import (
    SMALLEST_TAIL,
    Alternative,
    GapLaw,
    NormalLaw,
    SamplingLaw,
    Scale,
    check_level,
    choose_tail,
    degrees_of_freedom,
    law_forbids_claim,
    mirror_law,
    normal_quantile,
    outer_interval,
    student_quantile,
)
from edgeworth.core.test_results import TestResult, hypergeometric_range

BOUNDS_TEST = "the level at which the interval just reaches 0"
EXACT_TEST = "exact, cases of a class change places between the part and the rest (mid-p)"
STUDENT_TEST = "t test, corrected for skewness (Hall 1992)"


@dataclass(frozen=True)
class Units:
    """How many independent units a tally holds: cases, their effective number with weights, or clusters."""

    number: float
    are_clusters: bool = False


@dataclass(frozen=True)
class Gap:
    """The value of a measure in a part of the cases minus its value in the rest."""

    value: float
    law: SamplingLaw | None = None
    p_value: float = math.nan
    """The two-sided p-value of the hypothesis that the part is no different from the rest."""
    test: str = ""
    undefined: str | None = None
    no_claim: str | None = None
    """Why too little is known to claim a gap, however small the p-value."""
    withheld: str | None = None
    """Why a gap that test and interval show is not claimed. It depends on the gap, so that such a gap counts
    among those for which p-values are adjusted."""
    caveat: str | None = None
    """What the reader of the interval must know."""

    def interval(self, level: float) -> Interval:
        """Compute the confidence interval of the gap at a level."""
        check_level(level)
        return Interval(*((math.nan, math.nan) if self.law is None else self.law.interval(level)))

    def outer_interval(self, level: float) -> Interval:
        """Compute an interval that holds at levels near 1 too, as one of several needs."""
        check_level(level)
        return Interval(*outer_interval(self.law, level))

    def mirror(self) -> Gap:
        """Return the gap seen from the rest."""
        law = None if self.law is None else mirror_law(self.law)
        return replace(self, value=-self.value, law=law)


def gap_between(
    part: Estimate,
    rest: Estimate,
    *,
    correlation: float = 0.0,
    law: SamplingLaw | None = None,
    test: TestResult | None = None,
    no_claim: str | None = None,
) -> Gap:
    """Subtract the estimate of the rest from that of a part of the cases.

    Without a ``law`` the bounds of both estimates are squared and added. Without a ``test`` the p-value is
    the level at which these bounds reach 0. ``correlation`` is that of the two estimates.
    """
    for estimate, where in ((part, ""), (rest, " in the rest")):
        reason = estimate.undefined or (estimate.no_interval if estimate.law is None else None)
        if reason is not None:
            return Gap(part.value - rest.value, undefined=f"{reason}{where}")
    assert part.law is not None
    assert rest.law is not None
    law = law or GapLaw((part.value, rest.value), part.law, rest.law, correlation)
    if test is None:
        test = TestResult.approximate(law.p_value(0.0, "two-sided"), 0.0, BOUNDS_TEST)
    reasons = (no_claim, *(law_forbids_claim(estimate.law) for estimate in (part, rest)))
    return Gap(
        part.value - rest.value,
        law,
        test.p_value,
        test.method,
        no_claim=next((reason for reason in reasons if reason), None),
    )


def average_estimates(estimates: Sequence[Estimate], weights: Sequence[float]) -> Estimate | None:
    """Average independent estimates of one measure; None if none has an interval.

    The scale of the bounds is that of the first law, and the degrees of freedom are Satterthwaite's.
    """
    kept = [(x, weight) for x, weight in zip(estimates, weights, strict=True) if x.law is not None and weight]
    if len(kept) < 2:
        return kept[0][0] if kept else None
    total = sum(weight for _, weight in kept)
    value = sum(weight * x.value for x, weight in kept) / total
    # At the end of its range an estimate has a standard error of 0, but an interval.
    errors = [
        max(x.standard_error, (x.interval(0.95).high - x.interval(0.95).low) / (2 * normal_quantile(0.95)))
        if not x.standard_error
        else x.standard_error
        for x, _ in kept
    ]
    variances = [(weight / total * error) ** 2 for (_, weight), error in zip(kept, errors, strict=True)]
    freedoms = [degrees_of_freedom(x.law) for x, _ in kept]
    inverse = sum(v**2 / f for v, f in zip(variances, freedoms, strict=True) if math.isfinite(f))
    freedom = sum(variances) ** 2 / inverse if inverse else math.inf
    scales = [x.law.scale for x, _ in kept if isinstance(x.law, NormalLaw)]
    scale = scales[0] if scales and scales[0].inside(value) else Scale()
    law = NormalLaw(value, math.sqrt(sum(variances)), scale, freedom)
    return replace(kept[0][0], value=value, law=law)


def average_effects(
    effects: Sequence[Mapping[Hashable, float]], weights: Sequence[float]
) -> tuple[dict[Hashable, float], float]:
    """Average what each cluster adds to several estimates, and compare the variance with independence.

    The second value is the standard error of the mean relative to that of independent estimates: 1 if no
    cluster has cases in two of them.

    >>> one, other = {"a": 1.0}, {"b": 1.0}
    >>> average_effects([one, other], [1, 1])[1], round(average_effects([one, one], [1, 1])[1], 4)
    (1.0, 1.4142)
    """
    total = sum(weights)
    mean: dict[Hashable, float] = {}
    apart = 0.0
    for effect, weight in zip(effects, weights, strict=True):
        for cluster, value in effect.items():
            mean[cluster] = mean.get(cluster, 0.0) + weight / total * value
            apart += (weight / total * value) ** 2
    together = sum(value**2 for value in mean.values())
    return mean, math.sqrt(together / apart) if apart > 0 else 1.0


def correlate_clusters(part: Mapping[Hashable, float], rest: Mapping[Hashable, float]) -> float:
    """Correlate two estimates by what each cluster adds to them; 0 if no cluster has cases in both.

    >>> correlate_clusters({"a": 1.0, "b": -1.0}, {"a": 2.0, "b": -2.0}), correlate_clusters({"a": 1.0}, {})
    (0.9999999999999998, 0.0)
    """
    product = sum(effect * rest[cluster] for cluster, effect in part.items() if cluster in rest)
    squares = (sum(effect**2 for effect in effects.values()) for effects in (part, rest))
    scale = math.prod(math.sqrt(square) for square in squares)
    return product / scale if scale > 0 else 0.0


MAX_OUTCOMES_ENUMERATED = 4_000_000
"""The most combinations of outcomes that an exact test adds up: some hundredths of a second."""

MAX_SUMS_KEPT = 20_000
"""With more than two proportions, sums are rounded to this many values between each round of adding."""

SMALLEST_OUTCOME_PROBABILITY = 1e-18
"""An outcome that is less likely than this is left out."""

SAME_GAP = 1e-9
"""Gaps that differ by no more are the same: sums of fractions are rounded."""


def exchange_test(part: Combination, rest: Combination) -> TestResult | None:
    """Test whether proportions are the same in a part and in the rest, by the gap of their combination.

    Under the hypothesis the successes of each proportion in the part are hypergeometric, given those of both
    together. For one proportion this is Fisher's exact test. Outcomes with the same gap count half (mid-p):
    the exact size is then at most a little above the level, and no longer far below it. The result is None
    if there are too many outcomes, or if the two combinations differ.
    """
    if not np.array_equal(part.coefficients, rest.coefficients) or part.constant != rest.constant:
        return None
    counts = [np.rint(x) for x in (part.successes, part.trials, rest.successes, rest.trials)]
    gap = float(part.coefficients @ (counts[0] / counts[1] - counts[2] / counts[3]))
    gaps, probabilities = np.zeros(1), np.ones(1)
    for coefficient, hits, trials, other_hits, others in zip(part.coefficients, *counts, strict=True):
        successes, chances = _hypergeometric(int(trials + others), int(hits + other_hits), int(trials))
        steps = coefficient * (successes / trials - (hits + other_hits - successes) / others)
        if len(steps) * len(gaps) > MAX_OUTCOMES_ENUMERATED:
            return None
        gaps = np.add.outer(gaps, steps).ravel()
        probabilities = np.multiply.outer(probabilities, chances).ravel()
        if len(counts[0]) > 2 and len(gaps) > MAX_SUMS_KEPT:
            gaps, probabilities = _round_sums(gaps, probabilities)
    distance = np.abs(gaps) - abs(gap)
    more = float(probabilities[distance > SAME_GAP].sum())
    same = float(probabilities[np.abs(distance) <= SAME_GAP].sum())
    return TestResult.approximate(min(1.0, max(more + same / 2, SMALLEST_TAIL)), 0.0, EXACT_TEST)


def _hypergeometric(total: int, marked: int, drawn: int) -> tuple[Floats, Floats]:
    """List the numbers of marked items among those drawn, and their probabilities."""
    from scipy.special import gammaln

    low, high = hypergeometric_range(total, marked, drawn)
    mean = drawn * marked / total
    spread = math.sqrt(mean * (1 - marked / total) * (total - drawn) / max(total - 1, 1))
    # Beyond ten standard deviations and some outcomes more, nothing counts.
    reach = 10 * spread + 60
    counts = np.arange(max(low, math.floor(mean - reach)), min(high, math.ceil(mean + reach)) + 1.0)

    def log_choose(n: float, k: Floats | float) -> Floats:
        return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))

    logs = log_choose(marked, counts) + log_choose(total - marked, drawn - counts) - log_choose(total, drawn)
    chances = np.exp(logs)
    kept = chances > SMALLEST_OUTCOME_PROBABILITY
    return counts[kept], chances[kept] / chances[kept].sum()


def _round_sums(gaps: Floats, probabilities: Floats) -> tuple[Floats, Floats]:
    """Round sums to the mean of their neighbours, so that the next round has fewer."""
    low, high = float(gaps.min()), float(gaps.max())
    bins = np.rint((gaps - low) / (high - low) * (MAX_SUMS_KEPT - 1)).astype(np.intp)
    weights, sums = (np.bincount(bins, x).astype(np.float64) for x in (probabilities, probabilities * gaps))
    occupied = weights > 0
    return sums[occupied] / weights[occupied], weights[occupied]


@dataclass(frozen=True)
class MeanMoments:
    """The mean of some cases, and the second to fourth central moments of a case."""

    cases: float
    mean: float
    second: float
    third: float
    fourth: float

    @classmethod
    def of(cls, values: Floats, counts: Floats) -> MeanMoments:
        """Compute the moments of values that occur ``counts`` times each."""
        cases = float(counts.sum())
        mean = float(counts @ values) / cases
        centred = values - mean
        return cls(cases, mean, *(float(counts @ centred**power) / cases for power in (2, 3, 4)))

    @property
    def variance(self) -> float:
        """Compute the variance of the mean."""
        return self.second / (self.cases - 1) if self.cases > 1 else math.nan

    @property
    def freedom(self) -> float:
        """Return the degrees of freedom of the variance, fewer if few cases hold most of it."""
        kurtosis = self.fourth / self.second**2 if self.second > 0 else 1.0
        from_kurtosis = 2 * self.cases / (kurtosis - 1) if kurtosis > 1 else math.inf
        return min(self.cases - 1, from_kurtosis)


@dataclass(frozen=True)
class SkewedMeansLaw:
    """The difference of two means by Welch's t, corrected for skewness.

    ``g(T) = T + κT²/3 + κ²T³/27 + κ/6`` is closer to Student's t than T itself, where κ is the skewness of
    the difference of the means (Hall 1992, On the removal of skewness by transformation). It is monotone, so
    the same transformation gives the interval and the p-value.
    """

    value: float
    standard_error: float
    freedom: float
    skewness: float

    @classmethod
    def of(cls, part: MeanMoments, rest: MeanMoments) -> SkewedMeansLaw | None:
        """Make the law of the difference, or return None if neither mean varies."""
        variances = part.variance, rest.variance
        total = sum(variances)
        if not total > 0:
            return None
        # A third moment is unbiased with n²/((n − 1)(n − 2)), and of a mean it is divided by n².
        thirds = [x.third / ((x.cases - 1) * (x.cases - 2)) if x.cases > 2 else 0.0 for x in (part, rest)]
        parts = (variance**2 / x.freedom for variance, x in zip(variances, (part, rest), strict=True))
        return cls(
            part.mean - rest.mean,
            math.sqrt(total),
            total**2 / sum(parts),
            (thirds[0] - thirds[1]) / total**1.5,
        )

    def interval(self, level: float) -> tuple[float, float]:
        """Transform Student's quantiles back."""
        quantile = student_quantile(level, self.freedom)
        low, high = (self._backward(x) for x in (-quantile, quantile))
        return self.value - high * self.standard_error, self.value - low * self.standard_error

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Compare the transformed statistic with Student's t."""
        from scipy.special import stdtr

        statistic = self._forward((self.value - null) / self.standard_error)
        lower, upper = stdtr(self.freedom, [statistic, -statistic])
        return choose_tail(float(lower), float(upper), alternative)

    def _forward(self, t: float) -> float:
        k = self.skewness
        return t + k * t**2 / 3 + k**2 * t**3 / 27 + k / 6

    def _backward(self, y: float) -> float:
        k = self.skewness
        # For a skewness near 0 the cube root is not accurate, and the transformation is the identity.
        if abs(k) < 1e-8:
            return y
        return 3 / k * (math.cbrt(1 + k * (y - k / 6)) - 1)
