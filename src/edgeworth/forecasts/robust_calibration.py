"""Calibration of weighted rows and of rows in clusters: intervals and tests from influences.

Given the forecasts, outcomes of weighted rows or of one cluster are not independent draws with the forecast
probability: weights may depend on outcomes, and rows of one cluster on each other. So nothing is drawn here.
A measure has an influence per case, its error is about Σ w · influence / Σ w, and the variance of that sum is
estimated from the rows (weights) or from the sums of clusters (CR2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats
from edgeworth.core.clusters import (
    ClusterSpread,
    cluster_variance_of_ratios,
    effective_units_caveat,
    weighted_degrees_of_freedom,
)
from edgeworth.core.formatting import format_p_value
from edgeworth.core.sampling_distributions import (
    CautiousLaw,
    ClusterLaw,
    SamplingLaw,
    Scale,
    caveat_of,
    law_forbids_claim,
    natural_scale,
)
from edgeworth.errors import OptionError
from edgeworth.forecasts.calibration import Reliability
from edgeworth.forecasts.calibration_error import BinnedGaps, absolute_gap_law, bins_of
from edgeworth.forecasts.calibration_test import spiegelhalter_scale, spiegelhalter_weights, spiegelhalter_z
from edgeworth.forecasts.recalibration import Recalibration, intercept_in_the_large
from edgeworth.rankings.scores.clusters import ClusteredScores

Arguments: TypeAlias = Mapping[str, float | str]

NULLS = {
    "calibration_slope": 1.0,
    "calibration_intercept": 0.0,
    "spiegelhalter_z": 0.0,
    "forecast_bias": 0.0,
}
"""The value of calibrated forecasts, for measures whose interval tests calibration."""


@dataclass(frozen=True, eq=False)
class CalibrationCells:
    """Forecasts and outcomes of one class with weights, in cells whose cases are alike.

    Without ``codes`` the cases of a cell are independent, and ``squares`` are their sums of squared weights.
    With them, ``codes`` number the cluster of each cell.
    """

    curve: Reliability
    values: Floats
    outcomes: Floats
    weights: Floats
    fourths: Floats
    """Σw⁴ of each cell: how sure a variance is."""
    squares: Floats
    codes: NDArray[np.int64] | None = None

    @classmethod
    def of_weighted(cls, curve: Reliability) -> Self:
        """Make the cells of weighted rows: two per forecast value, for either outcome."""
        assert curve.moments is not None
        number = len(curve.values)
        weights = np.concatenate([curve.hits, curve.cases - curve.hits])
        squares, fourths = curve.moments.reshape(2, -1)
        has_weight = squares > 0
        values, outcomes = np.tile(curve.values, 2), np.repeat([1.0, 0.0], number)
        return cls(
            curve,
            values[has_weight],
            outcomes[has_weight],
            weights[has_weight],
            fourths[has_weight],
            squares[has_weight],
        )

    @classmethod
    def of_clusters(cls, curve: Reliability, clusters: ClusteredScores) -> Self:
        """Make one cell per cluster, forecast value and outcome."""
        weights = clusters.weight.astype(np.float64)
        outcomes = clusters.is_target.astype(np.float64)
        return cls(curve, clusters.scores, outcomes, weights, weights**4, weights**2, clusters.codes)

    @property
    def total(self) -> float:
        """Return the sum of the weights."""
        return float(self.weights.sum())

    def centre(self, terms: Floats) -> Floats:
        """Subtract the weighted mean."""
        return terms - float(self.weights @ terms) / self.total

    def spread(self, influences: Floats) -> ClusterSpread:
        """Estimate the variance of Σ w · influence / Σ w; the influences add up to 0."""
        if self.codes is not None:
            sums, sizes = (
                np.asarray(np.bincount(self.codes, x), dtype=np.float64)
                for x in (self.weights * influences, self.weights)
            )
            if np.count_nonzero(sizes) < 2:
                raise OptionError("all cases are in one cluster, so the variance cannot be estimated")
            return cluster_variance_of_ratios(sums[sizes > 0], sizes[sizes > 0])
        effective = self.total**2 / float(self.squares.sum())
        if effective <= 1 + 1e-9:
            raise OptionError("there is only one case, so the variance cannot be estimated")
        variance = float(self.squares @ influences**2) / self.total**2 * effective / (effective - 1)
        freedom = weighted_degrees_of_freedom(effective, float(self.squares.sum()), float(self.fourths.sum()))
        return ClusterSpread(variance, freedom, effective)

    @cached_property
    def _fit(self) -> Recalibration:
        return Recalibration.fit(self.curve)

    def errors(self, intercept: float, slope: float) -> tuple[Floats, Floats]:
        """Return log odds of forecasts between 0 and 1 (others 0), and the errors of the refitted ones."""
        from scipy.special import expit, logit

        inner = (self.values > 0) & (self.values < 1)
        log_odds = logit(np.where(inner, self.values, 0.5))
        return log_odds, np.where(inner, self.outcomes - expit(intercept + slope * log_odds), 0.0)

    def coefficients(self) -> Floats:
        """Return the influence of each case on the fitted intercept and slope."""
        log_odds, errors = self.errors(self._fit.intercept, self._fit.slope)
        return np.asarray(self.total * (self._fit.covariance @ np.stack([errors, errors * log_odds])))


def _bias(cells: CalibrationCells, arguments: Arguments) -> Floats:
    del arguments
    return cells.centre(cells.values - cells.outcomes)


def _slope(cells: CalibrationCells, arguments: Arguments) -> Floats:
    del arguments
    return np.asarray(cells.coefficients()[1])


def _intercept(cells: CalibrationCells, arguments: Arguments) -> Floats:
    if arguments["slope"] == "fitted":
        return np.asarray(cells.coefficients()[0])
    _, errors = cells.errors(intercept_in_the_large(cells.curve), 1.0)
    fitted = np.abs(cells.outcomes - errors)
    inner = (cells.values > 0) & (cells.values < 1)
    information = float(cells.weights[inner] @ (fitted * (1 - fitted))[inner])
    return np.asarray(cells.total * errors / information)


def _spiegelhalter(cells: CalibrationCells, arguments: Arguments) -> Floats:
    del arguments
    terms = (cells.outcomes - cells.values) * spiegelhalter_weights(cells.values)
    return cells.centre(cells.total * terms / spiegelhalter_scale(cells.curve))


def _squared_error(cells: CalibrationCells, arguments: Arguments) -> Floats:
    """Compute 2 g_b (y − p − g_b) for a case of bin b."""
    bins, binning = int(arguments["bins"]), str(arguments["binning"])
    nearest = np.searchsorted(cells.curve.values, cells.values)
    groups = bins_of(cells.curve, bins, binning)[np.minimum(nearest, len(cells.curve.values) - 1)]
    errors = cells.outcomes - cells.values
    sizes, sums = (np.bincount(groups, x) for x in (cells.weights, cells.weights * errors))
    gaps = np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0)[groups]
    return np.asarray(2 * gaps * (errors - gaps))


INFLUENCES: dict[str, Callable[[CalibrationCells, Arguments], Floats]] = {
    "forecast_bias": _bias,
    "calibration_slope": _slope,
    "calibration_intercept": _intercept,
    "spiegelhalter_z": _spiegelhalter,
    "squared_calibration_error": _squared_error,
}


def robust_law(
    cells: CalibrationCells,
    name: str,
    value: float,
    arguments: Arguments,
    *,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> SamplingLaw:
    """Return the law of a measure of calibration over weighted rows or clusters: Student's t.

    ``bounds`` keep an interval inside the range of the measure.
    """
    if name == "ece" and cells.codes is None:
        bins, binning, debias = (arguments[option] for option in ("bins", "binning", "debias"))
        return absolute_gap_law(cells.curve, bins=float(bins), binning=str(binning), debias=str(debias))
    if name not in INFLUENCES:
        rows = "weights" if cells.codes is None else "clusters"
        raise OptionError(f"an interval for {name} is not supported with {rows}")
    spread = cells.spread(INFLUENCES[name](cells, arguments))
    variance = spread.variance
    if name == "squared_calibration_error":
        # Near calibration gaps are all luck: the errors of their squares are the least.
        gaps = BinnedGaps.of(cells.curve, float(arguments["bins"]), str(arguments["binning"]))
        variance = max(variance, 2 * float(gaps.weights**2 @ gaps.safe_variances**2))
    if not variance > 0:
        raise OptionError("every case has the same value, so the variance cannot be estimated")
    scale = Scale() if name == "forecast_bias" else natural_scale(*bounds, value)
    if cells.codes is None:
        caveat = effective_units_caveat(spread.effective, "cases")
        return CautiousLaw(value, math.sqrt(variance), scale, spread.freedom, caveat)
    return ClusterLaw(value, math.sqrt(variance), scale, spread.freedom, spread.caveat)


def bias_law(spread: ClusterSpread, value: float) -> SamplingLaw:
    """Return the law of a mean of forecast − outcome over clusters: Student's t."""
    if not spread.variance > 0:
        raise OptionError("every cluster has the same value, so the variance cannot be estimated")
    return ClusterLaw(value, math.sqrt(spread.variance), Scale(), spread.freedom, spread.caveat)


