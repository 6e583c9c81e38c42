"""Files in object stores and on the web, read by DuckDB's own extensions.

There is no network where the tests run: they read local files through this path, and the stores themselves
are untested."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edgeworth.errors import InputError
from edgeworth.sources.arrow import arrow_batches
from edgeworth.sources.batches import Batch, check_columns, require_rows
from edgeworth.sources.duckdb_engine import connect, quote_name, record_batches
from edgeworth.sources.formats import FORMATS, format_by_ending, list_words
from edgeworth.sources.paths import FileSource, NoRowsError, find_format, first_line

EXTENSIONS: dict[str, str | None] = {
    "s3": "httpfs",
    "gs": "httpfs",
    "gcs": "httpfs",
    "r2": "httpfs",
    "http": "httpfs",
    "https": "httpfs",
    "hf": "httpfs",
    "az": "azure",
    "abfss": "azure",
    "file": None,
}
"""Which of DuckDB's extensions reads from where; the user installs it and gives it credentials as it asks.

``open_source`` opens local addresses as local files; here they let the tests read without a network.
"""

BATCH_ROWS = 1 << 17


class RemoteSource:
    """A file, or files by a pattern, that DuckDB reads over the network. Each pass fetches it again."""

    rows: int | None = None

    def __init__(self, url: str) -> None:
        self.name = url
        self.paths: tuple[Path, ...] = ()
        form = format_by_ending(Path(url.partition("?")[0]))
        if form is None or form.duckdb is None:
            known = list_words(tuple(each for each in FORMATS if each.duckdb is not None), " and")
            raise InputError(f"{url}: of a store {known} are read, by their ending")
        self.is_text = form.is_text
        self._reader = form.duckdb
        scheme = url.partition("://")[0].lower()
        if scheme not in EXTENSIONS:
            raise InputError(f"{url}: nothing is read from {scheme}://, only from {', '.join(EXTENSIONS)}")
        self._extension = EXTENSIONS[scheme]
        self.names = tuple(self._schema())

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The wanted columns in order."""
        wanted = list(dict.fromkeys(columns))
        check_columns(wanted, self.names, self.name)
        # Names of our own: SQL folds case.
        picked = ", ".join(f"{quote_name(name)} AS c{place}" for place, name in enumerate(wanted))
        with self._connected() as connection:
            answer = connection.sql(f"SELECT {picked} FROM {self._reader}", params={"path": self.name})
            pieces = (piece.rename_columns(wanted) for piece in record_batches(answer, BATCH_ROWS))
            nothing = NoRowsError(f"{self.name} has columns but no rows")
            yield from require_rows(arrow_batches(pieces, wanted), nothing)

    def _schema(self) -> Iterator[str]:
        with self._connected() as connection:
            yield from connection.sql(f"SELECT * FROM {self._reader}", params={"path": self.name}).columns

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        try:
            with connect(preserve_insertion_order="true") as connection:
                if self._extension is not None:
                    self._load(connection, self._extension)
                yield connection
        except InputError as error:
            if self.name in str(error):
                raise
            raise InputError(f"{self.name}: {error}") from None

    def _load(self, connection: Any, extension: str) -> None:
        import duckdb

        try:
            connection.load_extension(extension)
        except duckdb.Error:
            raise InputError(
                f"{self.name} needs DuckDB's extension {extension}, which is not installed: "
                f"python -c \"import duckdb; duckdb.sql('INSTALL {extension}')\""
            ) from None


NAME = "standard input"
PIECE_BYTES = 1 << 20


def open_standard_input() -> FileSource:
    """What is piped in, of the kind that its first bytes say."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError(f"{NAME} is closed: pipe a file into the command, or name one")
    if getattr(sys.stdin, "buffer", None) is None:
        raise InputError(f"{NAME} is no stream of bytes here: name a file")
    if sys.stdin.isatty():
        raise InputError(f"nothing is piped into {NAME}: pipe a file into the command, or name one")
    try:
        path, descriptor = _spool()
    except OSError as error:
        raise InputError(f"{NAME} cannot be kept in a temporary file: {first_line(error)}") from None
    try:
        source: FileSource = find_format(path, NAME).open(path, NAME)
    except BaseException:
        _forget(path, descriptor)
        raise
    weakref.finalize(source, _forget, path, descriptor)
    return source


def _spool() -> tuple[Path, int]:
    """A temporary file of what comes in, and its open descriptor.

    Where the system allows, the file has lost its name by then: it goes with the process, however that ends.
    """
    descriptor, name = tempfile.mkstemp(prefix="edgeworth-")
    path = Path(name)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, PIECE_BYTES)
        nameless = Path(f"/proc/self/fd/{descriptor}")
        if nameless.exists():
            path.unlink()
            path = nameless
    except BaseException:
        _forget(path, descriptor)
        raise
    return path, descriptor


def _forget(path: Path, descriptor: int) -> None:
    os.close(descriptor)
    if path.parent != Path("/proc/self/fd"):
        path.unlink(missing_ok=True)
