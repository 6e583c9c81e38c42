"""Ordered classes as a ladder of two-way games: is the outcome at most this class?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.core.joint_counts import Numbers
from edgeworth.core.labels import list_labels
from edgeworth.core.plain import COUNTS, LABELS, Plain
from edgeworth.core.threads import row_blocks
from edgeworth.errors import InputError, MergeError
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.sources.columns import Label


def cumulative_games(forecasts: Forecasts) -> dict[Label, Forecasts]:
    """For each class but the last, the forecasts of "at most this class", classes in the order of columns.

    The Brier scores of the cumulative_games add up to the ranked probability score.
    """
    below = np.cumsum(forecasts.probabilities, axis=1)
    found: dict[Label, Forecasts] = {}
    for place, label in enumerate(forecasts.labels[:-1]):
        # Sums of probabilities may round past 1.
        share = np.minimum(below[:, place], 1.0)
        codes = (forecasts.codes <= place).astype(np.intp)
        names = (f"above {label}", f"at most {label}")
        found[label] = Forecasts(codes, np.stack([1 - share, share], axis=1), names)
    return found


BLOCK_ROWS = 1 << 16


def argmax_table(forecasts: Forecasts) -> NDArray[Any]:
    """How often the label of highest probability (rows) met each truth (columns).

    Where m labels are equally likely, each counts as 1/m of a case: who has to choose chooses by lot. Without
    such ties the counts are whole numbers.

    >>> argmax_table(Forecasts.of([1, 0, 1], [0.5, 0.2, 0.9])).tolist()
    [[1.0, 0.5], [0.0, 1.5]]
    """
    size = forecasts.size
    parts = [_block_table(forecasts[rows], size) for rows in row_blocks(len(forecasts), BLOCK_ROWS)]
    return sum(parts[1:], parts[0])


def _block_table(forecasts: Forecasts, size: int) -> NDArray[Any]:
    rows = forecasts.probabilities
    chosen = np.argmax(rows, axis=1)
    best = rows == np.take_along_axis(rows, chosen[:, None], axis=1)
    number = np.count_nonzero(best, axis=1)
    alone = number == 1
    cells = (chosen * size + forecasts.codes)[alone]
    counts: NDArray[Any] = np.bincount(cells, minlength=size * size).reshape(size, size)
    if not alone.all():
        codes, shares = forecasts.codes[~alone], best[~alone] / number[~alone, None]
        parts = [np.bincount(codes, weights=column, minlength=size) for column in shares.T]
        counts = counts + np.stack(parts)
    return counts


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
                f"pairs of forecasts of {list_labels(self.labels)} do not add to those of "
                f"{list_labels(other.labels)}"
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

    def __repr__(self) -> str:
        return f"<ForecastPairs: {self.cases:,} cases>"
