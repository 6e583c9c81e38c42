"""Weights: whole numbers count cases, fractions weigh them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.columns import MISSING, Coded, as_column, is_missing

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
        return _from_text(column, name)
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


def _from_text(column: Coded, name: str) -> NDArray[Any]:
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
