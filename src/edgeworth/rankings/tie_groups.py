"""Tie groups: the view of a ranking that measures need, policies for ties, and sums over tied ranks.

One list or many have the same arrays, so a measure is written once and computed for a million lists in one
call. Background matters only by its amount above a target or tied with it, so the view of ten million scores
is as long as the number of their targets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Values
from edgeworth.errors import OptionError

STRICT_TIES = ("trec", "input")
"""Policies that leave no ties."""
WHOLE_TIES = ("threshold", "best", "worst")
"""Policies that are formulas over whole tie groups."""
IN_SOME_ORDER = ("expected", *STRICT_TIES)
"""Policies that put the items of a tie in an order, or take the mean over all orders."""
POLICIES = ("expected", "threshold", "trec", "input", "best", "worst")


@dataclass(frozen=True)
class Grades:
    """How relevant each target is, of those ranked and of those never ranked."""

    group: NDArray[np.intp]
    """The tie group of each ranked target."""
    grade: Values
    lost_list: NDArray[np.intp]
    """The list of each target that was never ranked."""
    lost_grade: Values


@dataclass(frozen=True)
class Judgements:
    """What bpref needs: unjudged items left out. In a strict order only."""

    rejected_above: Values
    """For each tie group, judged background above it."""
    rejected: Values
    """For each list, judged background in all, ranked or not."""


@dataclass(frozen=True)
class TieGroups:
    """The tie groups of each list that hold a target, best first.

    ``above`` is strictly above: ``hits_above`` targets among ``seen_above`` items, then the tie group of
    ``size`` items, ``hits`` of them targets. Groups are sorted by list, then from the best to the worst.
    """

    list_of: NDArray[np.intp]
    hits_above: Values
    seen_above: Values
    hits: Values
    size: Values
    targets: Values
    """For each list, all its targets, those never ranked included."""
    ranked: Values
    """For each list, the items ranked."""
    items: Values
    """For each list, all items: those ranked and the targets that are not. nan if that is not known."""
    grades: Grades | None = None
    judgements: Judgements | None = None
    ties: str = "expected"
    """The policy for ties; under a strict one every group is one item."""

    @property
    def number(self) -> int:
        """How many lists there are."""
        return len(self.targets)

    @cached_property
    def hits_below(self) -> Values:
        """Hits down to the end of each tie group."""
        return np.asarray(self.hits_above + self.hits)

    @cached_property
    def seen_below(self) -> Values:
        """Items down to the end of each tie group."""
        return np.asarray(self.seen_above + self.size)

    @cached_property
    def is_first(self) -> NDArray[np.bool_]:
        """Whether a tie group is the first of its list."""
        return np.diff(self.list_of, prepend=-1) > 0

    def sum_by_list(self, values: Values) -> Values:
        """Σ over the tie groups of each list."""
        return np.bincount(self.list_of, weights=values, minlength=self.number)

    def largest(self, values: Values, least: float) -> Values:
        """Find the largest over the tie groups of each list, at least ``least``."""
        result = np.full(self.number, least, dtype=np.float64)
        np.maximum.at(result, self.list_of, np.where(np.isnan(values), least, values))
        return result

    def within(self, depth: Values) -> Values:
        """Count the items of each tie group within the depth of its list."""
        return np.clip(np.broadcast_to(depth, self.number)[self.list_of] - self.seen_above, 0, self.size)

    def hits_at(self, depth: Values) -> Values:
        """Compute the hit curve h(t) of each list: mean targets among the first t, ties in random order."""
        return self.sum_by_list(self.hits * self.within(depth) / self.size)


def all_tied(groups: TieGroups) -> TieGroups:
    """Make the same lists without any information: every item in one tie."""
    lists = np.flatnonzero((groups.targets > 0) & (groups.items > 0))
    group_of_list = np.full(groups.number, -1)
    group_of_list[lists] = np.arange(len(lists))
    grades = groups.grades
    if grades is not None:
        owner = np.concatenate([groups.list_of[grades.group], grades.lost_list])
        values = np.concatenate([grades.grade, grades.lost_grade])
        has_group = group_of_list[owner] >= 0
        grades = Grades(
            group_of_list[owner][has_group], values[has_group], grades.lost_list[:0], grades.lost_grade[:0]
        )
    nothing = np.zeros(len(lists))
    return replace(
        groups,
        list_of=lists,
        hits_above=nothing,
        seen_above=nothing,
        hits=groups.targets[lists],
        size=groups.items[lists],
        ranked=groups.items,
        grades=grades,
        judgements=None,
        ties="expected",
    )


MIN_ARGUMENT_FOR_SERIES = 20
"""Below this argument the asymptotic series is not accurate enough, and terms are added one by one."""

HIGHEST_GRADE = 1000
"""Beyond it 2^grade is no float."""


def reciprocal_sum(start: Values, length: Values) -> Values:
    """``Σ_{j=1..length} 1/(start + j)``, to rounding, for whole numbers of any size.

    >>> float(reciprocal_sum(np.array(0.0), np.array(3.0)))
    1.8333333333333333
    """
    start, length = np.broadcast_arrays(np.asarray(start, np.float64), np.asarray(length, np.float64))
    if np.all(length == 1):
        return np.asarray(1 / (start + 1))
    shape, start, length = start.shape, start.ravel(), length.ravel()
    # Differences of logarithms lose all digits for a short run at large ranks, so short runs are added up.
    single = np.where(
        length < MIN_ARGUMENT_FOR_SERIES, length, np.clip(MIN_ARGUMENT_FOR_SERIES - start, 0, length)
    )
    total = np.zeros(len(start))
    for step in range(1, int(single.max(initial=0)) + 1):
        total += np.where(step <= single, 1 / (start + step), 0.0)
    long_groups = np.flatnonzero(length > single)
    low, high = start[long_groups] + single[long_groups], start[long_groups] + length[long_groups]
    total[long_groups] += np.log1p((high - low) / low) + _correction(high) - _correction(low)
    return total.reshape(shape)


def _correction(x: Values) -> Values:
    """Return the harmonic number of x minus ``log x`` and Euler's constant (Euler–Maclaurin)."""
    square = 1 / (x * x)
    return 0.5 / x - square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))


