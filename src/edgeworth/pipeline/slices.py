"""Slices: the cases by the values of a column, each compared with the rest; one way for all kinds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, Protocol, TypeVar, cast

import numpy as np

from edgeworth.common.arrays import Integers, plain_values
from edgeworth.common.json_types import JsonValue
from edgeworth.core.policy import MIN_CASES_TO_NAME_SLICE, MIN_CLUSTERS_TO_NAME_SLICE
from edgeworth.core.slice_gaps import Units
from edgeworth.errors import OptionError
from edgeworth.report.frames import Row
from edgeworth.report.report import Report, Section
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.sources.batches import Source, known_columns
from edgeworth.sources.column_roles import names_of
from edgeworth.sources.columns import MISSING, Column, as_column, concatenate, encode
from edgeworth.sources.joining import as_text
from edgeworth.sources.opening import ArraySource

MAX_SLICES, MAX_SLICES_SHOWN = 1000, 50
"""The most slices of a column that are counted, and that a table shows."""

MAX_SLICES_NAMED = 3
"""The most slices that a verdict names."""

MAX_GAP_CAVEATS_IN_CLAIM = 1
"""The claim names one caveat about the gaps that it names; each row of the table has its own."""

MAX_CLASS_SHARES_SHOWN = 3
"""The most classes whose shares a table shows."""

MAX_REASONS_FOR_NO_VALUE, MAX_REASONS_FOR_NO_GAP = 3, 2
"""The most notes about slices without a value or a gap; each note gives one reason."""

NO_VALUE = "(no value)"


PartT = TypeVar("PartT", covariant=True)
NewPartT = TypeVar("NewPartT")


class Slice(NamedTuple, Generic[PartT]):
    """The cases that have one value in a column: their source, or else their arrays by role.

    Slices of run logs have the run of each system instead of arrays, and those of joined grades its grades.
    """

    by: str
    name: str
    rows: int
    source: Source | None
    arrays: Mapping[str, PartT]

    def with_arrays(self, arrays: Mapping[str, NewPartT]) -> Slice[NewPartT]:
        """Return the same slice with other parts of the data."""
        return Slice(self.by, self.name, self.rows, self.source, arrays)

    def without_rows(self, number: int) -> Slice[PartT]:
        """Return the same slice after this many of its rows were dropped."""
        return Slice(self.by, self.name, self.rows - number, self.source, self.arrays)


class HasPositions(Protocol):
    """A series or a frame whose rows are taken by position, as pandas does it."""

    @property
    def iloc(self) -> Indexed: ...


class Indexed(Protocol):
    """An array, or a series of another library."""

    def __getitem__(self, rows: Integers, /) -> object: ...


class Taken(Protocol):
    """An Arrow array."""

    def take(self, rows: Integers) -> object: ...


# -- cutting ---------------------------------------------------------------------------------------------


def name_arrays(by: object) -> Mapping[str, object]:
    """Name the arrays that cut slices: a series by its own name, any other array "group"."""
    if isinstance(by, Mapping):
        return by
    name = getattr(by, "name", None)
    return {name if name and isinstance(name, str) else "group": by}


def names_of_slices(by: object) -> list[str]:
    """List the columns that cut slices, or raise an error if an array was passed beside data."""
    names = names_of(by)
    if not names:
        raise OptionError(
            f"with data, by must be the name of a column, or a list of names; saw {type(by).__name__}"
        )
    return names


def cut_slices(
    source: Source | None,
    columns_by_role: Mapping[str, object],
    by: object,
    only: Collection[str] | None = None,
) -> Iterator[Slice[object]]:
    """Cut the rows of a source, read into memory once, or arrays by role, by each value of each column.

    ``sex:site`` crosses two columns, unless there is a column of that name. With ``only``, other values are
    left out.
    """
    if source is None:
        columns = {name: as_column(values, name) for name, values in name_arrays(by).items()}
    else:
        known = known_columns(source) or ()
        crossed = {name: split_crossed(name, known) for name in names_of_slices(by)}
        wanted = [name for names in crossed.values() for name in names]
        kept = _keep(
            source, [*wanted, *(name for column in columns_by_role.values() for name in names_of(column))]
        )
        columns = {
            name: cross_columns({part: kept[part] for part in names}) for name, names in crossed.items()
        }
    for name, column in columns.items():
        coded = encode(column, name)
        labels = [(code, as_text(label)) for code, label in enumerate(coded.labels)]
        if only is not None:
            labels = [(code, text) for code, text in labels if text in only]
        if len(labels) > MAX_SLICES:
            raise OptionError(
                f"{name} has {len(labels):,} values, and at most {MAX_SLICES:,} slices are counted: "
                "put them into bins beforehand"
            )
        for code, text in [*labels, *([(MISSING, NO_VALUE)] if only is None else ())]:
            rows = np.flatnonzero(coded.codes == code)
            part, arrays = None, {}
            if source is None:
                arrays = {role: _take(values, rows) for role, values in columns_by_role.items()}
            else:
                part = ArraySource({key: _take(values, rows) for key, values in kept.items()}, source.name)
                part.is_text = source.is_text
            if len(rows):
                yield Slice(name, text, len(rows), part, arrays)


def split_crossed(name: str, known: Iterable[str] = ()) -> tuple[str, ...]:
    """Split a name such as ``sex:site`` into the columns that it crosses.

    A column that is really called so is taken as it is, and so are parts with a colon.

    >>> split_crossed("sex:site"), split_crossed("a:b", ["a:b"]), split_crossed("a:b:c", ["a:b", "c"])
    (('sex', 'site'), ('a:b',), ('a:b', 'c'))
    """
    names, pieces = set(known), name.split(":")
    if name in names or len(pieces) == 1:
        return (name,)
    for size in range(len(pieces), 0, -1):
        first = ":".join(pieces[:size])
        if first in names:
            rest = split_crossed(":".join(pieces[size:]), names) if size < len(pieces) else ()
            if names.issuperset(rest):
                return (first, *rest)
    return tuple(pieces)


def cross_columns(columns: Mapping[str, Column]) -> Column:
    """Combine columns into one whose values name a value of each; one column stays as it is."""
    if len(columns) == 1:
        return next(iter(columns.values()))
    coded = [encode(column, name) for name, column in columns.items()]
    texts = [np.array([*map(as_text, x.labels), NO_VALUE], dtype=object)[x.codes] for x in coded]
    return as_column(np.array([", ".join(values) for values in zip(*texts, strict=True)]), ":".join(columns))


def _keep(source: Source, names: Sequence[str]) -> dict[str, Column]:
    """Read columns whole, as labels if batches hold different types of values."""
    parts: dict[str, list[Column]] = {name: [] for name in names}
    for batch in source.batches(list(parts)):
        for name, columns in parts.items():
            columns.append(batch.columns[name])
    for name, columns in parts.items():
        if len({x.dtype.kind if isinstance(x, np.ndarray) else "" for x in columns}) > 1:
            parts[name] = [encode(x, name) for x in columns]
    return {
        name: columns[0] if len(columns) == 1 else concatenate(columns) for name, columns in parts.items()
    }


def _take(values: object, rows: Integers) -> object:
    """Take some rows of an array, a series, a frame or a list."""
    if values is None or isinstance(values, (list, tuple)):
        return values and [values[row] for row in rows]
    if hasattr(values, "iloc"):
        return cast(HasPositions, values).iloc[rows]
    if hasattr(values, "to_pylist"):
        return cast(Taken, values).take(rows)
    return cast(Indexed, values)[rows]


# -- what a report adds --------------------------------------------------------------------------------------


def name_units(*, are_clusters: bool) -> str:
    """Name the column that counts the independent units of a slice."""
    return "clusters" if are_clusters else "effective size"


def describe_too_few(units: Units) -> str | None:
    """Explain that there are too few independent units for a claim, or return None.

    >>> describe_too_few(Units(29.0)), describe_too_few(Units(29.0, are_clusters=True))
    ('fewer than 30 independent cases', None)
    """
    least = MIN_CLUSTERS_TO_NAME_SLICE if units.are_clusters else MIN_CASES_TO_NAME_SLICE
    if units.number >= least:
        return None
    return f"fewer than {least} {'clusters' if units.are_clusters else 'independent cases'}"


def name_slice(column: str, name: str, columns: Iterable[str]) -> str:
    """Name a slice, with its column if slices of several columns are shown.

    >>> name_slice("sex", "f", ["sex"]), name_slice("sex", "f", ["sex", "site"])
    ('f', 'sex f')
    """
    return name if len(set(columns)) == 1 else f"{column} {name}"


def format_slice_level(level: float) -> str:
    """Write the level of one of several intervals: 98.33%."""
    return f"{100 * level:.4g}%"


def add_section(
    report: Report,
    section: Section,
    rows: Sequence[Row],
    remarks: Sequence[str],
    numbers: Mapping[str, JsonValue],
    claim: Claim,
) -> Report:
    """Add the slices to the sections, the JSON, the frames and the verdict of a report.

    ``remarks`` are the caveats of the rows, or the reasons why they claim nothing.
    """
    before = report.rows
    verdict = f"{report.verdict} {claim.text}"
    if isinstance(report.verdict, Verdict):
        verdict = Verdict([*report.verdict.claims, claim])
    return replace(
        report,
        verdict=verdict,
        sections=(*report.sections[:1], section, *report.sections[1:]),
        numbers={**report.numbers, "slices": {**numbers, "slices": plain_values(rows)}},
        rows=lambda: _add_rows(before(), rows, remarks, numbers["level_of_each"]),
    )


def _add_rows(whole: Sequence[Row], rows: Sequence[Row], remarks: Sequence[str], level: float) -> list[Row]:
    """Put the rows of slices below those of all cases."""
    known = {"system": whole[0]["system"] if whole else "", "level": level}
    changes = (
        {"p": row["p_value"], "p_adjusted": row["adjusted_p_value"], "caveat": remark or None}
        for row, remark in zip(rows, remarks, strict=True)
    )
    return [*whole, *({**known, **row, **change} for row, change in zip(rows, changes, strict=True))]
