"""Parquet: read in bounded batches, or counted where it lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeworth.errors import InputError, MissingExtraError
from edgeworth.sources.arrow_columns import arrow_batches, is_text
from edgeworth.sources.batches import Batch, find_columns
from edgeworth.sources.counting import counted_parquet
from edgeworth.sources.reading import NoRowsError
from edgeworth.sources.wording import said

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH_ROWS = 1 << 17
"""Rows a batch: a few megabytes (2^16 is a tenth slower, 2^20 takes half a gigabyte of wide columns)."""

BUFFER_BYTES = 1 << 20
"""So much of a column is in memory at once, however large its row groups are."""

CODE_BYTES, LABEL_BYTES = 2, 1 << 20
"""A column of text takes at most so much a row, and for its labels, where it is kept as codes."""


class ParquetSource:
    """A Parquet file. Only the wanted columns are read."""

    is_text = False
    kind = "Parquet"

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = name or str(path)
        self.paths: tuple[Path, ...] = (path,)
        with self._opened() as file:
            self.rows: int | None = file.metadata.num_rows
            self._schema: pa.Schema = file.schema_arrow
            self._metadata = file.metadata
        self.names: tuple[str, ...] = tuple(self._schema.names)

    def types(self, columns: Sequence[str]) -> Mapping[str, Any]:
        """Arrow's type of each column."""
        find_columns(columns, self.names, self.name)
        return {name: self._schema.field(name).type for name in columns}

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The wanted columns, some ten thousand rows at a time."""
        import pyarrow as pa

        wanted = list(dict.fromkeys(columns))
        kinds = self.types(wanted)
        text = [name for name in wanted if is_text(kinds[name]) and self._has_few_labels(name)]
        row = 1
        try:
            with self._opened(text) as file:
                pieces = file.iter_batches(batch_size=BATCH_ROWS, columns=wanted, use_threads=False)
                for batch in arrow_batches(pieces, wanted):
                    yield batch
                    row += len(batch)
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            raise InputError(f"{self.name} cannot be read from row {row:,} on: {said(error)}") from None
        if row == 1:
            raise NoRowsError(f"{self.name} has columns but no rows")

    def distinct(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Each combination of values once, counted by DuckDB where it sees the same values as we do."""
        return counted_parquet([self], columns)

    def _has_few_labels(self, column: str) -> bool:
        """Whether text is kept as codes throughout, which then come as codes: long lists of labels do not."""
        for place in range(self._metadata.num_row_groups):
            group = self._metadata.row_group(place)
            leaves = map(group.column, range(group.num_columns))
            chunk = next(leaf for leaf in leaves if leaf.path_in_schema == column)
            largest = CODE_BYTES * chunk.num_values + LABEL_BYTES
            if not chunk.has_dictionary_page or chunk.total_uncompressed_size > largest:
                return False
        return True

    def _opened(self, text: Sequence[str] = ()) -> pq.ParquetFile:
        """The open file, text as codes; or a sentence about why there is none."""
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise MissingExtraError("reading files", "files") from None
        try:
            return pq.ParquetFile(
                self.paths[0], buffer_size=BUFFER_BYTES, pre_buffer=False, read_dictionary=list(text)
            )
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{self.name} cannot be read as Parquet: {said(error)}") from None