LISTED_RANKS = 1 << 20
"""Discounts of the first ranks are added one by one."""


def discount_sum(start: Values, length: Values) -> Values:
    """``Σ_{j=1..length} 1/log₂(start + j + 1)``."""
    start, length = np.broadcast_arrays(start, length)
    if np.all(length <= 1):
        return np.where(length > 0, 1 / np.log2(start + 2), 0.0)
    stop = start + length
    most = int(min(stop.max(), LISTED_RANKS))
    sums = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2.0, most + 2)))])
    near = sums[np.minimum(stop, most).astype(np.intp)] - sums[np.minimum(start, most).astype(np.intp)]
    return near if most < LISTED_RANKS else near + _far_discounts(np.maximum([start, stop], LISTED_RANKS))


def _far_discounts(ends: Values) -> Values:
    """Approximate the sum at large ranks by the integral of 1/log₂ in log x, with its first correction."""
    low, high = ends + 1.5
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half = np.log1p((high - low) / low) / 2
    logs = np.log(low) + np.multiply.outer(1 + nodes, half)
    integral = half * np.tensordot(weights, np.exp(logs) / logs, axes=1)
    bend = 1 / (low * np.log(low) ** 2) - 1 / (high * np.log(high) ** 2)
    return math.log(2) * (integral - bend / 24)


def gain_of(grades: Values, form: str) -> Values:
    """Compute the gain: the grade (Järvelin & Kekäläinen, trec_eval), or ``2^grade − 1`` (Burges et al.)."""
    if form != "exponential":
        return grades.astype(np.float64)
    if np.max(grades, initial=0) > HIGHEST_GRADE:
        raise OptionError(f"a grade of {np.max(grades):g} has no gain of 2^grade − 1: write gain=linear")
    return np.exp2(grades) - 1


def gains_of_groups(groups: TieGroups, form: str) -> Values:
    """Compute the gain of all targets of each tie group; without grades every target has grade 1."""
    if groups.grades is None:
        return groups.hits
    gains = gain_of(groups.grades.grade, form)
    return np.bincount(groups.grades.group, weights=gains, minlength=len(groups.hits))


def ideal_gain(groups: TieGroups, depth: Values | None, form: str) -> Values:
    """Compute the discounted gain of the best order: targets by falling grade, then everything else."""
    most = groups.targets if depth is None else np.minimum(groups.targets, depth)
    if groups.grades is None:
        return discount_sum(np.zeros(groups.number), most)
    lists = np.concatenate([groups.list_of[groups.grades.group], groups.grades.lost_list])
    gains = gain_of(np.concatenate([groups.grades.grade, groups.grades.lost_grade]), form)
    order = np.lexsort((-gains, lists))
    lists, gains = lists[order], gains[order]
    rank = np.arange(len(lists)) - np.searchsorted(lists, lists)
    is_within_depth = rank < most[lists]
    discounted = np.where(is_within_depth, gains / np.log2(rank + 2), 0.0)
    return np.bincount(lists, weights=discounted, minlength=groups.number)
