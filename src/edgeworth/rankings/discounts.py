"""Sums over the ranks of a tie: harmonic ones, and gains discounted by rank."""

from __future__ import annotations

import numpy as np

from edgeworth.arrays import Values
from edgeworth.errors import OptionError
from edgeworth.rankings.tie_groups import TieGroups

FEW = 20
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
    total = np.zeros(len(start))
    # Differences of logarithms lose all digits when a short run stands far down: short runs are added up.
    single = np.where(length < FEW, length, np.clip(FEW - start, 0, length))
    active, step = np.flatnonzero(single > 0), 0
    while len(active):
        step += 1
        total[active] += 1 / (start[active] + step)
        active = active[single[active] > step]
    far = np.flatnonzero(length > single)
    low, high = start[far] + single[far], start[far] + length[far]
    total[far] += np.log1p((high - low) / low) + _correction(high) - _correction(low)
    return total.reshape(shape)


def _correction(x: Values) -> Values:
    """What the harmonic number of x has beyond ``log x`` and Euler's constant (Euler–Maclaurin)."""
    square = 1 / (x * x)
    return 0.5 / x - square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))


def discount_sum(start: Values, length: Values) -> Values:
    """``Σ_{j=1..length} 1/log₂(start + j + 1)``."""
    start, length = np.broadcast_arrays(start, length)
    if np.all(length <= 1):
        return np.where(length > 0, 1 / np.log2(start + 2), 0.0)
    ranks = np.arange(1, int((start + length).max()) + 1, dtype=np.float64)
    sums = np.concatenate([[0.0], np.cumsum(1 / np.log2(ranks + 1))])
    return sums[(start + length).astype(np.intp)] - sums[start.astype(np.intp)]


def gain_of(grades: Values, form: str) -> Values:
    """The grade itself (Järvelin & Kekäläinen, trec_eval), or ``2^grade − 1`` (Burges et al.)."""
    if form != "exponential":
        return grades.astype(np.float64)
    if np.max(grades, initial=0) > HIGHEST_GRADE:
        raise OptionError(f"a grade of {np.max(grades):g} has no gain of 2^grade − 1: write gain=linear")
    return np.exp2(grades) - 1


def gains_of_groups(groups: TieGroups, form: str) -> Values:
    """The gain of all targets of each step; without grades every target has grade 1."""
    if groups.grades is None:
        return groups.hits
    gains = gain_of(groups.grades.grade, form)
    return np.bincount(groups.grades.group, weights=gains, minlength=len(groups.hits))


def ideal_gain(groups: TieGroups, depth: Values | None, form: str) -> Values:
    """The discounted gain of the best order: targets by falling grade, then everything else."""
    most = groups.targets if depth is None else np.minimum(groups.targets, depth)
    if groups.grades is None:
        return discount_sum(np.zeros(groups.number), most)
    lists = np.concatenate([groups.list_of[groups.grades.group], groups.grades.lost_list])
    gains = gain_of(np.concatenate([groups.grades.grade, groups.grades.lost_grade]), form)
    order = np.lexsort((-gains, lists))
    lists, gains = lists[order], gains[order]
    place = np.arange(len(lists)) - np.searchsorted(lists, lists)
    kept = place < most[lists]
    discounted = np.where(kept, gains / np.log2(place + 2), 0.0)
    return np.bincount(lists, weights=discounted, minlength=groups.number)
