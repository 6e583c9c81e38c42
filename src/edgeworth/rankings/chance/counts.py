"""A list to be ranked, as chance sees it: how many items, how many targets, how deep one looks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from operator import index
from typing import SupportsIndex

from edgeworth.errors import InputError

MOST_EXACT = 5000
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


def whole_number(value: SupportsIndex, what: str, least: int, most: int | None = None) -> int:
    """The number if it is whole and within its limits, otherwise an error that says so.

    >>> whole_number(3, "the rank", 1, 5)
    3
    """
    try:
        number = index(value)
    except TypeError:
        raise InputError(f"{what} is a whole number; saw {value!r}") from None
    if isinstance(value, bool) or number < least or (most is not None and number > most):
        limits = f"at least {least}" if most is None else f"between {least} and {most}"
        raise InputError(f"{what} has to be {limits}; saw {value!r}")
    return number


def check_counts(n: SupportsIndex, m: SupportsIndex) -> tuple[int, int]:
    """Items and targets: n ≥ 1 and 0 ≤ m ≤ n."""
    items = whole_number(n, "the number of items", 1)
    return items, whole_number(m, f"the number of targets among {items} items", 0, items)


def binomial_quotient(above: list[tuple[int, int]], below: tuple[int, int]) -> float:
    """Binomials multiplied, over one other.

    >>> binomial_quotient([(3, 1), (2, 1)], (5, 2))
    0.6
    """
    if below[0] <= MOST_EXACT:
        return float(Fraction(math.prod(comb(*pair) for pair in above), comb(*below)))
    return math.exp(min(0.0, sum(_log_comb(*pair) for pair in above) - _log_comb(*below)))


def _log_comb(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
