"""The law of a sum of whole numbers with random signs, and how often it is at least as far from 0.

Every difference that is a sum over cases (or documents, queries, patients) becomes this when outputs are
swapped unit by unit: unit i has amount dᵢ, and a coin gives it its sign. In whole numbers ties are ties.
With Z the sum of those amounts whose coin shows heads, the signed sum is 2Z − Σd, and it is symmetric: the
two-sided probability is twice that of one side. Ways, in this order:

- one or two different amounts: binomials, any number of units;
- a small total: the polynomial Π (1 + x^d), held in one long integer;
- few units: all signs, half of the units at a time;
- else on a grid, which brackets the probability: proven, and exact if whole numbers are the grid;
- else Monte Carlo.

On the grid amounts are put together exactly in blocks, the sums of each block are rounded once to the grid,
and the sum of all is off by at most half a cell per block; one Fourier transform per block gives the law.
Fourier transforms are accurate relative to the largest probability only. So the coins are loaded first, in
such a way that the sum asked about becomes the mean, and the loading is undone afterwards: a tail of 1e-100
comes out as accurately as one of 0.1.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import MAX_EXACT_INTEGER, Floats, Integers
from edgeworth.common.progress import track_rounds
from edgeworth.comparisons.randomization.coins import (
    MAX_COINS_AS_FRACTION,
    coin_law,
    log_coin_law,
    lower_tail,
    random_heads,
    ways,
)
from edgeworth.core.test_results import TestResult
from edgeworth.errors import check_whole

MAX_SUM = 1 << 61
"""Sums of two such numbers are whole numbers of 64 bits."""

MAX_BYTES_MOVED = 1 << 27
"""Bytes moved for the long integer, some hundredths of a second."""

MAX_UNITS_WITH_LARGE_SUMS = 32
"""The most units whose signs are all enumerated if sums need more than 64 bits."""


@dataclass(frozen=True)
class Grid:
    """How fine the grid is, how many different sums a block has before it is rounded to it, and up to how
    many units all signs are enumerated instead."""

    cells: int
    most_sums: int
    most_units: int


FINE = Grid(1 << 21, 60_000, 40)
"""About a second or two."""

COARSE = Grid(1 << 18, 4_000, 30)
"""Some hundredths of a second: for one pair among many."""


def sign_sum_tail(
    amounts: Mapping[int, int],
    observed: int,
    *,
    what: str = "swaps",
    draws: int = 10_000,
    seed: int = 0,
    grid: Grid | None = FINE,
) -> TestResult:
    """Compute P(|Σ ± amount| ≥ |observed|) for amounts that occur a number of times each.

    ``what`` names the choices of signs. Without a ``grid`` they are drawn if they cannot be counted.

    >>> sign_sum_tail({1: 2, 3: 1}, 5).exact
    Fraction(1, 4)
    """
    check_whole(draws, "draws", 1)
    sums = SignSums.of(amounts, observed)
    result = sums.exact(what, 0 if grid is None else grid.most_units)
    if result is None and grid is not None:
        result = sums.bracket(what, grid)
    return result or sums.monte_carlo(what, draws, seed)


@dataclass(frozen=True)
class SignSums:
    """Different amounts above 0 without a common factor, how often each occurs, and the observed sum ≥ 0."""

    amounts: tuple[int, ...]
    counts: tuple[int, ...]
    observed: int

    @classmethod
    def of(cls, amounts: Mapping[int, int], observed: int) -> SignSums:
        """Drop signs, amounts of 0 and common factors, which do not matter."""
        kept: dict[int, int] = {}
        for amount, count in amounts.items():
            if amount and count:
                kept[abs(amount)] = kept.get(abs(amount), 0) + count
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

    def exact(self, what: str, most_units: int) -> TestResult | None:
        """Count all signs, if that can be done."""
        method = f"all {what}"
        if self.observed == 0:
            return TestResult.from_fraction(Fraction(1), method)
        if self.observed > self.total:
            return TestResult.from_probability(0.0, method)
        if len(self.amounts) == 1:
            return lower_tail(self.coins, self.coins - self.least_heads, method)
        if len(self.amounts) == 2:
            return self._count_two(method)
        if self.coins * self.total * (self.coins + 1) // 8 <= MAX_BYTES_MOVED:
            ways = self.count_by_polynomial()
        elif self.coins <= min(
            most_units, MAX_UNITS_WITH_LARGE_SUMS if self.total >= MAX_SUM else most_units
        ):
            ways = self.count_by_halves()
        else:
            return None
        return TestResult.from_fraction(Fraction(2 * ways, 1 << self.coins), method)

    def _count_two(self, method: str) -> TestResult:
        """Sum over a staircase: for each number of heads of the one amount the least of the other."""
        (first_amount, second_amount), (coins, others) = self.amounts, self.counts
        dtype: type[np.int64] | type[object] = (
            np.int64 if 2 * self.total + self.observed < MAX_SUM else object
        )

        def least(heads: Sequence[int] | Integers) -> NDArray[np.int64]:
            missing = self.least_heads - first_amount * np.asarray(heads, dtype=dtype)
            return np.asarray(np.clip(-(-missing // second_amount), 0, others + 1), dtype=np.int64)

        if self.coins <= MAX_COINS_AS_FRACTION:
            at_least = [*accumulate(reversed(ways(others)), initial=0)][::-1]
            reaching = sum(
                way * at_least[y] for way, y in zip(ways(coins), least(range(coins + 1)), strict=True)
            )
            return TestResult.from_fraction(Fraction(2 * reaching, 1 << self.coins), method)
        (heads, law), (numbers, other_law) = coin_law(coins), coin_law(others)
        beyond = np.append(np.cumsum(other_law[::-1])[::-1], 0.0)
        start = np.clip(least(heads) - numbers[0], 0, len(numbers))
        return TestResult.from_probability(2 * float(law @ beyond[start]), method)

    @property
    def _each(self) -> list[int]:
        """The amount of each coin."""
        return [a for a, count in zip(self.amounts, self.counts, strict=True) for _ in range(count)]

    def count_by_polynomial(self) -> int:
        """Count the choices of heads that reach the sum: the tail of Π (1 + x^amount).

        One large integer holds all coefficients, each in as many bits as the largest may need. Multiplying by
        a factor is then a shift and an addition.

        >>> SignSums.of({1: 1, 2: 1, 3: 1}, 4).count_by_polynomial()
        2
        """
        width, product = self.coins + 1, 1
        for amount in self._each:
            product += product << (amount * width)
        # The sum of the digits of a number, in base b, is what it leaves when divided by b − 1.
        return (product >> (self.least_heads * width)) % ((1 << width) - 1)

    def count_by_halves(self) -> int:
        """Count them by the sums of each half: for each of one, how many of the other make up the rest."""
        dtype: type[np.int64] | type[object] = np.int64 if self.total < MAX_SUM else object
        halves = []
        for half in (self._each[::2], self._each[1::2]):
            sums = np.zeros(1, dtype=dtype)
            for amount in half:
                sums = np.concatenate([sums, sums + amount])
            halves.append(np.sort(sums))
        first, second = halves
        starts = np.searchsorted(second, self.least_heads - first, side="left")
        return len(first) * len(second) - int(starts.sum())

    def bracket(self, what: str, grid: Grid) -> TestResult | None:
        """Bracket the tail by rounding to a grid; the ends are equal when whole numbers are the grid."""
        ends = grid_tail(self.amounts, self.counts, self.least_heads, grid)
        if ends is None:
            return None
        low, high = (math.log(2) + end for end in ends)
        if low == high:
            return TestResult.from_probability(math.exp(high), f"all {what}")
        return TestResult.from_bracket(low, high, f"proven bracket, all {what} on a grid", "bracket")

    def monte_carlo(self, what: str, draws: int, seed: int) -> TestResult:
        """Draw signs; sums too large for floats are compared in whole numbers where floats are unsure."""
        rng, is_exact = np.random.default_rng(seed), self.total < MAX_EXACT_INTEGER
        scale, slack = (1, 0.0) if is_exact else (self.total, 1e-13)
        weights, least = np.array([amount / scale for amount in self.amounts]), self.observed / scale
        count, rounds = 0, max(1, (1 << 22) // len(self.amounts))
        counts = np.array(self.counts, dtype=np.int64)
        for start in track_rounds(draws, rounds, "draws"):
            heads = random_heads(rng, counts, min(rounds, draws - start))
            # Unlike a product of matrices, einsum makes no floats of all heads at once.
            distance = np.abs(2 * np.einsum("a,ad->d", weights, heads) - weights @ counts) - least
            count += int((distance >= 0 if is_exact else distance > slack).sum())
            for draw in () if is_exact else np.flatnonzero(np.abs(distance) <= slack):
                heads_sum = sum(map(operator.mul, self.amounts, heads[:, draw].tolist()))
                count += abs(2 * heads_sum - self.total) >= self.observed
        return TestResult.from_draws(count, draws, seed, what)


Ways = dict[int, int]


def add_coins(sums: Ways, amount: int, count: int) -> Ways:
    """Add coins of one amount, and count the ways to reach each sum."""
    result: Ways = {}
    for heads, way in enumerate(ways(count)):
        more = heads * amount
        for total, many in sums.items():
            result[total + more] = result.get(total + more, 0) + many * way
    return result


MAX_COINS_AS_WAYS = 4_000
"""Coins of one amount whose law is floats: relative errors of some 1e-13, far within ``TRANSFORM_NOISE``."""

MAX_LOG_UNLIKELINESS = 2e5
"""Numbers of heads below exp(−200,000) are left out."""

MAX_BLOCKS = 20

MAX_RELATIVE_WIDTH = 0.01
"""Bounds that are relatively further apart than this are no more precise than random draws."""

TRANSFORM_NOISE = 1e-10
"""Relative error of a tail that went through the transforms."""

HALF_A_CELL = Fraction(500_001, 1_000_000)
"""Rounding to the nearest cell, with room for the rounding of the floats it is done in."""


def grid_tail(
    amounts: Sequence[int], counts: Sequence[int], least: int, grid: Grid = FINE
) -> tuple[float, float] | None:
    """Bracket log P(sum of heads ≥ least); the ends are equal when whole numbers are the grid.

    >>> [round(math.exp(end), 9) for end in grid_tail([1, 3], [2, 1], 5) or ()]
    [0.125, 0.125]
    """
    kinds = list(zip(amounts, counts, strict=True))
    largest = sum(amount * count for amount, count in kinds)
    few, many = ([x for x in kinds if (x[1] > MAX_COINS_AS_WAYS) is large] for large in (False, True))
    # n different amounts have at least n(n + 1)/2 different sums, which bounds the amounts in a block.
    if len(few) > MAX_BLOCKS * (9 * grid.most_sums) ** (1 / 3):
        return None
    blocks = _blocks(few, grid.most_sums)
    number = len(blocks) + len(many)
    if number > MAX_BLOCKS:
        return None
    is_whole = largest < grid.cells
    length = 1 << largest.bit_length() if is_whole else grid.cells
    cells = largest if is_whole else length - number - 1
    error = Fraction(0) if is_whole else number * HALF_A_CELL
    if _foreseen_width(kinds, largest, least, float(error) / cells) > MAX_RELATIVE_WIDTH:
        return None
    loading = _loading(kinds, largest, least, cells)
    laws = [_law_of_ways(block, largest) for block in blocks]
    laws += [_law_of_many(amount, count, largest) for amount, count in many]
    transform, log_scale = np.ones(length // 2 + 1, dtype=np.complex128), 0.0
    for shares, logs in laws:
        positions = np.rint(shares * cells).astype(np.int64)
        heaviness = logs + loading * positions
        log_scale += float(heaviness.max())
        weights = np.exp(heaviness - heaviness.max())
        transform *= np.fft.rfft(np.bincount(positions, weights=weights, minlength=length))
    log_scale -= sum(count for _, count in few) * math.log(2)
    law = np.fft.irfft(transform, length)
    if is_whole:
        log_tail = _log_untilted(law, log_scale, loading, least)
        return log_tail, log_tail
    least_cell = Fraction(least * cells, largest)
    low, high = (
        _log_untilted(law, log_scale, loading, max(math.ceil(least_cell + sign * error), 0))
        for sign in (+1, -1)
    )
    return low - TRANSFORM_NOISE, high + TRANSFORM_NOISE


def _law_of_ways(block: Ways, largest: int) -> tuple[Floats, Floats]:
    """List the sums of a block as shares of the largest, and the logarithm of the ways to each."""
    return np.array([total / largest for total in block]), np.array([math.log(x) for x in block.values()])


def _law_of_many(amount: int, count: int, largest: int) -> tuple[Floats, Floats]:
    """List the same for many coins of one amount in floats: as whole numbers the ways take gigabytes."""
    heads, logs = log_coin_law(count, min(2.0 * count, MAX_LOG_UNLIKELINESS))
    return heads.astype(np.float64) * (amount / largest), logs - math.log(float(np.exp(logs).sum()))


def _log_untilted(law: Floats, log_scale: float, loading: float, least: int) -> float:
    """Compute log Σ over cells from the least on, with the loading undone."""
    beyond = np.maximum(law[least:], 0.0)
    total = float((beyond * np.exp(-loading * np.arange(len(beyond)))).sum())
    return math.log(total) + log_scale - loading * least if total else -math.inf


def _loading(kinds: list[tuple[int, int]], largest: int, least: int, cells: int) -> float:
    """Find the loading per cell that makes the mean sum of heads the least one in question."""
    shares = np.array([amount / largest for amount, _ in kinds])
    counts = np.array([count for _, count in kinds], dtype=np.float64)
    # Past the upper end next to all coins show heads, and products with cells begin to lose digits.
    low, high = 0.0, min(40 / float(shares.min()), 1e5)
    for _ in range(60):
        middle = (low + high) / 2
        mean = float((counts * shares / (1 + np.exp(-middle * shares))).sum())
        low, high = (middle, high) if mean < least / largest else (low, middle)
    return low / cells


def _blocks(kinds: list[tuple[int, int]], most_sums: int) -> list[Ways]:
    """Combine neighbouring amounts as long as their sums are few."""
    blocks: list[Ways] = []
    spent = 0
    for amount, count in kinds:
        steps = (len(blocks[-1]) if blocks else 1) * (count + 1)
        spent += steps
        if not blocks or steps > most_sums or spent > 3 * most_sums:
            blocks.append({0: 1})
            spent = count + 1
        blocks[-1] = add_coins(blocks[-1], amount, count)
        if len(blocks) > MAX_BLOCKS:
            break
    return blocks


def _foreseen_width(kinds: Sequence[tuple[int, int]], largest: int, least: int, error: float) -> float:
    """Estimate by the normal law how far apart the ends will be, relative to the probability."""
    spread = math.sqrt(sum(count * (amount / largest) ** 2 for amount, count in kinds)) / 2
    away = max((least / largest - 0.5) / spread, 0.0)
    return 2 * error / spread * (away + 1)
