"""Binned calibration errors: the gaps between forecasts and shares of events in bins, less what luck adds.

In a bin of n_b of the n cases the forecasts have the mean p_b and the event happened with the share y_b. The
gap g_b = y_b − p_b has about the variance v_b = y_b(1 − y_b)/(n_b − 1).

    expected calibration error   Σ n_b/n |g_b|             (Naeini, Cooper & Hauskrecht 2015)
    squared calibration error    Σ n_b/n (g_b² − v_b)      (Bröcker 2012; Ferro & Fricker 2012)

The square is unbiased for the bins' own error. The absolute gap is too large on average; the debiased one
subtracts what a normal gap of the observed size would add (Kumar, Liang & Ma 2019, Verified Uncertainty
Calibration). That removes part of the bias of calibrated forecasts, and nearly all of it far from them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats
from edgeworth.core.sampling_distributions import (
    Alternative,
    NormalLaw,
    Scale,
    invert_interval,
    normal_quantile,
)
from edgeworth.forecasts.calibration import Reliability

HALF_NORMAL_MEAN = math.sqrt(2 / math.pi)
HALF_NORMAL_VARIANCE = 1 - 2 / math.pi
HALF_NORMAL_THIRD_MOMENT = math.sqrt(2 / math.pi) * (4 / math.pi - 1)


def bins_of(curve: Reliability, bins: int, binning: str) -> NDArray[np.int64]:
    """Number the bin of each forecast value: equal numbers of cases ("mass") or equal widths ("width").

    Equal forecasts share a bin: the one in which the middle of their cases lies.

    >>> curve = Reliability(np.array([0.1, 0.2, 0.9]), np.array([1, 1, 2]), np.array([0, 0, 1]))
    >>> bins_of(curve, 2, "mass").tolist(), bins_of(curve, 4, "width").tolist()
    ([0, 0, 1], [0, 0, 3])
    """
    if binning == "width":
        return np.minimum((curve.values * bins).astype(np.int64), bins - 1)
    cumulative_cases = np.cumsum(curve.cases)
    # Twice the number of cases before the middle of a value's own, so that all is in whole numbers.
    middle = 2 * cumulative_cases - curve.cases
    return np.minimum(np.asarray(middle * bins // (2 * cumulative_cases[-1]), dtype=np.int64), bins - 1)


@dataclass(frozen=True, eq=False)
class BinnedGaps:
    """The gap between the share of events and the mean forecast in each bin, with its variance."""

    weights: Floats
    gaps: Floats
    variances: Floats
    """Unbiased for bins of equal probabilities; too large otherwise."""
    safe_variances: Floats
    """The larger one of what outcomes and forecasts suggest: without events the outcomes suggest 0."""

    @classmethod
    def of(cls, curve: Reliability, bins: float, binning: str) -> Self:
        """Pool the forecasts of each bin."""
        groups = bins_of(curve, int(bins), binning)
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        cases, hits = (np.add.reduceat(x, starts) for x in (curve.cases, curve.hits))
        forecasts = np.add.reduceat(curve.values * curve.cases, starts) / cases
        shares = hits / cases
        outcome_variance = shares * (1 - shares)
        forecast_variance = np.add.reduceat(curve.cases * curve.values * (1 - curve.values), starts) / cases
        if curve.squares is None:
            is_single = cases == 1
            unbiased = np.where(is_single, forecast_variance, outcome_variance / np.maximum(cases - 1, 1))
            safe = np.maximum(outcome_variance, forecast_variance) / cases
            return cls(cases / cases.sum(), shares - forecasts, unbiased, safe)
        # Weights may depend on the outcome, so squared errors are weighted by squared weights.
        happened, failed = np.add.reduceat(curve.squares, starts, axis=1)
        squares = happened + failed
        is_single = squares >= cases**2 * (1 - 1e-9)
        spread = happened * (1 - shares) ** 2 + failed * shares**2
        unbiased = np.where(
            is_single, forecast_variance, spread / np.where(is_single, 1.0, cases**2 - squares)
        )
        plain = np.maximum(outcome_variance, forecast_variance) * squares
        safe = np.maximum(plain, spread) / cases**2
        return cls(cases / cases.sum(), shares - forecasts, unbiased, safe)

    @property
    def absolute(self) -> float:
        """The mean absolute gap, luck included."""
        return float(self.weights @ np.abs(self.gaps))

    @property
    def debiased(self) -> float:
        """The mean absolute gap less what luck adds to gaps of these sizes, at least 0."""
        from scipy.special import erf

        spread = np.sqrt(self.variances)
        has_spread = spread > 0
        ratio = np.divide(self.gaps, spread, out=np.zeros_like(spread), where=has_spread)
        folded = spread * HALF_NORMAL_MEAN * np.exp(-(ratio**2) / 2) + self.gaps * erf(ratio / math.sqrt(2))
        added = np.where(has_spread, folded - np.abs(self.gaps), 0.0)
        return max(0.0, self.absolute - float(self.weights @ added))

    @property
    def squared(self) -> float:
        """The mean squared gap minus its variance. It is unbiased, so it can be negative by luck."""
        return float(self.weights @ (self.gaps**2 - self.variances))

    @property
    def square_variances(self) -> Floats:
        """The variance of each bin's squared gap, 4δ²v + 2v²: 4(g² − v)v + 2v² at least 2v²."""
        excess = np.maximum(self.gaps**2 - self.safe_variances, 0.0)
        return 4 * excess * self.safe_variances + 2 * self.safe_variances**2


