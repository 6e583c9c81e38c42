"""Arrays, lists and series held in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from edgeworth.errors import InputError
from edgeworth.sources.batches import Batch, find_columns
from edgeworth.sources.columns import as_column


class ArraySource:
    """Named arrays of equal length. They are in memory already, so they are one batch."""

    is_text = False

    def __init__(self, arrays: Mapping[str, Any], name: str = "arrays") -> None:
        self.name = name
        self._batch = Batch({column: as_column(values, column) for column, values in arrays.items()})

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """All rows at once."""
        find_columns(columns, tuple(self._batch.columns), self.name)
        if len(self._batch) == 0:
            raise InputError(f"{self.name}: there are no rows")
        yield Batch({column: self._batch.columns[column] for column in columns})
