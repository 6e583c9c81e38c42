"""The law of heads among n fair coins, exact in whole numbers or accurate in logarithms however large n is.

Two systems that are swapped case by case are n fair coins; a p-value is a sum of these probabilities."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

import numpy as np
import scipy

from edgeworth.arrays import Floats, Integers
from edgeworth.core.tails import SMALLEST, Tail
from edgeworth.errors import InputError

NEGLIGIBLE = 800.0
"""exp(−800) is far below the smallest float: what is less likely than that is left out."""

MOST_REACH = 1 << 26
"""Half of the numbers of heads that are listed at most: those of some 10^13 coins."""

QUICK = 70.0
"""Less likely than exp(−70) is below 1e-15 of any probability above exp(−35): far fewer numbers of heads."""

FEW = 2_000
"""Coins up to which a probability is also given as a fraction."""

WORD = 64
"""Bits of a random word."""

_SERIES_FROM = 16


def ways(coins: int) -> list[int]:
    """List the binomial coefficients of one row, by the ratio of neighbours.

    >>> ways(4)
    [1, 4, 6, 4, 1]
    """
    return list(accumulate(range(coins), lambda way, k: way * (coins - k) // (k + 1), initial=1))


def likely_heads(coins: int, negligible: float = NEGLIGIBLE) -> Integers:
    """List every number of heads that is not negligible, by Hoeffding's P ≤ exp(−2 (x − n/2)²/n)."""
    reach = math.isqrt(int(negligible * coins / 2)) + 1
    if reach > MOST_REACH:
        raise InputError(f"{coins:,} cases on which two systems differ are too many to swap")
    return np.arange(max(0, coins // 2 - reach), min(coins, coins // 2 + 1 + reach) + 1, dtype=np.int64)


def log_probabilities(coins: int, heads: Integers) -> Floats:
    """Compute log P(heads) by Stirling's errors and the deviance, so that nothing large cancels.

    Loader 2000, Fast and accurate computation of binomial probabilities.

    >>> round(float(np.exp(log_probabilities(4, np.array([2]))[0])), 12)
    0.375
    """
    result = np.full(len(heads), -coins * math.log(2))
    inside = (heads > 0) & (heads < coins)
    if not inside.any():
        return result
    x = heads[inside].astype(np.float64)
    n = float(coins)
    errors = _stirling_error(np.array([n])) - _stirling_error(x) - _stirling_error(n - x)
    result[inside] = (
        errors - n / 2 * _deviance((2 * x - n) / n) - 0.5 * np.log(2 * math.pi * (x / n) * (n - x))
    )
    return result


def log_at_most(coins: int, negligible: float = NEGLIGIBLE) -> tuple[int, Floats]:
    """Find the smallest likely number of heads, and log P(at most this many) from it on."""
    heads = likely_heads(coins, negligible)
    return int(heads[0]), np.minimum(np.logaddexp.accumulate(log_probabilities(coins, heads)), 0.0)


def lower_tail(coins: int, heads: int, said: str) -> Tail:
    """Compute P(at least as far from the middle as this), both sides; 1 in the very middle.

    >>> lower_tail(10, 2, "binomial").exact
    Fraction(7, 64)
    """
    few = min(heads, coins - heads)
    if 2 * few >= coins:
        return Tail.counted(Fraction(1), said)
    if coins <= FEW:
        return Tail.counted(Fraction(2 * sum(ways(coins)[: few + 1]), 1 << coins), said)
    for negligible in (QUICK, NEGLIGIBLE):
        first, logs = log_at_most(coins, negligible)
        found = float(logs[few - first]) if few >= first else -math.inf
        if found > -negligible / 2:
            break
    return from_logarithm(math.log(2) + found, said)


def from_logarithm(logarithm: float, said: str) -> Tail:
    """Make a tail of its logarithm; what is too small for a float is still above 0."""
    value = math.exp(min(logarithm, 0.0))
    if value < SMALLEST:
        return Tail(0.0, SMALLEST, SMALLEST, f"exact, {said}: below 5e-324", kind="bound")
    return Tail(value, value, value, f"exact, {said}")


def random_heads(generator: np.random.Generator, coins: Integers, draws: int) -> Integers:
    """Draw the heads among so many fair coins, a row for each number of coins."""
    heads = np.empty((len(coins), draws), dtype=np.int64)
    few = coins <= WORD
    words = generator.integers(0, 1 << WORD, size=(int(few.sum()), draws), dtype=np.uint64)
    # Shifting by a whole word is not defined, and no coins have no heads.
    words >>= (WORD - np.maximum(coins[few], 1)).astype(np.uint64)[:, None]
    heads[few] = np.where(coins[few][:, None] > 0, np.bitwise_count(words), 0)
    heads[~few] = generator.binomial(coins[~few][:, None], 0.5, size=(int((~few).sum()), draws))
    return heads


def _stirling_error(k: Floats) -> Floats:
    """log k! − log(√(2πk) (k/e)^k), for k ≥ 1."""
    inverse = 1 / (k * k)
    series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / k
    near = np.minimum(k, _SERIES_FROM)
    direct = (
        scipy.special.gammaln(near + 1) - (near + 0.5) * np.log(near) + near - 0.5 * math.log(2 * math.pi)
    )
    return np.asarray(np.where(k < _SERIES_FROM, direct, series))


def _deviance(away: Floats) -> Floats:
    """(1+δ) log(1+δ) + (1−δ) log(1−δ); near 0 by its series, where the two terms cancel."""
    square = away * away
    series = np.zeros_like(square)
    for k in range(10, 0, -1):
        series = (series + 1 / (k * (2 * k - 1))) * square
    direct = (1 + away) * np.log1p(away) + (1 - away) * np.log1p(-away)
    return np.asarray(np.where(np.abs(away) < 0.15, series, direct))


def mcnemar(only_first_right: int, only_second_right: int, *, mid_p: bool = False) -> Tail:
    """Test exactly, two-sided: ``min(1, 2 P(X ≤ fewer))`` for X heads among as many fair coins.

    ``mid_p`` counts the observed split half: ``P(farther from even) + ½ P(as far)``, which holds its level
    on average rather than always. With no such cases there is nothing to tell the systems apart: 1.

    McNemar 1947; Fagerland, Lydersen & Laake 2013, whose children with stem cell transplants these are:

    >>> mcnemar(1, 7).p_value, mcnemar(1, 7, mid_p=True).p_value
    (0.0703125, 0.0390625)
    """
    for count in (only_first_right, only_second_right):
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
            raise InputError(f"McNemar's test takes whole numbers of cases of at least 0; saw {count!r}")
    coins = int(only_first_right) + int(only_second_right)
    fewer = min(int(only_first_right), int(only_second_right))
    said = f"binomial, {coins:,} cases on which one is right"
    tail = lower_tail(coins, fewer, said)
    return _mid_p(tail, coins, fewer) if mid_p and coins else tail


def _mid_p(tail: Tail, coins: int, fewer: int) -> Tail:
    """Take off half the probability of a split as uneven as the observed one."""
    sides = 1 if 2 * fewer == coins else 2
    method = tail.method.replace("exact, binomial", "mid-p, binomial")
    if coins <= FEW and tail.exact is not None:
        exact = tail.exact - Fraction(sides * math.comb(coins, fewer), 2 << coins)
        return replace(Tail.counted(exact, ""), method=method)
    if tail.kind == "bound":
        return replace(tail, method=method)
    point = math.exp(float(log_probabilities(coins, np.array([fewer]))[0]))
    value = max(tail.p_value - sides * point / 2, SMALLEST)
    return Tail(value, value, value, method)
