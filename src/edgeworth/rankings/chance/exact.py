"""Tails and law of average precision counted exactly: every order, with those that agree taken together.

Ranks are enumerated from the top. What matters of the past is how many hits there were and what they added
to W = Σ i/T_i, a whole number once multiplied by the least common multiple of the ranks. Orders sure to
reach the threshold, and orders that no longer can, are counted at once and not followed further; so is the
place of the last target. That is enough for short lists everywhere, and for long ones far out in the tail."""

from __future__ import annotations

import math
from fractions import Fraction
from math import ceil, comb, floor, lcm, perm
from typing import TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats
from edgeworth.rankings.chance.hits import RandomOrder

LARGEST_INTEGER = 1 << 62
MAX_STATES = 6_000_000
"""States enumerated before giving up, some tenths of a second with machine integers."""

COST_OF_STATE_IN_BIG_INTEGERS = 100
"""The cost of a state whose numbers do not fit into machine integers, relative to one whose numbers do."""

MAX_RANKS_OF_COMMON_MULTIPLE = 5000
"""Ranks whose least common multiple is still worth computing."""

Integers: TypeAlias = NDArray[np.int64] | NDArray[np.object_]
"""int64, or Python's integers where those would overflow."""
States = dict[int, tuple[Integers, Integers]]


class TooMany(Exception):  # noqa: N818  # a signal between two functions, never seen by a user
    """There are more states than can be enumerated."""