@dataclass(frozen=True)
class RobustCalibrationTest:
    """A test of calibration for weighted rows or clusters: the smaller of two p-values, doubled."""

    p_value: float
    p_values: dict[str, float]
    caveat: str | None = None
    """Why the test may reject too often, such as few effective clusters."""

    @classmethod
    def of(cls, cells: CalibrationCells) -> Self:
        """Test Spiegelhalter's z and the mean error against 0, by Student's t with robust variances.

        A statistic whose variance has too few degrees of freedom for a conclusion is left out.
        """
        bias = float(cells.weights @ (cells.values - cells.outcomes)) / cells.total
        values = {"spiegelhalter_z": spiegelhalter_z(cells.curve), "forecast_bias": bias}
        laws: dict[str, SamplingLaw] = {}
        for name, value in values.items():
            try:
                law = robust_law(cells, name, value, {})
            except OptionError:
                continue
            if law_forbids_claim(law) is None:
                laws[name] = law
        p_values = {name: law.p_value(0.0, "two-sided") for name, law in laws.items()}
        p_value = min(1.0, len(p_values) * min(p_values.values())) if p_values else math.nan
        caveat = next(filter(None, map(caveat_of, laws.values())), None)
        return cls(p_value, p_values, caveat)

    def p_text(self, tests: int = 1) -> str:
        """Write the p-value, times the number of tests, with its caveat."""
        caveat = "" if self.caveat is None else f", but {self.caveat}"
        return f"{format_p_value(min(1.0, tests * self.p_value))}{caveat}"
