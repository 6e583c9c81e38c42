"""The steps of log wealth, one a game, and all their sums where these are few enough to be gone through.

Steps that differ by a constant only are counted, not told apart: of c two-way steps with the same distance
between winning and losing it matters how many were won, c + 1 cases instead of 2ᶜ. The groups of steps are
then dealt into two halves, and each sum of the first half asks a sorted list how many of the second reach
far enough: 2ⁿ outcomes for twice 2ⁿᐟ² sums (Horowitz and Sahni 1974, J. ACM 21, 277–292).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.arrays import Floats
from edgeworth.bet.checking import SUM_TOLERANCE
from edgeworth.errors import InputError

Array = NDArray[Any]
Sums = tuple[Floats, Array]
Weigh = Callable[[tuple[tuple[float, ...], ...]], Sequence[Any]]

MOST_SUMS = 1 << 20
"""Sums in one half: about half a second."""

MOST_MERGED = 1 << 25
"""Steps times counts when a group is counted, some 25 ns each."""

MOST_STEPS = 1 << 14
"""Steps that are looked at one by one for a partner."""

IN_FRACTIONS, MOST_FRACTIONS = 64, 1 << 12
"""Up to so many steps and so many sums in a half, probabilities are whole numbers of any length."""


@dataclass(frozen=True, eq=False)
class LogReturns:
    """Log factors and probabilities, a row a step and a column an outcome; step i occurs ``counts[i]`` times.

    Outcomes of probability 0 have a log factor of 0, whatever it was.
    """

    log_factors: Floats
    probabilities: Floats
    counts: NDArray[np.int64]

    @classmethod
    def of(
        cls, log_factors: ArrayLike, probabilities: ArrayLike, counts: ArrayLike | None = None
    ) -> LogReturns:
        """Check and divide by the row sums.

        >>> LogReturns.of([[0.0, np.nan]], [[1.0, 0.0]]).log_factors
        array([[0., 0.]])
        """
        logs, shares = np.array(log_factors, dtype=np.float64), np.array(probabilities, dtype=np.float64)
        if logs.ndim != 2 or logs.shape != shares.shape or not logs.shape[1]:
            raise InputError(
                "log factors and probabilities are two tables of one shape, a row a step and a column an "
                f"outcome; saw the shapes {logs.shape} and {shares.shape}"
            )
        _check_shares(shares)
        logs[shares == 0] = 0.0
        unknown = np.isnan(logs).any(axis=1)
        if unknown.any():
            raise InputError(
                f"step {int(unknown.argmax()) + 1:,} has an outcome of positive probability whose wealth "
                "factor is not a number: both forecasts gave it 0; leave the step out or give it a "
                "probability above 0"
            )
        whole = _checked_counts(counts, len(logs))
        keep = whole > 0
        return cls(logs[keep], (shares / shares.sum(axis=1, keepdims=True))[keep], whole[keep])

    @cached_property
    def finite(self) -> Floats:
        """The probabilities of outcomes with a finite log factor, 0 for the others."""
        return np.where(np.isfinite(self.log_factors), self.probabilities, 0.0)

    @cached_property
    def log_finite(self) -> Floats:
        """The logarithms of ``finite``."""
        with np.errstate(divide="ignore"):
            return np.log(self.finite)

    @cached_property
    def finite_logs(self) -> Floats:
        """The log factors, 0 where infinite."""
        return np.where(np.isfinite(self.log_factors), self.log_factors, 0.0)

    @cached_property
    def ruin(self) -> Floats:
        """The probability of ruin in each step."""
        return np.asarray(np.minimum((self.probabilities * (self.log_factors == -np.inf)).sum(axis=1), 1.0))

    @cached_property
    def boundless(self) -> Floats:
        """The probability in each step that wealth becomes infinite."""
        return np.asarray(np.minimum((self.probabilities * (self.log_factors == np.inf)).sum(axis=1), 1.0))

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The least and the greatest finite log wealth there can be."""
        possible = self.finite > 0
        low = np.where(possible, self.finite_logs, np.inf).min(axis=1)
        high = np.where(possible, self.finite_logs, -np.inf).max(axis=1)
        return float((self.counts * low).sum()), float((self.counts * high).sum())


def _check_shares(shares: Floats) -> None:
    inside = ((shares >= 0) & (shares <= 1 + SUM_TOLERANCE)).all(axis=1)
    wrong = ~(inside & (abs(shares.sum(axis=1) - 1) <= SUM_TOLERANCE))
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            "the probabilities of a step lie between 0 and 1 and add up to 1; "
            f"those of step {row + 1:,} are {shares[row].tolist()}"
        )


