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
from edgeworth.errors import InputError
from edgeworth.sources.arrow import TextColumn, arrow_column
from edgeworth.sources.batches import Batch, Source
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

BY_IT = "rows are joined by it, so fill it in, or drop such rows beforehand"
DROP = "drop such rows beforehand, or say what they mean (missing=, --missing)"

Places = NDArray[np.intp]


def name_systems(tables: Sequence[object]) -> list[str]:
    """Name systems after their files, or after their folders where the files are called alike.

    >>> name_systems(["out/small.csv.gz", "out/large.csv"]), name_systems(["a/p.csv", "b/p.csv"])
    (['small', 'large'], ['a', 'b'])
    """
    paths = [Path(table) if isinstance(table, (str, os.PathLike)) else None for table in tables]
    ways = ([_stem(path) for path in paths], [path.parent.name if path else "" for path in paths])
    names = next((each for each in ways if len(set(each)) == len(each) and all(each)), None)
    return names or [str(path or f"table {place}") for place, path in enumerate(paths, start=1)]


def _stem(path: Path | None) -> str:
    if path is None or glob.has_magic(path.name):
        return "" if path is None else path.parent.name
    endings = {*COMPRESSED, *chain(*(each.endings + each.other_endings for each in FORMATS))}
    while path.suffix.lower() in endings:
        path = path.with_suffix("")
    return path.name


@dataclass(frozen=True)
class Table:
    """A source of a system's rows, which columns of a case it has, and which are the system's own."""

    name: str
    source: Source
    shared: Sequence[str]
    own: Sequence[str]


def paths_of(tables: Sequence[Table]) -> tuple[Path, ...]:
    """List the files of tables."""
    return tuple(path for table in tables for path in getattr(table.source, "paths", ()))


@dataclass(frozen=True)
class Rows:
    """The rows of all tables below each other: the system, the id and the values of each."""

    by: str
    """The column of the id, for sentences."""
    names: tuple[str, ...]
    """The tables, or the systems of one table."""
    owners: Places
    ids: Ids
    values: Mapping[str | int, Column]
    """The values of a shared column by its name, and of a system's own by its place."""

    @property
    def title(self) -> str:
        """Name the source that the joined rows are."""
        return f"{', '.join(self.names)}, joined by {self.by}"

    @cached_property
    def cases(self) -> Places:
        """The number of each row's case."""
        return number_cases(self.ids)

    def id_of(self, row: int) -> str:
        """Show the id of a row."""
        return f"{self.by} {str(self.ids[row]).replace(ID_SEPARATOR, ', ')!r}"


def read_rows(tables: Sequence[Table], by: Sequence[str], system: str | None, are_numbers: bool) -> Rows:
    """Read the columns of all tables; ``are_numbers``: the systems' own hold numbers, and not labels."""
    is_text = any(table.source.is_text for table in tables)
    names: dict[str, int] = {} if system else {table.name: place for place, table in enumerate(tables)}
    owners: list[Places] = []
    ids: list[list[str] | TextArray] = []
    shared = [name for table in tables for name in table.shared]
    values: dict[str | int, list[Column]] = {
        x: [] for x in (*shared, *range(max(len(x.own) for x in tables)))
    }
    for table in tables:
        said = table.source.name
        columns: dict[str | int, str] = {name: name for name in table.shared} | dict(enumerate(table.own))
        wanted = dict.fromkeys([*by, *columns.values(), *([] if system is None else [system])])
        with track_progress("rows read", getattr(table.source, "rows", None)) as done:
            for batch in table.source.batches(list(wanted)):
                ids.append(_as_texts(batch, by, said))
                if system is None:
                    owners.append(np.full(len(batch), names[table.name], dtype=np.intp))
                else:
                    coded = encode_all(batch.columns[system], f"{said}: {system}", batch.first_row, BY_IT)
                    places = [names.setdefault(as_text(label), len(names)) for label in coded.labels]
                    owners.append(np.array(places, dtype=np.intp)[coded.codes])
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
    """Write a label as files do: 7 of 7.0, so that what was a number here is the same text there.

    >>> as_text(7.0), as_text("7"), as_text(0.5)
    ('7', '7', '0.5')
    """
    return str(int(label)) if isinstance(label, float) and float(label).is_integer() else str(label)


# Ids are Arrow's texts, which take a tenth of the time of Python's; without pyarrow they are lists.


def _as_texts(batch: Batch, by: Sequence[str], source: str) -> list[str] | TextArray:
    """Return the id of each row as text, from one column or several."""
    columns = [batch.columns[name] for name in by]
    if len(columns) == 1 and isinstance(columns[0], TextColumn) and not columns[0].array.null_count:
        return columns[0].array
    names = [f"{source}: {name}" for name in by]
    coded = [encode_all(x, name, batch.first_row, BY_IT) for x, name in zip(columns, names, strict=True)]
    texts = (Coded(each.codes, tuple(map(as_text, each.labels))).tolist() for each in coded)
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


