"""Matrices of counts that a user typed or computed elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.errors import InputError


def checked_matrix(counts: ArrayLike) -> NDArray[Any]:
    """A square matrix of finite numbers of at least 0: int64 when all are whole, else float64."""
    try:
        matrix = np.asarray(counts)
        numbers = matrix.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError("a matrix of counts needs numbers in rows of equal length") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"a contingency matrix is square (as many predicted as real labels); saw {matrix.shape}"
        )
    if matrix.size == 0:
        raise InputError("the matrix is empty")
    if not np.all(np.isfinite(numbers) & (numbers >= 0)):
        bad = numbers[~(np.isfinite(numbers) & (numbers >= 0))][0]
        raise InputError(f"counts must be finite and at least 0; saw {bad:g}")
    if matrix.dtype.kind in "biu" or np.all(numbers == np.round(numbers)):
        return matrix.astype(np.int64)
    return numbers