def _checked_counts(counts: ArrayLike | None, rows: int) -> NDArray[np.int64]:
    whole = np.ones(rows, dtype=np.int64) if counts is None else np.asarray(counts)
    if whole.shape != (rows,) or whole.dtype.kind not in "iu" or (whole < 0).any():
        raise InputError(f"counts are {rows} whole numbers of at least 0, one a step")
    return whole.astype(np.int64)


@dataclass(frozen=True)
class Arithmetic:
    """How probabilities are multiplied and added: as logarithms, or as whole numbers of any length."""

    times: np.ufunc
    plus: np.ufunc
    power: Callable[[Any, int], Any]
    zero: float | int
    one: float | int
    dtype: type


IN_LOGS = Arithmetic(np.add, np.logaddexp, operator.mul, -math.inf, 0.0, float)
IN_INTEGERS = Arithmetic(np.multiply, np.add, operator.pow, 0, 1, object)


@dataclass(frozen=True)
class Group:
    """Steps with the same ``gaps`` above their lowest log factor: how often, and with what probabilities."""

    gaps: tuple[float, ...]
    members: tuple[tuple[int, tuple[tuple[float, ...], ...]], ...]

    @cached_property
    def steps(self) -> int:
        """How many steps it has."""
        return sum(count for count, _ in self.members)

    @cached_property
    def sums(self) -> int:
        """How many counts of outcomes there are: c + k over k."""
        return math.comb(self.steps + len(self.gaps), len(self.gaps))

    @cached_property
    def fits(self) -> bool:
        """Whether counting it in an array with an axis for each gap is a matter of a second."""
        cells = (self.steps + 1) ** len(self.gaps)
        few = cells <= MOST_SUMS and cells * self.steps <= MOST_MERGED
        return few or self.steps == 1 or not self.gaps

    def distribution(self, arithmetic: Arithmetic, weighed: Weigh) -> Sums:
        """The sums and their probabilities, by convolution of one step after the other."""
        if self.steps == 1:
            weights = weighed(self.members[0][1])
            return np.array((0.0, *self.gaps)), np.array(weights, dtype=arithmetic.dtype)
        if not self.gaps:
            powers = [arithmetic.power(weighed(shares)[0], count) for count, shares in self.members]
            return np.zeros(1), np.array([arithmetic.times.reduce(np.array(powers, dtype=arithmetic.dtype))])
        law: Array = np.full((1,) * len(self.gaps), arithmetic.one, dtype=arithmetic.dtype)
        for count, shares in self.members:
            weights = weighed(shares)
            for _ in range(count):
                larger = [size + 1 for size in law.shape]
                new: Array = np.full(larger, arithmetic.zero, dtype=arithmetic.dtype)
                for outcome, weight in enumerate(weights):
                    moved = [int(axis == outcome - 1) for axis in range(law.ndim)]
                    part = tuple(slice(by, by + len(law)) for by in moved)
                    new[part] = arithmetic.plus(new[part], arithmetic.times(law, weight))
                law = new
        values: Floats = np.tensordot(self.gaps, np.indices(law.shape), axes=1)
        possible = np.asarray(law != arithmetic.zero, dtype=bool)
        return values[possible], law[possible]


def in_groups(steps: LogReturns) -> tuple[float, list[Group]]:
    """The sum of the lowest log factors, and the steps in groups of equal gaps (to the last bit)."""
    base, grouped = 0.0, dict[tuple[float, ...], list[tuple[int, tuple[tuple[float, ...], ...]]]]()
    columns = steps.finite_logs.tolist(), steps.finite.tolist(), steps.counts.tolist()
    for logs, shares, count in zip(*columns, strict=True):
        values = sorted({value for value, share in zip(logs, shares, strict=True) if share > 0})
        if values:
            base += count * values[0]
            weights = tuple(
                tuple(share for value, share in zip(logs, shares, strict=True) if value == wanted and share)
                for wanted in values
            )
            grouped.setdefault(tuple(v - values[0] for v in values[1:]), []).append((count, weights))
    groups: list[Group] = []
    for gaps, members in grouped.items():
        whole = Group(gaps, tuple(members))
        # Too many counts to hold: one by one, if at all.
        groups += [whole] if whole.fits else [Group(gaps, (member,)) for member in members]
    return base, groups


