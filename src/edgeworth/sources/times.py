"""Columns of times: numbers or dates that put rows in order, and the calendar dates they fall on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.columns import Coded, Label, as_column, check_not_missing, encode_all
from edgeworth.sources.numbers import NUMBER, WHOLE_NUMBER

Time = int | float | datetime

DATE_PARTS = {"yyyy": "%Y", "yy": "%y", "mm": "%m", "dd": "%d", "HH": "%H", "MM": "%M", "SS": "%S"}

SLASHED_DATE = re.compile(r"\s*(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})\s*")
"""01/08/2025 or 01/08/25, as in the files of football-data.co.uk; the day or the month may come first."""


@dataclass(frozen=True, eq=False)
class Times:
    """The rank of each row's time among the distinct times, and its calendar date if the times are dates."""

    ranks: NDArray[np.int64]
    dates: NDArray[np.datetime64] | None

    @property
    def days(self) -> NDArray[np.int64]:
        """The rank of each row's calendar date; of times that are numbers, the rank of the number."""
        if self.dates is None:
            return self.ranks
        return np.unique(self.dates, return_inverse=True)[1].astype(np.int64, copy=False)


def as_times(
    values: object, name: str = "time", first_row: int = 1, date_format: str | None = None
) -> NDArray[np.int64]:
    """Return the rank of each row's time among the distinct times, the earliest being 0.

    >>> as_times(["2026-07-31", "2026-02-01", "2026-07-31"]).tolist(), as_times([10, 9.5]).tolist()
    ([1, 0, 1], [1, 0])
    """
    return read_times(values, name, first_row, date_format).ranks


def read_times(
    values: object, name: str = "time", first_row: int = 1, date_format: str | None = None
) -> Times:
    """Read numbers, or dates in ISO 8601: 2026-07-31, 2026-07-31T18:30, 2026-07-31T18:30+02:00.

    Dates with slashes, 31/07/2026 or 31/07/26, are read if a day above 12 shows which part is the day.
    ``date_format`` names a format: dd/mm/yyyy HH:MM, or one for strptime, %d %b %Y. Two digits for the year
    are accepted for yyyy, too.

    >>> read_times(["31/07/2026", "01/02/26"]).dates.astype(str).tolist()
    ['2026-07-31', '2026-02-01']
    """
    column = as_column(values, name)
    if not isinstance(column, Coded) and column.dtype.kind in "iufM":
        is_missing_time = np.isnat(column) if column.dtype.kind == "M" else np.isnan(column)
        check_not_missing(is_missing_time, name, first_row)
        ranks = np.unique(column, return_inverse=True)[1].astype(np.int64, copy=False)
        return Times(ranks, column.astype("datetime64[D]") if column.dtype.kind == "M" else None)
    coded = encode_all(column, name, first_row)
    formats = _formats(coded.labels, date_format)
    labels = _numbers_from_text(coded.labels) if date_format is None else coded.labels
    times = [_as_time(label, formats) for label in labels]
    # Neither of numbers and dates, or of times with and without a zone, comes before the other.
    kinds = [time.tzinfo is None if isinstance(time, datetime) else "number" for time in times]
    wrong_codes = [code for code, time in enumerate(times) if time is None]
    wrong_codes = wrong_codes or [code for code, kind in enumerate(kinds) if kind != kinds[0]]
    if wrong_codes:
        label = coded.labels[wrong_codes[0]]
        row = first_row + int(np.argmax(coded.codes == wrong_codes[0]))
        raise InputError(
            f"{name} must be {_needed(label, date_format)}, to put rows in order; row {row:,} has {label!r}"
        )
    rank_of = {time: rank for rank, time in enumerate(sorted(set(times)))}  # type: ignore[type-var]  # no None
    codes = coded.codes
    days = [time.date() for time in times if isinstance(time, datetime)]
    dates = np.array(days, dtype="datetime64[D]")[codes] if days else None
    return Times(np.array([rank_of[time] for time in times], dtype=np.int64)[codes], dates)


def _needed(label: Label, date_format: str | None) -> str:
    if date_format is not None:
        return f"dates such as {datetime(2026, 7, 31, 18, 30).strftime(_strptime_format(date_format))}"
    slashed = SLASHED_DATE.fullmatch(label) if isinstance(label, str) else None
    if slashed and _may_be_day_and_month(int(slashed[1]), int(slashed[2])):
        return (
            "dates whose day and month can be distinguished (pass date_format=, --date-format dd/mm/yyyy or "
            "mm/dd/yyyy)"
        )
    return (
        "numbers, or dates such as 2026-07-31 or 2026-07-31T18:30 (all with a time zone or none; "
        "for another format pass date_format=, --date-format)"
    )


def _may_be_day_and_month(first: int, second: int) -> bool:
    """Return whether two numbers can be a day and a month, in either order."""
    return min(first, second) <= 12 and max(first, second) <= 31


def _strptime_format(date_format: str) -> str:
    if "%" in date_format:
        return date_format
    return re.sub("|".join(DATE_PARTS), lambda part: DATE_PARTS[part[0]], date_format)


def _formats(labels: Sequence[Label], date_format: str | None) -> tuple[str, ...]:
    """List the formats to try: the one that was named, or that of dates with slashes; none is ISO 8601."""
    if date_format is not None:
        named = _strptime_format(date_format)
        return (named, named.replace("%Y", "%y")) if "%Y" in named else (named,)
    matches = [SLASHED_DATE.fullmatch(label) if isinstance(label, str) else None for label in labels]
    if not matches or not all(matches):
        return ()
    first, second = (max(int(match[part]) for match in matches if match) for part in (1, 2))
    if (first > 12) == (second > 12):
        return ()
    order = "%d/%m" if first > 12 else "%m/%d"
    return (f"{order}/%Y", f"{order}/%y")


def _numbers_from_text(labels: Sequence[Label]) -> Sequence[Label]:
    """Convert labels to numbers if all of them are numeric text; whole numbers stay exact."""
    if not all(isinstance(label, str) and NUMBER.fullmatch(label.strip()) for label in labels):
        return labels
    texts = [str(label).strip() for label in labels]
    return [int(text) if WHOLE_NUMBER.fullmatch(text) else float(text) for text in texts]


def _as_time(label: Label, formats: Sequence[str]) -> Time | None:
    if isinstance(label, str):
        for date_format in formats:
            try:
                return datetime.strptime(label.strip(), date_format)  # times compare as written
            except ValueError:
                continue
        try:
            return None if formats else datetime.fromisoformat(label.strip())
        except ValueError:
            return None
    if isinstance(label, datetime):
        return label
    if isinstance(label, date):
        return datetime(label.year, label.month, label.day)
    if isinstance(label, (int, float)) and not isinstance(label, bool) and label == label:
        return label
    return None
