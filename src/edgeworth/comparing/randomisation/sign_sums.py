"""The law of a sum of whole numbers with random signs, and how often it is at least as far from 0.

Every difference that is a sum over cases (or documents, queries, patients) becomes this when outputs are
swapped unit by unit: unit i has amount dᵢ, and a coin gives it its sign. In whole numbers ties are ties.
With Z the sum of those amounts whose coin shows heads, the signed sum is 2Z − Σd, and it is symmetric: the
two-sided probability is twice that of one side. Ways, in this order:

- one or two different amounts: binomials, any number of units;
- a small total: the polynomial Π (1 + x^d), held in one long integer;
- few different sums in each half: the halves are enumerated and met in the middle;
- else on a grid, which brackets the probability: certified, and exact if whole numbers fit the grid;
- else Monte Carlo.

Which way can be gone is known beforehand from how many different sums there can be.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from edgeworth.comparing.randomisation.coins import from_logarithm, lower_tail, random_heads
from edgeworth.comparing.randomisation.sign_grid import (
    COARSE,
    FINE,
    FURTHEST,
    different_sums,
    grid_tail,
    meet_in_the_middle,
    ways_by_polynomial,
)
from edgeworth.comparing.randomisation.staircase import Balance, Staircase
from edgeworth.core.tails import Tail
from edgeworth.errors import check_draws
from edgeworth.progress import progress_rounds

MOST_BYTES = 2 << 30
"""Bytes moved for the long integer, some tenths of a second."""

QUICK_BYTES = MOST_BYTES >> 5
QUICK_FURTHEST = 1e8
"""The same, and how many different sums are gone through, for one pair among many: some milliseconds."""

LARGEST_EXACT_FLOAT = 1 << 53

Effort: TypeAlias = Literal["full", "quick", "drawn"]
"""How much is done to count signs or to bracket their number before they are drawn: a second, some hundredths
of one, or nothing but what is quick anyway."""


def sign_sum_tail(
    amounts: Mapping[int, int],
    observed: int,
    *,
    draws: int = 10_000,
    seed: int = 0,
    units: str = "disagreements",
    different: float = math.inf,
    effort: Effort = "full",
) -> Tail:
    """Compute P(|Σ ± amount| ≥ |observed|) for amounts that occur a number of times each.

    ``different`` is a number that the different sums do not exceed, if one is known: it tells beforehand
    whether they can be gone through.

    >>> sign_sum_tail({1: 2, 3: 1}, 5).exact
    Fraction(1, 4)
    """
    check_draws(draws, seed)
    sums = SignSums.of(amounts, observed)
    said = f"all swaps of {sum(amounts.values()):,} {units}"
    if sums.observed == 0:
        return Tail.counted(Fraction(1), said)
    found = sums.exact(said, different, effort)
    if found is None and effort != "drawn":
        found = sums.bracket(said, effort)
    return found or sums.monte_carlo(draws, seed)


def monte_carlo_tail(count: int, draws: int, seed: int) -> Tail:
    """Make the tail (1 + count)/(1 + draws) of random swaps."""
    return replace(Tail.drawn(count, draws, seed), method=f"Monte Carlo, {draws:,} swaps, seed {seed}")


@dataclass(frozen=True)
class SignSums:
    """Different amounts above 0 without a common factor, how often each occurs, and the observed sum ≥ 0."""

    amounts: tuple[int, ...]
    counts: tuple[int, ...]
    observed: int

    @classmethod
    def of(cls, amounts: Mapping[int, int], observed: int) -> SignSums:
        """The signs of amounts do not matter, nor do amounts of 0 or the unit they are counted in."""
        kept: Counter[int] = Counter()
        for amount, count in amounts.items():
            if amount and count:
                kept[abs(amount)] += count
        unit = math.gcd(*kept)
        if not unit:
            return cls((), (), 0)
        # The observed sum need not be one that occurs: as far from 0 as the next whole unit.
        return cls(tuple(amount // unit for amount in kept), tuple(kept.values()), -(-abs(observed) // unit))

    @cached_property
    def total(self) -> int:
        """The largest sum."""
        return sum(amount * count for amount, count in zip(self.amounts, self.counts, strict=True))

    @cached_property
    def coins(self) -> int:
        """How many signs there are."""
        return sum(self.counts)

    @cached_property
    def least_heads(self) -> int:
        """The smallest sum of heads that makes the signed sum at least the observed one."""
        return -(-(self.total + self.observed) // 2)

    def exact(self, said: str, different: float = math.inf, effort: Effort = "full") -> Tail | None:
        """Count all signs, if that can be done."""
        if self.observed > self.total:
            return from_logarithm(-math.inf, said)
        if len(self.amounts) == 1:
            return lower_tail(self.coins, self.coins - self.least_heads, said)
        if len(self.amounts) == 2:
            deal = Staircase(Balance(*self.amounts), 0, 0, *self.counts)
            return deal.two_sided(Fraction(self.observed), said)
        ways = self._count_by_polynomial(MOST_BYTES if effort == "full" else QUICK_BYTES)
        if ways is None and effort != "drawn":
            reach = FURTHEST if effort == "full" else QUICK_FURTHEST
            if different_sums(self.counts, different) <= reach:
                ways = meet_in_the_middle(self.amounts, self.counts, self.least_heads)
        return None if ways is None else Tail.counted(Fraction(2 * ways, 1 << self.coins), said)

    def _count_by_polynomial(self, most_bytes: int = MOST_BYTES) -> int | None:
        """Count the signs that reach the sum by a polynomial; None if it is too long."""
        if self.coins * self.total * (self.coins + 1) // 8 > most_bytes:
            return None
        each = [a for a, count in zip(self.amounts, self.counts, strict=True) for _ in range(count)]
        return ways_by_polynomial(each, self.least_heads)

    def bracket(self, said: str, effort: Effort = "full") -> Tail | None:
        """Bracket the tail by rounding to a grid; the ends are equal when whole numbers are the grid."""
        grid = FINE if effort == "full" else COARSE
        found = grid_tail(self.amounts, self.counts, self.least_heads, grid)
        if found is None:
            return None
        low, high = (math.log(2) + end for end in found)
        if low == high:
            return from_logarithm(high, said)
        return Tail.between(low, high, f"certified bracket, {said} on a grid", "bracket")

    def monte_carlo(self, draws: int, seed: int) -> Tail:
        """Draw signs; sums too large for floats are compared in whole numbers where floats are unsure."""
        rng, exact = np.random.default_rng(seed), self.total < LARGEST_EXACT_FLOAT
        scale = 1 if exact else self.total
        weights = np.array([amount / scale for amount in self.amounts])
        least, slack = self.observed / scale, 0.0 if exact else 1e-13
        count, rounds = 0, max(1, (1 << 22) // len(self.amounts))
        counts = np.array(self.counts, dtype=np.int64)
        for start in progress_rounds(draws, rounds, "draws"):
            signed = (2.0 * random_heads(rng, counts, min(rounds, draws - start)) - counts[:, None]).T
            distance = np.abs(signed @ weights) - least
            count += int((distance > slack).sum() if not exact else (distance >= 0).sum())
            for row in np.flatnonzero(np.abs(distance) <= slack) if not exact else ():
                terms = zip(signed[row].tolist(), self.amounts, strict=True)
                count += abs(sum(int(sign) * amount for sign, amount in terms)) >= self.observed
        return monte_carlo_tail(count, draws, seed)
