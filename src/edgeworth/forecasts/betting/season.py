"""A season of forecasts bet at quoted odds: rounds settled from one bankroll, and the closing line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from edgeworth.bet.bookmakers import Bookmaker, Quote
from edgeworth.bet.ledger import Ledger
from edgeworth.bet.overround import remove_overround
from edgeworth.bet.shared_bankroll import Settlement, bet_returns, settle_rounds, simulate_luck
from edgeworth.common.arrays import Floats
from edgeworth.common.choices import OverroundMethod
from edgeworth.core.clusters import cluster_variance_of_ratios
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError
from edgeworth.forecasts.betting.wealth import bookmaker_forecasts, is_game, quote_cases
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.policy import (
    MAX_LUCK_DRAWS,
    MAX_OUTCOMES_SIMULATED,
    MIN_LUCK_DRAWS,
    MIN_RATIO_OF_EXCHANGE,
)
from edgeworth.sources.times import Times

LEAST_LOG_PRICE = -1e6
"""The logarithm of a price of 0, which has to be finite to be compared."""


@dataclass(frozen=True)
class MeanValue:
    """A mean over bets, with an interval and a t test clustered by round."""

    mean: float
    low: float
    high: float
    p_value: float
    """Two-sided, against a mean of 0."""
    freedom: float
    """Degrees of freedom."""

    @classmethod
    def of(cls, values: Floats, rounds: NDArray[np.intp], level: float) -> MeanValue:
        """Estimate the mean of values by CR2 with Satterthwaite's degrees of freedom."""
        _, position = np.unique(rounds, return_inverse=True)
        mean = float(values.mean())
        residuals = np.bincount(position, values - mean).astype(np.float64)
        spread = cluster_variance_of_ratios(residuals, np.bincount(position).astype(float))
        error, freedom = math.sqrt(spread.variance), spread.least
        if not freedom > 0 or not math.isfinite(error):
            return cls(mean, math.nan, math.nan, math.nan, freedom)
        reach = float(scipy.special.stdtrit(freedom, (1 + level) / 2)) * error
        p_value = 2 * float(scipy.special.stdtr(freedom, -abs(mean) / error)) if error > 0 else math.nan
        return cls(mean, mean - reach, mean + reach, p_value, freedom)


