"""Rows that come in clusters: several of one patient, document or query."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Numbers
from edgeworth.core.joint_counts import JointCounts
from edgeworth.core.labels import as_labels, canonical_order, label_positions
from edgeworth.sources.columns import Label

BY_CLUSTER = (0, 0, 1)
"""The domains of truth, prediction and cluster: the first two share their labels."""


@dataclass(frozen=True)
class Clusters:
    """How often each combination of real class and prediction occurred in each cluster.

    Rows of one cluster are alike, so they hold less information than the same number of independent rows.
    Inference sums each cluster's influence before squaring it, or resamples whole clusters.
    """

    joint: JointCounts

    @classmethod
    def empty(cls) -> Self:
        """Make an empty set of clusters."""
        return cls(JointCounts.empty(BY_CLUSTER))

    @classmethod
    def from_joint(cls, joint: JointCounts, abstain: Label | Collection[Label] | None = None) -> Self:
        """Make clusters from joint counts of truth, prediction and cluster."""
        joint = joint if abstain is None else joint.with_missing(as_labels(abstain), (1,))
        # A cluster whose rows all have weight 0 must not count as a cluster.
        joint = joint.select(joint.weight > 0)
        # How many rows weighed nothing would depend on how the data were cut, so rows are not kept.
        return cls(replace(joint, rows=np.zeros_like(joint.rows)))

    @property
    def number(self) -> int:
        """The number of clusters."""
        return len(self.joint.labels[1])

    def cells(self, labels: Sequence[Label]) -> tuple[NDArray[np.intp], NDArray[np.intp], Numbers]:
        """List each combination's cluster, flat position in a table of ``labels``, and weight."""
        width = len(labels)
        label_index = label_positions(self.joint.labels[0], labels)
        column = label_index[self.joint.keys[:, 0] - 1]
        row = np.append(width, label_index)[self.joint.keys[:, 1]]
        return self.joint.keys[:, 2] - 1, row * width + column, self.joint.weight

    def regroup(
        self, old: Sequence[Label], new: tuple[Label, ...], rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> Self:
        """Move every row and column of a table of ``old`` labels to a row and column of ``new`` labels."""
        old_index = label_positions(self.joint.labels[0], old)
        keys = self.joint.keys.copy()
        keys[:, 0] = columns[old_index[keys[:, 0] - 1]] + 1
        # The last row, that of abstentions, is a missing prediction.
        keys[:, 1] = (rows[np.append(len(old), old_index)[keys[:, 1]]] + 1) % (len(new) + 1)
        joint = replace(self.joint, labels=(new, self.joint.labels[1]), keys=keys).add_equal()
        # The names of clusters stay as they are, and there may be very many.
        is_ordered = canonical_order(new) == new and len(np.setdiff1d(joint.keys[:, :2], 0)) == len(new)
        return replace(self, joint=joint if is_ordered else joint.in_order())

    def decided(self) -> Self:
        """Leave out the cases without a decision."""
        return replace(self, joint=self.joint.select(self.joint.keys[:, 1] > 0))

    def rename(self, rename: Callable[[Sequence[Label]], Sequence[Label]]) -> Self:
        """Rename the clusters by a function that takes all names at once."""
        labels, clusters = self.joint.labels
        return replace(self, joint=replace(self.joint, labels=(labels, tuple(rename(clusters)))).in_order())

    def __add__(self, other: Self) -> Self:
        """Add the cases of other clusters; a cluster that is in both is one cluster."""
        return replace(self, joint=self.joint + other.joint)
