"""Rankings: scores of the targets and of everything else."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import ClassVar, Self

import numpy as np

from edgeworth.common.arrays import Floats, Numbers, freeze
from edgeworth.common.choices import WeightKind
from edgeworth.core.joint_counts import JointCounts
from edgeworth.core.labels import canonical_order
from edgeworth.core.serialization import AMOUNT, COUNT, FLAG, PAIR, Serializable, object_of, optional
from edgeworth.decisions.clusters import BY_CLUSTER, Clusters
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError, MergeError, check_whole
from edgeworth.rankings.kind import RANKING
from edgeworth.rankings.scores.by_class import (
    MissingScore,
    ScoresByClass,
    check_same_bins,
    merge_clusters,
    target_of,
)
from edgeworth.rankings.scores.clusters import ClusteredScores
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
    """A ranking: the sorted scores of targets and of all other items, the background.

    Make one with ``from_scores`` or ``from_hits``, and pass it to ``ew.measure``, ``ew.estimate`` or
    ``ew.evaluate``.

    Measures depend only on how many background items lie between two scores of targets. So a ranking of many
    rows keeps these numbers instead of the scores of the background (it is collapsed). It then raises an
    error for a threshold between two scores of targets.

    Attributes
    ----------
    targets, background : SortedScores
        The scores of targets and of other items, with their counts or weights.
    unranked : int or float
        Targets without a score, which rank below everything.
    labels : tuple
        The names of background and target; None while they are unknown.
    bins : array, optional
        The edges of bins. All scores in a bin are tied.
    dropped : int
        The number of rows that were dropped for missing values.
    is_placed : bool
        Whether the scores are ranks in one list, so that they cannot be compared with another list.
    clusters : ClusteredScores, optional
        The same cases by cluster, if the rows come in clusters.

    Examples
    --------
    >>> ranking = Ranking.from_scores([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4])
    >>> ranking.target, ranking.rest, ranking.target_total, ranking.ranked_total, ranking.total
    (1, 0, 2, 4, 4)
    >>> ranking.target_scores.tolist(), [x.tolist() for x in ranking.items_by_score]
    ([0.9, 0.4], [[0.1, 0.4, 0.9], [1, 2, 1]])
    >>> ranking.is_counted, ranking.is_collapsed
    (True, False)
    """

    kind: ClassVar = RANKING
    name_in_files: ClassVar = RANKING.name
    FIELDS: ClassVar = {
        "targets": object_of(SortedScores),
        "background": object_of(SortedScores),
        "unranked": AMOUNT,
        "labels": PAIR,
        "cells": EDGES.of("bins"),
        "dropped": COUNT,
        "placed": FLAG.of("is_placed").otherwise(False),
        "clusters": replace(optional(object_of(ClusteredScores)), is_brief=True, default=None),
    }

    targets: SortedScores
    background: SortedScores
    unranked: int | float = 0
    labels: tuple[Label | None, Label | None] = (None, None)
    """The names of background and target; None while they are unknown."""
    bins: Floats | None = None
    dropped: int = 0
    is_placed: bool = False
    """The scores are places in one list, so they mean nothing beside another's."""
    clusters: ClusteredScores | None = None
    """The same cases by cluster, targets as class 1, when rows come in clusters."""

    # -- ways in ---------------------------------------------------------------------------------------

    @classmethod
    def empty(cls) -> Self:
        """Make the ranking of no items.

        :meta private:
        """
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
        clusters: object = None,
    ) -> Self:
        """Rank cases by their scores, truth first.

        Parameters
        ----------
        truth, scores : array_like
            The class of each case and its score; the higher the score, the sooner it is looked at.
        positive : label, optional
            The class of the targets, if it is not obvious (0 and 1, no and yes, …).
        weights : array_like, optional
            Whole numbers count cases, floats are sampling weights.
        weight_kind : {"counts", "sampling"}, optional
            What the weights are, if their type does not tell.
        unranked : int or float
            Targets that exist but have no score.
        bins : int or sequence of float, optional
            Edges, or a number of equal bins from 0 to 1: scores of one bin are tied, which bounds the memory.
        missing : {"error", "drop"}
            What becomes of rows without truth or score.
        clusters : array_like, optional
            Each row's cluster (patient, document, …). Intervals then rest on clusters instead of rows.

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
            clusters=None if clusters is None else as_column(clusters, "clusters"),
        )
        if not by_class.scores:
            lacking = f"all {by_class.dropped:,} rows lack truth or score"
            reason = lacking if by_class.dropped else "truth and scores are empty"
            raise InputError(f"there are no cases: {reason}")
        return cls.from_scores_by_class(by_class, positive=positive, unranked=unranked)

    @classmethod
    def from_scores_by_class(
        cls, by_class: ScoresByClass, *, positive: Label | None = None, unranked: int | float = 0
    ) -> Self:
        """Rank the items of one class against the rest.

        :meta private:
        """
        target = target_of(by_class.labels, positive)
        clusters = None if by_class.clusters is None else by_class.clusters.one_against_rest(target)
        if clusters is not None and unranked:
            raise InputError("unranked targets are not supported with clusters: their clusters are unknown")
        negatives = [label for label in by_class.labels if label != target]
        return cls(
            by_class.scores.get(target, SortedScores.empty()),
            SortedScores.join([by_class.scores[label] for label in negatives]),
            unranked,
            (name_of_rest(negatives, target), target),
            by_class.bins,
            by_class.dropped,
            clusters=clusters,
        )

    @classmethod
    def from_hits(cls, hits: object, *, unranked: int = 0) -> Self:
        """Make a ranking from a list of hits, from the best item to the worst. It cannot be merged.

        Parameters
        ----------
        hits : array_like
            1 for a target, 0 for any other item.
        unranked : int
            The number of targets that are not in the list.

        Returns
        -------
        Ranking
            The ranking.

        Examples
        --------
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
            raise InputError(f"unranked must be at least 0; saw {self.unranked!r}")
        freeze(self.bins)

    # -- what it holds ---------------------------------------------------------------------------------

    @property
    def target_total(self) -> int | float:
        """The number of targets, ranked or not, or their weight."""
        return self.targets.total + self.unranked

    @property
    def ranked_total(self) -> int | float:
        """The number of items with a score, or their weight."""
        return self.targets.total + self.background.total

    @property
    def total(self) -> int | float:
        """The number of all items, or their weight."""
        return self.ranked_total + self.unranked

    @property
    def is_counted(self) -> bool:
        """Whether every item is a whole case, so that exact tests apply."""
        return self.targets.is_counted and self.background.is_counted and float(self.unranked).is_integer()

    @property
    def target(self) -> Label:
        """The name of the target class."""
        return "target" if self.labels[1] is None else self.labels[1]

    @property
    def rest(self) -> Label:
        """The name of everything else."""
        return f"not {self.target}" if self.labels[0] is None else self.labels[0]

    @cached_property
    def target_scores(self) -> Floats:
        """The distinct scores of targets, best first."""
        return self.targets.distinct()[0][::-1]

    @cached_property
    def items_by_score(self) -> tuple[Floats, Numbers]:
        """The distinct scores, lowest first, with their numbers of items; without collapsed background."""
        return (self.targets + self.background.single).distinct()

    @cached_property
    def tie_groups(self) -> TieGroups:
        """The targets and the background at each target score, best first.

        :meta private:
        """
        scores, hits = self.targets.distinct()
        below, through = (self.background.below(scores, side=side) for side in ("left", "right"))
        hits_above = np.cumsum(hits[::-1])[::-1] - hits
        # Sums of weights round: nothing is above the best by less than nothing.
        seen_above = hits_above + np.maximum(self.background.total - through, 0)
        columns = (hits_above, seen_above, hits, hits + (through - below))
        above, items_above, group_hits, size = (column[::-1].astype(np.float64) for column in columns)
        totals = (self.target_total, self.ranked_total, self.total)
        targets, ranked, items = (np.array([float(total)]) for total in totals)
        return TieGroups(
            np.zeros(len(hits), dtype=np.intp), above, items_above, group_hits, size, targets, ranked, items
        )

    @property
    def is_collapsed(self) -> bool:
        """Whether some of the background is known only as lying between two scores."""
        return self.background.highest is not None

    def collapse(self) -> Self:
        """Merge the background between two target scores, which saves memory and changes no measure.

        Returns
        -------
        Ranking
            The collapsed ranking.

        Examples
        --------
        >>> ranking = Ranking.from_scores([0, 0, 1, 0, 0, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]).collapse()
        >>> ranking.background.scores.tolist(), ranking.background.ends.tolist()
        ([0.1, 0.3, 0.4], [0.2, 0.3, 0.4])
        """
        if self.clusters is not None:
            return self
        return replace(self, background=self.background.collapse(self.target_scores[::-1]))

    # -- decisions along the ranking -------------------------------------------------------------------

    def at_threshold(self, threshold: float) -> ContingencyTable:
        """Count the decisions that a threshold makes: "target" for scores of at least the threshold.

        Parameters
        ----------
        threshold : float
            The smallest score that is taken.

        Returns
        -------
        ContingencyTable
            The decisions.

        Examples
        --------
        >>> Ranking.from_scores([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4]).at_threshold(0.4).counts.tolist()
        [[1, 0], [1, 2]]
        """
        if not _is_number(threshold):
            raise InputError(f"the threshold must be a number; saw {threshold!r}")
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
        table = self._table(hits[0], alarms[0], (hits[1], alarms[1]))
        return self._with_clusters(table, threshold, 1.0 if with_equal else 0.0)

    def _with_clusters(
        self, table: ContingencyTable, threshold: float, share_of_tie: float
    ) -> ContingencyTable:
        """Count the decisions of a cut by cluster; of scores at the threshold a share is taken."""
        clustered = self.clusters
        if clustered is None:
            return table
        is_tied = clustered.scores == threshold
        predicted_share = np.where(clustered.scores > threshold, 1.0, np.where(is_tied, share_of_tie, 0.0))
        target, negative = (table.index(label) + 1 for label in (self.target, self.rest))
        keys, weights = [], []
        for predicted, share in ((target, predicted_share), (negative, 1 - predicted_share)):
            rows = share > 0
            truth = np.where(clustered.is_target[rows], target, negative)
            keys.append(np.stack([truth, np.full(len(truth), predicted), clustered.codes[rows] + 1], axis=1))
            weights.append(clustered.weight[rows] * share[rows])
        weight = np.concatenate(weights)
        weight = np.rint(weight).astype(np.int64) if table.cells.dtype.kind == "i" else weight
        joint = JointCounts(
            domains=BY_CLUSTER,
            labels=(table.labels, clustered.names),
            keys=np.concatenate(keys).astype(np.intp),
            rows=np.zeros(len(weight), dtype=np.int64),
            weight=weight,
            square=None if weight.dtype.kind == "i" else weight.astype(np.float64, copy=False) ** 2,
        )
        return replace(table, clusters=Clusters(joint.add_equal()))

    def at_depth(self, depth: int) -> ContingencyTable:
        """Count the decisions "target" for the first ``depth`` items.

        Parameters
        ----------
        depth : int
            The number of items that are taken. A depth beyond the list takes the whole list.

        Returns
        -------
        ContingencyTable
            The decisions. Items tied at the depth are taken in random order, and the table is the mean, so
            its cells may be fractions.

        Notes
        -----
        With collapsed sampling weights, Σw² up to a depth inside a span is taken in proportion.

        Examples
        --------
        >>> Ranking.from_hits([1, 1, 0, 1, 0]).at_depth(2).counts.tolist()
        [[2, 1], [0, 2]]
        """
        check_whole(depth, "a depth", 1, Integral)
        if depth >= self.ranked_total:
            return self._cut(-np.inf)
        threshold = self.score_at(depth)
        above, table_with_tie = self._cut(threshold, with_equal=False), self._cut(threshold)
        target_row, tie = table_with_tie.index(self.target), table_with_tie.cells - above.cells
        share_of_tie = (depth - above.cells[target_row].sum()) / tie[target_row].sum()
        if share_of_tie == 1:
            return table_with_tie
        cells = above.cells + tie * share_of_tie
        if self.is_counted and not tie[target_row].all():
            # A tie of one class alone: whichever of it is taken, the table is the same.
            table = replace(table_with_tie, cells=np.rint(cells).astype(np.int64))
            return (
                table
                if self.clusters is None
                else self._with_clusters(_as_floats(table), threshold, share_of_tie)
            )
        squares = [
            table.cells if table.squared is None else table.squared for table in (above, table_with_tie)
        ]
        table = replace(
            table_with_tie, cells=cells, squared=squares[0] + (squares[1] - squares[0]) * share_of_tie
        )
        return self._with_clusters(table, threshold, share_of_tie)

    def score_at(self, depth: float) -> float:
        """Find the largest score that at least ``depth`` items reach.

        Parameters
        ----------
        depth : float
            The number of items.

        Returns
        -------
        float
            The score.

        Examples
        --------
        >>> Ranking.from_scores([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.3]).score_at(2)
        0.4
        """

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

        def filled(hits: float, false_alarms: float, targets: float, background: float) -> Numbers:
            cells = np.zeros((3, 2), dtype=np.result_type(*(type(x) for x in (hits, targets, background))))
            cells[target_row, [target_row, 1 - target_row]] = hits, false_alarms
            cells[1 - target_row, [target_row, 1 - target_row]] = targets - hits, background - false_alarms
            return np.maximum(cells, 0)

        cells = filled(hits, alarms, self.target_total, self.background.total)
        squared = None
        if cells.dtype.kind == "f":
            square_totals = [self.targets.square_total + self.unranked, self.background.square_total]
            squared = filled(squares[0], squares[1], *square_totals).astype(np.float64, copy=False)
        return ContingencyTable(labels, cells, squared, self.dropped, self.target)

    # -- merging, and plain values ---------------------------------------------------------------------

    def __add__(self, other: Self) -> Self:
        """Combine the cases of both, in order.

        A collapsed one merges as long as no target of either lies in a span of the other's background.
        """
        if not isinstance(other, Ranking):
            return NotImplemented
        if self._is_empty or other._is_empty:
            nonempty = other if self._is_empty else self
            return replace(
                nonempty,
                labels=_merged_labels(self.labels, other.labels),
                bins=self.bins if nonempty.bins is None else nonempty.bins,
                dropped=self.dropped + other.dropped,
            )
        if self.is_placed or other.is_placed:
            raise MergeError("rankings made from hits have ranks but no scores, so they cannot be added")
        check_same_bins(self.bins, other.bins)
        clusters = merge_clusters(self.clusters, other.clusters)
        targets, background = self.targets + other.targets, self.background + other.background
        if not are_apart(targets, background):
            raise MergeError(
                "these rankings were collapsed to save memory and cannot be merged: read the rows of both at "
                "once, or count both in the same bins"
            )
        return replace(
            self,
            targets=targets,
            background=background,
            unranked=self.unranked + other.unranked,
            labels=_merged_labels(self.labels, other.labels),
            dropped=self.dropped + other.dropped,
            clusters=clusters,
        )

    @property
    def _is_empty(self) -> bool:
        return not (len(self.targets.scores) or len(self.background.scores) or self.unranked)

    rule: ClassVar = "scores in bins are lower edges, and no target lies in a span of the background"

    def _fits_together(self) -> bool:
        runs = (self.targets, self.background)
        if self.clusters is not None and not self._clusters_fit(self.clusters):
            return False
        return are_on_bins(runs, self.bins) and self.targets.highest is None and are_apart(*runs)

    def _clusters_fit(self, clusters: ClusteredScores) -> bool:
        """Check that clusters hold as many targets and other cases as the ranking."""
        totals = [float(clusters.weight[of].sum()) for of in (clusters.is_target, ~clusters.is_target)]
        expected = [float(self.targets.total), float(self.background.total)]
        return set(clusters.labels) <= {0, 1} and bool(np.allclose(totals, expected, rtol=1e-9))

    def __repr__(self) -> str:
        targets = self.target_total
        return f"<Ranking: {targets:,} target{'s' if targets != 1 else ''} among {self.total:,} items>"

    def facts(self) -> dict[str, object]:
        """List what was counted.

        :meta private:
        """
        targets = self.target_total
        return {"items": self.total, "targets": targets, "target": str(self.target)}


def _as_floats(table: ContingencyTable) -> ContingencyTable:
    """Make whole cases sums of weights, because a share of a tie is taken from each cluster."""
    cells = table.cells.astype(np.float64)
    return replace(table, cells=cells, squared=cells)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and value == value


def _merged_labels(
    left: tuple[Label | None, Label | None], right: tuple[Label | None, Label | None]
) -> tuple[Label | None, Label | None]:
    if left[1] is not None and right[1] is not None and left[1] != right[1]:
        raise MergeError(f"the rankings have different targets: {left[1]!r} and {right[1]!r}")
    if left[0] is None or right[0] is None:
        negative = left[0] if right[0] is None else right[0]
    else:
        negative = left[0] if left[0] == right[0] else _name_of_several(left[1])
    return negative, left[1] if left[1] is not None else right[1]


def name_of_rest(negatives: Sequence[Label], target: Label) -> Label | None:
    """Name the classes that are not targets together."""
    return None if not negatives else negatives[0] if len(negatives) == 1 else _name_of_several(target)


def _name_of_several(target: Label | None) -> Label:
    return f"not {target}" if target == REST else REST
