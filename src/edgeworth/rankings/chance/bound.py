"""Certified bounds of tails of average precision for lists too long to go through rank by rank.

If h(t) ≤ a(t) at every t, no hit comes earlier than along the path a, so W = Σ i/T_i is at most W(a). Hence
P(W ≥ w) ≤ Σ_t P(h(t) > a(t)) for any path with W(a) < w, over some hundreds of ranks t if hits in between are
taken to come right after the rank before. Each term is below exp(−t·KL(a/t ‖ m/n)) (Hoeffding 1963, which
holds for sampling without replacement), and the path is the one on which all terms are equal.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from edgeworth.arrays import Floats
from edgeworth.rankings.chance.counts import RandomOrder

SINGLE = 100
"""Ranks taken one by one; the further ones in steps of one part in a hundred."""


def log_path_bound(order: RandomOrder, threshold: float) -> float:
    """log of a bound of P(W ≥ threshold); 0 where this says nothing.

    >>> log_path_bound(RandomOrder(10**6, 10**4, 10**6), 5000.0) < -1000
    True
    """
    ranks = _ranks(order.depth)

    def enough(level: float) -> bool:
        return largest_sum(ranks, path(order, ranks, level)) < threshold * (1 - 1e-9)

    low, high = 0.0, float(order.n)
    if not enough(low):
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2 if low > 1 else math.sqrt((low + 1e-3) * high)
        low, high = (middle, high) if enough(middle) else (low, middle)
    return min(0.0, math.log(len(ranks)) - low)


def log_cantelli(distance: float, deviation: float) -> float:
    """log of the one-sided Chebyshev bound 1/(1 + z²), from the exact mean and variance."""
    return -math.log1p((distance / deviation) ** 2) if distance > 0 else 0.0


def path(order: RandomOrder, ranks: Floats, level: float) -> Floats:
    """At each rank the most hits with t·KL(hits/t ‖ m/n) below the level, or all there can be."""
    share = order.m / order.n
    most = np.minimum(ranks, order.m)
    low, high = np.minimum(ranks * share, most), most
    for _ in range(60):
        middle = (low + high) / 2
        below = ranks * _divergence(middle / ranks, share) < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    # The next whole number has to be beyond: the number below a hair less than the solution.
    return np.asarray(np.where(high >= most, most, np.floor(high * (1 + 1e-12) + 1e-9)))


def largest_sum(ranks: Floats, hits: Floats) -> float:
    """W along a path: between two ranks, hits come one after the other right after the first of them."""
    before, after = np.concatenate([[0.0], hits[:-1]]), np.maximum.accumulate(hits)
    misses = np.maximum(np.concatenate([[0.0], ranks[:-1]]) - before, 0.0)
    gained = np.maximum(after - before, 0.0)
    sums = gained - misses * (
        scipy.special.digamma(after + misses + 1) - scipy.special.digamma(before + misses + 1)
    )
    return float(np.where(gained > 0, sums, 0.0).sum())


def _divergence(x: Floats, share: float) -> Floats:
    """Kullback and Leibler's divergence of two coins."""
    return np.asarray(scipy.special.rel_entr(x, share) + scipy.special.rel_entr(1 - x, 1 - share))


def _ranks(depth: int) -> Floats:
    further = np.geomspace(SINGLE, max(depth, SINGLE), max(2, int(100 * math.log(max(depth / SINGLE, 1.1)))))
    every = np.concatenate([np.arange(1, SINGLE), np.round(further), [depth]])
    return np.unique(every[every <= depth]).astype(np.float64)
