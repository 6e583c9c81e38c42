"""What repeated answers of one system show: flips, agreement between runs, and simulated further runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from edgeworth.core.estimates import Interval
from edgeworth.core.sampling_distributions import student_quantile
from edgeworth.errors import InputError
from edgeworth.grades.findings import VarianceSplit, split_variance
from edgeworth.grades.grades import Grades
from edgeworth.grades.measures import flip_rate


@dataclass(frozen=True)
class Agreement:
    """Kappa between two runs: agreement beyond that of answers that are right equally often by chance."""

    value: float
    interval: Interval


def rerun_agreement(grades: Grades, level: float) -> Agreement:
    """Compute kappa = 1 − F/(2p(1 − p)) from the flip rate F and the accuracy p, by the delta method.

    With two runs it is Scott's π, and with more Fleiss' kappa, up to the bias of the pooled accuracy.
    """
    known = grades.repeats > 1
    flips, means = flip_rate(grades, 1)[known], grades.means[known]
    share, flipped, number = float(means.mean()), float(flips.mean()), len(means)
    expected = 2 * share * (1 - share)
    if expected == 0 or number < 2:
        return Agreement(math.nan, Interval(math.nan, math.nan))
    influence = -(flips - flipped) / expected
    influence += flipped * 2 * (1 - 2 * share) / expected**2 * (means - share)
    reach = student_quantile(level, number - 1) * float(influence.std(ddof=1)) / math.sqrt(number)
    value = 1 - flipped / expected
    if flipped == 0:
        # Answers that never differ do not show how much the agreement could vary.
        return Agreement(value, Interval(math.nan, math.nan))
    return Agreement(value, Interval(max(value - reach, -1.0), min(value + reach, 1.0)))


def share_from_reruns(split: VarianceSplit | None) -> float:
    """Compute the part of the variance of single answers that is between reruns of an item."""
    return math.nan if split is None else split.within / (split.within + split.between)


def rerun_deviation(grades: Grades) -> float:
    """Compute the standard deviation between reruns of an item, pooled over items."""
    split = split_variance(grades)
    if split is not None:
        return math.sqrt(split.within)
    if not (grades.repeats > 1).any():
        raise InputError(
            "no item was answered twice: pass several runs, or repeats of an item with the same id"
        )
    return 0.0


def draw_rates(grades: Grades, rng: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Draw how often each item is right, given its answers, from a Beta law fitted to all items.

    Its mean is the accuracy, and its spread is such that two runs differ at the flip rate.
    """
    known = grades.repeats > 1
    share, flipped = float(grades.means.mean()), float(flip_rate(grades, 1)[known].mean())
    expected = 2 * share * (1 - share)
    if flipped == 0 or expected == 0:
        return grades.means
    between = min(max(1 - flipped / expected, 0.0), 1 - 1e-9)
    if between == 0:
        return np.full(len(grades.sums), share)
    weight = (1 - between) / between
    right, wrong = grades.sums, grades.repeats - grades.sums
    return rng.beta(share * weight + right, (1 - share) * weight + wrong)


def draw_runs(grades: Grades, number: int, rng: np.random.Generator) -> list[Grades]:
    """Draw further runs of the same system on the same items: one answer per item in each."""
    if grades.is_binary:
        rates = draw_rates(grades, rng)
        values = (rng.random((number, len(rates))) < rates).astype(np.float64)
    else:
        noise = rng.normal(0, rerun_deviation(grades), (number, len(grades.sums)))
        values = np.clip(grades.means + noise, *grades.bounds)
    ones = np.ones_like(grades.repeats)
    return [replace(grades, repeats=ones, sums=row, squares=row**2) for row in values]
