"""The sampling law of a difference of two values between 0 and 1 that were estimated from the same cases."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy

from edgeworth.common.arrays import Floats
from edgeworth.core.sampling_distributions import (
    Alternative,
    Scale,
    choose_tail,
    quantile_that_reaches,
    student_quantile,
)
from edgeworth.core.test_results import SMALLEST_FLOAT
from edgeworth.rankings.intervals.methods import separated_area_bound, separated_precision_bound
from edgeworth.rankings.policy import MIN_CASES_FOR_COVERAGE

LOGIT = Scale(0.0, 1.0)
SMALLEST_UNSEEN = 1e-15
"""Binomial bounds of separated rankings are followed down to this probability."""


@dataclass(frozen=True)
class Side:
    """One system's value, its standard error, and the numbers of targets and other cases behind it."""

    value: float
    error: float
    targets: float
    background: float
    is_area: bool

    @property
    def is_separated(self) -> bool:
        """Whether every target is above all background, or below it, so that nothing varies in the sample."""
        return self.error == 0 and self.value in (0, 1)

    def bounds(self, quantile: float, unseen: float) -> tuple[float, float]:
        """Move by some standard errors on the logit scale; a separated ranking has a binomial bound.

        ``unseen`` is the probability beyond the quantile, on one side.
        """
        if self.error > 0 and LOGIT.inside(self.value):
            reach, middle = quantile * self.error * LOGIT.slope(self.value), LOGIT.forward(self.value)
            return LOGIT.backward(middle - reach), LOGIT.backward(middle + reach)
        if not self.is_separated or quantile == 0 or not self.background:
            return self.value, self.value
        bound = separated_area_bound if self.is_area else separated_precision_bound
        low = bound(self.targets, self.background, 1 - 2 * max(unseen, SMALLEST_UNSEEN))
        return (low, 1.0) if self.value == 1 else (0.0, 1 - low)


@dataclass(frozen=True)
class ScoreDifferenceLaw:
    """Student's t for ROC areas; for average precision the intervals of both values, put together.

    Of ROC areas the bounds are d ± quantile · error. Average precision is skewed near 0 and 1, where such
    intervals of paired binormal scores cover from 90 to 99%; there each value's bounds l and u on the logit
    scale are put together by their correlation r (MOVER: Zou & Donner 2008), which mends most of it: the
    lower bound is ``d − √((θ₁−l₁)² + (u₂−θ₂)² − 2r(θ₁−l₁)(u₂−θ₂))``, the upper one its mirror image. Areas of
    0 and 1 have binomial bounds, put together in the same way. Coverage: ``bench/paired_scores.py``.
    """

    first: Side
    second: Side
    correlation: float
    standard_error: float
    freedom: float

    @property
    def value(self) -> float:
        return self.first.value - self.second.value

    @property
    def _is_plain(self) -> bool:
        sides = (self.first, self.second)
        return all(side.is_area and not side.is_separated for side in sides)

    def interval(self, level: float) -> tuple[float, float]:
        return self.bounds(self.quantile(level))

    def quantile(self, level: float) -> float:
        """Find how many standard errors an interval reaches on either side."""
        return student_quantile(level, self.freedom)

    def beyond(self, quantile: float) -> float:
        """Compute the probability beyond a quantile, on one side."""
        return float(scipy.special.stdtr(self.freedom, -quantile))

    def bounds(self, quantile: float) -> tuple[float, float]:
        """Return the differences within a number of standard errors."""
        if self._is_plain:
            reach = quantile * self.standard_error
            return max(self.value - reach, -1.0), min(self.value + reach, 1.0)
        unseen = self.beyond(quantile)
        low, high = self.first.bounds(quantile, unseen)
        other_low, other_high = self.second.bounds(quantile, unseen)
        down = self._combine(self.first.value - low, other_high - self.second.value)
        up = self._combine(high - self.first.value, self.second.value - other_low)
        return max(self.value - down, -1.0), min(self.value + up, 1.0)

    def _combine(self, first: float, second: float) -> float:
        return math.sqrt(max(0.0, first * first + second * second - 2 * self.correlation * first * second))

    def distance(self, null: float) -> float:
        """Compute how many standard errors away a difference is."""
        if self._is_plain:
            return abs(self.value - null) / self.standard_error
        return quantile_that_reaches(self.bounds, self.value, null)

    def p_value(self, null: float, alternative: Alternative) -> float:
        if null == self.value:
            return choose_tail(0.5, 0.5, alternative)
        tail = self.beyond(self.distance(null))
        return choose_tail(*((1 - tail, tail) if null < self.value else (tail, 1 - tail)), alternative)


SAME_DISTANCE = 1e-5
"""Distances closer than this are the same one with other rounding: such a swap is as far as the observed."""
MIN_SWAPS_LEFT_TO_TAIL = 3
"""This many of the largest distances, or a hundredth part, are left to the tail: fewer would be luck."""
MIN_SWAPS_THAT_SCALE_TAIL = 10
"""This many of the largest distances, or a twentieth part, scale the tail."""


