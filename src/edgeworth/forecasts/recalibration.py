"""Calibration slope and intercept: a logistic regression of the outcome on the log odds of the forecast.

The recalibrated probability is expit(a + b · logit p). Calibrated forecasts have b = 1 and a = 0; b below 1
means that forecasts are too extreme. With b fixed at 1 the intercept is calibration in the large (Cox 1958,
Biometrika 45, 562–565; Miller, Langefeld, Tierney, Hui & McDonald 1993, Medical Decision Making 13, 49–58).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Self, TypeAlias

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.core.sampling_distributions import (
    Alternative,
    NormalLaw,
    SamplingLaw,
    Scale,
    choose_tail,
    normal_quantile,
)
from edgeworth.forecasts.calibration import Reliability
from edgeworth.forecasts.policy import MIN_OUTCOMES_FOR_WALD

Coefficient: TypeAlias = Literal["slope", "intercept"]

MAX_STEPS = 200
"""Newton steps of a fit; a concave likelihood takes about ten."""

MAX_DOUBLINGS = 60
"""How often the distance to a bound is doubled before the bound counts as infinite."""

STEP_TOLERANCE = 1e-12
"""A smaller relative step ends a fit."""


def contradicts_certainty(curve: Reliability) -> bool:
    """Return whether probability 0 was given to what happened, or 1 to what did not.

    >>> contradicts_certainty(Reliability(np.array([0.0, 0.5]), np.array([3, 2]), np.array([1, 1])))
    True
    """
    happened, failed = curve.hits > 0, curve.hits < curve.cases
    return bool(np.any(happened & (curve.values == 0)) or np.any(failed & (curve.values == 1)))


def uncertain_part(curve: Reliability) -> Reliability:
    """Return the cases with forecasts strictly between 0 and 1.

    A forecast of 0 or 1 that was right adds nothing to the likelihood for any slope and intercept.
    """
    inner = (curve.values > 0) & (curve.values < 1)
    return curve if inner.all() else curve.select(inner)


def is_separated(curve: Reliability) -> bool:
    """Return whether a forecast threshold separates the outcomes, so that the slope is infinite."""
    inner = uncertain_part(curve)
    with_hits, with_misses = (np.flatnonzero(x) for x in (inner.hits, inner.cases - inner.hits))
    if not len(with_hits) or not len(with_misses):
        return True
    return bool(with_misses[-1] <= with_hits[0] or with_hits[-1] <= with_misses[0])


@dataclass(frozen=True, eq=False)
class Recalibration:
    """The logistic regression of outcomes on the log odds of forecasts, fitted by maximum likelihood."""

    log_odds: Floats
    cases: Floats
    hits: Floats
    intercept: float
    slope: float

    @classmethod
    def fit(cls, curve: Reliability) -> Self:
        """Fit intercept and slope.

        >>> curve = Reliability(np.array([0.1, 0.5, 0.9]), np.array([10, 10, 10]), np.array([1, 5, 9]))
        >>> fitted = Recalibration.fit(curve)
        >>> round(fitted.slope, 9), abs(round(fitted.intercept, 9))
        (1.0, 0.0)
        """
        log_odds, cases, hits = _log_odds(curve)
        level, slope = _maximise(np.ones_like(log_odds), log_odds, cases, hits), 1.0
        likelihood = _log_likelihood(level + log_odds, cases, hits)
        for _ in range(MAX_STEPS):
            fitted = _expit(level + slope * log_odds)
            residuals, weights = hits - cases * fitted, cases * fitted * (1 - fitted)
            score = np.array([residuals.sum(), (residuals * log_odds).sum()])
            mixed = float((weights * log_odds).sum())
            information = np.array([[weights.sum(), mixed], [mixed, (weights * log_odds**2).sum()]])
            step = np.linalg.solve(information, score)
            for _ in range(MAX_DOUBLINGS):
                new_level, new_slope = level + step[0], slope + step[1]
                new = _log_likelihood(new_level + new_slope * log_odds, cases, hits)
                if new >= likelihood:
                    break
                step /= 2
            else:
                break
            level, slope, likelihood = float(new_level), float(new_slope), new
            if np.all(np.abs(step) <= STEP_TOLERANCE * (1 + abs(np.array([level, slope])))):
                break
        return cls(log_odds, cases, hits, level, slope)

    @cached_property
    def covariance(self) -> Floats:
        """The inverse of Fisher's information at the fit: intercept first, slope second."""
        fitted = _expit(self.intercept + self.slope * self.log_odds)
        weights = self.cases * fitted * (1 - fitted)
        design = np.stack([np.ones_like(self.log_odds), self.log_odds])
        return np.asarray(np.linalg.inv((design * weights) @ design.T))

    def law(self, coefficient: Coefficient) -> SamplingLaw:
        """Return the profile likelihood of a coefficient, or its normal limit if outcomes are many."""
        ones = np.ones_like(self.log_odds)
        varied, nuisance = (self.log_odds, ones) if coefficient == "slope" else (ones, self.log_odds)
        value = self.slope if coefficient == "slope" else self.intercept
        index = 1 if coefficient == "slope" else 0
        error = math.sqrt(self.covariance[index, index])
        zeros = np.zeros_like(self.log_odds)
        return _law(value, error, varied, zeros, nuisance, self.cases, self.hits)


