"""The difference of a two-class measure between two systems, compared with another one in whole numbers.

Swapping outputs leaves the number of targets, and what the two systems predict together, as they are. So a
difference is a function of the hits and false alarms of each, and "at least as large as the observed one"
is a comparison of two sums of products of whole numbers: floats decide it where it is clear, Python's
integers where it is not.

A quotient 0/0 (the precision of a system that never predicts the target) counts as 0, as in trec_eval and by
scikit-learn's ``zero_division=0``. All measures then rise with hits and fall with false alarms.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import OptionError

TWO_CLASS_MEASURES = ("precision", "recall", "f", "accuracy", "informedness")

UNCLEAR = 1e-13
"""Relative distance below which floats do not decide; their own error is about ten roundings."""

Number: TypeAlias = Any
"""A Python integer, or an array of whole numbers held as floats."""


@dataclass(frozen=True)
class Quotient:
    """``hits / (fixed + slope · predicted)``: precision, and F."""

    fixed: int
    slope: int

    def gap(self, hits: int, alarms: int, other_hits: int, other_alarms: int) -> Fraction:
        """The difference, up to a constant factor."""
        one, two = self._bottom(hits, alarms), self._bottom(other_hits, other_alarms)
        return Fraction(hits, one) - Fraction(other_hits, two)

    def sides(
        self, gap: Fraction, hits: Number, alarms: Number, other_hits: Number, other_alarms: Number
    ) -> tuple[Number, Number]:
        """Two numbers ≥ 0: the left is at least the right when the difference is at least the gap."""
        one, two = self._bottom(hits, alarms), self._bottom(other_hits, other_alarms)
        top, bottom = _as_kind(hits, gap.numerator), _as_kind(hits, gap.denominator)
        return bottom * (hits * two), bottom * (other_hits * one) + top * (one * two)

    def _bottom(self, hits: Number, alarms: Number) -> Number:
        bottom = _as_kind(hits, self.fixed) + _as_kind(hits, self.slope) * (hits + alarms)
        return bottom + (bottom == 0)


@dataclass(frozen=True)
class Balance:
    """``hit · hits − alarm · alarms``: accuracy, informedness, recall."""

    hit: int
    alarm: int

    def gap(self, hits: int, alarms: int, other_hits: int, other_alarms: int) -> Fraction:
        """The difference, up to a constant factor."""
        return Fraction(self.hit * (hits - other_hits) - self.alarm * (alarms - other_alarms))

    def sides(
        self, gap: Fraction, hits: Number, alarms: Number, other_hits: Number, other_alarms: Number
    ) -> tuple[Number, Number]:
        """Two numbers ≥ 0: the left is at least the right when the difference is at least the gap."""
        hit, alarm = _as_kind(hits, self.hit), _as_kind(hits, self.alarm)
        least = _as_kind(hits, gap.numerator)
        return hit * hits + alarm * other_alarms, hit * other_hits + alarm * alarms + least


TwoClassMeasure: TypeAlias = Quotient | Balance


def two_class_measure(name: str, targets: int, background: int, alpha: float | Fraction) -> TwoClassMeasure:
    """A measure by name, given how many cases are targets and how many are not.

    ``f`` is ``hits / (α targets + (1 − α) predicted)``; what is divided by the targets alone is a matter of
    hits. Informedness, recall less fallout, needs both kinds.
    """
    if name == "recall":
        return Balance(1, 0)
    if name == "precision":
        return Quotient(0, 1)
    if name == "f":
        share = Fraction(str(alpha)) if isinstance(alpha, float) else Fraction(alpha)
        if not 0 <= share <= 1:
            raise OptionError(f"alpha, the weight of recall in F, is between 0 and 1; saw {alpha}")
        if share == 1:
            return Balance(1, 0)
        return Quotient(share.numerator * targets, share.denominator - share.numerator)
    if name == "accuracy":
        return Balance(1, 1)
    if name == "informedness":
        return Balance(background, targets) if targets and background else Balance(0, 0)
    raise OptionError(
        f"there is no randomisation test of {name!r} for one label; there is one of "
        + ", ".join(TWO_CLASS_MEASURES)
    )


def reaches(
    measure: TwoClassMeasure,
    gap: Fraction,
    hits: NDArray[np.int64],
    alarms: NDArray[np.int64],
    other_hits: NDArray[np.int64],
    other_alarms: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Where the first system's lead is at least the gap (≥ 0), ties included, decided exactly."""
    counts = (hits, alarms, other_hits, other_alarms)
    left, right = measure.sides(gap, *(count.astype(np.float64) for count in counts))
    result: NDArray[np.bool_] = np.asarray(left >= right)
    for i in np.flatnonzero(np.abs(left - right) <= UNCLEAR * (left + right)):
        exact_left, exact_right = measure.sides(gap, *(int(count[i]) for count in counts))
        result[i] = exact_left >= exact_right
    return result


def _as_kind(like: Number, number: int) -> Number:
    """A whole number as an integer beside integers, as a float beside arrays of them."""
    return float(number) if isinstance(like, np.ndarray) else number
