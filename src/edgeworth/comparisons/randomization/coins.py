"""The law of heads among n fair coins, exact in whole numbers or accurate in floats however large n is.

Two systems that are swapped case by case are n fair coins; a p-value is a sum of these probabilities."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Integers
from edgeworth.core.test_results import SMALLEST_FLOAT, TestResult
from edgeworth.errors import InputError

LOG_NEGLIGIBLE = 800.0
"""exp(−800) is far below the smallest float: what is less likely than that is left out."""

MAX_REACH = 1 << 26
"""Half of the numbers of heads that are listed at most: those of some 10^13 coins."""

LOG_NEGLIGIBLE_QUICKLY = 70.0
"""Less likely than exp(−70) is below 1e-15 of any probability above exp(−35): far fewer numbers of heads."""

MAX_COINS_AS_FRACTION = 2_000
"""Coins up to which a probability is also given as a fraction."""

Heads: TypeAlias = NDArray[np.uint8] | NDArray[np.uint64] | NDArray[np.int64]
"""How many coins show heads, in as few bits as they need."""

WORDS = {8: np.uint8, 64: np.uint64}
"""Random words, by their bits."""


def ways(coins: int) -> list[int]:
    """List the binomial coefficients of one row, by the ratio of neighbours.

    >>> ways(4)
    [1, 4, 6, 4, 1]
    """
    return list(accumulate(range(coins), lambda way, k: way * (coins - k) // (k + 1), initial=1))


def coin_law(coins: int, negligible: float = LOG_NEGLIGIBLE) -> tuple[Integers, Floats]:
    """List the numbers of heads that are not negligible, and the probability of each.

    >>> [each.round(12).tolist() for each in coin_law(4)]
    [[0, 1, 2, 3, 4], [0.0625, 0.25, 0.375, 0.25, 0.0625]]
    """
    heads, logs = log_coin_law(coins, negligible)
    law = np.exp(logs)
    return heads, law / law.sum()


def log_coin_law(coins: int, negligible: float) -> tuple[Integers, Floats]:
    """List the numbers of heads that are not negligible, and the log of their probability over the largest.

    Hoeffding's P ≤ exp(−2 (x − n/2)²/n) bounds what is negligible. The others follow from the middle outwards
    by the ratios of neighbours.
    """
    reach = math.isqrt(int(negligible * coins / 2)) + 1
    if reach > MAX_REACH:
        raise InputError(f"{coins:,} cases on which two systems differ are too many to swap")
    middle = (coins + 1) // 2
    above = np.arange(middle, min(coins, middle + reach) + 1, dtype=np.int64)
    # P(x + 1)/P(x) = (n − x)/(x + 1), and log1p keeps what is left of it near the middle.
    steps = np.log1p((coins - 2.0 * above[:-1] - 1) / (above[:-1] + 1))
    half = np.concatenate([[0.0], np.cumsum(steps)])
    below = slice(None, 0, -1) if coins % 2 == 0 else slice(None, None, -1)
    return np.concatenate([(coins - above)[below], above]), np.concatenate([half[below], half])


def lower_tail(coins: int, heads: int, method: str) -> TestResult:
    """Compute P(at least as far from the middle as this), both sides; 1 in the very middle.

    >>> lower_tail(10, 2, "binomial").exact
    Fraction(7, 64)
    """
    few = min(heads, coins - heads)
    if 2 * few >= coins:
        return TestResult.from_fraction(Fraction(1), method)
    if coins <= MAX_COINS_AS_FRACTION:
        return TestResult.from_fraction(Fraction(2 * sum(ways(coins)[: few + 1]), 1 << coins), method)
    numbers, law = coin_law(coins)
    return TestResult.from_probability(2 * float(law[numbers <= few].sum()), method)


def random_heads(generator: np.random.Generator, coins: Integers, draws: int) -> Heads:
    """Draw the heads among fair coins, one row per number of coins."""
    if (coins == 1).all():
        words = generator.integers(0, 256, size=(len(coins), -(-draws // 8)), dtype=np.uint8)
        return np.unpackbits(words, axis=1, count=draws)
    bits = 8 if coins.max(initial=0) <= 8 else 64
    few = coins <= bits
    words = generator.integers(0, 1 << bits, size=(int(few.sum()), draws), dtype=WORDS[bits])
    first_bits = [(1 << bits) - (1 << bits - number) for number in coins[few].tolist()]
    words &= np.array(first_bits, dtype=words.dtype)[:, None]
    np.bitwise_count(words, out=words)
    if few.all():
        return words
    heads = np.empty((len(coins), draws), dtype=np.int64)
    heads[few] = words
    heads[~few] = generator.binomial(coins[~few][:, None], 0.5, size=(int((~few).sum()), draws))
    return heads


def mcnemar(only_first_right: int, only_second_right: int, *, mid_p: bool = False) -> TestResult:
    """Test exactly, two-sided: ``min(1, 2 P(X ≤ fewer))`` for X heads among as many fair coins.

    ``mid_p`` counts the observed split half: ``P(farther from even) + ½ P(as far)``, which holds its level
    on average rather than always. Without discordant cases the p-value is 1.

    McNemar 1947; Fagerland, Lydersen & Laake 2013, whose children with stem cell transplants these are:

    >>> mcnemar(1, 7).p_value, mcnemar(1, 7, mid_p=True).p_value
    (0.0703125, 0.0390625)
    """
    for count in (only_first_right, only_second_right):
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
            raise InputError(f"McNemar's test takes whole numbers of cases of at least 0; saw {count!r}")
    coins = int(only_first_right) + int(only_second_right)
    fewer = min(int(only_first_right), int(only_second_right))
    method = f"binomial, {coins:,} cases on which one is right"
    tail = lower_tail(coins, fewer, method)
    return _mid_p(tail, coins, fewer) if mid_p and coins else tail


def _mid_p(tail: TestResult, coins: int, fewer: int) -> TestResult:
    """Take off half the probability of a split as uneven as the observed one."""
    sides = 1 if 2 * fewer == coins else 2
    method = tail.method.replace("exact, binomial", "mid-p, binomial")
    if coins <= MAX_COINS_AS_FRACTION and tail.exact is not None:
        exact = tail.exact - Fraction(sides * math.comb(coins, fewer), 2 << coins)
        return replace(TestResult.from_fraction(exact, ""), method=method)
    if tail.kind == "bound":
        return replace(tail, method=method)
    numbers, law = coin_law(coins)
    value = max(tail.p_value - sides * float(law[fewer - numbers[0]]) / 2, SMALLEST_FLOAT)
    return TestResult(value, value, value, method)
