"""From the tables of several systems, or one long table of them, to one with a column for each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from edgeworth.core.kinds import Kind
from edgeworth.core.options import GRADES, Options, select_options
from edgeworth.errors import InputError, OptionError
from edgeworth.pipeline.call_options import change, check_options, flag_name, given_options, requested_kind
from edgeworth.pipeline.slices import Slice, cross_columns, cut_slices, split_crossed
from edgeworth.pipeline.tally_rows import column_names
from edgeworth.sources.column_roles import guess_roles, names_of
from edgeworth.sources.columns import MISSING, Coded, encode
from edgeworth.sources.joining import (
    Table,
    describe_unmatched,
    find_rows,
    join_rows,
    name_systems,
    paths_of_tables,
    read_rows,
)
from edgeworth.sources.opening import open_source
from edgeworth.sources.paths import expand_paths

if TYPE_CHECKING:
    from edgeworth.grades.grades import Grades

Positions: TypeAlias = NDArray[np.intp]

TRUTH_FILE = "the truth file"
SHARED = ("cluster", "query", "fold", "id", "weight")
"""Roles of columns that describe a case, besides its truth."""


def find_truth(names: Sequence[str], taken: Iterable[object]) -> tuple[str, tuple[str, ...]]:
    """Find the column of truth if it was not named, with a notice."""
    guessed = guess_roles(names, {"prediction": list(taken)})
    if "truth" not in guessed.roles:
        doubt = " ".join(guessed.ambiguities) or "truth is needed: pass --truth, the column of actual classes"
        raise OptionError(doubt.rstrip("."))
    return str(guessed.roles["truth"]), guessed.notices


def refuse_tables(options: Options) -> None:
    """Refuse several tables if no option states whether they are systems or parts of one table."""
    data = options["data"]
    tables = data if isinstance(data, (list, tuple, Mapping)) else [data]
    are_parts = not isinstance(data, Mapping) and (len(tables) <= 1 or options["concatenate"])
    if not are_parts:
        raise OptionError(
            f"{len(tables)} tables are given without an option that combines them. If each is a system, "
            "join them by an id (join=, --join COLUMN). If they are parts of one table, put one below the "
            "other (concatenate=True, --concatenate). If they hold different cases, such as training and "
            "test data, count each with edgeworth tally and compare the two tallies"
        )
    for name in ("truth_file", "unmatched"):
        if name in given_options(options):
            raise OptionError(f"{flag_name(name)} needs join (--join COLUMN)")


def join_systems(
    truth: object, systems: object, options: Options
) -> tuple[str | None, dict[str, object], Options, tuple[str, ...]]:
    """Join tables by their ids, or split one by its systems: truth, systems and data of one wide table."""
    tables, by, actual, notices = _open_tables(_column_name(truth, "truth"), systems, options)
    named = systems.values() if isinstance(systems, Mapping) else [systems]
    is_wide = not all(isinstance(column, str) for column in named)
    kind = requested_kind(options)
    are_numbers = is_wide or not (kind is None or kind.predicts_classes)
    rows = read_rows(tables, by, _column_name(options["system"], "system"), are_numbers)
    source, columns, left_out = join_rows(
        rows, tables, unmatched=options["unmatched"], missing=options["missing"]
    )
    wide: dict[str, object] = {name: own if is_wide else own[0] for name, own in columns.items()}
    case_id = options["id"] if options["system"] is None else None
    options = change(options, data=source, join=None, truth_file=None, system=None, id=case_id)
    return actual, wide, options, (*left_out, *notices)


class JoinedGrades(NamedTuple):
    """The grades of each system, in all and in slices (whose arrays are such tallies), and their files."""

    kind: Kind[Grades]
    grades: dict[str, Grades]
    title: str
    paths: tuple[Path, ...]
    notices: tuple[str, ...]
    slices: list[Slice[Grades]]


def join_grades(systems: object, options: Options) -> JoinedGrades:
    """Tally the grades of each system by the id, whose repeats belong to one item."""
    from edgeworth.grades.grades import Grades, as_points, as_right
    from edgeworth.grades.kind import GRADES as GRADES_KIND
    from edgeworth.grades.reading import check_grades, rules_of

    if options["truth_file"] is not None:
        raise OptionError(f"{flag_name('truth_file')} is not supported with grades, which need no truth")
    check_grades(check_options(options, GRADES))
    tables, by, _, _ = _open_tables(None, systems, options)
    rows = read_rows(tables, by, _column_name(options["system"], "system"), are_numbers=False)
    read = as_right if options["kind"] == "correct" else as_points
    written, values, cases = rows.values[0], np.empty(len(rows.owners)), rows.cases
    assert isinstance(written, Coded)
    for number, table in enumerate(tables):
        # Errors count rows from the first of their own table.
        here = (
            np.ones(len(rows.owners), dtype=bool) if options["system"] is not None else rows.owners == number
        )
        name = f"{table.own[0]} of {table.source.name}"
        values[here] = read(Coded(written.codes[here], written.labels), name)
    cluster = _column_name(options["cluster"], "cluster")
    clusters = None if cluster is None else encode(rows.values[cluster], cluster)
    if clusters is not None:
        first = _fill_by_id(clusters, cases)
        differ = np.flatnonzero((clusters.codes != MISSING) & (clusters.codes != first.codes))
        if len(differ):
            two = " and ".join(repr(x.labels[x.codes[differ[0]]]) for x in (first, clusters))
            raise InputError(
                f"{rows.id_of(int(differ[0]))} is in two clusters, {two}: an item belongs to one cluster"
            )

    def tally(kept: Positions) -> dict[str, Grades]:
        grades = {}
        for index, name in enumerate(rows.names):
            own = kept[rows.owners[kept] == index]
            units = None if clusters is None else clusters[own]
            rules = rules_of(options)
            grades[name] = Grades.from_columns(values[own], cases[own], units, are_named=False, **rules)
        return grades

    rows_by_case = find_rows(rows, may_repeat=True)
    unmatched = describe_unmatched(rows, rows_by_case, options["unmatched"])
    is_whole = np.all(rows_by_case >= 0, axis=1)
    matched = np.flatnonzero(is_whole[cases])
    if len(matched) == is_whole.sum() * len(rows.names):  # nothing repeats: in the order of the cases
        matched = rows_by_case[is_whole].T.ravel()
    known = [name for table in tables for name in table.shared]
    cut = {
        name: cross_columns(
            {
                part: _fill_by_id(encode(rows.values[part], part), cases)[matched]
                for part in split_crossed(name, known)
            }
        )
        for name in names_of(options["by"])
    }
    parts = cut_slices(None, {"rows": matched}, cut)
    slices = [part.with_arrays(tally(cast(Positions, part.arrays["rows"]))) for part in parts]
    return JoinedGrades(GRADES_KIND, tally(matched), rows.title, paths_of_tables(tables), unmatched, slices)


def _column_name(column: object, role: str) -> str | None:
    """Return the name of a column of joined tables, or None if the role has no column."""
    if column is None or isinstance(column, str):
        return column
    raise OptionError(f"{role} names a column of the tables that are joined; saw {type(column).__name__}")


def _fill_by_id(column: Coded, cases: Positions) -> Coded:
    """Fill in each row the value of the first row with its id, because only one table may have it."""
    known = np.full(cases.max() + 1, MISSING, dtype=np.intp)
    there = np.flatnonzero(column.codes != MISSING)[::-1]
    known[cases[there]] = column.codes[there]
    return Coded(known[cases], column.labels)


def _open_tables(
    truth: str | None, systems: object, options: Options
) -> tuple[list[Table], list[str], str | None, tuple[str, ...]]:
    """Open the tables, and find the columns of the id, of truth and of other facts about a case."""
    data, by = _named_tables(options)
    own = {name: _columns_of(systems, name) for name in data}
    if options["truth_file"] is not None:
        # It comes first, so that the cases have its order.
        data = {TRUTH_FILE: options["truth_file"]} | data
    sources = {name: open_source(table) for name, table in data.items()}
    names = {name: column_names(sources[name], table) for name, table in data.items()}
    first = next(iter(data))
    notices: tuple[str, ...] = ()
    kind = requested_kind(options)
    if truth is None and (kind is None or kind.has_truth):
        taken = [*by, options["system"], *(column for columns in own.values() for column in columns)]
        truth, notices = find_truth(names[first], taken)
    roles = SHARED if options["system"] is None else tuple(role for role in SHARED if role != "id")
    shared: dict[str, list[str]] = {name: [] for name in data}
    others = [_column_name(column, role) for role, column in select_options(options, roles).items()]
    known = [column for columns in names.values() for column in columns]
    slices = [column for name in names_of(options["by"]) for column in split_crossed(name, known)]
    for column in dict.fromkeys([truth, *others, *slices]):
        # A path into JSON begins with the name of a field.
        having = [name for name in data if column and {column, column.split(".")[0]} & {*names[name]}]
        if column is None:
            continue
        for name in having[:1] if TRUTH_FILE in having else having or [first]:
            shared[name].append(column)
    return [Table(x, sources[x], shared[x], own.get(x, ())) for x in data], by, truth, notices


def _named_tables(options: Options) -> tuple[dict[str, object], list[str]]:
    """Name the tables, and find the columns of the id."""
    data, by = options["data"], options["join"]
    if options["system"] is not None:
        for name in ("join", "truth_file"):
            if name in given_options(options):
                raise OptionError(
                    f"system names the systems of one table, {flag_name(name)} joins several: give one"
                )
        if options["id"] is None:
            raise OptionError("system needs id: name the column of the case (id=, --id COLUMN)")
        data, by = {"the table": data}, options["id"]
    elif not isinstance(data, Mapping):
        tables = list(data) if isinstance(data, (list, tuple)) else [data]
        refuse_twice(tables)
        data = dict(zip(name_systems(tables), tables, strict=True))
    refuse_twice(data.values())
    if options["system"] is None and len(data) < 2:
        raise OptionError(f"join puts two or more tables side by side; saw {len(data)}")
    return dict(data), list(names_of(by))


def refuse_twice(tables: Iterable[object]) -> None:
    """Refuse one file as two systems, also if it has two names."""
    files = [x for x in tables if isinstance(x, (str, os.PathLike)) and x != "-" and "://" not in str(x)]
    if len(files) > 1:
        expand_paths(files)


def _columns_of(systems: object, name: str) -> list[str]:
    """Find the columns of a system: its own, or those that all systems have."""
    named = systems if isinstance(systems, Mapping) else {name: systems}
    columns = named.get(name)
    if columns is None:
        raise OptionError(
            f"systems has no column for {name!r}; it has columns for {', '.join(map(repr, named))}"
        )
    return list(names_of(columns))
