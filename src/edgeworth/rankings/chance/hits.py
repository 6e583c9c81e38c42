"""Random orders: hits at a cut, ranks of hits, and the counts that all laws of chance share.

Targets fall on ranks at random, every set of ranks as likely as any other. Source: Su & Zhang; the hits are
hypergeometric exactly, not binomial, and average precision's mean is above the share of targets."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from operator import index
from typing import SupportsIndex

import numpy as np
import scipy
from numpy.typing import NDArray

from edgeworth.common.arrays import MAX_EXACT_INTEGER, Floats
from edgeworth.common.progress import track_rounds
from edgeworth.core.sampling_distributions import check_level
from edgeworth.core.test_results import (
    TestResult,
    hypergeometric_range,
    hypergeometric_tails,
    log_choose,
    step_up,
)
from edgeworth.errors import InputError
from edgeworth.rankings.policy import MAX_RELATIVE_EDGEWORTH_CORRECTION


def edgeworth_tail(z: float, skewness: float) -> tuple[float, float]:
    """P(standardised sum ≥ z) ≈ 1 − Φ(z) + φ(z) γ (z² − 1)/6, and the size of the terms left out.

    Those are φ(z)(κ₄(z³ − 3z)/24 + γ²(z⁵ − 10z³ + 15z)/72); κ₄ is put at 3γ²/2, as for a Gamma law.

    >>> value, error = edgeworth_tail(2.0, 0.1)
    >>> round(value, 6), round(error, 6)
    (0.02545, 0.000229)
    """
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    value = float(scipy.special.ndtr(-z)) + density * skewness * (z * z - 1) / 6
    peak, tail = 1.5 * abs(z**3 - 3 * z) / 24, abs(z**5 - 10 * z**3 + 15 * z) / 72
    return min(max(value, 0.0), 1.0), density * skewness**2 * (peak + tail + 0.05)


def is_trustworthy(z: float, skewness: float) -> bool:
    """Return whether the correction is small against what it corrects, also in the tail: |γ z³|/6."""
    return abs(skewness) * (abs(z) ** 3 + 1) / 6 <= MAX_RELATIVE_EDGEWORTH_CORRECTION


class ExactMoments(ABC):
    """Mean, variance and standard deviation as floats, of a law that has them as fractions."""

    @property
    @abstractmethod
    def exact_mean(self) -> Fraction:
        """The mean as a fraction."""

    @property
    @abstractmethod
    def exact_variance(self) -> Fraction:
        """The variance as a fraction."""

    @property
    def mean(self) -> float:
        return float(self.exact_mean)

    @property
    def variance(self) -> float:
        return float(self.exact_variance)

    @property
    def standard_deviation(self) -> float:
        return math.sqrt(self.variance)


@dataclass(frozen=True)
class HitsLaw(ExactMoments):
    """The hits among the first t of n items, m of them targets, in random order: hypergeometric."""

    n: int
    m: int
    t: int

    @property
    def exact_mean(self) -> Fraction:
        """t·m/n."""
        return Fraction(self.t * self.m, self.n)

    @property
    def exact_variance(self) -> Fraction:
        """t π(1 − π)(n − t)/(n − 1), π = m/n."""
        if self.n == 1:
            return Fraction(0)
        n, m, t = self.n, self.m, self.t
        return Fraction(t * m * (n - m) * (n - t), n * n * (n - 1))

    def covariance(self, depth: int) -> float:
        """Compute the covariance with the hits at another depth: s π(1 − π)(n − t)/(n − 1) for depths s ≤ t.

        >>> round(hits(3000, 245, 100).covariance(200), 4)
        7.0021
        """
        other = whole_number(depth, f"a depth in a list of {self.n} items", 1, self.n)
        first, second = sorted((self.t, other))
        share = Fraction(self.m * (self.n - self.m), self.n * self.n * max(self.n - 1, 1))
        return float(first * (self.n - second) * share)

    @property
    def range(self) -> tuple[int, int]:
        """The fewest and the most hits there can be."""
        return hypergeometric_range(self.n, self.m, self.t)

    def probability(self, h: int) -> float:
        """P(h hits) = C(m, h) C(n − m, t − h)/C(n, t)."""
        low, high = self.range
        if not low <= h <= high:
            return 0.0
        return binomial_quotient([(self.m, h), (self.n - self.m, self.t - h)], (self.n, self.t))

    def tail(self, h: float) -> TestResult:
        """P(at least h hits); a mean over ties may be a fraction, which only more hits reach."""
        least = _whole(h, math.ceil)
        if least > self.range[1]:
            return TestResult.from_fraction(Fraction(0), "impossible")
        return TestResult.from_probability(hypergeometric_tails(self.n, self.m, self.t, least)[1])

    def lower_tail(self, h: float) -> TestResult:
        """P(at most h hits)."""
        most = _whole(h, math.floor)
        if most < self.range[0]:
            return TestResult.from_fraction(Fraction(0), "impossible")
        return TestResult.from_probability(hypergeometric_tails(self.n, self.m, self.t, most)[0])

    def interval(self, level: float = 0.95) -> tuple[int, int]:
        """Compute the exact range of hits that leaves out at most (1 − level)/2 on either side.

        >>> hits(3000, 245, 100).interval(0.95)
        (3, 14)
        """
        check_level(level)
        # A probability of exactly the level may be cut off, whatever rounding says.
        beyond = (1 - level) / 2 * (1 + 1e-9)
        low, high = self.range
        # What lies further out is far below any level that can be asked for.
        reach = 40 * self.standard_deviation + 40
        low, high = max(low, math.floor(self.mean - reach)), min(high, math.ceil(self.mean + reach))
        counts = np.arange(low, high + 1, dtype=np.float64)
        logs = np.concatenate([[0.0], np.cumsum(np.log(step_up(self.n, self.m, self.t, counts[:-1])))])
        chances = np.exp(logs - logs.max())
        chances /= chances.sum()
        below, above = np.cumsum(chances), np.cumsum(chances[::-1])[::-1]
        first = int(np.argmax(below > beyond))
        last = int(np.flatnonzero(above > beyond)[-1])
        return low + first, low + last


@dataclass(frozen=True)
class HitRankLaw(ExactMoments):
    """The rank T_j of the j-th hit: P(T_j = k) = C(k−1, j−1) C(n−k, m−j)/C(n, m)."""

    n: int
    m: int
    j: int

    @property
    def exact_mean(self) -> Fraction:
        """j(n + 1)/(m + 1)."""
        return Fraction(self.j * (self.n + 1), self.m + 1)

    @property
    def exact_variance(self) -> Fraction:
        """j(m + 1 − j)(n + 1)(n − m)/((m + 1)²(m + 2))."""
        return _covariance(self.n, self.m, self.j, self.j)

    @property
    def range(self) -> tuple[int, int]:
        """The first and the last rank the j-th hit can have."""
        return self.j, self.n - self.m + self.j

    def probability(self, k: int) -> float:
        """P(T_j = k)."""
        low, high = self.range
        if not low <= k <= high:
            return 0.0
        return binomial_quotient([(k - 1, self.j - 1), (self.n - k, self.m - self.j)], (self.n, self.m))

    def tail(self, k: int) -> TestResult:
        """P(T_j ≥ k): fewer than j hits among the first k − 1."""
        before = whole_number(k, "a rank", -math.inf) - 1
        return HitsLaw(self.n, self.m, min(max(before, 0), self.n)).lower_tail(self.j - 1)

    def lower_tail(self, k: int) -> TestResult:
        """P(T_j ≤ k): at least j hits among the first k."""
        upto = whole_number(k, "a rank", -math.inf)
        return HitsLaw(self.n, self.m, min(max(upto, 0), self.n)).tail(self.j)


@dataclass(frozen=True)
class JointHitRankLaw:
    """The ranks of the i-th and the j-th hit together, i < j."""

    n: int
    m: int
    i: int
    j: int

    def probability(self, s: int, t: int) -> float:
        """P(T_i = s, T_j = t) = C(s−1, i−1) C(t−s−1, j−i−1) C(n−t, m−j)/C(n, m)."""
        if s < self.i or t - s < self.j - self.i or self.n - t < self.m - self.j:
            return 0.0
        pairs = [(s - 1, self.i - 1), (t - s - 1, self.j - self.i - 1), (self.n - t, self.m - self.j)]
        return binomial_quotient(pairs, (self.n, self.m))

    @property
    def exact_covariance(self) -> Fraction:
        """i(m + 1 − j)(n + 1)(n − m)/((m + 1)²(m + 2))."""
        return _covariance(self.n, self.m, self.i, self.j)

    @property
    def covariance(self) -> float:
        return float(self.exact_covariance)


def hits(n: SupportsIndex, m: SupportsIndex, t: SupportsIndex) -> HitsLaw:
    """Compute the distribution of the number of hits among the first t of n items in random order.

    Parameters
    ----------
    n : int
        The number of items.
    m : int
        The number of targets.
    t : int
        The number of items reviewed.

    Returns
    -------
    HitsLaw
        ``mean``, ``variance`` and ``tail(hits)``, the probability of at least this many.

    Examples
    --------
    >>> law = hits(3000, 245, 100)
    >>> round(law.mean, 4), round(law.tail(20).p_value, 7)
    (8.1667, 0.0001117)
    """
    items, targets = check_counts(n, m)
    return HitsLaw(items, targets, whole_number(t, f"the cut in a list of {items} items", 1, items))


def hit_rank(n: SupportsIndex, m: SupportsIndex, j: SupportsIndex) -> HitRankLaw:
    """Compute the distribution of the rank of the j-th of m hits among n items in random order.

    Parameters
    ----------
    n : int
        The number of items.
    m : int
        The number of targets.
    j : int
        Which hit, from 1 to m.

    Returns
    -------
    HitRankLaw
        ``probability(rank)``, ``mean`` and, as a fraction, ``exact_mean``.

    Examples
    --------
    >>> hit_rank(10, 3, 1).exact_mean, hit_rank(10, 3, 1).probability(1)
    (Fraction(11, 4), 0.3)
    """
    items, targets = check_counts(n, m)
    return HitRankLaw(items, targets, _which(j, targets))


def joint_hit_ranks(
    n: SupportsIndex, m: SupportsIndex, i: SupportsIndex, j: SupportsIndex
) -> JointHitRankLaw:
    """Compute the joint distribution of the ranks of the i-th and the j-th hit in a random order.

    Parameters
    ----------
    n : int
        The number of items.
    m : int
        The number of targets.
    i, j : int
        Which hits, i < j.

    Returns
    -------
    JointHitRankLaw
        ``probability(first rank, second rank)``.

    Examples
    --------
    >>> round(joint_hit_ranks(5, 2, 1, 2).probability(1, 5), 12)
    0.1
    """
    items, targets = check_counts(n, m)
    first, second = _which(i, targets), _which(j, targets)
    if first >= second:
        raise InputError(f"the first hit must come before the second; saw {first} and {second}")
    return JointHitRankLaw(items, targets, first, second)


def _which(j: SupportsIndex, targets: int) -> int:
    if targets == 0:
        raise InputError("there are no targets, so no hit has a rank")
    return whole_number(j, f"which of the {targets} hits", 1, targets)


def _covariance(n: int, m: int, i: int, j: int) -> Fraction:
    return Fraction(i * (m + 1 - j) * (n + 1) * (n - m), (m + 1) ** 2 * (m + 2))


def _whole(number: float, rounded: Callable[[float], int]) -> int:
    if not math.isfinite(number):
        raise InputError(f"the number of hits must be finite; saw {number!r}")
    return rounded(number)


MAX_ITEMS_OF_EXACT_BINOMIALS = 5000
"""The longest list whose binomials are multiplied out; beyond, logarithms of factorials lose some digits."""


@dataclass(frozen=True)
class RandomOrder:
    """n items, m targets, of which the first ``depth`` ranks count."""

    n: int
    m: int
    depth: int

    @property
    def most_hits(self) -> int:
        """The most hits there can be within the depth."""
        return min(self.m, self.depth)

    @property
    def cells(self) -> int:
        """Pairs of rank and number of hits: what one pass over the list costs."""
        return self.depth * (self.most_hits + 1)


def random_ranks(items: int, targets: int, draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw the ranks of the targets in random orders, one order per row, ascending.

    Ranks drawn twice are drawn again until all differ: no rank is treated unlike another, so every set of
    ranks is as likely as any other. Where that takes long, whole orders are shuffled.
    """
    if 4 * targets > items:
        orders = rng.permuted(np.tile(np.arange(1, items + 1), (draws, 1)), axis=1)
        return np.sort(orders[:, :targets], axis=1)
    ranks = np.sort(rng.integers(1, items + 1, (draws, targets)), axis=1)
    while True:
        twice = np.diff(ranks, axis=1, prepend=0) == 0
        if not twice.any():
            return ranks
        ranks[twice] = rng.integers(1, items + 1, int(twice.sum()))
        changed = twice.any(axis=1)
        ranks[changed] = np.sort(ranks[changed], axis=1)


