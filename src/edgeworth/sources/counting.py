"""Whether DuckDB may count equal rows of Parquet: for the types it tells apart exactly as Python does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from edgeworth.errors import InputError
from edgeworth.sources.arrow_columns import counted_batches, is_text
from edgeworth.sources.batches import Batch, CannotCountError, find_columns
from edgeworth.sources.columns import encode
from edgeworth.sources.duckdb_counts import counting

TRIED_ROWS = 1 << 14
"""First rows that are looked at: where they hardly repeat, the whole is not counted in vain."""

FEW_ROWS = 1 << 20
"""So few rows are read sooner than DuckDB is loaded."""


class Typed(Protocol):
    """A file whose columns have types, known before any row is read."""

    @property
    def name(self) -> str: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def paths(self) -> tuple[Path, ...]: ...

    @property
    def rows(self) -> int | None: ...

    def types(self, columns: Sequence[str]) -> Mapping[str, Any]: ...

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]: ...


def counted_parquet(files: Sequence[Typed], columns: Sequence[str]) -> Iterator[Batch]:
    """Each combination of values of the columns once, with how many rows have it.

    CannotCountError where DuckDB is not installed, might see other values than Python, or fails: rows tell.
    So it is where there are so few rows that they are read sooner.
    """
    wanted = list(dict.fromkeys(columns))
    _check_countable(files, wanted)
    paths = [path for file in files for path in file.paths]
    differ = any(file.names != files[0].names for file in files)
    try:
        with counting(paths, wanted, differ=differ) as count:
            pieces = count.pieces(sum(file.rows or 0 for file in files))
            yield from counted_batches(pieces, wanted)
    except InputError as error:
        # What it cannot read or hold, we may; and of what is spoilt the rows say where.
        raise CannotCountError(str(error)) from None


def _check_countable(files: Sequence[Typed], wanted: Sequence[str]) -> None:
    for file in files:
        find_columns(wanted, file.names, file.name)
        if not all(wanted):
            raise CannotCountError("SQL has no columns without a name")
        kinds = file.types(wanted)
        if not all(map(is_told_apart, kinds.values())) or kinds != files[0].types(wanted):
            raise CannotCountError(f"{file.name} has columns that are counted row by row")
    if sum(file.rows or 0 for file in files) <= FEW_ROWS:
        raise CannotCountError("so few rows are read sooner than DuckDB is loaded")
    first = next((file for file in files if file.rows), None)
    if first is None or not _repeats(first, wanted):
        raise CannotCountError(
            "there are no rows" if first is None else f"the rows of {first.name} hardly repeat"
        )


def _repeats(file: Typed, columns: Sequence[str]) -> bool:
    """Whether the first rows hold half as many combinations as rows at most."""
    batch = next(file.batches(columns))
    codes = [encode(column[:TRIED_ROWS], name).codes.tolist() for name, column in batch.columns.items()]
    number = min(len(batch), TRIED_ROWS)
    return number < TRIED_ROWS or 2 * len(set(zip(*codes, strict=True))) <= number


def is_told_apart(kind: Any) -> bool:
    """Whether DuckDB and Python agree on which values of a type of Arrow are the same.

    Both take 0.0 and −0.0 as one and each NaN as missing. Decimals, times and bytes come back in another
    form than they have in the file.

    >>> import pyarrow as pa
    >>> is_told_apart(pa.int64()), is_told_apart(pa.timestamp("ns", "UTC"))
    (True, False)
    """
    import pyarrow.types as kinds

    if kinds.is_dictionary(kind):
        return is_text(kind.value_type)
    whole = kinds.is_integer(kind) or kinds.is_boolean(kind)
    return whole or kinds.is_float32(kind) or kinds.is_float64(kind) or is_text(kind)
