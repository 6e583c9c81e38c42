"""The background of a ranking as counts between the sorted scores of its targets.

No measure of a ranking depends on the order of background between two neighbouring targets. So if the scores
of the targets are known, it is enough to count the rows in each gap between two target scores, and the rows
that tie with one. That is exact, and the memory depends on the number of targets only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from edgeworth.common.arrays import Floats, Numbers
from edgeworth.rankings.scores.sorted_scores import ScoredRows, SortedScores

MIN_ROWS_COUNTED = 1 << 20
"""Rows wait until this many can be counted at once, or more if there are many edges to search for."""


@dataclass(frozen=True, eq=False)
class GapCounts:
    """Rows counted at edges, which ascend, and between them.

    >>> import numpy as np
    >>> edges = np.array([0.3, 0.7])
    >>> rows = GapCounts.of(edges, np.array([0.1, 0.9, 0.5, 0.4, 0.7]))
    >>> (GapCounts(edges) + rows).scores.weight.tolist()
    [1, 2, 1, 1]
    """

    edges: Floats
    rows: int = 0
    counted: tuple[SortedScores, ...] = ()
    waiting: tuple[ScoredRows, ...] = ()

    @classmethod
    def of(cls, edges: Floats, scores: Floats, weights: Numbers | None = None) -> Self:
        """Tally one batch of rows without NaN, in any order."""
        return cls(edges, len(scores), (), ((scores, weights),))

    def __add__(self, other: Self) -> Self:
        counted, waiting = self.counted + other.counted, self.waiting + other.waiting
        merged = type(self)(self.edges, self.rows + other.rows, counted, waiting)
        enough = sum(len(scores) for scores, _ in waiting) >= max(MIN_ROWS_COUNTED, 8 * len(self.edges))
        return merged.count_waiting() if enough else merged

    def count_waiting(self) -> Self:
        """Count the rows that are waiting to be counted."""
        new_counts = SortedScores.of_batches(self.waiting).collapse(self.edges)
        counted = SortedScores.join((*self.counted, new_counts)).collapse(self.edges)
        return replace(self, counted=(counted,), waiting=())

    @property
    def scores(self) -> SortedScores:
        """One entry for each gap and edge with any case."""
        return self.count_waiting().counted[0]

    def __getstate__(self) -> dict[str, object]:
        # What travels to another process are counts, never rows.
        return dict(vars(self.count_waiting()))
