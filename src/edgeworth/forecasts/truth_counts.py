"""Count the labels of the truth in one pass, before probabilities are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.sources.batches import Batch, Reducer, Source
from edgeworth.sources.columns import DROP_MISSING, Label, encode_all


@dataclass(frozen=True)
class TruthCounts:
    """The first row and the number of rows of each label, as it is written in the data."""

    by_label: Mapping[Label, tuple[int, int]] = field(default_factory=dict)
    needs_positions: bool = False
    """Whether rows are counted through all partitions of a source, which may cost a pass more."""

    def __add__(self, other: Self) -> Self:
        """Add the counts of both."""
        merged = dict(self.by_label)
        for label, (row, cases) in other.by_label.items():
            before, counted = merged.get(label, (row, 0))
            merged[label] = (min(before, row), counted + cases)
        return type(self)(merged, self.needs_positions)

    @property
    def labels(self) -> tuple[Label, ...]:
        """Return the labels in the order of their first rows."""
        return tuple(sorted(self.by_label, key=lambda label: self.by_label[label][0]))

    @property
    def rows(self) -> NDArray[np.int64]:
        """Return the first row of each label."""
        return np.array([self.by_label[label][0] for label in self.labels], dtype=np.int64)

    @property
    def cases(self) -> NDArray[np.int64]:
        """Return the number of rows of each label."""
        return np.array([self.by_label[label][1] for label in self.labels], dtype=np.int64)


def count_truth(source: Source, column: str, *, needs_rows: bool = False) -> TruthCounts:
    """Count the labels of the truth in one pass; ``needs_rows`` keeps the engine from counting by itself."""
    empty = TruthCounts(needs_positions=needs_rows)
    return Reducer([column], partial(count_batch, name=column), empty, not needs_rows).fold(source)


def count_batch(batch: Batch, name: str) -> TruthCounts:
    coded = encode_all(batch.columns[name], name, batch.first_row, DROP_MISSING)
    number = len(coded.labels)
    cases = np.bincount(coded.codes, minlength=number)
    if batch.repeats is not None:
        cases = np.zeros(number, dtype=np.int64)
        np.add.at(cases, coded.codes, batch.repeats)
    first = np.zeros(number, dtype=np.int64)
    # Backwards, so that of several rows the first one stays.
    first[coded.codes[::-1]] = np.arange(len(coded) - 1, -1, -1)
    rows = (batch.first_row + first).tolist()
    # A batch may share its labels with others and have none of some.
    occurring = (entry for entry in zip(coded.labels, rows, cases.tolist(), strict=True) if entry[2])
    return TruthCounts({label: (row, count) for label, row, count in occurring})
