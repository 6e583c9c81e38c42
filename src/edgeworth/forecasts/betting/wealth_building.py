"""From forecasts and prices to blocks of a path: the log factors and the sums of every case."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from edgeworth.arrays import Floats, Integers
from edgeworth.bet.fractional import fractional_logs, run_fraction_sums
from edgeworth.bet.score_bets import score_log_factors
from edgeworth.core.threads import in_order
from edgeworth.forecasts.betting.wealth_blocks import Blocks, grid_of
from edgeworth.forecasts.betting.wealth_times import is_tied, timed_blocks
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import case_scores

PIECE = 1 << 14
"""Cases whose sums are worked out at once: within 3% of the fastest of 2^13 to 2^17 measured, and smaller."""


def built_blocks(
    forecasts: Forecasts,
    rival: Forecasts,
    prices: Floats,
    staked: Callable[[slice], Floats],
    realised: Floats,
    first: int,
    times: Integers | None = None,
) -> Blocks:
    """The path in blocks, a piece at a time: what is kept of a case is wide, and few are kept singly.

    With ``times``, in ascending order, no block ends between two cases of one time.
    """
    end = first + len(realised)
    grid = grid_of(end)

    def cases_of(rows: slice) -> tuple[Floats, Floats]:
        mine, its, factors = forecasts[rows], rival[rows], staked(rows)
        logs = np.stack([mine.of_truth(factors), *_henzi(mine, its)])
        return logs, _sums(mine, its, prices[rows], factors)

    if times is not None and is_tied(times):
        return timed_blocks(cases_of, realised, times, first)

    def run_of(rows: slice) -> Blocks:
        logs, sums = cases_of(rows)
        # A run is whole cells of the grid, or a piece of one.
        length = min(grid, rows.stop - rows.start)
        fractions = run_fraction_sums(realised[rows].reshape(-1, length))
        return Blocks.of_runs(logs.T, fractions, sums.T, first + rows.start, length)

    return Blocks.end_to_end(in_order(run_of, _even_runs(first, end, grid))).coarsened(end)


def _even_runs(first: int, end: int, grid: int) -> list[slice]:
    """Rows from position ``first`` to ``end`` in pieces, cells that are cut short by themselves.

    >>> _even_runs(3, 20, 8)
    [slice(0, 5, None), slice(5, 13, None), slice(13, 17, None)]
    """
    whole, last = min(end, -(-first // grid) * grid), max(first, end // grid * grid)
    edges = {first, whole, max(whole, last), end}
    # Pieces start at multiples of their length, and so at a cell or within one.
    edges.update(range(-(-first // PIECE) * PIECE, end, PIECE))
    return [slice(start - first, stop - first) for start, stop in pairwise(sorted(edges))]


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
    """The sums of each case, a row for each of ``SUMS``."""
    mine, its = (case_scores(each, ("brier", "log")) for each in (forecasts, rival))
    with np.errstate(invalid="ignore"):
        brier, log = its - mine
    p, q, by_class = (np.ascontiguousarray(table.T) for table in (forecasts.probabilities, prices, logs))
    moments = [*_moments(p, by_class), *_moments(q, by_class), _log_mean_factor(p, by_class)]
    moments.append(_log_mean_factor(q, by_class / 2))
    return np.stack([*moments, brier, brier**2, log, log**2])


def _log_mean_factor(chances: Floats, logs: Floats) -> Floats:
    """log Σ_k chance_k · factor_k of each case; what cannot happen does not count."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms = np.exp(logs)
        terms *= chances
        if not np.isfinite(terms).all():
            terms = np.where(chances > 0, terms, 0.0)
        return np.asarray(np.log(terms.sum(axis=0)))


def _moments(chances: Floats, logs: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, variance and third absolute central moment of the log factor of each case; 0 times −inf is 0.

    A row is a class, a column a case: whole rows are added at once.
    """
    with np.errstate(invalid="ignore"):
        terms = chances * logs
        mean, square = terms.sum(axis=0), np.multiply(terms, logs, out=terms).sum(axis=0)
        if np.isfinite(square).all():
            return mean, np.maximum(0.0, square - mean**2), _third(chances, logs, mean)
        mean = np.where(chances > 0, chances * logs, 0.0).sum(axis=0)
        square = np.where(chances > 0, chances * logs**2, 0.0).sum(axis=0)
        # Where ruin (or boundless wealth) can happen, the logarithm has no variance to speak of.
        mean = np.where(np.isnan(mean), -np.inf, mean)
        finite = np.isfinite(mean)
        third = _third(chances, np.where(chances > 0, logs, 0.0), np.where(finite, mean, 0.0))
        variance = np.where(finite, np.maximum(0.0, square - mean**2), np.inf)
        return mean, variance, np.where(finite, third, np.inf)


def _third(chances: Floats, logs: Floats, mean: Floats) -> Floats:
    """E|log factor − mean|³ of each case."""
    off = np.abs(logs - mean)
    cubes = off * off
    cubes *= off
    cubes *= chances
    return np.asarray(cubes.sum(axis=0))
