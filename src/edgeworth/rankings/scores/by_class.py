"""Scores by real class: a ranking before the target class is known.

A batch of rows does not know all labels, so scores are gathered by label first; which label is the target is
decided once, over all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import MAX_EXACT_INTEGER, Floats, Numbers
from edgeworth.common.choices import WeightKind
from edgeworth.core.joint_counts import whole_counts
from edgeworth.core.labels import (
    POSITIVE_OF_PAIR,
    canonical_label,
    canonical_order,
    find_label,
    list_labels,
    usual_positive,
)
from edgeworth.core.row_policies import (
    check_label_number,
    describe_missing,
    refuse_regression,
    take_weights,
)
from edgeworth.core.serialization import COUNT, LABELS, Serializable, list_of, object_of, optional
from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.rankings.kind import SCORES_BY_CLASS
from edgeworth.rankings.scores.clusters import ClusteredScores
from edgeworth.rankings.scores.sorted_scores import (
    EDGES,
    ScoredRows,
    SortedScores,
    are_on_bins,
    place_in_bins,
)
from edgeworth.sources.batches import check_lengths
from edgeworth.sources.columns import Coded, Column, Label, encode
from edgeworth.sources.numbers import check_weights

MissingScore: TypeAlias = Literal["error", "drop"]
ClassRows: TypeAlias = tuple[Label, Floats, Numbers | None]
"""A class with the scores of its rows, and their weights or none."""


@dataclass(frozen=True, eq=False)
class ScoresByClass(Serializable):
    """Sorted scores of each class."""

    kind: ClassVar = SCORES_BY_CLASS
    name_in_files: ClassVar = SCORES_BY_CLASS.name
    FIELDS: ClassVar = {
        "labels": LABELS,
        "runs": list_of(object_of(SortedScores)).of("_scores_in_order"),
        "cells": EDGES.of("bins"),
        "dropped": COUNT,
        "clusters": replace(optional(object_of(ClusteredScores)), is_brief=True),
    }

    scores: Mapping[Label, SortedScores] = field(default_factory=dict)
    bins: Floats | None = None
    dropped: int = 0
    clusters: ClusteredScores | None = None
    """The same cases by cluster, when rows come in clusters."""

    @classmethod
    def from_columns(
        cls,
        truth: Column,
        scores: Floats,
        *,
        weights: Numbers | None = None,
        weight_kind: WeightKind | None = None,
        bins: Floats | None = None,
        missing: MissingScore = "error",
        first_row: int = 1,
        clusters: Column | None = None,
    ) -> Self:
        """Sort one batch of scores by class, and by cluster if there are clusters."""
        if clusters is not None:
            return cls._of_clusters(
                truth, scores, clusters, weights, weight_kind, bins, missing, first_row=first_row
            )
        classes, dropped = rows_of_classes(
            truth, scores, weights=weights, weight_kind=weight_kind, missing=missing, first_row=first_row
        )
        runs = ((label, SortedScores.of(chosen, chosen_weights)) for label, chosen, chosen_weights in classes)
        if bins is not None:
            runs = ((label, place_in_bins(run, bins)) for label, run in runs)
        return cls(_merge_classes(runs), bins, dropped)

    @classmethod
    def _of_clusters(
        cls,
        truth: Column,
        scores: Floats,
        clusters: Column,
        weights: Numbers | None,
        weight_kind: WeightKind | None,
        bins: Floats | None,
        missing: MissingScore,
        *,
        first_row: int,
    ) -> Self:
        """Sort one batch of scores by class and cluster; a row without a cluster lacks a value."""
        check_lengths({"truth": truth, "scores": scores, "clusters": clusters, "weights": weights})
        coded = encode(clusters, "clusters")
        lacks_cluster = coded.codes < 0
        if missing == "error" and lacks_cluster.any():
            row = first_row + int(np.argmax(lacks_cluster))
            raise InputError(describe_missing("the cluster is missing", row, int(lacks_cluster.sum())))
        plain = cls.from_columns(
            truth,
            np.where(lacks_cluster, np.nan, scores),
            weights=weights,
            weight_kind=weight_kind,
            bins=bins,
            missing=missing,
            first_row=first_row,
        )
        part = encode(truth, "truth")
        complete_rows = np.flatnonzero((part.codes >= 0) & ~lacks_cluster & ~np.isnan(scores))
        row_weights = take_weights(weights, weight_kind, first_row)
        clustered = ClusteredScores.of(
            Coded(coded.codes[complete_rows], tuple(canonical_label(label) for label in coded.labels)),
            Coded(part.codes[complete_rows], tuple(canonical_label(label) for label in part.labels)),
            scores[complete_rows],
            None if row_weights is None else row_weights[complete_rows],
        )
        if not clustered.number:
            return plain
        return replace(plain, clusters=clustered if bins is None else clustered.in_bins(bins))

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, ScoresByClass):
            return NotImplemented
        if not self.scores or not other.scores:
            nonempty = other if not self.scores else self
            bins = self.bins if nonempty.bins is None else nonempty.bins
            return replace(nonempty, bins=bins, dropped=self.dropped + other.dropped)
        check_same_bins(self.bins, other.bins)
        runs = _merge_classes((*self.scores.items(), *other.scores.items()))
        clusters = self.clusters if other.clusters is None else other.clusters
        if self.has_cases and other.has_cases:
            clusters = merge_clusters(self.clusters, other.clusters)
        return replace(self, scores=runs, dropped=self.dropped + other.dropped, clusters=clusters)

    @property
    def labels(self) -> tuple[Label, ...]:
        return canonical_order(self.scores)

    @property
    def _scores_in_order(self) -> list[SortedScores]:
        return [self.scores[label] for label in self.labels]

    @classmethod
    def _of_fields(cls, fields: dict[str, object]) -> Self:
        labels, runs, bins, dropped, clusters = (
            fields[name] for name in ("labels", "_scores_in_order", "bins", "dropped", "clusters")
        )
        assert isinstance(labels, tuple)
        assert isinstance(runs, (list, tuple))
        assert isinstance(dropped, int)
        assert bins is None or isinstance(bins, np.ndarray)
        assert clusters is None or isinstance(clusters, ClusteredScores)
        return cls(dict(zip(labels, runs, strict=True)), bins, dropped, clusters)

    rule: ClassVar = "each class has sorted scores, and scores in bins are their lower edges"

    def _fits_together(self) -> bool:
        is_known = self.clusters is None or set(self.clusters.labels) <= set(self.scores)
        return is_known and are_on_bins(self.scores.values(), self.bins)

    def rename(self, names: Mapping[Label, Label]) -> Self:
        """Rename the classes; those that get one name become one."""
        clusters = None if self.clusters is None else self.clusters.rename(names)
        runs = _merge_classes((names[label], run) for label, run in self.scores.items())
        return replace(self, scores=runs, clusters=clusters)

    @property
    def has_cases(self) -> bool:
        return any(len(run.scores) for run in self.scores.values())

    def as_counts(self) -> Self:
        """Take sums of weights that all were whole numbers as counts of cases."""
        scores = {
            label: run if run.weight is None else SortedScores(run.scores, whole_counts(run.weight))
            for label, run in self.scores.items()
        }
        return replace(
            self, scores=scores, clusters=None if self.clusters is None else self.clusters.as_counts()
        )


def merge_clusters(left: ClusteredScores | None, right: ClusteredScores | None) -> ClusteredScores | None:
    """Add clusters of two tallies, which both have or have not."""
    if left is None and right is None:
        return None
    if left is None or right is None:
        raise MergeError("one part of the scores has clusters, the other has none")
    return left + right


def _merge_classes(runs: Iterable[tuple[Label, SortedScores]]) -> dict[Label, SortedScores]:
    """Merge the scores of equal labels."""
    merged: dict[Label, SortedScores] = {}
    for label, run in runs:
        merged[label] = merged[label] + run if label in merged else run
    return merged


def target_of(labels: Sequence[Label], positive: Label | None = None) -> Label:
    """Find the class of the targets: the declared one, or the one that is positive by convention."""
    check_label_number(labels)
    if positive is not None:
        return labels[find_label(positive, labels)]
    usual = usual_positive(labels) if len(labels) == 2 else _of_a_usual_pair(labels)
    if usual is None:
        refuse_regression(labels)
        raise InputError(
            f"truth has the label{'s' if len(labels) != 1 else ''} {list_labels(labels)}: name the target "
            "(positive=, --positive)"
        )
    return usual


def rows_of_classes(
    truth: Column,
    scores: Floats,
    *,
    weights: Numbers | None = None,
    weight_kind: WeightKind | None = None,
    missing: MissingScore = "error",
    first_row: int = 1,
) -> tuple[list[ClassRows], int]:
    """Copies of the scores (and weights) of each class, free of NaN; and how many rows were dropped."""
    if missing not in ("error", "drop"):
        raise OptionError(f'with scores, missing must be "error" or "drop"; saw {missing!r}')
    check_lengths({"truth": truth, "scores": scores, "weights": weights})
    weights = take_weights(weights, weight_kind, first_row)
    if weights is not None:
        check_weights(weights, first_row)
        if weights.dtype.kind in "iu" and weights.sum(dtype=np.float64) > MAX_EXACT_INTEGER:
            raise InputError("the weights must add up to at most 2^53: divide them by a constant")

    def choose(scores: Floats, weights: Numbers | None, truth: Column) -> list[ClassRows]:
        return [
            (label, scores[rows], None if weights is None else weights[rows])
            for label, rows in rows_by_label(truth)
        ]

    # The least of numbers among which there is a NaN is NaN.
    complete = not len(scores) or not np.isnan(scores.min())
    classes = choose(scores, weights, truth) if complete else []
    if sum(len(chosen) for _, chosen, _ in classes) == len(scores):
        return classes, 0
    part = encode(truth, "truth")
    has_truth = part.codes >= 0
    complete_rows = np.flatnonzero(has_truth & ~np.isnan(scores))
    if missing == "error":
        row = int(np.argmin(has_truth & ~np.isnan(scores)))
        name = "the score" if has_truth[row] else "truth"
        problem = f"{name} is missing (or not a number)"
        raise InputError(describe_missing(problem, first_row + row, len(scores) - len(complete_rows)))
    part = Coded(part.codes[complete_rows], part.labels)
    classes = choose(scores[complete_rows], None if weights is None else weights[complete_rows], part)
    return classes, len(scores) - len(complete_rows)


def check_same_bins(left: Floats | None, right: Floats | None) -> None:
    """Unequal bins cannot be merged: scores that are tied in one are apart in the other."""
    if not np.array_equal(np.asarray(left), np.asarray(right)):
        descriptions = [
            f"{len(bins):,} bins" if bins is not None else "exact scores" for bins in (left, right)
        ]
        difference = " with other edges" if descriptions[0] == descriptions[1] else ""
        raise MergeError(
            f"rankings with different bins cannot be merged: {descriptions[0]} and "
            f"{descriptions[1]}{difference}"
        )


def _of_a_usual_pair(labels: Sequence[Label]) -> Label | None:
    """Infer the second class from the name of the only one in the data."""
    if len(labels) != 1:
        return None
    only = labels[0].lower() if isinstance(labels[0], str) else labels[0]
    for negative, positive in POSITIVE_OF_PAIR:
        if only in (negative, positive) and only != -1:
            return labels[0] if only == positive else positive
    return None


def rows_by_label(truth: Column) -> Iterator[tuple[Label, NDArray[np.bool_] | NDArray[np.intp]]]:
    """Group the rows by their label; rows with a missing label are in no group."""
    if isinstance(truth, np.ndarray) and len(truth):
        if truth.dtype.kind == "b":
            yield from ((False, np.logical_not(truth)), (True, truth.astype(np.bool_, copy=False)))
            return
        if truth.dtype.kind == "f" and np.all((truth == 0) | (truth == 1)):
            truth = truth.astype(np.int8)
        if truth.dtype.kind in "iu":
            low, high = int(truth.min()), int(truth.max())
            if high - low <= 1:
                is_high = truth == high
                yield high, is_high
                if low < high:
                    yield low, ~is_high
                return
    coded = encode(truth, "truth")
    check_label_number(coded.labels)
    order = np.argsort(coded.codes, kind="stable")
    ends = np.searchsorted(coded.codes[order], np.arange(len(coded.labels) + 1))
    for code, label in enumerate(coded.labels):
        rows = order[ends[code] : ends[code + 1]]
        if len(rows):
            yield canonical_label(label), rows


MAX_ROWS_WITH_EVERY_SCORE = 1 << 22
"""Rows up to which every score is kept."""


@dataclass(frozen=True, eq=False)
class CappedScoresByClass:
    """How many rows each class has, and the scores of as many classes as ``most`` rows allow."""

    most: int = MAX_ROWS_WITH_EVERY_SCORE
    rows: dict[Label, int] = field(default_factory=dict)
    kept: Mapping[Label, tuple[ScoredRows, ...]] = field(default_factory=dict)
    """The rows of each batch, which are sorted when all are there."""
    dropped: int = 0

    def __post_init__(self) -> None:
        kept = dict(self.kept)
        while kept and sum(self.rows[label] for label in kept) > self.most:
            # The scores of the largest class go first.
            del kept[max(kept, key=self.rows.__getitem__)]
        object.__setattr__(self, "kept", kept)

    @classmethod
    def of_classes(
        cls, classes: Iterable[ClassRows], dropped: int, most: int = MAX_ROWS_WITH_EVERY_SCORE
    ) -> Self:
        """Make the tally of one batch of rows, as ``rows_of_classes`` returns them."""
        rows, kept = dict[Label, int](), dict[Label, tuple[ScoredRows, ...]]()
        for label, chosen, chosen_weights in classes:
            rows[label] = rows.get(label, 0) + len(chosen)
            kept[label] = (*kept.get(label, ()), (chosen, chosen_weights))
        return cls(most, rows, kept, dropped)

    def __add__(self, other: Self) -> Self:
        rows = {label: self.rows.get(label, 0) + other.rows.get(label, 0) for label in self.rows | other.rows}
        kept = {
            label: self.kept.get(label, ()) + other.kept.get(label, ())
            for label in rows
            if all(label in side.kept or label not in side.rows for side in (self, other))
        }
        return type(self)(self.most, rows, kept, self.dropped + other.dropped)

    @property
    def total(self) -> int:
        """All rows that have a class and a score."""
        return sum(self.rows.values())

    @property
    def is_whole(self) -> bool:
        """True when every score was kept."""
        return len(self.kept) == len(self.rows)

    def sorted_scores(self, labels: Collection[Label]) -> SortedScores:
        """Return the sorted scores of some classes together."""
        return SortedScores.of_batches([rows for label in labels for rows in self.kept.get(label, ())])

    def by_class(self) -> ScoresByClass:
        """Return the sorted scores of each class."""
        return ScoresByClass({label: self.sorted_scores([label]) for label in self.rows}, None, self.dropped)
