"""Two predictors on the same cases: which cells of their two tables occurred together, and how often."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Numbers, as_floats
from edgeworth.comparisons.paired import Paired
from edgeworth.core.clusters import ClusterSpread, cluster_variance_of_ratios
from edgeworth.core.measures import quote_label
from edgeworth.decisions.resampling import influence
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import Resolved
from edgeworth.sources.columns import Label

Places: TypeAlias = NDArray[np.intp]

MAX_LABELS_WITH_MEASURES = 10
"""Past this the usual measures leave single labels out."""


@dataclass(frozen=True, eq=False)
class JointCells:
    """Combinations of a cell of the first table with a cell of the second that occurred on one case.

    ``places[s][j]`` is the flat position in ``tables[s].cells`` of combination j, ``weight[j]`` how many
    cases it has (or their weight, with the squares beside it), ``clusters[j]`` the cluster they belong to.
    """

    tables: tuple[ContingencyTable, ContingencyTable]
    places: tuple[Places, Places]
    weight: Numbers
    square: Floats | None
    clusters: Places | None

    @property
    def size(self) -> int:
        """How many labels there are."""
        return len(self.tables[0].labels)

    @property
    def unit(self) -> str:
        """What is independent of each other: a case, or a cluster of them."""
        return "case" if self.clusters is None else "cluster"

    @property
    def is_counted(self) -> bool:
        """Whole cases, not weights."""
        return self.weight.dtype.kind == "i"

    @property
    def is_plain(self) -> bool:
        """Whole cases, independent of each other: what exact methods need."""
        return self.is_counted and self.clusters is None

    @property
    def is_identical(self) -> bool:
        """Whether the two predictors never differ in these tables."""
        return bool(np.array_equal(*self.places))

    @cached_property
    def units(self) -> float:
        """How many independent units there are."""
        return self._units(slice(None))

    def _units(self, here: slice[None, None, None] | NDArray[np.bool_]) -> float:
        """Count cases, clusters, or Kish's effective number of rows, among some combinations."""
        if self.clusters is not None:
            return float(len(np.unique(self.clusters[here])))
        total = float(self.weight[here].sum())
        return total if self.square is None or not total else total**2 / float(self.square[here].sum())

    @cached_property
    def cached_influences(self) -> dict[str, Floats]:
        """The influences by the spelling of the measure."""
        return {}

    @cached_property
    def cached_one_vs_rest(self) -> dict[int, JointCells]:
        """The cells of one label against the rest, by the position of the label."""
        return {}

    @cached_property
    def cached_replicates(self) -> dict[Hashable, tuple[Floats, Floats]]:
        """What measures see of the first and of the second tables, by how these were drawn."""
        return {}

    def split(self, positions: Places) -> tuple[Places, Places]:
        """Split flat positions into predicted and real ones; one past the last label is an abstention."""
        return np.divmod(positions, self.size)

    def one_against_rest(self, label: Label) -> JointCells:
        """Merge all labels but this one into one."""
        side = np.where(np.arange(self.size) == self.tables[0].index(label), 0, 1)
        row = np.append(side, 2)
        first, second = (table.one_against_rest(label) for table in self.tables)
        first_positions, second_positions = (
            row[predicted] * 2 + side[real] for predicted, real in map(self.split, self.places)
        )
        return replace(self, tables=(first, second), places=(first_positions, second_positions)).compact()

    def compact(self) -> JointCells:
        """Merge equal combinations."""
        columns = [*self.places] if self.clusters is None else [*self.places, self.clusters]
        keys, inverse = np.unique(np.stack(columns), axis=1, return_inverse=True)

        def summed(values: Numbers) -> Numbers:
            sums = np.zeros(keys.shape[1], dtype=values.dtype)
            np.add.at(sums, inverse.reshape(-1), values)
            return sums

        return replace(
            self,
            places=(keys[0], keys[1]),
            weight=summed(self.weight),
            square=None if self.square is None else as_floats(summed(self.square)),
            clusters=None if self.clusters is None else keys[2],
        )

    def values(self, resolved: Resolved) -> tuple[float, float]:
        """Compute the measure of each predictor."""
        first, second = (float(resolved.values(table.cells)) for table in self.tables)
        return first, second

    def influences(self, resolved: Resolved) -> Floats:
        """Compute how much one more case of each combination moves the difference."""
        if resolved.spelling not in self.cached_influences:
            first, second = (influence(table, resolved).ravel() for table in self.tables)
            change = np.asarray(first[self.places[0]] - second[self.places[1]])
            self.cached_influences[resolved.spelling] = change
        return self.cached_influences[resolved.spelling]

    def spread(self, resolved: Resolved) -> ClusterSpread:
        """Estimate the delta method's variance of the difference, and its degrees of freedom.

        n/(n − 1) Σ count·influence², with squared weights for counts, and n − 1 of them; with clusters CR2 of
        what each adds. What adds up to 0 within every real class (recall, informedness) is a ratio of each
        class, so that a cluster that has most of a rare class has its weight there.
        """
        influences = self.influences(resolved)
        if self.clusters is None:
            weight = self.weight if self.square is None else self.square
            squares = float((weight * influences**2).sum())
            many = self.units > 1
            variance = self.units / (self.units - 1) * squares if many else math.nan
            return ClusterSpread(variance, self.units - 1.0, self.units)
        _, cluster = np.unique(self.clusters, return_inverse=True)
        real, moved = self.split(self.places[0])[1], self.weight * influences
        by_class = np.bincount(real, weights=moved, minlength=self.size)
        is_each = bool((np.abs(by_class) <= 1e-9 * np.abs(moved).sum()).all())
        classes = np.unique(real[influences != 0]) if is_each else [None]
        totals, residuals, variances = [], [], []
        for label in classes:
            here = self.is_seen(resolved) if label is None else real == label
            weights = np.bincount(cluster, weights=self.weight * here)
            totals.append(weights)
            residuals.append(np.bincount(cluster, weights=moved * here) * weights.sum())
            variances.append(float((moved * influences * here).sum()) * weights.sum())
        if not totals:
            return ClusterSpread(0.0, math.inf, self.units)
        return cluster_variance_of_ratios(
            np.stack(residuals, axis=1), np.stack(totals, axis=1), None, np.array(variances)
        )

    def predictions(self, positions: Places, label: int) -> float:
        """Count a predictor's predictions of a label, in independent units."""
        return self._units(self.split(positions)[0] == label)

    def real_cases(self, label: int) -> float:
        """Count the cases that really have a label, in independent units."""
        return self._units(self.split(self.places[0])[1] == label)

    def is_seen(self, resolved: Resolved) -> NDArray[np.bool_]:
        """Find the combinations that have to do with the measure of either predictor."""
        both = zip(self.tables, self.places, strict=True)
        parts = np.abs([influence(table, resolved).ravel()[positions] for table, positions in both])
        return np.asarray((parts > 1e-9 * parts.max()).any(axis=0))


