"""Counting the signs that reach a sum when amounts are many or huge: two halves meet in the middle.

Amounts that are combinations of a few others give the same sums in many ways, so a half is small: with three
classes the sums of one real class's disagreements lie on a plane, whatever their number.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.comparing.randomisation.fair_coins import ways

MOST_SUMS = 300_000
"""Different sums of one half, some tenths of a second to make."""

MOST_MEETINGS = 4_000_000
"""Sums looked up among those of the other half, a second or two."""

FURTHEST = 100.0 * MOST_SUMS * MOST_MEETINGS
"""Different sums in all beyond which it is not tried: two halves and what is left between them, with room for
bounds that are a hundred times too large."""

UNCLEAR = 1e-14
"""Distance, as a share of the largest sum, at which floats do not decide."""

Ways = dict[int, int]


def met_in_the_middle(amounts: Sequence[int], counts: Sequence[int], least: int) -> int | None:
    """How many choices of heads reach a sum of at least ``least``; None when the halves are too large.

    Amounts are taken into one half from the front and into another from the back, the smaller half first, so
    that neighbours stay together; what is left over between them is gone through one by one.

    >>> met_in_the_middle([1, 10, 100], [1, 1, 1], 101)
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
        grown = joined(half, amount, count)
        front, back = (grown, back) if at_front else (front, grown)
        del pending[0 if at_front else -1]
    between: Ways = {0: 1}
    for amount, count in pending:
        if len(between) * (count + 1) * min(len(front), len(back)) > MOST_MEETINGS:
            return None
        between = joined(between, amount, count)
    if len(front) > len(back):
        front, back = back, front
    largest = sum(amount * count for amount, count in zip(amounts, counts, strict=True))
    return _Meeting(front, back, largest).count(between.items(), least)


def different_sums(counts: Sequence[int], bound: float = math.inf) -> float:
    """At most so many sums are different: Π (count + 1), or a bound that is known otherwise.

    >>> different_sums([1, 2, 3]), different_sums([1, 2, 3], 10.0)
    (24.0, 10.0)
    """
    logarithm = sum(math.log(count + 1) for count in counts)
    return min(round(math.exp(logarithm), 6) if logarithm < 300 else math.inf, bound)


def ways_by_polynomial(amounts: Iterable[int], least: int) -> int:
    """How many choices of heads reach a sum of at least ``least``: the tail of Π (1 + x^amount).

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


def joined(sums: Ways, amount: int, count: int) -> Ways:
    """The ways to each sum when a number of coins of one amount come in."""
    result: Ways = {}
    for heads, way in enumerate(ways(count)):
        more = heads * amount
        for total, many in sums.items():
            result[total + more] = result.get(total + more, 0) + many * way
    return result


class _Meeting:
    """One half sorted, with the ways to reach at least each of its sums; the other is looked up in it."""

    def __init__(self, fewer: Ways, more: Ways, largest: int) -> None:
        self.largest = largest
        self.sums = sorted(more)
        self.places = self._shares(self.sums)
        at_least = list(accumulate((more[total] for total in reversed(self.sums)), initial=0))
        self.at_least = _objects(at_least[::-1])
        self.others = list(fewer)
        self.other_places = self._shares(self.others)
        self.other_ways = _objects(list(fewer.values()))

    def count(self, between: Iterable[tuple[int, int]], least: int) -> int:
        """The ways in which a sum of each half, and one between them, reach the least."""
        return sum(way * int(self._reaching(least - taken)) for taken, way in between)

    def _reaching(self, least: int) -> Any:
        wanted = least / self.largest - self.other_places
        low = np.searchsorted(self.places, wanted - UNCLEAR, side="left")
        high = np.searchsorted(self.places, wanted + UNCLEAR, side="right")
        for i in np.flatnonzero(low < high):
            low[i] = bisect_left(self.sums, least - self.others[i], int(low[i]), int(high[i]))
        return np.dot(self.other_ways, self.at_least[low])

    def _shares(self, sums: list[int]) -> NDArray[np.float64]:
        """Sums as shares of the largest one: integers of any length divide into the nearest float."""
        return np.array([total / self.largest for total in sums])


def _objects(numbers: list[int]) -> NDArray[np.object_]:
    result = np.empty(len(numbers), dtype=np.object_)
    result[:] = numbers
    return result
