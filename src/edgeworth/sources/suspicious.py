"""Columns that look like a mistake: identifiers that repeat, copies of a column, columns of one value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

import numpy as np

from edgeworth.errors import InputError
from edgeworth.sources.batches import FoldingSource, Source
from edgeworth.sources.columns import Coded, encode
from edgeworth.sources.frames import FrameSource

IDS = (
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
"""What a column is called, in any case of letters, that has another value in each row."""

MOST_IDS = 200_000
"""So many rows are searched for an identifier that repeats: a mistake shows in them."""

MIN_ROWS_TO_SUSPECT = 10
"""With fewer rows, columns may well be equal by chance."""


def repeated_ids(source: Source, names: Sequence[str], taken: Collection[str]) -> tuple[str, ...]:
    """Warn of a column of identifiers that repeat, if it plays no role; the first rows are searched.

    Rows on other machines, and queries that would have to be run again, are not.
    """
    is_at_hand = isinstance(source, FrameSource) or hasattr(source, "paths")
    if not is_at_hand or isinstance(source, FoldingSource):
        return ()
    wanted = [name for name in names if name.lower() in IDS and name not in taken]
    columns: dict[str, Coded] = {}
    # What cannot be read is told when it is needed.
    with suppress(InputError):
        batch = next(iter(source.batches(wanted[:1])), None) if wanted else None
        if batch is not None and batch.repeats is None:
            columns = {name: encode(batch.columns[name][:MOST_IDS], name) for name in wanted[:1]}
    return tuple(describe_repeats(columns))


def describe_repeats(columns: Mapping[str, Coded]) -> Iterator[str]:
    """Warn of each column of identifiers in which some repeat."""
    for name, coded in columns.items():
        if name.lower() not in IDS or not len(coded):
            continue
        counts = np.bincount(coded.codes[coded.codes >= 0], minlength=1)
        repeated = int((counts > 1).sum())
        if repeated:
            ids = "value occurs" if repeated == 1 else "values occur"
            yield (
                f"{repeated:,} {ids} more than once in the column {name!r}, and each row counts as a case. "
                f"Remove the duplicates, or pass --cluster {name} if a case has several rows."
            )


def describe_suspects(columns: Mapping[str, Coded]) -> list[str]:
    """Warn of columns that are copies of each other or have one value, and of identifiers that repeat."""
    long = {name: coded for name, coded in columns.items() if len(coded) >= MIN_ROWS_TO_SUSPECT}
    several = {name: coded for name, coded in long.items() if len(coded.labels) > 1}
    alike: dict[tuple[bytes, tuple[object, ...]], list[str]] = {}
    for name, coded in several.items():
        alike.setdefault((coded.codes.tobytes(), coded.labels), []).append(name)
    said = [f"{_join(names)} are identical." for names in alike.values() if len(names) > 1]
    single = [name for name in long if name not in several]
    if single:
        said.append(f"{_join(single)} {'has' if len(single) == 1 else 'have'} one value only.")
    return [*said, *describe_repeats(columns)]


def _join(names: Iterable[str]) -> str:
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
