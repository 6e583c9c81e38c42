"""Dataframes of any library that narwhals knows, and those that speak Arrow or the interchange protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from edgeworth.common.progress import track_progress
from edgeworth.errors import InputError
from edgeworth.sources.arrow import COMBINED_ROWS, arrow_batches, arrow_column, combine_pieces
from edgeworth.sources.batches import Batch, Source, check_columns, no_rows_error, require_rows
from edgeworth.sources.columns import Column, as_column, from_native
from edgeworth.sources.duckdb_engine import record_batches
from edgeworth.sources.engines import (
    PartitionedSource,
    PartitionTally,
    engine_errors,
    fold_partition,
    generate_names,
)

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw


def open_frame(data: Any) -> Source:
    """A dataframe as a source: in memory, lazy, or with its rows on other machines."""
    import narwhals.stable.v2 as nw

    if hasattr(type(data), "mapInArrow"):  # not of the frame: Spark Connect takes any name for a column
        from edgeworth.sources.spark import SparkSource

        return SparkSource(data)
    frame = _as_frame(data)
    name = f"{type(data).__module__.split('.')[0]} {type(data).__name__}"
    if not isinstance(frame, nw.LazyFrame):
        return FrameSource(frame, name)
    if frame.implementation.is_dask():
        return DaskSource(data)
    return LazyFrameSource(frame, name)


class FrameSource:
    """A dataframe in memory: one batch of the wanted columns, without a copy where its library allows."""

    is_text = False

    def __init__(self, frame: nw.DataFrame[Any], name: str) -> None:
        self._frame = frame
        self.name = name
        self.names = tuple(frame.columns)
        self.rows = len(frame)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The wanted columns as one batch."""
        check_columns(columns, self.names, self.name)
        if not self.rows:
            raise no_rows_error(self.name)
        yield Batch({name: _column(self._frame[name], name) for name in columns})


def _column(series: nw.Series[Any], name: str) -> Column:
    if series.implementation.is_pyarrow() or series.implementation.is_polars():
        try:
            return arrow_column(_one_array(series.to_arrow()), name)
        except ImportError:
            # polars does without pyarrow, and so do we.
            pass
    return as_column(series.to_native(), name)


def _one_array(values: Any) -> Any:
    """One Arrow array of several chunks."""
    import pyarrow as pa

    if not isinstance(values, pa.ChunkedArray):
        return values
    if pa.types.is_dictionary(values.type):
        values = values.unify_dictionaries()
    if pa.types.is_string(values.type) and values.num_chunks > 1:
        # The offsets of plain strings end at 2 GB.
        return values.cast(pa.large_string()).combine_chunks()
    return values.combine_chunks()


