"""Join the rows of several systems, in one file or several, by an id into one wide table."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.progress import track_progress
from edgeworth.errors import InputError, UnmatchedError
from edgeworth.sources.arrow import TextColumn, arrow_column
from edgeworth.sources.batches import Batch, Source, known_rows, paths_of
from edgeworth.sources.columns import MISSING, Coded, Column, Label, concatenate, encode, encode_all
from edgeworth.sources.formats import COMPRESSED, FORMATS
from edgeworth.sources.numbers import NUMBER, as_scores
from edgeworth.sources.opening import ArraySource

if TYPE_CHECKING:
    import pyarrow as pa

    from edgeworth.sources.arrow import TextArray

    Ids: TypeAlias = list[str] | pa.ChunkedArray[pa.StringScalar]

MAX_IDS_SHOWN = 3
"""Ids that a message names."""

ID_SEPARATOR = "\x1f"
"""The character between the columns of an id."""

FILL_JOIN_COLUMN = "rows are joined by this column, so fill it in, or drop such rows beforehand"
DROP_OR_SET_MISSING = "drop such rows beforehand, or choose how missing values count (missing=, --missing)"

RowNumbers = NDArray[np.intp]


def name_systems(tables: Sequence[object]) -> list[str]:
    """Name systems after their files, or after their folders if the files have the same name.

    >>> name_systems(["out/small.csv.gz", "out/large.csv"]), name_systems(["a/p.csv", "b/p.csv"])
    (['small', 'large'], ['a', 'b'])
    """
    paths = [Path(table) if isinstance(table, (str, os.PathLike)) else None for table in tables]
    ways = ([_stem(path) for path in paths], [path.parent.name if path else "" for path in paths])
    names = next(
        (candidate for candidate in ways if len(set(candidate)) == len(candidate) and all(candidate)), None
    )
    return names or [str(path or f"table {number}") for number, path in enumerate(paths, start=1)]


def _stem(path: Path | None) -> str:
    if path is None or glob.has_magic(path.name):
        return "" if path is None else path.parent.name
    endings = {*COMPRESSED, *chain(*(form.endings + form.other_endings for form in FORMATS))}
    while path.suffix.lower() in endings:
        path = path.with_suffix("")
    return path.name


@dataclass(frozen=True)
class Table:
    """A source of a system's rows, its columns that describe the case, and its columns of predictions."""

    name: str
    source: Source
    shared: Sequence[str]
    own: Sequence[str]


def paths_of_tables(tables: Sequence[Table]) -> tuple[Path, ...]:
    """List the files of tables."""
    return tuple(path for table in tables for path in paths_of(table.source))


@dataclass(frozen=True)
class Rows:
    """The rows of all tables, one table after the other: the system, the id and the values of each row."""

    by: str
    """The column of the id, for messages."""
    names: tuple[str, ...]
    """The tables, or the systems of one table."""
    owners: RowNumbers
    ids: Ids
    values: Mapping[str | int, Column]
    """The values of a shared column by its name, and of a system's own column by its number."""

    @property
    def title(self) -> str:
        """The name of the joined rows as a source."""
        return f"{', '.join(self.names)}, joined by {self.by}"

    @cached_property
    def cases(self) -> RowNumbers:
        """The number of each row's case."""
        return number_cases(self.ids)

    def id_of(self, row: int) -> str:
        """Return the id of a row for messages."""
        return f"{self.by} {str(self.ids[row]).replace(ID_SEPARATOR, ', ')!r}"


def read_rows(tables: Sequence[Table], by: Sequence[str], system: str | None, are_numbers: bool) -> Rows:
    """Read the columns of all tables; ``are_numbers`` means that the systems' own columns are no labels."""
    is_text = any(table.source.is_text for table in tables)
    names: dict[str, int] = {} if system else {table.name: index for index, table in enumerate(tables)}
    owners: list[RowNumbers] = []
    ids: list[list[str] | TextArray] = []
    shared = [name for table in tables for name in table.shared]
    values: dict[str | int, list[Column]] = {
        x: [] for x in (*shared, *range(max(len(x.own) for x in tables)))
    }
    for table in tables:
        source_name = table.source.name
        columns: dict[str | int, str] = {name: name for name in table.shared} | dict(enumerate(table.own))
        wanted = dict.fromkeys([*by, *columns.values(), *([] if system is None else [system])])
        with track_progress("rows read", known_rows(table.source)) as done:
            for batch in table.source.batches(list(wanted)):
                ids.append(_as_texts(batch, by, source_name))
                if system is None:
                    owners.append(np.full(len(batch), names[table.name], dtype=np.intp))
                else:
                    coded = encode_all(
                        batch.columns[system], f"{source_name}: {system}", batch.first_row, FILL_JOIN_COLUMN
                    )
                    indexes = [names.setdefault(as_text(label), len(names)) for label in coded.labels]
                    owners.append(np.array(indexes, dtype=np.intp)[coded.codes])
                for role, parts in values.items():
                    name = columns.get(role)
                    column = Coded(np.full(len(batch), MISSING), ()) if name is None else batch.columns[name]
                    if isinstance(role, int) and are_numbers:
                        parts.append(as_scores(column, name or "", batch.first_row))
                    else:
                        coded = encode(column, name or "")
                        parts.append(
                            Coded(coded.codes, tuple(map(as_text, coded.labels))) if is_text else coded
                        )
                done(len(batch))
    joined = {role: concatenate(parts) for role, parts in values.items()}
    return Rows(" and ".join(by), tuple(names), np.concatenate(owners), _concatenate_ids(ids), joined)


