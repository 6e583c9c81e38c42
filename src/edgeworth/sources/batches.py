"""Read data as batches of named columns, and fold the batches with a reducer.

A source does not know what is being counted. It yields batches; ``fold`` turns each batch into a value and
adds the values up. Arrays, dataframes and files differ only in how they are cut into batches.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.progress import track_progress
from edgeworth.errors import InputError
from edgeworth.sources.columns import Column

ROW_OR_QUOTED = re.compile(
    r"""(?<!\w)'(?:[^'\\]|\\[\s\S])*+(?:'|\\?\Z)  # a quotation mark inside a word is an apostrophe
    |"(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z)  # one that is never closed quotes the rest
    |\brow[ ]([0-9][0-9,]{0,30})""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class FilePlace:
    """The file that a batch comes from, and the number of rows in the files before it."""

    file: str
    rows_before: int


@dataclass(frozen=True)
class Batch:
    """Columns of equal length, and the position of their first row in the whole (counted from 1)."""

    columns: Mapping[str, Column]
    first_row: int = 1
    repeats: NDArray[np.int64] | None = None
    """The number of rows that each row represents if an engine has counted them; None if each is one row."""
    origin: FilePlace | None = None
    """The file that errors name, if there are several files."""

    def __post_init__(self) -> None:
        check_lengths(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))


def check_lengths(columns: Mapping[str, Sized | None]) -> int:
    """Return the number of rows of columns, or raise an error if it differs; None means no column."""
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        lengths_text = ", ".join(f"{name} has {length:,}" for name, length in lengths.items())
        raise InputError(f"columns must have the same number of rows: {lengths_text}")
    return max(lengths.values(), default=0)


class Source(Protocol):
    """Something with named columns that can be read in batches, in order, any number of times."""

    @property
    def name(self) -> str:
        """The name in reports and messages."""

    @property
    def is_text(self) -> bool:
        """Whether every value is text, so that numbers have to be recognised afterwards."""

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the named columns, one batch at a time."""


# What only some sources know


def known_columns(source: Source) -> tuple[str, ...] | None:
    """List the columns of a source, or return None if only reading rows would show them."""
    names: Sequence[str] | None = getattr(source, "names", None)
    return None if names is None else tuple(names)


def known_rows(source: Source) -> int | None:
    """Return the number of rows of a source, or None if it is not known before they are read."""
    rows: int | None = getattr(source, "rows", None)
    return rows


def paths_of(source: Source | None) -> tuple[Path, ...]:
    """List the files that a source reads; none for data in memory."""
    return tuple(getattr(source, "paths", ()))


def keeps_order(source: Source) -> bool:
    """Return whether rows arrive in the order in which they were written."""
    return bool(getattr(source, "keeps_order", True))


def has_varying_columns(source: Source) -> bool:
    """Return whether a column may be absent in the first rows, or change its type."""
    return bool(getattr(source, "varies", False))


class Addable(Protocol):
    """A value that can be added to others of its type: a tally or a number."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Addable)


class CannotCountError(Exception):
    """An engine does not count, so the rows have to be read. The error is handled inside this package."""


