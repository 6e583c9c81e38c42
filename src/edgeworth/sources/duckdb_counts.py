"""Equal rows of Parquet files counted by DuckDB, in a thread of its own and perhaps ahead of time.

A command knows its file and columns before the rest of the program is loaded, which takes half as long as
10⁸ rows: it begins to count then (``head_start``). So nothing here imports NumPy or Arrow.
"""

from __future__ import annotations

import glob
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from edgeworth.progress import told
from edgeworth.sources.duckdb_connection import (
    connected,
    errors_in_words,
    load_duckdb,
    quoted,
    record_batches,
)
from edgeworth.sources.reading import KINDS

COUNTED_ROWS = 1 << 20
"""Combinations handed back at once."""

GLANCE = 0.25
"""Seconds between two looks at how far DuckDB is."""

LARGE = 1 << 26
"""Bytes of a file that most likely has more rows than are read sooner than counted."""


class Grouping(NamedTuple):
    """Which rows to count, and by which columns; ``differ`` says that files have other columns besides."""

    paths: tuple[str, ...]
    columns: tuple[str, ...]
    differ: bool
    stamps: tuple[tuple[int, ...], ...]
    """What tells each file from one that takes its place."""

    @classmethod
    def of(cls, paths: Sequence[Path], columns: Sequence[str], *, differ: bool = False) -> Grouping:
        """The files as they are now."""
        return cls(tuple(map(str, paths)), tuple(columns), differ, tuple(map(_stamp, paths)))

    @property
    def query(self) -> str:
        # Names of our own: SQL folds case, and a name may hold anything.
        picked = ", ".join(f"{quoted(name)} AS c{place}" for place, name in enumerate(self.columns))
        keys = ", ".join(f"c{place}" for place in range(len(self.columns)))
        return (
            f"SELECT {keys}, count(*) AS number FROM (SELECT {picked} FROM "
            "read_parquet($paths, hive_partitioning = false, union_by_name = $differ)) "
            f"GROUP BY {keys}"
        )

    @property
    def values(self) -> dict[str, Any]:
        # Paths in which nothing is a pattern.
        return {"paths": [glob.escape(path) for path in self.paths], "differ": self.differ}


class Count:
    """Rows that DuckDB counts in a thread of its own.

    The caller's thread tells how far it is and hears interrupts, which inside DuckDB would be heard late, or
    when all is counted. ``ahead`` keeps what is found in DuckDB: to hand it over loads Arrow, which would be
    in the way of what else is being loaded. Otherwise it is handed over piece by piece, which takes less.
    """

    def __init__(self, grouping: Grouping, *, ahead: bool = False) -> None:
        self.grouping = grouping
        self.is_closed = False
        self._is_ahead = ahead
        self._found: Iterator[Any] = iter(())
        self._failed: Exception | None = None
        self._connection: Any = None
        self._kept = ExitStack()
        self._ended = threading.Event()
        self._worker = threading.Thread(target=self._run, name="edgeworth-counting", daemon=True)
        # To load DuckDB keeps other threads from anything else, to connect does not.
        load_duckdb()
        self._worker.start()

    def _run(self) -> None:
        query, values = self.grouping.query, self.grouping.values
        try:
            connection = self._connection = self._kept.enter_context(connected())
            if self._is_ahead:
                connection.execute(f"CREATE TEMP TABLE counted AS {query}", values)
            else:
                pieces = record_batches(connection.sql(query, params=values), COUNTED_ROWS)
                # When there is a first piece, all of the work is done.
                self._found = chain(list(islice(pieces, 1)), pieces)
        except Exception as error:
            self._failed = error
        finally:
            self._ended.set()

    def pieces(self, rows: int) -> Iterator[Any]:
        """The combinations as record batches, the last column how many of so many rows have each."""
        share = 0.0
        with told("rows counted", rows) as done:
            while not self._ended.wait(GLANCE):
                found = 0.0 if self._connection is None else self._connection.query_progress()
                now = max(share, found / 100)
                done((now - share) * rows)
                share = now
            if self._failed is not None:
                raise self._failed
            done((1 - share) * rows)
        if not self._is_ahead:
            return self._found
        return record_batches(self._connection.sql("FROM counted"), COUNTED_ROWS)

    def close(self) -> None:
        """End it, whether or not it has found anything; nothing is left behind."""
        self.is_closed = True
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


_early: ContextVar[Count | None] = ContextVar("edgeworth_early_count", default=None)


@contextmanager
def counting(grouping: Grouping) -> Iterator[Count]:
    """DuckDB at work on it: since now, or since somebody foresaw it."""
    count = _early.get()
    if count is None or count.grouping != grouping or count.is_closed:
        give_up()
        count = Count(grouping)
    try:
        with errors_in_words():
            yield count
    finally:
        count.close()


@contextmanager
def head_start(file: Path, columns: Sequence[str]) -> Iterator[None]:
    """Begin to count what will most likely be asked for inside; what nobody asked for is given up at the end.

    It is worth it for a large file. Without it, all goes on as if nobody had foreseen anything.
    """
    count = None
    if _is_large(file):
        with suppress(Exception):
            count = Count(Grouping.of([file], list(dict.fromkeys(columns))), ahead=True)
    token = _early.set(count)
    try:
        yield
    finally:
        try:
            give_up()
        finally:
            _early.reset(token)


def give_up() -> None:
    """What was foreseen is not asked for: DuckDB would only be in the way."""
    early = _early.get()
    if early is not None:
        early.close()


def _is_large(file: Path) -> bool:
    try:
        is_parquet = KINDS.get(file.suffix.lower()) == "Parquet"
        return is_parquet and file.is_file() and file.stat().st_size >= LARGE
    except OSError:
        return False


def _stamp(file: Path) -> tuple[int, ...]:
    try:
        now = file.stat()
    except OSError:
        return ()
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns
