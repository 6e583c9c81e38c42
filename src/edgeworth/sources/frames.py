"""Dataframes of any library that narwhals knows, and those that speak Arrow or the interchange protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from edgeworth.errors import InputError
from edgeworth.sources.arrow_columns import arrow_column
from edgeworth.sources.batches import Batch, Source, find_columns, no_rows
from edgeworth.sources.columns import Column, as_column

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw


def open_frame(data: Any) -> Source:
    """A dataframe as a source: in memory, lazy, or with its rows on other machines."""
    import narwhals.stable.v2 as nw

    frame = _as_frame(data)
    name = _name_of(data)
    if not isinstance(frame, nw.LazyFrame):
        return FrameSource(frame, name)
    if frame.implementation.is_dask():
        from edgeworth.sources.dask_frames import DaskSource

        return DaskSource(data)
    if frame.implementation.is_spark_like() and hasattr(data, "mapInArrow"):
        from edgeworth.sources.spark_frames import SparkSource

        return SparkSource(data)
    from edgeworth.sources.lazy_frames import LazyFrameSource

    return LazyFrameSource(frame, name)


class FrameSource:
    """A dataframe in memory: one batch of the wanted columns, without a copy where its library allows."""

    is_text = False

    def __init__(self, frame: nw.DataFrame[Any], name: str) -> None:
        self._frame = frame
        self.name = name
        self.rows = len(frame)

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        return tuple(self._frame.columns)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The wanted columns as one batch."""
        find_columns(columns, self.names, self.name)
        if not self.rows:
            raise no_rows(self.name)
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
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(data)
    except DuplicateError as error:
        said = str(error).replace("\n", " ")
        raise InputError(f"the dataframe has several columns of one name: {said}") from None
    except TypeError:
        table = _through_a_protocol(data)
        if table is None:
            raise InputError(
                f"data must be the path of a file or a dataframe; saw {type(data).__name__}"
            ) from None
        frame = nw.from_native(table, eager_only=True)
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


def _name_of(data: Any) -> str:
    return f"{type(data).__module__.split('.')[0]} {type(data).__name__}"
