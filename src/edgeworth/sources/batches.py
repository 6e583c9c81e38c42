"""The one shape in which data arrive: batches of named columns, folded by a reducer that is handed in.

A source does not know what is being counted. It yields batches; ``fold`` prepares each one into a value
and adds the values up. Arrays, dataframes and files differ only in how they cut themselves into batches."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import partial
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
    """Which of several files a batch comes from, and how many rows stand in the files before it."""

    file: str
    rows_before: int


@dataclass(frozen=True)
class Batch:
    """Columns of equal length, and the position of their first row in the whole (counted from 1)."""

    columns: Mapping[str, Column]
    first_row: int = 1
    repeats: NDArray[np.int64] | None = None
    """For how many rows each row stands, where an engine has counted them; None: each for itself."""
    origin: FilePlace | None = None
    """Where errors are to say that a row is, when there are several files."""

    def __post_init__(self) -> None:
        check_lengths(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))


def check_lengths(columns: Mapping[str, Sized | None]) -> int:
    """Count the rows of columns, those that are there, which must have the same number of them."""
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} has {length:,}" for name, length in lengths.items())
        raise InputError(f"columns must have the same number of rows: {said}")
    return max(lengths.values(), default=0)


class Source(Protocol):
    """Something with named columns that can be read in batches, in order, any number of times."""

    @property
    def name(self) -> str:
        """What to call it in a report."""

    @property
    def is_text(self) -> bool:
        """True when every value arrives as text, so that numbers have to be recognised afterwards."""

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The named columns, batch by batch."""


class Addable(Protocol):
    """A tally, or a number: values of one type that can be added."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Addable)


class CannotCountError(Exception):
    """An engine declines to count, and nothing is wrong: the rows are to be read. No caller ever sees it."""


@runtime_checkable
class CountingSource(Protocol):
    """A source whose engine can count equal rows by itself, which is all that a table needs."""

    def distinct(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Each combination of values once, with ``repeats``; a combination may come back in a later batch.

        CannotCountError where the rows had better be read; InputError where they cannot be read either.
        """


@runtime_checkable
class FoldingSource(Protocol):
    """A source whose rows are elsewhere, so that the reducer goes to them."""

    def fold(self, columns: Sequence[str], prepare: Callable[[Batch], T], empty: T) -> tuple[T, int]:
        """Fold as ``Reducer.fold_rows`` does; ``prepare`` and ``empty`` can be pickled, parts stay in order.

        ``Batch.first_row`` counts from the start of all rows only for a tally that says so in an attribute
        ``needs_positions``, since it costs a pass that counts; for any other it counts in its partition.
        """


def _prepare_counts(batch: Batch, prepare: Callable[[Batch], T]) -> T:
    try:
        return prepare(batch)
    except InputError as error:
        # Counts do not know in which row something is wrong: the rows themselves will say it.
        raise CannotCountError(str(error)) from None


def fold_batches(
    batches: Iterable[Batch], prepare: Callable[[Batch], T], empty: T, rows: int | None = None
) -> tuple[T, int]:
    """Prepare each batch into a value, add them up and count rows, telling how many of ``rows`` are done."""
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
    """The same batches; where there is none, the error.

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
    """What is said of data without rows."""
    return InputError(f"{name}: there are no rows")


def locate_error(error: InputError, batch: Batch) -> InputError:
    """An error about a row of all files as one about a row of its file.

    >>> batch = Batch({"x": np.zeros(9)}, first_row=11, origin=FilePlace("b.csv", 10))
    >>> str(locate_error(InputError("x is missing in row 12"), batch))
    'x is missing in row 2 of b.csv'

    What stands in quotation marks are the user's own words, whatever they say.

    >>> str(locate_error(InputError("saw the text 'row 19' in row 12"), batch))
    "saw the text 'row 19' in row 2 of b.csv"
    """
    origin = batch.origin
    if origin is None:
        return error

    def in_file(found: re.Match[str]) -> str:
        row = 0 if found[1] is None else int(found[1].replace(",", "")) - origin.rows_before
        return f"row {row:,} of {origin.file}" if row > 0 else found[0]

    return InputError(ROW_OR_QUOTED.sub(in_file, str(error)))


def check_columns(wanted: Sequence[str], available: Sequence[str], where: str) -> None:
    """Check that each wanted column is there exactly once, or say what is there instead."""
    alike: dict[str, list[str]] = {}
    for column in available:
        if isinstance(column, str):
            alike.setdefault(column.lower(), []).append(column)
    for name in wanted:
        twins = alike.get(name.lower(), [])
        if name not in twins:
            raise InputError(f"{where} has no column {name!r}{_near_misses(name, twins, available)}")
        if len(set(twins)) > 1:
            raise InputError(
                f"{where} has columns that differ only in case ({', '.join(map(repr, sorted(set(twins))))}): "
                "rename one, some engines cannot tell them apart"
            )
        if len(twins) > 1:
            raise InputError(f"{where} has {len(twins)} columns named {name!r}: rename all but one")


def _near_misses(name: str, twins: list[str], available: Sequence[str]) -> str:
    inner = [each for each in map(str, available) if each.lower().endswith(f".{name.lower()}")]
    near = twins or inner[:3] or difflib.get_close_matches(name, map(str, available), n=3, cutoff=0.5)
    if near:
        return f"; did you mean {' or '.join(map(repr, near))}?"
    shown = ", ".join(map(repr, available[:8])) + (", …" if len(available) > 8 else "")
    return f"; it has {shown}" if available else "; it has no columns"


@dataclass(frozen=True)
class Reducer(Generic[T]):
    """From the named columns of a source to a tally. Everything in it can be pickled.

    ``counts_suffice`` says that ``prepare`` needs only how often each row occurs (``Batch.repeats``), so that
    an engine which can count by itself may.
    """

    columns: Sequence[str]
    prepare: Callable[[Batch], T]
    empty: T
    counts_suffice: bool = False

    def fold(self, source: Source) -> T:
        """Prepare each batch of a source into a value and add them up."""
        return self.fold_rows(source)[0]

    def fold_rows(self, source: Source) -> tuple[T, int]:
        """The same, and how many rows were read: weights and lists do not tell."""
        wanted = list(dict.fromkeys(self.columns))
        if isinstance(source, FoldingSource):
            return source.fold(wanted, self.prepare, self.empty)
        rows: int | None = getattr(source, "rows", None)
        if self.counts_suffice and isinstance(source, CountingSource):
            try:
                prepare = partial(_prepare_counts, prepare=self.prepare)
                return fold_batches(source.distinct(wanted), prepare, self.empty, rows)
            except CannotCountError:
                pass
        return fold_batches(source.batches(wanted), self.prepare, self.empty, rows)
