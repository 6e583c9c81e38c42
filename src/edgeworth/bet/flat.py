"""Flat stakes: one unit on every tip at the odds it was offered at, and how safe a bank is with them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.bet.validation import as_odds, as_outcomes
from edgeworth.common.arrays import Floats
from edgeworth.errors import InputError, OptionError

SMALLEST_PRICE = 1e-12
"""What cheaper outcomes count as, because no bookmaker offers such odds."""


@dataclass(frozen=True)
class FlatStakes:
    """A record of unit stakes.

    Attributes
    ----------
    bets : int
        The number of bets.
    profit : float
        The sum of their net returns.
    odds : float
        The sum of their odds.

    Examples
    --------
    >>> record = flat_stakes([True, False, True], [2.5, 3.0, 1.5])
    >>> record.bets, record.profit, round(record.rate, 4)
    (3, 1.0, 0.3333)
    """

    bets: int
    profit: float
    odds: float

    @property
    def rate(self) -> float:
        """The net return per unit staked (the yield); nan without a bet."""
        return self.profit / self.bets if self.bets else math.nan

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Compute the interval of the net return per unit staked, from a score test.

        Parameters
        ----------
        level : float
            The confidence level.

        Returns
        -------
        (float, float)
            The bounds; nan without a bet. For equal odds it is Wilson's interval.

        Notes
        -----
        If the chance of each bet is the same multiple m of 1/odds, n bets pay n m on average, with variance
        ``m Σ O − n m²``. The bounds are the values of m that the test does not reject. Few wins at long odds
        show too little spread for Student's t.

        Examples
        --------
        >>> low, high = flat_stakes([True, False, True] * 10, [2.5, 3.0, 1.5] * 10).interval()
        >>> round(low, 3), round(high, 3)
        (-0.075, 0.704)
        """
        if not self.bets:
            return math.nan, math.nan
        paid, z = self.profit + self.bets, NormalDist().inv_cdf((1 + level) / 2)
        middle = 2 * paid + z * z * self.odds / self.bets
        root = math.sqrt(max(middle**2 - 4 * (1 + z * z / self.bets) * paid**2, 0.0))
        low, high = ((middle + sign * root) / (2 * (self.bets + z * z)) for sign in (-1, 1))
        return max(low, 0.0) - 1, high - 1


def flat_stakes(won: ArrayLike, odds: ArrayLike) -> FlatStakes:
    """Stake one unit on each tip.

    Parameters
    ----------
    won : array_like of bool
        Whether each tip came true.
    odds : array_like
        The decimal odds at which each was taken.

    Returns
    -------
    FlatStakes
        The number of bets, the profit, and the yield with its interval.

    Examples
    --------
    >>> record = flat_stakes([True, False, True], [2.5, 3.0, 1.5])
    >>> record.profit, round(record.rate, 4)
    (1.0, 0.3333)
    """
    net = _net_returns(won, odds)
    return FlatStakes(len(net), float(net.sum()), float(np.sum(odds)))


def best_bets(probabilities: Floats, odds: Floats, codes: NDArray[np.intp]) -> FlatStakes:
    """Bet a unit in each race on the outcome of highest expected return ``p O``, where that is above 1."""
    rows, expected = np.arange(len(codes)), probabilities * odds
    chosen = expected.argmax(axis=1)
    is_worth = expected[rows, chosen] > 1 + 1e-12
    return flat_stakes((chosen == codes)[is_worth], odds[rows, chosen][is_worth])


def ruin_probability(won: ArrayLike, odds: ArrayLike, *, bank: float) -> float:
    """Bound the probability that bets like these, one unit each, ever use up a bank.

    Parameters
    ----------
    won : array_like of bool
        Whether each bet won.
    odds : array_like
        The decimal odds of each bet.
    bank : float
        The bank, in units.

    Returns
    -------
    float
        An upper bound; 1 if the bets do not return more than the stakes.

    Notes
    -----
    Lundberg's inequality: at most ``exp(−θ bank)``, where ``E exp(−θ X) = 1`` and X is drawn from the net
    returns.

    Examples
    --------
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
        raise InputError(
            f"results have the shape {happened.shape}, odds {prices.shape}: pass one result per bet"
        )
    return np.asarray(happened * prices - 1)
