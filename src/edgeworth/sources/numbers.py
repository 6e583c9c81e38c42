"""Columns of numbers: scores, weights, times and probabilities, checked and never clipped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeGuard

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import MAX_EXACT_INTEGER, PROBABILITY_SUM_TOLERANCE, AnyArray, Numbers, row_sums
from edgeworth.errors import InputError
from edgeworth.sources.columns import (
    MISSING,
    Coded,
    Column,
    Label,
    as_array,
    as_column,
    is_missing,
    unique_column_names,
)

if TYPE_CHECKING:
    from narwhals.typing import IntoSeries

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,400}")
"""Longer numbers are beyond any float, and Python converts no integers of thousands of digits."""
NUMBER = re.compile(
    r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE
)


NON_NUMERIC_TYPES = (str, bytes, list, tuple, dict, set, np.ndarray)
"""Types that a column of objects may hold by mistake instead of numbers."""


def as_scores(values: object, name: str = "scores", first_row: int = 1) -> NDArray[np.float64]:
    """Convert scores to float64, a missing one to NaN.

    Infinite scores are allowed: they rank first or last. ``first_row`` is the row number of the first score,
    for errors.

    >>> as_scores([3, None, -2.5]).tolist()
    [3.0, nan, -2.5]
    """
    column = as_column(values, name)
    whole = _whole_numbers(column)
    if len(whole) and max(abs(int(whole.min())), abs(int(whole.max()))) > MAX_EXACT_INTEGER:
        raise InputError(
            f"{name} holds whole numbers beyond 2^53, which floats cannot distinguish: "
            "subtract a constant, or rank them first"
        )
    return _as_floats(column, name, first_row)


def _whole_numbers(column: Column) -> AnyArray:
    """Return the whole numbers among the values of a column, or among its labels."""
    if isinstance(column, Coded):
        texts = [str(label).strip() for label in column.labels]
        return np.array([int(text) for text in texts if WHOLE_NUMBER.fullmatch(text)], dtype=object)
    if column.dtype.kind == "O":
        integers = [item for item in column.tolist() if isinstance(item, (int, np.integer))]
        return np.array(integers, dtype=object)
    return column if column.dtype.kind in "bui" else np.zeros(0)


def _as_floats(column: Column, name: str, first_row: int) -> NDArray[np.float64]:
    if isinstance(column, Coded):
        texts = [str(label) for label in column.labels]
        is_number = [bool(NUMBER.fullmatch(text.strip())) for text in texts]
        is_wrong = np.array([not numeric for numeric in is_number] + [False])[column.codes]
        if is_wrong.any():  # a label may occur in another part of the column
            row = int(np.argmax(is_wrong))
            raise _not_a_number_error(texts[column.codes[row]], name, first_row + row)
        numbers = [float(text) if numeric else np.nan for text, numeric in zip(texts, is_number, strict=True)]
        return np.array([*numbers, np.nan])[column.codes]
    if column.dtype.kind == "O":
        items = [np.nan if is_missing(item) else item for item in column.tolist()]
        wrong_rows = (row for row, item in enumerate(items) if isinstance(item, NON_NUMERIC_TYPES))
        wrong_row = next(wrong_rows, None)
        if wrong_row is not None:
            raise _not_a_number_error(items[wrong_row], name, first_row + wrong_row)
        column = np.fromiter(items, dtype=object, count=len(items))
    if column.dtype.kind not in "biufO":
        raise InputError(f"{name} must be numbers; saw a column of {column.dtype}")
    try:
        return column.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must be numbers: {error}") from None


def _not_a_number_error(value: object, name: str, row: int) -> InputError:
    saw = f"the text {value!r}" if isinstance(value, str) else f"a {type(value).__name__}, {value!r:.60},"
    advice = describe_notation(value) if isinstance(value, str) else ""
    return InputError(f"{name} must be numbers or empty; saw {saw} in row {row:,}{advice}")


DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,([0-9]{1,2}|[0-9]{4,})")
"""Three digits after a comma may be thousands."""

FRACTION = re.compile(r"([0-9]{1,9})[/:]([0-9]{1,9})")


def describe_notation(text: str) -> str:
    """Advise how to write a percentage, a decimal comma or a fraction; return nothing for other text.

    >>> [describe_notation(text) for text in ("52%", "4,95", "5/2", "high")]
    [': write 0.52', ': write 4.95', ': write 2.5, or 3.5 if these are fractional odds', '']
    """
    stripped = text.strip()
    number = stripped.removesuffix("%").strip()
    if stripped.endswith("%") and NUMBER.fullmatch(number):
        return f": write {float(number) / 100:.12g}"
    if DECIMAL_COMMA.fullmatch(stripped):
        return f": write {stripped.replace(',', '.')}"
    fraction = FRACTION.fullmatch(stripped)
    if fraction and int(fraction[2]):
        ratio = int(fraction[1]) / int(fraction[2])
        return f": write {ratio:.6g}, or {1 + ratio:.6g} if these are fractional odds"
    return ""


MAX_INTEGER_WEIGHT_SUM = 1 << 62
"""Above this a sum of integers could overflow."""


def as_weights(values: object, name: str = "weights", first_row: int = 1) -> Numbers:
    """Convert weights to numbers: whole numbers (frequencies) to integers, everything else to floats.

    >>> as_weights([1, 2]).dtype, as_weights([1.0, None]).tolist()
    (dtype('int64'), [1.0, nan])
    """
    column = as_column(values, name)
    whole = _whole_numbers(column)
    if isinstance(column, Coded):
        is_whole_column = len(whole) == len(column.labels) and not np.any(column.codes == MISSING)
        whole = whole[column.codes] if is_whole_column else whole[:0]
    if len(whole) < len(column):
        return _as_floats(column, name, first_row)
    total = sum(whole.tolist()) if whole.dtype.kind == "O" else float(whole.sum(dtype=np.float64))
    if total > MAX_INTEGER_WEIGHT_SUM:
        raise InputError(f"{name}: weights this large cannot be added up")
    return whole.astype(np.int64)


MIN_POSITIVE_WEIGHT = 1e-70
MAX_WEIGHT = 1e70
"""Between these the fourth powers of weights, and sums of a billion of them, are floats."""


def check_weights(weights: Numbers, first_row: int = 1) -> None:
    """Raise an error with the row if a weight is NaN, negative, too large or too small to be squared."""
    is_valid = (weights == 0) | ((weights >= MIN_POSITIVE_WEIGHT) & (weights <= MAX_WEIGHT))
    if not is_valid.all():
        row = int(np.argmin(is_valid))
        is_positive = bool(0 < weights[row] < np.inf)
        needed = "0, or between 1e-70 and 1e+70" if is_positive else "finite and at least 0"
        raise InputError(f"weights must be {needed}; row {first_row + row:,} has {weights[row]}")


FLOAT16_SUM_ERROR = 2.0**-11
"""Probabilities of half precision add up to 1 within this."""

FIVE_DIGIT_ERROR = 5e-6
"""The largest rounding error per class of probabilities with five decimal digits."""

FLOAT64_SUM_ERROR = 1e-14
"""A sum this near 1 is off by rounding alone: 10¹² such rows would move log wealth by a hundredth."""


def as_probabilities(values: object, name: str = "probabilities") -> NDArray[np.float64]:
    """Convert the positive class's probabilities, or one row of probabilities per case, to float64.

    >>> as_probabilities([[0.2, 0.8], [1, 0]]).shape
    (2, 2)
    """
    if isinstance(values, Coded):
        return as_scores(values, name)
    if isinstance(values, (list, tuple)) and any(map(_is_row, values)):
        return _table_from_rows(values, name)
    if isinstance(values, np.ndarray):
        return _table_from_array(values, name)
    columns = _columns(values)
    if columns is None:
        if len(getattr(values, "shape", ())) == 2:
            return _table_from_array(as_array(values, name), name)
        return as_scores(as_column(values, name), name)
    table = stack_columns(list(columns.values()), [f"{name}, column {key!r}" for key in columns])
    return table[:, 0] if table.shape[1] == 1 else table


def names_of_columns(values: object) -> tuple[Label, ...] | None:
    """Return the column names of a dataframe, or None for anything else.

    >>> names_of_columns([[0.2, 0.8]]) is None
    True
    """
    if isinstance(values, (Coded, list, tuple, np.ndarray)):
        return None
    columns = _columns(values)
    return None if columns is None else tuple(columns)


def stack_columns(columns: Sequence[object], names: Sequence[str], first_row: int = 1) -> NDArray[np.float64]:
    """Return a table of floats with the columns of a file or frame."""
    if not columns:
        raise InputError("probabilities need a column; saw none")
    pairs = zip(columns, names, strict=True)
    return np.stack([as_scores(column, name, first_row) for column, name in pairs], axis=1)


def check_probabilities(
    values: NDArray[np.float64], *, name: str = "probabilities", first_row: int = 1, normalise: bool = False
) -> NDArray[np.float64]:
    """Return rows of probabilities that add up to 1, or raise an error if they are not probabilities.

    ``normalise`` divides each row by its sum. Without it, only rows rounded to half precision or to five
    digits are divided: over many cases the rounding errors would look like evidence.
    One column becomes two: the other class, and the positive class.

    >>> float(check_probabilities(np.array([[0.3333331, 0.333333, 0.333333]])).sum().round(12))
    1.0
    """
    if values.ndim == 1:
        _check_range(values[:, None], name, first_row)
        return np.stack([1 - values, values], axis=1)
    if values.shape[1] < 2:
        raise InputError(f"{name} need one column per class, at least two; saw {values.shape[1]}")
    _check_range(values, name, first_row)
    sums = row_sums(values)
    if normalise:
        if not np.all(sums > 0):
            row = int(np.argmin(sums > 0))
            raise InputError(f"{name} of row {first_row + row:,} are all 0: there is nothing to normalise")
        return values / sums[:, None]
    low, high = (sums.min(), sums.max()) if sums.size else (1.0, 1.0)
    tolerance = max(FLOAT16_SUM_ERROR, FIVE_DIGIT_ERROR * values.shape[1])
    if not (low >= 1 - tolerance and high <= 1 + tolerance):
        row = int(np.argmax((sums < 1 - tolerance) | (sums > 1 + tolerance)))
        raise InputError(
            f"{name} of row {first_row + row:,} add up to {sums[row]:.9g}, not 1 "
            f"(within {tolerance:.2g}): to divide each row by its sum, pass normalise=True (--normalise)"
        )
    if low >= 1 - FLOAT64_SUM_ERROR and high <= 1 + FLOAT64_SUM_ERROR:
        return values
    # A row is treated in the same way in every batch, so that shards agree with the whole.
    sums[np.abs(sums - 1) <= FLOAT64_SUM_ERROR] = 1.0
    return values / sums[:, None]


def are_rounded(values: NDArray[np.float64]) -> bool:
    """Return whether the sum of some row differs from 1 by enough to mention that it is normalised."""
    return values.ndim == 2 and bool(
        np.abs(row_sums(values) - 1).max(initial=0.0) > PROBABILITY_SUM_TOLERANCE
    )


def _check_range(values: NDArray[np.float64], name: str, first_row: int) -> None:
    if not values.size or (values.min() >= 0 and values.max() <= 1):
        return
    is_wrong = ~((values >= 0) & (values <= 1))
    row_index, column_index = np.unravel_index(int(np.argmax(is_wrong)), values.shape)
    row = first_row + int(row_index)
    column = f", column {int(column_index) + 1}" if values.shape[1] > 1 else ""
    value = float(values[row_index, column_index])
    if np.isnan(value):
        advice = 'to drop incomplete rows, pass missing="drop" (--missing drop)'
        raise InputError(f"{name}: row {row:,}{column} is missing (nan): {advice}")
    advice = ""
    if values.shape[1] > 1 and (values > 1).all() and not np.allclose(row_sums(values), 100, 0.01):
        advice = (
            ": these look like decimal odds: pass only --odds, or add --remove-overround power to bet on "
            "them at other odds"
        )
    elif values.min() >= 0 and values.max() > 10:
        advice = ": divide percentages by 100"
    # All digits: 1.0000000000000002 must not be called 1.
    raise InputError(f"{name} must be between 0 and 1; row {row:,}{column} has {value!r}{advice}")


def _table_from_array(array: AnyArray, name: str) -> NDArray[np.float64]:
    if array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 1):
        return as_scores(array, name)
    if array.ndim != 2:
        raise InputError(
            f"{name} must be one column, or one row per case; saw an array of shape {array.shape}"
        )
    if array.dtype.kind == "O":
        return _table_from_rows(array.tolist(), name)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name} must be numbers; saw a table of {array.dtype}")
    if isinstance(array, np.ma.MaskedArray):
        array = np.ma.filled(array.astype(np.float64), np.nan)
    # np.matrix would stay a matrix, whose slices always have two dimensions.
    return np.asarray(array, dtype=np.float64)


def _columns(values: object) -> dict[Label, IntoSeries] | None:
    """Return the columns of a dataframe of any library by name, or None for anything else."""
    import narwhals.stable.v2 as nw

    with unique_column_names():
        frame = nw.from_native(values, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    # Columns may be called 0, 1, …, so they are not looked up by name.
    pairs = zip(frame.columns, frame.iter_columns(), strict=True)
    return {name: series.to_native() for name, series in pairs}


def _is_row(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _table_from_rows(rows: Sequence[object], name: str) -> NDArray[np.float64]:
    lists = [row if _is_row(row) else (row,) for row in rows]
    lengths = [len(row) for row in lists]
    wrong_row = next((row for row, length in enumerate(lengths) if length != lengths[0]), None)
    if wrong_row is not None:
        raise InputError(
            f"{name} need the same number of columns in every row; row 1 has {lengths[0]}, "
            f"row {wrong_row + 1:,} has {lengths[wrong_row]}"
        )
    columns = list(zip(*lists, strict=True))
    table = stack_columns(columns, [f"{name}, column {number}" for number in range(1, len(columns) + 1)])
    return table[:, 0] if table.shape[1] == 1 else table
