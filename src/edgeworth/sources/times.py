"""Times: numbers, dates or datetimes, of which only the order counts, and which are the same."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.columns import MISSING, Coded, Label, as_column, encode
from edgeworth.sources.scores import NUMBER, WHOLE

Time = int | float | datetime


def as_times(values: Any, name: str = "time", first_row: int = 1) -> NDArray[np.int64]:
    """The place of each row's time among the different times, the earliest being 0.

    Text is numbers, or dates as ISO 8601 writes them: 2026-07-31, 2026-07-31T18:30, 2026-07-31T18:30+02:00.

    >>> as_times(["2026-07-31", "2026-02-01", "2026-07-31"]).tolist(), as_times([10, 9.5]).tolist()
    ([1, 0, 1], [1, 0])
    """
    column = as_column(values, name)
    if not isinstance(column, Coded) and column.dtype.kind in "iufM":
        _check_gaps(np.isnat(column) if column.dtype.kind == "M" else np.isnan(column), name, first_row)
        return np.unique(column, return_inverse=True)[1].astype(np.int64, copy=False)
    coded = encode(column, name)
    _check_gaps(coded.codes == MISSING, name, first_row)
    times = [_as_time(label) for label in _as_numbers(coded.labels)]
    wrong = next((place for place, time in enumerate(times) if time is None), None)
    if wrong is None:
        wrong = _unlike_the_first(times)
    if wrong is not None:
        raise _refusal(coded, wrong, name, first_row)
    place = {time: number for number, time in enumerate(sorted(set(times)))}  # type: ignore[type-var]  # no None
    return np.array([place[time] for time in times], dtype=np.int64)[coded.codes]


def _check_gaps(missing: NDArray[np.bool_], name: str, first_row: int) -> None:
    if missing.any():
        row = first_row + int(np.argmax(missing))
        raise InputError(f"{name} is missing in row {row:,}: drop such rows beforehand")


def _as_numbers(labels: Sequence[Label]) -> Sequence[Label]:
    """Text as numbers where all of it is; whole numbers stay exact, however large."""
    if not all(isinstance(label, str) and NUMBER.fullmatch(label.strip()) for label in labels):
        return labels
    texts = [str(label).strip() for label in labels]
    return [int(text) if WHOLE.fullmatch(text) else float(text) for text in texts]


def _as_time(label: Label) -> Time | None:
    if isinstance(label, str):
        try:
            return datetime.fromisoformat(label.strip())
        except ValueError:
            return None
    if isinstance(label, datetime):
        return label
    if isinstance(label, date):
        return datetime(label.year, label.month, label.day)
    is_number = isinstance(label, (int, float)) and not isinstance(label, bool) and label == label
    return label if is_number else None  # type: ignore[return-value]  # a number by now


def _unlike_the_first(times: Sequence[Time | None]) -> int | None:
    """Where numbers and dates, or times with and without a zone, meet: neither comes before the other."""
    kinds = [time.tzinfo is None if isinstance(time, datetime) else "number" for time in times]
    return next((place for place, kind in enumerate(kinds) if kind != kinds[0]), None)


def _refusal(coded: Coded, wrong: int, name: str, first_row: int) -> InputError:
    row = first_row + int(np.argmax(coded.codes == wrong))
    return InputError(
        f"{name} must be numbers, or dates such as 2026-07-31 or 2026-07-31T18:30 (all with a time zone or "
        f"none), to put rows in order; row {row:,} has {coded.labels[wrong]!r}"
    )
