"""What a measure sees of a table. Every view works on one table or on a stack of them (leading axes).

The fields may be complex: the delta method differentiates a measure by an imaginary step, so functions of a
view use only +, −, ×, ÷, roots and logarithms, and compare real parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Values: TypeAlias = Any
"""A number or an array of them, float or complex."""


ROUNDING = 1e-14
"""Relative error of summed weights that is taken as none; whole cases are told apart up to 10¹⁴ of them."""


@dataclass(frozen=True)
class LabelView:
    """One label against the rest: hits, times predicted, times real, all cases."""

    hits: Values
    predicted: Values
    real: Values
    total: Values

    @property
    def false_alarms(self) -> Values:
        """Predicted but not real."""
        return difference(self.predicted, self.hits, self.predicted)

    @property
    def misses(self) -> Values:
        """Real but not predicted."""
        return difference(self.real, self.hits, self.real)

    @property
    def rejections(self) -> Values:
        """Neither predicted nor real."""
        return difference(self.not_real, self.predicted - self.hits, self.total)

    @property
    def not_real(self) -> Values:
        """Cases of other classes."""
        return difference(self.total, self.real, self.total)

    @property
    def not_predicted(self) -> Values:
        """Predictions of other labels."""
        return difference(self.total, self.predicted, self.total)


@dataclass(frozen=True)
class Marginals:
    """The diagonal and the margins of a table, one entry a label along the last axis."""

    hits: Values
    predicted: Values
    real: Values
    abstained: Values

    @property
    def total(self) -> Values:
        """Cases decided."""
        return np.asarray(self.real.sum(axis=-1))

    def by_label(self) -> LabelView:
        """Each label against the rest."""
        return LabelView(self.hits, self.predicted, self.real, self.total[..., None])


def marginals(cells: Values) -> Marginals:
    """The view of cells (…, K+1, K), whose last row holds the abstentions."""
    cells = as_floats(cells)
    counts = cells[..., :-1, :]
    return Marginals(
        np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(axis=-1), counts.sum(axis=-2), cells[..., -1, :]
    )


def as_floats(cells: Values) -> Values:
    """Integers as floats: products of four margins of a large table would overflow."""
    return cells.astype(np.float64) if cells.dtype.kind == "i" else cells


def ratio(numerator: Values, denominator: Values) -> Values:
    """A quotient of numbers that is nan, without a warning, where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.true_divide(numerator, denominator)
    return np.where(np.equal(denominator, 0), np.nan, quotient)


def difference(left: Values, right: Values, scale: Values) -> Values:
    """left − right, exactly 0 where only the rounding of summed weights keeps them apart.

    The imaginary part, a derivative, stays.
    """
    result = left - right
    is_rounding = np.abs(np.real(result)) <= ROUNDING * np.abs(np.real(scale))
    nothing = 1j * np.imag(result) if np.iscomplexobj(result) else 0.0
    return np.where(is_rounding, nothing, result)


def finite_or_none(number: float) -> float | None:
    """A number for JSON and tables, which have no nan and no infinity."""
    return number if math.isfinite(number) else None


def weighted_sum(weights: Values, values: Values) -> Values:
    """Σ weight·value over labels, leaving out values that are undefined."""
    defined = ~np.isnan(values)
    return np.asarray(np.where(defined, weights * np.where(defined, values, 0), 0).sum(axis=-1))


def entropy_bits(shares: Values) -> Values:
    """−Σ p log₂ p over the last axis, 0 log 0 being 0."""
    present = shares.real > 0
    logs = np.log2(np.where(present, shares, 1))
    return np.asarray(-(shares * logs).sum(axis=-1))
