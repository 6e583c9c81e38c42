"""Wealth averaged over stake fractions, so that no fraction has to be chosen.

Kelly's fraction c bets as if the forecast were c·p + (1−c)·q, so a case multiplies wealth by 1 − c + c·(p/q),
where p/q is the factor of the full stake: the bettor stakes the share c of the wealth and keeps the rest.
Capital divided equally over a grid of K fractions has the mean of their wealths. The mean of e-values is an
e-value, so this is as fair a game as each of them. It is never ruined if 0 is among the fractions, and its
wealth is at least 1/K of the best fraction's. (Cover 1991, Mathematical Finance 1, 1–29.)

The logarithm of each fraction's wealth is a sum over cases, so blocks of cases merge by adding K numbers."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.common.arrays import Floats

FRACTIONS: tuple[float, ...] = tuple(k / 20 for k in range(21))
"""0, 1/20, …, 1."""

CASES_PER_PRODUCT = 16
"""Cases whose factors are multiplied before the logarithm is taken."""

MAX_LOG_FACTOR = 40.0
"""Largest log factor in such a product: 16 of e⁴⁰ are a float. The smallest, 1 − c ≥ 1e-16, is one too."""


def running_sum(log_factors: ArrayLike) -> Floats:
    """Add log factors up to each case (along the first axis). After ruin the sum stays −inf.

    >>> running_sum([0.5, -0.2, -np.inf, np.inf])
    array([ 0.5,  0.3, -inf, -inf])
    """
    logs = np.asarray(log_factors, float)
    if np.isfinite(logs).all():
        return np.asarray(np.cumsum(logs, axis=0))
    total = np.cumsum(np.where(np.isfinite(logs), logs, 0.0), axis=0)
    boundless = np.logical_or.accumulate(logs == np.inf, axis=0)
    ruined = np.logical_or.accumulate(logs == -np.inf, axis=0)
    return np.where(ruined, -np.inf, np.where(boundless, np.inf, total))


def whole_sum(log_factors: ArrayLike) -> Floats:
    """Add log factors along the first axis, as ``running_sum`` ends; −inf and +inf add up to −inf."""
    logs = np.asarray(log_factors, float)
    with np.errstate(invalid="ignore"):  # −inf and +inf meet: ruin absorbs, below
        total = logs.sum(axis=0)
    return np.where((logs == -np.inf).any(axis=0), -np.inf, total)


def fractional_logs(log_factors: ArrayLike, fractions: ArrayLike = FRACTIONS) -> Floats:
    """log(1 − c + c·exp(x)) for every log factor x and, along the last axis, every fraction c.

    >>> fractional_logs([np.log(1.5), -np.inf], [0.0, 0.5, 1.0]).round(6)
    array([[ 0.      ,  0.223144,  0.405465],
           [ 0.      , -0.693147,      -inf]])
    """
    logs, grid = np.asarray(log_factors, float), np.asarray(fractions, float)
    inner = grid[(grid > 0) & (grid < 1)]
    result = np.where(grid == 1, logs[..., None], 0.0)
    # Up to e by log1p, which keeps small gains exact; beyond, the factor itself may overflow.
    parts = np.log1p(np.expm1(np.minimum(logs, 1.0))[..., None] * inner)
    large = logs[logs > 1.0][:, None]
    parts[logs > 1.0] = large + np.log(inner + (1 - inner) * np.exp(-large))
    result[..., (grid > 0) & (grid < 1)] = parts
    return result


def sums_from(log_factors: Floats, starts: NDArray[np.int64]) -> Floats:
    """Add log factors along the last axis from each start to the next; −inf and +inf add up to −inf."""
    with np.errstate(invalid="ignore"):
        added = np.add.reduceat(log_factors, starts, axis=-1)
    if np.isfinite(added).all():
        return np.asarray(added)
    return np.where(np.logical_or.reduceat(log_factors == -np.inf, starts, axis=-1), -np.inf, added)


def fraction_sums(
    log_factors: ArrayLike, starts: NDArray[np.int64], fractions: ArrayLike = FRACTIONS
) -> Floats:
    """Compute the log wealth of each fraction (columns) over the cases from each start to the next (rows).

    Σ log(1 − c + c·w) is the logarithm of a product, so one is taken for every 16 cases, not for every
    case. The sum is off by less than 4e-16 a case.

    >>> fraction_sums(np.log([1.5, 0.5, 2.0, 1.0]), np.array([0, 2]), [0.5, 1.0]).round(6)
    array([[-0.064539, -0.287682],
           [ 0.405465,  0.693147]])
    """
    logs, grid = np.asarray(log_factors, float), np.asarray(fractions, float)
    groups = np.union1d(starts, np.arange(0, len(logs), CASES_PER_PRODUCT))
    offsets, gains = np.searchsorted(groups, starts), np.expm1(np.minimum(logs, MAX_LOG_FACTOR))
    result = np.empty((len(starts), grid.size))
    for index, fraction in enumerate(grid):
        if fraction == 1:
            result[:, index] = sums_from(logs, starts)
        else:
            products = np.multiply.reduceat(1 + fraction * gains, groups)
            result[:, index] = np.add.reduceat(np.log(products), offsets)
    ends = np.append(starts[1:], len(logs))
    for run in np.flatnonzero(np.maximum.reduceat(logs, starts) > MAX_LOG_FACTOR):
        result[run] = whole_sum(fractional_logs(logs[starts[run] : ends[run]], grid))
    return result


def log_average(sums: ArrayLike) -> Floats:
    """log of the mean over the last axis of exp(sums): the log wealth of capital divided equally.

    >>> float(log_average([0.0, np.log(3.0)]).round(6))
    0.693147
    """
    logs = np.asarray(sums, float)
    top = logs.max(axis=-1, keepdims=True)
    # A row of −inf or one with +inf is its own maximum.
    anchor = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(over="ignore", divide="ignore"):
        average = np.log(np.exp(logs - anchor).mean(axis=-1)) + anchor[..., 0]
    return np.asarray(np.where(np.isfinite(top[..., 0]), average, top[..., 0]))


Score: TypeAlias = Literal["brier", "log"]


def kappa(probabilities: ArrayLike, rivals: ArrayLike, *, score: Score) -> tuple[Floats, Floats]:
    """κ and 1 − κ, each to full precision; p where p = q.

    >>> [part.round(6) for part in kappa([0.75, 0.001], [0.25, 0.5], score="log")]
    [array([0.5     , 0.100213]), array([0.5     , 0.899787])]
    """
    p, q = np.asarray(probabilities, float), np.asarray(rivals, float)
    if score == "brier":
        return np.asarray((p + q) / 2), np.asarray(((1 - p) + (1 - q)) / 2)
    low, high = np.minimum(p, q), np.maximum(p, q)
    gain, loss = _log_ratio(high, low, high - low), _log_ratio(1 - low, 1 - high, high - low)
    with np.errstate(invalid="ignore"):  # 0/0 where p = q; ∞/∞ where 0 meets 1
        below, above = loss / (gain + loss), gain / (gain + loss)
    below = np.where(np.isinf(loss), 1.0, np.where(np.isinf(gain), 0.0, below))
    above = np.where(np.isinf(gain), 1.0, np.where(np.isinf(loss), 0.0, above))
    middle = (low == 0) & (high == 1)
    below, above = np.where(middle, 0.5, below), np.where(middle, 0.5, above)
    is_point = low == high
    # Rounding may not carry κ past p: the bet would then be on the wrong side.
    return (
        np.where(is_point, p, np.clip(below, low, high)),
        np.where(is_point, 1 - p, np.clip(above, 1 - high, 1 - low)),
    )


def score_log_factors(
    outcomes: ArrayLike, probabilities: ArrayLike, rivals: ArrayLike, *, score: Score
) -> Floats:
    """Log of the factor of each case: between log ½ and +inf, 0 where p = q.

    >>> np.exp(score_log_factors([1, 0, 1], [0.8, 0.8, 0.5], [0.4, 0.4, 0.5], score="brier")).round(6)
    array([1.166667, 0.75    , 1.      ])
    """
    p, q, happened = np.asarray(probabilities, float), np.asarray(rivals, float), np.asarray(outcomes)
    price, complement = kappa(p, q, score=score)
    # π/κ = ½ + p/(2κ) = 1 + (p−κ)/(2κ), and the like for the complement. 0/0 is the model's own certainty.
    with np.errstate(divide="ignore", invalid="ignore"):
        yes = np.where(p > 0, np.log1p((p - price) / (2 * price)), np.log(0.5))
        no = np.where(p < 1, np.log1p((price - p) / (2 * complement)), np.log(0.5))
    opposite = np.abs(p - q) == 1 if score == "log" else np.zeros(p.shape, bool)
    idle = (p == q) | opposite
    return np.where(idle, 0.0, np.where(happened == 1, yes, no))


def _log_ratio(large: Floats, small: Floats, difference: Floats) -> Floats:
    """Return log(large/small), computed from the difference of close values to keep digits."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = np.log1p(difference / small)
        return np.where(large < 2 * small, near, np.log(large) - np.log(small))