def number_cases(ids: Ids) -> Places:
    """Number the cases: equal ids have one number, different ones have different numbers."""
    if isinstance(ids, list):
        index: dict[str, int] = {}
        return np.array([index.setdefault(each, len(index)) for each in ids], dtype=np.intp)
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
    """Join rows by their ids into one table, and say which columns are each system's and what was left out.

    Tables that have a shared column must agree on it. An id that some lack is left out, or is an error.
    """
    found = find_rows(rows)
    notices = tell_unmatched(rows, found, unmatched)
    found = found[np.all(found >= 0, axis=1)]
    found = found[np.argsort(found[:, 0])]
    shared = [role for role in rows.values if isinstance(role, str)]
    columns: dict[str, Column] = {role: _agree(rows, role, found) for role in shared}
    of_tables = {table.name: table.own for table in tables}
    own = {name: of_tables.get(name, tables[0].own) for name in rows.names}
    systems: dict[str, list[str]] = {name: [] for name in rows.names if own[name]}
    for name, (place, own_column) in ((x, pair) for x in systems for pair in enumerate(own[x])):
        at, values = found[:, rows.names.index(name)], rows.values[place]
        taken = Coded(values.codes[at], values.labels) if isinstance(values, Coded) else values[at]
        absent = taken.codes == MISSING if isinstance(taken, Coded) else np.isnan(taken)
        if missing == "error" and absent.any():
            case = rows.id_of(int(at[np.argmax(absent)]))
            raise InputError(f"{name} has no {own_column} for {case}: {DROP}")
        column = name if len(own[name]) == 1 and name not in shared else f"{name}: {own_column}"
        columns[column] = taken
        systems[name].append(column)
    source = ArraySource(columns, rows.title)
    source.is_text = any(table.source.is_text for table in tables)
    source.paths = paths_of(tables)
    return source, systems, notices


def find_rows(rows: Rows, *, may_repeat: bool = False) -> Places:
    """Find the row of each case in each table, the first one if it repeats, -1 where a table lacks it."""
    cases, number = rows.cases, len(rows.names)
    cells, places = cases * number + rows.owners, np.arange(len(cases))
    found = np.full((cases.max() + 1) * number, MISSING, dtype=np.intp)
    found[cells[::-1]] = places[::-1]
    if not may_repeat and np.count_nonzero(found >= 0) < len(cells):
        again = found[cells] != places
        row = int(np.argmax(again))
        more = len(np.unique(cells[again])) - 1
        raise InputError(
            f"{rows.names[rows.owners[row]]} has {rows.id_of(row)} more than once"
            f"{f' ({more:,} more ids also repeat)' if more else ''}: a case has one row; only grades repeat"
        )
    return found.reshape(-1, number)


def tell_unmatched(rows: Rows, found: Places, unmatched: str) -> tuple[str, ...]:
    """Say which ids are not in every table; an error where they were to match, or where none does."""
    is_whole: NDArray[np.bool_] = np.all(found >= 0, axis=1)
    said = []
    for place, name in enumerate(rows.names):
        left = np.sort(found[~is_whole & (found[:, place] >= 0), place])
        if len(left):
            shown = "; ".join(map(rows.id_of, left[:MAX_IDS_SHOWN].tolist()))
            said.append(f"{len(left):,} of {name} ({shown}{'; …' if len(left) > MAX_IDS_SHOWN else ''})")
    if not is_whole.any():
        raise InputError(
            f"no {rows.by} is in all of {', '.join(rows.names)}: unmatched are {', '.join(said)}"
        )
    if said and unmatched == "error":
        raise InputError(f"{rows.by} does not match everywhere: unmatched are {', '.join(said)}")
    kept = f"{is_whole.sum():,} cases were joined by {rows.by}"
    return (f"{kept}; unmatched and left out were {', '.join(said)}.",) if said else ()


def _agree(rows: Rows, role: str, found: Places) -> Coded:
    """Take what the tables say of each case, which is to be the same."""
    values = rows.values[role]
    assert isinstance(values, Coded)
    # A column with gaps comes out of pandas as 1.0 and 0.0.
    numbers = {label: float(str(label)) for label in values.labels if NUMBER.fullmatch(str(label).strip())}
    first: dict[Label, int] = {}
    same = [first.setdefault(numbers.get(label, label), code) for code, label in enumerate(values.labels)]
    meant = np.array([*same, MISSING], dtype=np.intp)
    said = np.full(len(found), MISSING, dtype=np.intp)
    for place, name in enumerate(rows.names):
        here = values.codes[found[:, place]]
        differ = (meant[said] != meant[here]) & (said != MISSING) & (here != MISSING)
        if differ.any():
            case = int(np.argmax(differ))
            one, other = values.labels[said[case]], values.labels[here[case]]
            other_name = next(
                x for x, row in zip(rows.names, found[case], strict=True) if values.codes[row] == said[case]
            )
            raise InputError(
                f"{rows.id_of(int(found[case, place]))} has {role} {one!r} in {other_name} and {other!r} in "
                f"{name}: correct one, or name the right file (--truth-file)"
            )
        said = np.where(said == MISSING, here, said)
    return Coded(said, values.labels)
