"""Spark's dataframes: the reducer goes to the rows, and one small tally a partition comes back."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeworth.errors import InputError
from edgeworth.sources.arrow import arrow_batches, combine_pieces
from edgeworth.sources.batches import Batch, T, check_columns, no_rows_error, require_rows
from edgeworth.sources.engines import (
    MovedRowsError,
    PartitionTally,
    add_partitions,
    fold_partition,
    generate_names,
    needs_positions,
    number_rows,
    package_version,
    rows_before,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TOO_LONG = "a field is too long: is a quotation mark not closed?"

SHIPPED = "content binary"
"""What workers send: bytes."""


class SparkSource:
    """A Spark dataframe. Its rows stay where they are; their order is that of the partitions.

    Each pass computes the dataframe again, unless it is persisted.
    """

    def __init__(
        self,
        frame: DataFrame,
        name: str = "pyspark DataFrame",
        *,
        is_text: bool = False,
        paths: tuple[Path, ...] = (),
    ) -> None:
        self._frame = frame
        self.name = name
        self.is_text = is_text
        self.paths = paths
        self._positions: dict[int, int] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        with self._spark_errors():
            return tuple(self._frame.columns)

    def fold(self, columns: Sequence[str], prepare: Callable[[Batch], T], empty: T) -> T:
        """Each partition prepared and added up on its worker, and the parts added here in their order."""
        wanted = list(dict.fromkeys(columns))
        with self._spark_errors():
            frame = self._renamed(wanted)
        fold = partial(_fold, columns=wanted, prepare=prepare, empty=empty, version=package_version())
        if not needs_positions(empty):
            return self._added(frame, fold, empty, None)
        if self._positions is not None:
            try:
                return self._added(frame, fold, empty, self._positions)
            except MovedRowsError:
                # They were counted with other columns, and Spark may cut those into other partitions.
                pass
        self._positions = rows_before(self._sent(frame, _count))
        return self._added(frame, fold, empty, self._positions)

    def _added(
        self, frame: DataFrame, fold: Callable[..., Any], empty: T, positions: dict[int, int] | None
    ) -> T:
        parts = self._sent(frame, partial(fold, positions=positions or {}))
        return add_partitions(parts, empty, self.name, partial(self._again, frame, fold), positions)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows themselves, brought here a partition at a time: for what cannot be folded."""
        wanted = list(dict.fromkeys(columns))
        with self._spark_errors():
            rows = _map(self._renamed(wanted), _ship_rows).toLocalIterator()
        batches = number_rows(arrow_batches(self._unpacked(rows, wanted), wanted))
        yield from require_rows(batches, no_rows_error(self.name))

    def _unpacked(self, rows: Iterator[Any], columns: list[str]) -> Iterator[Any]:
        import pyarrow as pa

        while True:
            with self._spark_errors():
                row = next(rows, None)
            if row is None:
                return
            for piece in pa.ipc.open_stream(row.content):
                yield piece.rename_columns(columns)

    def _renamed(self, columns: list[str]) -> DataFrame:
        """The wanted columns under names of our own: Spark folds case, and reads dots in names as paths."""
        from pyspark.sql import functions

        check_columns(columns, self.names, self.name)
        quoted = [functions.col("`" + name.replace("`", "``") + "`") for name in columns]
        if self.is_text:
            # As in our own reading of text files, an empty field is a missing value, quoted or not.
            # What the names of folders say is text as well.
            quoted = [functions.nullif(column.cast("string"), functions.lit("")) for column in quoted]
        pairs = zip(quoted, generate_names(columns), strict=True)
        return self._frame.select(*(column.alias(ours) for column, ours in pairs))

    def _sent(self, frame: DataFrame, worker: Callable[[Iterator[Any]], Iterator[Any]]) -> list[Any]:
        with self._spark_errors():
            return [pickle.loads(row.content) for row in _map(frame, worker).collect()]

    def _again(
        self, frame: DataFrame, fold: Callable[..., Any], partition: int, before: int
    ) -> PartitionTally:
        """One partition once more, now that it is known how many rows come before it."""
        worker = partial(fold, positions={partition: before}, only=partition)
        only: PartitionTally = self._sent(frame, worker)[0]
        return only

    @contextmanager
    def _spark_errors(self) -> Iterator[None]:
        """Spark's own failures in one sentence; its stack traces are in its log."""
        try:
            with without_pandas_warnings():
                yield
        except Exception as error:
            if type(error).__module__.split(".")[0] not in ("pyspark", "py4j"):
                raise
            raise InputError(f"{self.name}: Spark could not compute it: {spark_message(error)}") from None


def _map(frame: DataFrame, worker: Callable[[Iterator[Any]], Iterator[Any]]) -> DataFrame:
    return frame.mapInArrow(worker, SHIPPED)


def spark_message(error: Exception) -> str:
    """The cause in an error of Spark or of a worker's Python, without the stack around it.

    >>> spark_message(ValueError("o12\\nCaused by: java.io.IOException: [DISK] The disk is full SQLSTATE: 1"))
    'The disk is full'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if "from the Python worker" in str(error):
        inner = [line for line in lines if not line.startswith(("File ", "at ", "SQLSTATE", "~", "^"))]
        return inner[-1] if inner else type(error).__name__
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    cause = causes[-1] if causes else next(iter(lines), type(error).__name__)
    cause = re.sub(r"^[\w.$]+(Exception|Error): ", "", cause.split(" SQLSTATE")[0])
    cause = re.sub(r"^Index (\d+) out of bounds for length \1$", TOO_LONG, cause)
    file = re.search(r"while reading file (\S+)\.\s", str(error))
    return ("" if file is None else f"{file[1]}: ") + re.sub(r"^\[[A-Z_.]+\] ", "", cause)


@contextmanager
def without_pandas_warnings() -> Iterator[None]:
    """Spark warns of versions of pandas that it does not know; none of its pandas is used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


# -- what runs on the workers ------------------------------------------------------------------------------


def _fold(
    pieces: Iterator[Any],
    *,
    columns: list[str],
    positions: dict[int, int],
    only: int | None = None,
    **work: Any,
) -> Iterator[Any]:
    partition = _partition()
    if only is not None and partition != only:
        return
    named = (piece.rename_columns(columns) for piece in combine_pieces(pieces))
    before = positions.get(partition, 0)
    part = fold_partition(arrow_batches(named, columns), partition=partition, before=before, **work)
    if part.rows or part.error:
        yield _pack(pickle.dumps(part))


def _count(pieces: Iterator[Any]) -> Iterator[Any]:
    rows = sum(piece.num_rows for piece in pieces)
    if rows:
        yield _pack(pickle.dumps((_partition(), rows)))


def _ship_rows(pieces: Iterator[Any]) -> Iterator[Any]:
    import pyarrow as pa

    for piece in combine_pieces(pieces):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, piece.schema) as writer:
            writer.write_batch(piece)
        yield _pack(sink.getvalue().to_pybytes())


def _pack(content: bytes) -> Any:
    import pyarrow as pa

    return pa.record_batch({"content": pa.array([content], pa.binary())})


def _partition() -> int:
    from pyspark import TaskContext

    task = TaskContext.get()
    return task.partitionId() if task is not None else 0
