"""Rows in partitions, wherever these are: each is folded where it lies, and the parts are added in order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import attrgetter
from typing import Any

import edgeworth
from edgeworth.errors import EdgeworthError, InputError, MergeError, OptionError
from edgeworth.sources.batches import Batch, T, check_columns, no_rows_error
from edgeworth.sources.paths import first_line

SENDABLE = (InputError, OptionError, MergeError)
"""Errors that are what their sentence says, so that they can be made again elsewhere."""


@dataclass(frozen=True)
class PartitionTally:
    """What one partition came to: so many rows and their tally, or what was wrong among them."""

    partition: int
    rows: int
    value: Any
    error: EdgeworthError | None = None


def fold_partition(
    batches: Iterable[Batch],
    prepare: Callable[[Batch], T],
    empty: T,
    *,
    partition: int,
    version: str,
    before: int = 0,
) -> PartitionTally:
    """One partition's batches prepared and added up; ``before`` rows come in the partitions before it.

    ``version`` is that of the process which sent the work and will add the parts: tallies of another version
    may mean something else.
    """
    total, rows = empty, 0
    try:
        if edgeworth.__version__ != version:
            said = f"{version} on the driver and {edgeworth.__version__} on the workers"
            raise InputError(f"edgeworth is {said}: install one version")
        for batch in batches:
            total = total + prepare(replace(batch, first_row=batch.first_row + before))
            rows += len(batch)
    except EdgeworthError as error:
        kind = next((kind for kind in SENDABLE if isinstance(error, kind)), EdgeworthError)
        return PartitionTally(partition, rows, None, kind(str(error)))
    return PartitionTally(partition, rows, total)


def add_partitions(
    parts: Iterable[PartitionTally],
    empty: T,
    name: str,
    again: Callable[[int, int], PartitionTally],
    positions: dict[int, int] | None = None,
) -> tuple[T, int]:
    """The parts added in the order of their partitions, and how many rows they have.

    The first part in which something is wrong is folded ``again``, now with the number of rows before it, so
    that the sentence names the row as if all rows had been in one place. ``positions`` are the rows before
    each partition as a first pass found them: if they have moved since, the order of rows means nothing.
    """
    total, before = empty, 0
    for part in sorted(parts, key=attrgetter("partition")):
        if part.error is not None:
            knows_its_rows = positions is not None or not before
            raise part.error if knows_its_rows else again(part.partition, before).error or part.error
        if positions is not None and part.rows and positions.get(part.partition) != before:
            raise InputError(
                f"{name}: partition {part.partition} held other rows when it was read a second time, so that "
                "the order of rows is not known: persist or save the data first"
            )
        total = total + part.value
        before += part.rows
    if not before:
        raise no_rows_error(name)
    return total, before


class PartitionedSource(ABC):
    """Rows in partitions elsewhere: the reducer goes to them, and a small tally of each comes back.

    The order of rows is that of the partitions. Each pass computes them again.
    """

    name: str

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""

    @abstractmethod
    def run(
        self, columns: list[str], work: dict[str, Any], positions: dict[int, int], only: int | None = None
    ) -> list[PartitionTally]:
        """Fold each partition, or one of them, where it is; ``work`` is what ``fold_partition`` takes."""

    @abstractmethod
    def fetch(self, columns: list[str]) -> Iterator[Batch]:
        """Bring the rows here a partition at a time, for what cannot be folded."""

    def fold(self, columns: Sequence[str], prepare: Callable[[Batch], T], empty: T) -> tuple[T, int]:
        """Prepare and add up each partition where it is, and add the parts here in their order."""
        wanted = self._check(columns)
        work = {"prepare": prepare, "empty": empty, "version": edgeworth.__version__}
        positions: dict[int, int] | None = None
        # A tally that must know where its rows stand in the whole says so; it costs a pass that counts them.
        if getattr(empty, "needs_positions", False):
            counted = self.run(wanted, work | {"prepare": len, "empty": 0}, {})
            rows = {part.partition: part.rows for part in sorted(counted, key=attrgetter("partition"))}
            positions = dict(zip(rows, accumulate(rows.values(), initial=0), strict=False))

        def again(partition: int, before: int) -> PartitionTally:
            return self.run(wanted, work, {partition: before}, partition)[0]

        return add_partitions(self.run(wanted, work, positions or {}), empty, self.name, again, positions)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows themselves, counted through."""
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
    """Names of our own for columns that travel through an engine which folds case.

    >>> generate_names(["n", "N"])
    ['column_0', 'column_1']
    """
    return [f"column_{place}" for place in range(len(columns))]


ENGINES = {
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
"""Libraries whose errors are about the data or the query, and not about us."""


@contextmanager
def engine_errors(name: str) -> Iterator[None]:
    """What an engine, or the disk below it, says in its first line; anything else is raised as it is.

    >>> with engine_errors("frame"):
    ...     raise OSError("the disk is gone")
    Traceback (most recent call last):
    ...
    edgeworth.errors.InputError: frame cannot be computed: the disk is gone
    """
    try:
        yield
    except Exception as error:
        if not isinstance(error, OSError) and type(error).__module__.split(".")[0] not in ENGINES:
            raise
        raise InputError(f"{name} cannot be computed: {first_line(error)}") from None
