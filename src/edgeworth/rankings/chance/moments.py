"""Moments of average precision when the order is random, from four harmonic sums.

With y_t = 1 where rank t holds a target, W = m·AP = Σ_{s≤t} y_s y_t / t. A product of r different y has
expectation q_r = m(m−1)…(m−r+1)/(n(n−1)…(n−r+1)), so E[W^p] = Σ_r q_r P_r where P_r depends on the depth
alone and is a polynomial in the depth and in sums over ranks up to it: H = Σ1/t, H2 = Σ1/t², H3 = Σ1/t³ and
S = ΣH_t/t². Mean and variance cost one pass over the ranks, and for long lists not even that.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import factorial, lcm, perm

MAX_ITEMS_OF_EXACT_SUMS = 3000
"""The longest list whose harmonic sums are kept as fractions: their digits grow with it."""

SERIES_START = 4096
"""Sums are added up to here; beyond, Euler and Maclaurin's series takes over with an error below 1e-40."""

DECIMAL_DIGITS = 60
ONE = 10**DECIMAL_DIGITS
"""Sums of long lists are whole multiples of 1e-60: enough for what cancels between raw moments."""

BERNOULLI = {2: Fraction(1, 6), 4: Fraction(-1, 30), 6: Fraction(1, 42), 8: Fraction(-1, 30)} | {
    10: Fraction(5, 66),
    12: Fraction(-691, 2730),
}


@dataclass(frozen=True)
class HarmonicSums:
    """Σ1/t, Σ1/t², Σ1/t³ and ΣH_t/t² over t = 1 … length."""

    length: int
    first: Fraction
    second: Fraction
    third: Fraction
    mixed: Fraction


@dataclass(frozen=True)
class Moments:
    """Mean, variance and third central moment of W = m·AP."""

    mean: Fraction
    variance: Fraction
    third: Fraction


@lru_cache(maxsize=64)
def harmonic_sums(length: int, *, exact: bool) -> HarmonicSums:
    """Compute the four sums: as fractions, or to sixty digits.

    >>> harmonic_sums(4, exact=True).first
    Fraction(25, 12)
    >>> round(float(harmonic_sums(10**9, exact=False).first), 12)
    21.300481502348
    """
    if exact or length <= SERIES_START:
        return _sums(length, lcm(*range(1, length + 1)) if exact else ONE)
    base, start, end = _sums(SERIES_START, ONE), _Series(SERIES_START), _Series(length)
    first = base.first + end.harmonic - start.harmonic
    euler = base.first - start.harmonic
    return HarmonicSums(
        length,
        first,
        base.second + start.beyond(2) - end.beyond(2),
        base.third + start.beyond(3) - end.beyond(3),
        base.mixed + start.mixed_beyond(euler) - end.mixed_beyond(euler),
    )


@lru_cache(maxsize=256)
def precision_moments(n: int, m: int, depth: int, *, exact: bool = False) -> Moments:
    """Mean, variance and third central moment of W = Σ_{hits within the depth} i/T_i.

    >>> moments = precision_moments(5, 2, 5, exact=True)
    >>> moments.mean / 2, moments.variance / 4
    (Fraction(237, 400), Fraction(63769, 1440000))
    """
    sums = harmonic_sums(depth, exact=exact)
    # The chance that this many given ranks all hold targets.
    q = [Fraction(perm(m, order), perm(n, order)) if order <= m else Fraction(0) for order in range(7)]
    mean, square, cube = (
        sum((a * b for a, b in zip(q[1:], terms(sums), strict=False)), Fraction(0))
        for terms in (_first, _second, _third)
    )
    return Moments(mean, square - mean**2, cube - 3 * mean * square + 2 * mean**3)


def _first(sums: HarmonicSums) -> list[Fraction]:
    return [sums.first, sums.length - sums.first]


