"""Combinations of proportions, of the same cases or of different ones, with their intervals put together.

Informedness of two classes is recall less fallout: a proportion of the targets less one of the background,
which are different cases. The difference of two systems is then one of paired proportions for each class, and
each of those has Tango's score interval [l, u] around d, which knows that even no discordant case leaves some
doubt. Squared and added (MOVER: Zou & Donner 2008), for Σ w d over independent classes:

    lower = Σ w d − √(Σ (w (d − l))² over w > 0, (w (u − d))² over w < 0), the upper one its mirror image.

The delta method's interval has no width where the sample shows no error (a perfect system against a constant
one), which these never do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from edgeworth.comparing.labels.joint_cells import JointCells
from edgeworth.comparing.labels.paired_proportions import PairedProportions
from edgeworth.core.definition import Combination
from edgeworth.core.laws import Alternative, NewcombeLaw, choose_tail, normal_quantile
from edgeworth.decisions.computing import Resolved
from edgeworth.decisions.methods import combination_of
from edgeworth.decisions.table import ContingencyTable

FARTHEST = 40.0
"""Standard deviations beyond which a tail is not followed."""

OF_CLASSES = ("balanced_accuracy", "adjusted_balanced_accuracy", "break_even_margin")
"""Measures that add up the recall of every class."""


@dataclass(frozen=True)
class PairedCombination:
    """Σ weight · difference of paired proportions, of independent strata of cases: here, of real classes.

    >>> perfect = PairedProportions(0, 0, 30), PairedProportions(0, 30, 30)
    >>> [round(bound, 3) for bound in PairedCombination((1.0, -1.0), perfect).interval(0.95)]
    [0.746, 1.114]
    """

    weights: tuple[float, ...]
    strata: tuple[PairedProportions, ...]

    @property
    def value(self) -> float:
        """The difference of the two measures."""
        return math.fsum(weight * part.value for weight, part in self._parts)

    @property
    def standard_error(self) -> float:
        """Variances of the strata, added."""
        return math.sqrt(math.fsum((weight * part.standard_error) ** 2 for weight, part in self._parts))

    @property
    def _parts(self) -> list[tuple[float, PairedProportions]]:
        return list(zip(self.weights, self.strata, strict=True))

    def interval(self, level: float) -> tuple[float, float]:
        """Square and add at this level."""
        return self._bounds(normal_quantile(level))

    def _bounds(self, quantile: float) -> tuple[float, float]:
        down = up = 0.0
        for weight, part in self._parts:
            low, high = part.bounds(quantile)
            below, above = (part.value - low, high - part.value)
            down += (weight * (below if weight > 0 else above)) ** 2
            up += (weight * (above if weight > 0 else below)) ** 2
        return self.value - math.sqrt(down), self.value + math.sqrt(up)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """The level at which the null would just leave the interval."""
        if null == self.value:
            return choose_tail(0.5, 0.5, alternative)
        side = 0 if null < self.value else 1
        near, far = 0.0, FARTHEST
        for _ in range(50):
            middle = (near + far) / 2
            reached = abs(self._bounds(middle)[side] - self.value) >= abs(null - self.value)
            near, far = (near, middle) if reached else (middle, far)
        tail = float(scipy.special.ndtr(-far))
        lower, upper = (1 - tail, tail) if null < self.value else (tail, 1 - tail)
        return choose_tail(lower, upper, alternative)

    def __str__(self) -> str:
        return "Tango's score intervals of each real class, squared and added"


def paired_combination(cells: JointCells, resolved: Resolved) -> PairedCombination | None:
    """The measure as a combination of paired proportions, one a real class; None where it is no such thing.

    Whole independent cases, and a decision from both on each of them: otherwise the two have other trials.
    """
    if not cells.is_plain or any(table.abstained.any() for table in cells.tables):
        return None
    found = combination_of(cells.tables[0], resolved)
    if found is None:
        return None
    (first, real), (second, _) = (cells.split(place) for place in cells.places)
    if resolved.measure.name in OF_CLASSES:
        classes = np.flatnonzero(cells.tables[0].real > 0)
        strata = [_stratum(cells, real == k, first == k, second == k) for k in classes]
        return PairedCombination(tuple(found.coefficients.tolist()), tuple(strata))
    if resolved.measure.name != "informedness":
        return None
    target = (
        int(np.flatnonzero(cells.tables[0].real > 0)[0]) if resolved.position is None else resolved.position
    )
    inside = real == target
    strata = [_stratum(cells, where, first == target, second == target) for where in (inside, ~inside)]
    return PairedCombination((1.0, -1.0), tuple(strata))


def independent_combination(table: ContingencyTable, resolved: Resolved) -> Combination | None:
    """The measure of one table as a combination of independent proportions, a single one included."""
    proportion = resolved.measure.proportion
    if proportion is None:
        return combination_of(table, resolved)
    successes, trials = proportion(resolved.view(table.cells))
    return Combination(0.0, np.ones(1), np.array([float(successes)]), np.array([float(trials)]))


def less(plus: Combination, minus: Combination) -> Combination:
    """One combination of independent proportions less another."""
    return Combination(
        plus.constant - minus.constant,
        np.concatenate([plus.coefficients, -minus.coefficients]),
        np.concatenate([plus.successes, minus.successes]),
        np.concatenate([plus.trials, minus.trials]),
    )


@dataclass(frozen=True)
class AsIfIndependent(NewcombeLaw):
    """Newcombe's law of two systems' proportions where the sample shows no error, so no correlation either.

    Systems that judge the same cases mostly err together, so it is wider than it need be.
    """

    def __str__(self) -> str:
        return "Newcombe's interval as if of different cases: no error is seen, so no correlation either"


def as_if_independent(cells: JointCells, resolved: Resolved) -> AsIfIndependent | None:
    """The law of a difference of proportions with trials of their own, such as precisions."""
    plus, minus = (independent_combination(table, resolved) for table in cells.tables)
    if not cells.is_plain or plus is None or minus is None:
        return None
    return AsIfIndependent(less(plus, minus))


def _stratum(
    cells: JointCells, inside: NDArray[np.bool_], one: NDArray[np.bool_], two: NDArray[np.bool_]
) -> PairedProportions:
    def total(where: NDArray[np.bool_]) -> int:
        return int(cells.weight[where].sum())

    return PairedProportions(total(inside & one & ~two), total(inside & two & ~one), total(inside))
