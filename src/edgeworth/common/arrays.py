"""Array types, and arithmetic that returns nan instead of failing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.json_types import JsonValue

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.integer | np.floating]
"""Integers for counted cases, floats for weighted ones."""
AnyArray: TypeAlias = NDArray[np.generic]
"""An array of any dtype: numbers, booleans, text, times or objects."""
AnyDtype: TypeAlias = np.dtype[np.generic]

Values: TypeAlias = Any
"""A number or an array of them, float or complex."""

RELATIVE_ROUNDING_ERROR = 1e-14
"""Summed weights that differ by less are equal; whole numbers are compared exactly."""

MAX_EXACT_INTEGER = 1 << 53
"""Larger whole numbers do not all have a float of their own."""

PROBABILITY_SUM_TOLERANCE = 1e-6
"""The probabilities of a case may add up to 1 within this error."""


def ratio(numerator: Values, denominator: Values) -> Values:
    """Divide numbers; a quotient by 0 is nan, without a warning."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.asarray(np.true_divide(numerator, denominator))
    is_zero = np.equal(denominator, 0)
    return np.where(is_zero, np.nan, quotient) if is_zero.any() else quotient


def difference(left: Values, right: Values, scale: Values) -> Values:
    """Subtract numbers; differences within the rounding error of summed weights are exactly 0.

    The imaginary part, which is a derivative, is kept.
    """
    result = np.asarray(left - right)
    distance, size = np.abs(result.real), np.real(scale)
    is_rounding = distance <= RELATIVE_ROUNDING_ERROR * size
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
    """Replace nan and infinity by None, because JSON and tables have neither."""
    return number if math.isfinite(number) else None


def as_floats(numbers: Numbers | None) -> Floats | None:
    """Return numbers as float64, without a copy if they are; None stays None."""
    return None if numbers is None else numbers.astype(np.float64, copy=False)


def plain_values(value: JsonValue) -> JsonValue:
    """Convert arrays to lists, and nan and infinity to None, at any depth."""
    if isinstance(value, float):
        return finite_or_none(value)
    if isinstance(value, np.ndarray):
        return plain_values(value.tolist())
    if isinstance(value, Mapping):
        return {name: plain_values(member) for name, member in value.items()}
    return [plain_values(member) for member in value] if isinstance(value, (list, tuple)) else value


def row_sums(values: Floats) -> Floats:
    """Sum each row, with the same result for every memory layout.

    Along short rows ``sum`` takes four times as long; a product with ones would keep a second core busy.

    >>> row_sums(np.array([[0.25, 0.5], [1.0, 0.0]])).tolist()
    [0.75, 1.0]
    """
    return np.asarray(np.einsum("ij->i", np.ascontiguousarray(values)))


def weighted_sum(weights: Values, values: Values) -> Values:
    """Sum weight · value over labels, without undefined values."""
    undefined = np.isnan(values)
    if undefined.any():
        weights, values = np.where(undefined, 0, weights), np.where(undefined, 0, values)
    return np.asarray((weights * values).sum(axis=-1))


def freeze(*arrays: NDArray[np.generic] | None) -> None:
    """Make arrays read-only; None is ignored."""
    for array in arrays:
        if array is not None:
            array.setflags(write=False)
