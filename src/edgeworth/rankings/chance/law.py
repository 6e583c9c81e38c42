"""The law of average precision when the order is random."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import SupportsIndex, get_args

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.choices import Over
from edgeworth.core.tails import Tail
from edgeworth.errors import InputError, OptionError, check_seed
from edgeworth.rankings.chance.bracket import characteristic_function, checkpoints
from edgeworth.rankings.chance.exact import TooMany, value_counts
from edgeworth.rankings.chance.hits import ExactMoments, RandomOrder, check_counts, whole_number
from edgeworth.rankings.chance.moments import MOST_EXACT, Moments, precision_moments
from edgeworth.rankings.chance.tails import MOST_CELLS, MOST_RANKS, Method, precision_tail
from edgeworth.rankings.chance.tilting import tilted_chain

MOST_STATES = 1_000_000
BINS = 200


@dataclass(frozen=True, eq=False)
class Distribution:
    """Values and their probabilities. ``width`` is None for single values, otherwise the width of a bin."""

    values: Floats
    probabilities: Floats
    width: float | None
    method: str
    exact: tuple[tuple[Fraction, Fraction], ...] | None = None


def precision_distribution(order: RandomOrder, divisor: int, moments: Moments) -> Distribution:
    """Counted if possible, else from the characteristic function, else Edgeworth's density."""
    try:
        if order.cells > MOST_CELLS:
            raise TooMany
        return _count_values(order, divisor)
    except TooMany:
        pass
    mean, deviation = float(moments.mean), math.sqrt(float(moments.variance))
    skewness = float(moments.third) / deviation**3 if deviation else 0.0
    low = max(0.0, mean - 5 * deviation)
    high = min(float(order.most_hits), mean + (6 + 4 * min(max(skewness, 0.0), 3.0)) * deviation)
    width = (high - low) / BINS
    middles = np.asarray(low + width * (np.arange(BINS) + 0.5), dtype=np.float64)
    if order.cells <= MOST_CELLS and order.depth <= MOST_RANKS:
        density = _invert(order, middles, width)
        method = "binned from the characteristic function, smoothed by a normal as wide as a bin"
    else:
        z = (middles - mean) / deviation
        density = np.exp(-z * z / 2) * np.maximum(1 + skewness * (z**3 - 3 * z) / 6, 0.0)
        method = "binned, Edgeworth's density, an approximation"
    density = np.maximum(density, 0.0)
    return Distribution(middles / divisor, density / density.sum(), width / divisor, method)


def _count_values(order: RandomOrder, divisor: int) -> Distribution:
    values, ways = value_counts(order, MOST_STATES)
    total = sum(ways)
    exact = tuple((value / divisor, Fraction(many, total)) for value, many in zip(values, ways, strict=True))
    return Distribution(
        np.array([float(value) for value, _ in exact]),
        np.array([float(probability) for _, probability in exact]),
        None,
        f"exact, {len(exact):,} values",
        exact,
    )


def _invert(order: RandomOrder, middles: Floats, width: float) -> Floats:
    """The density of W plus a normal error of one bin's width, by Fourier's series over twice the range."""
    period = 2 * width * len(middles)
    count = math.ceil(6 * period / (2 * math.pi * width))
    angles = 2 * np.pi * np.arange(count, dtype=np.float64) / period
    chain = tilted_chain(order, 0.0)
    band = chain.band(frozenset(checkpoints(order.depth)))
    values, _ = characteristic_function(chain, band, angles, np.full(count, 1e-7))
    smooth = values * np.exp(-((angles * width) ** 2) / 2)
    smooth[1:] *= 2
    return np.asarray((smooth[None, :] * np.exp(-1j * np.outer(middles, angles))).real.sum(axis=1))


NEAREST = Fraction(1, 10**12)
"""A float means the nearest attainable value within this distance."""


