"""Scores counted between sorted scores: what a ranking needs of its background, whatever its length.

No measure of a ranking asks for the order of background that no target stands between. So with the scores of
the targets known, rows are only counted: how many lie in each gap between two target scores, and how many tie
with one. That is exact, needs no sort of the whole, and takes memory by the number of targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.core.joint_counts import Numbers
from edgeworth.core.threads import MOST_THREADS, cores, map_blocks, row_blocks
from edgeworth.rankings.scores.sorted_scores import SortedScores

Rows: TypeAlias = tuple[Floats, NDArray[Any] | None]
"""Scores in any order, and their weights or none."""

FEWEST_TOGETHER, MOST_TOGETHER = 1 << 20, 1 << 23
"""Rows sorted at once. Every target is searched in each such block, so with many targets blocks are large."""


@dataclass(frozen=True, eq=False)
class Gaps:
    """Cases in each gap and at each edge: 2k + 1 of them, in order, a gap at either end."""

    rows: int
    cases: Numbers
    square: Floats | None
    fourth: Floats | None
    low: Floats
    """The lowest score met in each gap; of an empty gap some score beyond it."""
    high: Floats

    @classmethod
    def empty(cls, edges: int) -> Self:
        """Nothing anywhere."""
        gaps = edges + 1
        return cls(
            0,
            np.zeros(edges + gaps, dtype=np.int64),
            None,
            None,
            np.full(gaps, np.inf),
            np.full(gaps, -np.inf),
        )

    @classmethod
    def of_sorted(cls, scores: Floats, edges: Floats) -> Self:
        """Whole cases, lowest first: the edges are searched in them."""
        left, right = _sides(scores, edges)
        return cls(
            len(scores), np.diff(_bounds(left, right, len(scores))), None, None, *_ends(scores, left, right)
        )

    @classmethod
    def of_weighted(cls, scores: Floats, weights: NDArray[Any], edges: Floats) -> Self:
        """Weighted cases in any order; those of no weight are nowhere."""
        kept = np.flatnonzero(weights > 0)
        order = kept[np.argsort(scores[kept], kind="stable")]
        ordered, weight = scores[order], weights[order]
        left, right = _sides(ordered, edges)
        bounds = _bounds(left, right, len(ordered))
        filled = np.flatnonzero(np.diff(bounds))

        def sum_gaps(column: NDArray[Any]) -> NDArray[Any]:
            total = np.zeros(len(bounds) - 1, dtype=column.dtype)
            if len(filled):
                total[filled] = np.add.reduceat(column, bounds[filled])
            return total

        square = fourth = None
        if weight.dtype.kind == "f":
            square, fourth = sum_gaps(weight**2), sum_gaps(weight**4)
        return cls(len(scores), sum_gaps(weight), square, fourth, *_ends(ordered, left, right))

    def __add__(self, other: Self) -> Self:
        """All cases of both."""
        weighted = self.square is not None or other.square is not None
        return type(self)(
            self.rows + other.rows,
            self.cases + other.cases,
            _floats(self.square, self.cases) + _floats(other.square, other.cases) if weighted else None,
            _floats(self.fourth, self.cases) + _floats(other.fourth, other.cases) if weighted else None,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
        )

    def sorted_scores(self, edges: Floats, *, less: SortedScores | None = None) -> SortedScores:
        """One entry for each gap and edge with any case; without those of ``less``, which are at edges."""
        low, high = np.empty(len(self.cases)), np.empty(len(self.cases))
        low[0::2], high[0::2] = self.low, self.high
        low[1::2] = high[1::2] = edges
        cases = self.cases
        if less is not None:
            cases = cases.copy()
            cases[1::2] -= np.diff(np.searchsorted(less.scores, edges, side="right"), prepend=0)
        filled = cases > 0
        columns = (cases, self.square, self.fourth, high + 0.0)
        return SortedScores(
            low[filled] + 0.0, *(None if column is None else column[filled] for column in columns)
        )


@dataclass(frozen=True, eq=False)
class GapCounts:
    """Rows counted between edges, which ascend; some may still wait until there are enough to sort at once.

    >>> edges = np.array([0.3, 0.7])
    >>> rows = GapCounts.of(edges, np.array([0.1, 0.9, 0.5, 0.4, 0.7]))
    >>> (GapCounts(edges) + rows).gaps.cases.tolist()
    [1, 0, 2, 1, 1]
    """

    edges: Floats
    counted: Gaps | None = None
    waiting: tuple[Rows, ...] = ()

    @classmethod
    def of(cls, edges: Floats, scores: Floats, weights: NDArray[Any] | None = None) -> Self:
        """One batch of rows, free of NaN, in any order."""
        # A small batch is copied, because a reader that gets its memory back reads twice as fast.
        held = scores.copy() if len(scores) < FEWEST_TOGETHER else scores
        return cls(edges, None, ((held, weights),))

    def __add__(self, other: Self) -> Self:
        """All rows of both."""
        counted = self.counted
        if other.counted is not None:
            counted = other.counted if counted is None else counted + other.counted
        whole = type(self)(self.edges, counted, self.waiting + other.waiting)
        return whole.count_waiting() if whole._number_waiting >= self._together else whole

    def count_waiting(self) -> Self:
        """The same with all rows counted."""
        counted = Gaps.empty(len(self.edges)) if self.counted is None else self.counted
        for scores, weights in blocks_of(self.waiting, self._together):
            if weights is not None:
                counted = counted + Gaps.of_weighted(scores, weights, self.edges)
                continue
            for part in _count_sorted(scores, self.edges):
                counted = counted + part
        return replace(self, counted=counted, waiting=())

    @property
    def gaps(self) -> Gaps:
        """How many cases are where."""
        found = self.count_waiting().counted
        assert found is not None
        return found

    def __getstate__(self) -> dict[str, Any]:
        # What travels to another process are counts, never rows.
        return dict(self.count_waiting().__dict__)

    @property
    def _number_waiting(self) -> int:
        return sum(len(scores) for scores, _ in self.waiting)

    @property
    def _together(self) -> int:
        return int(np.clip(8 * len(self.edges), FEWEST_TOGETHER, MOST_TOGETHER))


def collapse_scores(sorted_scores: SortedScores, edges: Floats) -> SortedScores:
    """A run with what lies between two edges taken together."""
    if sorted_scores.weight is None:
        return Gaps.of_sorted(sorted_scores.scores, edges).sorted_scores(edges)
    bounds = _bounds(*_sides(sorted_scores.scores, edges), len(sorted_scores.scores))
    filled = np.flatnonzero(np.diff(bounds))
    if not len(filled):
        return sorted_scores
    starts = bounds[filled]

    def sum_gaps(column: NDArray[Any] | None) -> Any:
        return None if column is None else np.add.reduceat(column, starts)

    highest = np.maximum.reduceat(sorted_scores.ends, starts)
    columns = (sorted_scores.weight, sorted_scores.square, sorted_scores.fourth)
    summed = [*(sum_gaps(column) for column in columns), highest]
    return SortedScores(sorted_scores.scores[starts], *summed)


def blocks_of(parts: Sequence[Rows], together: int | None = None) -> Iterator[Rows]:
    """Copies of consecutive rows, so many at once (or all); each kind of weights for itself."""
    for kind in dict.fromkeys(_kind(weights) for _, weights in parts):
        held: list[Rows] = []
        number = 0
        for scores, weights in parts:
            if _kind(weights) != kind:
                continue
            for rows in row_blocks(len(scores), together or max(1, len(scores))):
                held.append((scores[rows], None if weights is None else weights[rows]))
                number += rows.stop - rows.start
                if together is not None and number >= together:
                    yield _concatenate(held)
                    held, number = [], 0
        if held:
            yield _concatenate(held)


def _floats(power: Floats | None, cases: Numbers) -> Floats:
    """Whole cases have weight 1, and so have its powers."""
    return cases.astype(np.float64) if power is None else power


def _kind(weights: NDArray[Any] | None) -> str | None:
    return None if weights is None else weights.dtype.kind


def _concatenate(held: list[Rows]) -> Rows:
    weights = [weights for _, weights in held if weights is not None]
    return np.concatenate([scores for scores, _ in held]), np.concatenate(weights) if weights else None


def _count_sorted(scores: Floats, edges: Floats) -> list[Gaps]:
    """Each core sorts and searches a part of the block, which is the caller's to change."""

    def count(rows: slice) -> Gaps:
        part = scores[rows]
        part.sort()
        return Gaps.of_sorted(part, edges)

    # One part a core, if they are long enough: each part is looked through for every edge.
    rows = max(1 << 18, -(-len(scores) // min(cores(), MOST_THREADS)))
    return map_blocks(count, row_blocks(len(scores), rows))


def _sides(scores: Floats, edges: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Cases below each edge, and at most at it."""
    left = np.searchsorted(scores, edges, side="left")
    right = left.copy()
    if len(scores):
        # A second search only where something ties.
        tied = np.flatnonzero(scores[np.minimum(left, len(scores) - 1)] == edges)
        right[tied] = np.searchsorted(scores, edges[tied], side="right")
    return left, right


def _bounds(left: NDArray[np.intp], right: NDArray[np.intp], number: int) -> NDArray[np.intp]:
    """Where each gap and each edge begins in the sorted cases, and the end."""
    bounds = np.empty(2 * len(left) + 2, dtype=np.intp)
    bounds[0], bounds[-1] = 0, number
    bounds[1:-1:2], bounds[2:-1:2] = left, right
    return bounds


def _ends(scores: Floats, left: NDArray[np.intp], right: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """The lowest and the highest case of each gap.

    Of an empty gap they are a case above and a case below it, so that the least and the greatest of several
    blocks are those of the blocks that have any.
    """
    if not len(scores):
        return np.full(len(left) + 1, np.inf), np.full(len(left) + 1, -np.inf)
    first, last = np.concatenate([[0], right]), np.concatenate([left, [len(scores)]]) - 1
    low, high = scores[np.minimum(first, len(scores) - 1)], scores[np.maximum(last, 0)]
    low[np.searchsorted(first, len(scores)) :] = np.inf
    high[: np.searchsorted(last, 0)] = -np.inf
    return low, high
