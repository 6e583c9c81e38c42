"""Rounds of bets on forecasts: jointly optimal stakes from one bankroll, settled together."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edgeworth.bet.bookmakers import NO_WINNINGS, Quote
from edgeworth.bet.fractional import FRACTIONS, fractional_logs, log_average
from edgeworth.bet.joint_kelly import joint_stakes
from edgeworth.bet.ledger import Ledger
from edgeworth.common.arrays import Floats

VALUES_DRAWN_AT_ONCE = 1 << 22
"""Outcomes of games that are simulated at once."""


@dataclass(frozen=True, eq=False)
class Settlement:
    """Kelly's bets on games in rounds, and what each returned, for full stakes.

    Bets are in the order of their rounds and games. ``shares`` are the full stakes as shares of the bankroll
    at the start of the round, ``returned`` what a unit came back as, ``odds`` what it comes back as if it
    wins. A lay is a bet on every other outcome, and its stake is its liability.
    """

    rounds: int
    games: NDArray[np.intp]
    """The game of each bet."""
    round_of_bet: NDArray[np.intp]
    bet: NDArray[np.intp]
    """Which bet of the game: outcome k is backed (k) or laid (K + k)."""
    shares: Floats
    odds: Floats
    returned: Floats
    log_factors: Floats
    """The logarithm of what each round multiplies the bankroll by, at full stakes; −inf is ruin."""
    expected_growth: float
    """The sum of the expected growth of all rounds in nats, if the model is right."""

    @property
    def evidence_path(self) -> Floats:
        """Log wealth after each round of capital divided equally over the fractions 0, 1/20, …, 1 of Kelly.

        It does not depend on the fraction that is bet. If no bet is worth more than its price, a round
        multiplies each part by at most 1 on average, however the games of a round depend on each other.
        """
        if not self.rounds:
            return np.zeros(0)
        return log_average(np.cumsum(fractional_logs(self.log_factors, FRACTIONS), axis=0))

    def log_bankroll(self, fraction: float) -> Floats:
        """Compute the log bankroll after each round if this fraction of the stakes is bet."""
        return np.cumsum(fractional_logs(self.log_factors, [fraction])[:, 0])

    def ledger(
        self, fraction: float, start: float, names: tuple[str, ...], dates: NDArray[np.datetime64] | None
    ) -> Ledger:
        """Book a fraction of the stakes, from a bankroll."""
        after = start * np.exp(self.log_bankroll(fraction))
        before = np.concatenate([[start], after[:-1]])
        stakes = fraction * self.shares * before[self.round_of_bet]
        profits = stakes * (self.returned - 1)
        return Ledger(names, dates, self.round_of_bet, stakes, self.odds, profits, after, start)


def bet_returns(quote: Quote) -> Floats:
    """Compute what a unit on each bet returns after each outcome: (games, outcomes, bets).

    >>> bet_returns(Quote(np.array([[2.0, 3.0]]), np.array([[2.5, np.inf]])))[0].round(4).tolist()
    [[2.0, 0.0, 0.0, 0.0], [0.0, 3.0, 1.6667, 0.0]]
    """
    games, outcomes = quote.back.shape
    identity = np.eye(outcomes)
    backs = identity * np.where(quote.back > NO_WINNINGS, quote.back, 0.0)[:, None, :]
    if quote.lay is None:
        return backs
    finite = np.isfinite(quote.lay)
    pays = np.divide(quote.lay, quote.lay - 1, out=np.zeros((games, outcomes)), where=finite)
    return np.concatenate([backs, (1 - identity) * pays[:, None, :]], axis=2)


def settle_rounds(
    chances: Floats, quote: Quote, outcomes: NDArray[np.intp], rounds: NDArray[np.int64]
) -> Settlement:
    """Bet Kelly's joint stakes on the games of each round, and settle them together.

    Parameters
    ----------
    chances : array, (games, K)
        The model's probabilities.
    quote : Quote
        Decimal odds to back at, and to lay at, for each game and outcome.
    outcomes : array of int, (games,)
        Which outcome happened.
    rounds : array of int, (games,)
        The rank of each game's round in time, from 0.
    """
    returns = bet_returns(quote)
    stakes, growth = joint_stakes(chances, returns, rounds)
    order = np.argsort(rounds, kind="stable")
    placed, bet = np.nonzero(stakes[order] > 0)
    games = order[placed]
    shares, odds = stakes[games, bet], returns[games, :, bet].max(axis=1)
    returned = returns[games, outcomes[games], bet]
    number = int(rounds.max()) + 1 if len(rounds) else 0
    factors = 1 + np.bincount(rounds[games], shares * (returned - 1), minlength=number)
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(factors, 0.0))
    settled = (games, rounds[games], bet, shares, odds, returned, logs)
    return Settlement(number, *settled, math.fsum(growth.values()))


def simulate_luck(
    settlement: Settlement, quote: Quote, prices: Floats, fraction: float, draws: int, seed: int
) -> tuple[int, int]:
    """Draw outcomes from prices, and count how often the same bets do as well; and how many draws there were.

    ``prices`` are probabilities of each game's outcomes. Only games with a bet matter.
    """
    returns = bet_returns(quote)
    games, position = np.unique(settlement.games, return_inverse=True)
    cumulative = np.cumsum(prices[games], axis=1)
    cumulative[:, -1] = 1.0
    observed = float(settlement.log_bankroll(fraction)[-1])
    rng = np.random.default_rng(seed)
    as_good, done = 0, 0
    block = max(1, VALUES_DRAWN_AT_ONCE // max(len(games), 1))
    pays = returns[games]
    starts = np.flatnonzero(np.diff(settlement.round_of_bet, prepend=-1))
    while done < draws:
        number = min(block, draws - done)
        drawn = (rng.random((number, len(games), 1)) > cumulative).sum(axis=2)
        returned = pays[position, drawn[:, position], settlement.bet]
        gains = fraction * settlement.shares * (returned - 1)
        factors = 1 + np.add.reduceat(gains, starts, axis=1)
        with np.errstate(divide="ignore"):
            wealth = np.log(np.maximum(factors, 0.0)).sum(axis=1)
        # Equal wealth may differ by rounding.
        as_good += int((wealth >= observed - 1e-12 * max(1.0, abs(observed))).sum())
        done += number
    return as_good, draws
