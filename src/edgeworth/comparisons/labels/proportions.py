"""Two proportions of the same cases, such as accuracy or recall, compared by their discordant cases."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from edgeworth.common.arrays import Numbers
from edgeworth.comparisons.difference import Effect
from edgeworth.comparisons.labels.joint_cells import JointCells, Places
from edgeworth.comparisons.randomization.coins import mcnemar
from edgeworth.core.clusters import cluster_variance_of_ratios
from edgeworth.core.measures import Combination
from edgeworth.core.sampling_distributions import (
    Alternative,
    ClopperPearsonLaw,
    NewcombeLaw,
    bisect,
    choose_tail,
    normal_quantile,
    quantile_that_reaches,
    student_quantile,
)
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.effective_sizes import cells_of_proportions, combination_of
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import Resolved


@dataclass(frozen=True)
class PairedProportions:
    """Trials that both predictors had, and those in which only one of them succeeded.

    As a sampling law it is Tango's: the differences that a normal test with the variance under that very
    difference keeps (Tango 1998). At a difference of 0 that test is McNemar's. It needs no correction for
    few discordant cases, nor for none. With few degrees of ``freedom`` Student's t takes the normal's place.

    >>> table = PairedProportions(6, 16, 161)  # Cavo et al. 2012, in Fagerland, Lydersen & Laake 2017
    >>> [round(bound, 4) for bound in table.interval(0.95)]
    [-0.124, -0.0054]
    """

    only_first: float
    only_second: float
    trials: float
    freedom: float = math.inf

    def swap(self) -> PairedProportions:
        """Exchange the two predictors."""
        return replace(self, only_first=self.only_second, only_second=self.only_first)

    @property
    def value(self) -> float:
        """The difference of the two proportions."""
        return (self.only_first - self.only_second) / self.trials

    @property
    def standard_error(self) -> float:
        """√(b + c − (b − c)²/n)/n."""
        discordant = self.only_first + self.only_second
        return math.sqrt(discordant - (self.only_first - self.only_second) ** 2 / self.trials) / self.trials

    def interval(self, level: float) -> tuple[float, float]:
        """Return the differences that the score test does not reject at a level."""
        return self.bounds(student_quantile(level, self.freedom))

    def over_clusters(
        self, clusters: Sequence[Hashable] | Places, ahead: Numbers, weight: Numbers
    ) -> PairedProportions | None:
        """Take as many trials as have the variance between clusters (CR2), given who is ahead in each trial.

        At most those there are, and no fewer than clusters whose trials are all the same would leave. None
        where all trials are in one cluster.
        """
        _, cluster = np.unique(np.asarray(clusters), return_inverse=True)
        sums, sizes = (np.bincount(cluster, values).astype(np.float64) for values in (weight * ahead, weight))
        spread = cluster_variance_of_ratios(sums - self.value * sizes, sizes)
        if not spread.freedom > 0:
            return None
        trials, seen = spread.effective, self.standard_error**2
        if spread.variance > 0 and seen > 0:
            trials = min(max(self.trials * seen / spread.variance, trials), self.trials)
        part = trials / self.trials
        return PairedProportions(self.only_first * part, self.only_second * part, trials, spread.least)

    def bounds(self, quantile: float) -> tuple[float, float]:
        """Return the differences within a number of standard deviations, computed under each difference."""
        return self._bound(-1.0, quantile), self._bound(1.0, -quantile)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Test a difference by its score."""
        lower, upper = scipy.special.stdtr(self.freedom, np.array([1, -1]) * self.score(null))
        return choose_tail(float(lower), float(upper), alternative)

    def score(self, difference: float) -> float:
        """Compute how many standard deviations the observed difference lies above a given one."""
        b, c, n = self.only_first, self.only_second, self.trials
        gap = b - c - n * difference
        if gap == 0:
            return 0.0
        # The likeliest share of cases that only the second gets right, given the difference.
        linear = (2 * n - b + c) * difference - b - c
        root = math.sqrt(max(0.0, linear**2 + 8 * n * c * difference * (1 - difference)))
        share = (root - linear) / (4 * n)
        variance = n * (2 * share + difference * (1 - difference))
        return gap / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, gap)

    def _bound(self, end: float, wanted: float) -> float:
        """Find the difference at which the score has a value; larger differences have smaller scores."""
        if abs(self.score(end)) < abs(wanted):
            return end
        away = bisect(
            lambda part: abs(self.score(self.value + part * (end - self.value))) >= abs(wanted), 0.0, 1.0
        )
        return self.value + away * (end - self.value)

    def tests(self) -> dict[str, TestResult]:
        """Give McNemar's tests of whole cases, exact and mid-p."""
        wins, losses = int(self.only_first), int(self.only_second)
        return {"mcnemar": mcnemar(wins, losses), "mcnemar mid-p": mcnemar(wins, losses, mid_p=True)}

    def effect(self) -> Effect | None:
        """Compute the log odds that a discordant case favours the first, with an exact interval."""
        discordant = self.only_first + self.only_second
        if not discordant:
            return None
        value = _log_odds(self.only_first / discordant)
        return Effect("log odds ratio of discordant cases", value, self._log_odds_bounds)

    def _log_odds_bounds(self, level: float) -> tuple[float, float]:
        low, high = ClopperPearsonLaw(self.only_first, self.only_first + self.only_second).interval(level)
        return _log_odds(low), _log_odds(high)

    def __str__(self) -> str:
        clusters = "" if math.isinf(self.freedom) else " at the variance between clusters (CR2)"
        return f"Tango's score interval{clusters}"


