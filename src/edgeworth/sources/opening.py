"""Open the caller's data as a source."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TypeGuard

import numpy as np

from edgeworth.errors import InputError, OptionError
from edgeworth.sources.batches import Batch, FilePlace, Source, check_columns, no_rows_error
from edgeworth.sources.columns import MISSING, Coded, Column, Label, as_column
from edgeworth.sources.formats import FORMATS
from edgeworth.sources.paths import (
    FileSource,
    NoRowsError,
    PathLike,
    expand_paths,
    find_format,
    first_line,
    is_local_address,
    local_path,
    partition_values,
)


def open_source(data: object, *, engine: str | None = None, master: str | None = None) -> Source:
    """Open data as a source, or return a source that is open already.

    Data are a path, several, a pattern, a folder, ``-`` for standard input, or a dataframe of any library.
    With ``engine="spark"`` Spark reads the files on ``master`` (``local[4]``, ``yarn``, ``spark://…``).
    """
    if engine is not None or master is not None:
        if engine is None:
            raise OptionError('--master needs --engine spark (engine="spark")')
        if engine != "spark":
            raise OptionError(f'the engine must be "spark" if it is set; saw {engine!r}')
        from edgeworth.sources.spark import open_on_spark

        return open_on_spark(data, master)
    if isinstance(data, str) and data == "-":
        from edgeworth.sources.stdin import open_standard_input

        return open_standard_input()
    if isinstance(data, str) and "://" in data and not is_local_address(data):
        from edgeworth.sources.remote import RemoteSource

        return RemoteSource(data)
    if _is_source(data):
        return data
    if isinstance(data, (str, os.PathLike)):
        return _open_files(data)
    if isinstance(data, (list, tuple)) and all(isinstance(path, (str, os.PathLike)) for path in data):
        return _open_files(data)
    from edgeworth.sources.frames import open_frame

    return open_frame(data)


def _is_source(data: object) -> TypeGuard[Source]:
    # The class is asked, because a frame of Spark Connect has an attribute of any name.
    return hasattr(type(data), "batches") and hasattr(data, "is_text")


def _open_files(data: PathLike | Sequence[PathLike]) -> Source:
    paths = expand_paths(data)
    files = [_open_file(path) for path in paths]
    named = local_path(data) if isinstance(data, (str, os.PathLike)) else None
    folder = named if named is not None and named.is_dir() else None
    if len(files) == 1 and folder is None:
        return files[0]
    name = _listed(paths) if named is None else str(named)
    folders = [] if folder is None else [partition_values(path, folder) for path in paths]
    form = next(form for form in FORMATS if form.name == files[0].kind)
    return form.combine(files, name, folders)


def _open_file(path: Path) -> FileSource:
    if path.is_file():
        return find_format(path, str(path)).open(path)
    if not path.is_fifo():
        raise InputError(f"{path} is a device, not a file: pipe it into the command and pass - as the file")
    from edgeworth.sources.stdin import open_stream

    # /dev/stdin, and what a shell writes as <(…), can be read only once.
    try:
        with path.open("rb") as stream:
            return open_stream(stream, str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {first_line(error)}") from None


def _listed(paths: Sequence[Path]) -> str:
    shown = ", ".join(map(str, paths[:3]))
    return shown if len(paths) <= 3 else f"{shown}, … ({len(paths):,} files)"


class ArraySource:
    """Named arrays of equal length. They are in memory already, so they are one batch."""

    is_text = False
    paths: tuple[Path, ...] = ()
    """The files that the arrays come from."""

    def __init__(self, arrays: Mapping[str, object], name: str = "arrays") -> None:
        self.name = name
        self._batch = Batch({column: as_column(values, column) for column, values in arrays.items()})

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield all rows as one batch."""
        check_columns(columns, tuple(self._batch.columns), self.name)
        if len(self._batch) == 0:
            raise no_rows_error(self.name)
        yield Batch({column: self._batch.columns[column] for column in columns})


FAMILIES_BY_DTYPE = {
    "i": "numbers",
    "u": "numbers",
    "f": "numbers",
    "b": "booleans",
    "M": "times",
    "m": "durations",
}
FAMILIES_BY_TYPE: dict[type, str] = {str: "text", bool: "booleans", date: "times", datetime: "times"}
FAMILIES_BY_TYPE |= dict.fromkeys((int, float, Decimal), "numbers")


def family(column: Column) -> str | None:
    """Return the kind of values in a column, or None if there are no values or several kinds.

    >>> import numpy as np
    >>> family(np.arange(3)), family(Coded(np.array([-1]), ()))
    ('numbers', None)
    """
    if not isinstance(column, Coded) and column.dtype.kind != "O":
        return FAMILIES_BY_DTYPE.get(column.dtype.kind)
    values = column.labels if isinstance(column, Coded) else column.tolist()
    families = {FAMILIES_BY_TYPE.get(type(value)) for value in values if value is not None}
    return families.pop() if len(families) == 1 else None


WHOLE_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})")


