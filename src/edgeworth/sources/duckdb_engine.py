"""DuckDB in bounded memory, whose errors are ours."""

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
from typing import TYPE_CHECKING, Any

from edgeworth.common.progress import track_progress
from edgeworth.errors import InputError
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
    try:
        import duckdb
    except ImportError:
        raise InputError("DuckDB is not installed: pip install 'edgeworth[files]'") from None
    with _temporary_folder() as folder:
        bounds: dict[str, Any] = {
            "memory_limit": MEMORY,
            "threads": str(min(os.cpu_count() or 1, MOST_THREADS)),
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "preserve_insertion_order": "false",
        }
        try:
            with closing(duckdb.connect(":memory:", config=bounds | settings)) as connection:
                # It says how far it is when asked, and never by itself: standard output is ours.
                connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
                yield connection
        except duckdb.Error as error:
            raise InputError(f"DuckDB cannot read it: {first_line(error)}") from error
        except RuntimeError as error:
            # What it makes of Ctrl-C where it hears it.
            if str(error) == "Query interrupted":
                raise KeyboardInterrupt from None
            raise


@contextmanager
def _temporary_folder() -> Iterator[str]:
    """A folder that goes, whenever an interrupt comes: its name is known before it is made."""
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


def record_batches(answer: Any, rows: int) -> Iterator[Any]:
    """An answer in pieces of so many rows at most; the name of the method changed between versions."""
    reader = getattr(answer, "to_arrow_reader", None) or answer.fetch_record_batch
    return iter(reader(rows))


def pick_columns(names: Sequence[str]) -> str:
    """Columns as SQL picks them, under names of our own: it folds case, and a name may hold anything.

    >>> print(pick_columns(["y", 'the "real" one']))
    "y" AS c0, "the ""real"" one" AS c1
    """
    quoted = ('"' + name.replace('"', '""') + '"' for name in names)
    return ", ".join(f"{name} AS c{place}" for place, name in enumerate(quoted))


COUNTED_ROWS = 1 << 20
"""Combinations handed back at once."""

GLANCE = 0.25
"""Seconds between two looks at how far DuckDB is."""


def count_rows(
    paths: Sequence[Path], columns: Sequence[str], rows: int, *, differ: bool = False
) -> Iterator[Any]:
    """Yield record batches of each combination of values, the last column how many of so many rows have it.

    DuckDB counts in a thread of its own, while the caller's tells how far it is and hears interrupts, which
    inside DuckDB would be heard late, or when all is counted. ``differ``: files have other columns besides.
    """
    keys = ", ".join(f"c{place}" for place in range(len(columns)))
    query = (
        f"SELECT {keys}, count(*) AS number FROM (SELECT {pick_columns(columns)} FROM "
        f"read_parquet($paths, hive_partitioning = false, union_by_name = $differ)) GROUP BY {keys}"
    )
    # Paths in which nothing is a pattern.
    values = {"paths": [glob.escape(str(path)) for path in paths], "differ": differ}

    def count() -> Iterator[Any]:
        pieces = record_batches(connection.sql(query, params=values), COUNTED_ROWS)
        # When there is a first piece, all of the work is done.
        return chain(list(islice(pieces, 1)), pieces)

    with connect() as connection:
        with ThreadPoolExecutor(1, "edgeworth-counting") as pool:
            work = pool.submit(count)
            try:
                _show_progress(connection, work, rows)
            finally:
                _end(connection, work)
        yield from work.result()


def _show_progress(connection: duckdb.DuckDBPyConnection, work: Future[Any], rows: int) -> None:
    share = 0.0
    with track_progress("rows counted", rows) as done:
        while not wait([work], GLANCE).done:
            now = max(share, connection.query_progress() / 100)
            done((now - share) * rows)
            share = now
        done((1 - share) * rows)


def _end(connection: duckdb.DuckDBPyConnection, work: Future[Any]) -> None:
    again = None
    while not work.done():
        # It hears it only while it counts, not while it looks the files through.
        try:
            connection.interrupt()
            wait([work], GLANCE)
        except KeyboardInterrupt as error:
            # A connection that is at work cannot be closed: this ends first.
            again = error
    if again is not None:
        raise again
