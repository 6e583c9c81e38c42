"""Columns of numbers: scores, weights, times and probabilities, checked and never clipped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import MAX_EXACT_INTEGER, PROBABILITY_SUM_TOLERANCE, row_sums
from edgeworth.errors import InputError
from edgeworth.sources.columns import (
    MISSING,
    Coded,
    Column,
    Label,
    as_array,
    as_column,
    check_gaps,
    encode_all,
    from_native,
    is_missing,
)

WHOLE = re.compile(r"[+-]?[0-9]{1,400}")
"""Longer ones are beyond any float, and Python makes no integers of thousands of digits."""
NUMBER = re.compile(
    r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE
)


NO_NUMBERS = (str, bytes, list, tuple, dict, set, np.ndarray)
"""What a column of objects may hold instead of numbers."""


def as_scores(values: Any, name: str = "scores", first_row: int = 1) -> NDArray[np.float64]:
    """Scores as float64; a missing one is NaN. Infinite scores are scores: they rank first or last.

    ``first_row`` is where the first of them stands in the whole, for errors.

    >>> as_scores([3, None, -2.5]).tolist()
    [3.0, nan, -2.5]
    """
    column = as_column(values, name)
    whole = _whole_numbers(column)
    if len(whole) and max(abs(int(whole.min())), abs(int(whole.max()))) > MAX_EXACT_INTEGER:
        raise InputError(
            f"{name} holds whole numbers beyond 2^53, which floats cannot tell apart: "
            "subtract a constant, or rank them first"
        )
    return _as_floats(column, name, first_row)


def _whole_numbers(column: Column) -> NDArray[Any]:
    """The whole numbers among the values of a column, or among its labels."""
    if isinstance(column, Coded):
        texts = [str(label).strip() for label in column.labels]
        return np.array([int(text) for text in texts if WHOLE.fullmatch(text)], dtype=object)
    if column.dtype.kind == "O":
        items = [item for item in column.tolist() if isinstance(item, (int, np.integer))]
        return np.array(items, dtype=object)
    return column if column.dtype.kind in "bui" else np.zeros(0)


def _as_floats(column: Column, name: str, first_row: int) -> NDArray[np.float64]:
    if isinstance(column, Coded):
        texts = [str(label) for label in column.labels]
        is_number = [bool(NUMBER.fullmatch(text.strip())) for text in texts]
        wrong = np.array([not x for x in is_number] + [False])[column.codes]
        if wrong.any():  # a label may occur in another part of the column
            row = int(np.argmax(wrong))
            raise _no_number(texts[column.codes[row]], name, first_row + row)
        numbers = [float(text) if x else np.nan for text, x in zip(texts, is_number, strict=True)]
        return np.array([*numbers, np.nan])[column.codes]
    if column.dtype.kind == "O":
        items = [np.nan if is_missing(item) else item for item in column.tolist()]
        place = next((place for place, item in enumerate(items) if isinstance(item, NO_NUMBERS)), None)
        if place is not None:
            raise _no_number(items[place], name, first_row + place)
        column = np.fromiter(items, dtype=object, count=len(items))
    if column.dtype.kind not in "biufO":
        raise InputError(f"{name} must be numbers; saw a column of {column.dtype}")
    try:
        return column.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must be numbers: {error}") from None


def _no_number(value: object, name: str, row: int) -> InputError:
    saw = f"the text {value!r}" if isinstance(value, str) else f"a {type(value).__name__}, {value!r:.60},"
    return InputError(f"{name} must be numbers, or empty (--missing drop); saw {saw} in row {row:,}")


LARGEST_TOTAL = 1 << 62
"""Above this a sum of integers could overflow."""


def as_weights(values: Any, name: str = "weights", first_row: int = 1) -> NDArray[Any]:
    """Weights as numbers: whole numbers (frequencies) stay integers, everything else becomes float.

    >>> as_weights([1, 2]).dtype, as_weights([1.0, None]).tolist()
    (dtype('int64'), [1.0, nan])
    """
    column = as_column(values, name)
    whole = _whole_numbers(column)
    if isinstance(column, Coded):
        are_whole = len(whole) == len(column.labels) and not np.any(column.codes == MISSING)
        whole = whole[column.codes] if are_whole else whole[:0]
    if len(whole) < len(column):
        return _as_floats(column, name, first_row)
    total = sum(whole.tolist()) if whole.dtype.kind == "O" else float(whole.sum(dtype=np.float64))
    if total > LARGEST_TOTAL:
        raise InputError(f"{name}: weights this large cannot be added up")
    return whole.astype(np.int64)


SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-70, 1e70
"""Between these the fourth powers of weights, and sums of a billion of them, are floats."""


def check_weights(weights: NDArray[Any], first_row: int = 1) -> None:
    """Refuse weights that are NaN, negative, too large or too small to be squared, naming the row."""
    good = (weights == 0) | ((weights >= SMALLEST_WEIGHT) & (weights <= LARGEST_WEIGHT))
    if not good.all():
        row = int(np.argmin(good))
        said = "finite and at least 0" if not 0 < weights[row] < np.inf else "0, or between 1e-70 and 1e+70"
        raise InputError(f"weights must be {said}; row {first_row + row:,} has {weights[row]}")


Time = int | float | datetime


DATE_PARTS = {"yyyy": "%Y", "yy": "%y", "mm": "%m", "dd": "%d", "HH": "%H", "MM": "%M", "SS": "%S"}


def as_times(
    values: Any, name: str = "time", first_row: int = 1, date_format: str | None = None
) -> NDArray[np.int64]:
    """The place of each row's time among the different times, the earliest being 0.

    Text is numbers, or dates as ISO 8601 writes them: 2026-07-31, 2026-07-31T18:30, 2026-07-31T18:30+02:00.
    ``date_format`` says how else they are written: dd/mm/yyyy HH:MM, or as strptime takes it, %d %b %Y.

    >>> as_times(["2026-07-31", "2026-02-01", "2026-07-31"]).tolist(), as_times([10, 9.5]).tolist()
    ([1, 0, 1], [1, 0])
    """
    column = as_column(values, name)
    if not isinstance(column, Coded) and column.dtype.kind in "iufM":
        check_gaps(np.isnat(column) if column.dtype.kind == "M" else np.isnan(column), name, first_row)
        return np.unique(column, return_inverse=True)[1].astype(np.int64, copy=False)
    coded = encode_all(column, name, first_row)
    if date_format is not None and "%" not in date_format:
        date_format = re.sub("|".join(DATE_PARTS), lambda part: DATE_PARTS[part[0]], date_format)
    labels = _as_numbers(coded.labels) if date_format is None else coded.labels
    times = [_as_time(label, date_format) for label in labels]
    # Neither of numbers and dates, or of times with and without a zone, comes before the other.
    kinds = [time.tzinfo is None if isinstance(time, datetime) else "number" for time in times]
    wrong = [code for code, time in enumerate(times) if time is None]
    wrong = wrong or [code for code, kind in enumerate(kinds) if kind != kinds[0]]
    if wrong:
        row = first_row + int(np.argmax(coded.codes == wrong[0]))
        said = (
            "numbers, or dates such as 2026-07-31 or 2026-07-31T18:30 (all with a time zone or none; "
            "date_format=, --date-format says how else they are written)"
        )
        if date_format is not None:
            said = f"dates such as {datetime(2026, 7, 31, 18, 30).strftime(date_format)}"
        raise InputError(
            f"{name} must be {said}, to put rows in order; row {row:,} has {coded.labels[wrong[0]]!r}"
        )
    place = {time: number for number, time in enumerate(sorted(set(times)))}  # type: ignore[type-var]  # no None
    return np.array([place[time] for time in times], dtype=np.int64)[coded.codes]


def _as_numbers(labels: Sequence[Label]) -> Sequence[Label]:
    """Text as numbers where all of it is; whole numbers stay exact, however large."""
    if not all(isinstance(label, str) and NUMBER.fullmatch(label.strip()) for label in labels):
        return labels
    texts = [str(label).strip() for label in labels]
    return [int(text) if WHOLE.fullmatch(text) else float(text) for text in texts]


def _as_time(label: Label, date_format: str | None = None) -> Time | None:
    if isinstance(label, str):
        try:
            if date_format is not None:
                return datetime.strptime(label.strip(), date_format)  # times compare as written
            return datetime.fromisoformat(label.strip())
        except ValueError:
            return None
    if isinstance(label, datetime):
        return label
    if isinstance(label, date):
        return datetime(label.year, label.month, label.day)
    is_number = isinstance(label, (int, float)) and not isinstance(label, bool) and label == label
    return label if is_number else None  # type: ignore[return-value]  # a number by now


FLOAT16 = 2.0**-11
"""Probabilities of half precision, rounded each, add up to 1 within this."""

FIFTH_DIGIT = 5e-6
"""How far five decimal digits are off, at most, a class."""

ROUNDED = 1e-14
"""So near 1 a sum is off by rounding alone: 10¹² such rows would move log wealth by a hundredth."""


def as_probabilities(values: Any, name: str = "probabilities") -> NDArray[np.float64]:
    """One column of the positive class's probabilities, or a row of probabilities a case, as float64.

    >>> as_probabilities([[0.2, 0.8], [1, 0]]).shape
    (2, 2)
    """
    if isinstance(values, Coded):
        return as_scores(values, name)
    if isinstance(values, (list, tuple)) and any(map(_is_row, values)):
        return _rectangle(values, name)
    if isinstance(values, np.ndarray):
        return _from_array(values, name)
    columns = _columns(values)
    if columns is None:
        if len(getattr(values, "shape", ())) == 2:
            return _from_array(as_array(values, name), name)
        return as_scores(as_column(values, name), name)
    table = stack_columns(list(columns.values()), [f"{name}, column {key!r}" for key in columns])
    return table[:, 0] if table.shape[1] == 1 else table


def names_of_columns(values: Any) -> tuple[Label, ...] | None:
    """What a dataframe calls its columns; None for what has no names.

    >>> names_of_columns([[0.2, 0.8]]) is None
    True
    """
    if isinstance(values, (Coded, list, tuple, np.ndarray)):
        return None
    columns = _columns(values)
    return None if columns is None else tuple(columns)


def stack_columns(columns: Sequence[Any], names: Sequence[str], first_row: int = 1) -> NDArray[np.float64]:
    """Columns of a file or frame side by side."""
    if not columns:
        raise InputError("probabilities need a column; saw none")
    pairs = zip(columns, names, strict=True)
    return np.stack([as_scores(column, name, first_row) for column, name in pairs], axis=1)


def check_probabilities(
    values: NDArray[np.float64], *, name: str = "probabilities", first_row: int = 1, normalise: bool = False
) -> NDArray[np.float64]:
    """Rows of probabilities: between 0 and 1, and adding up to 1 but for rounding (or made to, on request).

    Rounded to half precision or to five digits, rows are divided by their sums: over many cases what was
    rounded off would look like evidence.
    One column becomes two: the rest, and the positive class.

    >>> float(check_probabilities(np.array([[0.3333331, 0.333333, 0.333333]])).sum().round(12))
    1.0
    """
    if values.ndim == 1:
        _check_range(values[:, None], name, first_row)
        return np.stack([1 - values, values], axis=1)
    if values.shape[1] < 2:
        raise InputError(f"{name} need a column for each of two classes at least; saw {values.shape[1]}")
    _check_range(values, name, first_row)
    sums = row_sums(values)
    if normalise:
        if not np.all(sums > 0):
            row = int(np.argmin(sums > 0))
            raise InputError(f"{name} of row {first_row + row:,} are all 0: there is nothing to normalise")
        return values / sums[:, None]
    low, high = (sums.min(), sums.max()) if sums.size else (1.0, 1.0)
    gap = max(FLOAT16, FIFTH_DIGIT * values.shape[1])
    if not (low >= 1 - gap and high <= 1 + gap):
        row = int(np.argmax((sums < 1 - gap) | (sums > 1 + gap)))
        raise InputError(
            f"{name} of row {first_row + row:,} add up to {sums[row]:.9g}, not to 1 "
            f"(within {gap:.2g}): normalise=True (--normalise) divides each row by its sum"
        )
    if low >= 1 - ROUNDED and high <= 1 + ROUNDED:
        return values
    # A row is treated alike whatever its neighbours are, so that shards of a table come out as the whole.
    sums[np.abs(sums - 1) <= ROUNDED] = 1.0
    return values / sums[:, None]


def are_rounded(values: NDArray[np.float64]) -> bool:
    """Tell whether some row adds up to 1 only roughly, so that dividing it by its sum is worth a word."""
    return values.ndim == 2 and bool(
        np.abs(row_sums(values) - 1).max(initial=0.0) > PROBABILITY_SUM_TOLERANCE
    )


def _check_range(values: NDArray[np.float64], name: str, first_row: int) -> None:
    if not values.size or (values.min() >= 0 and values.max() <= 1):
        return
    wrong = ~((values >= 0) & (values <= 1))
    row, column = np.unravel_index(int(np.argmax(wrong)), values.shape)
    where = f", column {int(column) + 1}" if values.shape[1] > 1 else ""
    found = float(values[row, column])
    if np.isnan(found):
        raise InputError(f"{name}: row {first_row + int(row):,}{where} is missing (nan)")
    are_odds = values.shape[1] > 1 and (values > 1).all() and not np.allclose(row_sums(values), 100, 0.01)
    likely = ": divide percentages by 100" if values.min() >= 0 and values.max() > 10 else ""
    likely = ": these look like decimal odds: give 1/odds, or --odds alone" if are_odds else likely
    # All digits: 1.0000000000000002 must not be called 1.
    raise InputError(f"{name} lie between 0 and 1; row {first_row + int(row):,}{where} has {found!r}{likely}")


def _from_array(array: NDArray[Any], name: str) -> NDArray[np.float64]:
    if array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 1):
        return as_scores(array, name)
    if array.ndim != 2:
        raise InputError(f"{name} are one column or one row a case; saw an array of shape {array.shape}")
    if array.dtype.kind == "O":
        return _rectangle(array.tolist(), name)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name} must be numbers; saw a table of {array.dtype}")
    if isinstance(array, np.ma.MaskedArray):
        array = np.ma.filled(array.astype(np.float64), np.nan)
    # A matrix (np.matrix) would stay one, and has two dimensions whatever is asked.
    return np.asarray(array, dtype=np.float64)


def _columns(values: Any) -> dict[Label, Any] | None:
    """The columns of a dataframe of any library by name, or None when it is not one."""
    import narwhals.stable.v2 as nw

    frame = from_native(values, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    # Columns may be called 0, 1, …, so they are not asked for by name.
    return {key: each.to_native() for key, each in zip(frame.columns, frame.iter_columns(), strict=True)}


def _is_row(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _rectangle(rows: Sequence[Any], name: str) -> NDArray[np.float64]:
    lengths = [len(row) if _is_row(row) else 1 for row in rows]
    wrong = next((place for place, length in enumerate(lengths) if length != lengths[0]), None)
    if wrong is not None:
        raise InputError(
            f"{name} need the same number of columns in every row; row 1 has {lengths[0]}, "
            f"row {wrong + 1:,} has {lengths[wrong]}"
        )
    columns = list(zip(*(row if _is_row(row) else (row,) for row in rows), strict=True))
    table = stack_columns(columns, [f"{name}, column {place}" for place in range(1, len(columns) + 1)])
    return table[:, 0] if table.shape[1] == 1 else table
