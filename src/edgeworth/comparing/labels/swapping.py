"""Randomisation of any measure: two predictors' outputs swapped case by case, or group by group."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.comparing.labels.joint_cells import JointCells
from edgeworth.comparing.labels.replicates import (
    Draw,
    Replicates,
    affordable,
    remembered,
    replicate,
    seen,
    units_of,
)
from edgeworth.comparing.randomisation.fair_coins import random_heads
from edgeworth.core.tails import Tail
from edgeworth.decisions.computing import Resolved
from edgeworth.errors import OptionError

SAME = 1e-12
"""Rounding may make a swap count as extreme, never as harmless."""

MOST_WAYS = 1 << 15
"""Up to so many swaps that are different in kind, all are gone through."""


def swap_test(cells: JointCells, resolved: Resolved, *, draws: int = 10_000, seed: int = 0) -> Tail:
    """P(a difference at least as large, either way) when outputs are swapped at random.

    If neither predictor is better, who said what on a case (on all cases of a group, where rows come in
    groups) is a matter of a coin. All ways are gone through when they are few, otherwise some are drawn. A
    system that a swap leaves without a value has the one of ``without_value``: as a rule 0/0 is 0.
    """
    if cells.groups is None and not cells.is_counted:
        raise OptionError("randomisation swaps whole cases, and these have sampling weights: use Delta()")
    first, second = cells.values(resolved)
    least = abs(first - second) - SAME * max(1.0, abs(first), abs(second))
    swaps = _Swaps.of(cells, resolved)
    coins = sum(swaps.limits.tolist())
    if not coins:
        return Tail.counted(Fraction(1), "there is nothing to swap")
    said = f"{coins:,} {'cases' if cells.groups is None else 'groups'} that differ"
    ways = math.prod(limit + 1 for limit in swaps.limits.tolist())

    def beyond(replicates: Replicates) -> NDArray[np.bool_]:
        gaps = np.abs(replicates.differences(resolved, without_value(resolved)))
        return np.asarray(np.isnan(gaps) | (gaps >= least))

    if ways <= MOST_WAYS:
        swapped = np.stack(np.unravel_index(np.arange(ways), swaps.limits + 1))
        count = swaps.number_of_ways(swapped[:, beyond(swaps.replicates(lambda _: swapped, ways))])
        return Tail.counted(Fraction(count, 2**coins), f"all swaps of {said}")
    number = affordable(draws, len(swaps.limits))

    def make() -> Replicates:
        rng = np.random.default_rng(seed)
        return swaps.replicates(lambda n: random_heads(rng, swaps.limits, n), number)

    count = int(beyond(remembered(cells, ("swaps", number, seed), resolved, make)).sum())
    method = f"Monte Carlo, {number:,} swaps of {said}, seed {seed}"
    return replace(Tail.drawn(count, number, seed), method=method)


def without_value(resolved: Resolved) -> float:
    """What counts where a swap leaves nothing to divide by: 0/0 is 0, as in trec_eval and scikit-learn.

    That is the worst of a share of successes and the level of guessing for informedness and its kin. Of a
    share of failures (false discovery rate) it is the other end, 1. A measure without bounds has none (nan),
    and such a swap counts as extreme.
    """
    low, high = resolved.measure.range
    if not (math.isfinite(low) and math.isfinite(high)):
        return math.nan
    return high if resolved.measure.direction == "lower" and low >= 0 else 0.0


@dataclass(frozen=True)
class _Swaps:
    """Units that can be swapped, how often each, and what a swap changes in what is seen of a table.

    Cases alike but for who said what are one unit: swaps start where the first said whatever comes first.
    """

    limits: NDArray[np.int64]
    change: Any
    first: Floats
    second: Floats
    size: int

    @classmethod
    def of(cls, cells: JointCells, resolved: Resolved) -> _Swaps:
        size = len(cells.tables[0].labels)
        one, two = cells.places
        unit, weight = units_of(cells)
        limits = np.ones(int(unit.max()) + 1, dtype=np.int64)
        if cells.groups is None:
            one, two = np.minimum(one, two), np.maximum(one, two)
            _, unit = np.unique(one * cells.tables[0].cells.size + two, return_inverse=True)
            weight = cells.weight.astype(np.float64)
            limits = np.zeros(int(unit.max()) + 1, dtype=np.int64)
            np.add.at(limits, unit, cells.weight)
        first, second = (seen(cells, place, unit, weight, resolved) for place in (one, two))
        change = (second - first).tocsc()
        change.eliminate_zeros()
        differs = np.diff(change.indptr) > 0
        each = change[:, differs]
        if cells.groups is None:
            each = each / limits[differs]
        return cls(limits[differs], each.tocsr(), first.sum(axis=1), second.sum(axis=1), size)

    def replicates(self, draw: Draw, number: int) -> Replicates:
        """Both tables after so many swaps of each unit."""
        moved = replicate(draw, self.change, -self.change, number, self.size)
        # Sums of weights may come out a hair below 0.
        return replace(
            moved,
            first=np.maximum(self.first + moved.first, 0),
            second=np.maximum(self.second + moved.second, 0),
        )

    def number_of_ways(self, swapped: NDArray[np.int64]) -> int:
        """In how many ways such swaps can be had: a binomial number for each unit."""
        return sum(math.prod(map(math.comb, self.limits.tolist(), way)) for way in swapped.T.tolist())
