"""Tests of calibration, and what they could have detected.

Spiegelhalter's z is the Brier score minus its mean under calibration, in standard errors:

    z = Σ (y − p)(1 − 2p) / √Σ p(1 − p)(1 − 2p)²

(Spiegelhalter 1986, Statistics in Medicine 5, 421–433). It detects forecasts that are too extreme or too
timid. Calibration in the large, Σ (y − p)/√Σ p(1 − p), detects forecasts that are too high or too low. CORP's
miscalibration detects any shape, with less power against these two. The combined test takes the smallest of
the three p-values and compares it with the smallest p-values of outcomes drawn from the forecasts. So it is
valid for any number of cases, rare events and forecasts near 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from edgeworth.common.arrays import Floats, Numbers
from edgeworth.core.sampling_distributions import (
    Alternative,
    NormalLaw,
    SamplingLaw,
    Scale,
    bisect,
)
from edgeworth.core.test_results import TestResult
from edgeworth.forecasts.calibration import Reliability
from edgeworth.forecasts.policy import (
    DETECTION_POWER,
    MAX_OVERCONFIDENCE_CONSIDERED,
    SPIEGELHALTER_DRAWS,
)
from edgeworth.forecasts.recalibration import contradicts_certainty, uncertain_part

Weights: TypeAlias = Floats

STATISTIC_TOLERANCE = 1e-9
"""Statistics closer than this, in standard errors, are the same."""

DETECTION_DRAWS = 300
"""Sets of outcomes drawn to find the power of the test: a power of 0.8 is known to ±0.023."""

MIN_EXCESS_CONSIDERED = 1e-4
"""Log odds that are too extreme by a smaller share do not matter."""

EXCESS_PRECISION = 0.02
"""How closely, on a log scale, the smallest overconfidence that would be detected is searched for."""


def spiegelhalter_weights(values: Floats) -> Weights:
    """Weigh a case by how much its error changes the Brier score: 1 − 2p."""
    return 1 - 2 * values


def standardise(curve: Reliability, hits: Numbers, weights: Weights) -> Floats:
    """Compute Σ w (hits − cases · p) in standard errors under calibration; 0 if it cannot vary.

    >>> curve = Reliability(np.array([0.2]), np.array([100]), np.array([30]))
    >>> float(standardise(curve, curve.hits, np.ones(1)))
    2.5
    """
    errors = (hits - curve.cases * curve.values) @ weights
    scale = _scale(curve, weights)
    return np.asarray(errors / scale if scale > 0 else np.zeros_like(errors))


def _scale(curve: Reliability, weights: Weights) -> float:
    """Compute the standard error of Σ w (hits − cases · p) under calibration."""
    cases = curve.cases if curve.squares is None else curve.squares.sum(axis=0)
    return math.sqrt(float(cases * curve.values * (1 - curve.values) @ weights**2))


def spiegelhalter_scale(curve: Reliability) -> float:
    """Compute the standard error of Spiegelhalter's sum under calibration, the denominator of his z."""
    return _scale(curve, spiegelhalter_weights(curve.values))


def spiegelhalter_z(curve: Reliability) -> float:
    """Compute Spiegelhalter's z.

    >>> curve = Reliability(np.array([0.1, 0.9]), np.array([50, 50]), np.array([10, 40]))
    >>> round(spiegelhalter_z(curve), 4)
    3.3333
    """
    return float(standardise(curve, curve.hits, spiegelhalter_weights(curve.values)))


def can_spiegelhalter_vary(curve: Reliability) -> bool:
    """Return whether some forecast is neither 0, ½ nor 1."""
    return bool(np.any((curve.values > 0) & (curve.values < 1) & (curve.values != 0.5)))


def spiegelhalter_law(curve: Reliability) -> SamplingLaw:
    """Return the law of z over new cases: normal, with the spread of the observed terms (y − p)(1 − 2p).

    The spread is at least that of calibrated forecasts: 1. If few events occurred, the observed one can be
    nearly 0, and the interval would exclude a z of 0 that the test does not reject.
    """
    weights = spiegelhalter_weights(curve.values)
    misses, cases = curve.cases - curve.hits, float(curve.cases.sum())
    terms = np.stack([weights * (1 - curve.values), -weights * curve.values])
    counts = np.stack([curve.hits, misses])
    mean = float((counts * terms).sum()) / cases
    spread = float((counts * (terms - mean) ** 2).sum())
    error = max(1.0, math.sqrt(spread) / spiegelhalter_scale(curve))
    return NormalLaw(spiegelhalter_z(curve), error, Scale())


def spiegelhalter_test(curve: Reliability, alternative: Alternative, seed: int) -> TestResult:
    """Test calibration by Spiegelhalter's z, with outcomes drawn from the forecasts."""
    weights = spiegelhalter_weights(curve.values)
    generator = np.random.default_rng(seed)
    drawn = np.concatenate(
        [
            standardise(curve, generator.binomial(curve.cases.astype(np.int64), curve.values, shape), weights)
            for shape in _blocks(SPIEGELHALTER_DRAWS, len(curve.values))
        ]
    )
    observed = spiegelhalter_z(curve)
    sides = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}
    side = sides[alternative]
    count = int((side(drawn) >= side(observed) - STATISTIC_TOLERANCE).sum())
    if contradicts_certainty(curve):
        count = 0
    return TestResult.from_draws(count, SPIEGELHALTER_DRAWS, seed, "sets of outcomes drawn as forecast")


