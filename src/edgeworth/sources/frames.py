"""Dataframes of any library that narwhals knows, or that export Arrow or the interchange protocol."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence, Sized
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeGuard, TypeVar

from edgeworth.common.progress import track_progress
from edgeworth.errors import InputError
from edgeworth.sources.arrow import COMBINED_ROWS, arrow_batches, arrow_column, combine_record_batches
from edgeworth.sources.batches import Batch, Source, T, check_columns, no_rows_error, require_rows
from edgeworth.sources.columns import Column, as_column, unique_column_names
from edgeworth.sources.integer_names import with_text_names
from edgeworth.sources.partitions import (
    FoldTask,
    PartitionedSource,
    PartitionTally,
    engine_errors,
    fold_partition,
    generate_names,
    is_spark_frame,
)

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pyarrow as pa
    from narwhals.typing import IntoDataFrame, IntoLazyFrame, IntoSeries

    from edgeworth.sources.arrow import ArrowArray

Computed = TypeVar("Computed")

MIN_POLARS_FOR_BATCHES = (1, 37)
"""Earlier versions hide the error of a query that fails after some batches, so rows would be missing."""


def open_frame(data: object) -> Source:
    """Open a dataframe as a source: in memory, lazy, or with its rows on other machines."""
    import narwhals.stable.v2 as nw

    if is_spark_frame(data):
        from edgeworth.sources.spark import SparkSource

        return SparkSource(data)
    frame = _as_frame(data)
    name = f"{type(data).__module__.split('.')[0]} {type(data).__name__}"
    if not isinstance(frame, nw.LazyFrame):
        return FrameSource(frame, name)
    if frame.implementation.is_dask() and _is_dask_frame(data):
        return DaskSource(data)
    return LazyFrameSource(frame, name)


class FrameSource:
    """A dataframe in memory: one batch of the wanted columns, without a copy where its library allows."""

    is_text = False

    def __init__(self, frame: nw.DataFrame[IntoDataFrame], name: str) -> None:
        self._frame = frame
        self.name = name
        self.names = tuple(frame.columns)
        self.rows = len(frame)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the named columns as one batch."""
        self._refuse_index_levels(columns)
        check_columns(columns, self.names, self.name)
        if not self.rows:
            raise no_rows_error(self.name)
        yield Batch({name: _column(self._frame[name], name) for name in columns})

    def _refuse_index_levels(self, columns: Sequence[str]) -> None:
        """Raise an error that explains how to use what is in the index of pandas instead of in a column."""
        levels = getattr(getattr(self._frame.to_native(), "index", None), "names", ())
        name = next((name for name in columns if name not in self.names and name in levels), None)
        if name is not None:
            raise InputError(
                f"{self.name} has {name!r} in its index, not in a column: pass frame.reset_index()"
            )


def _column(series: nw.Series[IntoSeries], name: str) -> Column:
    if series.implementation.is_pyarrow() or series.implementation.is_polars():
        try:
            return arrow_column(_one_array(series.to_arrow()), name)
        except ImportError:
            # polars does without pyarrow, and so do we.
            pass
    return as_column(series.to_native(), name)


def _one_array(values: ArrowArray | pa.ChunkedArray[pa.Scalar[pa.DataType]]) -> ArrowArray:
    """Combine the chunks of an Arrow array."""
    import pyarrow as pa

    if not isinstance(values, pa.ChunkedArray):
        return values
    if pa.types.is_dictionary(values.type):
        values = values.unify_dictionaries()
    if pa.types.is_string(values.type) and values.num_chunks > 1:
        # The offsets of plain strings end at 2 GB.
        return values.cast(pa.large_string()).combine_chunks()
    return values.combine_chunks()


def _as_frame(data: object) -> nw.DataFrame[IntoDataFrame] | nw.LazyFrame[IntoLazyFrame]:
    """Wrap a dataframe with narwhals, or convert it to an Arrow table first if narwhals does not know it."""
    import narwhals.stable.v2 as nw

    with unique_column_names():
        frame = nw.from_native(with_text_names(data), pass_through=True)
        if not isinstance(frame, (nw.DataFrame, nw.LazyFrame)):
            table = _table_by_protocol(data)
            if table is None:
                seen = f"saw {type(data).__name__}; pass arrays by name, as truth=… and prediction=…"
                raise InputError(f"data must be the path of a file or a dataframe; {seen}")
            return nw.from_native(table, eager_only=True)
    return frame


