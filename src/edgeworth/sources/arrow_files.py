"""Arrow's own files, which Feather files are too: with a footer, or as a stream that was written to disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeworth.errors import InputError
from edgeworth.sources.arrow_columns import arrow_batches
from edgeworth.sources.batches import Batch, find_columns
from edgeworth.sources.reading import NoRowsError, head_of, unpacked
from edgeworth.sources.wording import said

if TYPE_CHECKING:
    import pyarrow as pa

PIECE_ROWS = 1 << 17
"""A file may be one batch of any size; it is in memory as it is on disk, and is handed on in pieces."""

FOOTER = b"ARROW1"


class ArrowSource:
    """A file of Arrow record batches, read one after the other."""

    is_text = False
    kind = "Arrow"

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = name or str(path)
        self.paths: tuple[Path, ...] = (path,)
        head = head_of(path, self.name)
        if head.startswith(b"FEA1"):
            raise InputError(
                f"{self.name} is a Feather file of version 1, which is no longer read: convert it"
            )
        self._has_footer = head.startswith(FOOTER)
        with self._opened() as reader:
            self._schema: pa.Schema = reader.schema
            self.rows: int | None = reader.count_rows() if hasattr(reader, "count_rows") else None
        self.names: tuple[str, ...] = tuple(self._schema.names)

    def types(self, columns: Sequence[str]) -> Mapping[str, Any]:
        """Arrow's type of each column."""
        find_columns(columns, self.names, self.name)
        return {name: self._schema.field(name).type for name in columns}

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The wanted columns, a record batch or a part of one at a time."""
        wanted = list(self.types(list(dict.fromkeys(columns))))
        row = 1
        with self._opened(wanted) as reader:
            for batch in arrow_batches(self._pieces(reader), wanted):
                yield batch
                row += len(batch)
        if row == 1:
            raise NoRowsError(f"{self.name} has columns but no rows")

    def _pieces(self, reader: Any) -> Iterator[Any]:
        batches = map(reader.get_batch, range(reader.num_record_batches)) if self._has_footer else reader
        for batch in batches:
            for start in range(0, batch.num_rows, PIECE_ROWS):
                yield batch.slice(start, PIECE_ROWS)

    @contextmanager
    def _opened(self, columns: Sequence[str] = ()) -> Iterator[Any]:
        """A reader of the wanted columns (all, if none are named)."""
        import pyarrow as pa
        import pyarrow.ipc as ipc

        options = ipc.IpcReadOptions(use_threads=False)
        if columns:
            options.included_fields = [self._schema.get_field_index(name) for name in columns]
        try:
            if self._has_footer:
                # Pages of the map are the system's to drop: a file of one huge batch takes no memory of ours.
                with pa.memory_map(str(self.paths[0])) as file:
                    yield ipc.open_file(file, options=options)
            else:
                with unpacked(self.paths[0]) as stream:
                    yield ipc.open_stream(stream, options=options)
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{self.name} cannot be read as an Arrow file: {said(error)}") from None
