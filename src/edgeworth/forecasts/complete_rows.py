"""Complete rows of probabilities, each as often as its weight counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Numbers
from edgeworth.common.choices import WeightKind
from edgeworth.errors import InputError
from edgeworth.forecasts.policy import MAX_ROWS_FROM_WEIGHTS
from edgeworth.sources.batches import Batch, Source
from edgeworth.sources.columns import Column, as_column, encode
from edgeworth.sources.numbers import as_probabilities, as_scores, as_weights, check_weights

WEIGHT_IN_ORDER = (
    "--weight (weight=) is not supported with rows in time order: leave out --ordered and --time, or repeat "
    "the rows"
)
DROP_IN_ORDER = (
    "tallies of ordered rows cannot drop incomplete rows (--missing drop), because merging needs the "
    "position of every row: remove these rows from the files first, or use evaluate"
)


@dataclass
class CompleteRows:
    """A source without its incomplete rows, in which a row that counts as three cases comes three times.

    Rows with sampling weights come once, and those of weight 0 not at all.

    Rows are numbered as they are yielded, so that a path has no gaps. ``dropped`` is the number of rows left
    out when the source was last read to its end.
    """

    source: Source
    labels: Sequence[str]
    numbers: Sequence[str]
    weight: str | None = None
    weight_kind: WeightKind | None = None
    drops: bool = False
    dropped: int = field(default=0, init=False)

    @property
    def name(self) -> str:
        """Return what a report calls the source."""
        return self.source.name

    @property
    def is_text(self) -> bool:
        """Return whether every value arrives as text."""
        return self.source.is_text

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the named columns of the complete rows, batch by batch."""
        needed = [*self.labels, *self.numbers, *([] if self.weight is None else [self.weight])]
        names = list(dict.fromkeys([*columns, *needed]))
        first_row, dropped = 1, 0
        for batch in self.source.batches(names):
            rows = np.arange(len(batch))
            if self.drops:
                rows = complete_rows(
                    [batch.columns[name] for name in self.labels],
                    [batch.columns[name] for name in self.numbers],
                )
                dropped += len(batch) - len(rows)
            if self.weight is not None:
                weights = as_weights(batch.columns[self.weight], self.weight, batch.first_row)
                rows = weigh_rows(rows, weights, self.weight_kind, batch.first_row)
            complete = {name: batch.columns[name][rows] for name in names}
            first = first_row if self.drops or self.weight is not None else batch.first_row
            yield replace(batch, columns=complete, first_row=first)
            first_row += len(rows)
        self.dropped = dropped


def complete_rows(labels: Sequence[Column], numbers: Sequence[Column]) -> NDArray[np.intp]:
    """Find the rows that lack no label and no number."""
    is_whole = np.ones(len(labels[0]), dtype=bool)
    for column in labels:
        is_whole &= encode(column, "").codes >= 0
    for column in numbers:
        is_whole &= ~np.isnan(as_scores(column, "probabilities"))
    return np.flatnonzero(is_whole)


def take_rows(values: object, rows: NDArray[np.intp]) -> object:
    """Take some rows of an array, a frame, or a mapping of arrays; None stays None."""
    if values is None:
        return None
    if isinstance(values, Mapping):
        return {name: take_rows(column, rows) for name, column in values.items()}
    by_position = getattr(values, "iloc", None)
    if by_position is not None:
        return by_position[rows]
    if hasattr(values, "columns") and hasattr(values, "__getitem__"):
        return values[rows.tolist()]
    return np.asarray(values)[rows]


def rows_of_arrays(
    truth: object,
    tables: Sequence[object],
    clusters: object,
    weights: object,
    weight_kind: WeightKind | None,
    *,
    drops: bool,
) -> tuple[NDArray[np.intp], int]:
    """Find the complete rows of arrays, each repeated by its weight, and count the rows left out."""
    column = as_column(truth, "truth")
    rows = np.arange(len(column))
    if drops:
        labels = [column, *([] if clusters is None else [as_column(clusters, "clusters")])]
        rows = complete_rows(labels, [])
        for table in tables:
            values = as_probabilities(table)
            lacking = np.flatnonzero(np.isnan(values.reshape(len(values), -1).sum(axis=1)))
            rows = np.setdiff1d(rows, lacking)
    dropped = len(column) - len(rows)
    if weights is not None:
        rows = weigh_rows(rows, as_weights(weights), weight_kind)
    return rows, dropped


def weigh_rows(
    rows: NDArray[np.intp], weights: Numbers, weight_kind: WeightKind | None, first_row: int = 1
) -> NDArray[np.intp]:
    """Repeat each row as often as its weight counts; with sampling weights, leave out those of weight 0."""
    check_weights(weights, first_row)
    if weight_kind == "sampling":
        return rows[weights[rows] > 0]
    if bool(np.any(weights % 1 != 0)):
        row = first_row + int(np.argmax(weights % 1 != 0))
        raise InputError(
            f"weight {weights[row - first_row]:g} in row {row:,} does not count cases: pass --weight-kind "
            "sampling (weight_kind=), or whole numbers"
        )
    counts: NDArray[np.int64] = weights.astype(np.int64)
    if counts.sum() > MAX_ROWS_FROM_WEIGHTS:
        raise InputError(
            f"weights of {len(counts):,} rows add up to {counts.sum():,} cases; with probabilities at most "
            f"{MAX_ROWS_FROM_WEIGHTS:,} at once are supported"
        )
    return np.repeat(rows, counts[rows])
