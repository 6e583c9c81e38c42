"""Sorted scores of one class: what a ranking is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import MAX_EXACT_INTEGER, Floats, Numbers, as_floats, freeze
from edgeworth.common.threads import map_blocks, row_blocks
from edgeworth.core.serialization import AMOUNTS, FLOATS, NUMBERS, Field, Serializable, optional
from edgeworth.errors import InputError, MergeError, OptionError

ScoredRows: TypeAlias = tuple[Floats, Numbers | None]
"""Scores in any order, free of NaN, and their weights or none."""

MAX_SCORES_SORTED_AT_ONCE = 1 << 19
"""More are sorted as two halves, in two threads."""


@dataclass(frozen=True, eq=False)
class SortedScores(Serializable):
    """Scores of one class, lowest first.

    Without ``weight`` each score is one case, and equal scores stand side by side. With it each score occurs
    once and stands for a number of cases (integers), or for a sum of sampling weights (floats) with the sum
    of their squares beside it: cases with one score and one class are alike to every measure.

    With ``highest`` too, an entry stands for cases whose scores lie from ``scores`` to ``highest``, in what
    order is not known. Such spans may overlap; what is asked of them must lie outside.
    """

    FIELDS: ClassVar = {
        "scores": FLOATS,
        "weight": optional(NUMBERS),
        "square": optional(AMOUNTS),
        "fourth": replace(optional(AMOUNTS), is_brief=True),
        "highest": replace(optional(FLOATS), is_brief=True),
    }

    scores: Floats
    weight: Numbers | None = None
    square: Floats | None = None
    fourth: Floats | None = None
    """Σw⁴ with sampling weights, from which the precision of a variance follows."""
    highest: Floats | None = None
    """The highest score of each entry; None where every entry is one score."""

    def __post_init__(self) -> None:
        if self.square is not None and self.fourth is None:
            # Each score is one case, or taken as one: then Σw⁴ comes out larger, which is the safe side.
            object.__setattr__(self, "fourth", self.square**2)
        if self.highest is not None and np.array_equal(self.highest, self.scores):
            object.__setattr__(self, "highest", None)
        freeze(self.scores, self.weight, self.square, self.fourth, self.highest)

    @classmethod
    def empty(cls) -> Self:
        return cls(np.zeros(0))

    @classmethod
    def of(cls, scores: Floats, weights: Numbers | None = None) -> Self:
        """Sort scores that are free of NaN."""
        if weights is None:
            halves = row_blocks(len(scores), max(MAX_SCORES_SORTED_AT_ONCE, -(-len(scores) // 2)))
            ordered = _merge(map_blocks(lambda rows: np.sort(scores[rows]), halves))
            ordered += 0.0  # -0.0 and 0.0 are one score, and print as one
            return cls(ordered)
        has_weight = weights > 0
        scores, weights = scores[has_weight], weights[has_weight]
        square = weights.astype(np.float64) ** 2 if weights.dtype.kind == "f" else None
        return cls(scores, weights, square).merge_equal()

    @classmethod
    def of_batches(cls, batches: Sequence[ScoredRows]) -> Self:
        """Tally several batches of rows; weights may be counts in one and sampling weights in another."""
        if any(weights is not None for _, weights in batches):
            return cls.join([cls.of(*rows) for rows in batches])
        return cls.of(np.concatenate([np.zeros(0), *(scores for scores, _ in batches)]))

    def merge_equal(self) -> Self:
        """Add up the cases or weights of equal scores, or of equal spans of scores."""
        if not len(self.scores):
            return type(self).empty()
        scores = self.scores + 0.0
        if self.highest is None:
            values, index = np.unique(scores, return_inverse=True)
            spans = None
        else:
            values, spans, index = _distinct_spans(scores, self.highest + 0.0)

        def added(column: Numbers | None) -> Numbers | None:
            if column is None:
                return None
            total = np.zeros(len(values), dtype=column.dtype)
            np.add.at(total, index, column)
            return total

        square, fourth = (as_floats(added(column)) for column in (self.square, self.fourth))
        return type(self)(values, added(self._cases), square, fourth, spans)

    def __add__(self, other: Self) -> Self:
        return self.join((self, other))

    @classmethod
    def join(cls, runs: Sequence[Self]) -> Self:
        """Join the cases of several tallies, in order."""
        runs = [run for run in runs if len(run.scores)]
        if len(runs) < 2:
            return runs[0] if runs else cls.empty()
        if all(run.weight is None for run in runs):
            return cls(_merge([run.scores for run in runs]))
        square = fourth = highest = None
        if any(run.square is not None for run in runs):
            square, fourth = (np.concatenate([run.power_sums(power) for run in runs]) for power in (2, 4))
        if any(run.highest is not None for run in runs):
            highest = np.concatenate([run.ends for run in runs])
        scores = np.concatenate([run.scores for run in runs])
        weight = np.concatenate([run._cases for run in runs])
        if weight.dtype.kind in "iu" and weight.sum(dtype=np.float64) > MAX_EXACT_INTEGER:
            raise MergeError("the weights must add up to at most 2^53: divide them by a constant")
        return cls(scores, weight, square, fourth, highest).merge_equal()

    def collapse(self, edges: Floats) -> Self:
        """Keep the cases at each of the ascending edges, and merge those between two edges.

        >>> run = SortedScores.of(np.array([0.1, 0.2, 0.3, 0.4])).collapse(np.array([0.3]))
        >>> run.scores.tolist(), run.ends.tolist(), run.weight.tolist()
        ([0.1, 0.3, 0.4], [0.2, 0.3, 0.4], [2, 1, 1])
        """
        bounds = np.zeros(2 * len(edges) + 2, dtype=np.intp)
        bounds[1:-1:2], bounds[2:-1:2] = (
            np.searchsorted(self.scores, edges, side=side) for side in ("left", "right")
        )
        bounds[-1] = len(self.scores)
        starts = bounds[np.flatnonzero(np.diff(bounds))]
        if not len(starts):
            return self
        weight = np.diff(starts, append=len(self.scores))
        if self.weight is not None:
            weight = np.add.reduceat(self.weight, starts)
        square, fourth = (
            None if column is None else np.add.reduceat(column, starts)
            for column in (self.square, self.fourth)
        )
        return type(self)(self.scores[starts], weight, square, fourth, np.maximum.reduceat(self.ends, starts))

    @property
    def _cases(self) -> Numbers:
        """Return the number of cases of each entry, or their weight."""
        return np.ones(len(self.scores), dtype=np.int64) if self.weight is None else self.weight

    def power_sums(self, power: int) -> Floats:
        """Σw² or Σw⁴ of each entry; of whole cases, which have weight 1, their number."""
        sums = self.square if power == 2 else self.fourth
        return self._cases.astype(np.float64) if sums is None else sums

    @property
    def ends(self) -> Floats:
        return self.scores if self.highest is None else self.highest

    @property
    def single(self) -> Self:
        """The entries that are one score each."""
        return self if self.highest is None else self._select(self.ends == self.scores)

    @property
    def spans(self) -> Self:
        """The entries that are more than one score."""
        return self._select(self.ends > self.scores)

    def _select(self, entries: NDArray[np.bool_] | slice[int, None, None]) -> Self:
        columns = (self.scores, self.weight, self.square, self.fourth, self.highest)
        return type(self)(*(None if column is None else column[entries] for column in columns))  # type: ignore[arg-type]  # scores are never None

    @property
    def total(self) -> int | float:
        """Cases, or their weight."""
        if self.weight is None:
            return len(self.scores)
        return self.weight.sum().item()  # type: ignore[no-any-return]  # numpy's item is Any

    @property
    def square_total(self) -> float:
        """Σw² of all cases: their number if they are whole."""
        return float(self.total if self.square is None else self.square.sum())

    @property
    def is_counted(self) -> bool:
        """True when every score stands for whole cases."""
        return self.square is None

    def below(self, thresholds: Floats | float, *, side: Literal["left", "right"] = "left") -> Numbers:
        """Count the cases with a score below each threshold (``side="right"``: at most the threshold)."""
        index = np.searchsorted(self.scores, thresholds, side=side)
        if self.weight is None:
            return np.asarray(index)
        return np.asarray(self._sums[index])

    def distinct(self) -> tuple[Floats, Numbers]:
        """Return each distinct score, lowest first, with its cases."""
        if self.weight is not None:
            return self.scores, self.weight
        scores = self.scores
        ends = np.flatnonzero(np.concatenate([scores[1:] != scores[:-1], [True]])[: len(scores)])
        return scores[ends], np.diff(ends, prepend=-1)

    @cached_property
    def _sums(self) -> Numbers:
        """Weight below each place."""
        assert self.weight is not None
        return np.concatenate([np.zeros(1, self.weight.dtype), np.cumsum(self.weight)])

    def at_least(self, threshold: float, *, with_equal: bool = True) -> tuple[int | float, float]:
        """Count the cases at or above the threshold (or only above it), and sum their squared weights."""
        start = int(np.searchsorted(self.scores, threshold, side="left" if with_equal else "right"))
        part = self._select(slice(start, None))
        return part.total, part.square_total

    rule: ClassVar = "scores ascend, and each has a weight or none has"

    def _fits_together(self) -> bool:
        columns = (self.weight, self.square, self.fourth, self.highest)
        is_weighed = self.weight is not None and self.weight.dtype.kind == "f"
        return (
            self.scores.ndim == 1
            and all(column is None or column.shape == self.scores.shape for column in columns)
            and (not len(self.scores) or (self.square is not None) == is_weighed)
            and (self.fourth is None or self.square is not None)
            and (self.highest is None or self.weight is not None)
            and _is_ordered(self.scores, self.ends, self.weight is None)
        )


def _merge(runs: Sequence[Floats]) -> Floats:
    """Merge sorted arrays of scores with a stable sort, which is fast for sorted runs."""
    merged = np.concatenate(runs)
    merged.sort(kind="stable")
    return merged


def are_apart(targets: SortedScores, background: SortedScores) -> bool:
    """Return whether no target lies within a span of the background, ends included."""
    spans = background.spans
    first = np.searchsorted(targets.scores, spans.scores, side="left")
    return bool(np.array_equal(first, np.searchsorted(targets.scores, spans.ends, side="right")))


def _is_ordered(scores: Floats, ends: Floats, may_repeat: bool) -> bool:
    low, high = scores[:-1], scores[1:]
    follows = (low < high) | ((low == high) & (may_repeat | (ends[:-1] < ends[1:])))
    return bool(np.all(follows) and np.all(ends >= scores))


def _distinct_spans(low: Floats, high: Floats) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Return the distinct pairs in order, and the index of each pair among them."""
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    is_new = np.concatenate([[True], (low[1:] != low[:-1]) | (high[1:] != high[:-1])])
    index = np.empty(len(order), dtype=np.intp)
    index[order] = np.cumsum(is_new) - 1
    return low[is_new], high[is_new], index


