"""Decisions: how often each label was predicted when each class was real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.arrays import Floats, Integers, same_array
from edgeworth.core.formatting import html_table
from edgeworth.core.joint_counts import JOINT_FIELDS, JointCounts, Numbers, count_joint
from edgeworth.core.labels import (
    canonical,
    canonical_order,
    find,
    list_labels,
    merge_positive,
    positions,
    union,
    usual_positive,
)
from edgeworth.core.plain import (
    AMOUNTS,
    COUNT,
    FLAG,
    LABEL,
    LABELS,
    NUMBERS,
    Field,
    Plain,
    dump_fields,
    load_fields,
    one_of,
    optional,
    reshape_array,
)
from edgeworth.core.policies import (
    Missing,
    check_label_kinds,
    check_label_number,
    drop_incomplete,
    take_weights,
)
from edgeworth.core.tally import MOST_LABELS, NotebookFacts, label_facts, plain_number, short_label
from edgeworth.decisions.clusters import BY_CLUSTER, Clusters
from edgeworth.decisions.matrices import check_matrix, check_table
from edgeworth.decisions.regrouping import one_against_rest, regrouped, transposed, without_empty_labels
from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.sources.columns import Column, Label, as_column
from edgeworth.sources.numbers import WeightKind, as_weights

Rows: TypeAlias = Literal["predicted", "real"]


@dataclass(frozen=True, eq=False)
class ContingencyTable(Plain, NotebookFacts):
    """Counts of cases by predicted label and real class.

    ``cells[l, k]`` is the number of cases predicted as label l whose real class is k; the last row holds the
    cases on which the predictor abstained. Integer cells are counts of cases. Float cells are sums of
    weights, with ``squared`` the sums of squared weights, and rule exact tests out. ``clusters`` has the
    same cases by cluster, where rows come in clusters.
    """

    kind: ClassVar = "contingency_table"
    FIELDS: ClassVar = {
        "rows": one_of("predicted").of("_rows"),
        "labels": LABELS,
        "counts": NUMBERS,
        "abstained": NUMBERS,
        "squared": optional(AMOUNTS),
        "dropped": COUNT,
        "numbered": FLAG.of("is_numbered").otherwise(False),
        "positive": optional(LABEL).of("declared_positive"),
    }
    _rows: ClassVar = "predicted"

    labels: tuple[Label, ...]
    cells: Numbers
    squared: Floats | None = None
    dropped: int = 0
    declared_positive: Label | None = None
    is_numbered: bool = False
    """Nobody named the labels: 0, 1, … are places in a matrix, and which of two is positive is not known."""
    clusters: Clusters | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_label_number(self.labels)
        check_table(self.labels, self.cells, self.squared, self.declared_positive)
        for array in (self.cells, self.squared):
            if array is not None:
                array.setflags(write=False)

    # -- ways in ---------------------------------------------------------------------------------------

    @classmethod
    def empty(cls) -> Self:
        """The table of no cases."""
        return cls((), np.zeros((1, 0), dtype=np.int64))

    @classmethod
    def from_labels(
        cls,
        truth: Any,
        prediction: Any,
        *,
        clusters: Any = None,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        weights: Any = None,
        weight_kind: WeightKind | None = None,
        abstain: Label | None = None,
        missing: Missing = "error",
    ) -> Self:
        """Count two columns of labels, truth first.

        ``labels`` declares the labels and their order; a value outside them is an error. ``weights`` of an
        integer type are frequencies (one row stands for that many cases) and floats are sampling weights,
        unless ``weight_kind`` says otherwise. A prediction equal to ``abstain`` is no decision. ``missing``
        values are an error, dropped and counted, or (in the prediction) an abstention. ``clusters`` names
        each row's cluster (patient, document, …): intervals then rest on clusters instead of rows.

        >>> ContingencyTable.from_labels(["cat", "dog", "dog"], ["cat", "cat", "dog"]).counts.tolist()
        [[1, 1], [0, 1]]
        >>> ContingencyTable.from_labels([1, 0, 1], [1, 0, 0], clusters=["ann", "ann", "bob"])
        <ContingencyTable: 3 cases, 2 labels, 2 clusters>
        """
        table = cls.from_columns(
            as_column(truth, "truth"),
            as_column(prediction, "prediction"),
            clusters=None if clusters is None else as_column(clusters, "clusters"),
            weights=None if weights is None else as_weights(weights),
            weight_kind=weight_kind,
            abstain=abstain,
            missing=missing,
        )
        if not table.labels or (table.clusters is not None and table.clusters.number == 0):
            raise InputError("there are no cases: truth and prediction are empty")
        table.check_kinds()
        return table.declare(labels=labels, positive=positive)

    @classmethod
    def from_columns(
        cls,
        truth: Column,
        prediction: Column,
        *,
        clusters: Column | None = None,
        weights: NDArray[Any] | None = None,
        weight_kind: WeightKind | None = None,
        abstain: Label | None = None,
        missing: Missing = "error",
        first_row: int = 1,
        repeats: Integers | None = None,
    ) -> Self:
        """Count one batch of columns: what ``from_labels`` does, without checks of the whole."""
        columns: tuple[Column, ...] = (truth, prediction)
        columns += () if clusters is None else (clusters,)
        names = ("truth", "prediction", "clusters")[: len(columns)]
        joint = count_joint(
            columns,
            take_weights(weights, weight_kind, first_row),
            names=names,
            domains=BY_CLUSTER[: len(columns)],
            first_row=first_row,
            repeats=repeats,
        )
        joint, dropped = drop_incomplete(joint, missing, columns, names, first_row)
        found = None if clusters is None else Clusters.from_joint(joint, abstain)
        return replace(cls.from_joint(joint, abstain), dropped=dropped, clusters=found)

    @classmethod
    def from_joint(
        cls, joint: JointCounts, abstain: Label | None = None, *, truth: int = 0, prediction: int = 1
    ) -> Self:
        """The table of two columns of joint counts. A missing prediction is an abstention."""
        everything = joint.labels[joint.domains[truth]]
        check_label_number(everything)
        away = None if abstain is None else canonical(abstain)
        labels = tuple(x for x in everything if x != away or x in joint.labels_seen(truth))
        place = {label: index for index, label in enumerate(labels)}
        nowhere = len(labels)
        row = [nowhere] + [nowhere if away is not None and x == away else place[x] for x in everything]
        column = [nowhere] + [place.get(x, nowhere) for x in everything]
        where = (np.array(row)[joint.keys[:, prediction]], np.array(column)[joint.keys[:, truth]])

        def summed(values: NDArray[Any]) -> NDArray[Any]:
            cells = np.zeros((len(labels) + 1, len(labels)), dtype=values.dtype)
            np.add.at(cells, where, values)
            return cells

        return cls(labels, summed(joint.weight), None if joint.square is None else summed(joint.square))

    @classmethod
    def from_matrix(
        cls,
        counts: ArrayLike,
        *,
        rows: Rows,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
    ) -> Self:
        """A table that is already counted. ``rows`` says what its rows are: "predicted" or "real".

        Whole numbers are counts. Fractions (expected tables, percentages) are taken as they stand, as if
        each unit were one case, and rule exact tests out.

        >>> ContingencyTable.from_matrix([[90, 10], [0, 0]], rows="predicted", labels=["noun", "verb"]).total
        100
        """
        if rows not in ("predicted", "real"):
            raise OptionError(f'rows must be "predicted" or "real"; saw {rows!r}')
        matrix = check_matrix(counts)
        if rows == "real":
            matrix = matrix.T
        size = len(matrix)
        names = tuple(range(size)) if labels is None else tuple(canonical(label) for label in labels)
        if len(names) != size or len(set(names)) != size:
            raise InputError(
                f"a {size} by {size} matrix needs {size} different labels; saw {list_labels(names)}"
            )
        cells = np.vstack([matrix, np.zeros((1, size), dtype=matrix.dtype)])
        squared = None if cells.dtype.kind == "i" else cells.copy()
        table = cls(names, cells, squared, is_numbered=labels is None)
        return table if positive is None else table.declare(positive=positive)

    # -- what it holds ---------------------------------------------------------------------------------

    @property
    def counts(self) -> Numbers:
        """Rows predicted, columns real, abstentions left out."""
        return np.asarray(self.cells[:-1])

    @property
    def abstained(self) -> Numbers:
        """Cases without a decision, by real class."""
        return np.asarray(self.cells[-1])

    @property
    def predicted(self) -> Numbers:
        """How often each label was predicted."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def real(self) -> Numbers:
        """How often each class was real, among the cases decided."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def total(self) -> int | float:
        """The cases decided (or their weight)."""
        return self.counts.sum().item()  # type: ignore[no-any-return]  # numpy's item is Any

    @property
    def is_counted(self) -> bool:
        """True when the cells are whole cases, so that exact tests apply."""
        return self.cells.dtype.kind == "i"

    @property
    def counts_alike(self) -> bool:
        """Whole cases, or an expected table whose fractions stand for cases: no row outweighs another."""
        return self.squared is None or np.array_equal(self.squared, self.cells)

    @property
    def is_plain(self) -> bool:
        """Whether cases count alike and are independent of each other."""
        return self.clusters is None and self.counts_alike

    @property
    def effective_size(self) -> float:
        """Cases that would carry as much information if they all weighed the same: (Σw)²/Σw² (Kish)."""
        if self.squared is None:
            return float(self.total)
        squares = float(self.squared[:-1].sum())
        return self.total**2 / squares if squares else 0.0

    @property
    def positive(self) -> Label | None:
        """The declared positive label, or the one meant in a usual pair (0 and 1, no and yes, …)."""
        if self.declared_positive is not None or self.is_numbered:
            return self.declared_positive
        return usual_positive(self.labels)

    def index(self, label: Any) -> int:
        """The position of a label, given as itself or as it is written."""
        return find(label, self.labels)

    # -- other tables from this one --------------------------------------------------------------------

    def __add__(self, other: Self) -> Self:
        """All cases of both."""
        if not isinstance(other, ContingencyTable):
            return NotImplemented
        labels = union(self.labels, other.labels)
        left, right = self._placed(labels), other._placed(labels)
        squared = None
        if left.squared is not None or right.squared is not None:
            squared = left._squares() + right._squares()
        return replace(
            self,
            labels=labels,
            cells=left.cells + right.cells,
            squared=squared,
            dropped=self.dropped + other.dropped,
            declared_positive=merge_positive(self.declared_positive, other.declared_positive),
            is_numbered=all(table.is_numbered or not table.labels for table in (self, other))
            and bool(labels),
            clusters=self._clusters_with(other),
        )

    def declare(self, *, labels: Sequence[Label] | None = None, positive: Label | None = None) -> Self:
        """The same cases with the labels in a declared order, or with the positive label named."""
        table = self
        if labels is not None:
            names = tuple(canonical(label) for label in labels)
            # A label may be declared as it is written: "1" for 1.
            written = {str(label): label for label in self.labels}
            order = tuple(name if name in self.labels else written.get(str(name), name) for name in names)
            if len(set(order)) < len(order):
                raise InputError(f"a label is declared twice: {list_labels(names)}")
            unknown = [label for label in self.labels if label not in order]
            if unknown:
                raise InputError(
                    f"the labels declared are {list_labels(names)}, but there is {list_labels(unknown)} too"
                )
            table = replace(table._placed(order), is_numbered=False)
        if positive is not None:
            table = replace(table, declared_positive=table.labels[table.index(positive)])
        return table

    def renamed(self, names: Sequence[Label]) -> Self:
        """New names for the labels, in order; labels that get one name become one label."""
        labels = canonical_order(names)
        place = positions(map(canonical, names), labels)
        table = self._regrouped(labels, np.append(place, len(labels)), place)
        old = self.declared_positive
        new = None if old is None else labels[place[self.labels.index(old)]]
        return replace(table, declared_positive=new, is_numbered=False)

    def mapped(self, mapping: Mapping[Label, Label | None]) -> Self:
        """Each predicted label replaced by another, or by no decision where the mapping says None.

        >>> table = ContingencyTable.from_matrix([[5, 1], [2, 4]], rows="predicted", labels=["a", "b"])
        >>> table.mapped({"b": None}).abstained.tolist()
        [2, 4]
        """
        names = {self.labels[self.index(label)]: target for label, target in mapping.items()}
        targets = [names.get(label, label) for label in self.labels]
        labels = tuple(dict.fromkeys([*self.labels, *(target for target in targets if target is not None)]))
        place = {label: index for index, label in enumerate(labels)}
        rows = [len(labels) if target is None else place[target] for target in targets]
        return self._regrouped(labels, np.array([*rows, len(labels)]), positions(self.labels, labels))

    def ignoring(self, *labels: Label) -> Self:
        """Predictions of these labels count as no decision (catch-all classes, superstitious labels)."""
        return self.mapped(dict.fromkeys(labels))

    def without_empty_labels(self) -> Self:
        """Labels that were neither predicted nor real left out."""
        return without_empty_labels(self)

    def one_against_rest(self, label: Any) -> Self:
        """Two labels: this one, and all others as one. Measures of the label are the same."""
        return one_against_rest(self, self.index(label))

    def transposed(self) -> Self:
        """Predictions and reality exchanged; abstentions have no place there and must be absent."""
        return transposed(self)

    def check_kinds(self) -> None:
        """Refuse truth and prediction that share no label only because one is text and the other is not."""
        real = self.cells.sum(axis=0) > 0
        predicted = self.predicted > 0
        check_label_kinds(
            [label for label, seen in zip(self.labels, real, strict=True) if seen],
            [label for label, seen in zip(self.labels, predicted, strict=True) if seen],
        )

    # -- plain values ----------------------------------------------------------------------------------

    @property
    def file_kind(self) -> str:
        """A file calls a table with clusters another kind."""
        return self.kind if self.clusters is None else "clustered_table"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; where there are clusters, those of the table and those of the clusters."""
        if self.clusters is None:
            return super().to_dict()
        table = replace(self, clusters=None).to_dict()
        return {"kind": self.file_kind, "table": table} | dump_fields(JOINT_FIELDS, self.clusters)

    @classmethod
    def from_dict(cls, payload: dict[str, Any]) -> Self:
        """The table that ``to_dict`` described, checked."""
        if not isinstance(payload, dict) or payload.get("kind") != "clustered_table":
            return super().from_dict(payload)
        fields = {"table": Field("an object", super().from_dict)} | JOINT_FIELDS
        found = load_fields(fields, payload, "the clustered_table")
        table: Self = found["table"]
        return table._with_clusters(Clusters(JointCounts.of_fields(found, BY_CLUSTER)))

    @classmethod
    def _of_fields(cls, found: dict[str, Any]) -> Self:
        del found["_rows"]
        counts, abstained = found.pop("counts"), found.pop("abstained")
        cells = np.vstack([reshape_array(counts, len(abstained), len(abstained)), abstained])
        return cls(cells=cells, **found)

    def _with_clusters(self, clusters: Clusters) -> Self:
        """The table with clusters that add up to it; others are refused."""
        if not set(clusters.joint.labels[0]) <= set(self.labels):
            raise InputError("the clusters of a tally have labels that its table does not have")
        _, cell, weight = clusters.cells(self.labels)
        counted = np.bincount(cell, weights=weight, minlength=self.cells.size).reshape(self.cells.shape)
        if not np.allclose(counted, self.cells, rtol=1e-9):
            raise InputError("the clusters of a tally do not add up to its table")
        return replace(self, clusters=clusters)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ContingencyTable):
            return NotImplemented
        return (
            self.labels == other.labels
            and self.cells.dtype == other.cells.dtype
            and np.array_equal(self.cells, other.cells)
            and same_array(self.squared, other.squared)
            and (self.dropped, self.declared_positive) == (other.dropped, other.declared_positive)
            and self.clusters == other.clusters
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    def __repr__(self) -> str:
        size = len(self.labels)
        said = f"{self.total:,} cases, {size} label{'s' if size != 1 else ''}"
        if self.clusters is not None:
            said += f", {self.clusters.number:,} cluster{'s' if self.clusters.number != 1 else ''}"
        return f"<ContingencyTable: {said}>"

    def _clusters_with(self, other: Self) -> Clusters | None:
        """The clusters of a merge; a table of no cases goes with either."""
        mine, its = self.clusters, other.clusters
        if mine is not None and its is not None:
            return mine + its
        if mine is not its and (self if mine is None else other).cells.any():
            raise MergeError("one table has its cases in clusters, the other has not: they do not merge")
        return its if mine is None else mine

    def _regrouped(self, labels: tuple[Label, ...], rows: NDArray[Any], columns: NDArray[Any]) -> Self:
        """Every row and column added to a new one, in each cluster too."""
        table = regrouped(self, labels, rows, columns)
        if self.clusters is None:
            return table
        return replace(table, clusters=self.clusters.regrouped(self.labels, labels, rows, columns))

    def _placed(self, labels: tuple[Label, ...]) -> Self:
        """The same cases in a larger or reordered set of labels."""
        if labels is self.labels or labels == self.labels:
            return self if labels is self.labels else replace(self, labels=labels)
        place = positions(self.labels, labels)
        return regrouped(self, labels, np.append(place, len(labels)), place)

    def _squares(self) -> Floats:
        """Σw²; a counted case weighs 1."""
        return self.cells.astype(np.float64) if self.squared is None else self.squared

    def facts(self) -> dict[str, Any]:
        """Say in a few lines what was counted."""
        clusters = {} if self.clusters is None else {"clusters": self.clusters.number}
        cases = {"cases": plain_number(self.total), "labels": len(self.labels)}
        return clusters | cases | label_facts(self.labels)

    def _repr_html_(self) -> str:
        """Show the counts in a notebook, or the facts where there are too many labels."""
        if self.clusters is not None or len(self.labels) > MOST_LABELS:
            return super()._repr_html_()
        names = [short_label(label) for label in self.labels]
        rows: list[list[Any]] = [
            [name, *row, total]
            for name, row, total in zip(names, self.counts.tolist(), self.predicted.tolist(), strict=True)
        ]
        rows.append(["all", *self.real.tolist(), plain_number(self.total)])
        if self.abstained.any():
            rows.append(["no decision", *self.abstained.tolist(), self.abstained.sum().item()])
        return html_table("ContingencyTable", ["predicted ↓ real →", *names, "all"], rows)