def as_text(label: Label) -> str:
    """Write a label as files do, 7 for 7.0, so that a number in one table equals the text in another.

    >>> as_text(7.0), as_text("7"), as_text(0.5)
    ('7', '7', '0.5')
    """
    return str(int(label)) if isinstance(label, float) and float(label).is_integer() else str(label)


# Ids are Arrow texts, which take a tenth of the time of Python's; without pyarrow they are lists.


def _as_texts(batch: Batch, by: Sequence[str], source: str) -> list[str] | TextArray:
    """Return the id of each row as text, from one column or several."""
    columns = [batch.columns[name] for name in by]
    if len(columns) == 1 and isinstance(columns[0], TextColumn) and not columns[0].array.null_count:
        return columns[0].array
    names = [f"{source}: {name}" for name in by]
    coded = [
        encode_all(x, name, batch.first_row, FILL_JOIN_COLUMN) for x, name in zip(columns, names, strict=True)
    ]
    texts = (Coded(part.codes, tuple(map(as_text, part.labels))).tolist() for part in coded)
    rows = [ID_SEPARATOR.join(map(str, row)) for row in zip(*texts, strict=True)]
    try:
        import pyarrow as pa
    except ImportError:
        return rows
    return pa.array(rows)


def _concatenate_ids(parts: list[list[str] | TextArray]) -> Ids:
    lists = [part for part in parts if isinstance(part, list)]
    if len(lists) == len(parts):
        return list(chain(*lists))
    import pyarrow as pa

    return pa.chunked_array([part for part in parts if not isinstance(part, list)])


def number_cases(ids: Ids) -> RowNumbers:
    """Number the cases: equal ids have one number, different ones have different numbers."""
    if isinstance(ids, list):
        index: dict[str, int] = {}
        return np.array([index.setdefault(case_id, len(index)) for case_id in ids], dtype=np.intp)
    # The chunks share one dictionary.
    import pyarrow as pa

    chunks: Sequence[object] = ids.dictionary_encode().chunks
    indices = [chunk.indices for chunk in chunks if isinstance(chunk, pa.DictionaryArray)]
    codes = concatenate([arrow_column(part, "id") for part in indices])
    assert isinstance(codes, np.ndarray)
    return codes.astype(np.intp)


def join_rows(
    rows: Rows, tables: Sequence[Table], *, unmatched: str, missing: str
) -> tuple[ArraySource, dict[str, list[str]], tuple[str, ...]]:
    """Join rows by their ids into one table; return it, each system's columns, and notes on dropped rows.

    Tables that have a shared column must agree on it. An id that some lack is dropped, or is an error.
    """
    row_numbers = find_rows(rows)
    notices = describe_unmatched(rows, row_numbers, unmatched)
    row_numbers = row_numbers[np.all(row_numbers >= 0, axis=1)]
    row_numbers = row_numbers[np.argsort(row_numbers[:, 0])]
    shared = [role for role in rows.values if isinstance(role, str)]
    columns: dict[str, Column] = {role: _agree(rows, role, row_numbers) for role in shared}
    of_tables = {table.name: table.own for table in tables}
    own = {name: of_tables.get(name, tables[0].own) for name in rows.names}
    systems: dict[str, list[str]] = {name: [] for name in rows.names if own[name]}
    for name, (number, own_column) in ((x, pair) for x in systems for pair in enumerate(own[x])):
        system_rows, values = row_numbers[:, rows.names.index(name)], rows.values[number]
        own_values = (
            Coded(values.codes[system_rows], values.labels)
            if isinstance(values, Coded)
            else values[system_rows]
        )
        absent = own_values.codes == MISSING if isinstance(own_values, Coded) else np.isnan(own_values)
        if missing == "error" and absent.any():
            case = rows.id_of(int(system_rows[np.argmax(absent)]))
            raise InputError(f"{name} has no {own_column} for {case}: {DROP_OR_SET_MISSING}")
        column = name if len(own[name]) == 1 and name not in shared else f"{name}: {own_column}"
        columns[column] = own_values
        systems[name].append(column)
    source = ArraySource(columns, rows.title)
    source.is_text = any(table.source.is_text for table in tables)
    source.paths = paths_of_tables(tables)
    return source, systems, notices