def _blocks(draws: int, values: int) -> list[tuple[int, int]]:
    """Divide draws into blocks of some millions of numbers."""
    size = max(1, min(draws, 2_000_000 // max(values, 1)))
    return [(min(size, draws - start), values) for start in range(0, draws, size)]


COMPONENTS = ("miscalibration", "spiegelhalter_z", "in_the_large")


@dataclass(frozen=True, eq=False)
class CalibrationTest:
    """The combined test of calibration of one class.

    ``p_value`` is that of the smallest of ``p_values``, which are those of CORP's miscalibration, of
    Spiegelhalter's z and of calibration in the large, each by itself.
    """

    p_value: float
    p_values: dict[str, float]
    draws: int
    curve: Reliability
    orders: Floats
    """The order of each draw, ascending: the rank of its smallest p-value, then by its larger statistic."""
    statistics: dict[str, Floats]
    """The drawn absolute statistics of Spiegelhalter's z and calibration in the large, ascending."""

    @classmethod
    def of(
        cls,
        curve: Reliability,
        drawn_hits: Numbers,
        drawn_miscalibration: Floats,
        miscalibration: float,
        tolerance: float,
    ) -> CalibrationTest:
        """Combine the tests, given outcomes drawn as forecast and their miscalibration."""
        ones = np.ones_like(curve.values)
        weights = {"spiegelhalter_z": spiegelhalter_weights(curve.values), "in_the_large": ones}
        statistics = {
            name: (abs(standardise(curve, drawn_hits, w)), abs(float(standardise(curve, curve.hits, w))))
            for name, w in weights.items()
        }
        compared = [(drawn_miscalibration, miscalibration, tolerance)]
        compared += [(*both, STATISTIC_TOLERANCE) for both in statistics.values()]
        # The observed outcomes are one of the sets, the first: all of them are alike under calibration.
        ranks = np.stack([_upper_shares(np.append(seen, drawn), near) for drawn, seen, near in compared])
        draws = len(drawn_miscalibration)
        # Sets with the same smallest p-value are ordered by the larger one of their two statistics.
        larger = np.max([np.append(seen, drawn) for drawn, seen in statistics.values()], axis=0)
        orders = np.rint(ranks.min(axis=0) * (1 + draws)) + _upper_shares(larger, STATISTIC_TOLERANCE) - 1
        p_value = float((orders <= orders[0] + STATISTIC_TOLERANCE).mean())
        p_values = dict(zip(COMPONENTS, ranks[:, 0].tolist(), strict=True))
        if contradicts_certainty(curve):
            p_value = 1 / (1 + draws)
            p_values = dict.fromkeys(COMPONENTS, p_value)
        drawn_statistics = {name: np.sort(drawn) for name, (drawn, _) in statistics.items()}
        return cls(p_value, p_values, draws, curve, np.sort(orders[1:]), drawn_statistics)

    def detectable_overconfidence(self, alpha: float, power: float = DETECTION_POWER) -> float | None:
        """Find how many times too extreme log odds must be to be detected with a probability, or None.

        The combined test rejects at ``alpha`` if a single p-value is small enough. So the power of
        Spiegelhalter's z and calibration in the large, found by drawing outcomes, is a lower bound.
        """
        inner = uncertain_part(self.curve)
        sets = 1 + self.draws
        # The test rejects if at most this many draws come first.
        as_small = int(alpha * sets + STATISTIC_TOLERANCE) - 1
        if as_small < 0 or not len(inner.values):
            return None
        # A single p-value lies below the limit if at most this many drawn statistics are as large.
        as_large = min(math.floor(float(self.orders[min(as_small, self.draws - 1)])), self.draws) - 1
        if as_large < 0:
            return None
        critical = {name: float(drawn[-1 - as_large]) for name, drawn in self.statistics.items()}

        def is_found(log_excess: float) -> bool:
            return _power(inner, critical, 1 + math.exp(log_excess)) >= power

        least, most = math.log(MIN_EXCESS_CONSIDERED), math.log(MAX_OVERCONFIDENCE_CONSIDERED - 1)
        if not is_found(most):
            return None
        return 1 + math.exp(bisect(is_found, least, most, tolerance=EXCESS_PRECISION))


def _upper_shares(statistics: Floats, tolerance: float) -> Floats:
    """Return for each statistic the share of all that are as large."""
    ascending = np.sort(statistics)
    smaller = np.searchsorted(ascending, statistics - tolerance)
    return np.asarray(1 - smaller / len(statistics))


def _power(curve: Reliability, critical: Mapping[str, float], times: float) -> float:
    """Find how often a statistic exceeds its critical value if log odds are too extreme.

    Outcomes are drawn: if few events can occur, a normal approximation finds power where there is none.
    """
    from scipy.special import expit, logit

    true = expit(logit(curve.values) / times)
    shape = (DETECTION_DRAWS, len(true))
    hits = np.random.default_rng(0).binomial(curve.cases.astype(np.int64), true, size=shape)
    weights = {
        "spiegelhalter_z": spiegelhalter_weights(curve.values),
        "in_the_large": np.ones_like(curve.values),
    }
    is_large = [
        np.abs(standardise(curve, hits, weights[name])) > limit + STATISTIC_TOLERANCE
        for name, limit in critical.items()
    ]
    return float(np.any(is_large, axis=0).mean())
