"""Dataframes of any library that narwhals knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from edgeworth.errors import InputError
from edgeworth.sources.batches import Batch, find_columns
from edgeworth.sources.columns import as_column


class FrameSource:
    """A dataframe. Only the wanted columns are taken; a lazy frame computes just those."""

    is_text = False

    def __init__(self, frame: Any) -> None:
        import narwhals.stable.v2 as nw
        from narwhals.exceptions import DuplicateError

        try:
            self._frame = nw.from_native(frame)
        except DuplicateError as error:
            said = str(error).replace("\n", " ")
            raise InputError(f"the dataframe has several columns of one name: {said}") from None
        except TypeError:
            raise InputError(
                f"data must be the path of a file or a dataframe; saw {type(frame).__name__}"
            ) from None
        self.name = f"{type(frame).__module__.split('.')[0]} {type(frame).__name__}"

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The wanted columns as one batch."""
        import narwhals.stable.v2 as nw

        names = self._frame.collect_schema().names()
        find_columns(columns, names, self.name)
        frame = self._frame.select(*dict.fromkeys(columns))
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        if len(frame) == 0:
            raise InputError(f"{self.name}: there are no rows")
        yield Batch({column: as_column(frame[column].to_native(), column) for column in columns})