@dataclass(frozen=True, eq=False)
class ClosingLine:
    """What each bet's odds were worth at the close, as logarithms."""

    fair: Floats
    """log(odds taken × closing probability), the overround of the closing odds removed."""
    raw: Floats
    """log(odds taken / closing odds)."""
    rounds: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Season:
    """Bets on forecasts at quoted odds, in rounds."""

    settlement: Settlement
    quote: Quote
    """The odds after commission."""
    prices: Floats
    """The market's probabilities: those of its odds, without the overround."""
    names: tuple[str, ...]
    dates: NDArray[np.datetime64] | None
    games: int
    is_in_rounds: bool
    """Whether rounds are known; otherwise each game was taken as one, and there is no bankroll."""
    closing: ClosingLine | None = None
    exchanged: tuple[int, ...] = ()
    """The classes whose odds fit the results far better if their columns change places."""

    def ledger(self, fraction: float, start: float = 1.0) -> Ledger:
        """Book a fraction of Kelly's stakes, from a bankroll."""
        return self.settlement.ledger(fraction, start, self.names, self.dates)

    @cached_property
    def evidence_path(self) -> Floats:
        """Log evidence against the market after each round."""
        return self.settlement.evidence_path

    def clear_since(self, level: float) -> str | None:
        """Name the first round after which the evidence was above 1/(1 − level); None if it never was."""
        is_above = self.evidence_path >= -math.log(1 - level)
        return self.names[int(np.argmax(is_above))] if is_above.any() else None

    def luck(self, fraction: float, seed: int) -> TestResult | None:
        """Simulate how often the same bets do as well if the market is right; None without a bet."""
        games = len(np.unique(self.settlement.games))
        if not games:
            return None
        draws = min(MAX_LUCK_DRAWS, max(MIN_LUCK_DRAWS, MAX_OUTCOMES_SIMULATED // games))
        as_good, draws = simulate_luck(self.settlement, self.quote, self.prices, fraction, draws, seed)
        return TestResult.from_draws(as_good, draws, seed, "seasons")


def play_season(
    forecasts: Forecasts,
    bookmaker: Bookmaker,
    *,
    offered: Bookmaker | None = None,
    times: Times | None = None,
    rounds: NDArray[np.int64] | None = None,
    round_names: tuple[str, ...] = (),
    closing_odds: Floats | None = None,
    overround: OverroundMethod = "multiplicative",
) -> Season:
    """Bet on forecasts at a bookmaker's odds, round by round.

    Rounds are the calendar dates of ``times`` unless ``rounds`` gives the rank of each game's round.
    ``offered`` quotes the odds that are compared with the closing line: those before commission.
    """
    quote, before = (
        _backed(quote_cases(book, forecasts, 0), book, forecasts)
        for book in (bookmaker, offered or bookmaker)
    )
    names, dates = round_names, None
    is_in_rounds = times is not None or rounds is not None
    if rounds is None and times is not None:
        rounds, names, dates = name_days(times)
    if rounds is None:
        rounds = np.arange(len(forecasts), dtype=np.int64)
        names = tuple(f"game {number + 1:,}" for number in range(len(forecasts)))
    elif times is not None and dates is None and times.dates is not None:
        dates = _last_dates(rounds, times.dates)
    settlement = settle_rounds(forecasts.probabilities, quote, forecasts.codes, rounds)
    closing = None
    if closing_odds is not None:
        closing = _closing_line(settlement, before, closing_odds, overround)
    prices = bookmaker_forecasts(forecasts, bookmaker).probabilities
    exchanged = find_exchanged(prices, forecasts.codes)
    return Season(settlement, quote, prices, names, dates, len(forecasts), is_in_rounds, closing, exchanged)


def find_exchanged(prices: Floats, outcomes: NDArray[np.intp]) -> tuple[int, ...]:
    """Find the classes whose columns of prices are probably in the wrong order.

    The likelihood ratio of another order of the columns is an e-value against the prices, and so is the mean
    over all K! orders. A right market is suspected with probability at most 1/``MIN_RATIO_OF_EXCHANGE``.

    >>> find_exchanged(np.tile([0.2, 0.8], (20, 1)), np.repeat([0, 1], [16, 4]))
    (0, 1)
    """
    number = prices.shape[1]
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(prices), LEAST_LOG_PRICE)
    sums = np.stack([logs[outcomes == k].sum(axis=0) for k in range(number)])
    _, order = scipy.optimize.linear_sum_assignment(sums, maximize=True)
    log_ratio = sums[np.arange(number), order].sum() - np.trace(sums)
    if log_ratio < math.log(MIN_RATIO_OF_EXCHANGE) + math.lgamma(number + 1):
        return ()
    return tuple(np.flatnonzero(order != np.arange(number)).tolist())


def _backed(quote: Quote, bookmaker: Bookmaker, forecasts: Forecasts) -> Quote:
    """Drop the lay odds of a game of two outcomes, where laying one outcome is backing the other."""
    return Quote(quote.back, None) if is_game(bookmaker, forecasts) else quote


def name_days(times: Times) -> tuple[NDArray[np.int64], tuple[str, ...], NDArray[np.datetime64] | None]:
    """Rank and name the calendar dates of times; times that are numbers are rounds by themselves."""
    days = times.days
    if times.dates is None:
        return days, tuple(f"time {rank + 1:,}" for rank in range(int(days.max()) + 1)), None
    dates = np.unique(times.dates)
    return days, tuple(dates.astype(str).tolist()), dates


def _last_dates(rounds: NDArray[np.int64], dates: NDArray[np.datetime64]) -> NDArray[np.datetime64]:
    """Find the last date of each round, but none after the last of a later round, as of postponed games."""
    last = np.full(int(rounds.max()) + 1, dates.min())
    np.maximum.at(last, rounds, dates)
    return np.minimum.accumulate(last[::-1])[::-1]


def _closing_line(
    settlement: Settlement, offered: Quote, closing_odds: Floats, overround: OverroundMethod
) -> ClosingLine:
    """Compare the odds of each bet, before commission, with the closing line."""
    if closing_odds.ndim == 1:
        raise OptionError(
            "the closing odds of one class hold an unknown overround: pass those of every class, one column "
            "per class (closing_odds=, --closing-odds)"
        )
    games, bet = settlement.games, settlement.bet
    odds_taken = bet_returns(offered)[games, :, bet].max(axis=1)
    chances = remove_overround(closing_odds, overround)[games]
    outcomes = chances.shape[1]
    rows, outcome = np.arange(len(games)), bet % outcomes
    is_lay = bet >= outcomes
    chance, price = chances[rows, outcome], 1 / closing_odds[games, outcome]
    chance, price = np.where(is_lay, 1 - chance, chance), np.where(is_lay, 1 - price, price)
    return ClosingLine(np.log(odds_taken * chance), np.log(odds_taken * price), settlement.round_of_bet)
