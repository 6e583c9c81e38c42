"""Tails of average precision by drawing from the tilted law, each order weighted by how much it was favoured.

P(W ≥ w) = E[exp(θW)] exp(−θw) · E_θ[V] with V = exp(−θ(W − w)) where W ≥ w and 0 elsewhere. V lies between 0
and 1, so Maurer and Pontil's empirical Bernstein inequality (COLT 2009, theorem 4) gives an interval for its
mean that holds with the stated probability for any number of draws, without a normal approximation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edgeworth.progress import told_rounds
from edgeworth.rankings.chance.counts import RandomOrder
from edgeworth.rankings.chance.tilting import Saddle, TiltedChain

MISTAKE = 0.005
"""The chance that one given end of the interval is wrong."""

SLACK = 1e-9
"""Rounding can only make an order count as extreme that is a hair short of it."""


@dataclass(frozen=True)
class WeightedDraws:
    """A 99% interval and the estimate, as logarithms."""

    log_low: float
    log_estimate: float
    log_high: float
    draws: int


def draws_within_seconds(most_hits: int) -> int:
    """As many orders as can be drawn in about two seconds: a hit costs some 80 ns."""
    return int(min(200_000, max(10_000, 2.5e7 / max(most_hits, 1))))


def weighted_tail(
    chain: TiltedChain, point: Saddle, threshold: float, draws: int, seed: int, *, ties: bool
) -> WeightedDraws:
    """The tail beyond the threshold, on the side of the tilt, with or without the threshold itself."""
    rng = np.random.default_rng(seed)
    sums = np.concatenate([draw_sums(chain, size, rng) for size in _rounds(draws)])
    away = math.copysign(1.0, point.tilt) * (sums - threshold)
    weights = np.where(
        away >= (-SLACK if ties else SLACK), np.exp(-abs(point.tilt) * np.maximum(away, 0.0)), 0.0
    )
    mean, variance = float(weights.mean()), float(weights.var(ddof=1))
    logarithm = math.log(2 / MISTAKE)
    half = math.sqrt(2 * variance * logarithm / draws) + 7 * logarithm / (3 * (draws - 1))
    base = point.log_bound(threshold)

    def log_end(value: float) -> float:
        return base + math.log(value) if value > 0 else -math.inf

    return WeightedDraws(log_end(mean - half), log_end(mean), min(log_end(min(mean + half, 1.0)), 0.0), draws)


def draw_sums(chain: TiltedChain, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """W of random orders under the tilted law, hit by hit from the last to the first.

    The misses before a hit multiply up, so where the next one is follows from one exponential variable and
    the running sum of −log P(miss): m steps a draw instead of n.
    """
    depth, most = chain.order.depth, chain.order.most_hits
    counts = np.searchsorted(np.cumsum(chain.last), rng.random(draws) * chain.last.sum(), side="right")
    counts = np.sort(np.minimum(counts, most))[::-1]
    ranks = np.full(draws, depth, dtype=np.int64)
    sums = np.zeros(draws)
    for i in range(most, 0, -1):
        active = int(np.searchsorted(-counts, -i, side="right"))
        if not active:
            continue
        # Rank i is certainly a hit when i hits are left for i ranks: the sum starts after it.
        chances = np.minimum(chain.hit[i + 1 : depth + 1, i], 1 - 1e-16)
        misses = np.concatenate([[0.0], np.cumsum(-np.log1p(-chances))])
        target = misses[ranks[:active] - i] - rng.exponential(size=active)
        place = i + np.searchsorted(misses, np.maximum(target, 0.0))
        sums[:active] += i / place
        ranks[:active] = place - 1
    return sums


def plain_count(order: RandomOrder, threshold: float, draws: int, seed: int, *, upper: bool) -> int:
    """How many of some random orders are beyond the threshold, or at it: W ≥ or W ≤ threshold."""
    rng = np.random.default_rng(seed)
    count = 0
    size = max(1, (1 << 20) // order.m)
    for start in told_rounds(draws, size, "draws"):
        sums = plain_sums(order, min(size, draws - start), rng)
        count += int((sums >= threshold - SLACK if upper else sums <= threshold + SLACK).sum())
    return count


def plain_sums(order: RandomOrder, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """W of random orders without a tilt. Ranks are drawn, and those drawn twice drawn again until all differ:
    no rank is treated unlike another, so every set of ranks is as likely as any other."""
    ranks = np.sort(rng.integers(1, order.n + 1, (draws, order.m)), axis=1)
    while True:
        twice = np.zeros(ranks.shape, dtype=bool)
        twice[:, 1:] = ranks[:, 1:] == ranks[:, :-1]
        many = int(twice.sum())
        if not many:
            break
        ranks[twice] = rng.integers(1, order.n + 1, many)
        changed = twice.any(axis=1)
        ranks[changed] = np.sort(ranks[changed], axis=1)
    gains = np.arange(1, order.m + 1) / ranks
    return np.asarray(np.where(ranks <= order.depth, gains, 0.0).sum(axis=1))


def _rounds(draws: int) -> list[int]:
    size = 1 << 16
    return [min(size, draws - start) for start in range(0, draws, size)]
