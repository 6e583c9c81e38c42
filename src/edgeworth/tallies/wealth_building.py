"""From forecasts and prices to blocks of a path: the log factors and the sums of every case."""

from __future__ import annotations

import numpy as np

from edgeworth.bet.fractional import FRACTIONS, fractional_logs
from edgeworth.bet.score_bets import score_log_factors
from edgeworth.tallies.forecast_columns import Forecasts
from edgeworth.tallies.forecast_scores import case_scores
from edgeworth.tallies.joint import Floats
from edgeworth.tallies.wealth_blocks import Blocks

PIECE = 1 << 15
"""Cases whose sums are worked out at once."""


def built_blocks(
    forecasts: Forecasts, rival: Forecasts, prices: Floats, staked: Floats, realised: Floats, first: int
) -> Blocks:
    """The path in blocks, a piece at a time: what is kept of a case is wide, and few are kept singly."""
    end, total = first + len(realised), Blocks.empty()
    for start in range(0, len(realised), PIECE):
        rows = slice(start, start + PIECE)
        mine, its, factors = forecasts[rows], rival[rows], staked[rows]
        logs = np.stack([mine.of_truth(factors), *_henzi(mine, its)], axis=1)
        sums = _sums(mine, its, prices[rows], factors)
        piece = Blocks.of_cases(logs, fractional_logs(realised[rows], FRACTIONS), sums, first + start)
        total = total + piece.coarsened(end)
    return total


def at_fraction(logs: Floats, stake: float) -> Floats:
    """Log factors when only a fraction of Kelly's stake is bet."""
    shape = logs.shape
    return fractional_logs(logs.ravel(), [stake])[:, 0].reshape(shape)


def _henzi(forecasts: Forecasts, rival: Forecasts) -> list[Floats]:
    """Bets on the score itself, of two classes; with more classes there is none, and the bet is idle."""
    if forecasts.size != 2:
        return [np.zeros(len(forecasts.codes))] * 2
    p, q = forecasts.probabilities[:, 1], rival.probabilities[:, 1]
    return [score_log_factors(forecasts.codes, p, q, score=score) for score in ("brier", "log")]


def _sums(forecasts: Forecasts, rival: Forecasts, prices: Floats, logs: Floats) -> Floats:
    """The sums of each case, in the order of ``SUMS``."""
    mine, its = (case_scores(each, ("brier", "log")) for each in (forecasts, rival))
    with np.errstate(invalid="ignore"):
        brier, log = its - mine
    p = forecasts.probabilities
    growth = log_mean_factor(p, logs)
    moments = [*_moments(p, logs), *_moments(prices, logs), growth]
    return np.stack([*moments, brier, brier**2, log, log**2], axis=1)


def log_mean_factor(chances: Floats, logs: Floats) -> Floats:
    """log Σ_k chance_k · factor_k of each case; what cannot happen does not count."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.log(np.where(chances > 0, chances * np.exp(logs), 0.0).sum(axis=1)))


def _moments(chances: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of the log factor of each case under some probabilities; 0 times −inf is 0."""
    with np.errstate(invalid="ignore"):
        terms = np.where(chances > 0, chances * logs, 0.0)
        mean = terms.sum(axis=1)
        square = np.where(chances > 0, chances * logs**2, 0.0).sum(axis=1)
        # Where ruin (or boundless wealth) can happen, the logarithm has no variance to speak of.
        mean = np.where(np.isnan(mean), -np.inf, mean)
        return mean, np.where(np.isfinite(mean), np.maximum(0.0, square - mean**2), np.inf)