Bins: TypeAlias = Sequence[float] | Floats | int | None
"""Ascending edges; or a number of equal bins from 0 to 1, for probabilities; or none."""

MAX_BINS = 10_000_000
"""More would bound nothing."""


def as_bins(bins: Bins) -> Floats | None:
    """Check the edges of bins.

    >>> as_bins(4).tolist()
    [0.0, 0.25, 0.5, 0.75]
    """
    if bins is None:
        return None
    if isinstance(bins, (int, np.integer)):
        if isinstance(bins, bool) or not 1 <= bins <= MAX_BINS:
            raise OptionError(f"the number of bins must lie between 1 and {MAX_BINS:,}; saw {bins}")
        return np.arange(int(bins)) / int(bins)
    try:
        edges = np.asarray(bins, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"bins must be a number or a list of edges; saw {bins!r}") from None
    if edges.ndim != 1 or not len(edges) or not np.all(np.isfinite(edges)) or np.any(np.diff(edges) <= 0):
        raise OptionError("the edges of bins must be finite, distinct and in ascending order")
    return edges + 0.0


def check_unit_range(scores: Floats) -> None:
    """Raise an error if scores lie outside 0 to 1, which a number of bins would put into the outer bins."""
    outside = (scores < 0) | (scores > 1)
    if outside.any():
        score = scores[outside][0]
        raise InputError(
            f"with a number of bins, scores must lie between 0 and 1; saw {score:g}: pass the edges instead"
        )


def place_in_bins(run: SortedScores, edges: Floats) -> SortedScores:
    """Replace every score by the lower edge of its bin, or by minus infinity below the first edge."""
    lower = np.concatenate([[-np.inf], edges])
    placed = lower[np.searchsorted(edges, run.scores, side="right")]
    return SortedScores(placed, run.weight, run.square, run.fourth).merge_equal()


def are_on_bins(runs: Iterable[SortedScores], edges: Floats | None) -> bool:
    """Return whether all scores are lower edges of bins, if there are bins."""
    lower_edges = np.concatenate([[-np.inf], [] if edges is None else edges])
    scores = [scores for run in runs for scores in (run.scores, run.ends)]
    return edges is None or all(bool(np.isin(values, lower_edges).all()) for values in scores)


EDGES = optional(Field("ascending edges", lambda edges: as_bins(FLOATS.load(edges)), FLOATS.dump))
"""The field of a tally that holds its bins."""
