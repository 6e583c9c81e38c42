"""Which source and which of its columns are meant."""

from __future__ import annotations

from typing import Any

from edgeworth.errors import InputError, OptionError
from edgeworth.sources import ArraySource, Source, open_source
from edgeworth.sources.weights import as_weights
from edgeworth.tallies.policies import WeightKind


def find_source(data: Any, needed: tuple[str, ...], **roles: Any) -> tuple[Source, dict[str, str]]:
    """The source, and the name of the column that plays each role."""
    given = {role: value for role, value in roles.items() if value is not None}
    for role in needed:
        if role not in given:
            raise OptionError(f"{role} is needed: the name of a column, or the column itself")
    if data is None:
        for role, value in given.items():
            if isinstance(value, str):
                raise OptionError(f"{role}={value!r} names a column, but there is no data to find it in")
        return ArraySource(given), {role: role for role in given}
    for role, value in given.items():
        if not isinstance(value, str):
            raise OptionError(f"with data, {role} is the name of a column; saw {type(value).__name__}")
    return open_source(data), given


def settled_kind(
    source: Source, columns: dict[str, str], weight_kind: WeightKind | None
) -> WeightKind | None:
    """Counts when every weight of a text file is written as a whole number: a pass over that column alone.

    A batch cannot tell by itself: whole numbers in one and fractions in the next are all sampling weights.
    """
    if not source.is_text or "weight" not in columns or weight_kind is not None:
        return weight_kind
    column = columns["weight"]
    whole = all(
        as_weights(batch.columns[column], column).dtype.kind == "i" for batch in source.batches([column])
    )
    return "counts" if whole else "sampling"


def nothing_left(source: Source, dropped: int) -> InputError:
    """Why a source that could be read has nothing to say."""
    why = f"no rows are left after {dropped:,} were dropped for missing values"
    return InputError(f"{source.name}: {why if dropped else 'every weight is 0'}")
