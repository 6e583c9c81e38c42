"""Read files in object stores and on the web with DuckDB's extensions.

The tests run without a network: they read local files through this path, and the stores are untested.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from edgeworth.errors import InputError
from edgeworth.sources.arrow import arrow_batches
from edgeworth.sources.batches import Batch
from edgeworth.sources.duckdb_engine import connect, pick_columns, record_batches
from edgeworth.sources.formats import FORMATS, format_by_ending, list_words
from edgeworth.sources.paths import FileSource

if TYPE_CHECKING:
    import duckdb

EXTENSIONS: dict[str, str | None] = {
    **dict.fromkeys(("s3", "gs", "gcs", "r2", "http", "https", "hf"), "httpfs"),
    **dict.fromkeys(("az", "abfss"), "azure"),
    "file": None,
}
"""The DuckDB extension for each scheme; the user installs it and sets up its credentials.

``open_source`` opens local addresses as local files; here they let the tests read without a network.
"""

BATCH_ROWS = 1 << 17


class RemoteSource(FileSource):
    """A file, or files by a pattern, that DuckDB reads over the network. Each pass fetches it again."""

    paths = ()

    def __init__(self, url: str) -> None:
        self.name = url
        form = format_by_ending(Path(url.partition("?")[0]))
        if form is None or form.duckdb is None:
            known = list_words(tuple(form for form in FORMATS if form.duckdb is not None), " and")
            raise InputError(
                f"{url}: from an object store, only {known} are read, recognised by their ending"
            )
        self.is_text = form.is_text
        self._reader = form.duckdb
        scheme = url.partition("://")[0].lower()
        if scheme not in EXTENSIONS:
            raise InputError(f"{url}: {scheme}:// is not supported; use one of {', '.join(EXTENSIONS)}")
        self._extension = EXTENSIONS[scheme]
        with self._connected() as connection:
            relation = connection.sql(f"SELECT * FROM {self._reader}", params={"path": url})
            self.names = tuple(relation.columns)

    def read(self, columns: list[str]) -> Iterator[Batch]:
        """Yield the named columns in order."""
        query = f"SELECT {pick_columns(columns)} FROM {self._reader}"
        with self._connected() as connection:
            relation = connection.sql(query, params={"path": self.name})
            renamed = (batch.rename_columns(columns) for batch in record_batches(relation, BATCH_ROWS))
            yield from arrow_batches(renamed, columns)

    @contextmanager
    def _connected(self) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            with connect(preserve_insertion_order="true") as connection:
                import duckdb

                try:
                    if self._extension is not None:
                        connection.load_extension(self._extension)
                except duckdb.Error:
                    raise InputError(
                        f"{self.name} needs DuckDB's extension {self._extension}, which is not installed: "
                        f"python -c \"import duckdb; duckdb.sql('INSTALL {self._extension}')\""
                    ) from None
                yield connection
        except InputError as error:
            if self.name in str(error):
                raise
            raise InputError(f"{self.name}: {error}") from None
