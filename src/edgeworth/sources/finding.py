"""Which source and which of its columns are meant."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from edgeworth.core.policies import WeightKind
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.arrays import ArraySource
from edgeworth.sources.batches import Source
from edgeworth.sources.opening import open_source
from edgeworth.sources.weighing import weights_are_whole


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
    """Counts when every weight is a whole number, where the column's type does not say it for all rows: in
    files without types, and in several files, whose types may differ. A pass over that column alone.

    A batch cannot tell by itself: whole numbers in one and fractions in the next are all sampling weights.
    """
    varies = source.is_text or getattr(source, "varies", False)
    if not varies or "weight" not in columns or weight_kind is not None:
        return weight_kind
    column = columns["weight"]
    return "counts" if weights_are_whole(source, column) else "sampling"


def nothing_left(name: str, dropped: int, columns: Collection[str]) -> InputError:
    """Why what could be read has nothing to say. ``columns`` are the roles that are played.

    >>> str(nothing_left("a.csv", 0, {"truth", "score", "weight"}))
    'a.csv: every weight is 0'
    """
    if dropped:
        return InputError(f"{name}: no rows are left after {dropped:,} were dropped for missing values")
    return InputError(f"{name}: {'every weight is 0' if 'weight' in columns else 'there are no rows'}")
