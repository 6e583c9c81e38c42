"""Scores: any column of numbers that can be put in order."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.columns import Coded, as_column, is_missing

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
