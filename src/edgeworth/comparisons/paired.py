"""Several predictors on the same cases: sparse joint counts of truth and every prediction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from edgeworth.common.arrays import Integers, Numbers
from edgeworth.common.choices import Missing, WeightKind
from edgeworth.common.json_types import JsonObject
from edgeworth.comparisons.kind import PAIRED
from edgeworth.core.joint_counts import JOINT_FIELDS, JointCounts, count_joint
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
        """The number of cases for which the two predictions differ."""
        return self.only_first_right + self.only_second_right + self.both_wrong_differently


@dataclass(frozen=True)
class Paired(Serializable):
    """A paired tally: how often each combination of a real class and the systems' predictions occurred.

    The contingency table of each system and the discordance of each pair follow from it.

    Attributes
    ----------
    names : tuple of str
        The systems.
    joint : JointCounts
        The counts. Column 0 is the truth, and column 1 + s is the prediction of ``names[s]``. A missing
        prediction is an abstention. One more column names the cluster, if rows come in clusters.
    dropped : int
        The number of rows that were dropped for missing values.
    declared_positive : label, optional
        The label that you passed as ``positive``.

    Examples
    --------
    >>> paired = Paired.from_labels([1, 0, 1], {"a": [1, 0, 0], "b": [1, 1, 1]})
    >>> paired.names, paired.labels, paired.total, paired.is_counted, paired.is_clustered
    (('a', 'b'), (0, 1), 3, True, False)
    """

    kind: ClassVar = PAIRED
    name_in_files: ClassVar = PAIRED.name
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
        """Make the tally of no cases and no systems.

        :meta private:
        """
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
        """Count a column of truth with a column of predicted labels per system.

        Parameters
        ----------
        truth : array_like
            The real class of each case.
        predictions : mapping of str to array_like
            The predicted labels of each system, by name.
        clusters : array_like, optional
            The cluster of each row (patient, document, …). Intervals then rest on clusters instead of rows.
        positive : label, optional
            The label that measures of one label use unless they name another.
        weights : array_like, optional
            Integers are frequencies, floats are sampling weights.
        weight_kind : {"counts", "sampling"}, optional
            What the weights are; by default their type decides.
        abstain : label or list of labels, optional
            The predictions that mean no decision.
        missing : {"error", "drop", "abstain"}
            Whether missing values are an error, dropped and counted, or (in a prediction) an abstention.

        Returns
        -------
        Paired
            The counts.

        Examples
        --------
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
        """Count one batch of columns, without the checks that need all rows.

        :meta private:
        """
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
        """Whether whole cases were counted, so that exact tests apply."""
        return self.joint.weight.dtype.kind == "i"

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels of truth and all predictions."""
        return self.joint.labels[0]

    @property
    def total(self) -> int | float:
        """The number of cases, or their weight, including abstentions."""
        return self.joint.weight.sum().item()  # type: ignore[no-any-return]  # numpy's item is Any

    def decided(self) -> Self:
        """Keep the cases that every system decided.

        Returns
        -------
        Paired
            The tally of these cases.

        Examples
        --------
        >>> paired = Paired.from_labels([1, 0, 1], {"a": [1, 0, None], "b": [1, 1, 1]}, missing="abstain")
        >>> paired.decided().total
        2
        """
        kept = (self.joint.keys[:, 1 : 1 + len(self.names)] != 0).all(axis=1)
        old = self.joint
        square = None if old.square is None else old.square[kept]
        joint = replace(old, keys=old.keys[kept], rows=old.rows[kept], weight=old.weight[kept], square=square)
        return replace(self, joint=joint)

    def declare(self, *, positive: Label) -> Self:
        """Declare the positive label.

        Parameters
        ----------
        positive : label
            The label that measures of one label use unless they name another.

        Returns
        -------
        Paired
            The tally with the declaration.

        Examples
        --------
        >>> paired = Paired.from_labels(["x", "y"], {"a": ["x", "x"], "b": ["y", "y"]})
        >>> paired.declare(positive="y").declared_positive
        'y'
        """
        return replace(self, declared_positive=self.labels[find_label(positive, self.labels)])

    def rename(self, rename: Callable[[Sequence[Label]], Sequence[Label]]) -> Self:
        """Rename the labels of truth and predictions, and the clusters, each by a function of all of them.

        :meta private:
        """
        labels = tuple(tuple(canonical_label(name) for name in rename(names)) for names in self.joint.labels)
        old = self.declared_positive
        new = None if old is None else labels[0][self.labels.index(old)]
        return replace(self, joint=replace(self.joint, labels=labels).in_order(), declared_positive=new)

    def check_kinds(self) -> None:
        """Raise an error if predictions never agree with the truth only because one of them is text.

        :meta private:
        """
        real = list(self.joint.labels_seen(0))
        for column, name in enumerate(self.names, 1):
            check_label_kinds(real, list(self.joint.labels_seen(column)), name)

    def table(self, name: str) -> ContingencyTable:
        """Return the contingency table of one system, on the labels of all systems.

        Parameters
        ----------
        name : str
            The system.

        Returns
        -------
        ContingencyTable
            Its table, without clusters.

        Examples
        --------
        >>> paired = Paired.from_labels([1, 0, 1], {"a": [1, 0, 0], "b": [1, 1, 1]})
        >>> paired.table("b").counts.tolist()
        [[0, 0], [1, 2]]
        """
        table = ContingencyTable.from_joint(self.joint, prediction=1 + self._place(name))
        return replace(table, dropped=self.dropped, declared_positive=self.declared_positive)

    def table_alone(self, name: str) -> ContingencyTable:
        """Return the contingency table of one system with its clusters, as if it had been counted alone.

        Parameters
        ----------
        name : str
            The system.

        Returns
        -------
        ContingencyTable
            Its table.

        Examples
        --------
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
        """Count the cases in which two systems agree or differ, and which of them is right.

        Parameters
        ----------
        first, second : str
            The systems.

        Returns
        -------
        Discordance
            ``both_right``, ``only_first_right``, ``only_second_right``, ``both_wrong_alike`` and
            ``both_wrong_differently``.

        Examples
        --------
        >>> Paired.from_labels([1, 0, 1], {"a": [1, 0, 0], "b": [1, 1, 1]}).discordance("a", "b").both_right
        1
        """
        first_labels, second_labels = (self.joint.keys[:, 1 + self._place(name)] for name in (first, second))
        first_right, second_right = (
            labels == self.joint.keys[:, 0] for labels in (first_labels, second_labels)
        )
        wrong = ~first_right & ~second_right
        parts = (
            first_right & second_right,
            first_right & ~second_right,
            ~first_right & second_right,
            wrong & (first_labels == second_labels),
            wrong & (first_labels != second_labels),
        )
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
            raise MergeError("one tally has clusters, the other has none")
        return replace(
            self,
            joint=self.joint + other.joint,
            dropped=self.dropped + other.dropped,
            declared_positive=merge_positive(self.declared_positive, other.declared_positive),
        )

    @classmethod
    def _of_fields(cls, fields: JsonObject) -> Self:
        domains = _domains(len(fields["names"]), fields.pop("is_clustered"))
        return cls(joint=JointCounts.of_fields(fields, domains), **fields)

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
        """Whether anything was counted.

        :meta private:
        """
        return bool(len(self.joint.rows))

    def as_counts(self) -> Self:
        """Turn sums of weights that are whole numbers into counts of cases.

        :meta private:
        """
        return replace(self, joint=self.joint.as_counts())

    def facts(self) -> dict[str, object]:
        """List what was counted.

        :meta private:
        """
        return {"cases": self.total, "predictors": ", ".join(self.names), **label_facts(self.labels)}


def _domains(predictors: int, clustered: bool) -> tuple[int, ...]:
    """Number the label sets: truth and predictions share one, and clusters have another."""
    return (0,) * (1 + predictors) + ((1,) if clustered else ())
