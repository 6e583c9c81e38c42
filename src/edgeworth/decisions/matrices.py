"""Checks of matrices and tables of counts: typed in, computed elsewhere, or read from a file."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.common.arrays import Numbers
from edgeworth.core.formatting import plural
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import Label, is_missing
from edgeworth.sources.numbers import MAX_INTEGER_WEIGHT_SUM, MAX_WEIGHT, MIN_POSITIVE_WEIGHT


def has_actual_rows(rows: str) -> bool:
    """Return whether the rows of a matrix are actual classes; refuse an unknown word."""
    if rows not in ("predicted", "actual", "real"):
        raise OptionError(f'rows must be "predicted" or "actual"; saw {rows!r}')
    return rows != "predicted"


def parse_matrix(text: str, name: str) -> list[list[float]]:
    """Read a square matrix that is typed row by row.

    >>> parse_matrix("12 28; 18 42", "the table")
    [[12.0, 28.0], [18.0, 42.0]]
    """
    rows = [row.replace(",", " ").split() for row in text.replace("\n", ";").split(";") if row.strip()]
    if not rows:
        raise InputError(f'{name} is empty; write the rows as "12 28; 18 42"')
    if any(len(row) != len(rows) for row in rows):
        sizes = ", ".join(str(len(row)) for row in rows)
        seen = f"{len(rows)} {plural(len(rows), 'row')} of {sizes} numbers"
        raise InputError(
            f"{name} must be square, with as many rows as columns; saw {seen} (rows are separated by ;)"
        )
    try:
        return [[float(number) for number in row] for row in rows]
    except ValueError as error:
        raise InputError(f"an entry of {name} is not a number: {error}") from None


def check_matrix(counts: ArrayLike) -> Numbers:
    """Take a square matrix of finite numbers of at least 0: int64 when all are whole, else float64."""
    try:
        matrix = np.asarray(counts)
        if matrix.dtype.kind == "c":
            raise TypeError
        numbers = matrix.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("a matrix of counts needs numbers in rows of equal length") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"a contingency matrix is square (as many predicted as real labels); saw {matrix.shape}"
        )
    if matrix.size == 0:
        raise InputError("the matrix is empty")
    _check_counts(numbers)
    if np.all(numbers == np.round(numbers)):
        # Integers keep every digit; text and floats are whole numbers by now.
        return matrix.astype(np.int64) if matrix.dtype.kind in "biuO" else numbers.astype(np.int64)
    return numbers


def check_table(
    labels: tuple[Label, ...], cells: Numbers, squared: Numbers | None, positive: Label | None
) -> None:
    """Refuse labels and cells that are no contingency table."""
    size = len(labels)
    if len(set(labels)) < size or any(is_missing(label) for label in labels):
        raise InputError(f"the labels of a table must differ and must not be missing; saw {labels!r}")
    if cells.shape != (size + 1, size):
        raise InputError(f"{size} labels need cells of shape {(size + 1, size)}; saw {cells.shape}")
    if cells.dtype.kind == "i":
        _check_counts(cells)
    if (cells.dtype.kind == "f") != (squared is not None):
        raise InputError("a table of weights needs their squares; a table of counts has none")
    if squared is not None:
        if squared.shape != cells.shape:
            raise InputError(
                f"squared weights of shape {squared.shape} do not fit cells of shape {cells.shape}"
            )
        for weights in (cells, squared):
            if not np.all(np.isfinite(weights) & (weights >= 0)):
                raise InputError("weights of a table must be finite and at least 0")
    if positive is not None and positive not in labels:
        raise InputError(f"the positive label {positive!r} is not one of the labels")


def _check_counts(numbers: Numbers) -> None:
    wrong = ~(np.isfinite(numbers) & (numbers >= 0))
    if wrong.any():
        raise InputError(f"counts must be finite and at least 0; saw {numbers[wrong][0]:g}")
    whole = numbers.dtype.kind == "i" or bool(np.all(numbers == np.round(numbers)))
    if whole and numbers.sum(dtype=np.float64) > MAX_INTEGER_WEIGHT_SUM:
        raise InputError(f"counts this large ({float(numbers.max()):g}) cannot be summed exactly")
    positive = numbers[numbers > 0]
    if positive.size and not MIN_POSITIVE_WEIGHT <= positive.min() <= positive.max() <= MAX_WEIGHT:
        ends = f"between {MIN_POSITIVE_WEIGHT:g} and {MAX_WEIGHT:g}"
        saw = positive.max() if positive.max() > MAX_WEIGHT else positive.min()
        raise InputError(f"counts must be 0, or {ends}; saw {saw:g}")
