"""Probabilities of each class, one row a case: checked, never clipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.columns import Coded, as_column
from edgeworth.sources.scores import as_scores

TOLERANCE = 1e-6
"""How far the probabilities of a row may be from adding up to 1."""


def as_probabilities(values: Any, name: str = "probabilities") -> NDArray[np.float64]:
    """One column of the positive class's probabilities, or a row of probabilities a case, as float64.

    >>> as_probabilities([[0.2, 0.8], [1, 0]]).shape
    (2, 2)
    """
    if isinstance(values, Coded):
        return as_scores(values, name)
    if hasattr(values, "columns") and hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, (list, tuple)) and values and _is_row(values[0]):
        values = _rectangle(values, name)
    array = values if isinstance(values, np.ndarray) else as_column(values, name)
    if isinstance(array, np.ndarray) and array.ndim == 2:
        if array.dtype.kind not in "biuf":
            raise InputError(f"{name} must be numbers; saw a table of {array.dtype}")
        return array.astype(np.float64, copy=False)
    if isinstance(array, np.ndarray) and array.ndim != 1:
        raise InputError(f"{name} are one column or one row a case; saw an array of shape {array.shape}")
    return as_scores(array, name)


def stacked(columns: Sequence[Any], names: Sequence[str]) -> NDArray[np.float64]:
    """Columns of a file or frame side by side."""
    return np.stack([as_scores(column, name) for column, name in zip(columns, names, strict=True)], axis=1)


def checked(
    values: NDArray[np.float64], *, name: str = "probabilities", first_row: int = 1, normalise: bool = False
) -> NDArray[np.float64]:
    """Rows of probabilities: between 0 and 1, and adding up to 1 within 1e-6 (or made to, on request).

    One column becomes two: the rest, and the positive class.
    """
    if values.ndim == 1:
        _check_range(values[:, None], name, first_row)
        return np.stack([1 - values, values], axis=1)
    if values.shape[1] < 2:
        raise InputError(f"{name} need a column for each of two classes at least; saw {values.shape[1]}")
    _check_range(values, name, first_row)
    sums = values @ np.ones(values.shape[1])
    wrong = np.abs(sums - 1) > TOLERANCE
    if wrong.any():
        row = int(np.argmax(wrong))
        if not normalise:
            raise InputError(
                f"{name} of row {first_row + row:,} add up to {sums[row]:.9g}, not to 1 "
                f"(within {TOLERANCE:g}): normalise=True (--normalise) divides each row by its sum"
            )
        if not np.all(sums > 0):
            row = int(np.argmin(sums > 0))
            raise InputError(f"{name} of row {first_row + row:,} are all 0: there is nothing to normalise")
    return values / sums[:, None] if normalise else values


def _check_range(values: NDArray[np.float64], name: str, first_row: int) -> None:
    # The smallest and the largest are found without a temporary; nan makes both comparisons fail.
    if values.size and not (values.min() >= 0 and values.max() <= 1):
        wrong = ~((values >= 0) & (values <= 1))
        row, column = np.unravel_index(int(np.argmax(wrong)), values.shape)
        where = f", column {int(column) + 1}" if values.shape[1] > 1 else ""
        raise InputError(
            f"{name} lie between 0 and 1; row {first_row + int(row):,}{where} has {values[row, column]:g}"
        )


def _is_row(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray))


def _rectangle(rows: Sequence[Any], name: str) -> NDArray[np.float64]:
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise InputError(f"{name} need the same number of columns in every row; saw {sorted(lengths)[:4]}")
    try:
        return np.array(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers: {error}") from None
