"""A market as people have it: odds to back and to lay at, closing odds, and when games were settled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.bet.bookmakers import NO_WINNINGS, Bookmaker, Commission, Market
from edgeworth.bet.overround import remove_overround
from edgeworth.common.arrays import Floats, Integers
from edgeworth.common.choices import OverroundMethod
from edgeworth.core.formatting import format_percent
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.wealth import one_sided
from edgeworth.forecasts.policy import MAX_USUAL_SUM_OF_PRICES, MIN_SUM_OF_BEST_PRICES
from edgeworth.sources.columns import Coded
from edgeworth.sources.times import Times

ONE_PRICE = (
    "One column of odds: bets only back the positive class. To bet on the other class too, pass the odds "
    "of both classes, or lay odds (--lay)."
)

LOWERED = (
    "In some games the prices 1/odds add up to less than 1, as the best odds of several books do. Backing "
    "every outcome there is a sure profit, whatever the forecasts. These odds are lowered until the "
    "prices add up to 1."
)

OVERROUND_NEEDS_ODDS = (
    "--remove-overround (remove_overround=) needs odds, which are above 1 and have a column per class: as "
    "--probabilities, or as --odds to bet at"
)

SLIGHT_OVERROUND = 1e-6
"""The overround of odds that were lowered because they were an arbitrage."""


@dataclass(frozen=True, eq=False)
class MarketOdds:
    """What a market offers on some cases: odds to back and to lay at, and closing odds."""

    odds: Floats
    lay: Floats | None = None
    closing: Floats | None = None

    def bookmaker(self, commission: float, overround: OverroundMethod | None) -> Bookmaker:
        """Make the bookmaker whose odds these are. One column of odds is never laid at its own price."""
        odds, lay, method = self.odds, self.lay, overround or "multiplicative"
        if odds.ndim == 1 and lay is None:
            odds, method = one_sided(odds), "multiplicative"
        if lay is not None and lay.ndim != odds.ndim:
            raise InputError(
                "odds and lay odds need the same number of columns: one per class, or one for the "
                "positive class"
            )
        book: Bookmaker = Market(odds, lay, method)
        return Commission(commission, book) if commission else book

    def without_arbitrage(self) -> tuple[MarketOdds, tuple[str, ...]]:
        """Scale odds whose prices add up to less than 1, as the best of several books do, and note it."""
        if self.lay is not None:
            return self, ()
        if self.odds.ndim == 1:
            return self, (ONE_PRICE,)
        sums = (1 / self.odds).sum(axis=1)
        notes = _describe_high_overround(sums) if self.odds.shape[1] <= 3 else ()
        is_under = (sums < 1) & (sums >= MIN_SUM_OF_BEST_PRICES)
        if not is_under.any():
            return self, notes
        # A little more than 1: at a sum of 1 the best stakes are not unique, and cash is as good as all bets.
        lowered = np.where(is_under, sums / (1 + SLIGHT_OVERROUND), 1.0)[:, None]
        return replace(self, odds=np.maximum(self.odds * lowered, NO_WINNINGS)), (LOWERED, *notes)


def _describe_high_overround(sums: Floats) -> tuple[str, ...]:
    """Warn about games whose prices add up to far more than any bookmaker's."""
    games = int((sums > MAX_USUAL_SUM_OF_PRICES).sum())
    if not games:
        return ()
    share = format_percent(MAX_USUAL_SUM_OF_PRICES)
    return (
        f"In {games:,} of {len(sums):,} games the odds imply probabilities that add up to more than {share}. "
        "Check the columns of odds.",
    )


def warn_of_odds_as_forecasts(odds: Floats, names: Sequence[str]) -> tuple[str, ...]:
    """Warn of odds that are read as forecasts, but imply far more probability than any bookmaker's."""
    if odds.shape[1] > 3 or not ((1 / odds).sum(axis=1) > MAX_USUAL_SUM_OF_PRICES).any():
        return ()
    share = format_percent(MAX_USUAL_SUM_OF_PRICES)
    return (
        f"In some games the odds in {', '.join(names)} imply probabilities that add up to more than {share}. "
        "Check these columns of odds.",
    )


@dataclass(frozen=True, eq=False)
class Schedule:
    """When each case was settled: its time, and its round where a column names it."""

    times: Times | None = None
    rounds: NDArray[np.int64] | None = None
    """The rank of each case's round in time."""
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, times: Times | None, labels: Coded | None) -> Self:
        """Put the rounds in the order of their first times; without times in the order of their rows."""
        if labels is None:
            return cls(times)
        number = len(labels.labels)
        when = np.arange(len(labels.codes)) if times is None else times.ranks
        first = np.full(number, np.iinfo(np.int64).max)
        np.minimum.at(first, labels.codes, when)
        order = np.argsort(first, kind="stable")
        order = order[first[order] < np.iinfo(np.int64).max]
        ranks = np.zeros(number, dtype=np.int64)
        ranks[order] = np.arange(len(order))
        return cls(times, ranks[labels.codes], tuple(str(labels.labels[index]) for index in order.tolist()))

    @property
    def is_known(self) -> bool:
        """Whether there are rounds."""
        return self.times is not None or self.rounds is not None

    @property
    def ranks(self) -> Integers | None:
        """The rank of each case in time: games of one round are looked at together."""
        if self.rounds is not None:
            return self.rounds
        return None if self.times is None else self.times.ranks

    @property
    def dates(self) -> NDArray[np.datetime64] | None:
        """The date of each case in the order of ranks; none is after that of a later one, as if postponed."""
        if self.times is None or self.times.dates is None:
            return None
        ranks = self.times.ranks if self.rounds is None else self.rounds
        dates = self.times.dates[np.argsort(ranks, kind="stable")]
        return np.minimum.accumulate(dates[::-1])[::-1]


NO_SCHEDULE = Schedule()


def without_overround(values: object, overround: OverroundMethod | None, *, has_odds: bool) -> object:
    """Turn odds into probabilities if the caller says how; probabilities stay as they are."""
    if overround is None:
        return values
    table = np.asarray(values, dtype=np.float64)
    if not are_odds(table):
        if not has_odds:
            raise OptionError(OVERROUND_NEEDS_ODDS)
        return values
    return remove_overround(table, overround)


def are_odds(table: Floats) -> bool:
    """Return whether numbers are odds, which are above 1, one for each class."""
    return table.ndim == 2 and table.shape[1] > 1 and bool((table > 1).all())
