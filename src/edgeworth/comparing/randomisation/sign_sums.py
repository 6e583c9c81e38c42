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

On the grid: when the amounts are whole numbers of a few cells, the characteristic function is a product over
amounts, and one Fourier transform gives the law. Otherwise amounts are put together exactly in blocks, the
sums of each block are rounded once to the grid, and the sum of all is off by at most half a cell a block.
Fourier transforms are accurate relative to the largest probability only. So the coins are loaded first, in
such a way that the sum asked about becomes the mean, and the loading is undone afterwards: a tail of 1e-100
comes out as accurately as one of 0.1.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import EXACT_INTEGERS, Floats
from edgeworth.comparing.randomisation.coins import (
    FEW,
    coin_law,
    from_probability,
    log_coin_law,
    lower_tail,
    random_heads,
    ways,
)
from edgeworth.core.tails import Tail
from edgeworth.errors import check_draws
from edgeworth.progress import progress_rounds

LARGEST = 1 << 61
"""Sums of two such numbers are whole numbers of 64 bits."""

MOST_BYTES = 2 << 30
"""Bytes moved for the long integer, some tenths of a second."""

QUICK_BYTES = MOST_BYTES >> 5
QUICK_FURTHEST = 1e8
"""The same, and how many different sums are gone through, for one pair among many: some milliseconds."""


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
            return from_probability(0.0, said)
        if len(self.amounts) == 1:
            return lower_tail(self.coins, self.coins - self.least_heads, said)
        if len(self.amounts) == 2:
            return self._count_two(said)
        ways = self._count_by_polynomial(MOST_BYTES if effort == "full" else QUICK_BYTES)
        if ways is None and effort != "drawn":
            reach = FURTHEST if effort == "full" else QUICK_FURTHEST
            if different_sums(self.counts, different) <= reach:
                ways = meet_in_the_middle(self.amounts, self.counts, self.least_heads)
        return None if ways is None else Tail.counted(Fraction(2 * ways, 1 << self.coins), said)

    def _count_two(self, said: str) -> Tail:
        """Sum over a staircase: for each number of heads of the one amount the least of the other."""
        (one, two), (coins, others) = self.amounts, self.counts
        kind: Any = np.int64 if 2 * self.total + self.observed < LARGEST else object

        def least(heads: Any) -> NDArray[np.int64]:
            missing = self.least_heads - one * np.asarray(heads, dtype=kind)
            return np.asarray(np.clip(-(-missing // two), 0, others + 1), dtype=np.int64)

        if self.coins <= FEW:
            at_least = [*accumulate(reversed(ways(others)), initial=0)][::-1]
            found = sum(
                way * at_least[y] for way, y in zip(ways(coins), least(range(coins + 1)), strict=True)
            )
            return Tail.counted(Fraction(2 * found, 1 << self.coins), said)
        (heads, law), (numbers, other_law) = coin_law(coins), coin_law(others)
        beyond = np.append(np.cumsum(other_law[::-1])[::-1], 0.0)
        place = np.clip(least(heads) - numbers[0], 0, len(numbers))
        return from_probability(2 * float(law @ beyond[place]), said)

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
            return from_probability(math.exp(high), said)
        return Tail.between(low, high, f"certified bracket, {said} on a grid", "bracket")

    def monte_carlo(self, draws: int, seed: int) -> Tail:
        """Draw signs; sums too large for floats are compared in whole numbers where floats are unsure."""
        rng, exact = np.random.default_rng(seed), self.total < EXACT_INTEGERS
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


MOST_SUMS = 300_000
"""Different sums of one half, some tenths of a second to make."""

MOST_LOOKUPS = 4_000_000
"""Sums looked up among those of the other half, a second or two."""

FURTHEST = 100.0 * MOST_SUMS * MOST_LOOKUPS
"""Different sums in all beyond which it is not tried: two halves and what is left between them, with room for
bounds that are a hundred times too large."""

UNCLEAR = 1e-14
"""Distance, as a share of the largest sum, at which floats do not decide."""

Ways = dict[int, int]


def meet_in_the_middle(amounts: Sequence[int], counts: Sequence[int], least: int) -> int | None:
    """Count the choices of heads whose sum is at least ``least``; None when the halves are too large.

    Amounts are taken into one half from the front and into another from the back, the smaller half first, so
    that neighbours stay together; what is left over between them is gone through one by one.

    >>> meet_in_the_middle([1, 10, 100], [1, 1, 1], 101)
    3
    """
    pending = list(zip(amounts, counts, strict=True))
    front: Ways = {0: 1}
    back: Ways = {0: 1}
    while pending:
        at_front = len(front) <= len(back)
        half, (amount, count) = (front, pending[0]) if at_front else (back, pending[-1])
        if len(half) * (count + 1) > MOST_SUMS:
            break
        grown = add_coins(half, amount, count)
        front, back = (grown, back) if at_front else (front, grown)
        del pending[0 if at_front else -1]
    between: Ways = {0: 1}
    for amount, count in pending:
        if len(between) * (count + 1) * min(len(front), len(back)) > MOST_LOOKUPS:
            return None
        between = add_coins(between, amount, count)
    if len(front) > len(back):
        front, back = back, front
    largest = sum(amount * count for amount, count in zip(amounts, counts, strict=True))
    return _count_meetings(front, back, between, largest, least)


def different_sums(counts: Sequence[int], bound: float = math.inf) -> float:
    """Bound the number of different sums: Π (count + 1), or a bound that is known otherwise.

    >>> different_sums([1, 2, 3]), different_sums([1, 2, 3], 10.0)
    (24.0, 10.0)
    """
    logarithm = sum(math.log(count + 1) for count in counts)
    return min(round(math.exp(logarithm), 6) if logarithm < 300 else math.inf, bound)


def ways_by_polynomial(amounts: Iterable[int], least: int) -> int:
    """Count the choices of heads whose sum is at least ``least``: the tail of Π (1 + x^amount).

    The coefficients stand side by side in one whole number, each in as many bits as the largest may need; a
    factor is then a shift and an addition.

    >>> ways_by_polynomial([1, 2, 3], 5)
    2
    """
    held = list(amounts)
    width = len(held) + 1
    product = 1
    for amount in held:
        product += product << (amount * width)
    # The sum of the digits of a number, in base b, is what it leaves when divided by b − 1.
    return (product >> (least * width)) % ((1 << width) - 1)


def add_coins(sums: Ways, amount: int, count: int) -> Ways:
    """Update the ways to each sum when a number of coins of one amount come in."""
    result: Ways = {}
    for heads, way in enumerate(ways(count)):
        more = heads * amount
        for total, many in sums.items():
            result[total + more] = result.get(total + more, 0) + many * way
    return result


def _count_meetings(fewer: Ways, more: Ways, between: Ways, largest: int, least: int) -> int:
    """Count the ways in which a sum of each half, and one between them, reach the least."""
    # Integers of any length divide into the nearest float; where floats are too near, integers decide.
    sums, others = sorted(more), list(fewer)
    places, other_places = (np.array([total / largest for total in half]) for half in (sums, others))
    at_least = list(accumulate((more[total] for total in reversed(sums)), initial=0))[::-1]
    ways_at_least, other_ways = np.array(at_least, dtype=object), np.array(list(fewer.values()), dtype=object)
    count = 0
    for taken, way in between.items():
        wanted = (least - taken) / largest - other_places
        low = np.searchsorted(places, wanted - UNCLEAR, side="left")
        high = np.searchsorted(places, wanted + UNCLEAR, side="right")
        for i in np.flatnonzero(low < high):
            low[i] = bisect_left(sums, least - taken - others[i], int(low[i]), int(high[i]))
        count += way * int(np.dot(other_ways, ways_at_least[low]))
    return count


@dataclass(frozen=True)
class Grid:
    """How fine the grid is, and how much is put together before it is rounded to it."""

    cells: int
    most_work: int
    """Cells times different amounts when the law is found from the characteristic function."""
    most_sums: int
    """Different sums of one block, and a third of the steps that may be spent on it."""


FINE = Grid(1 << 21, 1 << 24, 60_000)
"""About a second or two."""

COARSE = Grid(1 << 18, 1 << 20, 4_000)
"""Some hundredths of a second: for one pair among many."""

MANY = 4_000
"""Coins of one amount whose law is floats: relative errors of some 1e-13, far within ``NOISE``."""

UNLIKELIEST = 2e5
"""Numbers of heads below exp(−200,000) are left out."""

MOST_BLOCKS = 20

WIDEST = 0.01
"""Relative distance of the ends beyond which draws say as much."""

NOISE = 1e-10
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
    if largest < grid.cells and largest * len(kinds) <= grid.most_work:
        found = _log_tail_of_whole_numbers(kinds, largest, least)
        return found, found
    few, many = ([x for x in kinds if (x[1] > MANY) is large] for large in (False, True))
    blocks = _blocks(few, grid.most_sums)
    number = len(blocks) + len(many)
    if number > MOST_BLOCKS:
        return None
    cells = grid.cells - number - 1
    error = number * HALF_A_CELL
    if _foreseen_width(kinds, largest, least, float(error) / cells) > WIDEST:
        return None
    loading = _loading(kinds, largest, least, cells)
    laws = [_law_of_ways(block, largest) for block in blocks]
    laws += [_law_of_many(amount, count, largest) for amount, count in many]
    transform, log_scale = np.ones(grid.cells // 2 + 1, dtype=np.complex128), 0.0
    for shares, logs in laws:
        places = np.rint(shares * cells).astype(np.int64)
        heaviness = logs + loading * places
        log_scale += float(heaviness.max())
        weights = np.exp(heaviness - heaviness.max())
        transform *= np.fft.rfft(np.bincount(places, weights=weights, minlength=grid.cells))
    log_scale -= sum(count for _, count in few) * math.log(2)
    law = np.fft.irfft(transform, grid.cells)
    place = Fraction(least * cells, largest)
    low, high = (
        _log_untilted(law, log_scale, loading, max(math.ceil(place + sign * error), 0)) for sign in (+1, -1)
    )
    return low - NOISE, high + NOISE


def _law_of_ways(block: Ways, largest: int) -> tuple[Floats, Floats]:
    """The sums of a block as shares of the largest, and the logarithms of the ways to each."""
    return np.array([total / largest for total in block]), np.array([math.log(x) for x in block.values()])


def _law_of_many(amount: int, count: int, largest: int) -> tuple[Floats, Floats]:
    """The same of many coins of one amount, by their law: as whole numbers the ways take gigabytes."""
    heads, logs = log_coin_law(count, min(2.0 * count, UNLIKELIEST))
    return heads.astype(np.float64) * (amount / largest), logs - math.log(float(np.exp(logs).sum()))


def _log_tail_of_whole_numbers(kinds: list[tuple[int, int]], largest: int, least: int) -> float:
    cells = 1 << (largest + 1).bit_length()
    loading = _loading(kinds, largest, least, largest)
    transform, log_scale = np.ones(cells // 2 + 1, dtype=np.complex128), 0.0
    steps = np.arange(cells // 2 + 1, dtype=np.int64)
    for amount, count in kinds:
        # Heads weigh e^(loading · amount) against 1, and a fair coin has two sides.
        heads = 1 / (1 + math.exp(-loading * amount))
        log_scale += count * (float(np.logaddexp(0.0, loading * amount)) - math.log(2))
        turn = np.exp((-2j * math.pi / cells) * (steps * amount % cells))
        transform *= (1 - heads + heads * turn) ** count
    return _log_untilted(np.fft.irfft(transform, cells), log_scale, loading, least)


def _log_untilted(law: Floats, log_scale: float, loading: float, least: int) -> float:
    """log Σ over cells from the least on, the loading undone."""
    beyond = np.maximum(law[least:], 0.0)
    total = float((beyond * np.exp(-loading * np.arange(len(beyond)))).sum())
    return math.log(total) + log_scale - loading * least if total else -math.inf


def _loading(kinds: list[tuple[int, int]], largest: int, least: int, cells: int) -> float:
    """The loading a cell that makes the mean sum of heads the least one asked about."""
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
        if len(blocks) > MOST_BLOCKS:
            break
    return blocks


def _foreseen_width(kinds: Sequence[tuple[int, int]], largest: int, least: int, error: float) -> float:
    """How far apart the ends will be, relative to the probability: the normal law is good enough for that."""
    spread = math.sqrt(sum(count * (amount / largest) ** 2 for amount, count in kinds)) / 2
    away = max((least / largest - 0.5) / spread, 0.0)
    return 2 * error / spread * (away + 1)
