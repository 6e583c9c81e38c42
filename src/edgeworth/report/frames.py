"""Results as rows, one a system, slice and measure, and as frames of the caller's library."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, TypeAlias

from edgeworth.core.estimates import Estimate
from edgeworth.core.kinds import kind_of
from edgeworth.errors import OptionError

Row: TypeAlias = Mapping[str, Any]

LIBRARIES = ("pandas", "polars", "pyarrow")
COLUMNS = ("system", "by", "slice", "measure", "value", "low", "high", "level", "p", "p_adjusted", "cases")
PAIR_COLUMNS = ("first", "second", *COLUMNS[1:])
"""Of a comparison, whose values are differences: the first system less the second."""
TEXTS = ("system", "first", "second", "by", "slice", "measure", "item")


def estimate_rows(system: str, estimates: Iterable[Estimate], level: float) -> list[Row]:
    """Make a row of each estimate of all cases."""
    rows: list[Row] = []
    for each in estimates:
        low, high = each.interval(level)
        row = {"system": system, "measure": each.measure, "value": each.value, "low": low, "high": high}
        rows.append(row | {"level": level, "p": chance_p_value(each), "cases": each.size})
    return rows


def chance_p_value(estimate: Estimate) -> float:
    """Find the p-value against chance; nan where chance cannot change the measure.

    Where random orders would be drawn it is that of the sampling law.
    """
    try:
        return estimate.p_value(estimate.chance if kind_of(estimate.tally).draws_orders else None)
    except OptionError:
        return math.nan


def library_of(data: Any) -> str:
    """Name the library whose frame the data are, if it can make frames of results; else nothing."""
    name = type(data).__module__.partition(".")[0]
    return name if name in LIBRARIES else ""


Frame: TypeAlias = Any
"""A frame of pandas, polars or pyarrow, none of which need be installed."""


def make_frame(rows: Sequence[Row], columns: Sequence[str], library: str) -> Frame:
    """Make a frame of rows; without the name of a library, of the first one that is installed."""
    import narwhals.stable.v2 as nw

    chosen: Any = library or next((name for name in LIBRARIES if find_spec(name) is not None), "")
    if chosen not in LIBRARIES or find_spec(chosen) is None:
        raise OptionError(
            f"a frame is made by {', '.join(LIBRARIES)}, one of which must be installed; saw {library!r}"
        )
    # What is undefined is missing.
    values = {
        name: [None if (x := row.get(name)) is None or x != x else x for row in rows] for name in columns
    }
    schema = {name: nw.String() if name in TEXTS else nw.Float64() for name in columns}
    return nw.from_dict(values, schema, backend=chosen).to_native()
