"""Parquet files, read in batches or counted by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from edgeworth.errors import InputError, MissingExtraError
from edgeworth.sources.arrow import arrow_batches, check_label_bytes, is_text_type
from edgeworth.sources.batches import Batch, CannotCountError, check_columns
from edgeworth.sources.columns import encode
from edgeworth.sources.duckdb_engine import count_rows
from edgeworth.sources.opening import ManySource
from edgeworth.sources.paths import MAX_COMPRESSION_RATIO, FileSource, first_line

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


SAMPLE_ROWS = 1 << 14
"""First rows that are examined: DuckDB counts a file only if they repeat."""

MIN_UNPACKED_LIMIT = 256 << 20
"""A file may always decompress to this many bytes."""

MAX_MEAN_BYTES = 1 << 10
"""So may values that are no longer than this on average, as labels are."""

MAX_ROWS_READ_WITHOUT_DUCKDB = 1 << 20
"""This many rows are read faster than DuckDB is loaded."""


def count_parquet(files: Sequence[ParquetSource], columns: Sequence[str]) -> Iterator[Batch]:
    """Yield each combination of the columns' values once, with its number of rows.

    Raise CannotCountError if DuckDB is not installed, might see other values than Python, fails, or would
    take longer than reading the rows.
    """
    wanted = list(dict.fromkeys(columns))
    _check_countable(files, wanted)
    paths = [file.path for file in files]
    differ = any(file.names != files[0].names for file in files)
    try:
        pieces = count_rows(paths, wanted, sum(file.rows or 0 for file in files), differ=differ)
        yield from arrow_batches(pieces, wanted, repeats=True)
    except InputError as error:
        # Reading the rows may succeed, or show in which row the file is damaged.
        raise CannotCountError(str(error)) from None


def _check_countable(files: Sequence[ParquetSource], wanted: Sequence[str]) -> None:
    for file in files:
        check_columns(wanted, file.names, file.name)
        file.check_text_sizes(wanted)
        if not all(wanted):
            raise CannotCountError("SQL has no columns without a name")
        types = file.types(wanted)
        if not all(map(has_same_equality, types.values())) or types != files[0].types(wanted):
            raise CannotCountError(f"{file.name} has columns that are counted row by row")
    if sum(file.rows or 0 for file in files) <= MAX_ROWS_READ_WITHOUT_DUCKDB:
        raise CannotCountError("this few rows are read faster than DuckDB is loaded")
    first = next((file for file in files if file.rows), None)
    if first is None:
        raise CannotCountError("there are no rows")
    if not _rows_repeat(first, wanted):
        raise CannotCountError(f"the rows of {first.name} hardly repeat")


def _rows_repeat(file: ParquetSource, columns: Sequence[str]) -> bool:
    """Return whether the first rows have at most half as many combinations of values as rows."""
    batch = next(file.batches(columns))
    codes = [encode(column[:SAMPLE_ROWS], name).codes.tolist() for name, column in batch.columns.items()]
    rows = min(len(batch), SAMPLE_ROWS)
    return rows < SAMPLE_ROWS or 2 * len(set(zip(*codes, strict=True))) <= rows


def has_same_equality(kind: pa.DataType) -> bool:
    """Return whether DuckDB and Python agree on which values of an Arrow type are equal.

    Both treat 0.0 and −0.0 as equal and each NaN as missing. DuckDB returns decimals, times and bytes in
    another form than the file has.

    >>> import pyarrow as pa
    >>> has_same_equality(pa.int64()), has_same_equality(pa.timestamp("ns", "UTC"))
    (True, False)
    """
    import pyarrow.types as kinds

    if kinds.is_dictionary(kind):
        return is_text_type(kind.value_type)
    is_whole = kinds.is_integer(kind) or kinds.is_boolean(kind)
    return is_whole or kinds.is_float32(kind) or kinds.is_float64(kind) or is_text_type(kind)


BATCH_ROWS = 1 << 17
"""Rows per batch: a few megabytes (2^16 is a tenth slower, 2^20 takes half a gigabyte of wide columns)."""

BUFFER_BYTES = 1 << 20
"""How much of a column is in memory at once, however large its row groups are."""

MAX_LABELS_TO_ENCODE = 64
"""Text with this many labels in the first rows, or one per eight rows, is read as codes."""


class ParquetSource(FileSource):
    """A Parquet file. Only the wanted columns are read."""

    kind = "Parquet"

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name)
        try:
            with self._opened() as file:
                self.rows = file.metadata.num_rows
                self.schema = file.schema_arrow
                self.names = tuple(file.schema_arrow.names)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{self.name} cannot be read as Parquet: {first_line(error)}") from None

    def read(self, columns: list[str]) -> Iterator[Batch]:
        """Yield ``BATCH_ROWS`` rows at a time."""
        import pyarrow as pa

        row = 1
        self.check_text_sizes(columns)
        try:
            with self._opened(self._columns_to_encode(columns)) as file:
                record_batches = file.iter_batches(batch_size=BATCH_ROWS, columns=columns, use_threads=False)
                for batch in arrow_batches(record_batches, columns):
                    yield batch
                    row += len(batch)
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            raise InputError(f"{self.name} cannot be read from row {row:,} on: {first_line(error)}") from None

    def distinct(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield each combination of values once, counted by DuckDB."""
        return count_parquet([self], columns)

    def check_text_sizes(self, columns: Sequence[str]) -> None:
        """Raise an error if long texts are packed into a file of far fewer bytes.

        Arrow holds whole pages, so a small hostile file would take gigabytes before a label can be refused.
        The sizes of single columns are not used: Arrow ends the process if their statistics are damaged.
        """
        if not any(map(is_text_type, self.types(columns).values())):
            return
        with self._opened() as file:
            about = file.metadata
            unpacked = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
        packed, values = self.path.stat().st_size, (self.rows or 0) * len(self.names)
        most = max(MIN_UNPACKED_LIMIT, MAX_COMPRESSION_RATIO * packed, MAX_MEAN_BYTES * values)
        if unpacked > most:
            raise InputError(
                f"{self.name} holds long texts: it has {packed:,} bytes, but {unpacked:,} when unpacked; at "
                f"most {most:,} are read"
            )

    def _columns_to_encode(self, columns: Sequence[str]) -> list[str]:
        """Return the columns of text that have few labels in the first rows.

        The file's statistics are not used: Arrow ends the process if they are damaged.
        """
        text = [name for name, kind in self.types(columns).items() if is_text_type(kind)]
        if not text:
            return []
        with self._opened() as file:
            first = next(file.iter_batches(batch_size=SAMPLE_ROWS, columns=text, use_threads=False), None)
            if first is None:
                return []
            for name in text:
                check_label_bytes(first.column(name), name)
            max_labels = max(MAX_LABELS_TO_ENCODE, len(first) // 8)
            return [name for name in text if len(first.column(name).unique()) <= max_labels]

    def _opened(self, encoded: Sequence[str] = ()) -> pq.ParquetFile:
        """Open the file, reading the ``encoded`` columns as codes."""
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise MissingExtraError("reading files", "files") from None
        try:
            return pq.ParquetFile(
                self.path, buffer_size=BUFFER_BYTES, pre_buffer=False, read_dictionary=list(encoded)
            )
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{self.name} cannot be read as Parquet: {first_line(error)}") from None


class ManyParquet(ManySource):
    """Parquet files, which DuckDB counts together if that gives the same result as their rows."""

    def distinct(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield each combination of values once."""
        wanted = list(dict.fromkeys(columns))
        self._check(wanted)
        if any(self._is_constant(name, file) for name in wanted for file in self.files):
            raise CannotCountError("the names of folders are values that the files do not have")
        return count_parquet([file for file in self.files if isinstance(file, ParquetSource)], wanted)
