"""Rows in partitions on other machines: each partition is folded where it is, and the tallies are added."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Generic, TypeGuard

import edgeworth
from edgeworth.errors import EdgeworthError, InputError, MergeError, OptionError
from edgeworth.sources.batches import Batch, T, check_columns, no_rows_error
from edgeworth.sources.paths import first_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SENDABLE_ERRORS = (InputError, OptionError, MergeError)
"""Errors that hold nothing but their message, so that another process can raise them again."""


@dataclass(frozen=True)
class FoldTask(Generic[T]):
    """What a worker does with a partition: prepare each batch into a tally, and add the tallies up."""

    prepare: Callable[[Batch], T]
    empty: T
    version: str
    """Edgeworth's version in the process that adds the partitions: another may count differently."""


@dataclass(frozen=True)
class PartitionTally(Generic[T]):
    """The rows of one partition and their tally, or the error that was raised."""

    partition: int
    rows: int
    value: T | None
    error: EdgeworthError | None = None


def fold_partition(
    batches: Iterable[Batch], task: FoldTask[T], *, partition: int, rows_before: int = 0
) -> PartitionTally[T]:
    """Prepare the batches of one partition and add them up; ``rows_before`` counts earlier partitions."""
    total = task.empty
    rows = 0
    try:
        if edgeworth.__version__ != task.version:
            versions = f"{task.version} on the driver and {edgeworth.__version__} on the workers"
            raise InputError(f"edgeworth is {versions}: install one version")
        for batch in batches:
            total = total + task.prepare(replace(batch, first_row=batch.first_row + rows_before))
            rows += len(batch)
    except EdgeworthError as error:
        kind = next((kind for kind in SENDABLE_ERRORS if isinstance(error, kind)), EdgeworthError)
        return PartitionTally(partition, rows, None, kind(str(error)))
    return PartitionTally(partition, rows, total)


def add_partitions(
    parts: Iterable[PartitionTally[T]],
    empty: T,
    name: str,
    fold_again: Callable[[int, int], PartitionTally[T]],
    positions: dict[int, int] | None = None,
) -> tuple[T, int]:
    """Add the tallies in the order of their partitions, and count their rows.

    The first partition with an error is folded again with the number of rows before it, so that the message
    names the row as if all rows were in one place. ``positions`` are the numbers of rows before each
    partition in a first pass: if they have changed since, the order of rows is unknown.
    """
    total = empty
    rows_before = 0
    for part in sorted(parts, key=attrgetter("partition")):
        if part.error is not None:
            if positions is not None or not rows_before:
                raise part.error
            raise fold_again(part.partition, rows_before).error or part.error
        if positions is not None and part.rows and positions.get(part.partition) != rows_before:
            raise InputError(
                f"{name}: partition {part.partition} held other rows when it was read a second time, so that "
                "the order of rows is not known: persist or save the data first"
            )
        assert part.value is not None, "a partition has a tally or an error"
        total = total + part.value
        rows_before += part.rows
    if not rows_before:
        raise no_rows_error(name)
    return total, rows_before


class PartitionedSource(ABC):
    """A source whose rows are in partitions on other machines, which send back one small tally each.

    The order of rows is that of the partitions. Each pass computes them again.
    """

    name: str

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @abstractmethod
    def run(
        self, columns: list[str], task: FoldTask[T], positions: dict[int, int], only: int | None = None
    ) -> list[PartitionTally[T]]:
        """Fold each partition, or the one named by ``only``, where it is."""

    @abstractmethod
    def fetch(self, columns: list[str]) -> Iterator[Batch]:
        """Yield the rows one partition at a time, for work that cannot be folded."""

    def fold(self, columns: Sequence[str], prepare: Callable[[Batch], T], empty: T) -> tuple[T, int]:
        """Fold each partition where it is, and add the tallies in the order of the partitions."""
        wanted = self._check(columns)
        task = FoldTask(prepare, empty, edgeworth.__version__)
        positions: dict[int, int] | None = None
        # Some tallies need the position of each row in the whole, which costs a pass that counts rows.
        if getattr(empty, "needs_positions", False):
            counts = self.run(wanted, FoldTask(len, 0, edgeworth.__version__), {})
            rows = {part.partition: part.rows for part in sorted(counts, key=attrgetter("partition"))}
            positions = dict(zip(rows, accumulate(rows.values(), initial=0), strict=False))

        def fold_again(partition: int, rows_before: int) -> PartitionTally[T]:
            return self.run(wanted, task, {partition: rows_before}, partition)[0]

        parts = self.run(wanted, task, positions or {})
        return add_partitions(parts, empty, self.name, fold_again, positions)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, numbered across all partitions."""
        row = 1
        for batch in self.fetch(self._check(columns)):
            yield replace(batch, first_row=row)
            row += len(batch)
        if row == 1:
            raise no_rows_error(self.name)

    def _check(self, columns: Sequence[str]) -> list[str]:
        wanted = list(dict.fromkeys(columns))
        check_columns(wanted, self.names, self.name)
        return wanted


def generate_names(columns: Sequence[str]) -> list[str]:
    """Return neutral names for columns that go through an engine which ignores case.

    >>> generate_names(["n", "N"])
    ['column_0', 'column_1']
    """
    return [f"column_{index}" for index in range(len(columns))]


def is_spark_frame(data: object) -> TypeGuard[DataFrame]:
    """Return whether data are a Spark dataframe."""
    # The class is asked, because a frame of Spark Connect has an attribute of any name: a column.
    return hasattr(type(data), "mapInArrow")


ENGINE_LIBRARIES = {
    "dask",
    "distributed",
    "duckdb",
    "_duckdb",
    "ibis",
    "narwhals",
    "pandas",
    "polars",
    "pyarrow",
    "sqlframe",
}
"""Libraries whose errors are about the data or the query, and not about Edgeworth."""


@contextmanager
def engine_errors(name: str) -> Iterator[None]:
    """Raise an InputError with the first line of an error of an engine or the disk, and others unchanged.

    >>> with engine_errors("frame"):
    ...     raise OSError("the disk is gone")
    Traceback (most recent call last):
    ...
    edgeworth.errors.InputError: frame cannot be computed: the disk is gone
    """
    try:
        yield
    except Exception as error:
        if not isinstance(error, OSError) and type(error).__module__.split(".")[0] not in ENGINE_LIBRARIES:
            raise
        raise InputError(f"{name} cannot be computed: {first_line(error)}") from None
