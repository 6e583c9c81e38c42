"""Kalia's (2011) simulated example done again, with what is known of it.

20,000 cases: x uniform on ±1.09, ε uniform on ±0.218, P(true) = 1/(1 + exp(x + ε)). A logistic regression on
x is fitted to one half and bets on the other against a drunken bookmaker, whose prices are uniform on
(0.15, 0.85). The source's slips are put right and shown: its tables have their rows exchanged, the growth of
log wealth is p log(1 + f(O−1)) + (1−p) log(1−f), Var X = p(1−p)O², and the martingale divides by the expected
growth up to t.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from edgeworth import bet
from edgeworth.decisions.table import ContingencyTable
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.forecasts import Forecasts, argmax_table
from edgeworth.papers.kalia import CASES, HIGHEST, LOWEST, NOISE, REACH, TRAINED, expit, fit
from edgeworth.sources.numbers import as_probabilities

Floats = NDArray[np.float64]
PRINTED = {"model": ((22.4, 22.8), (42.1, 12.7)), "bookmaker": ((21.3, 23.9), (26.9, 27.9))}
"""The source's percentages: rows it calls "True" and "False", columns predicted true and false."""
PRINTED_BIRTHS = {"smaller": ((3.7, 65.1), (2.6, 28.6)), "larger": ((6.9, 61.9), (12.1, 19.1))}
PRINTED_ERRORS = {"model": 64.9, "bookmaker": 50.8, "smaller": 67.7, "larger": 74.0}


# -- the example --------------------------------------------------------------------------------------------


def likeliest(forecasts: Forecasts) -> ContingencyTable:
    """The table of the likeliest labels."""
    return ContingencyTable.from_matrix(argmax_table(forecasts), rows="predicted", labels=forecasts.labels)


@dataclass(frozen=True)
class Example:
    """The half that is bet on: true probabilities, outcomes, the model's forecasts, prices offered."""

    coefficients: Floats
    chances: Floats
    truth: NDArray[np.int64]
    forecasts: Floats
    prices: Floats

    @cached_property
    def wealth(self) -> Wealth:
        """The model's against the bookmaker's fair prices."""
        return Wealth.from_probabilities(self.truth, self.forecasts, against=self.prices, ordered=True)

    def hoped(self, chances: Floats) -> tuple[float, float]:
        """Mean and standard deviation of log wealth if these are the true probabilities (C2)."""
        p, q = self.forecasts, self.prices
        means = chances * np.log(p / q) + (1 - chances) * np.log((1 - p) / (1 - q))
        spread = np.log(p / (1 - p)) - np.log(q / (1 - q))
        return float(means.sum()), math.sqrt(float((chances * (1 - chances) * spread**2).sum()))

    def cells(self, of: str) -> Floats:
        """Percentages of the likeliest labels: rows are what happened, true first; columns predicted."""
        given = self.forecasts if of == "model" else self.prices
        table = likeliest(Forecasts.of(self.truth, as_probabilities(given)))
        return np.asarray(100 * table.counts[::-1, ::-1].T / len(self.truth))


@cache
def regenerated(seed: int) -> Example:
    """The source's example, drawn afresh."""
    rng = np.random.default_rng([2011, seed])
    x = rng.uniform(-REACH, REACH, CASES)
    chances = expit(-(x + rng.uniform(-NOISE, NOISE, CASES)))
    truth = (rng.random(CASES) < chances).astype(np.int64)
    columns = np.column_stack([np.ones(CASES), x])
    coefficients = fit(columns[:TRAINED], truth[:TRAINED])
    forecasts = expit(columns[TRAINED:] @ coefficients)
    prices = bet.Drunken(LOWEST, HIGHEST, rng=seed).prices((CASES - TRAINED,))
    return Example(coefficients, chances[TRAINED:], truth[TRAINED:], forecasts, prices)


def mean_chance(x: Floats) -> Floats:
    """P(true | x): the noise integrated out."""
    upper, lower = (np.logaddexp(0, -(x + end)) for end in (NOISE, -NOISE))
    return np.asarray((lower - upper) / (2 * NOISE))


def design() -> dict[str, Floats]:
    """The percentages to be expected: of the model that knows P(true | x), and of the bookmaker."""
    x = (np.arange(100_000) + 0.5) / 100_000 * REACH
    error = 50 * (1 - float(mean_chance(-x).mean()))
    return {
        "model": np.array([[50 - error, error], [error, 50 - error]]),
        "bookmaker": np.full((2, 2), 25.0),
    }


