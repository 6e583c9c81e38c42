"""Pairs of probabilities that two forecasters gave the same case."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Numbers, freeze
from edgeworth.core.serialization import COUNTS, FLOATS, LABELS, Serializable
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.sources.columns import Label

CELLS_PER_SIDE = 40
"""Cells from 0 to 1 on either side; the last holds 1 as well."""


@dataclass(frozen=True, eq=False)
class ForecastPairs(Serializable):
    """Pairs of probabilities that two forecasters gave the second of two classes.

    In ``counts[i, j]`` cases the first was in cell i and the other in cell j; in ``hits[i, j]`` of them the
    class came true.
    """

    name_in_files: ClassVar = "forecast_pairs"
    FIELDS: ClassVar = {"labels": LABELS, "counts": COUNTS, "hits": COUNTS}

    labels: tuple[Label, ...]
    counts: Numbers
    hits: Numbers

    def __post_init__(self) -> None:
        freeze(self.counts, self.hits)

    @classmethod
    def empty(cls) -> Self:
        """Return the pairs of no cases."""
        return cls(
            (),
            np.zeros((CELLS_PER_SIDE, CELLS_PER_SIDE), np.int64),
            np.zeros((CELLS_PER_SIDE, CELLS_PER_SIDE), np.int64),
        )

    @classmethod
    def from_forecasts(cls, forecasts: Forecasts, rival: Forecasts) -> Self:
        """Count pairs of checked forecasts.

        >>> one = Forecasts.of([1, 0], np.array([[0.2, 0.8], [0.9, 0.1]]))
        >>> result = ForecastPairs.from_forecasts(one, one)
        >>> result.counts[32, 32], result.hits[32, 32], result.counts[4, 4], result.hits[4, 4]
        (np.int64(1), np.int64(1), np.int64(1), np.int64(0))
        """
        model_cells, rival_cells = (
            np.minimum((system.probabilities[:, 1] * CELLS_PER_SIDE).astype(np.int64), CELLS_PER_SIDE - 1)
            for system in (forecasts, rival)
        )
        cells = model_cells * CELLS_PER_SIDE + rival_cells
        counts, hits = (
            np.bincount(selected, minlength=CELLS_PER_SIDE**2).reshape(CELLS_PER_SIDE, CELLS_PER_SIDE)
            for selected in (cells, cells[forecasts.codes == 1])
        )
        return cls(forecasts.labels, counts, hits)

    def __add__(self, other: Self) -> Self:
        """Add the cases of both."""
        if not isinstance(other, ForecastPairs):
            return NotImplemented
        if not self.labels or not other.labels:
            return self if self.labels else other
        return replace(self, counts=self.counts + other.counts, hits=self.hits + other.hits)

    rule: ClassVar = "a grid of 40 by 40 has two classes, and no more hits than cases"

    def _fits_together(self) -> bool:
        """Check the rule."""
        return (
            self.counts.shape == self.hits.shape == (CELLS_PER_SIDE, CELLS_PER_SIDE)
            and bool(np.all(self.hits <= self.counts))
            and len(set(self.labels)) == len(self.labels)
            and len(self.labels) in (0, 2)
        )


MAX_SCATTER_POINTS = 2000
"""Points of a scatter: one per case for two classes, one per case and class for more."""


@dataclass(frozen=True, eq=False)
class ForecastPoints(Serializable):
    """Probabilities of each case by two forecasters, while there are few enough cases to draw each.

    For two classes there is one column, that of the second. Rows are in order of their values.
    """

    FIELDS: ClassVar = {"codes": COUNTS, "model": FLOATS, "rival": FLOATS}

    codes: NDArray[np.int64]
    """The column that came true; for two classes 1 if the second class did."""
    model: Floats
    rival: Floats

    def __post_init__(self) -> None:
        freeze(self.codes, self.model, self.rival)

    @classmethod
    def from_forecasts(cls, forecasts: Forecasts, rival: Forecasts) -> Self | None:
        """Keep the probabilities of every case; None if there are too many."""
        columns = slice(1, 2) if forecasts.size == 2 else slice(None)
        tables = [system.probabilities[:, columns] for system in (forecasts, rival)]
        if tables[0].size > MAX_SCATTER_POINTS:
            return None
        return cls(forecasts.codes.astype(np.int64), *map(np.ascontiguousarray, tables))._in_order()

    def _in_order(self) -> Self:
        order = np.lexsort((self.codes, *self.rival.T, *self.model.T))
        return replace(self, codes=self.codes[order], model=self.model[order], rival=self.rival[order])

    @classmethod
    def add(cls, first: Self | None, second: Self | None) -> Self | None:
        """Join the cases of both; None if there are too many."""
        if first is None or second is None or first.model.size + second.model.size > MAX_SCATTER_POINTS:
            return None
        joined = (
            np.concatenate([getattr(part, name) for part in (first, second)])
            for name in ("codes", "model", "rival")
        )
        return cls(*joined)._in_order()

    def __len__(self) -> int:
        return len(self.codes)

    rule: ClassVar = "two forecasters gave probabilities for the same cases and classes"

    def _fits_together(self) -> bool:
        return (
            self.model.ndim == 2
            and self.model.shape == self.rival.shape
            and self.codes.shape == (len(self.model),)
            and self.model.size <= MAX_SCATTER_POINTS
            and bool(np.all(self.codes < max(2, self.model.shape[1])))
            and all(bool(np.all((part >= 0) & (part <= 1))) for part in (self.model, self.rival))
        )
