"""The sampling law of a difference of two values between 0 and 1 that were learnt from the same cases."""

from __future__ import annotations

import math
from dataclasses import dataclass

import scipy

from edgeworth.core.laws import Alternative, choose_tail, normal_quantile, student_quantile
from edgeworth.core.scales import Scale
from edgeworth.rankings.intervals.influence import separated_area_bound, separated_precision_bound

LOGIT = Scale("logit", 0.0, 1.0)
FARTHEST = 40.0
"""Standard errors beyond which a tail is not followed."""
SMALLEST_UNSEEN = 1e-15
"""Binomial bounds of separated rankings are followed down to this probability."""


@dataclass(frozen=True)
class Side:
    """One system's value, its standard error, and how many targets and other cases it was learnt from."""

    value: float
    error: float
    targets: float
    background: float
    is_area: bool

    @property
    def is_separated(self) -> bool:
        """Every target stands above all background, or below it: nothing varies in the sample."""
        return self.error == 0 and self.value in (0, 1)

    def bounds(self, quantile: float, unseen: float) -> tuple[float, float]:
        """So many standard errors either way on the logit scale; a separated ranking has a binomial bound.

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
        """The difference."""
        return self.first.value - self.second.value

    @property
    def _is_plain(self) -> bool:
        sides = (self.first, self.second)
        return all(side.is_area and not side.is_separated for side in sides)

    def interval(self, level: float) -> tuple[float, float]:
        """Both bounds at a level."""
        return self.bounds(self.quantile(level))

    def quantile(self, level: float) -> float:
        """How many standard errors an interval reaches either way."""
        if math.isinf(self.freedom):
            return normal_quantile(level)
        return student_quantile(level, self.freedom)

    def beyond(self, quantile: float) -> float:
        """The probability beyond a quantile, on one side."""
        if math.isinf(self.freedom):
            return float(scipy.special.ndtr(-quantile))
        return float(scipy.special.stdtr(self.freedom, -quantile))

    def bounds(self, quantile: float) -> tuple[float, float]:
        """The differences within so many standard errors."""
        if self._is_plain:
            reach = quantile * self.standard_error
            return max(self.value - reach, -1.0), min(self.value + reach, 1.0)
        unseen = self.beyond(quantile)
        low, high = self.first.bounds(quantile, unseen)
        other_low, other_high = self.second.bounds(quantile, unseen)
        down = self._joined(self.first.value - low, other_high - self.second.value)
        up = self._joined(high - self.first.value, self.second.value - other_low)
        return max(self.value - down, -1.0), min(self.value + up, 1.0)

    def _joined(self, one: float, two: float) -> float:
        return math.sqrt(max(0.0, one * one + two * two - 2 * self.correlation * one * two))

    def distance(self, null: float) -> float:
        """How many standard errors a difference is away: the interval of so many just reaches it."""
        if self._is_plain:
            return abs(self.value - null) / self.standard_error
        side = 0 if null < self.value else 1
        near, far = 0.0, FARTHEST
        for _ in range(60):
            middle = (near + far) / 2
            reached = abs(self.bounds(middle)[side] - self.value) >= abs(null - self.value)
            near, far = (near, middle) if reached else (middle, far)
        return far

    def p_value(self, null: float, alternative: Alternative) -> float:
        """The level at which the null would just leave the interval."""
        if null == self.value:
            return choose_tail(0.5, 0.5, alternative)
        tail = self.beyond(self.distance(null))
        lower, upper = (1 - tail, tail) if null < self.value else (tail, 1 - tail)
        return choose_tail(lower, upper, alternative)
