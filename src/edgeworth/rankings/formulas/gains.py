"""Gains of graded targets and the discounts of the ranks they stand at."""

from __future__ import annotations

import numpy as np

from edgeworth.arrays import Values
from edgeworth.errors import OptionError
from edgeworth.rankings.formulas.steps import Steps

HIGHEST_GRADE = 1000
"""Beyond it 2^grade is no float."""


def gain_of(grades: Values, form: str) -> Values:
    """The grade itself (Järvelin & Kekäläinen, trec_eval), or ``2^grade − 1`` (Burges et al.)."""
    if form != "exponential":
        return grades.astype(np.float64)
    if np.max(grades, initial=0) > HIGHEST_GRADE:
        raise OptionError(f"a grade of {np.max(grades):g} has no gain of 2^grade − 1: write gain=linear")
    return np.exp2(grades) - 1


def step_gains(steps: Steps, form: str) -> Values:
    """The gain of all targets of each step; without grades every target has grade 1."""
    if steps.grades is None:
        return steps.hits
    gains = gain_of(steps.grades.grade, form)
    return np.bincount(steps.grades.step, weights=gains, minlength=len(steps.hits))


def discount_sum(start: Values, length: Values) -> Values:
    """``Σ_{j=1..length} 1/log₂(start + j + 1)``."""
    start, length = np.broadcast_arrays(start, length)
    if np.all(length <= 1):
        return np.where(length > 0, 1 / np.log2(start + 2), 0.0)
    ranks = np.arange(1, int((start + length).max()) + 1, dtype=np.float64)
    sums = np.concatenate([[0.0], np.cumsum(1 / np.log2(ranks + 1))])
    return sums[(start + length).astype(np.intp)] - sums[start.astype(np.intp)]


def ideal_gain(steps: Steps, depth: Values | None, form: str) -> Values:
    """The discounted gain of the best order: targets by falling grade, then everything else."""
    most = steps.targets if depth is None else np.minimum(steps.targets, depth)
    if steps.grades is None:
        return discount_sum(np.zeros(steps.number), most)
    lists = np.concatenate([steps.list_of[steps.grades.step], steps.grades.lost_list])
    gains = gain_of(np.concatenate([steps.grades.grade, steps.grades.lost_grade]), form)
    order = np.lexsort((-gains, lists))
    lists, gains = lists[order], gains[order]
    place = np.arange(len(lists)) - np.searchsorted(lists, lists)
    kept = place < most[lists]
    discounted = np.where(kept, gains / np.log2(place + 2), 0.0)
    return np.bincount(lists, weights=discounted, minlength=steps.number)
