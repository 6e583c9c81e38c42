"""Parquet: read in bounded batches, or counted where it lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeworth.errors import InputError, MissingExtraError
from edgeworth.sources.arrow import arrow_batches, check_lengths, is_text
from edgeworth.sources.batches import Batch, CannotCountError, check_columns
from edgeworth.sources.columns import encode
from edgeworth.sources.duckdb_engine import count_rows
from edgeworth.sources.opening import ManySource
from edgeworth.sources.paths import FileSource, first_line

if TYPE_CHECKING:
    import pyarrow.parquet as pq


TRIED_ROWS = 1 << 14
"""First rows that are looked at: where they hardly repeat, the whole is not counted in vain."""

FEW_ROWS = 1 << 20
"""So few rows are read sooner than DuckDB is loaded."""


def count_parquet(files: Sequence[ParquetSource], columns: Sequence[str]) -> Iterator[Batch]:
    """Each combination of values of the columns once, with how many rows have it.

    CannotCountError where DuckDB is not installed, might see other values than Python, or fails: rows tell.
    So it is where there are so few rows that they are read sooner.
    """
    wanted = list(dict.fromkeys(columns))
    _check_countable(files, wanted)
    paths = [file.path for file in files]
    differ = any(file.names != files[0].names for file in files)
    try:
        pieces = count_rows(paths, wanted, sum(file.rows or 0 for file in files), differ=differ)
        yield from arrow_batches(pieces, wanted, repeats=True)
    except InputError as error:
        # What it cannot read or hold, we may; and of what is spoilt the rows say where.
        raise CannotCountError(str(error)) from None


def _check_countable(files: Sequence[ParquetSource], wanted: Sequence[str]) -> None:
    for file in files:
        check_columns(wanted, file.names, file.name)
        if not all(wanted):
            raise CannotCountError("SQL has no columns without a name")
        kinds = file.types(wanted)
        if not all(map(has_same_equality, kinds.values())) or kinds != files[0].types(wanted):
            raise CannotCountError(f"{file.name} has columns that are counted row by row")
    if sum(file.rows or 0 for file in files) <= FEW_ROWS:
        raise CannotCountError("so few rows are read sooner than DuckDB is loaded")
    first = next((file for file in files if file.rows), None)
    if first is None or not _repeats(first, wanted):
        raise CannotCountError(
            "there are no rows" if first is None else f"the rows of {first.name} hardly repeat"
        )


def _repeats(file: ParquetSource, columns: Sequence[str]) -> bool:
    """Whether the first rows hold half as many combinations as rows at most."""
    batch = next(file.batches(columns))
    codes = [encode(column[:TRIED_ROWS], name).codes.tolist() for name, column in batch.columns.items()]
    number = min(len(batch), TRIED_ROWS)
    return number < TRIED_ROWS or 2 * len(set(zip(*codes, strict=True))) <= number


def has_same_equality(kind: Any) -> bool:
    """Whether DuckDB and Python agree on which values of a type of Arrow are the same.

    Both take 0.0 and −0.0 as one and each NaN as missing. Decimals, times and bytes come back in another
    form than they have in the file.

    >>> import pyarrow as pa
    >>> has_same_equality(pa.int64()), has_same_equality(pa.timestamp("ns", "UTC"))
    (True, False)
    """
    import pyarrow.types as kinds

    if kinds.is_dictionary(kind):
        return is_text(kind.value_type)
    whole = kinds.is_integer(kind) or kinds.is_boolean(kind)
    return whole or kinds.is_float32(kind) or kinds.is_float64(kind) or is_text(kind)


BATCH_ROWS = 1 << 17
"""Rows a batch: a few megabytes (2^16 is a tenth slower, 2^20 takes half a gigabyte of wide columns)."""

BUFFER_BYTES = 1 << 20
"""So much of a column is in memory at once, however large its row groups are."""

FEW_LABELS = 64
"""So many labels among the first rows are few, and so is an eighth of the rows."""


class ParquetSource(FileSource):
    """A Parquet file. Only the wanted columns are read."""

    kind = "Parquet"

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name)
        try:
            with self._opened() as file:
                self.rows = file.metadata.num_rows
                self.schema = file.schema_arrow
                self.names = tuple(self.schema.names)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{self.name} cannot be read as Parquet: {first_line(error)}") from None

    def read(self, columns: list[str]) -> Iterator[Batch]:
        """Read some ten thousand rows at a time."""
        import pyarrow as pa

        row = 1
        try:
            with self._opened(self._find_codes(columns)) as file:
                pieces = file.iter_batches(batch_size=BATCH_ROWS, columns=columns, use_threads=False)
                for batch in arrow_batches(pieces, columns):
                    yield batch
                    row += len(batch)
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            raise InputError(f"{self.name} cannot be read from row {row:,} on: {first_line(error)}") from None

    def distinct(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Each combination of values once, counted by DuckDB where it sees the same values as we do."""
        return count_parquet([self], columns)

    def _find_codes(self, columns: Sequence[str]) -> list[str]:
        """The columns of text that come as codes: those whose first rows have few labels.

        What the file says of its columns is not asked: Arrow ends the process where that is damaged.
        """
        text = [name for name, kind in self.types(columns).items() if is_text(kind)]
        if not text:
            return []
        with self._opened() as file:
            first = next(file.iter_batches(batch_size=TRIED_ROWS, columns=text, use_threads=False), None)
            if first is None:
                return []
            for name in text:
                check_lengths(first.column(name), name)
            labels = {name: len(first.column(name).unique()) for name in text}
            return [name for name in text if labels[name] <= max(FEW_LABELS, len(first) // 8)]

    def _opened(self, text: Sequence[str] = ()) -> pq.ParquetFile:
        """The open file, text as codes; or a sentence about why there is none."""
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise MissingExtraError("reading files", "files") from None
        try:
            return pq.ParquetFile(
                self.path, buffer_size=BUFFER_BYTES, pre_buffer=False, read_dictionary=list(text)
            )
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{self.name} cannot be read as Parquet: {first_line(error)}") from None


class ManyParquet(ManySource):
    """Parquet files, counted by DuckDB all at once where that gives what their rows give."""

    def distinct(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Each combination of values once."""
        wanted = list(dict.fromkeys(columns))
        self._check(wanted)
        if any(self._is_constant(name, file) for name in wanted for file in self.files):
            raise CannotCountError("the names of folders are values that the files do not have")
        files: list[Any] = list(self.files)
        return count_parquet(files, wanted)
