"""Scores of several systems on the same cases, row by row: pairing needs to know what each said of whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.choices import WeightKind
from edgeworth.core.joint_counts import Numbers
from edgeworth.core.labels import canonical, canonical_order, list_labels, positions
from edgeworth.core.policies import take_weights
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.by_class import MissingScore, ScoresByClass, rows_by_label
from edgeworth.rankings.scores.sorted_scores import SortedScores
from edgeworth.sources.columns import MISSING, Label, as_column, encode
from edgeworth.sources.numbers import as_scores, as_weights, check_weights


def encode_clusters(clusters: Any) -> NDArray[np.intp]:
    """Number the cluster of each row in the order of their names; ``MISSING`` where a row has none."""
    column = as_column(clusters, "clusters")
    coded = encode(column, "clusters")
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return coded.codes  # in order by now
    labels = [canonical(label) for label in coded.labels]
    return np.append(positions(labels, canonical_order(labels)), MISSING)[coded.codes]


@dataclass(frozen=True)
class CaseRanks:
    """Where each case of a ranking stands among its ``steps``, the distinct scores of targets, best first.

    ``place`` is k for a target of step k, steps + k for background tied with it, and 2·steps + k for
    background in the gap before it (k = steps: below them all). Cases in one place are alike to measures.
    """

    place: NDArray[np.intp]
    steps: int

    @property
    def places(self) -> int:
        """How many places there are."""
        return 3 * self.steps + 1

    @classmethod
    def among(cls, target_scores: Floats, scores: Floats, targets: NDArray[np.bool_]) -> Self:
        """Find the place of each case among the scores that targets have."""
        levels = np.unique(target_scores)
        steps = len(levels)
        below = np.searchsorted(levels, scores)
        is_level = below < steps
        is_level[is_level] = levels[below[is_level]] == scores[is_level]
        place = np.where(is_level, 2 * steps - 1 - below, 3 * steps - below)
        place[targets] -= steps
        return cls(place, steps)


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Truth, and the scores that each system gave the same cases; the higher, the sooner it is looked at.

    ``scores`` has a row a system. Integer ``weights`` count cases and floats are sampling weights. Cases of
    one cluster (patient, document, query), of which ``clusters`` has the numbers, are not independent of each
    other. ``labels`` are the names of background and target.
    """

    names: tuple[str, ...]
    targets: NDArray[np.bool_]
    scores: Floats
    weights: Numbers | None = None
    clusters: NDArray[np.intp] | None = None
    labels: tuple[Label | None, Label | None] = (None, None)
    dropped: int = 0
    _case_ranks: dict[str, CaseRanks] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def from_scores(
        cls,
        truth: Any,
        scores: Mapping[str, Any],
        *,
        positive: Label | None = None,
        clusters: Any = None,
        weights: Any = None,
        weight_kind: WeightKind | None = None,
        missing: MissingScore = "error",
    ) -> Self:
        """Put a column of truth beside a column of scores from each system, by the rules of ``Ranking``.

        >>> paired = PairedScores.from_scores([0, 1, 1, 0], {"a": [1, 4, 3, 2], "b": [1, 2, 4, 3]})
        >>> paired.ranking("a")
        <Ranking: 2 targets among 4 items>
        """
        if missing not in ("error", "drop"):
            raise OptionError(f'missing is "error" or "drop" with scores; saw {missing!r}')
        names, table = tuple(scores), [as_scores(x, f"scores of {name!r}") for name, x in scores.items()]
        column = as_column(truth, "truth")
        weight = take_weights(None if weights is None else as_weights(weights), weight_kind)
        cluster = None if clusters is None else encode_clusters(clusters)
        beside = dict(zip((f"the scores of {name!r}" for name in names), table, strict=True))
        for said, each in {**beside, "weights": weight, "clusters": cluster}.items():
            if each is not None and len(each) != len(column):
                raise InputError(f"truth has {len(column):,} rows, {said} have {len(each):,}")
        if weight is not None:
            check_weights(weight)
        if not len(column):
            raise InputError("there are no cases: truth and scores are empty")
        stacked = np.stack(table) + 0.0  # -0.0 and 0.0 are one score
        rows = list(rows_by_label(column))
        complete, dropped = _complete(rows, names, stacked, cluster, missing)
        seen = {label: SortedScores.empty() for label, of in rows if not dropped or complete[of].any()}
        labels = Ranking.from_scores_by_class(ScoresByClass(seen), positive=positive).labels
        targets = np.zeros(len(complete), dtype=bool)
        for label, of in rows:
            targets[of] |= label == labels[1]
        # What weighs nothing tells nothing, so its cluster must not count as one.
        kept = complete if weight is None else complete & (weight > 0)
        return cls(names, targets, stacked, weight, cluster, labels, dropped).select(
            slice(None) if kept.all() else kept
        )

    def select(self, rows: Any) -> Self:
        """Take some rows, or some of them several times; clusters without a row are gone."""
        clusters, weights = self.clusters, self.weights
        return replace(
            self,
            targets=self.targets[rows],
            scores=self.scores[:, rows],
            weights=None if weights is None else weights[rows],
            clusters=None if clusters is None else np.unique(clusters[rows], return_inverse=True)[1],
        )

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def is_counted(self) -> bool:
        """True when every row stands for whole cases."""
        return self.weights is None or self.weights.dtype.kind == "i"

    @property
    def units(self) -> int:
        """How many independent units there are: clusters, or else cases."""
        if self.clusters is not None:
            return int(self.clusters.max(initial=-1)) + 1
        return len(self) if self.weights is None or not self.is_counted else int(self.weights.sum())

    def row(self, name: str) -> Floats:
        """Give the scores of one system."""
        if name not in self.names:
            raise InputError(f"there is no system {name!r}; there are {list_labels(self.names) or 'none'}")
        return np.asarray(self.scores[self.names.index(name)])

    def ranking(self, name: str) -> Ranking:
        """Give the ranking of one system."""
        row, weights = self.row(name), self.weights
        runs = [
            SortedScores.of(row[of], None if weights is None else weights[of])
            for of in (self.targets, ~self.targets)
        ]
        return Ranking(runs[0], runs[1], 0, self.labels, None, self.dropped)

    def case_ranks(self, name: str) -> CaseRanks:
        """Find where one system ranks each case; the answer is kept."""
        if name not in self._case_ranks:
            row = self.row(name)
            self._case_ranks[name] = CaseRanks.among(row[self.targets], row, self.targets)
        return self._case_ranks[name]


def _complete(
    rows: list[tuple[Label, Any]],
    names: tuple[str, ...],
    scores: Floats,
    clusters: NDArray[np.intp] | None,
    missing: MissingScore,
) -> tuple[NDArray[np.bool_], int]:
    """Find the rows that lack nothing; the others are an error, or dropped and counted."""
    known = np.zeros(scores.shape[1], dtype=bool)
    for _, of in rows:
        known[of] = True
    absent = {"truth": ~known}
    absent |= {f"the score of {name!r}": np.isnan(row) for name, row in zip(names, scores, strict=True)}
    if clusters is not None:
        absent["the cluster"] = clusters == MISSING
    lacks = np.logical_or.reduce(list(absent.values()))
    lost = int(lacks.sum())
    if lost and missing == "error":
        row = int(np.argmax(lacks))
        name = next(name for name, where in absent.items() if where[row])
        such = f"{lost:,} such row{'s' if lost != 1 else ''}"
        raise InputError(
            f"{name} is missing (or not a number) in row {1 + row:,} ({such}): "
            'missing="drop" (--missing drop) leaves such rows out and counts them'
        )
    if lost == len(lacks):
        raise InputError(f"there are no cases: all {lost:,} rows lack truth or score")
    return ~lacks, lost
