"""The contingency table: how often each label was predicted when each class was real."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.common.arrays import Floats, Integers, Numbers, as_floats, freeze
from edgeworth.common.choices import Missing, Rows, WeightKind
from edgeworth.common.json_types import JsonObject
from edgeworth.core.formatting import html_table, plural, text_table
from edgeworth.core.joint_counts import JOINT_FIELDS, JointCounts, count_joint, whole_counts
from edgeworth.core.labels import (
    MAX_LABELS_SHOWN,
    as_labels,
    canonical_label,
    canonical_order,
    find_label,
    label_facts,
    label_positions,
    list_labels,
    merge_labels,
    merge_positive,
    short_label,
    usual_positive,
)
from edgeworth.core.row_policies import check_label_kinds, check_label_number, drop_incomplete, take_weights
from edgeworth.core.serialization import (
    AMOUNTS,
    COUNT,
    FLAG,
    LABEL,
    LABELS,
    NUMBERS,
    Field,
    Serializable,
    dump_fields,
    load_fields,
    one_of,
    optional,
    reshape_array,
)
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.clusters import BY_CLUSTER, Clusters
from edgeworth.decisions.kind import TABLE
from edgeworth.decisions.matrices import check_matrix, check_table, has_actual_rows
from edgeworth.errors import InputError, MergeError
from edgeworth.sources.alignment import aligned
from edgeworth.sources.columns import Column, Label, as_column
from edgeworth.sources.numbers import as_weights


class MatchedGuessTest(Protocol):
    """The test of a table whose labels were matched to classes: guesses are matched in the same way."""

    def __call__(self, *, draws: int | None = None, seed: int = 0) -> TestResult: ...


def _read_only(sums: Numbers) -> Numbers:
    """Return sums that are computed once as an array that cannot be changed."""
    array = np.asarray(sums)
    freeze(array)
    return array


@dataclass(frozen=True, eq=False)
class ContingencyTable(Serializable):
    """A contingency table: counts of cases by predicted label and real class.

    Make one with ``from_labels`` or ``from_matrix``, and pass it to ``ew.measure``, ``ew.estimate`` or
    ``ew.evaluate``.

    Attributes
    ----------
    labels : tuple
        The labels, in the order of rows and columns.
    cells : array, (K + 1, K)
        ``cells[l, k]`` is the number of cases predicted as label l whose real class is k. The last row holds
        the cases on which the predictor abstained. Integers are counts of cases. Floats are sums of weights,
        and rule out exact tests.
    squared : array, optional
        The sums of squared weights.
    dropped : int
        The number of rows that were dropped for missing values.
    declared_positive : label, optional
        The label that you passed as ``positive``.
    clusters : Clusters, optional
        The same cases by cluster, if the rows come in clusters.

    Examples
    --------
    >>> table = ContingencyTable.from_labels(["spam", "ham", "ham", "spam"], ["spam", "spam", "ham", None],
    ...                                      missing="abstain")
    >>> table.labels, table.counts.tolist(), table.abstained.tolist(), table.total
    (('ham', 'spam'), [[1, 0], [1, 1]], [0, 1], 3)
    >>> table.predicted.tolist(), table.real.tolist(), table.actual.tolist()
    ([1, 2], [2, 1], [2, 2])
    >>> table.is_counted, table.effective_size, table.positive
    (True, 4.0, None)

    Tables add, so you can count parts of the data and sum them:

    >>> (table + table).total
    6
    """

    kind: ClassVar = TABLE
    name_in_files: ClassVar = TABLE.name
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
    """True if labels are only positions 0, 1, … in a matrix, so that none of them is positive."""
    clusters: Clusters | None = field(default=None, kw_only=True)
    matching: MatchedGuessTest | None = field(default=None, kw_only=True, repr=False)
    """Set if labels were matched to classes: the test then matches random guesses in the same way."""

    def __post_init__(self) -> None:
        check_label_number(self.labels)
        check_table(self.labels, self.cells, self.squared, self.declared_positive)
        freeze(self.cells, self.squared)

    # -- making a table --------------------------------------------------------------------------------

    @classmethod
    def empty(cls) -> Self:
        """Make the table of no cases.

        :meta private:
        """
        return cls((), np.zeros((1, 0), dtype=np.int64))

    @classmethod
    @aligned
    def from_labels(
        cls,
        truth: object,
        prediction: object,
        *,
        clusters: object = None,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        weights: object = None,
        weight_kind: WeightKind | None = None,
        abstain: Label | Collection[Label] | None = None,
        missing: Missing = "error",
    ) -> Self:
        """Count two columns of labels, truth first.

        Parameters
        ----------
        truth, prediction : array-like
            The real class and the predicted label of each case.
        clusters : array-like, optional
            Each row's cluster (patient, document, …). Intervals then rest on clusters instead of rows.
        labels : sequence, optional
            All labels in their order; a value outside them is an error.
        positive : label, optional
            The label of recall, precision and other measures of one label, unless they name another.
        weights : array-like, optional
            Integers are frequencies (the number of cases that a row represents), floats are sampling weights.
        weight_kind : {"counts", "sampling"}, optional
            What the weights are; by default their type decides.
        abstain : label or list of labels, optional
            The predictions that mean no decision.
        missing : {"error", "drop", "abstain"}
            Whether missing values are an error, dropped and counted, or (in the prediction) an abstention.

        Returns
        -------
        ContingencyTable

        Examples
        --------
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
        cluster_counts = None if clusters is None else Clusters.from_joint(joint, abstain)
        return replace(cls.from_joint(joint, abstain), dropped=dropped, clusters=cluster_counts)

    @classmethod
    def from_joint(
        cls,
        joint: JointCounts,
        abstain: Label | Collection[Label] | None = None,
        *,
        prediction: int = 1,
    ) -> Self:
        """Make the table of the truth and one column of joint counts; a missing prediction is an abstention.

        :meta private:
        """
        all_labels = joint.labels[joint.domains[0]]
        check_label_number(all_labels)
        abstaining = as_labels(abstain)
        real_labels = joint.labels_seen(0) if abstaining else set()
        labels = tuple(label for label in all_labels if label not in abstaining or label in real_labels)
        index_of = {label: index for index, label in enumerate(labels)}
        abstention_row = len(labels)
        row_of_code = [abstention_row] + [
            abstention_row if label in abstaining else index_of[label] for label in all_labels
        ]
        column_of_code = [abstention_row] + [index_of.get(label, abstention_row) for label in all_labels]
        cells_of_keys = (
            np.array(row_of_code)[joint.keys[:, prediction]],
            np.array(column_of_code)[joint.keys[:, 0]],
        )

        squared = (
            None if joint.square is None else as_floats(_sum_cells(len(labels), cells_of_keys, joint.square))
        )
        return cls(labels, _sum_cells(len(labels), cells_of_keys, joint.weight), squared)

    @classmethod
    def from_matrix(
        cls,
        counts: ArrayLike,
        *,
        rows: Rows,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
    ) -> Self:
        """Make a table from a matrix of counts.

        Parameters
        ----------
        counts : array-like, (K, K)
            Whole numbers are counts. Fractions (expected tables, percentages) are used unchanged, as if
            each unit were one case, and rule out exact tests.
        rows : {"predicted", "actual"}
            What the rows are.
        labels : sequence, optional
            The labels of rows and columns; 0, 1, … if left out.
        positive : label, optional
            The label of recall, precision and other measures of one label, unless they name another.

        Returns
        -------
        ContingencyTable

        Examples
        --------
        >>> ContingencyTable.from_matrix([[90, 10], [0, 0]], rows="predicted", labels=["noun", "verb"]).total
        100
        """
        is_transposed = has_actual_rows(rows)
        matrix = check_matrix(counts).T if is_transposed else check_matrix(counts)
        size = len(matrix)
        names = tuple(range(size)) if labels is None else tuple(canonical_label(label) for label in labels)
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
        """The counts of decided cases: rows predicted, columns real."""
        return np.asarray(self.cells[:-1])

    @property
    def abstained(self) -> Numbers:
        """The number of cases without a decision, by real class."""
        return np.asarray(self.cells[-1])

    @cached_property
    def predicted(self) -> Numbers:
        """How often each label was predicted."""
        return _read_only(self.counts.sum(axis=1))

    @cached_property
    def real(self) -> Numbers:
        """How often each class was real among the decided cases."""
        return _read_only(self.counts.sum(axis=0))

    @cached_property
    def actual(self) -> Numbers:
        """How often each class was real, in decided and undecided cases."""
        return _read_only(self.cells.sum(axis=0))

    @cached_property
    def total(self) -> int | float:
        """The number of decided cases, or their weight."""
        return self.counts.sum().item()  # type: ignore[no-any-return]  # numpy's item is Any

    @property
    def is_counted(self) -> bool:
        """Whether the cells are whole cases, so that exact tests apply."""
        return self.cells.dtype.kind == "i"

    @property
    def counts_alike(self) -> bool:
        """Whether all rows have the same weight: whole cases, or fractions that represent cases.

        :meta private:
        """
        return self.squared is None or np.array_equal(self.squared, self.cells)

    @property
    def is_plain(self) -> bool:
        """Whether cases count alike and are independent of each other.

        :meta private:
        """
        return self.clusters is None and self.counts_alike

    @property
    def has_unequal_weights(self) -> bool:
        """Whether cases carry sampling weights, and no clusters.

        :meta private:
        """
        return self.clusters is None and not self.counts_alike

    @cached_property
    def effective_size(self) -> float:
        """The number of cases, decided or not; with weights, Kish's effective number (Σw)²/Σw²."""
        total = float(self.cells.sum())
        return total if self.squared is None or not total else total**2 / float(self.squared.sum())

    @property
    def positive(self) -> Label | None:
        """The declared positive label, or the usual one of a common pair such as 0 and 1, or no and yes."""
        if self.declared_positive is not None or self.is_numbered:
            return self.declared_positive
        return usual_positive(self.labels)

    def index(self, label: Label) -> int:
        """Find the position of a label.

        Parameters
        ----------
        label : label
            The label itself, or its text.

        Returns
        -------
        int
            The position in ``labels``.

        Examples
        --------
        >>> ContingencyTable.from_labels([1, 0], [1, 1]).index("1")
        1
        """
        return find_label(label, self.labels)

    # -- other tables from this one --------------------------------------------------------------------

    def __add__(self, other: Self) -> Self:
        """Add the cases of another table."""
        if not isinstance(other, ContingencyTable):
            return NotImplemented
        labels = merge_labels(self.labels, other.labels)
        left, right = self._arrange(labels), other._arrange(labels)
        counted = left.squared is None and right.squared is None
        return replace(
            self,
            labels=labels,
            cells=left.cells + right.cells,
            squared=None if counted else left._squares() + right._squares(),
            dropped=self.dropped + other.dropped,
            declared_positive=merge_positive(self.declared_positive, other.declared_positive),
            is_numbered=all(table.is_numbered or not table.labels for table in (self, other))
            and bool(labels),
            clusters=self._clusters_with(other),
            matching=None,
        )

    def declare(self, *, labels: Sequence[Label] | None = None, positive: Label | None = None) -> Self:
        """Declare the order of the labels, or the positive label.

        Parameters
        ----------
        labels : sequence, optional
            All labels in their new order. Labels without cases may be among them.
        positive : label, optional
            The label of recall, precision and other measures of one label, unless they name another.

        Returns
        -------
        ContingencyTable
            The table with the declarations.

        Examples
        --------
        >>> table = ContingencyTable.from_labels(["no", "yes"], ["yes", "yes"])
        >>> table.declare(labels=["yes", "no"]).counts.tolist(), table.declare(positive="no").positive
        ([[1, 1], [0, 0]], 'no')
        """
        table = self
        if labels is not None:
            names = tuple(canonical_label(label) for label in labels)
            # A label may be declared as text: "1" for 1.
            written = {str(label): label for label in self.labels}
            order = tuple(name if name in self.labels else written.get(str(name), name) for name in names)
            if len(set(order)) < len(order):
                raise InputError(f"a label is declared twice: {list_labels(names)}")
            unknown = [label for label in self.labels if label not in order]
            if unknown:
                raise InputError(
                    f"the labels declared are {list_labels(names)}, but there is also {list_labels(unknown)}"
                )
            table = replace(table._arrange(order), is_numbered=False)
        if positive is not None:
            table = replace(table, declared_positive=table.labels[table.index(positive)])
        return table

    def rename_labels(self, names: Sequence[Label]) -> Self:
        """Rename the labels. Labels with the same new name are merged.

        Parameters
        ----------
        names : sequence
            A new name for each label, in the order of ``labels``. The new labels are sorted.

        Returns
        -------
        ContingencyTable
            The table with the new labels.

        Examples
        --------
        >>> table = ContingencyTable.from_matrix([[5, 1, 0], [2, 4, 1], [0, 0, 3]], rows="predicted")
        >>> renamed = table.rename_labels(["low", "high", "high"])
        >>> renamed.labels, renamed.counts.tolist()
        (('high', 'low'), [[8, 2], [1, 5]])
        """
        labels = canonical_order(names)
        new_index = label_positions(map(canonical_label, names), labels)
        table = self._regroup(labels, np.append(new_index, len(labels)), new_index)
        old = self.declared_positive
        new = None if old is None else labels[new_index[self.labels.index(old)]]
        return replace(table, declared_positive=new, is_numbered=False)

    def map_predictions(self, mapping: Mapping[Label, Label | None]) -> Self:
        """Replace predicted labels by others, or by an abstention.

        Parameters
        ----------
        mapping : mapping
            The new label for each predicted label. None means an abstention. Labels that are not in the
            mapping stay.

        Returns
        -------
        ContingencyTable
            The table with the new predictions.

        Examples
        --------
        >>> table = ContingencyTable.from_matrix([[5, 1], [2, 4]], rows="predicted", labels=["a", "b"])
        >>> table.map_predictions({"b": None}).abstained.tolist()
        [2, 4]
        """
        new_names = {self.labels[self.index(label)]: target for label, target in mapping.items()}
        targets = [new_names.get(label, label) for label in self.labels]
        labels = tuple(dict.fromkeys([*self.labels, *(target for target in targets if target is not None)]))
        index_of = {label: index for index, label in enumerate(labels)}
        rows = [len(labels) if target is None else index_of[target] for target in targets]
        return self._regroup(labels, np.array([*rows, len(labels)]), label_positions(self.labels, labels))

    def without_empty_labels(self) -> Self:
        """Remove the labels that were neither predicted nor real.

        Returns
        -------
        ContingencyTable
            The smaller table.

        Examples
        --------
        >>> table = ContingencyTable.from_labels([1, 0], [1, 1], labels=[0, 1, 2])
        >>> table.without_empty_labels().labels
        (0, 1)
        """
        occurring = np.flatnonzero(self.cells.sum(axis=0) + self.predicted > 0)
        rows = np.append(occurring, len(self.labels))
        labels = tuple(self.labels[index] for index in occurring)
        return self._with_cells(labels, lambda values: values[np.ix_(rows, occurring)])

    def without_abstentions(self) -> Self:
        """Remove the cases without a decision.

        Returns
        -------
        ContingencyTable
            The table of decided cases.

        Examples
        --------
        >>> table = ContingencyTable.from_labels([1, 0, 1], [1, 1, None], missing="abstain")
        >>> table.without_abstentions().actual.tolist()
        [1, 1]
        """
        table = self._with_cells(self.labels, lambda values: np.vstack([values[:-1], 0 * values[-1:]]))
        return table if self.clusters is None else replace(table, clusters=self.clusters.decided())

    def one_against_rest(self, label: Label) -> Self:
        """Merge all labels but one. Measures of that label stay the same.

        Parameters
        ----------
        label : label
            The label to keep.

        Returns
        -------
        ContingencyTable
            A table of two labels.

        Examples
        --------
        >>> table = ContingencyTable.from_matrix([[5, 1, 0], [2, 4, 1], [0, 0, 3]], rows="predicted")
        >>> table.one_against_rest(2).counts.tolist()
        [[3, 0], [1, 12]]
        """
        index = self.index(label)

        def merge(values: Numbers) -> Numbers:
            # One sum over all cells serves every label.
            columns = self.real if values is self.cells else values[:-1].sum(axis=0)
            by_column = np.stack([values[index], columns - values[index], values[-1]])
            cells = np.stack([by_column[:, index], by_column.sum(axis=1) - by_column[:, index]], axis=1)
            # A sum of floats less one of its parts may come out a hair below 0.
            return np.asarray(np.maximum(cells, 0))

        labels = (self.labels[index], f"not {self.labels[index]}")
        new_index = np.where(np.arange(len(self.labels)) == index, 0, 1)
        return self._with_cells(labels, merge, (np.append(new_index, 2), new_index))

    def check_kinds(self) -> None:
        """Raise an error if truth and prediction share no label because only one of them is text.

        :meta private:
        """
        presence = (self.cells.sum(axis=0) > 0, self.predicted > 0)
        real, predicted = (
            [self.labels[index] for index in np.flatnonzero(is_present)] for is_present in presence
        )
        check_label_kinds(real, predicted)

    # -- plain values ----------------------------------------------------------------------------------

    @property
    def file_kind(self) -> str:
        """The name of the kind in files, where a table with clusters has its own.

        :meta private:
        """
        return self.name_in_files if self.clusters is None else "clustered_table"

    @property
    def has_cases(self) -> bool:
        """Whether anything was counted.

        :meta private:
        """
        return bool(self.cells.any())

    def as_counts(self) -> Self:
        """Turn sums of weights that are whole numbers into counts of cases.

        :meta private:
        """
        clusters = None if self.clusters is None else Clusters(self.clusters.joint.as_counts())
        return replace(self, cells=whole_counts(self.cells), squared=None, clusters=clusters)

    def to_dict(self) -> JsonObject:
        """Return plain values for JSON.

        Returns
        -------
        dict
            The labels, the counts and, if there are any, the clusters.

        Examples
        --------
        >>> table = ContingencyTable.from_matrix([[5, 1], [2, 4]], rows="predicted")
        >>> table.to_dict()["counts"], ContingencyTable.from_dict(table.to_dict()) == table
        ([[5, 1], [2, 4]], True)
        """
        if self.clusters is None:
            return super().to_dict()
        table = replace(self, clusters=None).to_dict()
        return {"kind": self.file_kind, "table": table} | dump_fields(JOINT_FIELDS, self.clusters)

    @classmethod
    def from_dict(cls, payload: JsonObject) -> Self:
        """Read and check what ``to_dict`` returned.

        Parameters
        ----------
        payload : dict
            The plain values.

        Returns
        -------
        ContingencyTable
            The table.

        Examples
        --------
        >>> table = ContingencyTable.from_matrix([[5, 1], [2, 4]], rows="predicted")
        >>> ContingencyTable.from_dict(table.to_dict()).total
        12
        """
        if not isinstance(payload, dict) or payload.get("kind") != "clustered_table":
            return super().from_dict(payload)
        fields = {"table": Field("an object", super().from_dict)} | JOINT_FIELDS
        values = load_fields(fields, payload, "the clustered_table")
        table: Self = values["table"]
        return table._with_clusters(Clusters(JointCounts.of_fields(values, BY_CLUSTER)))

    @classmethod
    def _of_fields(cls, fields: JsonObject) -> Self:
        del fields["_rows"]
        counts, abstained = fields.pop("counts"), fields.pop("abstained")
        cells = np.vstack([reshape_array(counts, len(abstained), len(abstained)), abstained])
        return cls(cells=cells, **fields)

    def _with_clusters(self, clusters: Clusters) -> Self:
        """Attach clusters, and refuse those that do not add up to the table."""
        if not set(clusters.joint.labels[0]) <= set(self.labels):
            raise InputError("the clusters of a tally have labels that its table does not have")
        _, cell, weight = clusters.cells(self.labels)
        counted = np.bincount(cell, weights=weight, minlength=self.cells.size).reshape(self.cells.shape)
        if not np.allclose(counted, self.cells, rtol=1e-9):
            raise InputError("the clusters of a tally do not add up to its table")
        return replace(self, clusters=clusters)

    def __repr__(self) -> str:
        size, number = len(self.labels), 0 if self.clusters is None else self.clusters.number
        clusters = "" if self.clusters is None else f", {number:,} {plural(number, 'cluster')}"
        return f"<ContingencyTable: {self.total:,} cases, {size} {plural(size, 'label')}{clusters}>"

    def _clusters_with(self, other: Self) -> Clusters | None:
        """Merge the clusters of two tables. A table without cases merges with any table."""
        own_clusters, other_clusters = self.clusters, other.clusters
        if own_clusters is not None and other_clusters is not None:
            return own_clusters + other_clusters
        if own_clusters is not other_clusters and (self if own_clusters is None else other).cells.any():
            raise MergeError("one table has clusters and the other has none, so they cannot be merged")
        return other_clusters if own_clusters is None else own_clusters

    def _regroup(self, labels: tuple[Label, ...], rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Self:
        """Move every row and column to those of other labels, in each cluster too."""
        where = (rows[:, None], columns[None, :])
        return self._with_cells(
            labels, lambda values: _sum_cells(len(labels), where, values), (rows, columns)
        )

    def _arrange(self, labels: tuple[Label, ...]) -> Self:
        """Place the same cases in a larger or reordered set of labels."""
        if labels == self.labels:
            return replace(self, labels=labels)  # 1 and True are equal
        new_index = label_positions(self.labels, labels)
        return self._regroup(labels, np.append(new_index, len(labels)), new_index)

    def _with_cells(
        self,
        labels: tuple[Label, ...],
        change: Callable[[Numbers], Numbers],
        new_indices: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None,
    ) -> Self:
        """Change cells and squares alike; ``new_indices`` hold the new row and column of each old one.

        A positive label that is gone is no longer declared.
        """
        clusters = self.clusters
        if clusters is not None and new_indices is not None:
            clusters = clusters.regroup(self.labels, labels, *new_indices)
        return replace(
            self,
            labels=labels,
            cells=change(self.cells),
            squared=None if self.squared is None else as_floats(change(self.squared)),
            declared_positive=self.declared_positive if self.declared_positive in labels else None,
            clusters=clusters,
            matching=None,
        )

    def _squares(self) -> Floats:
        """Sum the squared weights of each cell; a counted case weighs 1."""
        return self.cells.astype(np.float64) if self.squared is None else self.squared

    def facts(self) -> JsonObject:
        """List what was counted.

        :meta private:
        """
        clusters = {} if self.clusters is None else {"clusters": self.clusters.number}
        cases = {"cases": self.total, "labels": len(self.labels)}
        return clusters | cases | label_facts(self.labels)

    def _repr_html_(self) -> str | None:
        """Show the counts in a notebook, or the facts if there are too many labels."""
        if self.clusters is not None or len(self.labels) > MAX_LABELS_SHOWN:
            return super()._repr_html_()
        return html_table("ContingencyTable", *self._heads_and_rows())

    def __str__(self) -> str:
        if len(self.labels) > MAX_LABELS_SHOWN:
            return repr(self)
        return f"{self!r}\n{text_table(*self._heads_and_rows())}"

    def _heads_and_rows(self) -> tuple[list[str], list[tuple[str | float, ...]]]:
        names = [short_label(label) for label in self.labels]
        return ["predicted ↓ actual →", *names, "all"], self.rows_with_totals(names)

    def rows_with_totals(self, names: Sequence[str]) -> list[tuple[str | float, ...]]:
        """List the rows with the names of their labels and their sums, then those of all cases.

        :meta private:
        """
        rows = [
            (name, *row, total)
            for name, row, total in zip(names, self.counts.tolist(), self.predicted.tolist(), strict=True)
        ]
        rows.append(("all", *self.real.tolist(), self.total))
        if self.abstained.any():
            rows.append(("no decision", *self.abstained.tolist(), self.abstained.sum().item()))
        return rows


def _sum_cells(size: int, where: tuple[NDArray[np.intp], NDArray[np.intp]], values: Numbers) -> Numbers:
    cells = np.zeros((size + 1, size), dtype=values.dtype)
    np.add.at(cells, where, values)
    return cells