@dataclass(frozen=True)
class MergedOutcomes:
    """All sums of some steps, as two halves of groups."""

    base: float
    halves: tuple[tuple[Group, ...], tuple[Group, ...]]

    @classmethod
    def of(cls, steps: LogReturns) -> MergedOutcomes | None:
        """None where the sums are too many."""
        if len(steps.counts) > MOST_STEPS:
            return None
        base, groups = in_groups(steps)
        if not all(group.fits for group in groups) or sum(math.log2(g.sums) for g in groups) > 40.5:
            return None
        halves: tuple[list[Group], list[Group]] = ([], [])
        for group in sorted(groups, key=lambda group: -group.sums):
            min(halves, key=_sums_of).append(group)
        merged = cls(base, (tuple(halves[0]), tuple(halves[1])))
        return merged if max(map(_sums_of, halves)) <= MOST_SUMS else None

    @property
    def outcomes(self) -> int:
        """How many outcomes are told apart."""
        return _sums_of(self.halves[0]) * _sums_of(self.halves[1])

    def log_probability(self, threshold: float) -> float:
        """log P(finite sum ≥ threshold)."""
        return float(_beyond(*self._in_logs, threshold - self.base, IN_LOGS))

    def fraction(self, threshold: float, steps: LogReturns) -> Fraction | None:
        """P(sum ≥ threshold) as if the floats were meant, rows divided by their sums; +inf counts."""
        if steps.counts.sum() > IN_FRACTIONS or max(map(_sums_of, self.halves)) > MOST_FRACTIONS:
            return None
        ours, theirs = (_product(half, IN_INTEGERS, _whole) for half in self.halves)
        reached = int(_beyond(ours, theirs, threshold - self.base, IN_INTEGERS))
        every = unruined = finite = 1
        for logs, shares, count in zip(steps.log_factors, steps.probabilities, steps.counts, strict=True):
            numbers = list(zip(logs.tolist(), (_as_whole(share) for share in shares.tolist()), strict=True))
            every *= sum(number for _, number in numbers) ** int(count)
            unruined *= sum(number for log, number in numbers if log > -math.inf) ** int(count)
            finite *= sum(number for log, number in numbers if math.isfinite(log)) ** int(count)
        # A step that is never finite leaves no finite sum.
        return Fraction((reached if finite else 0) + unruined - finite, every)

    def sums(self) -> tuple[Floats, Floats] | None:
        """All sums in ascending order and their probabilities; None if they are more than a million."""
        if self.outcomes > MOST_SUMS:
            return None
        (ours, our_logs), (theirs, their_logs) = self._in_logs
        values, logs = np.add.outer(ours, theirs).ravel(), np.add.outer(our_logs, their_logs).ravel()
        order = np.argsort(values, kind="stable")
        return values[order] + self.base, np.exp(logs[order])

    @cached_property
    def _in_logs(self) -> tuple[Sums, Sums]:
        ours, theirs = (_product(half, IN_LOGS, _as_logs) for half in self.halves)
        return ours, theirs


def _sums_of(groups: Sequence[Group]) -> int:
    return math.prod(group.sums for group in groups)


def _as_logs(shares: Sequence[Sequence[float]]) -> list[float]:
    return [math.log(math.fsum(parts)) for parts in shares]


def _as_whole(share: float) -> int:
    """The float times 2¹⁰⁷⁴, of which every float is a whole multiple."""
    return int(Fraction(share) * (1 << 1074))


def _whole(shares: Sequence[Sequence[float]]) -> list[int]:
    return [sum(map(_as_whole, parts)) for parts in shares]


def _product(groups: Sequence[Group], arithmetic: Arithmetic, weighed: Weigh) -> Sums:
    """All sums of the groups' sums, and the products of their probabilities."""
    start: Sums = np.zeros(1), np.full(1, arithmetic.one, dtype=arithmetic.dtype)

    def combine(one: Sums, other: Sums) -> Sums:
        weights = arithmetic.times.outer(one[1], other[1])
        return np.add.outer(one[0], other[0]).ravel(), np.asarray(weights).ravel()

    return reduce(combine, (group.distribution(arithmetic, weighed) for group in groups), start)


def _beyond(ours: Sums, theirs: Sums, threshold: float, arithmetic: Arithmetic) -> Any:
    """P(one of ours + one of theirs ≥ threshold)."""
    order = np.argsort(theirs[0], kind="stable")
    values, weights = theirs[0][order], theirs[1][order]
    above = np.append(arithmetic.plus.accumulate(weights[::-1])[::-1], arithmetic.zero)
    products = arithmetic.times(ours[1], above[np.searchsorted(values, threshold - ours[0])])
    return arithmetic.plus.reduce(products)
