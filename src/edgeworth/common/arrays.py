"""Names for kinds of arrays, and arithmetic that says nan instead of failing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

Values: TypeAlias = Any
"""A number or an array of them, float or complex."""


ROUNDING = 1e-14
"""Relative error of summed weights that is taken as none; whole numbers are told apart."""

MAX_EXACT_INTEGER = 1 << 53
"""Whole numbers beyond this have no float of their own."""


PROBABILITY_SUM_TOLERANCE = 1e-6
"""How far the probabilities of one race may be from adding up to 1."""


def ratio(numerator: Values, denominator: Values) -> Values:
    """Divide numbers; the quotient is nan, without a warning, where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.asarray(np.true_divide(numerator, denominator))
    is_nothing = np.equal(denominator, 0)
    return np.where(is_nothing, np.nan, quotient) if is_nothing.any() else quotient


def difference(left: Values, right: Values, scale: Values) -> Values:
    """Subtract; the result is exactly 0 where only the rounding of summed weights keeps them apart.

    The imaginary part, a derivative, stays.
    """
    result = np.asarray(left - right)
    distance, size = np.abs(result.real), np.real(scale)
    is_rounding = distance <= ROUNDING * size
    # Most arrays have none, and this is called very often.
    if not is_rounding.any():
        return result
    is_rounding &= distance > 0
    # Whole numbers this small are subtracted without any rounding.
    one, other = np.real(left), np.real(right)
    is_whole = (np.rint(one) == one) & (np.rint(other) == other) & (size < MAX_EXACT_INTEGER)
    nothing = 1j * np.imag(result) if np.iscomplexobj(result) else 0.0
    return np.where(is_rounding & ~is_whole, nothing, result)


def finite_or_none(number: float) -> float | None:
    """Replace nan and infinity by None, for JSON and tables have neither."""
    return number if math.isfinite(number) else None


def plain_values(value: Any) -> Any:
    """Make arrays lists, and nan and infinity None, however deep they lie."""
    if isinstance(value, float):
        return finite_or_none(value)
    if isinstance(value, np.ndarray):
        return plain_values(value.tolist())
    if isinstance(value, Mapping):
        return {name: plain_values(each) for name, each in value.items()}
    return [plain_values(each) for each in value] if isinstance(value, (list, tuple)) else value


def row_sums(values: Floats) -> Floats:
    """Σ_k of each row, the same however the table lies in memory.

    Along short rows ``sum`` takes four times as long; a product with ones would leave a second core spinning.

    >>> row_sums(np.array([[0.25, 0.5], [1.0, 0.0]])).tolist()
    [0.75, 1.0]
    """
    return np.asarray(np.einsum("ij->i", np.ascontiguousarray(values)))


def weighted_sum(weights: Values, values: Values) -> Values:
    """Sum weight·value over labels, leaving out values that are undefined."""
    undefined = np.isnan(values)
    if undefined.any():
        weights, values = np.where(undefined, 0, weights), np.where(undefined, 0, values)
    return np.asarray((weights * values).sum(axis=-1))


def freeze(*arrays: NDArray[Any] | None) -> None:
    """Make arrays read-only, those that are there."""
    for array in arrays:
        if array is not None:
            array.setflags(write=False)
