"""What the outcomes could add to the difference of two forecasters' mean scores, as sums over cases.

Case i adds d_i(k) to the difference if class k occurs: one of K numbers that are known before the outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from edgeworth.common.arrays import Floats, freeze
from edgeworth.common.threads import map_blocks, row_blocks
from edgeworth.core.serialization import FLOATS, TEXT, Serializable, tuple_of
from edgeworth.errors import MergeError
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import PROPER_SCORES, case_scores

BLOCK_VALUES = 1 << 14
"""Possible differences computed at once, few enough to stay in cache."""


@dataclass(frozen=True, eq=False)
class PossibleDifferences(Serializable):
    """Sums over cases of what their outcomes did and could add to a difference, one number per score.

    With sampling weights, a case adds w_i d_i(k).
    """

    FIELDS: ClassVar = {
        "scores": tuple_of(TEXT).of("names"),
        "observed": FLOATS,
        "implied": FLOATS,
        "squared_ranges": FLOATS,
        "lowest": FLOATS,
        "highest": FLOATS,
    }

    names: tuple[str, ...]
    observed: Floats
    """Σ (d_i(y_i) − μ_i)², with the mean μ_i of d_i under probabilities halfway between both forecasts."""
    implied: Floats
    """The expected value of ``observed`` if probabilities are halfway between both forecasts."""
    squared_ranges: Floats
    """Σ (max d_i − min d_i)², infinite if a score has no bound because a class has probability 0."""
    lowest: Floats
    """Σ min d_i."""
    highest: Floats
    """Σ max d_i."""

    def __post_init__(self) -> None:
        freeze(self.observed, self.implied, self.squared_ranges, self.lowest, self.highest)

    @classmethod
    def of(cls, first: Forecasts, second: Forecasts, scores: Sequence[str]) -> Self:
        """Sum over the cases of two forecasters, a block at a time.

        >>> pair = Forecasts.of([1, 0], [0.9, 0.9]), Forecasts.of([1, 0], [0.5, 0.5])
        >>> result = PossibleDifferences.of(*pair, ["brier"])
        >>> result.lowest.round(2).tolist(), result.highest.round(2).tolist()
        ([-0.48], [1.12])
        """

        def sums_of(rows: slice[int, int, None]) -> Floats:
            return np.array([_sums(first[rows], second[rows], score) for score in scores])

        size = max(1, BLOCK_VALUES // len(first.labels))
        parts = map_blocks(sums_of, row_blocks(len(first), size))
        return cls(tuple(scores), *np.sum(parts, axis=0).T)

    def variance_seen(self, score: str) -> float:
        """Divide the variance of a difference by the one that forecasts halfway between the two imply.

        Many cases in which the forecasts are nearly the same can hide that nothing happened in the few cases
        in which they differ. Halfway between two forecasts, their expected Brier scores are equal.

        >>> codes = [0, 1] * 50 + [0] * 100
        >>> first, second = (np.repeat(p, 100) for p in ([0.45, 0.0001], [0.4505, 0.01]))
        >>> pair = Forecasts.of(codes, first), Forecasts.of(codes, second)
        >>> round(PossibleDifferences.of(*pair, ["brier"]).variance_seen("brier"), 2)
        0.12
        """
        index = self.names.index(score)
        implied = float(self.implied[index])
        return float(self.observed[index]) / implied if implied > 0 else 1.0

    def __add__(self, other: Self) -> Self:
        """Add the cases of both."""
        if self.names != other.names:
            raise MergeError("two parts have possible differences of different scores")
        return replace(
            self,
            observed=self.observed + other.observed,
            implied=self.implied + other.implied,
            squared_ranges=self.squared_ranges + other.squared_ranges,
            lowest=self.lowest + other.lowest,
            highest=self.highest + other.highest,
        )

    rule: ClassVar = "each score has one sum of each kind, and no lowest sum is above the highest"

    def _fits_together(self) -> bool:
        sums = (self.observed, self.implied, self.squared_ranges, self.lowest, self.highest)
        return (
            all(values.shape == (len(self.names),) for values in sums)
            and set(self.names) <= set(PROPER_SCORES)
            and all(bool(np.all(values >= 0)) for values in sums[:3])
            and bool(np.isfinite(sums[:2]).all())
            and bool(np.all(self.lowest <= self.highest))
        )


def add_possible(
    first: PossibleDifferences | None, second: PossibleDifferences | None
) -> PossibleDifferences | None:
    """Add the sums of two parts; None if one of them has none."""
    return None if first is None or second is None else first + second


def possible_differences(first: Forecasts, second: Forecasts, score: str) -> Floats:
    """Compute what each case would add to the difference if each class occurred: a row per class."""
    rows = []
    for index in range(len(first.labels)):
        codes = np.full_like(first.codes, index)
        with np.errstate(divide="ignore", invalid="ignore"):
            first_scores, second_scores = (
                case_scores(replace(system, codes=codes), (score,))[0] for system in (first, second)
            )
            rows.append(first_scores - second_scores)
    return np.array(rows)


def _sums(first: Forecasts, second: Forecasts, score: str) -> tuple[float, float, float, float, float]:
    possible = possible_differences(first, second, score)
    has_bounds = np.isfinite(possible).all(axis=0)
    low = np.where(has_bounds, possible.min(axis=0), -np.inf)
    high = np.where(has_bounds, possible.max(axis=0), np.inf)
    # Outcomes that a forecaster rules out have no variance; if one occurs, the log score is undefined.
    possible[~np.isfinite(possible)] = 0.0
    shares = (first.probabilities.T + second.probabilities.T) / 2
    means = (shares * possible).sum(axis=0)
    implied = (shares * (possible - means) ** 2).sum(axis=0)
    observed = (possible[first.codes, np.arange(len(first))] - means) ** 2
    squared_ranges = (high - low) ** 2
    weights = np.ones(len(first)) if first.weights is None else first.weights
    square = weights**2
    # A weight of 0 takes the case out, whatever its range.
    is_counted = weights > 0
    low, high, squared_ranges = (np.where(is_counted, values, 0.0) for values in (low, high, squared_ranges))
    return (
        float(square @ observed),
        float(square @ implied),
        float(square @ squared_ranges),
        float(weights @ low),
        float(weights @ high),
    )
