"""The law of average precision when the order is random."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import SupportsIndex, get_args

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.common.choices import Over
from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.core.test_results import TestResult
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.chance.exact import TooMany, value_counts
from edgeworth.rankings.chance.hits import ExactMoments, RandomOrder, check_counts, random_sums, whole_number
from edgeworth.rankings.chance.moments import MAX_ITEMS_OF_EXACT_SUMS, Moments, precision_moments
from edgeworth.rankings.chance.tails import MAX_CELLS, Method, Question
from edgeworth.rankings.policy import MAX_SKEWNESS_FOR_EDGEWORTH_DENSITY

MAX_STATES_ENUMERATED = 1_000_000
BINS_OF_DISTRIBUTION = 50
MAX_TARGETS_OF_DENSITY, MAX_RANKS_DRAWN_FOR_DENSITY, MAX_DRAWS = 10_000, 2_000_000, 20_000
PROBABILITY_LEFT_OUT_AT_ENDS = 0.0005
"""Probability at either end that bins of draws leave out: it would be lower than a line is thick."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """Bins with their probabilities; bins of no width are single values, which ``exact`` has as fractions."""

    low: Floats
    high: Floats
    probability: Floats
    method: str
    exact: tuple[tuple[Fraction, Fraction], ...] | None = None


def _count_values(order: RandomOrder, divisor: int) -> Distribution:
    if order.cells > MAX_CELLS:
        raise TooMany
    values, counts = value_counts(order, MAX_STATES_ENUMERATED)
    total = sum(counts)
    exact = tuple(
        (value / divisor, Fraction(count, total)) for value, count in zip(values, counts, strict=True)
    )
    single, chances = np.array(exact, dtype=np.float64).T
    return Distribution(single, single, chances, f"exact, {len(exact):,} values", exact)


def _draw_values(order: RandomOrder, divisor: int, seed: int) -> Distribution:
    draws = min(MAX_RANKS_DRAWN_FOR_DENSITY // order.m, MAX_DRAWS)
    values = np.concatenate(list(random_sums(order, draws, seed))) / divisor
    low, high = np.quantile(values, [PROBABILITY_LEFT_OUT_AT_ENDS, 1 - PROBABILITY_LEFT_OUT_AT_ENDS])
    heights, edges = np.histogram(values, bins=BINS_OF_DISTRIBUTION, range=(low, high))
    return Distribution(edges[:-1], edges[1:], heights / draws, f"{draws:,} random orders, seed {seed}")


NEAREST = Fraction(1, 10**12)
"""A float means the nearest attainable value within this distance."""


@dataclass(frozen=True)
class AveragePrecisionLaw(RandomOrder, ExactMoments):
    """AP = Σ_{i: T_i ≤ depth} i/T_i divided by the targets, for m targets among n items in random order.

    Source: Su & Zhang, with mean and variance in closed form. ``over="targets"`` divides by m, as trec_eval's
    map_cut does; ``over="reachable"`` by min(depth, m).
    """

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
    def _moments(self) -> Moments:
        return precision_moments(self.n, self.m, self.depth)

    @cached_property
    def _exact(self) -> Moments:
        if self.depth > MAX_ITEMS_OF_EXACT_SUMS:
            raise InputError(
                f"exact moments are available for up to {MAX_ITEMS_OF_EXACT_SUMS} ranks; this list has "
                f"{self.depth}. Use mean and variance, which are floats"
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

    def tail(self, value: float | Fraction, *, method: Method | None = None, rng: Rng = 0) -> TestResult:
        """P(AP ≥ value), by the strongest method that takes at most a few seconds, or by the requested one.

        "exact" counts orders; "bracket" is proven; "drawn" has a 99% interval; "edgeworth" is an
        approximation; "bound" is a proven upper bound for lists of any length. For a test use ``p_value``:
        the exact tail, the upper end of a bracket, or (1 + count)/(1 + draws); only an approximation can err
        unnoticed.

        >>> tail = average_precision(100, 10).tail(0.4)
        >>> tail.kind, round(tail.low, 4), round(tail.high, 4)
        ('bracket', 0.0016, 0.0016)
        """
        return self._find_tail(value, method, make_seed(rng), upper=True)

    def lower_tail(
        self, value: float | Fraction, *, method: Method | None = None, rng: Rng = 0
    ) -> TestResult:
        """P(AP ≤ value), found like ``tail``."""
        return self._find_tail(value, method, make_seed(rng), upper=False)

    def distribution(self, rng: Rng = 0) -> Distribution:
        """Compute the probability of every value if they are few enough to count, otherwise of bins.

        Their probabilities are those of Edgeworth's density where the law is nearly normal, of draws
        elsewhere.
        """
        try:
            return _count_values(self, self.divisor)
        except TooMany:
            if self.skewness > MAX_SKEWNESS_FOR_EDGEWORTH_DENSITY and self.m <= MAX_TARGETS_OF_DENSITY:
                return _draw_values(self, self.divisor, make_seed(rng))
        spread = self.standard_deviation
        low = max(0.0, self.mean - 4.5 * spread)
        high = min(self.most_hits / self.divisor, self.mean + 5 * spread)
        edges = np.linspace(low, high, BINS_OF_DISTRIBUTION + 1)
        z = ((edges[1:] + edges[:-1]) / 2 - self.mean) / spread
        density = np.exp(-z * z / 2) * np.maximum(1 + self.skewness * (z**3 - 3 * z) / 6, 0.0)
        method = "Edgeworth's density, an approximation"
        return Distribution(edges[:-1], edges[1:], density / density.sum(), method)

    def smallest_from(self, least: Fraction) -> Fraction | None:
        """Find the smallest attainable value from ``least`` on; None if none is, or if they are too many.

        >>> average_precision(8, 3).smallest_from(Fraction("0.91665"))
        Fraction(11, 12)
        """
        try:
            values = _count_values(self, self.divisor).exact or ()
        except TooMany:
            return None
        return next((value for value, _ in values if value >= least), None)

    def _find_tail(
        self, value: float | Fraction, method: Method | None, seed: int, *, upper: bool
    ) -> TestResult:
        if method is not None and method not in get_args(Method):
            methods = ", ".join(get_args(Method))
            raise OptionError(f"method must be one of {methods}; saw {method!r}")
        if isinstance(value, Fraction | int):
            exact = Fraction(value)
        elif isinstance(value, (float, np.floating)) and math.isfinite(value):
            exact = Fraction(value) + (-NEAREST if upper else NEAREST)
        else:
            raise InputError(f"average precision is a number between 0 and 1; saw {value!r}")
        question = Question(self, exact * self.divisor, self._moments, seed, upper)
        answers: dict[Method | None, Callable[[], TestResult | None]] = {
            None: question.strongest,
            "exact": question.exact,
            "bracket": question.bracket,
            "drawn": question.drawn,
            "edgeworth": question.edgeworth,
            "bound": question.bound,
        }
        answer = answers[method]()
        if answer is None:
            raise OptionError(
                f"method {method!r} cannot compute this tail (n = {self.n}, m = {self.m}); omit method= to "
                "use the most accurate one that can"
            )
        return answer


def average_precision(
    n: SupportsIndex, m: SupportsIndex, *, depth: SupportsIndex | None = None, over: Over = "targets"
) -> AveragePrecisionLaw:
    """Compute the distribution of average precision when m targets among n items are in random order.

    Parameters
    ----------
    n : int
        The number of items.
    m : int
        The number of targets.
    depth : int, optional
        Count only hits down to this depth. A depth beyond the list means the whole list.
    over : {"targets", "reachable"}
        Divide by the number of targets, or by the number that the depth can hold.

    Returns
    -------
    AveragePrecisionLaw
        ``tail(x)`` is P(AP ≥ x): exact, bracketed or approximate, as its ``method`` says. ``exact_mean`` and
        ``exact_variance`` are fractions.

    Examples
    --------
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
        raise InputError("average precision is undefined because there are no targets")
    ranks = items if depth is None else min(whole_number(depth, "the depth", 1), items)
    if over not in get_args(Over):
        raise OptionError(f'over must be "targets" or "reachable"; saw {over!r}')
    return AveragePrecisionLaw(items, targets, ranks, over)