@dataclass(frozen=True)
class AveragePrecisionLaw(ExactMoments):
    """AP = Σ_{i: T_i ≤ depth} i/T_i divided by the targets, for m targets among n items in random order.

    Source: Su & Zhang, with mean and variance in closed form. ``over="targets"`` divides by m, as trec_eval's
    map_cut does; ``over="reachable"`` by min(depth, m).
    """

    n: int
    m: int
    depth: int
    over: Over = "targets"

    @property
    def share(self) -> float:
        """The share of targets among the items, m/n."""
        return self.m / self.n

    @property
    def divisor(self) -> int:
        """What the sum of precisions is divided by."""
        return self.m if self.over == "targets" else min(self.m, self.depth)

    @cached_property
    def _ranking(self) -> RandomOrder:
        return RandomOrder(self.n, self.m, self.depth)

    @cached_property
    def _moments(self) -> Moments:
        return precision_moments(self.n, self.m, self.depth)

    @cached_property
    def _exact(self) -> Moments:
        if self.depth > MOST_EXACT:
            raise InputError(
                f"moments as fractions are kept for up to {MOST_EXACT} ranks, here are {self.depth}; "
                "mean and variance are there as floats"
            )
        return precision_moments(self.n, self.m, self.depth, exact=True)

    @property
    def exact_mean(self) -> Fraction:
        """E[AP] as a fraction, for up to 3000 ranks."""
        return self._exact.mean / self.divisor

    @property
    def exact_variance(self) -> Fraction:
        """Var(AP) as a fraction, for up to 3000 ranks."""
        return self._exact.variance / self.divisor**2

    @property
    def mean(self) -> float:
        """E[AP]: above m/n, by (n−m)(H−1)/(n(n−1)) when the whole list counts."""
        return float(self._moments.mean / self.divisor)

    @property
    def variance(self) -> float:
        """Var(AP)."""
        return float(self._moments.variance / self.divisor**2)

    @property
    def skewness(self) -> float:
        """E[(AP − mean)³]/sd³; nan where AP is always the same."""
        if self._moments.variance < Fraction(1, 10**40):
            return math.nan
        return float(self._moments.third) / math.sqrt(self._moments.variance) ** 3

    def tail(self, value: float | Fraction, *, method: Method | None = None, seed: int = 0) -> Tail:
        """P(AP ≥ value), by the strongest method that fits into a few seconds, or by the one asked for.

        "exact" counts orders; "bracket" is certified; "tilted" draws with a 99% interval; "edgeworth" and
        "normal" are approximations; "bound" is a certified upper bound for lists of any length. For a test
        use ``p_value``: the exact tail, or the upper end of a bracket or an interval, which is too small
        once in 200 times with draws and never otherwise; only an approximation can err unnoticed.

        >>> tail = average_precision(100, 10).tail(0.4)
        >>> tail.kind, round(tail.low, 4), round(tail.high, 4)
        ('bracket', 0.0016, 0.0016)
        """
        return self._find_tail(value, method, seed, upper=True)

    def lower_tail(self, value: float | Fraction, *, method: Method | None = None, seed: int = 0) -> Tail:
        """P(AP ≤ value), found like ``tail``."""
        return self._find_tail(value, method, seed, upper=False)

    def distribution(self) -> Distribution:
        """Every value and its probability when they are few enough to count, otherwise bins to draw."""
        return precision_distribution(self._ranking, self.divisor, self._moments)

    def _find_tail(self, value: float | Fraction, method: Method | None, seed: int, *, upper: bool) -> Tail:
        check_seed(seed)
        if method is not None and method not in get_args(Method):
            known = ", ".join(get_args(Method))
            raise OptionError(f"a tail of average precision is found by one of {known}; saw {method!r}")
        if isinstance(value, Fraction | int):
            exact = Fraction(value)
        elif isinstance(value, (float, np.floating)) and math.isfinite(value):
            exact = Fraction(value) + (-NEAREST if upper else NEAREST)
        else:
            raise InputError(f"average precision is a number between 0 and 1; saw {value!r}")
        return precision_tail(
            self._ranking, exact * self.divisor, self._moments, method=method, seed=seed, upper=upper
        )


def average_precision(
    n: SupportsIndex, m: SupportsIndex, *, depth: SupportsIndex | None = None, over: Over = "targets"
) -> AveragePrecisionLaw:
    """The law of average precision when m targets among n items are ranked at random.

    A ``depth`` beyond the list means the whole list.

    >>> law = average_precision(20, 5)
    >>> law.tail(0.6).exact, law.tail(0.6).method
    (Fraction(50, 969), 'exact, all 15,504 orders')
    >>> average_precision(5, 2).exact_mean, average_precision(5, 2).exact_variance
    (Fraction(237, 400), Fraction(63769, 1440000))
    >>> average_precision(3000, 245).tail(0.112).kind
    'bracket'
    """
    items, targets = check_counts(n, m)
    if targets == 0:
        raise InputError("average precision is undefined without targets; there have to be some")
    ranks = items if depth is None else min(whole_number(depth, "the depth", 1), items)
    if over not in get_args(Over):
        raise OptionError(f'average precision is divided over "targets" or "reachable"; saw {over!r}')
    return AveragePrecisionLaw(items, targets, ranks, over)
