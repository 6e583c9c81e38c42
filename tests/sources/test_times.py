"""Times of all kinds: only their order counts, and which are the same."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.errors import InputError
from edgeworth.sources.columns import Coded
from edgeworth.sources.times import as_times

NOON = datetime(2026, 7, 31, 12, 0)

KINDS: dict[str, Any] = {
    "whole numbers": [30, 10, 30, 20],
    "numbers": np.array([3.0, -1.5, 3.0, np.inf])[[3, 1, 3, 0]],
    "nanoseconds that floats cannot tell apart": [2**60 + 2, 2**60, 2**60 + 2, 2**60 + 1],
    "text of numbers": ["1e3", "07", "1000", "99.5"],
    "text of nanoseconds": [str(2**60 + 2), str(2**60), str(2**60 + 2), str(2**60 + 1)],
    "dates as text": ["2026-07-31", "2025-12-31", "2026-07-31", "2026-01-09"],
    "datetimes as text": ["2026-07-31T18:30", "2026-07-31", "2026-07-31 18:30:00", "2026-07-31T09:59:59.5"],
    "zones": ["2026-07-31T18:30Z", "2026-07-31T18:30+02:00", "2026-07-31T20:30+02:00", "2026-07-31T17:00Z"],
    "dates": [date(2026, 7, 31), date(2026, 1, 1), date(2026, 7, 31), date(2026, 7, 30)],
    "dates and datetimes": [NOON, date(2026, 7, 31), NOON, datetime(2026, 7, 31, 0, 1)],
    "aware": [
        NOON.replace(tzinfo=UTC),
        datetime(2026, 1, 1, tzinfo=UTC),
        NOON.replace(tzinfo=timezone(timedelta(hours=1))) + timedelta(hours=1),
        datetime(2026, 2, 1, tzinfo=UTC),
    ],
    "datetime64": np.array(["2026-03-01", "2026-01-01", "2026-03-01", "2026-02-01"], dtype="datetime64[ns]"),
    "pandas": pd.Series(pd.to_datetime(["2026-03-01", "2026-01-01", "2026-03-01", "2026-02-01"])),
    "polars": pl.Series([date(2026, 3, 1), date(2026, 1, 1), date(2026, 3, 1), date(2026, 2, 1)]),
    "coded": Coded(np.array([0, 2, 0, 1]), ("2026-03-01", "2026-02-01", "2026-01-01")),
}


@pytest.mark.parametrize("values", KINDS.values(), ids=KINDS)
def test_places_in_time(values: Any) -> None:
    assert as_times(values).tolist() == [2, 0, 2, 1]


@given(st.lists(st.datetimes(), min_size=1, max_size=20))
def test_text_sorts_as_the_datetimes_it_was_written_from(times: list[datetime]) -> None:
    result = as_times([time.isoformat() for time in times])
    order = sorted(set(times))
    assert result.tolist() == [order.index(time) for time in times]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["2026-07-31", "31.7.2026"], "row 12 has '31.7.2026'"),
        (["2026-07-31", "noon", "noon"], "row 12 has 'noon'"),
        (["2026-07-31", "2026-02-30"], "row 12 has '2026-02-30'"),
        (["1", "2", "two"], "row 11 has '1'"),
        (["1", "nan"], "row 12 has 'nan'"),
        (["2026-07-31T12:00", "2026-07-31T12:00Z"], "row 12 has '2026-07-31T12:00Z'"),
        ([1, date(2026, 7, 31)], "row 12 has datetime.date"),
        ([True, False], "row 11 has True"),
        ([1.0, None], "when is missing in row 12"),
        ([1.0, float("nan")], "when is missing in row 12"),
        (np.array(["2026-01-01", "NaT"], dtype="datetime64[D]"), "when is missing in row 12"),
        (pd.Series(pd.to_datetime(["2026-01-01", None])), "when is missing in row 12"),
    ],
)
def test_what_is_no_time_is_found_by_its_row(values: Any, message: str) -> None:
    with pytest.raises(InputError, match=r"^when (must be numbers, or dates|is missing)") as caught:
        as_times(values, "when", first_row=11)
    assert message in str(caught.value)


@pytest.mark.parametrize("date_format", ["dd/mm/yyyy HH:MM", "%d/%m/%Y %H:%M"])
def test_dates_are_written_in_another_way(date_format: str) -> None:
    dates = ["01/08/2025 15:00", "31/12/2024 15:00", "01/08/2025 12:30"]
    assert as_times(dates, date_format=date_format).tolist() == [2, 0, 1]
    with pytest.raises(InputError, match=r"such as 31/07/2026 18:30, .*row 2 has '2025-08-01'"):
        as_times([dates[0], "2025-08-01"], date_format=date_format)
    with pytest.raises(InputError, match="--date-format"):
        as_times(dates)
