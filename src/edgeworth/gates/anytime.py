"""Confidence sequences for right-or-wrong answers: valid however often you look as items arrive.

A bettor starts with $1 and bets on each item that the true mean differs from a null value. Under the null,
wealth is a test martingale, so it ever reaches 1/α with probability at most α (Ville 1939). Stakes are mixed
over a uniform law, so wealth depends on the counts alone and not on the order of the items. For wins and
losses and the null 0 this is the anytime-valid McNemar test ``2^(w+l) B(1+w, 1+l)``.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import scipy

from edgeworth.common.arrays import Floats
from edgeworth.core.sampling_distributions import Alternative, bisect
from edgeworth.errors import OptionError
from edgeworth.gates.policy import MAX_TIMES_MORE_CASES

STAKES_IN_MIXTURE = 400
"""Stakes that a mixture has; they are denser towards 0, where large samples bet."""

ALMOST_ALL = 1 - 1e-9
"""The part of the way to the end of the range up to which an interval is searched."""


@cache
def _stakes() -> tuple[Floats, Floats]:
    """Integrate over a uniform stake on 0 to 1, at the squares of the Gauss–Legendre nodes."""
    nodes, weights = np.polynomial.legendre.leggauss(STAKES_IN_MIXTURE)
    roots = (nodes + 1) / 2
    return roots**2, weights * roots


def log_wealth(wins: Floats, losses: Floats, cases: float, null: float, lowest: float = -1.0) -> Floats:
    """Compute the logarithm of the wealth of bets against a mean, for many numbers of wins and losses.

    A win counts 1, a loss ``lowest`` (−1, or 0 if answers are judged by themselves), any other case 0.

    >>> logs = log_wealth(np.array([15.0, 30.0]), np.array([3.0, 12.0]), 500, 0.0)
    >>> [round(float(value), 6) for value in np.exp(logs)]
    [16.908153, 9.249328]
    """
    stakes, weights = _stakes()
    wins, losses = np.atleast_1d(wins), np.atleast_1d(losses)
    ties = cases - wins - losses
    halves = []
    for reach in (null - lowest, null - 1.0):  # the worst that a bet on more, and one on less, can meet
        with np.errstate(divide="ignore"):
            logs = [
                np.log(np.maximum(1 + stakes * (value - null) / reach, 0.0)) for value in (1.0, lowest, 0.0)
            ]
        xlogy = [
            np.outer(count, np.where(np.isfinite(log), log, -1e300))
            for count, log in zip((wins, losses, ties), logs, strict=True)
        ]
        halves.append(scipy.special.logsumexp(sum(xlogy), b=weights, axis=1))
    return np.asarray(np.logaddexp(*halves) - math.log(2))


@dataclass(frozen=True)
class BettingSequence:
    """A confidence sequence for a mean of items that count 1, 0 or −1 (or 1 and 0).

    Items of one pair of systems: wins count 1 and losses −1. Right or wrong answers of one system: ``lowest``
    is 0 and there are no losses.
    """

    wins: float
    losses: float
    cases: float
    lowest: float = -1.0

    @property
    def value(self) -> float:
        """The mean over items."""
        return (self.wins - self.losses) / self.cases

    @property
    def standard_error(self) -> float:
        """The standard deviation of the mean, looked at once."""
        share = (self.wins + self.losses) / self.cases
        return math.sqrt(max(share - self.value**2, 0.0) / self.cases)

    @property
    def deviation(self) -> float:
        """The standard deviation of one item."""
        return self.standard_error * math.sqrt(self.cases)

    def of_as_many(self, cases: float, value: float) -> BettingSequence:
        """Return the counts of some items that disagree as often, with a given mean."""
        if self.lowest == 0:
            return replace(self, wins=cases * min(max(value, 0.0), 1.0), cases=cases)
        share = max((self.wins + self.losses) / self.cases, abs(value))
        wins, losses = cases * (share + value) / 2, cases * (share - value) / 2
        return replace(self, wins=wins, losses=losses, cases=cases)

    def log_e_value(self, null: float) -> float:
        """Compute the logarithm of the e-value against a mean."""
        if not self.lowest < null < 1:
            return 0.0 if null == self.value else math.inf
        logs = log_wealth(np.array([self.wins]), np.array([self.losses]), self.cases, null, self.lowest)
        return float(logs[0])

    def interval(self, level: float) -> tuple[float, float]:
        """Find the means that no bettor has refuted at this level."""
        enough = -math.log(1 - level)

        ends = []
        for end in (self.lowest, 1.0):
            way = end - self.value

            def is_refuted(part: float, way: float = way) -> bool:
                return self.log_e_value(self.value + part * way) >= enough

            if way == 0 or not is_refuted(ALMOST_ALL):
                ends.append(end)
                continue
            ends.append(self.value + bisect(is_refuted, 0.0, ALMOST_ALL, 1e-7) * way)
        return ends[0], ends[1]

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Return the anytime-valid p-value, 1 over the e-value; it has two sides."""
        if alternative != "two-sided":
            raise OptionError("an anytime-valid test is two-sided")
        return min(1.0, math.exp(-self.log_e_value(null)))

    def __str__(self) -> str:
        return "betting confidence sequence (valid at every look)"


def items_needed(seen: BettingSequence, bound: float, level: float, power: float) -> float:
    """Find how many items refute a bound with a power at one look, if the truth is as seen.

    Infinite if no reasonable number does. The mean of these items is taken as normal.

    >>> items_needed(BettingSequence(30.0, 10.0, 400.0), 0.0, 0.95, 0.8)
    618.0
    """
    way, reach = seen.value - bound, float(scipy.special.ndtri(power)) * seen.deviation

    def is_enough(cases: float) -> bool:
        value = seen.value - math.copysign(reach / math.sqrt(cases), way)
        is_on_this_side = (value - bound) * way > 0
        return is_on_this_side and seen.of_as_many(cases, value).log_e_value(bound) >= -math.log(1 - level)

    cases = seen.cases
    while not is_enough(cases):
        if cases > MAX_TIMES_MORE_CASES * seen.cases:
            return math.inf
        cases *= 2
    numbers = range(math.floor(cases / 2), math.ceil(cases) + 1)
    return float(numbers[bisect_left(numbers, True, key=is_enough)])
