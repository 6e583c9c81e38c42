"""Which method finds a tail of average precision: the strongest that fits into a few seconds.

Exact counting first; then a proven bracket; then draws where the bracket stays wide. For lists too long
to go through rank by rank: a proven bound far out, Edgeworth's expansion where the law is close to
normal, draws elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Literal

from edgeworth.core.test_results import TestResult
from edgeworth.rankings.chance.exact import TooMany, log_path_bound, probability_beyond
from edgeworth.rankings.chance.hits import RandomOrder, edgeworth_tail, is_trustworthy, random_sums
from edgeworth.rankings.chance.moments import Moments
from edgeworth.rankings.chance.tail_bounds import bracket
from edgeworth.rankings.chance.tilting import Saddle, TiltedChain, saddle, tilted_chain

Method = Literal["exact", "bracket", "drawn", "edgeworth", "bound"]

MAX_CELLS = 2_000_000
MAX_RANKS = 20_000
"""The most that is computed rank by rank: a pass costs about 40 µs per rank and 20 ns per cell."""

RELATIVE_WIDTH_WITHOUT_DRAWS = 0.1
"""A bracket this narrow is not compared with draws: it is certain, and they are about as wide."""

MAX_BOUND_WITHOUT_DRAWS = 1e-4
"""A proven bound below this is more precise than draws could be."""

MAX_RANKS_DRAWN = 10**7
"""Ranks of targets that are drawn in about a second."""

ROUNDING_ALLOWANCE = 1e-9
"""Rounding can only make an order count as extreme that is a hair short of it."""


@dataclass(frozen=True)
class Question:
    """P(W ≥ threshold), or P(W ≤ threshold). A method returns None if it cannot compute this tail."""

    order: RandomOrder
    threshold: Fraction
    moments: Moments
    seed: int
    upper: bool

    def strongest(self) -> TestResult:
        """Compute the tail by the strongest method that takes at most a few seconds."""
        exact = self.exact()
        if exact is not None:
            return exact
        if self._tilted_chain is None:
            return self._long_list()
        bracketed = self.bracket()
        if (
            bracketed is not None
            and bracketed.high - bracketed.low <= RELATIVE_WIDTH_WITHOUT_DRAWS * bracketed.low
        ):
            return bracketed
        tails = (bracketed, self.drawn(), self._chernoff())
        return min((tail for tail in tails if tail is not None), key=lambda tail: tail.high)

    # -- exactly ---------------------------------------------------------------------------------------

    def exact(self) -> TestResult | None:
        simple = self._without_counting()
        if simple is not None:
            return simple
        if self.order.cells > MAX_CELLS:
            return None
        try:
            beyond = probability_beyond(self.order, self.threshold, strictly=not self.upper)
        except TooMany:
            return None
        every = comb(self.order.n, self.order.m) if self.order.n <= 50 else None
        method = f"all {every:,} orders" if every else "all orders"
        return TestResult.from_fraction(beyond if self.upper else 1 - beyond, method)

    def _without_counting(self) -> TestResult | None:
        """Return the tail if the threshold is out of range, or if there is only one order or one target."""
        n, m, depth = self.order.n, self.order.m, self.order.depth
        most = self.order.most_hits
        if self.threshold > most or self.threshold < 0:
            beyond = (self.threshold > most) != self.upper
            return TestResult.from_fraction(
                Fraction(beyond), "no order is on the other side" if beyond else "impossible"
            )
        if m == n:
            beyond = depth >= self.threshold if self.upper else depth <= self.threshold
            return TestResult.from_fraction(Fraction(beyond), "every order gives the same")
        if m == 1:
            # W = 1/T, or 0 beyond the depth.
            if self.upper:
                places = min(depth, math.floor(1 / self.threshold)) if self.threshold else n
            else:
                places = n - min(depth, math.ceil(1 / self.threshold) - 1) if self.threshold else n - depth
            return TestResult.from_fraction(Fraction(places, n), f"one target on {n:,} ranks")
        return None

    # -- rank by rank ----------------------------------------------------------------------------------

    @cached_property
    def _deviation(self) -> float:
        return math.sqrt(float(self.moments.variance))

    @cached_property
    def _tilted_chain(self) -> tuple[Saddle, TiltedChain] | None:
        """Return the chain that makes the threshold likely, or None if the list is too long."""
        order = self.order
        if order.cells > MAX_CELLS or order.depth > MAX_RANKS or order.m in (1, order.n):
            return None
        point = saddle(order, float(self.threshold), float(self.moments.mean), self._deviation)
        return point, tilted_chain(order, point.tilt)

    def bracket(self) -> TestResult | None:
        if self._tilted_chain is None:
            return None
        point, chain = self._tilted_chain
        ends = bracket(chain, float(self.threshold), point)
        if ends is None:
            return None
        method = f"proven bracket, {ends.frequencies:,} frequencies"
        if (point.tilt > 0) == self.upper:
            return TestResult.from_bracket(ends.log_low, ends.log_high, method, "bracket")
        # The tilt looks at the rarer side of the mean; the other one is what is left.
        low, high = (-math.expm1(min(log, 0.0)) for log in (ends.log_high, ends.log_low))
        return TestResult(low, high, high, method, kind="bracket")

    def _chernoff(self) -> TestResult | None:
        """Return a proven bound on the rarer side of the mean."""
        if self._tilted_chain is None or (self._tilted_chain[0].tilt > 0) != self.upper:
            return None
        bound = self._tilted_chain[0].log_bound(float(self.threshold))
        return TestResult.from_bracket(-math.inf, bound, "proven bound (Chernoff)", "bound")

    # -- lists of any length ---------------------------------------------------------------------------

    @cached_property
    def _away(self) -> tuple[float, float]:
        """Return the standard deviations from mean to threshold and the skewness, in the tested direction."""
        if not self._deviation:
            return 0.0, 0.0
        sign = 1 if self.upper else -1
        distance, third = float(self.threshold - self.moments.mean), float(self.moments.third)
        return sign * distance / self._deviation, sign * third / self._deviation**3

    def _long_list(self) -> TestResult:
        bound = self.bound()
        if bound.high < MAX_BOUND_WITHOUT_DRAWS:
            return bound
        if is_trustworthy(*self._away):
            return self.edgeworth()
        return self.drawn() or bound

    def bound(self) -> TestResult:
        """Return the smaller of two proven bounds; Cantelli's is the one-sided Chebyshev, 1/(1 + z²)."""
        cantelli = -math.log1p(max(self._away[0], 0.0) ** 2)
        path_bound = log_path_bound(self.order, float(self.threshold)) if self.upper else 0.0
        bound_name = "hypergeometric bounds along a path" if path_bound < cantelli else "Cantelli"
        return TestResult.from_bracket(
            -math.inf, min(path_bound, cantelli), f"proven bound ({bound_name})", "bound"
        )

    def drawn(self) -> TestResult | None:
        """Draw random orders, and return the share beyond the threshold or at it."""
        draws = min(10**6, MAX_RANKS_DRAWN // self.order.m) - 1
        if draws < 999:
            return None
        sign = 1 if self.upper else -1
        least = sign * float(self.threshold) - ROUNDING_ALLOWANCE
        count = sum(int((sign * sums >= least).sum()) for sums in random_sums(self.order, draws, self.seed))
        return TestResult.from_draws(count, draws, self.seed, "orders")

    def edgeworth(self) -> TestResult:
        value, error = edgeworth_tail(*self._away)
        return TestResult.approximate(value, error, "Edgeworth's expansion, not proven")
