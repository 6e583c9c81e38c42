"""Equal rows counted by DuckDB where the files lie, for the types it tells apart exactly as Python does."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from edgeworth.errors import InputError
from edgeworth.progress import told
from edgeworth.sources.arrow_columns import counted_batches, is_text
from edgeworth.sources.batches import Batch, CannotCountError, find_columns
from edgeworth.sources.columns import encode
from edgeworth.sources.wording import said
from edgeworth.waiting import waiting

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")

MEMORY = "192MB"
"""What DuckDB may hold; past it, it spills into a folder of its own, which is removed afterwards."""

MOST_THREADS = 8
"""Each thread holds a row group's pages: more of them would not keep within the memory."""

COUNTED_ROWS = 1 << 20
"""Combinations handed back at once."""

TRIED_ROWS = 1 << 14
"""First rows that are looked at: where they hardly repeat, the whole is not counted in vain."""

FEW_ROWS, FEW_BYTES, FEW_GROUPS = 1 << 20, 1 << 28, 64
"""So few rows, in so few groups, are read sooner than DuckDB is loaded; long texts take memory then."""

GLANCE = 0.25
"""Seconds between two looks at how far DuckDB is."""


class Typed(Protocol):
    """A file whose columns have types, known before any row is read."""

    @property
    def name(self) -> str: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def paths(self) -> tuple[Path, ...]: ...

    @property
    def rows(self) -> int | None: ...

    @property
    def group_sizes(self) -> Sequence[int]: ...

    def types(self, columns: Sequence[str]) -> Mapping[str, Any]: ...

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]: ...


def counted_parquet(files: Sequence[Typed], columns: Sequence[str]) -> Iterator[Batch]:
    """Each combination of values of the columns once, with how many rows have it.

    CannotCountError where DuckDB is not installed, might see other values than Python, or fails: rows tell.
    So it is where there are so few rows that they are read sooner.
    """
    wanted = list(dict.fromkeys(columns))
    for file in files:
        find_columns(wanted, file.names, file.name)
        if not all(wanted):
            raise CannotCountError("SQL has no columns without a name")
        kinds = file.types(wanted)
        if not all(map(is_told_apart, kinds.values())) or kinds != files[0].types(wanted):
            raise CannotCountError(f"{file.name} has columns that are counted row by row")
    if _is_short(files):
        raise CannotCountError("so few rows are read sooner than DuckDB is loaded")
    first = next((file for file in files if file.rows), None)
    if first is None or not _repeats(first, wanted):
        raise CannotCountError(
            "there are no rows" if first is None else f"the rows of {first.name} hardly repeat"
        )
    # Names of our own: SQL folds case, and a name may hold anything.
    picked = ", ".join(f"{quoted(name)} AS c{place}" for place, name in enumerate(wanted))
    keys = ", ".join(f"c{place}" for place in range(len(wanted)))
    paths = [_literal_path(path) for file in files for path in file.paths]
    query = (
        f"SELECT {keys}, count(*) FROM (SELECT {picked} FROM "
        "read_parquet($paths, hive_partitioning = false, union_by_name = $differ)) "
        f"GROUP BY {keys}"
    )
    differ = any(file.names != files[0].names for file in files)
    rows = sum(file.rows or 0 for file in files)
    try:
        with connected() as connection:
            ask = partial(_begun, connection, query, {"paths": paths, "differ": differ})
            with waiting():
                pieces = _watched(connection, rows, ask)
            yield from counted_batches(pieces, wanted)
    except InputError as error:
        # What it cannot read or hold, we may; and of what is spoilt the rows say where.
        raise CannotCountError(str(error)) from None


def _is_short(files: Sequence[Typed]) -> bool:
    if sum(file.rows or 0 for file in files) > FEW_ROWS:
        return False
    sizes = list(chain.from_iterable(file.group_sizes for file in files))
    return len(sizes) <= FEW_GROUPS and sum(sizes) <= FEW_BYTES


def _repeats(file: Typed, columns: Sequence[str]) -> bool:
    """Whether the first rows hold half as many combinations as rows at most."""
    batch = next(file.batches(columns))
    codes = [encode(column[:TRIED_ROWS], name).codes.tolist() for name, column in batch.columns.items()]
    number = min(len(batch), TRIED_ROWS)
    return number < TRIED_ROWS or 2 * len(set(zip(*codes, strict=True))) <= number


def _begun(connection: duckdb.DuckDBPyConnection, query: str, values: dict[str, Any]) -> Iterator[Any]:
    """The answer in pieces, the first of them read: when there is one, all of the work is done."""
    answer = connection.sql(query, params=values)
    # The name of the method changed between versions of DuckDB.
    reader = getattr(answer, "to_arrow_reader", None) or answer.fetch_record_batch
    pieces = iter(reader(COUNTED_ROWS))
    return chain(list(islice(pieces, 1)), pieces)


def _watched(connection: duckdb.DuckDBPyConnection, rows: int, ask: Callable[[], T]) -> T:
    """The answer to a query, asked in a thread of its own: this one tells how far it is and hears interrupts.

    Inside DuckDB they would be heard late, or when all is counted.
    """
    ended, found, failed = threading.Event(), [], []

    def run() -> None:
        try:
            found.append(ask())
        except BaseException as error:
            failed.append(error)
        finally:
            ended.set()

    worker = threading.Thread(target=run, name="edgeworth-counting", daemon=True)
    share = 0.0
    with told("rows counted", rows) as done:
        worker.start()
        try:
            while not ended.wait(GLANCE):
                now = max(share, connection.query_progress() / 100)
                done((now - share) * rows)
                share = now
        except BaseException:
            # It hears it only while it counts, not while it looks the files through.
            while worker.is_alive():
                connection.interrupt()
                worker.join(GLANCE)
            raise
        if failed:
            raise failed[0]
        done((1 - share) * rows)
    return found[0]


def is_told_apart(kind: Any) -> bool:
    """Whether DuckDB and Python agree on which values of a type of Arrow are the same.

    Both take 0.0 and −0.0 as one and each NaN as missing. Decimals, times and bytes come back in another
    form than they have in the file.

    >>> import pyarrow as pa
    >>> is_told_apart(pa.int64()), is_told_apart(pa.timestamp("ns", "UTC"))
    (True, False)
    """
    import pyarrow.types as kinds

    if kinds.is_dictionary(kind):
        return is_text(kind.value_type)
    whole = kinds.is_integer(kind) or kinds.is_boolean(kind)
    return whole or kinds.is_float32(kind) or kinds.is_float64(kind) or is_text(kind)


def quoted(name: str) -> str:
    """A column's name as SQL writes it.

    >>> print(quoted('the "real" one'))
    "the ""real"" one"
    """
    return '"' + name.replace('"', '""') + '"'


def _literal_path(path: Path) -> str:
    """A path in which nothing is a pattern."""
    import glob

    return glob.escape(str(path))


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="edgeworth-")
    except OSError as error:
        raise InputError(f"DuckDB needs a folder for temporary files: {error}") from None


@contextmanager
def connected(**settings: str) -> Iterator[duckdb.DuckDBPyConnection]:
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
        connection = duckdb.connect(":memory:", config=bounds | settings)
        try:
            # It says how far it is when asked, and never by itself: standard output is ours.
            connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
            yield connection
        except duckdb.Error as error:
            raise InputError(f"DuckDB cannot read it: {said(error)}") from error
        finally:
            connection.close()