def expected_growth() -> float:
    """Nats a case of the model that knows P(true | x), against the bookmaker's prices on average."""
    p = mean_chance((np.arange(100_000) + 0.5) / 50_000 * REACH - REACH)
    score = float((p * np.log(p) + (1 - p) * np.log1p(-p)).mean())
    # By the symmetry of the interval, one integral does for both outcomes.
    price = (HIGHEST * math.log(HIGHEST) - LOWEST * math.log(LOWEST)) / (HIGHEST - LOWEST) - 1
    return score - price


def put_right(printed: tuple[tuple[float, float], tuple[float, float]]) -> Floats:
    """A printed table with its rows in the order they name."""
    return np.array(printed)[::-1]


def error_rate(cells: Floats) -> float:
    """The share of cases that the likeliest label gets wrong."""
    return float(cells[0, 1] + cells[1, 0])


# -- games, gone through outcome by outcome -----------------------------------------------------------------


@dataclass(frozen=True)
class Outcomes:
    """Every sequence of outcomes of a few games: its probability, and log wealth after each game."""

    probabilities: Floats
    paths: Floats

    @classmethod
    def of(cls, p: Floats, q: Floats) -> Outcomes:
        happened = np.array(list(itertools.product((1, 0), repeat=len(p))))
        odds = 1 / q
        stakes = (odds * p - 1) / (odds - 1)
        payoff = np.where(happened == 1, odds - 1, -1.0)
        chances = np.where(happened == 1, p, 1 - p).prod(axis=1)
        return cls(chances, np.cumsum(np.log(1 + stakes * payoff), axis=1))

    @property
    def last(self) -> Floats:
        return np.asarray(self.paths[:, -1])

    def mean_wealth(self) -> Floats:
        """E W_t under the model."""
        return np.asarray(self.probabilities @ np.exp(self.paths))

    def distance_from_normal(self) -> float:
        """The largest difference between the exact law of log wealth and the normal of its moments."""
        order = np.argsort(self.last)
        values, shares = self.last[order], self.probabilities[order]
        mean = float(shares @ values)
        deviation = math.sqrt(float(shares @ (values - mean) ** 2))
        above = np.cumsum(shares)
        normal = stats.norm.cdf(values, mean, deviation)
        return float(max(np.abs(above - normal).max(), np.abs(above - shares - normal).max()))


def games(number: int) -> tuple[Floats, Floats]:
    """Probabilities and prices of the first games of the example."""
    example = regenerated(0)
    return example.forecasts[:number], example.prices[:number]


def simulated_log_wealth(number: int, runs: int) -> tuple[Floats, float, float]:
    """Log wealth in many runs of the same games if the model is right; its mean and deviation by C2."""
    p, q = games(number)
    rng = np.random.default_rng(7)
    yes, no = np.log(p / q), np.log((1 - p) / (1 - q))
    logs = np.array([np.where(rng.random(number) < p, yes, no).sum() for _ in range(runs)])
    mean = float((p * yes + (1 - p) * no).sum())
    return logs, mean, math.sqrt(float((p * (1 - p) * (yes - no) ** 2).sum()))


def games_until(goal: float, share_of_kelly: float, *, runs: int = 2000) -> float:
    """The mean number of games until wealth is ``goal``: p = 0.6 at odds of 2, a share of Kelly's stake."""
    stake = share_of_kelly * float(bet.kelly(0.6, 2.0))
    won, lost = math.log(1 + stake), math.log(1 - stake)
    rng = np.random.default_rng(11)
    wealth, taken = np.zeros(runs), np.zeros(runs)
    playing = np.arange(runs)
    while len(playing):
        wealth[playing] += np.where(rng.random(len(playing)) < 0.6, won, lost)
        taken[playing] += 1
        playing = playing[wealth[playing] < math.log(goal)]
    return float(taken.mean())


def best_median_stake(number: int) -> float:
    """The stake that maximises the median wealth after so many games, p = 0.6 at odds of 2."""
    stakes = np.arange(0, 1, 0.001)
    wins = stats.binom.median(number, 0.6)
    with np.errstate(divide="ignore"):
        return float(stakes[np.argmax(wins * np.log(1 + stakes) + (number - wins) * np.log(1 - stakes))])


def printed_growth(p: float, odds: float, stake: float) -> float:
    """Expected log growth as the source prints it, with 1 + fO."""
    return p * math.log(1 + stake * odds) + (1 - p) * math.log(1 - stake)


def expected_factors(p: Floats, q: Floats) -> Floats:
    """1 + f E X of each game."""
    odds = 1 / q
    return np.asarray(1 + (odds * p - 1) / (odds - 1) * (odds * p - 1))