def _table_by_protocol(data: object) -> pa.Table | None:
    """Read an object with ``__arrow_c_stream__`` or ``__dataframe__`` into an Arrow table; None for others.

    A stream can be read only once and a source may be read twice, so the table is kept.
    """
    if not (hasattr(data, "__arrow_c_stream__") or hasattr(data, "__dataframe__")):
        return None
    import pyarrow as pa

    table: pa.Table
    try:
        if hasattr(data, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(data).read_all()
        interchange = import_module("pyarrow.interchange")
        table = interchange.from_dataframe(data)
        return table
    except (TypeError, pa.ArrowException):
        # A series offers a stream too, but of values and not of columns.
        return None


class LazyFrameSource:
    """A query that has not been run, such as a lazy frame of polars or a relation of DuckDB.

    Each pass runs the query again, for the named columns only. They get neutral names, because SQL engines
    do not distinguish names that differ only in case.
    """

    is_text = False

    def __init__(self, frame: nw.LazyFrame[IntoLazyFrame], name: str) -> None:
        self._frame = frame
        self.name = name

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        with engine_errors(self.name):
            return tuple(self._frame.collect_schema().names())

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the named columns in order, about a million rows at a time."""
        wanted = list(dict.fromkeys(columns))
        pieces = self._pieces(self._renamed(wanted), wanted)
        yield from require_rows(
            arrow_batches(combine_record_batches(pieces), wanted), no_rows_error(self.name)
        )

    def distinct(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield each combination of values once with its count, by the engine's group-by."""
        import narwhals.stable.v2 as nw

        wanted = list(dict.fromkeys(columns))
        frame = self._renamed(wanted)
        counts = frame.group_by(*generate_names(wanted)).agg(nw.len().alias("repeats"))
        pieces = self._pieces(counts, [*wanted, "repeats"])
        yield from require_rows(arrow_batches(pieces, wanted, repeats=True), no_rows_error(self.name))

    def _renamed(self, columns: list[str]) -> nw.LazyFrame[IntoLazyFrame]:
        import narwhals.stable.v2 as nw

        check_columns(columns, self.names, self.name)
        pairs = zip(columns, generate_names(columns), strict=True)
        return self._frame.select(*(nw.col(name).alias(new_name) for name, new_name in pairs))

    def _pieces(self, frame: nw.LazyFrame[IntoLazyFrame], names: list[str]) -> Iterator[pa.RecordBatch]:
        """Yield the result as Arrow record batches, with the original column names."""
        with engine_errors(self.name):
            pieces = _run(frame)
        while True:
            with engine_errors(self.name):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece.rename_columns(names)


def _run(frame: nw.LazyFrame[IntoLazyFrame]) -> Iterator[pa.RecordBatch]:
    """Run a query and return its result as Arrow record batches."""
    from edgeworth.sources.duckdb_engine import is_relation, record_batches

    native: object = frame.to_native()
    if hasattr(native, "collect_batches") and _polars_version() >= MIN_POLARS_FOR_BATCHES:
        frames = native.collect_batches(chunk_size=COMBINED_ROWS, maintain_order=True)
        return (batch for part in frames for batch in part.to_arrow().to_batches())
    if is_relation(native):
        return record_batches(native, COMBINED_ROWS)
    # Other engines return the whole result at once: the wanted columns at least, and nothing else.
    table: pa.Table = frame.collect(backend="pyarrow").to_native()
    return iter(table.to_batches())


def _polars_version() -> tuple[int, ...]:
    """Return the major and the minor version of polars."""
    return tuple(int(part) for part in re.findall(r"\d+", import_module("polars").__version__)[:2])


class Delayed(Protocol):
    """A value that Dask computes later."""

    @property
    def key(self) -> Hashable:
        """The name of its task."""


class DaskFrame(Protocol):
    """The parts of a Dask dataframe that are used here."""

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""

    def __getitem__(self, columns: list[str], /) -> DaskFrame: ...

    def to_delayed(self) -> Sequence[Delayed]:
        """Return one lazy object per partition."""


def _is_dask_frame(data: object) -> TypeGuard[DaskFrame]:
    return hasattr(data, "to_delayed")


class DaskSource(PartitionedSource):
    """A Dask dataframe, computed by whichever scheduler is set up."""

    is_text = False
    name = "dask DataFrame"

    def __init__(self, frame: DaskFrame) -> None:
        self._frame = frame

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._frame.columns)

    def run(
        self, columns: list[str], task: FoldTask[T], positions: dict[int, int], only: int | None = None
    ) -> list[PartitionTally[T]]:
        """Fold each partition, or only one of them, where it is."""
        dask = import_module("dask")
        # Dask would search arguments for lazy values, so the task is bound to the function.
        fold = dask.delayed(partial(_fold, columns=columns, task=task))
        delayed = [
            fold(rows, partition=partition, rows_before=positions.get(partition, 0))
            for partition, rows in enumerate(self._partitions(columns))
            if only is None or partition == only
        ]
        tallies: list[PartitionTally[T]] = self._compute(delayed)
        return tallies

    def fetch(self, columns: list[str]) -> Iterator[Batch]:
        """Yield the rows one partition at a time."""
        for partition in self._partitions(columns):
            frames: list[Sized] = self._compute([partition])
            yield from _batches(frames[0], columns)

    def _partitions(self, columns: list[str]) -> list[Delayed]:
        with engine_errors(self.name):
            return list(self._frame[columns].to_delayed())

    def _compute(self, delayed: Sequence[Delayed]) -> list[Computed]:
        """Compute lazy values with whichever scheduler is set up."""
        dask = import_module("dask")
        callbacks = import_module("dask.callbacks")
        keys = {value.key for value in delayed}
        with engine_errors(self.name), track_progress("partitions", len(delayed)) as done:

            def task_finished(key: Hashable, *_: object) -> None:
                if key in keys:
                    done(1)

            # A scheduler on other machines does not call this.
            with callbacks.Callback(posttask=task_finished):
                return list(dask.compute(*delayed))


def _fold(
    rows: Sized, *, columns: list[str], task: FoldTask[T], partition: int, rows_before: int
) -> PartitionTally[T]:
    return fold_partition(_batches(rows, columns), task, partition=partition, rows_before=rows_before)


def _batches(rows: Sized, columns: list[str]) -> Iterator[Batch]:
    return open_frame(rows).batches(columns) if len(rows) else iter(())
