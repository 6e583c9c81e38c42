"""Scores of several systems for the same cases, row by row, which a paired test needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Numbers, freeze
from edgeworth.common.choices import WeightKind
from edgeworth.common.json_types import JsonObject
from edgeworth.comparisons.kind import PAIRED_SCORES
from edgeworth.core.cluster_codes import CLUSTERS, drop_unused_clusters, encode_clusters, join_clusters
from edgeworth.core.labels import list_labels
from edgeworth.core.row_policies import describe_missing, take_weights
from edgeworth.core.serialization import (
    COUNT,
    FLAG,
    FLOATS,
    NUMBERS,
    PAIR,
    TEXT,
    Serializable,
    list_of,
    optional,
    reshape_array,
    tuple_of,
)
from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.rankings.intervals.clusters import CaseRanks
from edgeworth.rankings.lists import both_classes
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.by_class import MissingScore, ScoresByClass, rows_by_label
from edgeworth.rankings.scores.sorted_scores import SortedScores
from edgeworth.sources.alignment import aligned
from edgeworth.sources.batches import check_lengths
from edgeworth.sources.columns import MISSING, Coded, Label, as_column, encode
from edgeworth.sources.numbers import as_scores, as_weights, check_weights

Names = tuple[Label | None, Label | None]


@dataclass(frozen=True, eq=False)
class PairedScores(Serializable):
    """Truth, and the scores that each system gave the same cases; the higher, the sooner it is looked at.

    ``scores`` has one row per system. Integer ``weights`` count cases and floats are sampling weights.
    Cases of one cluster (patient, document, query) are not independent of each other.
    """

    kind: ClassVar = PAIRED_SCORES
    name_in_files: ClassVar = PAIRED_SCORES.name
    FIELDS: ClassVar = {
        "names": tuple_of(TEXT),
        "targets": replace(
            list_of(FLAG),
            load=lambda x: np.array(list_of(FLAG).load(x), dtype=bool),
            dump=lambda x: x.tolist(),
        ),
        "scores": FLOATS,
        "weights": optional(NUMBERS),
        "groups": optional(CLUSTERS).of("clusters"),
        "labels": PAIR,
        "dropped": COUNT,
    }

    names: tuple[str, ...]
    targets: NDArray[np.bool_]
    scores: Floats
    weights: Numbers | None = None
    clusters: Coded | None = None
    labels: Names = (None, None)
    """The names of background and target."""
    dropped: int = 0
    folds: tuple[Self, ...] = field(default=(), repr=False)
    """The same cases in the same order, where values are means over folds: none in what was counted."""
    fold_codes: NDArray[np.intp] | None = field(default=None, repr=False)
    """The fold of each case, in what was read for a comparison within folds."""
    _case_ranks: dict[str, CaseRanks] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        codes = None if self.clusters is None else self.clusters.codes
        freeze(self.targets, self.scores, self.weights, codes)

    # -- ways in ---------------------------------------------------------------------------------------

    @classmethod
    def empty(cls) -> Self:
        """Make a tally without cases or systems."""
        return cls((), np.zeros(0, dtype=bool), np.zeros((0, 0)))

    @classmethod
    @aligned
    def from_scores(
        cls,
        truth: object,
        scores: Mapping[str, object],
        *,
        positive: Label | None = None,
        clusters: object = None,
        weights: object = None,
        weight_kind: WeightKind | None = None,
        missing: MissingScore = "error",
        folds: object = None,
    ) -> Self:
        """Put a column of truth beside a column of scores from each system, by the rules of ``Ranking``.

        >>> paired = PairedScores.from_scores([0, 1, 1, 0], {"a": [1, 4, 3, 2], "b": [1, 2, 4, 3]})
        >>> paired.ranking("a")
        <Ranking: 2 targets among 4 items>
        """
        if missing not in ("error", "drop"):
            raise OptionError(f'missing is "error" or "drop" with scores; saw {missing!r}')
        names, table = _stack_scores(scores)
        column = as_column(truth, "truth")
        weight = take_weights(None if weights is None else as_weights(weights), weight_kind)
        cluster = None if clusters is None else encode_clusters(clusters)
        fold = None if folds is None else encode(as_column(folds, "folds"), "folds")
        scored = {f"the score of {name!r}": row for name, row in zip(names, table, strict=True)}
        check_lengths({"truth": column, **scored, "weights": weight, "clusters": cluster, "folds": fold})
        if weight is not None:
            check_weights(weight)
        if not len(column):
            raise InputError("there are no cases: truth and scores are empty")
        stacked = np.stack(table) + 0.0  # -0.0 and 0.0 are one score
        rows = list(rows_by_label(column))
        units = {"the cluster": cluster, "the fold": fold}
        complete, dropped = _complete(rows, names, stacked, units, missing)
        seen = {label: SortedScores.empty() for label, of in rows if not dropped or complete[of].any()}
        labels = Ranking.from_scores_by_class(ScoresByClass(seen), positive=positive).labels
        targets = np.zeros(len(complete), dtype=bool)
        for label, of in rows:
            targets[of] |= label == labels[1]
        # A cluster of rows with weight 0 must not count as a cluster.
        kept = complete if weight is None else complete & (weight > 0)
        codes = None if fold is None else fold.codes
        whole = cls(names, targets, stacked, weight, cluster, labels, dropped, fold_codes=codes)
        return whole if kept.all() else whole.select(kept)

    def select(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Self:
        """Take some rows, or some of them several times; clusters without a row are gone."""
        clusters = self.clusters
        if clusters is not None:
            clusters = drop_unused_clusters(Coded(clusters.codes[rows], clusters.labels))
        weights = None if self.weights is None else self.weights[rows]
        return replace(
            self,
            targets=self.targets[rows],
            scores=self.scores[:, rows],
            weights=weights,
            clusters=clusters,
            fold_codes=None if self.fold_codes is None else self.fold_codes[rows],
        )

    def within_folds(self) -> Self:
        """Take the cases of the folds with targets and others, fold by fold."""
        codes = self.fold_codes
        assert codes is not None
        targets, sizes = np.bincount(codes, weights=self.targets), np.bincount(codes)
        has_both = both_classes(targets, sizes, least=2 if self.clusters is None else 1)
        rows = [np.flatnonzero(codes == fold) for fold in np.flatnonzero(has_both)]
        return replace(self.select(np.concatenate(rows)), folds=tuple(map(self.select, rows)))

    # -- what it holds ---------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def is_counted(self) -> bool:
        """Whether weights are numbers of cases."""
        return self.weights is None or self.weights.dtype.kind == "i"

    @property
    def case_weights(self) -> Numbers:
        """The weight of each case, 1 where none was given."""
        return np.ones(len(self), dtype=np.int64) if self.weights is None else self.weights

    @property
    def parts(self) -> tuple[Self, ...]:
        """The rankings that values are means over: the folds, or else this one."""
        return self.folds or (self,)

    @property
    def units(self) -> int:
        """How many independent units there are: clusters, or else cases."""
        if self.clusters is not None:
            return len(self.clusters.labels)
        return int(self.case_weights.sum()) if self.is_counted else len(self)

    def row(self, name: str) -> Floats:
        """Return the scores of one system."""
        if name not in self.names:
            raise InputError(f"there is no system {name!r}; there are {list_labels(self.names) or 'none'}")
        return np.asarray(self.scores[self.names.index(name)])

    def ranking(self, name: str) -> Ranking:
        """Return the ranking of one system."""
        row, weights = self.row(name), self.weights
        targets, background = (
            SortedScores.of(row[of], None if weights is None else weights[of])
            for of in (self.targets, ~self.targets)
        )
        return Ranking(targets, background, 0, self.labels, None, self.dropped)

    def case_ranks(self, name: str) -> CaseRanks:
        """Find where one system ranks each case; the answer is kept."""
        if name not in self._case_ranks:
            row = self.row(name)
            self._case_ranks[name] = CaseRanks.among(row[self.targets], row, self.targets)
        return self._case_ranks[name]

    # -- merging, and plain values ---------------------------------------------------------------------

    def __add__(self, other: Self) -> Self:
        """Concatenate the cases of both."""
        if not isinstance(other, PairedScores):
            return NotImplemented
        dropped = self.dropped + other.dropped
        if not self.names or not other.names:
            return replace(other if not self.names else self, dropped=dropped)
        if self.names != other.names:
            raise MergeError(
                f"one tally pairs {list_labels(self.names)}, the other {list_labels(other.names)}"
            )
        if len(self) and len(other) and self.is_counted != other.is_counted:
            raise MergeError("one tally counts cases, the other has sampling weights")
        if (self.clusters is None) != (other.clusters is None):
            raise MergeError("one tally has clusters, the other has none")
        # Two rankings without cases merge their labels by the rules there are.
        empty = SortedScores.empty()
        first_labels, second_labels = (Ranking(empty, empty, labels=tally.labels) for tally in (self, other))
        weights = clusters = None
        if self.clusters is not None and other.clusters is not None:
            clusters = join_clusters(self.clusters, other.clusters)
        if self.weights is not None or other.weights is not None:
            weights = np.concatenate([self.case_weights, other.case_weights])
        return replace(
            self,
            targets=np.concatenate([self.targets, other.targets]),
            scores=np.concatenate([self.scores, other.scores], axis=1),
            weights=weights,
            clusters=clusters,
            labels=(first_labels + second_labels).labels,
            dropped=dropped,
        )

    @classmethod
    def _of_fields(cls, fields: JsonObject) -> Self:
        scores = reshape_array(fields["scores"], len(fields["names"]), len(fields["targets"]))
        return cls(**fields | {"scores": scores})

    rule: ClassVar = "systems have different names, cases a weight above 0, and clusters a case each"

    def _fits_together(self) -> bool:
        """Check the rule."""
        shape, weights, clusters = self.targets.shape, self.weights, self.clusters
        checks = [len(set(self.names)) == len(self.names)]
        if weights is not None:
            checks += [weights.shape == shape, bool(np.all(weights > 0))]
        if clusters is not None:
            used, size = np.unique(clusters.codes), len(clusters.labels)
            checks += [clusters.codes.shape == shape, np.array_equal(used, np.arange(size))]
            checks += [len(set(clusters.labels)) == size]
        return all(checks)

    def __repr__(self) -> str:
        targets, systems = int(self.targets.sum()), len(self.names)
        return f"<PairedScores: {systems} systems on {len(self):,} cases, {targets:,} of them targets>"

    def facts(self) -> dict[str, object]:
        """Describe what was counted."""
        return {"cases": len(self), "targets": int(self.targets.sum()), "systems": ", ".join(self.names)}


def _stack_scores(scores: object) -> tuple[tuple[str, ...], list[Floats]]:
    """Check the systems' names and scores."""
    if not isinstance(scores, Mapping):
        raise InputError(
            f'scores of several systems are given by name, as in {{"A": scores}}; saw {type(scores).__name__}'
        )
    if not scores:
        raise InputError("there are no systems to pair")
    for name in scores:
        if not isinstance(name, str):
            raise InputError(f"the name of a system is text; saw {name!r}")
    return tuple(scores), [as_scores(values, f"scores of {name!r}") for name, values in scores.items()]


def _complete(
    rows: list[tuple[Label, NDArray[np.bool_] | NDArray[np.intp]]],
    names: tuple[str, ...],
    scores: Floats,
    units: Mapping[str, Coded | None],
    missing: MissingScore,
) -> tuple[NDArray[np.bool_], int]:
    """Find the complete rows; raise an error for the others, or drop and count them."""
    known = np.zeros(scores.shape[1], dtype=bool)
    for _, of in rows:
        known[of] = True
    absent = {"truth": ~known}
    absent |= {f"the score of {name!r}": np.isnan(row) for name, row in zip(names, scores, strict=True)}
    absent |= {name: coded.codes == MISSING for name, coded in units.items() if coded is not None}
    lacks = np.logical_or.reduce(list(absent.values()))
    lost = int(lacks.sum())
    if lost and missing == "error":
        row = int(np.argmax(lacks))
        name = next(name for name, where in absent.items() if where[row])
        raise InputError(describe_missing(f"{name} is missing (or not a number)", 1 + row, lost))
    if lost == len(lacks):
        raise InputError(f"there are no cases: all {lost:,} rows lack truth or score")
    return ~lacks, lost