def paired_proportions(
    cells: JointCells, resolved: Resolved, *, clustered: bool = False
) -> PairedProportions | None:
    """Write a measure as two proportions of the same cases; return None if it is not one.

    Precision is not: each predictor has its own trials, the cases it predicted to have the label. Nor are
    ``clustered`` cases, unless they are asked for.
    """
    if resolved.measure.proportion is None or (cells.clusters is not None and not clustered):
        return None
    counted = (
        [part[0, positions] > 0 for part in cells_of_proportions(table, resolved)]
        for table, positions in zip(cells.tables, cells.places, strict=True)
    )
    (success, trial), (other, other_trial) = counted
    if not np.array_equal(trial, other_trial) or not trial.any():
        return None
    proportions = _stratum(cells, trial, success, other)
    if cells.clusters is None:
        return proportions
    ahead = success.astype(int) - other
    return proportions.over_clusters(cells.clusters[trial], ahead[trial], cells.weight[trial])


def _log_odds(share: float) -> float:
    if share in (0.0, 1.0):
        return math.copysign(math.inf, share - 0.5)
    return math.log(share) - math.log1p(-share)


@dataclass(frozen=True)
class PairedCombination:
    """Σ weight · difference of paired proportions, of independent strata of cases: here, of real classes.

    >>> perfect = (1.0, PairedProportions(0, 0, 30)), (-1.0, PairedProportions(0, 30, 30))
    >>> [round(bound, 3) for bound in PairedCombination(perfect).interval(0.95)]
    [0.746, 1.114]
    """

    parts: tuple[tuple[float, PairedProportions], ...]

    @property
    def value(self) -> float:
        """The difference of the two measures."""
        return math.fsum(weight * part.value for weight, part in self.parts)

    @property
    def standard_error(self) -> float:
        """Variances of the strata, added."""
        return math.sqrt(math.fsum((weight * part.standard_error) ** 2 for weight, part in self.parts))

    def interval(self, level: float) -> tuple[float, float]:
        """Square and add at this level."""
        return self._bounds(normal_quantile(level))

    def _bounds(self, quantile: float) -> tuple[float, float]:
        down = up = 0.0
        for weight, part in self.parts:
            low, high = part.bounds(quantile)
            below, above = (part.value - low, high - part.value)
            down += (weight * (below if weight > 0 else above)) ** 2
            up += (weight * (above if weight > 0 else below)) ** 2
        return self.value - math.sqrt(down), self.value + math.sqrt(up)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Find the level at which the interval just reaches the null."""
        if null == self.value:
            return choose_tail(0.5, 0.5, alternative)
        tail = float(scipy.special.ndtr(-quantile_that_reaches(self._bounds, self.value, null)))
        return choose_tail(*((1 - tail, tail) if null < self.value else (tail, 1 - tail)), alternative)

    def __str__(self) -> str:
        return "Tango's score intervals of each real class, squared and added"


def paired_combination(cells: JointCells, resolved: Resolved) -> PairedCombination | None:
    """Write a measure as a combination of paired proportions, one per real class; None if it is not one.

    Independent cases, and a decision from both on each of them: otherwise the two have other trials.
    """
    if cells.clusters is not None or any(table.abstained.any() for table in cells.tables):
        return None
    combination = combination_of(cells.tables[0], resolved)
    if combination is None:
        return None
    (first, real), (second, _) = (cells.split(positions) for positions in cells.places)
    classes = np.flatnonzero(cells.tables[0].real > 0)
    if resolved.measure.combination_strata == "classes":
        strata = (_stratum(cells, real == k, first == k, second == k) for k in classes)
        return PairedCombination(tuple(zip(combination.coefficients.tolist(), strata, strict=True)))
    if resolved.measure.combination_strata != "target":
        return None
    target = classes[0] if resolved.position is None else resolved.position
    sides = ((1.0, real == target), (-1.0, real != target))
    return PairedCombination(
        tuple((sign, _stratum(cells, where, first == target, second == target)) for sign, where in sides)
    )


def independent_proportions(
    first: ContingencyTable, second: ContingencyTable, *resolved: Resolved
) -> Combination | None:
    """Write a difference as a combination of independent proportions; None if it is none.

    The measure is resolved for each table.
    """
    plus, minus = map(combination_of, (first, second), resolved)
    if plus is None or minus is None:
        return None
    return Combination(
        plus.constant - minus.constant,
        np.concatenate([plus.coefficients, -minus.coefficients]),
        np.concatenate([plus.successes, minus.successes]),
        np.concatenate([plus.trials, minus.trials]),
    )


@dataclass(frozen=True)
class AsIfIndependent(NewcombeLaw):
    """Newcombe's law of two systems' proportions if the sample shows no error, and so no correlation.

    Systems that judge the same cases mostly err together, so it is wider than it need be.
    """

    def __str__(self) -> str:
        return "Newcombe's interval as if of different cases: no error is seen, so no correlation either"


def as_if_independent(cells: JointCells, resolved: Resolved) -> AsIfIndependent | None:
    """Build the law of a difference of proportions whose trials differ, such as precisions."""
    combination = independent_proportions(*cells.tables, resolved, resolved) if cells.is_plain else None
    return None if combination is None else AsIfIndependent(combination)


def _stratum(
    cells: JointCells,
    inside: NDArray[np.bool_],
    first_right: NDArray[np.bool_],
    second_right: NDArray[np.bool_],
) -> PairedProportions:
    """Count trials and discordant ones; sampling weights count as the effective number of cases."""
    parts = [
        cells.weight[where].sum().item()
        for where in (inside & first_right & ~second_right, inside & second_right & ~first_right, inside)
    ]
    if cells.square is not None:
        effective = parts[2] / float(cells.square[inside].sum())
        parts = [effective * part for part in parts]
    return PairedProportions(*parts)