class ManySource:
    """Files of one kind, in order. ``folders`` has the columns that the folders of each file name."""

    varies = True
    """A column may have one type in one file and another in the next."""

    def __init__(
        self, files: Sequence[FileSource], name: str, folders: Sequence[Mapping[str, str | None]] = ()
    ) -> None:
        first = files[0]
        other = next((file for file in files if file.kind != first.kind), None)
        if other is not None:
            raise InputError(
                f"{first.name} is {first.kind} and {other.name} is {other.kind}: "
                "pass files of one kind at a time, for instance by a pattern such as '*.parquet'"
            )
        self.name = name
        self.kind = first.kind
        self.is_text = first.is_text
        self.files = tuple(files)
        self.paths = tuple(path for file in files for path in file.paths)
        numbers = [file.rows for file in files]
        self.rows = None if None in numbers else sum(number or 0 for number in numbers)
        self._folders = self._typed(folders)
        self.names = (*first.names, *(key for key in self._folders if key not in first.names))

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the named columns of one file after the other, without files that have no rows."""
        wanted = list(dict.fromkeys(columns))
        self._check(wanted)
        seen: dict[str, tuple[str, str]] = {}
        row = 1
        for index, file in enumerate(self.files):
            constant = {name: self._folders[name][index] for name in wanted if self._is_constant(name, file)}
            origin = FilePlace(file.name, row - 1)
            # At least one column is read, because it gives the number of rows.
            own = [name for name in wanted if name not in constant] or [*file.names[:1]]
            try:
                for batch in file.batches(own):
                    if not self.is_text:
                        _check_families(seen, batch, file.name)
                    values = {name: batch.columns[name] for name in own if name in wanted}
                    values |= {name: _constant(value, len(batch)) for name, value in constant.items()}
                    yield Batch(values, origin.rows_before + batch.first_row, origin=origin)
                    row += len(batch)
            except NoRowsError:
                continue
        if row == 1:
            raise NoRowsError(f"{self.name}: none of {len(self.files):,} files has rows")

    def _is_constant(self, name: str, file: FileSource) -> bool:
        return name in self._folders and name not in file.names

    def _check(self, wanted: Sequence[str]) -> None:
        """Raise an error if a file lacks a column; JSON lines are checked when they are read."""
        for file in () if self.files[0].varies else self.files:
            self._find([name for name in wanted if not self._is_constant(name, file)], file)

    def _find(self, columns: Sequence[str], file: FileSource) -> None:
        try:
            check_columns(columns, file.names, file.name)
        except InputError as error:
            missed = next((name for name in columns if name not in file.names), None)
            has = next((other.name for other in self.files if missed in other.names), None)
            if missed is None or has is None:
                raise
            raise InputError(f"{error}; {has} has one") from None

    def _typed(self, folders: Sequence[Mapping[str, str | None]]) -> dict[str, list[Label | None]]:
        """Return each folder key's value per file, as integers if all are; text files keep text."""
        keys = dict.fromkeys(key for folder in folders for key in folder)
        typed: dict[str, list[Label | None]] = {}
        for key in keys:
            values = [folder.get(key) for folder in folders]
            are_whole = all(WHOLE_NUMBER.fullmatch(value) for value in values if value is not None)
            whole = are_whole and not self.is_text
            typed[key] = [int(value) if whole and value is not None else value for value in values]
        return typed


def _constant(value: Label | None, length: int) -> Column:
    if isinstance(value, int):
        return np.full(length, value, dtype=np.int64)
    if value is None:
        return Coded(np.full(length, MISSING, dtype=np.intp), ())
    return Coded(np.zeros(length, dtype=np.intp), (value,))


def _check_families(seen: dict[str, tuple[str, str]], batch: Batch, file: str) -> None:
    """Raise an error if a column has another kind of values than in an earlier file."""
    for name, column in batch.columns.items():
        kind = family(column)
        earlier_kind, earlier_file = seen.setdefault(name, (kind, file)) if kind else ("", file)
        if kind != earlier_kind and earlier_file != file:
            raise InputError(
                f"{file} has {kind} in {name!r}, but {earlier_file} has {earlier_kind}: "
                "convert one of them, or the same label would count as two"
            )
