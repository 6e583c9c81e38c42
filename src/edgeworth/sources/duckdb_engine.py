"""DuckDB in bounded memory, whose errors are ours."""

from __future__ import annotations

import glob
import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeworth.errors import InputError
from edgeworth.progress import progress_of
from edgeworth.sources.paths import first_line

if TYPE_CHECKING:
    import duckdb


MEMORY = "192MB"
"""What DuckDB may hold; past it, it spills into a folder of its own, which is removed afterwards."""

MOST_THREADS = 8
"""Each thread holds a row group's pages: more of them would not keep within the memory."""


@contextmanager
def connect(**settings: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB in bounded memory, that fetches nothing by itself and leaves nothing behind."""
    load_duckdb()
    import duckdb

    with _temporary_folder() as folder, duckdb_errors():
        bounds: dict[str, Any] = {
            "memory_limit": MEMORY,
            "threads": str(min(os.cpu_count() or 1, MOST_THREADS)),
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "preserve_insertion_order": "false",
        }
        connection = duckdb.connect(":memory:", config=bounds | settings)
        try:
            # It says how far it is when asked, and never by itself: standard output is ours.
            connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
            yield connection
        finally:
            with suppress(duckdb.Error):
                connection.close()


def load_duckdb() -> None:
    """Load it, or say how to get it."""
    try:
        import duckdb  # noqa: F401  # only loaded
    except ImportError:
        raise InputError("DuckDB is not installed: pip install 'edgeworth[files]'") from None


@contextmanager
def duckdb_errors() -> Iterator[None]:
    """What DuckDB raises inside, as errors of ours."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise InputError(f"DuckDB cannot read it: {first_line(error)}") from error
    except RuntimeError as error:
        # What it makes of Ctrl-C where it hears it.
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise


def record_batches(answer: Any, rows: int) -> Iterator[Any]:
    """An answer in pieces of so many rows at most; the name of the method changed between versions."""
    reader = getattr(answer, "to_arrow_reader", None) or answer.fetch_record_batch
    return iter(reader(rows))


def quote_name(name: str) -> str:
    """A column's name as SQL writes it.

    >>> print(quote_name('the "real" one'))
    "the ""real"" one"
    """
    return '"' + name.replace('"', '""') + '"'


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="edgeworth-")
    except OSError as error:
        raise InputError(f"DuckDB needs a folder for temporary files: {error}") from None


COUNTED_ROWS = 1 << 20
"""Combinations handed back at once."""

GLANCE = 0.25
"""Seconds between two looks at how far DuckDB is."""


class Count:
    """Rows that DuckDB counts in a thread of its own.

    The caller's thread tells how far it is and hears interrupts, which inside DuckDB would be heard late, or
    when all is counted. ``differ`` says that files have other columns besides.
    """

    def __init__(self, paths: Sequence[Path], columns: Sequence[str], *, differ: bool = False) -> None:
        # Names of our own: SQL folds case, and a name may hold anything.
        picked = ", ".join(f"{quote_name(name)} AS c{place}" for place, name in enumerate(columns))
        keys = ", ".join(f"c{place}" for place in range(len(columns)))
        self._query = (
            f"SELECT {keys}, count(*) AS number FROM (SELECT {picked} FROM "
            "read_parquet($paths, hive_partitioning = false, union_by_name = $differ)) "
            f"GROUP BY {keys}"
        )
        # Paths in which nothing is a pattern.
        self._values = {"paths": [glob.escape(str(path)) for path in paths], "differ": differ}
        self._found: Iterator[Any] = iter(())
        self._failed: Exception | None = None
        self._connection: Any = None
        self._kept = ExitStack()
        self._ended = threading.Event()
        self._worker = threading.Thread(target=self._run, name="edgeworth-counting", daemon=True)
        self._worker.start()

    def _run(self) -> None:
        try:
            connection = self._connection = self._kept.enter_context(connect())
            pieces = record_batches(connection.sql(self._query, params=self._values), COUNTED_ROWS)
            # When there is a first piece, all of the work is done.
            self._found = chain(list(islice(pieces, 1)), pieces)
        except Exception as error:
            self._failed = error
        finally:
            self._ended.set()

    def pieces(self, rows: int) -> Iterator[Any]:
        """The combinations as record batches, the last column how many of so many rows have each."""
        share = 0.0
        with progress_of("rows counted", rows) as done:
            while not self._ended.wait(GLANCE):
                found = 0.0 if self._connection is None else self._connection.query_progress()
                now = max(share, found / 100)
                done((now - share) * rows)
                share = now
            if self._failed is not None:
                raise self._failed
            done((1 - share) * rows)
        return self._found

    def close(self) -> None:
        """End it, whether or not it has found anything; nothing is left behind."""
        again = None
        while self._worker.is_alive():
            # It hears it only while it counts, not while it looks the files through.
            try:
                if self._connection is not None:
                    self._connection.interrupt()
                self._worker.join(GLANCE)
            except KeyboardInterrupt as error:
                # A connection that is at work cannot be closed: this ends first.
                again = error
        self._kept.close()
        if again is not None:
            raise again


@contextmanager
def count_rows(paths: Sequence[Path], columns: Sequence[str], *, differ: bool = False) -> Iterator[Count]:
    """DuckDB at work on the rows of files; the end of the block ends it."""
    load_duckdb()
    count = Count(paths, columns, differ=differ)
    try:
        with duckdb_errors():
            yield count
    finally:
        count.close()
