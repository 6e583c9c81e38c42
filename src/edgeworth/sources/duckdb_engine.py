"""Run DuckDB in bounded memory, and raise its errors as ours."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from edgeworth.common.progress import track_progress
from edgeworth.errors import InputError
from edgeworth.sources.paths import first_line

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    Work: TypeAlias = Future[Iterator[pa.RecordBatch]]


MEMORY_LIMIT = "192MB"
"""DuckDB writes what exceeds this to a temporary folder, which is removed afterwards."""

MAX_THREADS = 8
"""Each thread holds a row group's pages: more threads would exceed the memory limit."""


@contextmanager
def connect(**settings: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Connect to DuckDB in bounded memory, without downloads, and remove its temporary files at the end."""
    try:
        import duckdb
    except ImportError:
        raise InputError("DuckDB is not installed: pip install 'edgeworth[files]'") from None
    with _temporary_folder() as folder:
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": MEMORY_LIMIT,
            "threads": str(min(os.cpu_count() or 1, MAX_THREADS)),
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "preserve_insertion_order": "false",
        }
        try:
            with closing(duckdb.connect(":memory:", config={**config, **settings})) as connection:
                # Progress can be queried, but DuckDB must not print it to standard output.
                connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
                yield connection
        except duckdb.Error as error:
            raise InputError(f"DuckDB cannot read it: {first_line(error)}") from error
        except RuntimeError as error:
            # This is how DuckDB reports Ctrl-C.
            if str(error) == "Query interrupted":
                raise KeyboardInterrupt from None
            raise


@contextmanager
def _temporary_folder() -> Iterator[str]:
    """Make a folder that is removed even after an interrupt: its name is known before it is made."""
    folder = Path(tempfile.gettempdir()) / f"edgeworth-{os.urandom(8).hex()}"
    try:
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise InputError(f"DuckDB needs a folder for temporary files: {error}") from None
        yield str(folder)
    finally:
        try:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def is_relation(data: object) -> TypeGuard[duckdb.DuckDBPyRelation]:
    """Return whether data are a DuckDB relation."""
    return hasattr(data, "to_arrow_reader") or hasattr(data, "fetch_record_batch")


def record_batches(relation: duckdb.DuckDBPyRelation, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the result of a relation in record batches of at most this many rows."""
    # The method was renamed between versions.
    method = "to_arrow_reader" if hasattr(relation, "to_arrow_reader") else "fetch_record_batch"
    reader: pa.RecordBatchReader = getattr(relation, method)(rows)
    return iter(reader)


def pick_columns(names: Sequence[str]) -> str:
    """Return the SQL that selects columns under neutral names, because SQL ignores case.

    >>> print(pick_columns(["y", 'the "real" one']))
    "y" AS c0, "the ""real"" one" AS c1
    """
    quoted = ('"' + name.replace('"', '""') + '"' for name in names)
    return ", ".join(f"{name} AS c{index}" for index, name in enumerate(quoted))


COMBINATIONS_PER_BATCH = 1 << 20
"""Combinations of values in one record batch."""

PROGRESS_INTERVAL = 0.25
"""Seconds between two queries of DuckDB's progress."""


def count_rows(
    paths: Sequence[Path], columns: Sequence[str], rows: int, *, differ: bool = False
) -> Iterator[pa.RecordBatch]:
    """Yield record batches with each combination of values once; the last column is its number of rows.

    DuckDB counts in another thread, while the caller's thread shows progress and receives interrupts, which
    DuckDB would notice late. ``rows`` is the number of rows in all files; ``differ`` means that not all files
    have the same columns.
    """
    keys = ", ".join(f"c{index}" for index in range(len(columns)))
    query = (
        f"SELECT {keys}, count(*) AS number FROM (SELECT {pick_columns(columns)} FROM "
        f"read_parquet($paths, hive_partitioning = false, union_by_name = $differ)) GROUP BY {keys}"
    )
    # Escaped, because DuckDB reads paths as patterns.
    values = {"paths": [glob.escape(str(path)) for path in paths], "differ": differ}

    def count() -> Iterator[pa.RecordBatch]:
        batches = record_batches(connection.sql(query, params=values), COMBINATIONS_PER_BATCH)
        # All rows are counted when the first batch arrives.
        return chain(list(islice(batches, 1)), batches)

    with connect() as connection:
        with ThreadPoolExecutor(1, "edgeworth-counting") as pool:
            work = pool.submit(count)
            try:
                _show_progress(connection, work, rows)
            finally:
                _interrupt(connection, work)
        yield from work.result()


def _show_progress(connection: duckdb.DuckDBPyConnection, work: Work, rows: int) -> None:
    share = 0.0
    with track_progress("rows counted", rows) as done:
        while not wait([work], PROGRESS_INTERVAL).done:
            new_share = max(share, connection.query_progress() / 100)
            done((new_share - share) * rows)
            share = new_share
        done((1 - share) * rows)


def _interrupt(connection: duckdb.DuckDBPyConnection, work: Work) -> None:
    """Interrupt DuckDB until it has stopped, if it is still counting."""
    interrupt = None
    while not work.done():
        # DuckDB notices an interrupt only while it counts, not while it reads the files' metadata.
        try:
            connection.interrupt()
            wait([work], PROGRESS_INTERVAL)
        except KeyboardInterrupt as error:
            # A busy connection cannot be closed, so that another Ctrl-C is raised afterwards.
            interrupt = error
    if interrupt is not None:
        raise interrupt
