"""Warn about columns that look like a mistake: repeated identifiers, copies, and constant columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

import numpy as np

from edgeworth.errors import InputError
from edgeworth.sources.batches import FoldingSource, Source
from edgeworth.sources.columns import Coded, encode
from edgeworth.sources.frames import FrameSource

ID_NAMES = (
    "id",
    "case_id",
    "item_id",
    "sample_id",
    "example_id",
    "instance_id",
    "record_id",
    "row_id",
    "uid",
    "uuid",
)
"""Usual names, in any case of letters, of columns that have another value in each row."""

MAX_ROWS_SEARCHED = 200_000
"""The number of first rows that are searched for repeated identifiers: a mistake shows in them."""

MIN_ROWS_TO_SUSPECT = 10
"""With fewer rows, columns may well be equal by chance."""


def repeated_ids(source: Source, names: Sequence[str], taken: Collection[str]) -> tuple[str, ...]:
    """Warn if a column of identifiers that has no role repeats some of them in the first rows.

    Rows on other machines, and queries that would have to run again, are not searched.
    """
    is_local = isinstance(source, FrameSource) or hasattr(source, "paths")
    if not is_local or isinstance(source, FoldingSource):
        return ()
    wanted = [name for name in names if name.lower() in ID_NAMES and name not in taken]
    columns: dict[str, Coded] = {}
    # A column that cannot be read raises its error when it is needed.
    with suppress(InputError):
        batch = next(iter(source.batches(wanted[:1])), None) if wanted else None
        if batch is not None and batch.repeats is None:
            columns = {name: encode(batch.columns[name][:MAX_ROWS_SEARCHED], name) for name in wanted[:1]}
    return tuple(describe_repeats(columns))


def count_repeats(source: Source, column: str) -> int:
    """Count the rows whose identifier occurred in an earlier row."""
    seen: set[object] = set()
    rows = 0
    for batch in source.batches([column]):
        coded = encode(batch.columns[column], column)
        known = np.unique(coded.codes[coded.codes >= 0])
        seen.update(coded.labels[code] for code in known)
        rows += int((coded.codes >= 0).sum())
    return rows - len(seen)


def describe_repeats(columns: Mapping[str, Coded]) -> Iterator[str]:
    """Warn about each column of identifiers in which some repeat."""
    for name, coded in columns.items():
        if name.lower() not in ID_NAMES or not len(coded):
            continue
        counts = np.bincount(coded.codes[coded.codes >= 0], minlength=1)
        repeated = int((counts > 1).sum())
        if repeated:
            ids = "value occurs" if repeated == 1 else "values occur"
            yield (
                f"{repeated:,} {ids} more than once in the column {name!r}, but each row counts as a case. "
                f"Remove the duplicates, or pass --cluster {name} if a case has several rows."
            )


def describe_suspects(columns: Mapping[str, Coded]) -> list[str]:
    """Warn about columns that are copies of each other or constant, and about repeated identifiers."""
    long = {name: coded for name, coded in columns.items() if len(coded) >= MIN_ROWS_TO_SUSPECT}
    varied = {name: coded for name, coded in long.items() if len(coded.labels) > 1}
    names_by_values: dict[tuple[bytes, tuple[object, ...]], list[str]] = {}
    for name, coded in varied.items():
        names_by_values.setdefault((coded.codes.tobytes(), coded.labels), []).append(name)
    warnings = [f"{_join(names)} are identical." for names in names_by_values.values() if len(names) > 1]
    single = [name for name in long if name not in varied]
    if single:
        warnings.append(f"{_join(single)} {'has' if len(single) == 1 else 'have'} only one value.")
    return [*warnings, *describe_repeats(columns)]


def _join(names: Iterable[str]) -> str:
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
