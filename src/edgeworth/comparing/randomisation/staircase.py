"""The exact law of a two-class difference under swapping: a sum over a staircase, not over a grid.

X of the discordant targets and Y of the discordant background fall to the first system, each a number of
heads among fair coins. A difference that rises with X and falls with Y is large enough, for each X, when Y
is at most some y(X): bisection finds it with exact comparisons, and P = 2 Σ_x P(X = x) P(Y ≤ y(x))."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from edgeworth.arrays import Integers
from edgeworth.comparing.randomisation import coins as fair_coins
from edgeworth.core.tails import Tail
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
        """Compute the difference, up to a constant factor."""
        one, two = self.bottom(hits, alarms), self.bottom(other_hits, other_alarms)
        return Fraction(hits, one) - Fraction(other_hits, two)

    def sides(
        self, gap: Fraction, hits: Number, alarms: Number, other_hits: Number, other_alarms: Number
    ) -> tuple[Number, Number]:
        """Two numbers ≥ 0: the left is at least the right when the difference is at least the gap."""
        one, two = self.bottom(hits, alarms), self.bottom(other_hits, other_alarms)
        top, bottom = _as_kind(hits, gap.numerator), _as_kind(hits, gap.denominator)
        return bottom * (hits * two), bottom * (other_hits * one) + top * (one * two)

    def bottom(self, hits: Number, alarms: Number) -> Number:
        """Compute the denominator; 0/0 is 0."""
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
    """Find a measure by name, given how many cases are targets and how many are not.

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


LARGEST = 1 << 61
"""Sums of two such numbers are whole numbers of 64 bits."""


@dataclass(frozen=True)
class Staircase:
    """What both systems have anyway, what is dealt out between them, and the measure of what each has."""

    measure: TwoClassMeasure
    both_hit: int
    both_alarm: int
    hits: int
    alarms: int

    def two_sided(self, gap: Fraction, said: str) -> Tail:
        """Compute P(a difference at least this large, either way)."""
        if gap == 0:
            return Tail.counted(Fraction(1), said)
        # Exchanging the systems turns a lead of the first into one of the second: both sides weigh the same.
        if self.hits + self.alarms <= fair_coins.FEW:
            most = self.most_alarms(np.arange(self.hits + 1), abs(gap)).tolist()
            # The last entry is for −1: no number of false alarms is small enough.
            up_to = [*accumulate(fair_coins.ways(self.alarms)), 0]
            count = sum(way * up_to[y] for way, y in zip(fair_coins.ways(self.hits), most, strict=True))
            return Tail.counted(Fraction(2 * count, 1 << (self.hits + self.alarms)), said)
        # Far fewer splits matter to a probability that is not tiny.
        found = self.log_lead(abs(gap), fair_coins.QUICK)
        if found < -fair_coins.QUICK / 2:
            found = self.log_lead(abs(gap))
        return fair_coins.from_logarithm(math.log(2) + found, said)

    def log_lead(self, gap: Fraction, negligible: float = fair_coins.NEGLIGIBLE) -> float:
        """Compute log P(the first leads by at least this much) in floating point."""
        heads = fair_coins.likely_heads(self.hits, negligible)
        lowest, logs = fair_coins.log_at_most(self.alarms, negligible)
        place = np.clip(self.most_alarms(heads, gap) - lowest, -1, len(logs) - 1)
        rows = fair_coins.log_probabilities(self.hits, heads)
        return float(scipy.special.logsumexp(rows + np.where(place < 0, -np.inf, logs[place])))

    def most_alarms(self, heads: Integers, gap: Fraction) -> Integers:
        """For each number of hits that fall to the first, the most false alarms it can bear; −1 if none."""
        if isinstance(self.measure, Balance):
            # In one step: hit · (2x − hits) − alarm · (2y − alarms) ≥ gap, solved for y.
            hit, alarm, least = self.measure.hit, self.measure.alarm, math.ceil(gap)
            if hit * self.hits + 2 * alarm * max(self.alarms, 1) + least < LARGEST:
                room = hit * (2 * heads - self.hits) + alarm * self.alarms - least
                if not alarm:
                    return np.where(room >= 0, self.alarms, -1).astype(np.int64)
                return np.clip(room // (2 * alarm), -1, self.alarms)
        low = np.full(len(heads), -1, dtype=np.int64)
        high = np.full(len(heads), self.alarms, dtype=np.int64)
        while len(searched := np.flatnonzero(low < high)):
            middle = (low[searched] + high[searched] + 1) // 2
            reached = self.leads(heads[searched], middle, gap)
            low[searched] = np.where(reached, middle, low[searched])
            high[searched] = np.where(reached, high[searched], middle - 1)
        return low

    def leads(self, hits: Integers, alarms: Integers, gap: Fraction) -> NDArray[np.bool_]:
        """Tell where the first leads by the gap, when so many hits and false alarms fall to it."""
        mine = self.both_hit + hits, self.both_alarm + alarms
        its = self.both_hit + self.hits - hits, self.both_alarm + self.alarms - alarms
        return reaches(self.measure, gap, *mine, *its)
