"""Intervals of a ranking whose cases come in clusters: sums of influences within clusters.

The sum of squares of cluster sums, each grown by 1/(1 − h) where the cluster holds a share h of the case's
class, is the variance of the delete-one-cluster jackknife to first order. Its degrees of freedom come from
the fourth moments of the sums, and are at most Satterthwaite's for two means over clusters of these sizes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Numbers
from edgeworth.core.clusters import cluster_variance_of_ratios, effective_units_caveat, size_correlation
from edgeworth.core.policy import MAX_T_OF_CLUSTER_SIZE
from edgeworth.errors import OptionError

FREEDOM_FACTOR = 2.5
"""Degrees of freedom are FREEDOM_FACTOR·(Σ effect²)²/Σ effect⁴: 2 is Satterthwaite's, 3 would make n normal
effects worth n; 2.5 covers best for both measures on the binormal grid of bench/coverage.py."""

NO_VARIANCE = 1e-24
"""A variance below this is rounding."""


@dataclass(frozen=True)
class CaseRanks:
    """The position of each case of a ranking among its ``steps``, the distinct scores of targets, best first.

    ``place`` is k for a target of step k, steps + k for background tied with it, and 2·steps + k for
    background in the gap before it (k = steps: below them all). Cases in one place are alike to measures.
    """

    place: NDArray[np.intp]
    steps: int

    @property
    def places(self) -> int:
        """How many places there are."""
        return 3 * self.steps + 1

    @classmethod
    def among(cls, target_scores: Floats, scores: Floats, targets: NDArray[np.bool_]) -> Self:
        """Find the place of each case among the scores that targets have."""
        levels = np.unique(target_scores)
        steps = len(levels)
        below = np.searchsorted(levels, scores)
        is_level = below < steps
        is_level[is_level] = levels[below[is_level]] == scores[is_level]
        rank = np.where(is_level, 2 * steps - 1 - below, 3 * steps - below)
        rank[targets] -= steps
        return cls(rank, steps)


@dataclass(frozen=True)
class Spread:
    """A variance and its degrees of freedom."""

    variance: float
    freedom: float


@dataclass(frozen=True)
class ClusteredCases:
    """Cases that come in clusters: the weight of each case, whether it is a target, and its cluster.

    ``units`` are the typical weights of a target and of another case, Σw²/Σw: 1 for whole cases. ``starts``
    are the first cases of the folds, if the value is a mean over folds, whose cases are consecutive.
    """

    weights: Floats
    is_target: NDArray[np.bool_]
    codes: NDArray[np.intp]
    number: int
    units: tuple[float, float] = (1.0, 1.0)
    starts: tuple[int, ...] = (0,)

    def class_sums(self, values: Floats) -> Floats:
        """Sum values in each cluster, those of targets and those of background."""
        parts = [
            np.bincount(self.codes, values * of, self.number) for of in (self.is_target, ~self.is_target)
        ]
        return np.stack(parts, axis=1)

    def factors(self) -> Floats:
        """Compute by how much each case's effect grows because its cluster pulls the value towards itself.

        By 1/(1 − h) if the cluster holds a share h of the case's class: to first order that is what leaving
        the cluster out moves the value by. Effects already carry that correction for single cases: clusters
        of one case each change nothing. In a mean over folds, the share is that of the fold's cases.
        """
        if len(self.starts) > 1:
            folds = map(slice, self.starts, (*self.starts[1:], len(self.weights)))
            parts = [
                replace(
                    self,
                    weights=self.weights[fold],
                    is_target=self.is_target[fold],
                    codes=self.codes[fold],
                    starts=(0,),
                )
                for fold in folds
            ]
            return np.concatenate([part.factors() for part in parts])
        sizes = self.class_sums(self.weights)
        own = 1 - np.array(self.units) / sizes.sum(axis=0)
        with np.errstate(divide="ignore"):
            factors = own / np.maximum(1 - sizes / sizes.sum(axis=0), 0.0)
        return np.asarray(factors[self.codes, np.where(self.is_target, 0, 1)])

    def sums(self, effects: Floats) -> Floats:
        """Sum the effects of the cases of each cluster, grown by their factors; nan if one is infinite."""
        with np.errstate(invalid="ignore"):
            sums = np.bincount(self.codes, self.weights * effects * self.factors(), self.number)
        return np.asarray(sums, dtype=np.float64)

    def spread(self, effects: Floats) -> Spread:
        """Sum squared cluster sums, with the degrees of freedom of the sum."""
        if self.number < 2:
            raise OptionError("all cases are in one cluster, so the variance cannot be estimated")
        sizes = self.class_sums(self.weights)
        scale = self.class_sums(self.weights * effects**2).sum(axis=0) * sizes.sum(axis=0)
        by_size = cluster_variance_of_ratios(np.zeros_like(sizes), sizes, variances=scale).freedom
        if not by_size > 0:  # a class that one cluster holds
            return Spread(math.nan, 0.0)
        return spread_of_squares(self.sums(effects) ** 2, np.ones(self.number), by_size)

    def caveat(self, effects: Floats) -> str | None:
        """Return why an interval may cover less than its level, or None."""
        sizes, sums = (
            np.bincount(self.codes, values, self.number).astype(np.float64)
            for values in (self.weights, self.weights * effects)
        )
        if abs(size_correlation(sums, sizes)) > MAX_T_OF_CLUSTER_SIZE:
            return "large clusters differ from small ones"
        return effective_units_caveat(float(sizes.sum() ** 2 / (sizes**2).sum()), "clusters")


def spread_of_squares(squares: Floats, counts: Numbers, most: float) -> Spread:
    """Sum squares of independent units, with the degrees of freedom that their fourth moments leave."""
    second, fourth = float(counts @ squares), float(counts @ squares**2)
    # A variance has at least one degree of freedom.
    freedom = min(max(FREEDOM_FACTOR * second**2 / fourth, 1.0), most) if second > NO_VARIANCE else math.inf
    return Spread(second, freedom)
