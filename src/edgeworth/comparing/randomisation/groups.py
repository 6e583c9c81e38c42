"""Randomisation where the unit is a group: a document, a query, a patient, with counts of its own.

Whole groups are swapped between the systems, because cases within one are not independent. What is a sum
over cases stays a sum over groups, with random signs. Precision and F are functions of two sums, hits and
false alarms: their joint law is a polynomial in two letters with one factor a group, multiplied out exactly
in one long integer, or in floating point; few groups are enumerated; beyond that Monte Carlo.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from edgeworth.arrays import Integers
from edgeworth.comparing.randomisation.classes import worths
from edgeworth.comparing.randomisation.coins import from_logarithm
from edgeworth.comparing.randomisation.sign_sums import MOST_BYTES, monte_carlo_tail, sign_sum_tail
from edgeworth.comparing.randomisation.staircase import Quotient, Staircase, two_class_measure
from edgeworth.core.tails import Tail
from edgeworth.errors import InputError, OptionError, check_draws
from edgeworth.progress import progress_rounds

MOST_ENUMERATED = 20
"""Groups of which all swaps are gone through."""

MOST_CELLS = 4_000_000
"""Pairs of sums held at once."""

MOST_WORK = 800_000_000
"""Additions in floating point, one or two seconds."""


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """One system's hits, false alarms and misses in each group."""

    hits: Integers
    false_alarms: Integers
    misses: Integers

    @classmethod
    def of(cls, hits: Any, false_alarms: Any, misses: Any) -> GroupCounts:
        """From any sequences of whole numbers, one entry a group."""
        given = {"hits": hits, "false alarms": false_alarms, "misses": misses}
        columns = [whole_numbers(values, name) for name, values in given.items()]
        if len({column.shape for column in columns}) > 1 or columns[0].ndim != 1:
            said = ", ".join(str(column.shape) for column in columns)
            raise InputError(f"hits, false alarms and misses have one entry a group; saw shapes {said}")
        return cls(*columns)


def whole_numbers(values: Any, name: str) -> Integers:
    """Read counts as integers; refuse anything else."""
    array = np.asarray(values)
    if not array.size:
        return np.zeros(array.shape, dtype=np.int64)
    if array.dtype.kind not in "iu" and not (
        array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.round(array)).all()
    ):
        raise InputError(f"{name} of groups are whole numbers; randomisation has no use for weights")
    if (array < 0).any():
        raise InputError(f"{name} of groups are at least 0; saw {array.min()}")
    return array.astype(np.int64)


def groups_test(
    first: GroupCounts,
    second: GroupCounts,
    measure: str,
    *,
    background: Any = None,
    alpha: float | Fraction = 0.5,
    draws: int = 10_000,
    seed: int = 0,
) -> Tail:
    """Test a measure of one label by swapping whole groups (Yeh's randomisation test).

    Accuracy and informedness also need ``background``, the cases of each group that are no targets.

    >>> first = GroupCounts.of([3, 2, 4], [0, 1, 0], [0, 1, 0])
    >>> second = GroupCounts.of([1, 2, 2], [2, 1, 1], [2, 1, 2])
    >>> groups_test(first, second, "f").exact
    Fraction(1, 2)
    """
    check_draws(draws, seed)
    real = first.hits + first.misses if len(first.hits) == len(second.hits) else None
    if real is None or (real != second.hits + second.misses).any():
        raise InputError("both systems are judged on the same groups, with as many targets in each")
    others = None if background is None else whole_numbers(background, "background")
    if measure in ("accuracy", "informedness") and others is None:
        raise OptionError(f"{measure} needs the number of background cases in each group")
    if others is not None and (
        others.shape != real.shape or (np.maximum(first.false_alarms, second.false_alarms) > others).any()
    ):
        raise InputError("a group has at least as many background cases as false alarms")
    judged = two_class_measure(measure, int(real.sum()), 0 if others is None else int(others.sum()), alpha)
    if isinstance(judged, Quotient):
        return _SwappedGroups.of(first, second, judged).tail(draws, seed)
    changes = zip(
        (first.hits - second.hits).tolist(), (first.false_alarms - second.false_alarms).tolist(), strict=True
    )
    return _sign_sum_test([judged.hit * hit - judged.alarm * alarm for hit, alarm in changes], draws, seed)


def group_tables_test(first: Any, second: Any, measure: str, *, draws: int = 10_000, seed: int = 0) -> Tail:
    """Test accuracy, balanced accuracy or Powers' informedness of all classes by swapping whole groups.

    Tables are (groups, K + 1, K): rows predicted, the last one abstentions, columns real.

    >>> one, two = [[[3, 0], [0, 3], [0, 0]]], [[[2, 1], [1, 2], [0, 0]]]
    >>> group_tables_test(one * 3, two * 3, "informedness").exact
    Fraction(1, 4)
    """
    tables = [whole_numbers(cells, "cells") for cells in (first, second)]
    shape = tables[0].shape
    if len(shape) != 3 or shape[1] != shape[2] + 1 or tables[1].shape != shape:
        said = " and ".join(str(table.shape) for table in tables)
        raise InputError(f"tables of groups have one shape (groups, K + 1, K); saw {said}")
    real = tables[0].sum(axis=1)
    if (real != tables[1].sum(axis=1)).any():
        raise InputError("both systems are judged on the same groups, with as many cases of each class")
    hits = [np.diagonal(table, axis1=1, axis2=2) for table in tables]
    predicted = [table[:, :-1].sum(axis=2) for table in tables]
    by_output, by_hit = worths(
        measure,
        *(total.sum(axis=0).tolist() for total in (real, hits[0] + hits[1], predicted[0] + predicted[1])),
    )
    amounts = [
        sum(worth * change for worth, change in zip(by_output + by_hit, changes, strict=True))
        for changes in np.hstack([predicted[0] - predicted[1], hits[0] - hits[1]]).tolist()
    ]
    return _sign_sum_test(amounts, draws, seed)


