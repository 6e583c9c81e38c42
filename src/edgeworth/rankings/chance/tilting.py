"""Random orders made to favour targets at the top: the law tilted by exp(θ W), W = m·AP.

Read backwards, from the last rank to the first, chance is simple: if i of the first k ranks are hits, rank k
is one with probability i/k, and adds i/k to W. So f(k, i) = E[exp(θ W_k) | h(k) = i] obeys
f(k, i) = (i/k) exp(θ i/k) f(k−1, i−1) + (1 − i/k) f(k−1, i). Only ratios f(k, i)/f(k, i−1) are kept: they
are sums of positive terms and neither overflow nor vanish, however far out the tail is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats
from edgeworth.core.test_results import hypergeometric_range, step_up
from edgeworth.rankings.chance.hits import RandomOrder

LARGEST_EXPONENT = 600.0
"""One more hit multiplies f(k, i) by at most exp(θ(2 + log i)), which must stay a float."""

NEGLIGIBLE_STATE_PROBABILITY = 1e-18
"""States less likely than this under the tilted law are left out, and their mass is added up."""


@dataclass(frozen=True)
class Band:
    """The states (k, i) the tilted order passes through: i from ``lows[k]`` to ``highs[k]``, and the mass
    that leaves it. ``centres[k]`` is the mean of h(k), ``laws[k]`` its law at the ranks asked for."""

    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    centres: Floats
    laws: dict[int, Floats]
    lost: float


@dataclass(frozen=True)
class TiltedChain:
    """The tilted law as a chain from the last rank to the first: log E[exp(θ W)] and chances of a hit."""

    order: RandomOrder
    tilt: float
    log_transform: float
    hit: Floats
    """``hit[k, i]``: the probability that rank k is a hit, given that i of the first k are."""
    last: Floats
    """The law of the number of hits within the depth."""

    def band(self, ranks: frozenset[int]) -> Band:
        """Compute the states that the chain reaches, with the law of h(k) at some ranks."""
        depth = self.order.depth
        lows, highs = np.zeros(depth + 1, dtype=np.int64), np.zeros(depth + 1, dtype=np.int64)
        centres, laws = np.zeros(depth + 1), dict[int, Floats]()
        number = np.arange(len(self.last), dtype=np.float64)
        law, lost = self.last.copy(), 0.0
        low, high = 0, len(law) - 1
        for k in range(depth, -1, -1):
            part = law[low : high + 1]
            indices = np.flatnonzero(part > NEGLIGIBLE_STATE_PROBABILITY)
            lost += float(part[: indices[0]].sum() + part[indices[-1] + 1 :].sum())
            part[: indices[0]] = 0.0
            part[indices[-1] + 1 :] = 0.0
            low, high = low + int(indices[0]), low + int(indices[-1])
            lows[k], highs[k] = low, high
            centres[k] = law[low : high + 1] @ number[low : high + 1]
            if k in ranks:
                laws[k] = law[low : high + 1].copy()
            if k:
                moving = law[low : high + 1] * self.hit[k, low : high + 1]
                law[low : high + 1] -= moving
                first = max(low - 1, 0)
                law[first:high] += moving[first + 1 - low :]
                low = first
        return Band(lows, highs, centres, laws, lost)


def log_hits_law(order: RandomOrder) -> Floats:
    """log P(i hits within the depth), for i = 0 … most_hits: hypergeometric."""
    n, m, depth = order.n, order.m, order.depth
    low, high = hypergeometric_range(n, m, depth)
    i = np.arange(low, high, dtype=np.float64)
    logs = np.concatenate([[0.0], np.cumsum(np.log(step_up(n, m, depth, i)))])
    return np.concatenate([np.full(low, -np.inf), logs - scipy.special.logsumexp(logs)])


def log_transforms(order: RandomOrder, tilts: Floats) -> Floats:
    """log E[exp(θ W)] for several θ in one pass over the list.

    >>> result = log_transforms(RandomOrder(2, 1, 2), np.array([1.0]))[0]
    >>> bool(np.isclose(result, np.log((np.e + np.e**0.5) / 2)))
    True
    """
    theta = np.asarray(tilts, dtype=np.float64)[:, None]
    ratios = np.ones((len(tilts), order.most_hits + 1))
    for k in range(1, order.depth + 1):
        _, ratios = _step(theta, ratios, k)
    logs = np.cumsum(np.log(ratios), axis=1)
    return np.asarray(scipy.special.logsumexp(logs + log_hits_law(order), axis=1))


def tilted_chain(order: RandomOrder, tilt: float) -> TiltedChain:
    """Make the chain for one θ, with its table of hit probabilities."""
    theta = np.array([[tilt]])
    hit = np.zeros((order.depth + 1, order.most_hits + 1))
    ratios = np.ones((1, order.most_hits + 1))
    for k in range(1, order.depth + 1):
        chances, ratios = _step(theta, ratios, k)
        hit[k, : chances.shape[1]] = chances[0]
    logs = np.cumsum(np.log(ratios[0])) + log_hits_law(order)
    log_transform = float(scipy.special.logsumexp(logs))
    return TiltedChain(order, tilt, log_transform, hit, np.exp(logs - log_transform))


def _step(theta: Floats, ratios: Floats, k: int) -> tuple[Floats, Floats]:
    """Step from rank k − 1 to k: tilted P(hit at k | i) for i = 0 … min(k, hits), and f(k, i)/f(k, i−1).

    The ratio at i = 0 is f(k, 0) = 1. There is no state with i > k, and the ratio stays 1.
    """
    top = min(k, ratios.shape[1] - 1) + 1
    share = np.arange(top) / k
    gain = share * np.exp(theta * share)
    stay = 1.0 - share
    # Both relative to f(k−1, i−1); for i = 0 only the second term exists, relative to f(k−1, 0).
    by_hit = gain[:, 1:]
    by_miss = stay[1:] * ratios[:, 1:top]
    total = by_hit + by_miss
    chances = np.zeros_like(gain)
    chances[:, 1:] = by_hit / total
    # f(k, i−1)/f(k−1, i−1): what was reached by missing, over the chance of a miss.
    before = np.empty_like(total)
    before[:, 0] = 1.0
    before[:, 1:] = stay[1 : top - 1] + gain[:, 1:-1] / ratios[:, 1 : top - 1]
    following = ratios.copy()
    following[:, 1:top] = total / before
    return chances, following


@dataclass(frozen=True)
class Saddle:
    """The tilt that moves the mean of W to the threshold, and how the law spreads there."""

    tilt: float
    log_transform: float
    spread: float
    slopes: Floats
    """Some other tilts, and"""
    logs: Floats
    """log E[exp(θ W)] at them: for Chernoff's bounds."""

    def reach(self, sign: float, log_tolerance: float, threshold: float) -> float:
        """Find how far beyond the threshold, on one side, the tilted law has less than exp(log_tolerance)."""
        moved = sign * (self.slopes - self.tilt)
        useful = moved > 0
        away = moved[useful]
        logs = self.logs[useful] - self.log_transform - sign * away * threshold
        return float(np.min((logs - log_tolerance) / away))

    def log_bound(self, threshold: float) -> float:
        """Chernoff's bound of the tail beyond the threshold."""
        return self.log_transform - self.tilt * threshold