def _second(sums: HarmonicSums) -> list[Fraction]:
    k, a, b = sums.length, sums.first, sums.second
    return [
        b,
        2 * a**2 + 3 * a - 5 * b,
        2 * k * a + 5 * k - 5 * a**2 - 9 * a + 7 * b,
        k**2 - 2 * k * a - 5 * k + 3 * a**2 + 6 * a - 3 * b,
    ]


def _third(sums: HarmonicSums) -> list[Fraction]:
    """Return the terms for the cube, with coefficients that were solved for and checked by enumeration."""
    k, a, b, c, s = sums.length, sums.first, sums.second, sums.third, sums.mixed
    half = Fraction(1, 2)
    return [
        c,
        7 * b - 19 * c + 6 * a * b + 6 * s,
        30 * a - 66 * b + 81 * c + 21 * a**2 + 6 * a**3 - 51 * a * b - 24 * s + 3 * k * b,
        (-141 * a + 343 * half * b - 139 * c - 195 * half * a**2 - 26 * a**3 + 129 * a * b + 30 * s)
        + k * (58 + 24 * a - 15 * b + 6 * a**2),
        (201 * a - 345 * half * b + 106 * c + 273 * half * a**2 + 35 * a**3 - 129 * a * b - 12 * s)
        + k * (-132 - 57 * a + 21 * b - 15 * a**2)
        + k**2 * (15 + 3 * a),
        (-90 * a + 60 * b - 30 * c - 60 * a**2 - 15 * a**3 + 45 * a * b)
        + k * (74 + 33 * a - 9 * b + 9 * a**2)
        - k**2 * (15 + 3 * a)
        + k**3,
    ]


def _sums(length: int, unit: int) -> HarmonicSums:
    """Return the sums in whole numbers of a unit, which are exact if every rank divides it."""
    first = second = third = mixed = 0
    for t in range(1, length + 1):
        term = unit // t
        first += term
        second += term**2
        third += term**3
        mixed += first * term**2
    totals = ((first, 1), (second, 2), (third, 3), (mixed, 3))
    return HarmonicSums(length, *(Fraction(total, unit**power) for total, power in totals))


class _Series:
    """Euler and Maclaurin's series at one length: what sums over ranks differ by from their constants."""

    def __init__(self, length: int) -> None:
        self.length = length
        with localcontext() as context:
            context.prec = DECIMAL_DIGITS
            self.logarithm = Fraction(Decimal(length).ln())

    @property
    def harmonic(self) -> Fraction:
        """Return H minus Euler's constant."""
        total = self.logarithm + Fraction(1, 2 * self.length)
        for order, bernoulli in BERNOULLI.items():
            total -= bernoulli / (order * self.length**order)
        return total

    def beyond(self, power: int) -> Fraction:
        """Return Σ_{t > n} 1/t^power."""
        n = self.length
        total = Fraction(1, (power - 1) * n ** (power - 1)) - Fraction(1, 2 * n**power)
        for order, bernoulli in BERNOULLI.items():
            rising = factorial(power + order - 2) // factorial(power - 1)
            total += bernoulli * rising / (factorial(order) * n ** (power + order - 1))
        return total

    def _logarithms_beyond(self) -> Fraction:
        """Return Σ_{t > n} log(t)/t², minus the derivative of the sum above in the power, at 2."""
        n, logarithm = self.length, self.logarithm
        total = (logarithm + 1) / n - logarithm / (2 * n**2)
        for order, bernoulli in BERNOULLI.items():
            slope = logarithm - sum(Fraction(1, 2 + j) for j in range(order - 1))
            total += bernoulli / n ** (order + 1) * slope
        return total

    def mixed_beyond(self, euler: Fraction) -> Fraction:
        """Return Σ_{t > n} H_t/t², using the series of H_t."""
        total = self._logarithms_beyond() + euler * self.beyond(2) + self.beyond(3) / 2
        return total - sum(b / order * self.beyond(order + 2) for order, b in BERNOULLI.items())
