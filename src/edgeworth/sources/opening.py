"""From what the caller calls data to a source."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from edgeworth.errors import OptionError
from edgeworth.sources.batches import Batch, Source, check_columns, no_rows_error
from edgeworth.sources.columns import as_column
from edgeworth.sources.paths import (
    PathLike,
    expand_paths,
    find_format,
    is_local_address,
    local_path,
    partition_values,
)


def open_source(data: Any, *, engine: str | None = None, master: str | None = None) -> Source:
    """A path, several, a pattern, a folder, ``-`` for standard input, a dataframe of any kind,
    or a source that is open already.

    ``engine="spark"`` has Spark read the files, on ``master`` (``local[4]``, ``yarn``, ``spark://…``).
    """
    if engine is not None or master is not None:
        return _open_on(engine, data, master)
    if isinstance(data, str) and data == "-":
        from edgeworth.sources.remote import open_standard_input

        return open_standard_input()
    if isinstance(data, str) and "://" in data and not is_local_address(data):
        from edgeworth.sources.remote import RemoteSource

        return RemoteSource(data)
    if hasattr(data, "batches") and hasattr(data, "is_text"):
        source: Source = data
        return source
    several = data if isinstance(data, (list, tuple)) else [data]
    if all(isinstance(path, (str, os.PathLike)) for path in several):
        return _open_files(data)
    from edgeworth.sources.frames import open_frame

    return open_frame(data)


def _open_on(engine: str | None, data: Any, master: str | None) -> Source:
    if engine is None:
        raise OptionError('--master belongs to --engine spark: add it (engine="spark")')
    if engine != "spark":
        raise OptionError(f'the engine can be "spark", or left out; saw {engine!r}')
    from edgeworth.sources.spark_files import open_on_spark

    return open_on_spark(data, master)


def _open_files(data: PathLike | Sequence[PathLike]) -> Source:
    paths = expand_paths(data)
    formats = [find_format(path, str(path)) for path in paths]
    files = [form.open(path) for form, path in zip(formats, paths, strict=True)]
    named = local_path(data) if isinstance(data, (str, os.PathLike)) else None
    folder = named if named is not None and named.is_dir() else None
    if len(files) == 1 and folder is None:
        source: Source = files[0]
        return source
    name = _listed(paths) if named is None else str(named)
    folders = [] if folder is None else [partition_values(path, folder) for path in paths]
    together: Source = resolve_name(formats[0].many)(files, name, folders)
    return together


def _listed(paths: Sequence[Path]) -> str:
    shown = ", ".join(map(str, paths[:3]))
    return shown if len(paths) <= 3 else f"{shown}, … ({len(paths):,} files)"


class ArraySource:
    """Named arrays of equal length. They are in memory already, so they are one batch."""

    is_text = False

    def __init__(self, arrays: Mapping[str, Any], name: str = "arrays") -> None:
        self.name = name
        self._batch = Batch({column: as_column(values, column) for column, values in arrays.items()})

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """All rows at once."""
        check_columns(columns, tuple(self._batch.columns), self.name)
        if len(self._batch) == 0:
            raise no_rows_error(self.name)
        yield Batch({column: self._batch.columns[column] for column in columns})
