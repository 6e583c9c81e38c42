"""Settled bets in time order: what was staked, what came back, and what became of the bankroll."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats
from edgeworth.common.choices import Period
from edgeworth.errors import InputError, OptionError

HALVINGS = 100
"""Halvings that find the end of an interval to the last bit of a float."""

FIRST_MONTH_OF_SEASON = 7
"""A season begins in July, as in most football leagues."""


@dataclass(frozen=True)
class Drawdown:
    """The worst fall of a bankroll: how much was lost, and between which rounds (−1 is the start)."""

    amount: float
    share: float
    """The part of the highest bankroll that was lost."""
    peak: int
    trough: int


@dataclass(frozen=True, eq=False)
class Ledger:
    """Bets in time order, grouped in rounds that are settled together.

    ``stakes`` and ``profits`` are money. A bet that is void has a stake of 0. ``bankroll`` is the money after
    each round; without a bankroll it is the running profit and ``start`` is 0.
    """

    names: tuple[str, ...]
    """What each round is called: its date, as a rule."""
    dates: NDArray[np.datetime64] | None
    """The date of each round, if its time is a date."""
    rounds: NDArray[np.intp]
    """The round of each bet, in ascending order."""
    stakes: Floats
    odds: Floats
    profits: Floats
    bankroll: Floats
    start: float = 1.0
    risked: Floats | None = None
    """The part of each stake that won or lost, where some of it came back; all of it if left out."""

    def __len__(self) -> int:
        """Count the bets that were settled: void ones are none."""
        return int((self.stakes > 0).sum())

    @property
    def turnover(self) -> float:
        """The sum of all stakes."""
        return float(self.stakes.sum())

    @property
    def profit(self) -> float:
        """What was won less what was lost."""
        return float(self.profits.sum())

    @property
    def rate(self) -> float:
        """The profit per unit staked, the "yield"; nan without a bet."""
        return self.profit / self.turnover if self.turnover > 0 else math.nan

    @property
    def won(self) -> int:
        """How many bets won something."""
        return int((self.profits > 0).sum())

    @property
    def win_rate(self) -> float:
        """The share of settled bets that won something; nan without a bet."""
        return self.won / len(self) if len(self) else math.nan

    @property
    def average_odds(self) -> float:
        """The mean of the decimal odds of settled bets; nan without a bet."""
        return float(self.odds[self.stakes > 0].mean()) if len(self) else math.nan

    @property
    def end(self) -> float:
        """The bankroll after the last round."""
        return float(self.bankroll[-1]) if len(self.bankroll) else self.start

    @property
    def highest(self) -> float:
        """The highest bankroll after any round, the start included."""
        return float(max(self.start, self.bankroll.max(initial=self.start)))

    @property
    def drawdown(self) -> Drawdown:
        """Find the worst fall from a height reached before: by share of a bankroll, or by amount without one.

        >>> ledger = Ledger((), None, *[np.zeros(0)] * 4, np.array([1.2, 0.9, 1.1, 0.6, 2.0]))
        >>> worst = ledger.drawdown
        >>> round(worst.amount, 9), round(worst.share, 9), worst.peak, worst.trough
        (0.6, 0.5, 0, 3)
        """
        path = np.concatenate([[self.start], self.bankroll])
        peaks = np.maximum.accumulate(path)
        falls = peaks - path
        shares = np.divide(falls, peaks, out=np.zeros(len(path)), where=peaks > 0)
        trough = int(np.argmax(shares if self.start > 0 else falls))
        peak = int(np.argmax(path[: trough + 1]))
        return Drawdown(float(falls[trough]), float(shares[trough]), peak - 1, trough - 1)

    @property
    def longest_losing_run(self) -> int:
        """The most bets lost one after the other; void bets neither break nor lengthen a run.

        >>> profits = np.array([-1.0, -1.0, 1.0, -1.0, 0.0, -1.0, -0.5])
        >>> Ledger((), None, *[np.zeros(7)] * 3, profits, np.zeros(0)).longest_losing_run
        3
        """
        longest = current = 0
        for profit in self.profits.tolist():
            current = current + 1 if profit < 0 else 0 if profit > 0 else current
            longest = max(longest, current)
        return longest

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Compute the yields that a score test keeps; nan without a bet.

        Let each bet's chance be ``p = min(m/odds, 1)`` with one multiple m for all. The stakes s then pay
        ``Σ s O p`` on average with variance ``Σ s² O² p (1 − p)``. The ends are where what was paid is as far
        from that as the level allows. Few wins at long odds show too little spread for Student's t. For equal
        odds and stakes it is Wilson's interval.
        """
        if not len(self):
            return math.nan, math.nan
        risked = self.stakes if self.risked is None else self.risked
        at_risk = risked > 0
        stakes, odds = risked[at_risk] / self.turnover, self.odds[at_risk]
        total = float(stakes.sum())
        paid, z = self.rate + total, NormalDist().inv_cdf((1 + level) / 2)

        def pay_at(multiple: float) -> tuple[float, float]:
            """Return the mean of what is paid, and z standard deviations."""
            returned = np.minimum(multiple, odds)
            return float(stakes @ returned), z * math.sqrt(float(stakes**2 @ (returned * (odds - returned))))

        def find(sign: int) -> float:
            low, high = 0.0, float(odds.max())
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                mean, reach = pay_at(middle)
                low, high = (middle, high) if mean + sign * reach <= paid else (low, middle)
            return pay_at(low)[0] - total

        return find(1), find(-1)

    def periods(self, period: Period) -> Iterator[tuple[str, Ledger]]:
        """Yield the ledger of each month, season or year, in time order, each from its own first bankroll."""
        if self.dates is None:
            raise OptionError(f"a ledger by {period} needs dates: --time COLUMN of dates, not of numbers")
        names = np.array([period_name(date, period) for date in self.dates.tolist()], dtype=object)
        firsts = np.flatnonzero(np.append(True, names[1:] != names[:-1])) if len(names) else np.zeros(0, int)
        for first, end in zip(firsts.tolist(), [*firsts[1:].tolist(), len(names)], strict=True):
            is_here = (self.rounds >= first) & (self.rounds < end)
            yield (
                str(names[first]),
                replace(
                    self,
                    names=self.names[first:end],
                    dates=self.dates[first:end],
                    rounds=self.rounds[is_here] - first,
                    stakes=self.stakes[is_here],
                    odds=self.odds[is_here],
                    profits=self.profits[is_here],
                    bankroll=self.bankroll[first:end],
                    start=self.start if first == 0 else float(self.bankroll[first - 1]),
                    risked=None if self.risked is None else self.risked[is_here],
                ),
            )