def expected_calibration_error(curve: Reliability, *, bins: float, binning: str, debias: str) -> float:
    """Compute the expected calibration error.

    >>> curve = Reliability(np.array([0.2, 0.8]), np.array([10, 10]), np.array([4, 7]))
    >>> round(expected_calibration_error(curve, bins=2, binning="width", debias="no"), 9)
    0.15
    """
    gaps = BinnedGaps.of(curve, bins, binning)
    return gaps.debiased if debias == "yes" else gaps.absolute


def squared_calibration_error(curve: Reliability, *, bins: float, binning: str) -> float:
    """Compute the squared calibration error, unbiased.

    >>> curve = Reliability(np.array([0.2, 0.8]), np.array([10, 10]), np.array([4, 7]))
    >>> round(squared_calibration_error(curve, bins=2, binning="width"), 9)
    0.0
    """
    return BinnedGaps.of(curve, bins, binning).squared


@dataclass(frozen=True, eq=False)
class AbsoluteGapLaw:
    """Bounds of the mean absolute gap that hold at calibration, too, where the estimate is not normal.

    With true gaps δ and errors e = g − δ, |g| − |δ| is at most |e|. So the estimate exceeds the truth by at
    most Σ w|e|, a sum of half-normal errors, which gives the lower bound. It falls short by no more than the
    normal error Σ w s e with the signs s of δ, since |g| ≥ s·g, which gives the upper bound.
    """

    value: float
    absolute: float
    spreads: Floats
    """w_b · standard error of each bin."""

    @cached_property
    def standard_error(self) -> float:
        """Compute √Σ w² v."""
        return math.sqrt(float(self.spreads @ self.spreads))

    def _most(self, quantile: float) -> float:
        """Return a quantile of the sum of half-normal errors, with Cornish and Fisher's term for skewness."""
        deviation = math.sqrt(HALF_NORMAL_VARIANCE) * self.standard_error
        if deviation == 0:
            return 0.0
        skewness = HALF_NORMAL_THIRD_MOMENT * float((self.spreads**3).sum()) / deviation**3
        return (
            HALF_NORMAL_MEAN * float(self.spreads.sum())
            + (quantile + (quantile**2 - 1) * skewness / 6) * deviation
        )

    def interval(self, level: float) -> tuple[float, float]:
        """Subtract the most that luck adds, and add the most that it hides."""
        quantile = normal_quantile(level)
        low = max(0.0, self.absolute - max(0.0, self._most(quantile)))
        return min(low, self.value), min(1.0, self.absolute + quantile * self.standard_error)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Find the level at which the null just leaves the interval."""
        return invert_interval(self.interval, self.value, null, alternative)


@dataclass(frozen=True)
class SquaredGapLaw(NormalLaw):
    """A normal law of an unbiased estimate of a square: bounds are at least 0."""

    def interval(self, level: float) -> tuple[float, float]:
        """Cut the normal bounds at 0."""
        low, high = super().interval(level)
        return max(0.0, low), max(0.0, high)


def absolute_gap_law(curve: Reliability, *, bins: float, binning: str, debias: str) -> AbsoluteGapLaw:
    """Make the law of the expected calibration error."""
    gaps = BinnedGaps.of(curve, bins, binning)
    value = gaps.debiased if debias == "yes" else gaps.absolute
    return AbsoluteGapLaw(value, gaps.absolute, gaps.weights * np.sqrt(gaps.safe_variances))


def squared_gap_law(curve: Reliability, *, bins: float, binning: str) -> SquaredGapLaw:
    """Make the law of the squared calibration error."""
    gaps = BinnedGaps.of(curve, bins, binning)
    error = math.sqrt(float(gaps.weights**2 @ gaps.square_variances))
    return SquaredGapLaw(gaps.squared, error, Scale())
