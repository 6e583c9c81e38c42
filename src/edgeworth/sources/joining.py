"""Systems in files of their own, or below each other in one: joined by an id into one wide table."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.progress import progress_of
from edgeworth.sources.arrow import TextColumn
from edgeworth.sources.batches import Batch, Source
from edgeworth.sources.columns import MISSING, Coded, Column, Label, encode
from edgeworth.sources.formats import COMPRESSED, FORMATS
from edgeworth.sources.numbers import NUMBER, as_scores
from edgeworth.sources.opening import ArraySource

LISTED_IDS = 3
"""So many ids are named in a sentence."""

DROP = "drop such rows beforehand, or say what they mean (missing=, --missing)"

Places = NDArray[np.intp]


def name_systems(tables: Sequence[Any]) -> list[str]:
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


def refuse_twice(tables: Iterable[Any]) -> None:
    """Refuse one file as two systems, under whatever names."""
    seen: dict[str, Any] = {}
    for table in tables:
        if isinstance(table, (str, os.PathLike)) and table != "-":
            real = os.path.realpath(table)
            if real in seen:
                said = (
                    f"{table} is"
                    if str(seen[real]) == str(table)
                    else f"{seen[real]} and {table} are one file,"
                )
                raise InputError(f"{said} given twice: a comparison needs a file for each system")
            seen[real] = table


@dataclass(frozen=True)
class Table:
    """A source of a system's rows, which columns of a case it has, and which are the system's own."""

    name: str
    source: Source
    shared: Sequence[str]
    own: Sequence[str]


@dataclass
class Rows:
    """The rows of all tables below each other: the table, the id and the values of each."""

    by: Sequence[str]
    are_numbers: bool
    """Whether the systems' own columns hold numbers, and not labels."""
    is_text: bool
    shared: Sequence[str]
    own: int
    """How many columns a system has."""
    names: dict[str, int] = field(default_factory=dict)
    """The tables, or the systems of one table, and their places."""
    owners: list[Places] = field(default_factory=list)
    ids: list[tuple[Any, ...]] = field(default_factory=list)
    """The texts of each column of the id, batch by batch."""
    values: dict[str | int, list[Any]] = field(default_factory=dict)
    """The values of each shared column by its name, and of each system's own by its place."""

    @property
    def said(self) -> str:
        """The columns of the id, for a sentence."""
        return " and ".join(self.by)

    def read(self, table: Table, system: str | None = None) -> None:
        """Read a table; ``system`` is the column that says whose each row is, where it is not all one's."""
        columns: dict[str | int, str] = {name: name for name in table.shared} | dict(enumerate(table.own))
        wanted = [*self.by, *columns.values(), *([] if system is None else [system])]
        with progress_of("rows read", getattr(table.source, "rows", None)) as done:
            for batch in table.source.batches(list(dict.fromkeys(wanted))):
                where = (table.source.name, batch.first_row)
                self.ids.append(tuple(_as_texts(batch.columns[name], name, *where) for name in self.by))
                if system is None:
                    place = self.names.setdefault(table.name, len(self.names))
                    self.owners.append(np.full(len(batch), place, dtype=np.intp))
                else:
                    coded = _without_gaps(batch.columns[system], system, *where)
                    places = [self.names.setdefault(as_text(x), len(self.names)) for x in coded.labels]
                    self.owners.append(np.array(places, dtype=np.intp)[coded.codes])
                for role in (*self.shared, *range(self.own)):
                    self.values.setdefault(role, []).append(self._column(batch, role, columns.get(role)))
                done(len(batch))

    def _column(self, batch: Batch, role: str | int, name: str | None) -> Column:
        """Take the column of a batch that plays a role; where there is none, every value is missing."""
        if isinstance(role, int) and self.are_numbers:
            if name is None:
                return np.full(len(batch), np.nan)
            return as_scores(batch.columns[name], name, batch.first_row)
        if name is None:
            return Coded(np.full(len(batch), MISSING, dtype=np.intp), ())
        coded = encode(batch.columns[name], name)
        return Coded(coded.codes, tuple(map(as_text, coded.labels))) if self.is_text else coded

    def column(self, role: str | int) -> Column:
        """Put the values of all batches together."""
        parts = self.values[role]
        if not isinstance(parts[0], Coded):
            return np.concatenate(parts)
        index: dict[Label, int] = {}
        places = [[*(index.setdefault(x, len(index)) for x in part.labels), MISSING] for part in parts]
        codes = [np.array(place, dtype=np.intp)[x.codes] for place, x in zip(places, parts, strict=True)]
        return Coded(np.concatenate(codes), tuple(index))

    def id_of(self, row: int) -> str:
        """Show the id of a row."""
        for texts in self.ids:
            if row < len(texts[0]):
                break
            row -= len(texts[0])
        return " and ".join(repr(str(column[row])) for column in texts)


