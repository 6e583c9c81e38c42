"""Rows in partitions, wherever these are: each is folded where it lies, and the parts are added in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from edgeworth.errors import EdgeworthError, InputError, MergeError, OptionError
from edgeworth.sources.batches import Batch, T, no_rows_error

SENDABLE = (InputError, OptionError, MergeError)
"""Errors that are what their sentence says, so that they can be made again elsewhere."""


class MovedRowsError(InputError):
    """Partitions that held other rows when they were read a second time."""


@dataclass(frozen=True)
class PartitionTally:
    """What one partition came to: so many rows and their tally, or what was wrong among them."""

    partition: int
    rows: int
    value: Any
    error: EdgeworthError | None = None


def needs_positions(empty: Any) -> bool:
    """Whether a tally must know where its rows stand in the whole, and not only in their partition.

    Such a tally says so in an attribute of this name. It costs a pass that counts the rows of partitions.
    """
    return bool(getattr(empty, "needs_positions", False))


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
        if package_version() != version:
            said = f"{version} on the driver and {package_version()} on the workers"
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
) -> T:
    """The parts added in the order of their partitions.

    The first part in which something is wrong is folded ``again``, now with the number of rows before it, so
    that the sentence names the row as if all rows had been in one place. ``positions`` are the rows before
    each partition as a first pass found them: if they have moved since, the order of rows means nothing.
    """
    total, before = empty, 0
    for part in sorted(parts, key=lambda part: part.partition):
        if part.error is not None:
            knows_its_rows = positions is not None or not before
            raise part.error if knows_its_rows else again(part.partition, before).error or part.error
        if positions is not None and part.rows and positions.get(part.partition) != before:
            raise MovedRowsError(
                f"{name}: partition {part.partition} held other rows when it was read a second time, so that "
                "the order of rows is not known: persist or save the data first"
            )
        total = total + part.value
        before += part.rows
    if not before:
        raise no_rows_error(name)
    return total


def package_version() -> str:
    """The version of edgeworth in this process."""
    from edgeworth import __version__

    return __version__


def rows_before(counts: Iterable[tuple[int, int]]) -> dict[int, int]:
    """How many rows come before each partition, from the numbers of rows in each.

    >>> rows_before([(1, 5), (0, 3), (2, 1)])
    {0: 0, 1: 3, 2: 8}
    """
    places, before = {}, 0
    for partition, rows in sorted(counts):
        places[partition] = before
        before += rows
    return places


def number_rows(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Batches one after the other, their rows counted through."""
    row = 1
    for batch in batches:
        yield replace(batch, first_row=row)
        row += len(batch)


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
        said = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise InputError(f"{name} cannot be computed: {said}") from None
