"""Flat stakes: one unit on every tip at the odds it was offered at, and how safe a bank is with them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.bet.checking import as_odds, as_outcomes
from edgeworth.common.arrays import Floats
from edgeworth.errors import InputError, OptionError

SMALLEST_PRICE = 1e-12
"""What cheaper outcomes count as: nobody offers such odds."""


@dataclass(frozen=True)
class FlatStakes:
    """Unit stakes: how many, the sum of their net returns, and the sum of their odds."""

    bets: int
    profit: float
    odds: float

    @property
    def rate(self) -> float:
        """The net return of a unit, the "yield"; nan without a bet."""
        return self.profit / self.bets if self.bets else math.nan

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The returns that a score test keeps, of equal odds Wilson's interval; nan without a bet.

        If each bet's chance is the same multiple m of 1/odds, n bets pay n m on average, with variance
        ``m Σ O − n m²``; the ends are where what was paid is as far from that as the level allows. Few wins
        at long odds show too little spread for Student's t.
        """
        if not self.bets:
            return math.nan, math.nan
        paid, z = self.profit + self.bets, NormalDist().inv_cdf((1 + level) / 2)
        middle = 2 * paid + z * z * self.odds / self.bets
        root = math.sqrt(max(middle**2 - 4 * (1 + z * z / self.bets) * paid**2, 0.0))
        low, high = ((middle + sign * root) / (2 * (self.bets + z * z)) for sign in (-1, 1))
        return max(low, 0.0) - 1, high - 1


def flat_stakes(won: ArrayLike, odds: ArrayLike) -> FlatStakes:
    """One unit on each tip: whether it came true, and the decimal odds it was taken at.

    >>> found = flat_stakes([True, False, True], [2.5, 3.0, 1.5])
    >>> found.profit, round(found.rate, 4)
    (1.0, 0.3333)
    """
    net = _net_returns(won, odds)
    return FlatStakes(len(net), float(net.sum()), float(np.sum(odds)))


def best_bets(probabilities: Floats, odds: Floats, codes: NDArray[np.intp]) -> FlatStakes:
    """A unit in each race on the outcome of highest expected return ``p O``, where that is above 1."""
    rows, expected = np.arange(len(codes)), probabilities * odds
    chosen = expected.argmax(axis=1)
    is_worth = expected[rows, chosen] > 1 + 1e-12
    return flat_stakes((chosen == codes)[is_worth], odds[rows, chosen][is_worth])


def ruin_probability(won: ArrayLike, odds: ArrayLike, *, bank: float) -> float:
    """Bound the chance that bets like these, one unit each, ever use up a bank of so many units.

    Lundberg's inequality: at most ``exp(−θ bank)``, where ``E exp(−θ X) = 1`` and X is drawn from the net
    returns. It is 1 where they do not return more than the stakes.

    >>> round(ruin_probability([True] * 6 + [False] * 4, [2.0] * 10, bank=5), 4), round((0.4 / 0.6) ** 5, 4)
    (0.1317, 0.1317)
    """
    if not bank > 0:
        raise OptionError(f"the bank is a number of units above 0; saw {bank!r}")
    from scipy.optimize import brentq

    net = _net_returns(won, odds)
    if not len(net) or net.mean() <= 0:
        return 1.0
    if net.min() >= 0:
        return 0.0

    def excess(theta: float) -> float:
        return float(np.log(np.exp(-theta * net).mean()))

    # Convex, 0 at 0 and falling there: its other root lies below where one loss alone makes up for all else.
    highest = math.log(len(net)) + 1e-9
    lowest = 1e-9
    return math.exp(-bank * float(brentq(excess, lowest, highest))) if excess(lowest) < 0 else 1.0


def _net_returns(won: ArrayLike, odds: ArrayLike) -> Floats:
    happened, prices = as_outcomes(won, "won"), as_odds(odds)
    if happened.ndim != 1 or happened.shape != prices.shape:
        raise InputError(f"there are {happened.shape} results for odds of shape {prices.shape}: one each")
    return np.asarray(happened * prices - 1)
