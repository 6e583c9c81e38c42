"""Two forecasters side by side: how often which pair of probabilities was said, on a grid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from edgeworth.core.joint_counts import Numbers
from edgeworth.core.labels import listed
from edgeworth.core.matrices import same_array
from edgeworth.core.plain import COUNTS, LABELS, Plain
from edgeworth.errors import InputError, MergeError
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.sources.columns import Label

CELLS = 40
"""Cells from 0 to 1 on either side; the last holds 1 as well."""


@dataclass(frozen=True, eq=False)
class ForecastPairs(Plain):
    """Pairs of probabilities that two forecasters gave the second of two classes.

    In ``counts[i, j]`` cases the first was in cell i and the other in cell j; in ``hits[i, j]`` of them the
    class came true.
    """

    kind: ClassVar = "forecast_pairs"
    FIELDS: ClassVar = {"labels": LABELS, "counts": COUNTS, "hits": COUNTS}

    labels: tuple[Label, ...]
    counts: Numbers
    hits: Numbers

    def __post_init__(self) -> None:
        for array in (self.counts, self.hits):
            array.setflags(write=False)

    @classmethod
    def empty(cls) -> Self:
        """No cases."""
        return cls((), np.zeros((CELLS, CELLS), np.int64), np.zeros((CELLS, CELLS), np.int64))

    @classmethod
    def from_forecasts(cls, forecasts: Forecasts, rival: Forecasts) -> Self:
        """Count pairs of checked forecasts.

        >>> one = Forecasts.of([1, 0], np.array([[0.2, 0.8], [0.9, 0.1]]))
        >>> found = ForecastPairs.from_forecasts(one, one)
        >>> found.counts[32, 32], found.hits[32, 32], found.counts[4, 4], found.hits[4, 4]
        (np.int64(1), np.int64(1), np.int64(1), np.int64(0))
        """
        if forecasts.size != 2 or rival.labels != forecasts.labels or len(rival) != len(forecasts):
            raise InputError("pairs are of two forecasts of the same cases, of two classes")
        mine, its = (
            np.minimum((each.probabilities[:, 1] * CELLS).astype(np.int64), CELLS - 1)
            for each in (forecasts, rival)
        )
        cells = mine * CELLS + its
        counts, hits = (
            np.bincount(found, minlength=CELLS**2).reshape(CELLS, CELLS)
            for found in (cells, cells[forecasts.codes == 1])
        )
        return cls(forecasts.labels, counts, hits)

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return int(self.counts.sum())

    def __add__(self, other: Self) -> Self:
        """All cases of both."""
        if not isinstance(other, ForecastPairs):
            return NotImplemented
        if not self.labels or not other.labels:
            return self if self.labels else other
        if self.labels != other.labels:
            raise MergeError(
                f"pairs of forecasts of {listed(self.labels)} do not add to those of {listed(other.labels)}"
            )
        return replace(self, counts=self.counts + other.counts, hits=self.hits + other.hits)

    rule: ClassVar = "a grid of 40 by 40 has two classes, and no more hits than cases"

    def _fits_together(self) -> bool:
        """Check the rule."""
        return (
            self.counts.shape == self.hits.shape == (CELLS, CELLS)
            and bool(np.all(self.hits <= self.counts))
            and len(set(self.labels)) == len(self.labels)
            and len(self.labels) in (0, 2)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ForecastPairs):
            return NotImplemented
        same = same_array(self.counts, other.counts) and same_array(self.hits, other.hits)
        return self.labels == other.labels and same

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    def __repr__(self) -> str:
        return f"<ForecastPairs: {self.cases:,} cases>"
