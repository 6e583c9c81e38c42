"""Which classes there are and how often each came true: a first look at the truth, before any bet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.batches import Batch, Source, fold
from edgeworth.sources.columns import MISSING, Coded, Column, Label, encode


@dataclass(frozen=True)
class SeenTruth:
    """Of each label as it is written: the first row that has it, and how many have."""

    found: Mapping[Label, tuple[int, int]] = field(default_factory=dict)
    needs_positions: bool = False
    """Whether rows are counted through all partitions of a source, which may cost a pass more."""

    def __add__(self, other: Self) -> Self:
        """The labels of both."""
        both = dict(self.found)
        for label, (row, cases) in other.found.items():
            before, counted = both.get(label, (row, 0))
            both[label] = (min(before, row), counted + cases)
        return type(self)(both, self.needs_positions)

    @property
    def labels(self) -> tuple[Label, ...]:
        """In the order in which they come first."""
        return tuple(sorted(self.found, key=lambda label: self.found[label][0]))

    @property
    def rows(self) -> NDArray[np.int64]:
        """The first row of each label."""
        return np.array([self.found[label][0] for label in self.labels], dtype=np.int64)

    @property
    def cases(self) -> NDArray[np.int64]:
        """How many rows have each label."""
        return np.array([self.found[label][1] for label in self.labels], dtype=np.int64)


def see_truth(source: Source, column: str, *, needs_rows: bool = False) -> SeenTruth:
    """A pass over the truth alone, by the engine's own counting where it can unless rows are to be known."""
    empty = SeenTruth(needs_positions=needs_rows)
    return fold(source, [column], partial(_seen, name=column), empty, counts_suffice=not needs_rows)


def _seen(batch: Batch, name: str) -> SeenTruth:
    coded = _coded(batch.columns[name], name)
    if (coded.codes == MISSING).any():
        row = batch.first_row + int(np.argmax(coded.codes == MISSING))
        raise InputError(f"{name} is missing in row {row:,}: drop such rows beforehand")
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
    kept = (each for each in zip(coded.labels, rows, cases.tolist(), strict=True) if each[2])
    return SeenTruth({label: (row, count) for label, row, count in kept})


def _coded(column: Column, name: str) -> Coded:
    """As ``encode``; whole numbers in a narrow range are counted without being sorted."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu" and len(column):
        low, high = int(column.min()), int(column.max())
        if high - low < 1 << 16:
            # Narrow types would wrap, and what is beyond the wide one is no longer so after the subtraction.
            wide = column.astype(np.int64) if column.dtype.itemsize < 8 else column
            return Coded((wide - low).astype(np.intp), tuple(range(low, high + 1)))
    return encode(column, name)