class _Counter:
    """The numbers every step needs."""

    def __init__(self, order: RandomOrder, most: int) -> None:
        if order.depth > MAX_RANKS_OF_COMMON_MULTIPLE:
            raise TooMany
        self.order, self.most, self.work = order, most, 0
        self.unit = lcm(*range(1, order.depth + 1))
        self.values = np.int64 if self.unit * (order.m + 1) < LARGEST_INTEGER else object
        most_ways = order.depth * comb(order.depth, min(order.most_hits, order.depth // 2))
        self.ways = np.int64 if most_ways < LARGEST_INTEGER else object
        self._best: dict[int, list[int]] = {}

    def spend(self, states: int) -> None:
        self.work += states * (1 if self.values is np.int64 else COST_OF_STATE_IN_BIG_INTEGERS)
        if self.work > self.most:
            raise TooMany

    def start(self) -> States:
        return {0: (np.array([0], dtype=self.values), np.array([1], dtype=self.ways))}

    def chance(self, k: int, i: int) -> Fraction:
        """Return the probability of one given order of i hits and k − i misses on the first k ranks."""
        n, m = self.order.n, self.order.m
        return Fraction(perm(m, i) * perm(n - m, k - i), perm(n, k))

    def most_to_come(self, k: int, i: int) -> int:
        """Return the gain of hits at the very next ranks, from partial sums stored by number of misses."""
        misses, m, depth = k - i, self.order.m, self.order.depth
        if misses not in self._best:
            last = max(min(m, depth - misses), 0)
            sums = [0] * (last + 1)
            for hit in range(last, 0, -1):
                sums[hit - 1] = sums[hit] + hit * self.unit // (hit + misses)
            self._best[misses] = sums
            self.spend(len(sums) // 8)
        sums = self._best[misses]
        return sums[i] if i < len(sums) else 0

    def least_to_come(self) -> list[int]:
        """Return, for each number of hits so far, the gain of the remaining hits at the last ranks."""
        n, m, depth = self.order.n, self.order.m, self.order.depth
        forced = max(0, m - (n - depth))
        sums = [0] * (m + 1)
        for i in range(forced - 1, -1, -1):
            rank = depth - (forced - 1 - i)
            sums[i] = sums[i + 1] + (i + 1) * self.unit // rank
        return sums


def probability_beyond(order: RandomOrder, threshold: Fraction, *, strictly: bool = False) -> Fraction:
    """P(W ≥ threshold), or P(W > threshold).

    >>> probability_beyond(RandomOrder(20, 5, 20), Fraction(3))
    Fraction(50, 969)
    """
    counter = _Counter(order, MAX_STATES)
    needed = floor(threshold * counter.unit) + 1 if strictly else ceil(threshold * counter.unit)
    if needed <= 0:
        return Fraction(1)
    least = counter.least_to_come()
    states, counts, complete = counter.start(), dict[tuple[int, int], int](), 0
    for k in range(order.depth + 1):
        open_states: States = {}
        for i, state in states.items():
            sure, ends, (values, counts_of_values) = _decide(
                counter, state, k, i, needed, least[min(i, len(least) - 1)]
            )
            counts[k, i] = sure
            complete += ends
            if len(values):
                open_states[i] = (values, counts_of_values)
        if not open_states:
            break
        states = _next_rank(counter, open_states, k + 1)
    probability = sum(
        (count * counter.chance(k, i) for (k, i), count in counts.items() if count), Fraction(0)
    )
    return probability + (Fraction(complete, comb(order.n, order.m)) if complete else 0)


def value_counts(order: RandomOrder, most: int = MAX_STATES) -> tuple[list[Fraction], list[int]]:
    """Count how often each value of W occurs among all orders of the first ranks.

    >>> value_counts(RandomOrder(3, 2, 3))
    ([Fraction(7, 6), Fraction(5, 3), Fraction(2, 1)], [2, 2, 2])
    """
    counter = _Counter(order, most)
    states, n, m, depth = counter.start(), order.n, order.m, order.depth
    for k in range(depth):
        states = _next_rank(counter, states, k + 1)
    totals: dict[int, int] = {}
    for i, (values, counts) in states.items():
        orders = perm(m, i) * perm(n - m, depth - i)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            totals[value] = totals.get(value, 0) + count * orders
    ordered = sorted(value for value, count in totals.items() if count)
    return [Fraction(value, counter.unit) for value in ordered], [totals[value] for value in ordered]


def _decide(
    counter: _Counter, state: tuple[Integers, Integers], k: int, i: int, needed: int, least: int
) -> tuple[int, int, tuple[Integers, Integers]]:
    """Count the orders of the first k ranks and the whole orders that are decided, and keep open states."""
    values, counts = state
    order = counter.order
    counter.spend(len(values))
    sure = values + least >= needed
    count = int(counts[sure].sum()) if sure.any() else 0
    is_open = ~sure & (values + counter.most_to_come(k, i) >= needed)
    values, counts = values[is_open], counts[is_open]
    if i == order.m - 1 and len(values):
        # The last target may be anywhere from rank k + 1 to where m/T still makes up for what is missing.
        places = np.minimum((order.m * counter.unit) // (needed - values), order.depth) - k
        return count, int((np.maximum(places, 0) * counts).sum()), (values[:0], counts[:0])
    return count, 0, (values, counts)


def _next_rank(counter: _Counter, states: States, k: int) -> States:
    """Return the states after rank k: a miss leaves them, a hit adds i/k."""
    n, m = counter.order.n, counter.order.m
    arriving: dict[int, list[tuple[Integers, Integers]]] = {}
    for i, (values, counts) in states.items():
        counter.spend(len(values))
        if n - k >= m - i:
            arriving.setdefault(i, []).append((values, counts))
        if i < m:
            arriving.setdefault(i + 1, []).append((values + (i + 1) * (counter.unit // k), counts))
    return {i: _merge_states(parts) for i, parts in arriving.items()}


def _merge_states(parts: list[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    """Merge the states with equal values."""
    if len(parts) == 1:
        return parts[0]
    values, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    return values[starts], np.add.reduceat(counts, starts)


MAX_SINGLE_RANKS = 100
"""Ranks taken one by one; the further ones in steps of one part in a hundred."""


def log_path_bound(order: RandomOrder, threshold: float) -> float:
    """Compute the log of a bound of P(W ≥ threshold); 0 if the bound is 1.

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


def path(order: RandomOrder, ranks: Floats, level: float) -> Floats:
    """Find at each rank the most hits with t·KL(hits/t ‖ m/n) below the level, or all there can be.

    KL is Kullback and Leibler's divergence of two coins.
    """
    share = order.m / order.n
    most = np.minimum(ranks, order.m)
    low, high = np.minimum(ranks * share, most), most
    for _ in range(60):
        middle = (low + high) / 2
        x = middle / ranks
        divergence = scipy.special.rel_entr(x, share) + scipy.special.rel_entr(1 - x, 1 - share)
        below = ranks * divergence < level
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


def _ranks(depth: int) -> Floats:
    further = np.geomspace(
        MAX_SINGLE_RANKS,
        max(depth, MAX_SINGLE_RANKS),
        max(2, int(100 * math.log(max(depth / MAX_SINGLE_RANKS, 1.1)))),
    )
    every = np.concatenate([np.arange(1, MAX_SINGLE_RANKS), np.round(further), [depth]])
    return np.unique(every[every <= depth]).astype(np.float64)