@dataclass(frozen=True, eq=False)
class CalibratedLaw:
    """A law whose critical values, in standard errors, come from swaps of the two systems' ranks.

    Effects of single cases overstate the variance of a difference of average precisions, because the joint
    effect of two cases is counted twice (Efron & Stein 1981), mostly for systems that are nearly alike. With
    few targets the difference also depends on its own standard error. Swapping the ranks of random cases
    keeps both properties and removes the difference. So p is the share of swaps that are at least as many
    standard errors away from 0. If the systems are exchangeable, p is below k/(N + 1) in k of N + 1 samples
    for any number of cases (Dwass 1957), or in fewer with ties. If only their values are equal, this holds
    for many cases, because distances are in standard errors (Janssen 1997; Chung & Romano 2013).

    Between two swaps p falls evenly from (1 + count)/(1 + N), which is valid at every level, to
    count/(1 + N), so that the interval moves with its level. At whole multiples of 1/(N + 1) both are the
    same test. Beyond the largest hundredth of the swaps, or the largest three, p follows Student's tail,
    scaled to a twentieth of the swaps (``_Tail``). That is an approximation.

    Swaps show how a difference of 0 varies, not a larger one. So with few targets, or few other cases, the
    bound on the far side of the difference is never nearer than Student's.
    """

    inner: ScoreDifferenceLaw
    distances: Floats = field(repr=False)
    """Of the swaps, in standard errors, the smallest first."""

    @property
    def value(self) -> float:
        return self.inner.value

    @property
    def standard_error(self) -> float:
        """That of the effects of single cases."""
        return self.inner.standard_error

    @cached_property
    def _tail(self) -> _Tail:
        return _Tail.of(self.inner, self.distances)

    @property
    def _has_few(self) -> bool:
        return min(self.inner.first.targets, self.inner.first.background) < MIN_CASES_FOR_COVERAGE

    @cached_property
    def _steps(self) -> tuple[Floats, Floats]:
        """0 and each distance, and the share of swaps beyond it, the swap that was observed among them."""
        number = len(self.distances) + 1
        return np.append(0.0, self.distances), np.arange(number, 0, -1) / number

    def quantile(self, level: float) -> float:
        """Find the distance beyond which a share of 1 − level lies."""
        if 1 - level < self._tail.share:
            return self._tail.quantile(1 - level)
        distances, shares = self._steps
        return float(np.interp(level, 1 - shares, distances))

    def beyond(self, distance: float) -> float:
        """Compute the share of swaps at least as far from 0; between two swaps it is interpolated."""
        if distance > self._tail.start:
            return self._tail.beyond(distance)
        return float(np.interp(distance, *self._steps))

    def interval(self, level: float) -> tuple[float, float]:
        near = self.quantile(level) + SAME_DISTANCE
        far = max(near, self.inner.quantile(level)) if self._has_few else near
        facing, other = self.inner.bounds(near), self.inner.bounds(far)
        return (facing[0], other[1]) if self.value >= 0 else (other[0], facing[1])

    def p_value(self, null: float, alternative: Alternative) -> float:
        if null == self.value:
            return choose_tail(0.5, 0.5, alternative)
        distance = self.inner.distance(null)
        share = self.beyond(max(distance - SAME_DISTANCE, 0.0))
        if self._has_few and (null > self.value) == (self.value >= 0):
            share = max(share, 2 * self.inner.beyond(distance))
        tail = min(share, 1.0) / 2
        return choose_tail(*((1 - tail, tail) if null < self.value else (tail, 1 - tail)), alternative)


@dataclass(frozen=True)
class _Tail:
    """Student's tail from a distance on, beyond which a known share of the swaps lies.

    p = share · T(distance · scale)/T(start · scale), which continues from the last share that was counted.
    The scale is the median, over the largest swaps, of Student's quantile divided by the swap's, so that a
    single swap does not decide it. T has fewer degrees of freedom than the law, because the scale is
    estimated from few swaps with a relative variance v. Dividing a normal distance by such a scale gives a
    Student's t with 1/(2v) degrees of freedom, so 1/freedom + 2v is the inverse of those of T.
    """

    share: float
    start: float
    scale: float
    freedom: float

    @classmethod
    def of(cls, law: ScoreDifferenceLaw, distances: Floats) -> _Tail:
        """Fit the tail of sorted swaps."""
        number = len(distances)
        last = min(number, max(MIN_SWAPS_LEFT_TO_TAIL, (number + 1) // 100))
        many = min(number, max(MIN_SWAPS_THAT_SCALE_TAIL, (number + 1) // 20))
        # Logarithms of the largest shares are those of (rank − ½)/(number + ½) on average.
        student = np.array([law.quantile(1 - (rank + 0.5) / (number + 0.5)) for rank in range(many)])
        with np.errstate(divide="ignore"):
            scale = float(np.median(student / distances[::-1][:many]))
        # The median is a distance with many/2 swaps beyond it: a share known to one part in √(many/2).
        middle = many / 2 / (number + 0.5)
        error = np.log(law.quantile(1 - middle) / law.quantile(1 - middle * np.exp(np.sqrt(2 / many))))
        return cls(
            share=last / (number + 1),
            start=float(distances[-last]),
            scale=scale if np.isfinite(scale) else 1.0,
            freedom=float(1 / (1 / law.freedom + 2 * error**2)),
        )

    def _student(self, distance: float) -> float:
        return 2 * float(scipy.special.stdtr(self.freedom, -distance * self.scale))

    def beyond(self, distance: float) -> float:
        """Compute the probability beyond a distance above the start."""
        return self.share * self._student(distance) / max(self._student(self.start), SMALLEST_FLOAT)

    def quantile(self, share: float) -> float:
        """Find the distance beyond which a small share lies."""
        student = share / self.share * self._student(self.start)
        return -float(scipy.special.stdtrit(self.freedom, student / 2)) / self.scale
