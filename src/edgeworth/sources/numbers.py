"""Scores: any column of numbers that can be put in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.columns import MISSING, Coded, Label, as_column, encode, is_missing

WeightKind: TypeAlias = Literal["counts", "sampling"]
"""What weights are: repeated cases, or how much a sampled case stands for."""

WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE
)

EXACT_INTEGERS = 1 << 53
"""Whole numbers beyond this have no float of their own, so two of them could come out as a tie."""


def as_scores(values: Any, name: str = "scores", first_row: int = 1) -> NDArray[np.float64]:
    """Scores as float64; a missing one is NaN. Infinite scores are scores: they rank first or last.

    ``first_row`` is where the first of them stands in the whole, for errors.

    >>> as_scores([3, None, -2.5]).tolist()
    [3.0, nan, -2.5]
    """
    column = as_column(values, name)
    if isinstance(column, Coded):
        return _from_text(column, name, first_row)
    if column.dtype.kind in "ui":
        _check_exact(column, name)
    if column.dtype.kind == "O":
        items = [np.nan if is_missing(item) else item for item in column.tolist()]
        text = next((place for place, item in enumerate(items) if isinstance(item, str)), None)
        if text is not None:
            raise _no_number(items[text], name, first_row + text)
        _check_exact([int(item) for item in items if isinstance(item, (int, np.integer))], name)
        column = np.array(items, dtype=object)
    if column.dtype.kind not in "biufO":
        raise InputError(f"{name} must be numbers; saw a column of {column.dtype}")
    if column.ndim != 1:
        raise InputError(f"{name} must be one column of numbers; saw rows of {column.shape[1]}")
    try:
        return column.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must be numbers: {error}") from None


def _from_text(column: Coded, name: str, first_row: int) -> NDArray[np.float64]:
    texts = [str(label) for label in column.labels]
    wrong = [code for code, text in enumerate(texts) if not NUMBER.fullmatch(text.strip())]
    if wrong:
        row = int(np.argmax(np.isin(column.codes, wrong)))
        raise _no_number(texts[column.codes[row]], name, first_row + row)
    _check_exact([int(text) for text in texts if WHOLE.fullmatch(text.strip())], name)
    return np.array([float(text) for text in texts] + [np.nan])[column.codes]


def _no_number(text: object, name: str, row: int) -> InputError:
    return InputError(f"{name} must be numbers; saw the text {text!r} in row {row:,}")


def _check_exact(numbers: Any, name: str) -> None:
    if len(numbers) and max(abs(int(min(numbers))), abs(int(max(numbers)))) > EXACT_INTEGERS:
        raise InputError(
            f"{name} holds whole numbers beyond 2^53, which floats cannot tell apart: "
            "subtract a constant, or rank them first"
        )


LARGEST_TOTAL = 1 << 62
"""Above this a sum of integers could overflow."""

_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")


def as_weights(values: Any, name: str = "weights") -> NDArray[Any]:
    """Weights as numbers: integers (frequencies) stay integers, everything else becomes float.

    >>> as_weights([1, 2]).dtype, as_weights([1.0, None]).tolist()
    (dtype('int64'), [1.0, nan])
    """
    column = as_column(values, name)
    if isinstance(column, Coded):
        return _weights_from_text(column, name)
    if column.dtype.kind in "bui":
        return _integers(column, name)
    if column.dtype.kind == "O":
        items = [np.nan if is_missing(item) else item for item in column.tolist()]
        if all(isinstance(item, int) for item in items):
            return _integers(np.array(items, dtype=object), name)
        column = np.array(items, dtype=object)
    try:
        if column.dtype.kind == "c":
            raise TypeError("complex numbers")
        return column.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers: {error}") from None


def _integers(column: NDArray[Any], name: str) -> NDArray[np.int64]:
    total = sum(column.tolist()) if column.dtype.kind == "O" else float(column.sum(dtype=np.float64))
    if total > LARGEST_TOTAL:
        raise InputError(f"{name}: weights this large cannot be added up")
    return column.astype(np.int64)


def _weights_from_text(column: Coded, name: str) -> NDArray[Any]:
    """Whole numbers when every one is written so, otherwise floats; missing is NaN."""
    written = [str(label) for label in column.labels]
    if all(_WHOLE.fullmatch(text) for text in written) and not np.any(column.codes == MISSING):
        return _integers(np.array([int(text) for text in written], dtype=object)[column.codes], name)
    try:
        values = np.array([float(text) for text in written] + [np.nan])
    except ValueError as error:
        raise InputError(f"{name} must be numbers: {error}") from None
    return values[column.codes]


def check_weights(weights: NDArray[Any], first_row: int = 1) -> None:
    """Refuse NaN, infinite and negative weights, naming the row."""
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"weights must be finite and at least 0; row {first_row + row:,} has {weights[row]}")


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