def as_text(label: Label) -> str:
    """Write a label as files do: 7 of 7.0, so that what was a number here is the same text there.

    >>> as_text(7.0), as_text("7"), as_text(0.5)
    ('7', '7', '0.5')
    """
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _without_gaps(column: Column, name: str, source: str, first_row: int) -> Coded:
    coded = encode(column, name)
    if (coded.codes == MISSING).any():
        row = first_row + int(np.argmax(coded.codes == MISSING))
        raise InputError(f"{source}: {name} is missing in row {row:,}, and rows are joined by it")
    return coded


def _as_texts(column: Column, name: str, source: str, first_row: int) -> Any:
    """Make ids an Arrow array of text, or a list of it where there is no pyarrow."""
    if isinstance(column, TextColumn) and not column.array.null_count:
        return column.array.dictionary_decode()
    coded = _without_gaps(column, name, source, first_row)
    texts = [as_text(label) for label in coded.labels]
    try:
        import pyarrow as pa
    except ImportError:
        return [texts[code] for code in coded.codes.tolist()]
    return pa.DictionaryArray.from_arrays(coded.codes, pa.array(texts)).dictionary_decode()


FACTORS = np.array([[0x9E3779B97F4A7C15], [0xC2B2AE3D27D4EB4F]], dtype=np.uint64)
BYTES = np.array([(1 << 8 * number) - 1 for number in range(9)], dtype=np.uint64)
"""By the number of bytes that are left of a text, those of a word that belong to it."""
LONGEST_HASHED = 256


def _number_cases(ids: Sequence[tuple[Any, ...]]) -> Places:
    """Number the cases: equal ids have one number, different ones have different numbers.

    Texts of Arrow are hashed twice. Where two ids share the first hash but not the second, where texts are
    long, and where there is no Arrow, a dictionary numbers them one by one, which takes ten times as long.
    """
    hashes = [_hash(texts) for texts in ids]
    if all(each is not None for each in hashes):
        first, second = np.concatenate(hashes, axis=1)  # type: ignore[arg-type]  # no None by now
        order = np.argsort(first)
        is_new = np.diff(first[order]) != 0
        if not ((np.diff(second[order]) != 0) & ~is_new).any():
            cases = np.empty(len(order), dtype=np.intp)
            cases[order] = np.concatenate([[0], np.cumsum(is_new)])
            return cases
    index: dict[Any, int] = {}
    columns = ([x.to_pylist() if hasattr(x, "to_pylist") else x for x in texts] for texts in ids)
    rows = chain.from_iterable(zip(*texts, strict=True) for texts in columns)
    return np.array([index.setdefault(row, len(index)) for row in rows], dtype=np.intp)


def _hash(texts: tuple[Any, ...]) -> NDArray[np.uint64] | None:
    """Hash each row of some columns of Arrow's text, in two ways; None of lists, and where a text is long."""
    if isinstance(texts[0], list):
        return None
    found = np.zeros((2, len(texts[0])), dtype=np.uint64)
    for column in texts:
        bounds = np.frombuffer(column.buffers()[1], dtype=np.int32)[column.offset :][: len(column) + 1]
        data = np.frombuffer(column.buffers()[2] or b"", dtype=np.uint8)
        # A word begins at every byte.
        words: NDArray[np.uint64] = np.ndarray(len(data) + 1, "<u8", np.pad(data, (0, 8)), strides=(1,))
        lengths = np.diff(bounds)
        if lengths.max() > LONGEST_HASHED:
            return None
        found = (found ^ lengths.astype(np.uint64)) * FACTORS
        for start in range(0, int(lengths.max()), 8):
            # Only texts that reach so far: a hash is not to depend on the longest text beside it.
            rows = np.flatnonzero(lengths > start)
            word = words[bounds[rows] + start] & BYTES[np.minimum(lengths[rows] - start, 8)]
            mixed = (found[:, rows] ^ word) * FACTORS
            found[:, rows] = mixed ^ mixed >> np.uint64(32)
    return found


@dataclass(frozen=True)
class Joined:
    """A wide table of the cases that all systems have, and what to say of the others."""

    source: ArraySource
    systems: Mapping[str, list[str]]
    """The columns of each system."""
    notices: tuple[str, ...]