def intercept_in_the_large(curve: Reliability) -> float:
    """Fit the intercept with the slope fixed at 1.

    >>> curve = Reliability(np.array([0.5]), np.array([10]), np.array([8]))
    >>> round(intercept_in_the_large(curve), 6) == round(math.log(4), 6)
    True
    """
    log_odds, cases, hits = _log_odds(curve)
    return _maximise(np.ones_like(log_odds), log_odds, cases, hits)


def law_in_the_large(curve: Reliability) -> SamplingLaw:
    """Return the likelihood of the intercept with the slope fixed at 1, or its normal limit."""
    log_odds, cases, hits = _log_odds(curve)
    ones = np.ones_like(log_odds)
    value = _maximise(ones, log_odds, cases, hits)
    fitted = _expit(value + log_odds)
    error = 1 / math.sqrt(float((cases * fitted * (1 - fitted)).sum()))
    return _law(value, error, ones, log_odds, None, cases, hits)


def _law(
    value: float,
    error: float,
    varied: Floats,
    offset: Floats,
    nuisance: Floats | None,
    cases: Floats,
    hits: Floats,
) -> SamplingLaw:
    if min(hits.sum(), (cases - hits).sum()) >= MIN_OUTCOMES_FOR_WALD:
        return NormalLaw(value, error, Scale())
    return ProfileLaw(value, error, varied, offset, nuisance, cases, hits)


@dataclass(frozen=True, eq=False)
class ProfileLaw:
    """The signed root of the likelihood ratio of one coefficient, standard normal if the null holds.

    The linear predictor is offset + coefficient · varied, plus the nuisance direction at its best.
    """

    value: float
    standard_error: float
    varied: Floats
    offset: Floats
    nuisance: Floats | None
    cases: Floats
    hits: Floats

    @cached_property
    def _highest(self) -> float:
        return self._profile(self.value)

    def _profile(self, coefficient: float) -> float:
        predictor = self.offset + coefficient * self.varied
        if self.nuisance is not None:
            best = _maximise(self.nuisance, predictor, self.cases, self.hits)
            predictor = predictor + best * self.nuisance
        return _log_likelihood(predictor, self.cases, self.hits)

    def _signed_root(self, coefficient: float) -> float:
        lost = max(0.0, self._highest - self._profile(coefficient))
        return math.copysign(math.sqrt(2 * lost), self.value - coefficient)

    def interval(self, level: float) -> tuple[float, float]:
        """Find the coefficients at which the likelihood ratio just rejects."""
        quantile = normal_quantile(level)
        return self._bound(-1, quantile), self._bound(1, quantile)

    def _bound(self, side: Literal[-1, 1], quantile: float) -> float:
        from scipy.optimize import brentq

        def missing(distance: float) -> float:
            return abs(self._signed_root(self.value + side * distance)) - quantile

        reach = quantile * self.standard_error
        for _ in range(MAX_DOUBLINGS):
            if missing(reach) >= 0:
                return self.value + side * float(brentq(missing, 0.0, reach, xtol=1e-9 * reach))
            reach *= 2
        return side * math.inf

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Compare the signed root at the null with the standard normal distribution."""
        from scipy.special import ndtr

        root = self._signed_root(null)
        return choose_tail(float(ndtr(root)), float(ndtr(-root)), alternative)


def _log_odds(curve: Reliability) -> tuple[Floats, Floats, Floats]:
    inner = uncertain_part(curve)
    log_odds: Floats = np.log(inner.values) - np.log1p(-inner.values)
    return log_odds, inner.cases.astype(np.float64), inner.hits.astype(np.float64)


def _expit(predictor: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(predictor))


def _log_likelihood(predictor: Floats, cases: Floats, hits: Floats) -> float:
    return float((hits * predictor - cases * np.logaddexp(0.0, predictor)).sum())


def _maximise(direction: Floats, offset: Floats, cases: Floats, hits: Floats) -> float:
    """Find how far to go in a direction to maximise the likelihood, by Newton's steps inside a bracket."""
    low, high, value = -math.inf, math.inf, 0.0
    for _ in range(MAX_STEPS):
        fitted = _expit(offset + value * direction)
        score = float((direction * (hits - cases * fitted)).sum())
        information = float((direction**2 * cases * fitted * (1 - fitted)).sum())
        low, high = (value, high) if score > 0 else (low, value)
        furthest = 1 + 2 * abs(value)
        step = score / information if information > 0 else math.copysign(math.inf, score)
        new = value + max(-furthest, min(furthest, step))
        if not low < new < high and math.isfinite(low) and math.isfinite(high):
            new = (low + high) / 2
        if abs(new - value) <= STEP_TOLERANCE * (1 + abs(value)):
            return new
        value = new
    return value
