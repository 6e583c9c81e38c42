"""Rankings: scores of the targets and of everything else."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import ClassVar, Self

import numpy as np

from edgeworth.common.arrays import Floats, freeze
from edgeworth.common.choices import WeightKind
from edgeworth.core.joint_counts import Numbers
from edgeworth.core.labels import canonical_order
from edgeworth.core.serialization import AMOUNT, COUNT, FLAG, PAIR, Serializable, object_of
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError, MergeError, check_whole
from edgeworth.rankings.scores.by_class import MissingScore, ScoresByClass, check_same_bins, target_of
from edgeworth.rankings.scores.sorted_scores import (
    EDGES,
    Bins,
    SortedScores,
    are_apart,
    are_on_bins,
    as_bins,
    check_unit_range,
)
from edgeworth.rankings.tie_groups import TieGroups
from edgeworth.sources.alignment import aligned
from edgeworth.sources.columns import Label, as_column
from edgeworth.sources.numbers import as_scores, as_weights

REST = "other"
"""What the background is called when it is made of several classes."""


@dataclass(frozen=True, eq=False)
class Ranking(Serializable):
    """Sorted scores of targets and of background; the higher, the sooner it is looked at.

    ``unranked`` targets were never given a score and stand below everything. On declared ``bins`` all scores
    of a bin are tied, which bounds the memory. Infinite scores rank first or last.

    A collapsed ranking keeps of the background only how much of it lies between two target scores (and from
    which score to which), as rankings of many rows do. No measure asks for more. What asks for more is
    refused: a threshold inside such a span, or merging with targets that fall into one.
    """

    kind: ClassVar = "ranking"
    FIELDS: ClassVar = {
        "targets": object_of(SortedScores),
        "background": object_of(SortedScores),
        "unranked": AMOUNT,
        "labels": PAIR,
        "cells": EDGES.of("bins"),
        "dropped": COUNT,
        "placed": FLAG.of("is_placed").otherwise(False),
    }

    targets: SortedScores
    background: SortedScores
    unranked: int | float = 0
    labels: tuple[Label | None, Label | None] = (None, None)
    """The names of background and target; None while nobody has said them."""
    bins: Floats | None = None
    dropped: int = 0
    is_placed: bool = False
    """The scores are places in one list, so they mean nothing beside another's."""

    # -- ways in ---------------------------------------------------------------------------------------

    @classmethod
    def empty(cls) -> Self:
        return cls(SortedScores.empty(), SortedScores.empty())

    @classmethod
    @aligned
    def from_scores(
        cls,
        truth: object,
        scores: object,
        *,
        positive: Label | None = None,
        weights: object = None,
        weight_kind: WeightKind | None = None,
        unranked: int | float = 0,
        bins: Bins = None,
        missing: MissingScore = "error",
    ) -> Self:
        """Rank cases by their scores, truth first.

        Parameters
        ----------
        truth, scores : array_like
            The class of each case and its score; the higher the score, the sooner it is looked at.
        positive : label, optional
            The class of the targets, where it is not plain (0 and 1, no and yes, …).
        weights : array_like, optional
            Whole numbers count cases, floats are sampling weights; ``weight_kind`` says which if in doubt.
        unranked : int or float
            Targets that exist but have no score.
        bins : int or sequence of float, optional
            Edges, or a number of equal bins from 0 to 1: scores of one bin are tied, which bounds the memory.
        missing : {"error", "drop"}
            What becomes of rows without truth or score.

        Returns
        -------
        Ranking
            The sorted scores of targets and of background.

        Examples
        --------
        >>> Ranking.from_scores([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4])
        <Ranking: 2 targets among 4 items>
        """
        numbers, edges = as_scores(scores), as_bins(bins)
        if edges is not None and isinstance(bins, (int, np.integer)):
            check_unit_range(numbers)
        by_class = ScoresByClass.from_columns(
            as_column(truth, "truth"),
            numbers,
            weights=None if weights is None else as_weights(weights),
            weight_kind=weight_kind,
            bins=edges,
            missing=missing,
        )
        if not by_class.scores:
            lacking = f"all {by_class.dropped:,} rows lack truth or score"
            why = lacking if by_class.dropped else "truth and scores are empty"
            raise InputError(f"there are no cases: {why}")
        return cls.from_scores_by_class(by_class, positive=positive, unranked=unranked)

    @classmethod
    def from_scores_by_class(
        cls, by_class: ScoresByClass, *, positive: Label | None = None, unranked: int | float = 0
    ) -> Self:
        """One class against the rest."""
        target = target_of(by_class.labels, positive)
        rest = [label for label in by_class.labels if label != target]
        return cls(
            by_class.scores.get(target, SortedScores.empty()),
            SortedScores.join([by_class.scores[label] for label in rest]),
            unranked,
            (name_of_rest(rest, target), target),
            by_class.bins,
            by_class.dropped,
        )

    @classmethod
    def from_hits(cls, hits: object, *, unranked: int = 0) -> Self:
        """A list from its best item to its worst: 1 for a target, 0 for any other. It does not merge.

        >>> Ranking.from_hits([1, 1, 0, 1, 0, 0, 0, 0])
        <Ranking: 3 targets among 8 items>
        """
        flags = as_scores(hits, "hits")
        if not np.all((flags == 0) | (flags == 1)):
            raise InputError(f"hits are 1 or 0; saw {flags[(flags != 0) & (flags != 1)][0]:g}")
        if not len(flags):
            raise InputError("there are no cases: the list is empty")
        places = -np.arange(1.0, len(flags) + 1)
        is_hit = flags == 1
        return cls(
            SortedScores(places[is_hit][::-1].copy()),
            SortedScores(places[~is_hit][::-1].copy()),
            unranked,
            (0, 1),
            is_placed=True,
        )

    def __post_init__(self) -> None:
        if isinstance(self.unranked, np.number):
            object.__setattr__(self, "unranked", self.unranked.item())
        if not _is_number(self.unranked) or not 0 <= self.unranked < np.inf:
            raise InputError(f"targets that were never ranked number at least 0; saw {self.unranked!r}")
        freeze(self.bins)

    # -- what it holds ---------------------------------------------------------------------------------

    @property
    def target_total(self) -> int | float:
        """All targets, ranked or not (or their weight)."""
        return self.targets.total + self.unranked

    @property
    def ranked_total(self) -> int | float:
        return self.targets.total + self.background.total

    @property
    def total(self) -> int | float:
        return self.ranked_total + self.unranked

    @property
    def is_counted(self) -> bool:
        """True when every item is a whole case, so that exact laws apply."""
        return self.targets.is_counted and self.background.is_counted and float(self.unranked).is_integer()

    @property
    def target(self) -> Label:
        """The name of the class that is looked for."""
        return "target" if self.labels[1] is None else self.labels[1]

    @property
    def rest(self) -> Label:
        """The name of everything else."""
        return f"not {self.target}" if self.labels[0] is None else self.labels[0]

    @cached_property
    def target_scores(self) -> Floats:
        """The scores that targets have, each once, best first."""
        return self.targets.distinct()[0][::-1]

    @cached_property
    def items_by_score(self) -> tuple[Floats, Numbers]:
        """Each score once, lowest first, and its items; background known only as a span is left out."""
        return (self.targets + self.background.single).distinct()

    @cached_property
    def tie_groups(self) -> TieGroups:
        """Where the targets stand among the background: a tie group for each of their scores, best first."""
        scores, hits = self.targets.distinct()
        below, through = (self.background.below(scores, side=side) for side in ("left", "right"))
        hits_above = np.cumsum(hits[::-1])[::-1] - hits
        # Sums of weights round: nothing is above the best by less than nothing.
        seen_above = hits_above + np.maximum(self.background.total - through, 0)
        columns = (hits_above, seen_above, hits, hits + (through - below))
        above, seen, group_hits, size = (column[::-1].astype(np.float64) for column in columns)
        totals = (self.target_total, self.ranked_total, self.total)
        targets, ranked, items = (np.array([float(total)]) for total in totals)
        return TieGroups(
            np.zeros(len(hits), dtype=np.intp), above, seen, group_hits, size, targets, ranked, items
        )

    @property
    def is_collapsed(self) -> bool:
        """True when some of the background is known only as lying between two scores."""
        return self.background.highest is not None

    def collapse(self) -> Self:
        """The same with the background between two target scores taken together.

        >>> ranking = Ranking.from_scores([0, 0, 1, 0, 0, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]).collapse()
        >>> ranking.background.scores.tolist(), ranking.background.ends.tolist()
        ([0.1, 0.3, 0.4], [0.2, 0.3, 0.4])
        """
        return replace(self, background=self.background.collapse(self.target_scores[::-1]))

    # -- decisions along the ranking -------------------------------------------------------------------

    def at_threshold(self, threshold: float) -> ContingencyTable:
        """The decisions "target" for scores of at least the threshold.

        >>> Ranking.from_scores([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4]).at_threshold(0.4).counts.tolist()
        [[1, 0], [1, 2]]
        """
        if not _is_number(threshold):
            raise InputError(f"a threshold is a number; saw {threshold!r}")
        spans = self.background.spans
        cut = np.flatnonzero((spans.scores < threshold) & (threshold <= spans.ends))
        if len(cut):
            low, high = spans.scores[cut].min().item(), spans.ends[cut].max().item()
            raise InputError(
                f"the threshold {threshold!r} lies among background from {low!r} to {high!r} whose scores "
                f"were not kept, because no target is there: cut at {low!r}, or above {high!r}"
            )
        return self._cut(threshold)

    def _cut(self, threshold: float, *, with_equal: bool = True) -> ContingencyTable:
        hits, alarms = (
            run.at_least(threshold, with_equal=with_equal) for run in (self.targets, self.background)
        )
        return self._table(hits[0], alarms[0], (hits[1], alarms[1]))

    def at_depth(self, depth: int) -> ContingencyTable:
        """The decisions "target" for the first ``depth`` items.

        Where a tie straddles the depth its items are taken in random order, and the table is the mean one:
        its cells may be fractions. A depth beyond the list takes the whole list. Where sampling weights are
        collapsed, Σw² up to a depth inside a span is taken in proportion.
        """
        check_whole(depth, "a depth", 1, Integral)
        if depth >= self.ranked_total:
            return self._cut(-np.inf)
        threshold = self.score_at(depth)
        above, whole = self._cut(threshold, with_equal=False), self._cut(threshold)
        target_row, tie = whole.index(self.target), whole.cells - above.cells
        within = (depth - above.cells[target_row].sum()) / tie[target_row].sum()
        if within == 1:
            return whole
        cells = above.cells + tie * within
        if self.is_counted and not tie[target_row].all():
            # A tie of one class alone: whichever of it is taken, the table is the same.
            return replace(whole, cells=np.rint(cells).astype(np.int64))
        squares = [table.cells if table.squared is None else table.squared for table in (above, whole)]
        return replace(whole, cells=cells, squared=squares[0] + (squares[1] - squares[0]) * within)

    def score_at(self, depth: float) -> float:
        """The largest score that at least so many items reach, found by halving each run."""

        def is_too_high(score: float) -> bool:
            below = self.targets.below(score) + self.background.below(score)
            return bool(self.ranked_total - below < depth)

        candidates = []
        for scores in (self.targets.scores, self.background.scores):
            index = bisect_left(scores, True, key=is_too_high)
            candidates += scores[max(index - 1, 0) : index].tolist()
        return float(max(candidates))

    def _table(self, hits: float, alarms: float, squares: tuple[float, float]) -> ContingencyTable:
        labels = canonical_order((self.rest, self.target))
        target_row = labels.index(self.target)

        def filled(hits: float, false_alarms: float, targets: float, others: float) -> Numbers:
            cells = np.zeros((3, 2), dtype=np.result_type(*(type(x) for x in (hits, targets, others))))
            cells[target_row, [target_row, 1 - target_row]] = hits, false_alarms
            cells[1 - target_row, [target_row, 1 - target_row]] = targets - hits, others - false_alarms
            return np.maximum(cells, 0)

        cells = filled(hits, alarms, self.target_total, self.background.total)
        squared = None
        if cells.dtype.kind == "f":
            whole = [self.targets.square_total + self.unranked, self.background.square_total]
            squared = filled(squares[0], squares[1], *whole)
        return ContingencyTable(labels, cells, squared, self.dropped, self.target)

    # -- merging, and plain values ---------------------------------------------------------------------

    def __add__(self, other: Self) -> Self:
        """All cases of both, in order.

        A collapsed one merges as long as no target of either lies in a span of the other's background.
        """
        if not isinstance(other, Ranking):
            return NotImplemented
        if self._is_empty or other._is_empty:
            whole = other if self._is_empty else self
            return replace(
                whole,
                labels=_merged_labels(self.labels, other.labels),
                bins=self.bins if whole.bins is None else whole.bins,
                dropped=self.dropped + other.dropped,
            )
        if self.is_placed or other.is_placed:
            raise MergeError("a ranking made from hits has places, not scores: two of them have no order")
        check_same_bins(self.bins, other.bins)
        targets, background = self.targets + other.targets, self.background + other.background
        if not are_apart(targets, background):
            raise MergeError(
                "a collapsed ranking does not know how its background stands to targets of another: "
                "read the rows of both at once, or count both in the same bins"
            )
        return replace(
            self,
            targets=targets,
            background=background,
            unranked=self.unranked + other.unranked,
            labels=_merged_labels(self.labels, other.labels),
            dropped=self.dropped + other.dropped,
        )

    @property
    def _is_empty(self) -> bool:
        return not (len(self.targets.scores) or len(self.background.scores) or self.unranked)

    rule: ClassVar = "scores in bins are lower edges, and no target lies in a span of the background"

    def _fits_together(self) -> bool:
        runs = (self.targets, self.background)
        return are_on_bins(runs, self.bins) and self.targets.highest is None and are_apart(*runs)

    def __repr__(self) -> str:
        targets = self.target_total
        return f"<Ranking: {targets:,} target{'s' if targets != 1 else ''} among {self.total:,} items>"

    def facts(self) -> dict[str, object]:
        targets = self.target_total
        return {"items": self.total, "targets": targets, "target": str(self.target)}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and value == value


def _merged_labels(
    left: tuple[Label | None, Label | None], right: tuple[Label | None, Label | None]
) -> tuple[Label | None, Label | None]:
    if left[1] is not None and right[1] is not None and left[1] != right[1]:
        raise MergeError(f"one ranking looks for {left[1]!r}, the other for {right[1]!r}")
    if left[0] is None or right[0] is None:
        rest = left[0] if right[0] is None else right[0]
    else:
        rest = left[0] if left[0] == right[0] else _name_of_several(left[1])
    return rest, left[1] if left[1] is not None else right[1]


def name_of_rest(rest: Sequence[Label], target: Label) -> Label | None:
    """What the classes that are not looked for are called together."""
    return None if not rest else rest[0] if len(rest) == 1 else _name_of_several(target)


def _name_of_several(target: Label | None) -> Label:
    return f"not {target}" if target == REST else REST
