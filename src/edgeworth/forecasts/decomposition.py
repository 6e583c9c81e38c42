"""Why a score is what it is: miscalibration, discrimination and uncertainty, by isotonic regression (CORP).

Dimitriadis, Gneiting & Jordan 2021: the forecasts are recalibrated by the pool-adjacent-violators algorithm,
which needs no bins. Score = miscalibration − discrimination + uncertainty, each part at least 0 to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgeworth.arrays import Values
from edgeworth.core.threads import row_blocks
from edgeworth.errors import OptionError
from edgeworth.forecasts.calibration import Reliability

BLOCK = 1 << 16
"""Forecast values gone through at once."""


@dataclass(frozen=True)
class Decomposition:
    """A mean score in its three parts, and the recalibrated probability at each forecast value."""

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    recalibrated: Values


def recalibrate(curve: Reliability) -> Values:
    """The probability that fits best at each forecast value and never falls as the forecast rises."""
    if not len(curve.values):
        return np.zeros(0)
    from scipy.optimize import isotonic_regression

    found = isotonic_regression(curve.hits / curve.cases, weights=curve.cases)
    starts = found.blocks[:-1]
    # The counts of each level say its share to the last digit.
    shares = np.add.reduceat(curve.hits, starts) / np.add.reduceat(curve.cases, starts)
    return np.repeat(shares, np.diff(found.blocks))


def decompose(curve: Reliability, score: str, *, fitted: Values | None = None) -> Decomposition:
    """A class's Brier or log score (of its own event) in its parts; ``fitted`` is ``recalibrate(curve)``.

    >>> curve = Reliability(np.array([0.2, 0.8]), np.array([10, 10]), np.array([2, 8]))
    >>> parts = decompose(curve, "brier")
    >>> round(parts.score, 4), round(parts.miscalibration, 4), round(parts.discrimination, 4)
    (0.16, 0.0, 0.09)
    """
    if score not in ("brier", "log"):
        raise OptionError(f'a score with a decomposition is "brier" or "log"; saw {score!r}')
    fitted = recalibrate(curve) if fitted is None else fitted
    total = int(curve.cases.sum())
    # The share of all cases, at every forecast value, without a copy for each.
    base = np.broadcast_to(curve.hits.sum() / max(total, 1), curve.values.shape)
    own, best, flat = (_mean_score(curve, values, score) for values in (curve.values, fitted, base))
    return Decomposition(own, own - best, flat - best, flat, fitted)


def _mean_score(curve: Reliability, values: Values, score: str) -> float:
    total = int(curve.cases.sum())
    if not total:
        return float("nan")
    blocks = row_blocks(len(values), BLOCK)
    return (
        sum(_sum_scores(curve.hits[rows], curve.cases[rows], values[rows], score) for rows in blocks) / total
    )


def _sum_scores(hits: Values, cases: Values, values: Values, score: str) -> float:
    misses = cases - hits
    if score == "brier":
        return float((hits * (1 - values) ** 2 + misses * values**2).sum())
    from scipy.special import xlog1py, xlogy

    # Where nothing came true (or failed), 0 times the log of 0 is 0.
    return float(-(xlogy(hits, values) + xlog1py(misses, -values)).sum())