def period_name(date: object, period: Period) -> str:
    """Name the month, season or year of a date.

    >>> from datetime import date
    >>> [period_name(date(2014, 5, 24), period) for period in ("month", "season", "year")]
    ['2014-05', '2013/14', '2014']
    """
    year, month = int(str(date)[:4]), int(str(date)[5:7])
    if period == "month":
        return f"{year:04}-{month:02}"
    if period == "year":
        return f"{year:04}"
    first = year if month >= FIRST_MONTH_OF_SEASON else year - 1
    return f"{first:04}/{(first + 1) % 100:02}"


PENDING = ("", "pending", "open", "unsettled")
"""Words for a result that is not known yet; an empty field means the same."""

RESULTS: dict[str, float | None] = {
    "won": 1.0,
    "win": 1.0,
    "w": 1.0,
    "1": 1.0,
    "true": 1.0,
    "lost": -1.0,
    "loss": -1.0,
    "lose": -1.0,
    "l": -1.0,
    "0": -1.0,
    "false": -1.0,
    "void": 0.0,
    "push": 0.0,
    "refund": 0.0,
    "returned": 0.0,
    "half-won": 0.5,
    "half won": 0.5,
    "half-win": 0.5,
    "half-lost": -0.5,
    "half lost": -0.5,
    "half-loss": -0.5,
}
"""The part of a stake that won (above 0) or lost (below 0); the rest comes back."""


def parse_result(text: object) -> float:
    """Read the result of a bet as the part of the stake that won or lost.

    >>> [parse_result(text) for text in ("Won", "lost", "VOID", "half-won", "half_lost")]
    [1.0, -1.0, 0.0, 0.5, -0.5]
    """
    written = str(text).strip().lower().replace("_", "-")
    part = RESULTS.get(written, RESULTS.get(written.removesuffix(".0")))
    if part is None:
        raise InputError(
            f"the result of a bet is won, lost, void, half-won or half-lost (or 1 and 0); saw {text!r}"
        )
    return part
