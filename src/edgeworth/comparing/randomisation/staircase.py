"""The exact law of a two-class difference under swapping: a sum over a staircase, not over a grid.

X of the discordant targets and Y of the discordant background fall to the first system, each a number of
heads among fair coins. A difference that rises with X and falls with Y is large enough, for each X, when Y
is at most some y(X): bisection finds it with exact comparisons, and P = 2 Σ_x P(X = x) P(Y ≤ y(x)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
import scipy

from edgeworth.arrays import Integers
from edgeworth.comparing.randomisation import fair_coins
from edgeworth.comparing.randomisation.two_class_gaps import Balance, TwoClassMeasure, reaches
from edgeworth.core.tails import Tail

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
        """P(a difference at least this large, either way)."""
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
        """log P(the first leads by at least this much), summed in floating point."""
        heads = fair_coins.likely_heads(self.hits, negligible)
        lowest, logs = fair_coins.log_at_most(self.alarms, negligible)
        place = np.clip(self.most_alarms(heads, gap) - lowest, -1, len(logs) - 1)
        rows = fair_coins.log_probabilities(self.hits, heads)
        return float(scipy.special.logsumexp(rows + np.where(place < 0, -np.inf, logs[place])))

    def most_alarms(self, heads: Integers, gap: Fraction) -> Integers:
        """For each number of hits that fall to the first, the most false alarms it can bear; −1 if none."""
        if isinstance(self.measure, Balance) and self._fits(gap):
            return self._most_of_a_balance(heads, math.ceil(gap))
        low = np.full(len(heads), -1, dtype=np.int64)
        high = np.full(len(heads), self.alarms, dtype=np.int64)
        while len(searched := np.flatnonzero(low < high)):
            middle = (low[searched] + high[searched] + 1) // 2
            x = heads[searched]
            reached = reaches(
                self.measure,
                gap,
                self.both_hit + x,
                self.both_alarm + middle,
                self.both_hit + self.hits - x,
                self.both_alarm + self.alarms - middle,
            )
            low[searched] = np.where(reached, middle, low[searched])
            high[searched] = np.where(reached, high[searched], middle - 1)
        return low

    def _fits(self, gap: Fraction) -> bool:
        assert isinstance(self.measure, Balance)
        terms = (self.measure.hit * self.hits, 2 * self.measure.alarm * max(self.alarms, 1), math.ceil(gap))
        return sum(terms) < LARGEST

    def _most_of_a_balance(self, heads: Integers, gap: int) -> Integers:
        """In one step: hit · (2x − hits) − alarm · (2y − alarms) ≥ gap, solved for y."""
        assert isinstance(self.measure, Balance)
        hit, alarm = self.measure.hit, self.measure.alarm
        room = hit * (2 * heads - self.hits) + alarm * self.alarms - gap
        if not alarm:
            return np.where(room >= 0, self.alarms, -1).astype(np.int64)
        return np.clip(room // (2 * alarm), -1, self.alarms)