@runtime_checkable
class CountingSource(Protocol):
    """A source whose engine can count equal rows by itself, so that a table needs no rows."""

    def distinct(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield each combination of values with ``repeats``; a later batch may hold it again.

        Raise CannotCountError if the rows should be read instead, and InputError if they cannot be read.
        """


@runtime_checkable
class FoldingSource(Protocol):
    """A source whose rows are on other machines, where the reducer runs."""

    def fold(self, columns: Sequence[str], prepare: Callable[[Batch], T], empty: T) -> tuple[T, int]:
        """Fold as ``Reducer.fold_rows`` does, in order; ``prepare`` and ``empty`` can be pickled.

        ``Batch.first_row`` counts from the start of all rows if the tally has an attribute
        ``needs_positions``, which costs a pass that counts rows. Otherwise it counts in its partition.
        """


def _prepare_counts(batch: Batch, prepare: Callable[[Batch], T]) -> T:
    try:
        return prepare(batch)
    except InputError as error:
        # Counts do not show in which row the error is, so the rows are read.
        raise CannotCountError(str(error)) from None


def fold_batches(
    batches: Iterable[Batch], prepare: Callable[[Batch], T], empty: T, rows: int | None = None
) -> tuple[T, int]:
    """Turn each batch into a value, add the values up, count rows and report progress out of ``rows``."""
    total, number = empty, 0
    with track_progress("rows read", rows) as done:
        for batch in batches:
            try:
                total = total + prepare(batch)
            except InputError as error:
                raise locate_error(error, batch) from None
            read = len(batch) if batch.repeats is None else int(batch.repeats.sum())
            number += read
            done(read)
    return total, number


def require_rows(batches: Iterable[Batch], otherwise: InputError) -> Iterator[Batch]:
    """Yield the batches unchanged, or raise an error if there are none.

    >>> next(require_rows([], InputError("frame: there are no rows")))
    Traceback (most recent call last):
    ...
    edgeworth.errors.InputError: frame: there are no rows
    """
    is_empty = True
    for batch in batches:
        is_empty = False
        yield batch
    if is_empty:
        raise otherwise


def no_rows_error(name: str) -> InputError:
    """Return the error for data without rows."""
    return InputError(f"{name}: there are no rows")


def locate_error(error: InputError, batch: Batch) -> InputError:
    """Return an error that names the row in its file, instead of the row among all files.

    >>> batch = Batch({"x": np.zeros(9)}, first_row=11, origin=FilePlace("b.csv", 10))
    >>> str(locate_error(InputError("x is missing in row 12"), batch))
    'x is missing in row 2 of b.csv'

    Text in quotation marks comes from the user and is not changed.

    >>> str(locate_error(InputError("saw the text 'row 19' in row 12"), batch))
    "saw the text 'row 19' in row 2 of b.csv"
    """
    origin = batch.origin
    if origin is None:
        return error

    def in_file(match: re.Match[str]) -> str:
        row = 0 if match[1] is None else int(match[1].replace(",", "")) - origin.rows_before
        return f"row {row:,} of {origin.file}" if row > 0 else match[0]

    return InputError(ROW_OR_QUOTED.sub(in_file, str(error)))


def check_columns(wanted: Sequence[str], available: Sequence[str], where: str) -> None:
    """Raise an error unless each wanted column exists exactly once; the message lists near names."""
    names_by_lower_case: dict[str, list[str]] = {}
    for column in available:
        if isinstance(column, str):
            names_by_lower_case.setdefault(column.lower(), []).append(column)
    for name in wanted:
        twins = names_by_lower_case.get(name.lower(), [])
        if name not in twins:
            raise InputError(f"{where} has no column {name!r}{_near_misses(name, twins, available)}")
        if len(set(twins)) > 1:
            raise InputError(
                f"{where} has columns that differ only in case ({', '.join(map(repr, sorted(set(twins))))}): "
                "rename one, because some engines ignore case"
            )
        if len(twins) > 1:
            raise InputError(f"{where} has {len(twins)} columns named {name!r}: rename all but one")


def _near_misses(name: str, twins: list[str], available: Sequence[str]) -> str:
    inner = [column for column in map(str, available) if column.lower().endswith(f".{name.lower()}")]
    near = twins or inner[:3] or difflib.get_close_matches(name, map(str, available), n=3, cutoff=0.5)
    if near:
        return f"; did you mean {' or '.join(map(repr, near))}?"
    shown = ", ".join(map(repr, available[:8])) + (", …" if len(available) > 8 else "")
    return f"; it has {shown}" if available else "; it has no columns"


@dataclass(frozen=True)
class Reducer(Generic[T]):
    """How to make a tally from the named columns of a source. Everything in it can be pickled.

    ``counts_suffice`` means that ``prepare`` needs only the number of times that each row occurs
    (``Batch.repeats``), so that an engine may count the rows.
    """

    columns: Sequence[str]
    prepare: Callable[[Batch], T]
    empty: T
    counts_suffice: bool = False

    def fold(self, source: Source) -> T:
        """Turn each batch of a source into a value and add the values up."""
        return self.fold_rows(source)[0]

    def fold_rows(self, source: Source) -> tuple[T, int]:
        """Fold a source; also return the number of rows, which may differ from the sum of weights."""
        wanted = list(dict.fromkeys(self.columns))
        if isinstance(source, FoldingSource):
            return source.fold(wanted, self.prepare, self.empty)
        rows = known_rows(source)
        if self.counts_suffice and isinstance(source, CountingSource):
            try:
                prepare = partial(_prepare_counts, prepare=self.prepare)
                return fold_batches(source.distinct(wanted), prepare, self.empty, rows)
            except CannotCountError:
                pass
        return fold_batches(source.batches(wanted), self.prepare, self.empty, rows)