def _sign_sum_test(amounts: Sequence[int], draws: int, seed: int) -> Tail:
    counted = Counter(abs(amount) for amount in amounts if amount)
    return sign_sum_tail(counted, sum(amounts), draws=draws, seed=seed, units="groups that differ")


@dataclass(frozen=True, eq=False)
class _SwappedGroups:
    """What falls to the first system from each group, (hits, false alarms), one way or the other.

    What both systems have in a group is taken out; groups in which both have the same are left out.
    """

    deal: Staircase
    gap: Fraction
    one_way: Integers
    other_way: Integers

    @classmethod
    def of(cls, first: GroupCounts, second: GroupCounts, measure: Quotient) -> _SwappedGroups:
        one = np.stack([first.hits, first.false_alarms], axis=1)
        two = np.stack([second.hits, second.false_alarms], axis=1)
        shared = np.minimum(one, two)
        gap = abs(measure.gap(*one.sum(axis=0).tolist(), *two.sum(axis=0).tolist()))
        dealt = (one + two - 2 * shared).sum(axis=0).tolist()
        differ = (one != two).any(axis=1)
        deal = Staircase(measure, *shared.sum(axis=0).tolist(), *dealt)
        return cls(deal, gap, (one - shared)[differ], (two - shared)[differ])

    @property
    def groups(self) -> int:
        return len(self.one_way)

    @property
    def cells(self) -> int:
        return (self.deal.hits + 1) * (self.deal.alarms + 1)

    def tail(self, draws: int, seed: int) -> Tail:
        said = f"all swaps of {self.groups:,} groups that differ"
        if self.gap == 0:
            return Tail.counted(Fraction(1), said)
        if self.groups * self.cells * (self.groups // 8 + 1) <= MOST_BYTES:
            return Tail.counted(Fraction(2 * self._count_by_polynomial(), 1 << self.groups), said)
        if self.groups <= MOST_ENUMERATED:
            return Tail.counted(Fraction(2 * self._enumerate(), 1 << self.groups), said)
        if self.cells <= MOST_CELLS and self.groups * self.cells <= MOST_WORK:
            return from_logarithm(math.log(2 * self._multiply()), said)
        return monte_carlo_tail(self._count_draws(draws, seed), draws, seed)

    def _most(self) -> Integers:
        return self.deal.most_alarms(np.arange(self.deal.hits + 1), self.gap)

    def _count_by_polynomial(self) -> int:
        """Ways in which the first leads by the gap: Π (x^h y^a + x^h' y^a') at powers of two."""
        digit = self.groups // 8 + 1
        row = (self.deal.alarms + 1) * digit
        packed = 1
        for ways in zip(self.one_way.tolist(), self.other_way.tolist(), strict=True):
            one, two = (8 * (hits * row + alarms * digit) for hits, alarms in ways)
            packed = (packed << one) + (packed << two)
        held = packed.to_bytes((self.deal.hits + 1) * row, "little")
        # Modulo base − 1 a number is the sum of its digits, and that sum is less than the base.
        sums = (
            int.from_bytes(held[hits * row : hits * row + (most + 1) * digit], "little")
            for hits, most in enumerate(self._most().tolist())
        )
        return sum(number % ((1 << 8 * digit) - 1) for number in sums)

    def _enumerate(self) -> int:
        sums = np.zeros((1, 2), dtype=np.int64)
        for one, two in zip(self.one_way, self.other_way, strict=True):
            sums = np.concatenate([sums + one, sums + two])
        return int(self.deal.leads(sums[:, 0], sums[:, 1], self.gap).sum())

    def _multiply(self) -> float:
        """The probability that the first leads by the gap, the same product in floating point."""
        law = np.ones((1, 1))
        for one, two in zip(self.one_way.tolist(), self.other_way.tolist(), strict=True):
            rows, columns = law.shape
            following = np.zeros((rows + max(one[0], two[0]), columns + max(one[1], two[1])))
            for hits, alarms in (one, two):
                following[hits : hits + rows, alarms : alarms + columns] += 0.5 * law
            law = following
        reached = np.arange(self.deal.alarms + 1) <= self._most()[:, None]
        return float(law[reached].sum())

    def _count_draws(self, draws: int, seed: int) -> int:
        rng, count = np.random.default_rng(seed), 0
        rounds = max(1, (1 << 22) // self.groups)
        change = (self.one_way - self.other_way).astype(np.float64)
        for start in progress_rounds(draws, rounds, "draws"):
            coins = rng.integers(0, 2, size=(min(rounds, draws - start), self.groups), dtype=np.int8)
            # Sums of counts are below 2^53: the floats are whole numbers.
            sums = (coins @ change).astype(np.int64) + self.other_way.sum(axis=0)
            # The second leads where the first would, had all that is dealt gone the other way.
            ways = (sums, self.one_way.sum(axis=0) + self.other_way.sum(axis=0) - sums)
            count += int(
                np.logical_or(*(self.deal.leads(way[:, 0], way[:, 1], self.gap) for way in ways)).sum()
            )
        return count