def joint_cells(paired: Paired, first: str, second: str) -> JointCells:
    """Count which cells of two predictors' tables occurred together.

    >>> paired = Paired.from_labels([1, 0, 1], {"a": [1, 0, 0], "b": [1, 1, 1]})
    >>> joint_cells(paired, "a", "b").weight.tolist()
    [1, 1, 1]
    """
    tables = paired.table(first), paired.table(second)
    joint, size = paired.joint, len(paired.labels)
    kept = joint.weight > 0  # combinations without weight are dropped, so that they do not count as clusters
    keys = joint.keys[kept]
    real = keys[:, 0] - 1

    def positions(name: str) -> Places:
        predicted = keys[:, 1 + paired.names.index(name)]
        return np.where(predicted == 0, size, predicted - 1) * size + real

    return JointCells(
        tables,
        (positions(first), positions(second)),
        joint.weight[kept],
        None if joint.square is None else joint.square[kept],
        keys[:, -1] - 1 if paired.is_clustered else None,
    ).compact()


def one_vs_rest(cells: JointCells, resolved: Resolved) -> tuple[JointCells, Resolved]:
    """Reduce the cells to one label against the rest if the measure is of one label."""
    if resolved.position is None or cells.size <= 2:
        return cells, resolved
    if resolved.position not in cells.cached_one_vs_rest:
        assert resolved.label is not None
        cells.cached_one_vs_rest[resolved.position] = cells.one_against_rest(resolved.label)
    return cells.cached_one_vs_rest[resolved.position], replace(resolved, position=0)


def usual_spellings(table: ContingencyTable) -> tuple[str, ...]:
    """List the measures that are compared unless others are asked for.

    >>> usual_spellings(ContingencyTable.from_labels([1, 0], [1, 0]))[4:]
    ('precision[1]', 'recall[1]', 'f[1]')
    """
    labels = table.labels if table.positive is None else (table.positive,)
    of_labels = [
        f"{name}[{quote_label(str(label))}]"
        for label in (labels if len(labels) <= MAX_LABELS_WITH_MEASURES else ())
        for name in ("precision", "recall", "f")
    ]
    several = ("macro_f",) if len(table.labels) > 2 else ()
    return ("informedness", "markedness", "accuracy", "mcc", *several, *of_labels)


def with_coverage(spellings: Sequence[str], *tables: ContingencyTable) -> tuple[str, ...]:
    """Put coverage second if a system left a case undecided, because its other values hide that."""
    is_decided = not any(table.abstained.any() for table in tables)
    if is_decided or "coverage" in spellings:
        return tuple(spellings)
    return (spellings[0], "coverage", *spellings[1:])
