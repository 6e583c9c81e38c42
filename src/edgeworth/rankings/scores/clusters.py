"""Scores by class and cluster, for rows that are not independent: several of one patient or document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Numbers, freeze
from edgeworth.core.joint_counts import whole_counts
from edgeworth.core.labels import canonical_order, label_positions
from edgeworth.core.serialization import COUNTS, FLOATS, LABELS, NUMBERS, Serializable
from edgeworth.sources.columns import Coded, Label


@dataclass(frozen=True, eq=False)
class ClusteredScores(Serializable):
    """How many cases of each class have each score in each cluster.

    Entry i stands for ``weight[i]`` cases of class ``labels[classes[i]]`` and cluster ``names[codes[i]]``
    with the score ``scores[i]``. Entries are in order of score, class and cluster, each combination once.
    """

    FIELDS: ClassVar = {
        "names": LABELS,
        "labels": LABELS,
        "codes": COUNTS,
        "classes": COUNTS,
        "scores": FLOATS,
        "weight": NUMBERS,
    }

    names: tuple[Label, ...]
    labels: tuple[Label, ...]
    codes: NDArray[np.int64]
    classes: NDArray[np.int64]
    scores: Floats
    weight: Numbers

    def __post_init__(self) -> None:
        freeze(self.codes, self.classes, self.scores, self.weight)

    @classmethod
    def of(cls, clusters: Coded, truth: Coded, scores: Floats, weights: Numbers | None) -> Self:
        """Count rows that lack nothing; rows that weigh nothing are left out."""
        weight = np.ones(len(scores), dtype=np.int64) if weights is None else weights
        has_weight = weight > 0
        return cls(
            clusters.labels,
            truth.labels,
            clusters.codes[has_weight].astype(np.int64),
            truth.codes[has_weight].astype(np.int64),
            scores[has_weight] + 0.0,
            weight[has_weight],
        ).in_order()

    def in_order(self) -> Self:
        """Keep the names and labels that occur, in canonical order, and each combination once."""
        names, codes = _reorder(self.names, self.codes)
        labels, classes = _reorder(self.labels, self.classes)
        order = np.lexsort((codes, classes, self.scores))
        codes, classes, scores = codes[order], classes[order], self.scores[order]
        is_new = np.ones(len(scores), dtype=bool)
        is_new[1:] = (scores[1:] != scores[:-1]) | (np.diff(classes) != 0) | (np.diff(codes) != 0)
        starts = np.flatnonzero(is_new)
        weight = self.weight[order]
        weight = np.add.reduceat(weight, starts) if len(starts) else weight
        return replace(
            self,
            names=names,
            labels=labels,
            codes=codes[starts],
            classes=classes[starts],
            scores=scores[starts],
            weight=weight,
        )

    def __add__(self, other: Self) -> Self:
        """Add the cases of both; a cluster that is in both is one cluster."""
        return replace(
            self,
            names=self.names + other.names,
            labels=self.labels + other.labels,
            codes=np.concatenate([self.codes, other.codes + len(self.names)]),
            classes=np.concatenate([self.classes, other.classes + len(self.labels)]),
            scores=np.concatenate([self.scores, other.scores]),
            weight=np.concatenate([self.weight, other.weight]),
        ).in_order()

    def rename(
        self,
        labels: Mapping[Label, Label] | None = None,
        clusters: Callable[[Sequence[Label]], Sequence[Label]] | None = None,
    ) -> Self:
        """Rename classes, and clusters by a function of all names; those that get one name become one."""
        names = self.names if clusters is None else tuple(clusters(self.names))
        classes = self.labels if labels is None else tuple(labels[label] for label in self.labels)
        return replace(self, names=names, labels=classes).in_order()

    def in_bins(self, edges: Floats) -> Self:
        """Replace every score by the lower edge of its bin."""
        lower = np.concatenate([[-np.inf], edges])
        return replace(self, scores=lower[np.searchsorted(edges, self.scores, side="right")]).in_order()

    def as_counts(self) -> Self:
        """Take sums of weights that all were whole numbers as counts of cases."""
        return replace(self, weight=whole_counts(self.weight))

    def one_against_rest(self, target: Label) -> Self:
        """Name the target 1 and every other class 0."""
        return self.rename({label: int(label == target) for label in self.labels})

    @property
    def number(self) -> int:
        """Return the number of clusters."""
        return len(self.names)

    @property
    def is_target(self) -> NDArray[np.bool_]:
        """Tell which entries are targets, in a ranking: those of class 1."""
        return np.asarray(np.array(self.labels, dtype=object)[self.classes] == 1, dtype=bool)

    rule: ClassVar = "every entry has a cluster, a class, a score and a weight above 0"

    def _fits_together(self) -> bool:
        shape = self.codes.shape
        columns = (self.classes, self.scores, self.weight)
        return (
            all(column.shape == shape for column in columns)
            and np.array_equal(np.unique(self.codes), np.arange(len(self.names)))
            and np.array_equal(np.unique(self.classes), np.arange(len(self.labels)))
            and len(set(self.names)) == len(self.names)
            and len(set(self.labels)) == len(self.labels)
            and bool(np.all(self.weight > 0))
            and not np.isnan(self.scores).any()
        )


def _reorder(
    labels: tuple[Label, ...], codes: NDArray[np.int64]
) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """Put labels that occur in canonical order, each once."""
    used = np.unique(codes)
    used_labels = [labels[code] for code in used]
    ordered = canonical_order(used_labels)
    index = np.zeros(len(labels), dtype=np.int64)
    index[used] = label_positions(used_labels, ordered)
    return ordered, index[codes]
