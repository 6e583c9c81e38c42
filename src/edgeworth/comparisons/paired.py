"""Several predictors on the same cases: sparse joint counts of truth and every prediction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from edgeworth.common.arrays import Integers
from edgeworth.common.choices import Missing, WeightKind
from edgeworth.common.json_types import JsonObject
from edgeworth.core.joint_counts import JOINT_FIELDS, JointCounts, Numbers, count_joint
from edgeworth.core.labels import (
    as_labels,
    canonical_label,
    find_label,
    label_facts,
    list_labels,
    merge_positive,
)
from edgeworth.core.row_policies import check_label_kinds, drop_incomplete, take_weights
from edgeworth.core.serialization import COUNT, FLAG, LABEL, LABELS, Serializable, optional
from edgeworth.decisions.clusters import BY_CLUSTER, Clusters
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError, MergeError
from edgeworth.sources.alignment import aligned
from edgeworth.sources.columns import Column, Label, as_column
from edgeworth.sources.numbers import as_weights


@dataclass(frozen=True)
class Discordance:
    """Where two predictors differ, in cases (or their weight)."""

    both_right: float
    only_first_right: float
    only_second_right: float
    both_wrong_alike: float
    both_wrong_differently: float

    @property
    def disagreements(self) -> float:
        """Cases on which the two predictors said different things."""
        return self.only_first_right + self.only_second_right + self.both_wrong_differently


@dataclass(frozen=True)
class Paired(Serializable):
    """How often each combination of a real class and the predictions of S predictors occurred.

    Column 0 of ``joint`` is the truth, column 1 + s the prediction of ``names[s]``; a missing prediction is
    an abstention. Where rows come in clusters (patients, documents, queries) one more column names
    the cluster of each. Each predictor's table and every pair's discordance follow from it.
    """

    kind: ClassVar = "paired"
    FIELDS: ClassVar = {
        "names": LABELS,
        "grouped": FLAG.of("is_clustered").otherwise(False),
        "dropped": COUNT,
        "positive": optional(LABEL).of("declared_positive"),
        **JOINT_FIELDS,
    }

    names: tuple[str, ...]
    joint: JointCounts
    dropped: int = 0
    declared_positive: Label | None = None

    @classmethod
    def empty(cls) -> Self:
        """No cases, and as yet no predictors."""
        return cls((), JointCounts.empty((0,)))

    @classmethod
    @aligned
    def from_labels(
        cls,
        truth: object,
        predictions: Mapping[str, object],
        *,
        clusters: object = None,
        positive: Label | None = None,
        weights: object = None,
        weight_kind: WeightKind | None = None,
        abstain: Label | Collection[Label] | None = None,
        missing: Missing = "error",
    ) -> Self:
        """Count a column of truth with a column of labels from each predictor.

        ``clusters`` names the cluster of each row, where rows of one cluster are alike.

        >>> paired = Paired.from_labels([1, 0, 1], {"a": [1, 0, 0], "b": [1, 1, 1]})
        >>> paired.discordance("a", "b").only_second_right
        1
        """
        paired = cls.from_columns(
            as_column(truth, "truth"),
            {name: as_column(values, name) for name, values in predictions.items()},
            None if clusters is None else as_column(clusters, "clusters"),
            weights=None if weights is None else as_weights(weights),
            weight_kind=weight_kind,
            abstain=abstain,
            missing=missing,
        )
        if not len(paired.joint.rows):
            raise InputError("there are no cases")
        paired.check_kinds()
        return paired if positive is None else paired.declare(positive=positive)

    @classmethod
    def from_columns(
        cls,
        truth: Column,
        predictions: Mapping[str, Column],
        clusters: Column | None = None,
        *,
        weights: Numbers | None = None,
        weight_kind: WeightKind | None = None,
        abstain: Label | Collection[Label] | None = None,
        missing: Missing = "error",
        first_row: int = 1,
        repeats: Integers | None = None,
    ) -> Self:
        """Count one batch of columns: what ``from_labels`` does, without checks of the whole."""
        if not predictions:
            raise InputError("there are no predictors to pair")
        columns, names = [truth, *predictions.values()], ["truth", *predictions]
        if clusters is not None:
            columns, names = [*columns, clusters], [*names, "clusters"]
        joint = count_joint(
            columns,
            take_weights(weights, weight_kind, first_row),
            names=names,
            domains=_domains(len(predictions), clusters is not None),
            first_row=first_row,
            repeats=repeats,
        )
        joint, dropped = drop_incomplete(joint, missing, columns, names, first_row)
        if abstain is not None:
            joint = joint.with_missing(as_labels(abstain), range(1, 1 + len(predictions)))
        return cls(tuple(predictions), joint, dropped)

    @property
    def is_clustered(self) -> bool:
        """Whether rows come in clusters, so that the cluster is the unit of inference."""
        return self.joint.domains[-1] == 1

    @property
    def is_counted(self) -> bool:
        """True when whole cases were counted, so that exact tests apply."""
        return self.joint.weight.dtype.kind == "i"

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels of truth and all predictions."""
        return self.joint.labels[0]

    @property
    def total(self) -> int | float:
        """All cases (or their weight), abstentions included."""
        return self.joint.weight.sum().item()  # type: ignore[no-any-return]  # numpy's item is Any

    def decided(self) -> Self:
        """Keep the cases that every system decided."""
        kept = (self.joint.keys[:, 1 : 1 + len(self.names)] != 0).all(axis=1)
        old = self.joint
        square = None if old.square is None else old.square[kept]
        joint = replace(old, keys=old.keys[kept], rows=old.rows[kept], weight=old.weight[kept], square=square)
        return replace(self, joint=joint)

    def declare(self, *, positive: Label) -> Self:
        """Name the positive label."""
        return replace(self, declared_positive=self.labels[find_label(positive, self.labels)])

    def rename(self, rename: Callable[[Sequence[Label]], Sequence[Label]]) -> Self:
        """Rename the labels of truth and predictions, and the clusters, each by a function of all of them."""
        labels = tuple(tuple(canonical_label(name) for name in rename(names)) for names in self.joint.labels)
        old = self.declared_positive
        new = None if old is None else labels[0][self.labels.index(old)]
        return replace(self, joint=replace(self.joint, labels=labels).in_order(), declared_positive=new)

    def check_kinds(self) -> None:
        """Refuse predictions that never agree with the truth only because one is text and one is not."""
        real = list(self.joint.labels_seen(0))
        for place, name in enumerate(self.names, 1):
            check_label_kinds(real, list(self.joint.labels_seen(place)), name)

    def table(self, name: str) -> ContingencyTable:
        """Give one predictor's contingency table, on the labels of all."""
        table = ContingencyTable.from_joint(self.joint, prediction=1 + self._place(name))
        return replace(table, dropped=self.dropped, declared_positive=self.declared_positive)

    def table_alone(self, name: str) -> ContingencyTable:
        """Give one predictor's contingency table with its clusters, as if it had been counted by itself.

        >>> paired = Paired.from_labels([1, 0, 1], {"a": [1, 0, 0], "b": [1, 1, 1]}, clusters=["x", "x", "y"])
        >>> paired.table_alone("b")
        <ContingencyTable: 3 cases, 2 labels, 2 clusters>
        """
        table = self.table(name)
        if not self.is_clustered:
            return table
        keys = self.joint.keys[:, [0, 1 + self._place(name), -1]]
        joint = replace(self.joint, keys=keys, domains=BY_CLUSTER).in_order()
        return replace(table, clusters=Clusters.from_joint(joint))

    def discordance(self, first: str, second: str) -> Discordance:
        """Count where two predictors agree and differ, and which of them is right there."""
        one, two = (self.joint.keys[:, 1 + self._place(name)] for name in (first, second))
        mine, its = (each == self.joint.keys[:, 0] for each in (one, two))
        wrong = ~mine & ~its
        parts = (mine & its, mine & ~its, ~mine & its, wrong & (one == two), wrong & (one != two))
        return Discordance(*(self.joint.weight[part].sum().item() for part in parts))

    def __add__(self, other: Self) -> Self:
        """Merge the cases of both."""
        if not isinstance(other, Paired):
            return NotImplemented
        if not self.names or not other.names:
            return other if not self.names else self
        if self.names != other.names:
            raise MergeError(
                f"one tally pairs {list_labels(self.names)}, the other {list_labels(other.names)}"
            )
        if self.is_clustered != other.is_clustered:
            raise MergeError("one tally has its rows in clusters, the other has not")
        return replace(
            self,
            joint=self.joint + other.joint,
            dropped=self.dropped + other.dropped,
            declared_positive=merge_positive(self.declared_positive, other.declared_positive),
        )

    @classmethod
    def _of_fields(cls, found: JsonObject) -> Self:
        domains = _domains(len(found["names"]), found.pop("is_clustered"))
        return cls(joint=JointCounts.of_fields(found, domains), **found)

    rule: ClassVar = "names differ, and each row has a real class, and a cluster where rows are clustered"

    def _fits_together(self) -> bool:
        """Check the rule."""
        positive, labels = self.declared_positive, self.joint.labels[0]
        if positive is not None and positive not in labels:
            raise InputError(f"the positive label {positive!r} is none of {list_labels(labels)}")
        never_missing = [0, -1] if self.is_clustered else [0]
        is_complete = bool((self.joint.keys[:, never_missing] != 0).all())
        return is_complete and len(set(self.names)) == len(self.names)

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise InputError(f"there is no predictor {name!r}; there are {list_labels(self.names)}")
        return self.names.index(name)

    @property
    def has_cases(self) -> bool:
        """Whether anything was counted."""
        return bool(len(self.joint.rows))

    def as_counts(self) -> Self:
        """Take sums of weights that all were whole numbers as counts of cases."""
        return replace(self, joint=self.joint.as_counts())

    def facts(self) -> dict[str, object]:
        """Say in a few lines what was counted."""
        return {"cases": self.total, "predictors": ", ".join(self.names), **label_facts(self.labels)}


def _domains(predictors: int, clustered: bool) -> tuple[int, ...]:
    """Truth and predictions share their labels; clusters have names of their own."""
    return (0,) * (1 + predictors) + ((1,) if clustered else ())
