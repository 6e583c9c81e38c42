"""DuckDB in bounded memory, whose errors are ours."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from edgeworth.errors import InputError
from edgeworth.sources.wording import said

if TYPE_CHECKING:
    import duckdb

MEMORY = "192MB"
"""What DuckDB may hold; past it, it spills into a folder of its own, which is removed afterwards."""

MOST_THREADS = 8
"""Each thread holds a row group's pages: more of them would not keep within the memory."""


@contextmanager
def connected(**settings: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB in bounded memory, that fetches nothing by itself and leaves nothing behind."""
    load_duckdb()
    import duckdb

    with _temporary_folder() as folder, errors_in_words():
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
def errors_in_words() -> Iterator[None]:
    """What DuckDB raises inside, as errors of ours."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise InputError(f"DuckDB cannot read it: {said(error)}") from error
    except RuntimeError as error:
        # What it makes of Ctrl-C where it hears it.
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise


def record_batches(answer: Any, rows: int) -> Iterator[Any]:
    """An answer in pieces of so many rows at most; the name of the method changed between versions."""
    reader = getattr(answer, "to_arrow_reader", None) or answer.fetch_record_batch
    return iter(reader(rows))


def quoted(name: str) -> str:
    """A column's name as SQL writes it.

    >>> print(quoted('the "real" one'))
    "the ""real"" one"
    """
    return '"' + name.replace('"', '""') + '"'


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="edgeworth-")
    except OSError as error:
        raise InputError(f"DuckDB needs a folder for temporary files: {error}") from None