def random_sums(order: RandomOrder, draws: int, seed: int) -> Iterator[Floats]:
    """Draw W = m·AP of random orders, many at a time."""
    rng = np.random.default_rng(seed)
    size = max(1, (1 << 20) // order.m)
    for start in track_rounds(draws, size, "draws"):
        ranks = random_ranks(order.n, order.m, min(size, draws - start), rng)
        gains = np.arange(1, order.m + 1) / ranks
        yield np.where(ranks <= order.depth, gains, 0.0).sum(axis=1)


def whole_number(value: SupportsIndex, name: str, least: float, most: int | None = None) -> int:
    """Return a number, or raise an error unless it is whole and within its limits.

    >>> whole_number(3, "the rank", 1, 5)
    3
    """
    try:
        number = index(value)
    except TypeError:
        raise InputError(f"{name} must be a whole number; saw {value!r}") from None
    if isinstance(value, bool) or number < least or (most is not None and number > most):
        limits = f"at least {least}" if most is None else f"between {least} and {most}"
        raise InputError(f"{name} must be {limits}; saw {value!r}")
    return number


def check_counts(n: SupportsIndex, m: SupportsIndex) -> tuple[int, int]:
    """Check the numbers of items and targets: 1 ≤ n ≤ 2^53 and 0 ≤ m ≤ n."""
    items = whole_number(n, "the number of items", 1)
    if items > MAX_EXACT_INTEGER:
        raise InputError(f"there are at most {MAX_EXACT_INTEGER} items")
    return items, whole_number(m, f"the number of targets among {items} items", 0, items)


def binomial_quotient(above: list[tuple[int, int]], below: tuple[int, int]) -> float:
    """Binomials multiplied, over one other.

    >>> binomial_quotient([(3, 1), (2, 1)], (5, 2))
    0.6
    """
    if below[0] <= MAX_ITEMS_OF_EXACT_BINOMIALS:
        return float(Fraction(math.prod(comb(*pair) for pair in above), comb(*below)))
    return math.exp(min(0.0, sum(log_choose(*pair) for pair in above) - log_choose(*below)))
