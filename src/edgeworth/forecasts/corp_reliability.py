"""Distance of a reliability diagram from the diagonal, and the decomposition of a score (CORP).

Dimitriadis, Gneiting & Jordan 2021: the forecasts are recalibrated by the pool-adjacent-violators algorithm,
which needs no bins. Score = miscalibration − discrimination + uncertainty, each part at least 0 to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgeworth.common.arrays import Floats, Numbers
from edgeworth.core.formatting import format_p_value
from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.core.sampling_distributions import check_level
from edgeworth.errors import InputError, OptionError, check_whole
from edgeworth.forecasts.calibration import Reliability
from edgeworth.forecasts.calibration_test import CalibrationTest
from edgeworth.forecasts.recalibration import contradicts_certainty
from edgeworth.forecasts.robust_calibration import RobustCalibrationTest


@dataclass(frozen=True)
class Decomposition:
    """A mean score in its three parts, and the recalibrated probability at each forecast value."""

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    recalibrated: Floats


def recalibrate(curve: Reliability) -> Floats:
    """Fit the probability at each forecast value that never falls as the forecast rises."""
    if not len(curve.values):
        return np.zeros(0)
    from scipy.optimize import isotonic_regression

    shares_seen: Floats = np.asarray(curve.hits / curve.cases, dtype=np.float64)
    regression = isotonic_regression(shares_seen, weights=curve.cases)
    starts = regression.blocks[:-1]
    # Counts give the exact share of each level.
    shares = np.add.reduceat(curve.hits, starts) / np.add.reduceat(curve.cases, starts)
    return np.repeat(shares, np.diff(regression.blocks))


def decompose(curve: Reliability, score: str, *, fitted: Floats | None = None) -> Decomposition:
    """Decompose a class's Brier or log score (of its own event); ``fitted`` is ``recalibrate(curve)``.

    >>> curve = Reliability(np.array([0.2, 0.8]), np.array([10, 10]), np.array([2, 8]))
    >>> parts = decompose(curve, "brier")
    >>> round(parts.score, 4), round(parts.miscalibration, 4), round(parts.discrimination, 4)
    (0.16, 0.0, 0.09)
    """
    if score not in ("brier", "log"):
        raise OptionError(f'a score with a decomposition is "brier" or "log"; saw {score!r}')
    fitted = recalibrate(curve) if fitted is None else fitted
    total = curve.cases.sum()
    # The share of all cases, at every forecast value, without a copy for each.
    base = np.broadcast_to(curve.hits.sum() / (total or 1), curve.values.shape)
    own, best, flat = (_mean_score(curve, values, score) for values in (curve.values, fitted, base))
    return Decomposition(own, own - best, flat - best, flat, fitted)


def _mean_score(curve: Reliability, values: Floats, score: str) -> float:
    total = float(curve.cases.sum())
    if not total:
        return float("nan")
    misses = curve.cases - curve.hits
    if score == "brier":
        return float((curve.hits * (1 - values) ** 2 + misses * values**2).sum()) / total
    from scipy.special import xlog1py, xlogy

    # Where nothing came true (or failed), 0 times the log of 0 is 0.
    return -float((xlogy(curve.hits, values) + xlog1py(misses, -values)).sum()) / total


MAX_VALUES_REFITTED = 500
"""Forecast values refitted at most; more are gathered into about this many groups of neighbours."""

MISCALIBRATION_TOLERANCE = 1e-12
"""Miscalibrations closer than this are the same."""


def roc_area(curve: Reliability) -> float:
    """Compute how often the forecast is higher when the event happened than when not; ties count half.

    >>> roc_area(Reliability(np.array([0.2, 0.5, 0.8]), np.array([2, 2, 2]), np.array([0, 1, 2])))
    0.9444444444444444
    """
    misses = curve.cases - curve.hits
    pairs = float(curve.hits.sum()) * float(misses.sum())
    wins = curve.hits * (np.cumsum(misses) - misses / 2)
    return float(wins.sum()) / pairs if pairs else float("nan")


@dataclass(frozen=True)
class ReliabilityLevel:
    """A step of the reliability diagram: neighbouring forecasts that recalibration makes one probability.

    ``low`` and ``high`` are the band at their mean forecast.
    """

    first: float
    last: float
    mean: float
    recalibrated: float
    low: float
    high: float
    cases: int

    @property
    def is_inside(self) -> bool:
        """Whether calibrated forecasts would often do the same."""
        return self.low <= self.recalibrated <= self.high


@dataclass(frozen=True)
class ReliabilityBands:
    """The reliability diagram with its consistency band, and a test of calibration.

    Were the forecasts calibrated, the recalibrated probability would lie between ``low`` and ``high`` at each
    value with the probability ``level`` (at each by itself, not at all at once).
    """

    forecast: Floats
    cases: Numbers
    recalibrated: Floats
    low: Floats
    high: Floats
    miscalibration: float
    p_value: float
    level: float
    draws: int
    is_grouped: bool
    """Whether neighbouring forecasts were gathered: there were more than ``MAX_VALUES_REFITTED`` of them."""
    test: CalibrationTest | RobustCalibrationTest
    """Miscalibration together with Spiegelhalter's z and calibration in the large, from the same draws.
    With weights or clusters, the latter two by robust variances."""

    def p_text(self, tests: int = 1) -> str:
        """Write the combined p-value, times the number of tests; if no draw strays as far, it is a bound."""
        if isinstance(self.test, RobustCalibrationTest):
            return self.test.p_text(tests)
        bound = self.test.p_value * (1 + self.draws) < 1.5
        if bound:
            return f"p ≤ {min(1.0, tests / self.draws):g}"
        return format_p_value(min(1.0, tests * self.test.p_value))

    @property
    def mean_forecast(self) -> float:
        """The mean of the forecasts; nan without a case."""
        return self._mean_of(self.forecast)

    @property
    def event_rate(self) -> float:
        """The share of cases in which the class occurred, which recalibration keeps."""
        return self._mean_of(self.recalibrated)

    def _mean_of(self, values: Floats) -> float:
        return float(np.average(values, weights=self.cases)) if self.cases.sum() else float("nan")

    @property
    def levels(self) -> tuple[ReliabilityLevel, ...]:
        """The steps of the diagram, in ascending order.

        >>> curve = Reliability(np.array([0.2, 0.4, 0.8]), np.array([10, 10, 10]), np.array([4, 2, 8]))
        >>> [(level.first, level.last, level.recalibrated) for level in reliability_bands(curve).levels]
        [(0.2, 0.4, 0.3), (0.8, 0.8, 0.8)]
        """
        starts = np.flatnonzero(np.diff(self.recalibrated, prepend=-1.0))
        lasts = np.append(starts[1:], len(self.forecast)) - 1
        cases = np.add.reduceat(self.cases, starts)
        means = np.add.reduceat(self.cases * self.forecast, starts) / cases
        low, high = (np.interp(means, self.forecast, side) for side in (self.low, self.high))
        ends = self.forecast[starts], self.forecast[lasts]
        columns = (*ends, means, self.recalibrated[starts], low, high, cases)
        return tuple(map(ReliabilityLevel, *(column.tolist() for column in columns)))


def reliability_bands(
    curve: Reliability, *, level: float = 0.95, draws: int = 1000, rng: Rng = 0
) -> ReliabilityBands:
    """Find consistency bands of a reliability curve, and test calibration by Monte Carlo.

    Parameters
    ----------
    curve : Reliability
        What happened at each forecast value.
    level : float
        The share of calibrated curves inside the band, value by value.
    draws : int
        How many sets of outcomes are drawn.
    rng : int, numpy Generator or None
        The seed, or the source, of the draws.

    Returns
    -------
    ReliabilityBands

    Notes
    -----
    The bands are those of Dimitriadis, Gneiting & Jordan (2021).

    Outcomes are drawn from the forecasts themselves, hits ~ Binomial(cases, forecast), and recalibrated again
    by isotonic regression: the band is made of their quantiles. The forecasts stay as they are. The p-value
    is (1 + draws at least as miscalibrated)/(1 + draws), by the miscalibration of the Brier score; what was
    forecast with probability 0 and came true is further from calibration than any draw.

    A draw costs time in proportion to the different values. Beyond ``MAX_VALUES_REFITTED``, neighbours
    are taken together at their mean forecast, 0 and 1 apart from the others, so that no group has many of the
    cases or of the values; the test then sees miscalibration between groups, not within them.

    Examples
    --------
    >>> curve = Reliability(np.array([0.2, 0.8]), np.array([50, 50]), np.array([20, 30]))
    >>> result = reliability_bands(curve)
    >>> bool(result.recalibrated[0] > result.high[0]), result.p_value < 0.01
    (True, True)
    """
    check_level(level)
    check_whole(draws, "the number of draws", 1)
    if not len(curve.values):
        raise InputError("there are no forecasts to judge")
    pooled = pool_values(curve)
    generator = np.random.default_rng(make_seed(rng))
    hits = _draw_hits(pooled, draws, generator)
    refitted = np.stack([recalibrate(Reliability(pooled.values, pooled.cases, row)) for row in hits])
    tail = (1 - level) / 2
    low, high = np.quantile(refitted, [tail, 1 - tail], axis=0)
    parts = decompose(pooled, "brier")
    drawn = _miscalibrations(pooled, hits, refitted)
    as_far = drawn >= parts.miscalibration - MISCALIBRATION_TOLERANCE
    if contradicts_certainty(pooled):
        as_far[:] = False
    test = CalibrationTest.of(pooled, hits, drawn, parts.miscalibration, MISCALIBRATION_TOLERANCE)
    p_value = (1 + int(as_far.sum())) / (1 + draws)
    return ReliabilityBands(
        pooled.values,
        pooled.cases,
        parts.recalibrated,
        low,
        high,
        parts.miscalibration,
        p_value,
        level,
        draws,
        pooled is not curve,
        test,
    )


def _draw_hits(curve: Reliability, draws: int, generator: np.random.Generator) -> Numbers:
    """Draw outcomes as forecast; weighted cases of one value are drawn as their effective number."""
    shape = (draws, len(curve.values))
    if curve.squares is None:
        return generator.binomial(curve.cases.astype(np.int64), curve.values, size=shape)
    trials = np.maximum(np.rint(curve.effective_cases), 1).astype(np.int64)
    return np.asarray(generator.binomial(trials, curve.values, size=shape) * (curve.cases / trials))


def _miscalibrations(curve: Reliability, hits: Numbers, refitted: Floats) -> Floats:
    """Return the Brier score minus that of the refit, per draw: Σ (x − f)(n(x + f) − 2h) / Σ n."""
    change = curve.values - refitted
    lost = change * (curve.cases * (curve.values + refitted) - 2 * hits)
    return np.asarray(lost.sum(axis=1) / curve.cases.sum())


def pool_values(curve: Reliability) -> Reliability:
    """Pool neighbouring values at their mean in at most ``MAX_VALUES_REFITTED`` groups, 0 and 1 apart."""
    if len(curve.values) <= MAX_VALUES_REFITTED:
        return curve
    inner = (curve.values > 0) & (curve.values < 1)
    # Half by cases and half by values: a value of very many cases does not swallow its neighbours.
    weight = np.where(inner, curve.cases / curve.cases.sum(where=inner) + 1 / inner.sum(), 0.0)
    before = (np.cumsum(weight) - weight) * (MAX_VALUES_REFITTED / 2)
    group = np.minimum(before, MAX_VALUES_REFITTED - 1).astype(np.int64)
    group[~inner] = np.where(curve.values[~inner] > 0, MAX_VALUES_REFITTED, -1)
    starts = np.flatnonzero(np.diff(group, prepend=-2))
    return curve.together(starts)
