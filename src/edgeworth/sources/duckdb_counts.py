"""Equal rows of Parquet files counted by DuckDB: in bounded memory, in a thread of its own, perhaps ahead.

A command knows its file and columns before the rest of the program is loaded, which takes half as long as
10⁸ rows: it begins to count then (``head_start``). So nothing here imports NumPy or Arrow.
"""

from __future__ import annotations

import glob
import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from edgeworth.errors import InputError
from edgeworth.progress import told
from edgeworth.sources.wording import said

if TYPE_CHECKING:
    import duckdb

MEMORY = "192MB"
"""What DuckDB may hold; past it, it spills into a folder of its own, which is removed afterwards."""

MOST_THREADS = 8
"""Each thread holds a row group's pages: more of them would not keep within the memory."""

COUNTED_ROWS = 1 << 20
"""Combinations handed back at once."""

GLANCE = 0.25
"""Seconds between two looks at how far DuckDB is."""

LARGE = 1 << 26
"""Bytes of a file that most likely has more rows than are read sooner than counted."""

PARQUET = (".parquet", ".pq")


class Question(NamedTuple):
    """Which rows to count, and by which columns; ``differ`` says that files have other columns besides."""

    paths: tuple[str, ...]
    columns: tuple[str, ...]
    differ: bool = False

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
        # A path in which nothing is a pattern.
        return {"paths": [glob.escape(path) for path in self.paths], "differ": self.differ}


class Count:
    """A question that DuckDB works on in a thread of its own, and what it finds.

    The caller's thread tells how far it is and hears interrupts, which inside DuckDB would be heard late, or
    when all is counted.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.is_closed = False
        self._kept = ExitStack()
        self._connection = self._kept.enter_context(connected())
        self._ended = threading.Event()
        self._failed: Exception | None = None
        self._worker = threading.Thread(target=self._run, name="edgeworth-counting", daemon=True)
        self._worker.start()

    def _run(self) -> None:
        # Kept in DuckDB: handing rows over would load Arrow here and now, while other things are loaded.
        query = f"CREATE TEMP TABLE counted AS {self.question.query}"
        try:
            self._connection.execute(query, self.question.values)
        except Exception as error:
            self._failed = error
        finally:
            self._ended.set()

    def pieces(self, rows: int) -> Iterator[Any]:
        """The combinations as record batches, the last column how many of so many rows have each."""
        share = 0.0
        with told("rows counted", rows) as done:
            while not self._ended.wait(GLANCE):
                now = max(share, self._connection.query_progress() / 100)
                done((now - share) * rows)
                share = now
            if self._failed is not None:
                raise self._failed
            done((1 - share) * rows)
        answer = self._connection.sql("FROM counted")
        # The name of the method changed between versions of DuckDB.
        reader = getattr(answer, "to_arrow_reader", None) or answer.fetch_record_batch
        return iter(reader(COUNTED_ROWS))

    def close(self) -> None:
        """End it, whether or not it has found anything; nothing is left behind."""
        self.is_closed = True
        # It hears it only while it counts, not while it looks the files through.
        while self._worker.is_alive():
            self._connection.interrupt()
            self._worker.join(GLANCE)
        self._kept.close()


_early: ContextVar[Count | None] = ContextVar("edgeworth_early_count", default=None)


@contextmanager
def counting(question: Question) -> Iterator[Count]:
    """DuckDB at work on a question: since now, or since somebody foresaw it."""
    early = _early.get()
    if early is not None and early.question == question and not early.is_closed:
        count = early
    else:
        give_up()
        count = Count(question)
    import duckdb

    try:
        yield count
    except duckdb.Error as error:
        raise _refused(error) from error
    finally:
        count.close()


@contextmanager
def head_start(file: Path, columns: Sequence[str]) -> Iterator[None]:
    """Begin to count what will most likely be asked for inside; what nobody asked for is given up at the end.

    It is worth it for a large file. What goes wrong here goes wrong again where it is asked for.
    """
    count = None
    if _is_large(file):
        with suppress(InputError):
            count = Count(Question((str(file),), tuple(dict.fromkeys(columns))))
    token = _early.set(count)
    try:
        yield
    finally:
        give_up()
        _early.reset(token)


def give_up() -> None:
    """What was foreseen is not asked for: DuckDB would only be in the way."""
    early = _early.get()
    if early is not None:
        early.close()


def _is_large(file: Path) -> bool:
    try:
        return file.suffix.lower() in PARQUET and file.is_file() and file.stat().st_size >= LARGE
    except OSError:
        return False


def quoted(name: str) -> str:
    """A column's name as SQL writes it.

    >>> print(quoted('the "real" one'))
    "the ""real"" one"
    """
    return '"' + name.replace('"', '""') + '"'


def _refused(error: Exception) -> InputError:
    return InputError(f"DuckDB cannot read it: {said(error)}")


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
            raise _refused(error) from error
        finally:
            connection.close()
