"""The bootstrap of differences between two rankings of the same cases.

Each system is sorted once, because drawing cases does not change their order. A replicate only counts how
often each position was drawn, with the same cases for both systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Numbers
from edgeworth.common.progress import track_rounds
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.comparisons.scores.influence import cluster_factors, distances
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError
from edgeworth.rankings.intervals.clusters import CaseRanks
from edgeworth.rankings.intervals.methods import Places, has_influence, influence_of
from edgeworth.rankings.intervals.resampling import tie_groups_of_places
from edgeworth.rankings.measure_lookup import ResolvedRanking

MAX_PLACES_AT_ONCE = 1 << 19
"""Places, or cases, held at once."""


def bootstrap_differences(
    paired: PairedScores,
    first: str,
    second: str,
    resolved: ResolvedRanking,
    draws: int,
    seed: int | np.random.Generator,
) -> Floats:
    """Compute the difference in replicates with the same numbers of targets and background.

    With clusters, whole clusters of any class are drawn, so the number of targets varies.
    """
    if not paired.is_counted:
        raise OptionError("a bootstrap of rankings draws whole cases; with sampling weights use Influence()")
    if paired.clusters is not None and paired.units < 2:
        raise OptionError("all cases are in one cluster: there is nothing to resample")
    both = (paired.case_ranks(first), paired.case_ranks(second))
    classes = [of for of in (np.flatnonzero(paired.targets), np.flatnonzero(~paired.targets)) if len(of)]
    size = max(1, MAX_PLACES_AT_ONCE // max(1, sum(ranks.places for ranks in both)))
    generator = np.random.default_rng(seed)
    differences = []
    for start in track_rounds(draws, size, "draws"):
        first_counts, second_counts = (np.zeros((min(size, draws - start), ranks.places)) for ranks in both)
        for rows in zip(first_counts, second_counts, strict=True):
            times = _times_drawn(paired, classes, generator)
            for row, ranks in zip(rows, both, strict=True):
                row += np.bincount(ranks.place, weights=times, minlength=ranks.places)
        differences.append(differences_of(first_counts, second_counts, both, resolved))
    return np.concatenate(differences)


def _times_drawn(
    paired: PairedScores, classes: Sequence[NDArray[np.intp]], generator: np.random.Generator
) -> Numbers:
    """Draw as many cases as there are, with replacement, and count how often each case was drawn."""
    if paired.clusters is not None:
        chosen = generator.integers(0, paired.units, size=paired.units)
        return np.bincount(chosen, minlength=paired.units)[paired.clusters.codes] * paired.case_weights
    times = np.zeros(len(paired))
    for cases in classes:
        if paired.weights is None:
            chosen = generator.integers(0, len(cases), size=len(cases))
            times[cases] = np.bincount(chosen, minlength=len(cases))
        else:
            weights = paired.weights[cases].astype(np.float64)
            times[cases] = generator.multinomial(int(weights.sum()), weights / weights.sum())
    return times


def differences_of(
    first_counts: Floats, second_counts: Floats, both: tuple[CaseRanks, CaseRanks], resolved: ResolvedRanking
) -> Floats:
    """Compute the difference of two rankings whose cases are counted by place, a replicate a row."""
    values = [
        resolved.values(tie_groups_of_places(counts, ranks.steps))
        for counts, ranks in zip((first_counts, second_counts), both, strict=True)
    ]
    return np.asarray(values[0] - values[1])


SAME_DIFFERENCE = 1e-12
"""Differences closer than this are the same number with other rounding."""


@dataclass(frozen=True, eq=False)
class SwappedRanks:
    """Differences of a measure after random swaps, and how many standard errors they are from 0.

    ``distances`` are None of a measure whose cases' effects are not known. The observed ones are of no swap.
    """

    observed: float
    differences: Floats
    distance: float
    distances: Floats | None
    unit: str
    seed: int

    @classmethod
    def of(
        cls,
        paired: PairedScores,
        first: str,
        second: str,
        resolved: ResolvedRanking,
        draws: int,
        seed: int,
        *,
        studentised: bool = True,
    ) -> Self:
        """Draw random swaps; with ``studentised`` distances where effects of cases are known.

        Within folds the cases of each are swapped, and what is compared are means over folds.
        """
        if not paired.is_counted:
            raise OptionError("swapping systems needs single cases; these have sampling weights")
        has_distances = studentised and has_influence(resolved) and paired.targets.sum() >= 2
        generator = np.random.default_rng(seed)
        parts = []
        for part in paired.parts:
            rows = np.repeat(np.arange(len(part)), part.case_weights.astype(np.int64))
            swaps = _Swaps(replace(part.select(rows), weights=None), first, second, resolved)
            make = swaps.moments if has_distances else swaps.values
            no_swap = np.zeros((1, swaps.units), dtype=bool)
            made = [make(no_swap), *map(make, swaps.random(draws, generator))]
            parts.append(np.concatenate(made, axis=1))
        first_values, second_values = np.mean([part[:2] for part in parts], axis=0)
        distance = np.full(len(first_values), np.nan)
        if has_distances:
            variances = np.sum([part[2:] for part in parts], axis=0) / len(parts) ** 2
            distance = distances((first_values, second_values), variances, not resolved.measure.is_area)
        differences, far = first_values - second_values, distance[1:] if has_distances else None
        unit = "cases" if paired.clusters is None else "clusters"
        return cls(float(differences[0]), differences[1:], float(distance[0]), far, unit, seed)

    @property
    def tail(self) -> TestResult:
        """P(a difference as large).

        What is tested is that the two are exchangeable: equal values of the measure are not enough when the
        systems' hits are spread differently.
        """
        count = int((np.abs(self.differences) >= abs(self.observed) - SAME_DIFFERENCE).sum())
        method = f"swaps of ranks in random {self.unit}"
        return TestResult.from_draws(count, len(self.differences), self.seed, method)


class _Swaps:
    """The rank of each case in both systems, on the scale of the first and on that of the second."""

    def __init__(self, paired: PairedScores, first: str, second: str, resolved: ResolvedRanking) -> None:
        ranks = [_midranks(paired.row(name)) for name in (first, second)]
        levels = np.concatenate([row[paired.targets] for row in ranks])
        self.ranks, other = (CaseRanks.among(levels, row, paired.targets) for row in ranks)
        self.one, self.two = self.ranks.place, other.place
        self.resolved, self.clusters, self.units = resolved, paired.clusters, paired.units
        self.factors = None if paired.clusters is None else cluster_factors(paired)

    def random(self, draws: int, generator: np.random.Generator) -> Iterator[NDArray[np.bool_]]:
        """Yield rows of random swaps, as many at once as fit into memory."""
        size = max(1, MAX_PLACES_AT_ONCE // max(1, len(self.one), self.ranks.places))
        for start in track_rounds(draws, size, "draws"):
            shape = (min(size, draws - start), self.units)
            yield generator.integers(0, 2, size=shape, dtype=np.uint8).astype(bool)

    def values(self, swap: NDArray[np.bool_]) -> Floats:
        """Compute the values of the first and of the second, one row each."""
        groups = (tie_groups_of_places(self._counts(x), self.ranks.steps) for x in self._places(swap))
        return np.stack([self.resolved.values(tie_groups) for tie_groups in groups])

    def moments(self, swap: NDArray[np.bool_]) -> Floats:
        """Compute both values, and the variances of the first, the second and the difference."""
        values, effects = [], []
        for positions in self._places(swap):
            influence = influence_of(
                Places.of_counts(self._counts(positions), self.ranks.steps), self.resolved
            )
            values.append(influence.value)
            effects.append(np.take_along_axis(influence.concatenate(), positions, axis=1))
        return np.stack([*values, *map(self._variance, (*effects, effects[0] - effects[1]))])

    def _places(self, swap: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        of_cases = swap if self.clusters is None else swap[:, self.clusters.codes]
        return np.where(of_cases, self.two, self.one), np.where(of_cases, self.one, self.two)

    def _counts(self, positions: NDArray[np.intp]) -> Floats:
        width = self.ranks.places
        rows = np.arange(len(positions))[:, None] * width
        counts = np.bincount((positions + rows).ravel(), minlength=len(positions) * width)
        return counts.reshape(len(positions), width).astype(np.float64)

    def _variance(self, effects: Floats) -> Floats:
        """Sum squared influences, within clusters first: ``influence.spread_of`` for whole cases."""
        if self.clusters is None or self.factors is None:
            return np.asarray(np.einsum("ij,ij->i", effects, effects))
        order = np.argsort(self.clusters.codes, kind="stable")
        starts = np.searchsorted(self.clusters.codes[order], np.arange(self.units))
        sums = np.add.reduceat((effects * self.factors)[:, order], starts, axis=1)
        return np.asarray(np.einsum("ij,ij->i", sums, sums))


def _midranks(scores: Floats) -> Floats:
    """Rank scores from the lowest; tied cases share the mean of their ranks."""
    _, level, counts = np.unique(scores, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[level])