def join_tables(
    tables: Sequence[Table],
    by: Sequence[str],
    *,
    system: str | None,
    are_numbers: bool,
    unmatched: str,
    missing: str,
) -> Joined:
    """Join tables by their ids: of each case its shared columns, and those that each system has of it.

    Tables that have a shared column must agree on it. ``system`` is the column of one table that names the
    system of each row. An id that some lack is left out, or is an error (``unmatched``).
    """
    shared = dict.fromkeys(name for table in tables for name in table.shared)
    is_text = any(table.source.is_text for table in tables)
    rows = Rows(by, are_numbers, is_text, tuple(shared), max(len(table.own) for table in tables))
    for table in tables:
        rows.read(table, system)
    found = _find_rows(rows)
    is_whole: NDArray[np.bool_] = np.all(found >= 0, axis=1)
    notices = _tell_unmatched(rows, found, is_whole, unmatched)
    found = found[is_whole]
    found = found[np.argsort(found[:, 0])]
    columns: dict[str, Column] = {name: _agreed(rows, name, found) for name in shared}
    own = dict.fromkeys(rows.names, tables[0].own) if system else {x.name: x.own for x in tables}
    systems: dict[str, list[str]] = {}
    for place in range(rows.own):
        values = rows.column(place)
        for name, at in ((name, at) for name, at in rows.names.items() if own[name]):
            taken = (
                Coded(values.codes[found[:, at]], values.labels)
                if isinstance(values, Coded)
                else values[found[:, at]]
            )
            absent = taken.codes == MISSING if isinstance(taken, Coded) else np.isnan(taken)
            if missing == "error" and absent.any():
                case = rows.id_of(int(found[np.argmax(absent), at]))
                raise InputError(f"{name} has no {own[name][place]} for {rows.said} {case}: {DROP}")
            column = name if rows.own == 1 and name not in shared else f"{name}: {own[name][place]}"
            columns[column] = taken
            systems.setdefault(name, []).append(column)
    source = ArraySource(columns, f"{', '.join(rows.names)}, joined by {rows.said}")
    source.is_text = is_text
    source.paths = tuple(path for table in tables for path in getattr(table.source, "paths", ()))
    return Joined(source, systems, notices)


def _find_rows(rows: Rows) -> Places:
    """Find the row of each case in each table, -1 where a table lacks it."""
    cases, owners = _number_cases(rows.ids), np.concatenate(rows.owners)
    number = len(rows.names)
    cells, places = cases * number + owners, np.arange(len(cases))
    found = np.full((cases.max() + 1) * number, MISSING, dtype=np.intp)
    found[cells[::-1]] = places[::-1]
    again = found[cells] != places
    if again.any():
        row = int(np.argmax(again))
        more = len(np.unique(cells[again])) - 1
        also = f" ({more:,} more ids also repeat)" if more else ""
        raise InputError(
            f"{[*rows.names][owners[row]]} has {rows.said} {rows.id_of(row)} more than once{also}: "
            "a case has one row; only grades can be repeated"
        )
    return found.reshape(-1, number)


def _tell_unmatched(
    rows: Rows, found: Places, is_whole: NDArray[np.bool_], unmatched: str
) -> tuple[str, ...]:
    """Say which ids are not in every table; an error where they were to match, or where none does."""
    sentences = []
    for name, place in rows.names.items():
        left = np.sort(found[~is_whole & (found[:, place] >= 0), place])
        if len(left):
            shown = ", ".join(map(rows.id_of, left[:LISTED_IDS].tolist()))
            others = [other for other in rows.names if other != name]
            where = f"in {others[0]}" if len(others) == 1 else "in all of the others"
            more = ", …" if len(left) > LISTED_IDS else ""
            sentences.append(f"{len(left):,} of {name} not {where} ({shown}{more})")
    if not is_whole.any():
        raise InputError(f"no {rows.said} is in all of {', '.join(rows.names)}: {'; '.join(sentences)}")
    if sentences and unmatched == "error":
        raise InputError(f"{rows.said} does not match: {'; '.join(sentences)}")
    said = f"{is_whole.sum():,} cases were joined by {rows.said}; left out were {'; '.join(sentences)}."
    return (said,) if sentences else ()


def _agreed(rows: Rows, role: str, found: Places) -> Column:
    """Take what the tables say of each case, which is to be the same."""
    values = rows.column(role)
    assert isinstance(values, Coded)
    names, said = [*rows.names], np.full(len(found), MISSING, dtype=np.intp)
    for place in range(len(names)):
        here = values.codes[found[:, place]]
        differ = np.flatnonzero((said != here) & (said != MISSING) & (here != MISSING))
        for case in differ.tolist():
            one, other = values.labels[said[case]], values.labels[here[case]]
            if _number(one) is None or _number(one) != _number(other):
                before = next(x for x in range(place) if values.codes[found[case, x]] == said[case])
                raise InputError(
                    f"{rows.said} {rows.id_of(int(found[case, place]))} has {role} {one!r} in {names[before]}"
                    f" and {other!r} in {names[place]}: correct one, or name the right file (--truth-file)"
                )
        said = np.where(said == MISSING, here, said)
    return Coded(said, values.labels)


def _number(label: Label) -> float | None:
    return float(label) if isinstance(label, str) and NUMBER.fullmatch(label.strip()) else None