def saddle(order: RandomOrder, threshold: float, mean: float, deviation: float) -> Saddle:
    """Find the tilt for P(W ≥ threshold) when that is above the mean, for P(W ≤ threshold) when below.

    log E[exp(θ W)] − θ·threshold is convex, so two rounds of values side by side find its least.
    """
    sign = 1.0 if threshold >= mean else -1.0
    # The largest |θ| that is sure not to overflow.
    limit = LARGEST_EXPONENT / (2 + float(np.log(order.most_hits)))
    steepest = min(limit / 2, max(8.0, 24 * abs(threshold - mean) / deviation**2))
    wide = np.geomspace(min(0.03 / deviation, steepest / 4), steepest, 12)
    heights = log_transforms(order, sign * wide) - sign * wide * threshold
    best = int(np.argmin(heights))
    # Near the mean the least tilt is none; a steeper one that costs little makes the period shorter.
    useful = np.flatnonzero((heights <= heights[best] + 0.5) & (wide <= 0.7 / deviation))
    low = max(wide[max(best - 1, 0)], wide[useful[-1]] if len(useful) else 0.0)
    sizes = np.linspace(low, max(wide[min(best + 1, len(wide) - 1)], 1.2 * low), 8)
    logs = log_transforms(order, sign * sizes)
    best = int(np.argmin(logs - sign * sizes * threshold))
    size, log_transform = float(sizes[best]), float(logs[best])
    middle = min(max(best, 1), len(sizes) - 2)
    bend = (logs[middle - 1] - 2 * logs[middle] + logs[middle + 1]) / (sizes[1] - sizes[0]) ** 2
    spread = float(np.sqrt(max(bend, 1e-4 * deviation**2)))
    steps = np.array([-7.0, -5.0, -3.0, -1.5, 1.5, 3.0, 5.0, 7.0]) / spread
    slopes = np.clip(sign * size + steps, -limit, limit)
    return Saddle(sign * size, log_transform, spread, slopes, log_transforms(order, slopes))
