"""Convert results to rows, one per system, slice and measure, and to frames of the user's library."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, TypeAlias

from edgeworth.common.json_types import JsonValue
from edgeworth.core.estimates import Estimate
from edgeworth.core.kinds import kind_of
from edgeworth.errors import OptionError

Row: TypeAlias = Mapping[str, JsonValue]

LIBRARIES = ("pandas", "polars", "pyarrow")
COLUMNS = (
    *("system", "by", "slice", "measure", "value", "low", "high"),
    *("level", "p", "p_adjusted", "cases", "caveat"),
)
GAP_COLUMNS = ("gap", "gap_low", "gap_high")
"""For slices: the value minus the value of the rest."""
PAIR_COLUMNS = ("first", "second", *COLUMNS[1:])
"""For a comparison, whose values are differences: the first system minus the second."""
TEXTS = ("system", "first", "second", "by", "slice", "measure", "item", "caveat")


def estimate_rows(system: str, estimates: Iterable[Estimate], level: float) -> list[Row]:
    """Make one row per estimate for all cases."""
    rows: list[Row] = []
    for estimate in estimates:
        low, high = estimate.interval(level)
        row = {
            "system": system,
            "measure": estimate.measure,
            "value": estimate.value,
            "low": low,
            "high": high,
        }
        row |= {
            "level": level,
            "p": chance_p_value(estimate),
            "cases": estimate.size,
            "caveat": estimate.caveat,
        }
        rows.append(row)
    return rows


def chance_p_value(estimate: Estimate) -> float:
    """Return the p-value against chance, or nan if chance cannot change the measure.

    If the test would draw random orders, the p-value is from the sampling distribution instead.
    """
    try:
        return estimate.p_value(estimate.chance if kind_of(estimate.tally).draws_orders else None)
    except OptionError:
        return math.nan


def library_of(*candidates: object) -> str:
    """Return the library of the first frame or series among data, or an empty text.

    Mappings and lists of tables are searched too.

    >>> import polars as pl
    >>> library_of(None, [1, 2], {"a": pl.Series([1.0])}), library_of([0.5])
    ('polars', '')
    """
    for data in candidates:
        parts = list(data.values()) if isinstance(data, Mapping) else data
        if isinstance(parts, (list, tuple)):
            name = library_of(*parts[:1])
        else:
            name = type(parts).__module__.partition(".")[0]
        if name in LIBRARIES:
            return name
    return ""


Frame: TypeAlias = Any  # type: ignore[explicit-any]  # each library has its own type
"""A frame of pandas, polars or pyarrow, none of which need be installed."""


def make_frame(rows: Sequence[Row], columns: Sequence[str], library: str) -> Frame:
    """Make a frame of rows with the named library, or with the first one that is installed."""
    import narwhals.stable.v2 as nw

    installed = [name for name in LIBRARIES if find_spec(name) is not None]
    chosen = library or next(iter(installed), "")
    if chosen not in installed:
        raise OptionError(
            f"a frame needs one of {', '.join(LIBRARIES)}, which must be installed; saw {library!r}"
        )
    # Undefined values become missing values.
    values = {
        name: [None if (x := row.get(name)) is None or x != x else x for row in rows] for name in columns
    }
    if chosen == "pandas":
        # pandas 2 writes a missing text as "None" if the type of the column is given.
        inferred = nw.from_dict(values, backend="pandas")
        numbers = [name for name in columns if name not in TEXTS]
        return inferred.with_columns(nw.col(*numbers).cast(nw.Float64())).to_native()
    schema = {name: nw.String() if name in TEXTS else nw.Float64() for name in columns}
    frame = nw.from_dict(values, schema, backend=chosen)  # type: ignore[arg-type]  # a name narwhals knows
    return frame.to_native()