def _as_frame(data: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    """The frame as narwhals sees it; what it does not know may still hand its columns over as Arrow's."""
    try:
        frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = from_native(data)
    except TypeError:
        table = _through_a_protocol(data)
        if table is None:
            saw = f"saw {type(data).__name__}; arrays have names, as truth=… and prediction=…"
            raise InputError(f"data must be the path of a file or a dataframe; {saw}") from None
        frame = from_native(table, eager_only=True)
    return frame


def _through_a_protocol(data: Any) -> Any:
    """An Arrow table of what offers ``__arrow_c_stream__`` or ``__dataframe__``; None of anything else.

    A stream can be read once and we may read twice, so it is kept.
    """
    if not (hasattr(data, "__arrow_c_stream__") or hasattr(data, "__dataframe__")):
        return None
    import pyarrow as pa

    try:
        if hasattr(data, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(data).read_all()
        interchange: Any = import_module("pyarrow.interchange")
        return interchange.from_dataframe(data)
    except (TypeError, pa.ArrowException):
        # A series offers a stream too, but of values and not of columns.
        return None


class LazyFrameSource:
    """A query that has not been run: polars' lazy frames, DuckDB's relations.

    Each pass runs the query again, for the wanted columns only. They travel under names of our own, because
    SQL engines do not tell names apart that differ only in case.
    """

    is_text = False

    def __init__(self, frame: nw.LazyFrame[Any], name: str) -> None:
        self._frame = frame
        self.name = name

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        with engine_errors(self.name):
            return tuple(self._frame.collect_schema().names())

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The wanted columns in order, about a million rows at a time."""
        wanted = list(dict.fromkeys(columns))
        pieces = self._pieces(self._renamed(wanted), wanted)
        yield from require_rows(arrow_batches(combine_pieces(pieces), wanted), no_rows_error(self.name))

    def distinct(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Each combination of values once, and how often it occurs: the engine's own group-by."""
        import narwhals.stable.v2 as nw

        wanted = list(dict.fromkeys(columns))
        frame = self._renamed(wanted)
        counted = frame.group_by(*generate_names(wanted)).agg(nw.len().alias("repeats"))
        pieces = self._pieces(counted, [*wanted, "repeats"])
        yield from require_rows(arrow_batches(pieces, wanted, repeats=True), no_rows_error(self.name))

    def _renamed(self, columns: list[str]) -> nw.LazyFrame[Any]:
        import narwhals.stable.v2 as nw

        check_columns(columns, self.names, self.name)
        pairs = zip(columns, generate_names(columns), strict=True)
        return self._frame.select(*(nw.col(name).alias(ours) for name, ours in pairs))

    def _pieces(self, frame: nw.LazyFrame[Any], names: list[str]) -> Iterator[Any]:
        """Arrow's record batches as the engine hands them over, with the columns' own names."""
        with engine_errors(self.name):
            pieces = _run(frame)
        while True:
            with engine_errors(self.name):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece.rename_columns(names)


def _run(frame: nw.LazyFrame[Any]) -> Iterator[Any]:
    native: Any = frame.to_native()
    if hasattr(native, "collect_batches"):
        pieces = native.collect_batches(chunk_size=COMBINED_ROWS, maintain_order=True)
        return (batch for piece in pieces for batch in piece.to_arrow().to_batches())
    if hasattr(native, "to_arrow_reader") or hasattr(native, "fetch_record_batch"):
        return record_batches(native, COMBINED_ROWS)
    # An engine that hands its result over whole: the wanted columns at least, and nothing else.
    return iter(frame.collect(backend="pyarrow").to_native().to_batches())


class DaskSource(PartitionedSource):
    """A Dask dataframe, computed by whichever scheduler is set up."""

    is_text = False
    name = "dask DataFrame"

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        return tuple(self._frame.columns)

    def run(
        self, columns: list[str], work: dict[str, Any], positions: dict[int, int], only: int | None = None
    ) -> list[PartitionTally]:
        """Fold each partition, or only one of them, where it is."""
        fold = partial(_fold, columns=columns, **work)
        parts = [part for part in enumerate(self._partitions(columns)) if only in (None, part[0])]
        places = [{"partition": place, "before": positions.get(place, 0)} for place, _ in parts]
        return self._computed([(fold, rows, given) for (_, rows), given in zip(parts, places, strict=True)])

    def fetch(self, columns: list[str]) -> Iterator[Batch]:
        """Bring the rows here a partition at a time."""
        for each in self._partitions(columns):
            yield from _batches(self._computed([(_itself, each, {})])[0], columns)

    def _partitions(self, columns: list[str]) -> list[Any]:
        with engine_errors(self.name):
            return list(self._frame[columns].to_delayed())

    def _computed(self, tasks: list[tuple[Callable[..., Any], Any, dict[str, int]]]) -> list[Any]:
        """Each function of its partition and of some numbers, computed by whichever scheduler is set up."""
        dask, callbacks = import_module("dask"), import_module("dask.callbacks")
        works = [dask.delayed(work)(rows, **given) for work, rows, given in tasks]
        keys = {work.key for work in works}
        with engine_errors(self.name), track_progress("partitions", len(works)) as done:

            def finished(key: Any, *_: Any) -> None:
                if key in keys:
                    done(1)

            # A scheduler on other machines calls nothing back.
            with callbacks.Callback(posttask=finished):
                return list(dask.compute(*works))


def _itself(rows: Any) -> Any:
    return rows


def _fold(rows: Any, *, columns: list[str], **work: Any) -> PartitionTally:
    return fold_partition(_batches(rows, columns), **work)


def _batches(rows: Any, columns: list[str]) -> Iterator[Batch]:
    return open_frame(rows).batches(columns) if len(rows) else iter(())
