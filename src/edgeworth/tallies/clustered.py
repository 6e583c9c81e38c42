"""Decisions that come in clusters: several rows of one patient, document or query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import Column, Label, as_column
from edgeworth.sources.weights import as_weights
from edgeworth.tallies.decisions import ContingencyTable
from edgeworth.tallies.joint import Integers, JointCounts, count_joint
from edgeworth.tallies.labels import positions
from edgeworth.tallies.policies import Missing, WeightKind, drop_incomplete, take_weights
from edgeworth.tallies.serial import joint_from_dict, joint_to_dict, payload_field
from edgeworth.tallies.shown import Shown

DOMAINS = (0, 0, 1)
"""Truth and prediction share their labels; clusters have names of their own."""


@dataclass(frozen=True)
class ClusteredTable(Shown):
    """How often each combination of real class and prediction occurred in each cluster.

    Rows of one cluster are alike, so they are worth less than as many independent rows: inference sums each
    cluster's influence before squaring it, or resamples whole clusters.
    """

    table: ContingencyTable
    joint: JointCounts

    @classmethod
    def empty(cls) -> Self:
        """No cases."""
        return cls(ContingencyTable.empty(), JointCounts.empty(DOMAINS))

    @classmethod
    def from_labels(
        cls,
        truth: Any,
        prediction: Any,
        *,
        clusters: Any,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        weights: Any = None,
        weight_kind: WeightKind | None = None,
        abstain: Label | None = None,
        missing: Missing = "error",
    ) -> Self:
        """Count two columns of labels, truth first, beside a column that names each row's cluster.

        >>> tally = ClusteredTable.from_labels([1, 0, 1], [1, 0, 0], clusters=["ann", "ann", "bob"])
        >>> tally.number, tally.table.total
        (2, 3)
        """
        tally = cls.from_columns(
            as_column(truth, "truth"),
            as_column(prediction, "prediction"),
            as_column(clusters, "clusters"),
            weights=None if weights is None else as_weights(weights),
            weight_kind=weight_kind,
            abstain=abstain,
            missing=missing,
        )
        if tally.number == 0:
            raise InputError("there are no cases: truth and prediction are empty")
        tally.table.check_kinds()
        return tally.declare(labels=labels, positive=positive)

    @classmethod
    def from_columns(
        cls,
        truth: Column,
        prediction: Column,
        clusters: Column,
        *,
        weights: NDArray[Any] | None = None,
        weight_kind: WeightKind | None = None,
        abstain: Label | None = None,
        missing: Missing = "error",
        first_row: int = 1,
        repeats: Integers | None = None,
    ) -> Self:
        """Count one batch of columns."""
        columns, names = (truth, prediction, clusters), ("truth", "prediction", "clusters")
        joint = count_joint(
            columns,
            take_weights(weights, weight_kind, first_row),
            names=names,
            domains=DOMAINS,
            first_row=first_row,
            repeats=repeats,
        )
        joint, dropped = drop_incomplete(joint, missing, columns, names, first_row)
        if (joint.keys[:, 2] == 0).any():
            raise InputError(
                "a row without a cluster cannot be placed: name its cluster, or drop missing values"
            )
        table = ContingencyTable.from_joint(joint, abstain)
        joint = joint if abstain is None else joint.with_missing(abstain, (1,))
        # A cluster whose rows all weigh nothing tells nothing, so it must not count as one.
        joint = joint.chosen(joint.weight > 0)
        # How many rows weighed nothing would depend on how the data were cut, so rows are not kept.
        joint = replace(joint, rows=np.zeros_like(joint.rows))
        return cls(replace(table, dropped=dropped), joint)

    @property
    def number(self) -> int:
        """How many clusters there are."""
        return len(self.joint.labels[1])

    def cluster_cells(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
        """Cluster, flat position in ``table.cells`` and weight of each combination that occurred."""
        width = len(self.table.labels)
        place = positions(self.joint.labels[0], self.table.labels)
        column = place[self.joint.keys[:, 0] - 1]
        row = np.append(width, place)[self.joint.keys[:, 1]]
        return self.joint.keys[:, 2] - 1, row * width + column, self.joint.weight

    def declare(self, *, labels: Sequence[Label] | None = None, positive: Label | None = None) -> Self:
        """The same cases with the labels in a declared order, or with the positive label named."""
        return replace(self, table=self.table.declare(labels=labels, positive=positive))

    def renamed(self, names: Sequence[Label]) -> Self:
        """New names for the labels of the table, in order."""
        table = self.table.renamed(names)
        by_old = dict(zip(self.table.labels, names, strict=True))
        relabelled = tuple(by_old[label] for label in self.joint.labels[0])
        joint = replace(self.joint, labels=(relabelled, self.joint.labels[1])).in_order()
        return replace(self, table=table, joint=joint)

    def clusters_renamed(self, rename: Callable[[Sequence[Label]], Sequence[Label]]) -> Self:
        """New names for the clusters, made from all of them at once."""
        labels, clusters = self.joint.labels
        return replace(self, joint=replace(self.joint, labels=(labels, tuple(rename(clusters)))).in_order())

    def __add__(self, other: Self) -> Self:
        """All cases of both; a cluster that is in both is one cluster."""
        if not isinstance(other, ClusteredTable):
            return NotImplemented
        return replace(self, table=self.table + other.table, joint=self.joint + other.joint)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"kind": "clustered_table", "table": self.table.to_dict()} | joint_to_dict(self.joint)

    @classmethod
    def from_dict(cls, payload: dict[str, Any]) -> Self:
        """The tally that ``to_dict`` described."""
        table = ContingencyTable.from_dict(payload_field(payload, "table", dict))
        tally = cls(table, joint_from_dict(payload, DOMAINS))
        if not set(tally.joint.labels[0]) <= set(table.labels):
            raise InputError("the clusters of a tally have labels that its table does not have")
        _, cell, weight = tally.cluster_cells()
        counted = np.bincount(cell, weights=weight, minlength=table.cells.size).reshape(table.cells.shape)
        if not np.allclose(counted, table.cells, rtol=1e-9):
            raise InputError("the clusters of a tally do not add up to its table")
        return tally


def table_of(tally: ContingencyTable | ClusteredTable) -> ContingencyTable:
    """The contingency table behind a tally of decisions."""
    if isinstance(tally, ClusteredTable):
        return tally.table
    if isinstance(tally, ContingencyTable):
        return tally
    raise OptionError(f"a measure needs a tally such as a ContingencyTable; saw {type(tally).__name__}")