def find_rows(rows: Rows, *, may_repeat: bool = False) -> RowNumbers:
    """Return the first row of each case in each table, -1 if a table lacks the case."""
    cases, number = rows.cases, len(rows.names)
    cells, row_numbers = cases * number + rows.owners, np.arange(len(cases))
    first_rows = np.full((cases.max() + 1) * number, MISSING, dtype=np.intp)
    first_rows[cells[::-1]] = row_numbers[::-1]
    if not may_repeat and np.count_nonzero(first_rows >= 0) < len(cells):
        again = first_rows[cells] != row_numbers
        row = int(np.argmax(again))
        more = len(np.unique(cells[again])) - 1
        raise InputError(
            f"{rows.names[rows.owners[row]]} has {rows.id_of(row)} more than once"
            f"{f' ({more:,} more ids also repeat)' if more else ''}: "
            "keep one row per case (only grades may repeat)"
        )
    return first_rows.reshape(-1, number)


def describe_unmatched(rows: Rows, row_numbers: RowNumbers, unmatched: str) -> tuple[str, ...]:
    """Describe the ids that some table lacks; raise an error if none matches, or if all must match."""
    is_whole: NDArray[np.bool_] = np.all(row_numbers >= 0, axis=1)
    unmatched_by_system: dict[str, tuple[int, str]] = {}
    for system, name in enumerate(rows.names):
        unmatched_rows = np.sort(row_numbers[~is_whole & (row_numbers[:, system] >= 0), system])
        if len(unmatched_rows):
            shown = "; ".join(map(rows.id_of, unmatched_rows[:MAX_IDS_SHOWN].tolist()))
            more = "; …" if len(unmatched_rows) > MAX_IDS_SHOWN else ""
            unmatched_by_system[name] = len(unmatched_rows), f"{shown}{more}"
    unmatched_texts = [f"{n:,} in {name} ({ids})" for name, (n, ids) in unmatched_by_system.items()]
    lacking = f"Without a match: {', '.join(unmatched_texts)}"
    if not is_whole.any():
        raise InputError(f"no {rows.by} is in all of {', '.join(rows.names)}. {lacking}")
    if unmatched_texts and unmatched == "error":
        raise UnmatchedError(f"{rows.by} does not match in all tables. {lacking}", unmatched_by_system)
    summary = f"{is_whole.sum():,} cases were joined by {rows.by}"
    return (f"{summary}; dropped as unmatched: {', '.join(unmatched_texts)}.",) if unmatched_texts else ()


def _agree(rows: Rows, role: str, row_numbers: RowNumbers) -> Coded:
    """Return the shared value of each case, or raise an error if two tables differ."""
    values = rows.values[role]
    assert isinstance(values, Coded)
    # A column with gaps comes out of pandas as 1.0 and 0.0.
    numbers = {label: float(str(label)) for label in values.labels if NUMBER.fullmatch(str(label).strip())}
    first: dict[Label, int] = {}
    same = [first.setdefault(numbers.get(label, label), code) for code, label in enumerate(values.labels)]
    equivalent = np.array([*same, MISSING], dtype=np.intp)
    codes = np.full(len(row_numbers), MISSING, dtype=np.intp)
    for system, name in enumerate(rows.names):
        system_codes = values.codes[row_numbers[:, system]]
        differ = (
            (equivalent[codes] != equivalent[system_codes]) & (codes != MISSING) & (system_codes != MISSING)
        )
        if differ.any():
            case = int(np.argmax(differ))
            one, other = values.labels[codes[case]], values.labels[system_codes[case]]
            other_name = next(
                x
                for x, row in zip(rows.names, row_numbers[case], strict=True)
                if values.codes[row] == codes[case]
            )
            raise InputError(
                f"{rows.id_of(int(row_numbers[case, system]))} has {role} {one!r} in {other_name} "
                f"and {other!r} in {name}: correct one, or pass the right file (--truth-file)"
            )
        codes = np.where(codes == MISSING, system_codes, codes)
    return Coded(codes, values.labels)
