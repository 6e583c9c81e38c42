"""Kalia's (2011) simulated example done again, and what it claims, side by side: three Markdown tables.

20,000 cases: x uniform on ±1.09, ε uniform on ±0.218, P(true) = 1/(1 + exp(x + ε)). A logistic regression on
x is fitted to one half and bets on the other against a drunken bookmaker, whose prices are uniform on
(0.15, 0.85). The source's slips are put right and shown: its tables have their rows exchanged, the growth of
log wealth is p log(1 + f(O−1)) + (1−p) log(1−f), Var X = p(1−p)O², and the martingale divides by the expected
growth up to t. Deterministic; about fifteen seconds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from edgeworth import bet
from edgeworth.decisions.table import ContingencyTable
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.forecasts import Forecasts, argmax_table
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.sample import sample_file
from edgeworth.sources.numbers import as_probabilities

Floats = NDArray[np.float64]
CASES, TRAINED = 20_000, 10_000
REACH, NOISE = 1.09, 0.218
LOW, HIGH = 0.15, 0.85
RUNS = 100
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


def logistic(scores: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-scores)))


def fitted(columns: Floats, truth: NDArray[np.int64]) -> Floats:
    """Coefficients of a logistic regression, by Newton's method."""
    coefficients = np.zeros(columns.shape[1])
    for _ in range(50):
        chances = logistic(columns @ coefficients)
        information = columns.T @ (columns * (chances * (1 - chances))[:, None])
        step = np.linalg.solve(information, columns.T @ (truth - chances))
        coefficients = coefficients + step
        if np.abs(step).max() < 1e-12:
            break
    return coefficients


@cache
def regenerated(seed: int) -> Example:
    """The source's example, drawn afresh."""
    rng = np.random.default_rng([2011, seed])
    x = rng.uniform(-REACH, REACH, CASES)
    chances = logistic(-(x + rng.uniform(-NOISE, NOISE, CASES)))
    truth = (rng.random(CASES) < chances).astype(np.int64)
    columns = np.column_stack([np.ones(CASES), x])
    coefficients = fitted(columns[:TRAINED], truth[:TRAINED])
    forecasts = logistic(columns[TRAINED:] @ coefficients)
    prices = bet.Drunken(LOW, HIGH, seed=seed).prices((CASES - TRAINED,))
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
    price = (HIGH * math.log(HIGH) - LOW * math.log(LOW)) / (HIGH - LOW) - 1
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


# -- tables -------------------------------------------------------------------------------------------------


def table(head: list[str], rows: Iterator[list[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def example_rows(examples: list[Example]) -> Iterator[list[str]]:
    """Percentages printed, put right, expected of the design, and found."""
    names = (
        "true, predicted true",
        "true, predicted false",
        "false, predicted true",
        "false, predicted false",
    )
    for of, printed in PRINTED.items():
        right, expected = put_right(printed), design()[of]
        found = np.array([example.cells(of) for example in examples])
        lines = [
            (name, np.array(printed)[place], right[place], expected[place], found[:, place[0], place[1]])
            for name, place in zip(names, ((0, 0), (0, 1), (1, 0), (1, 1)), strict=True)
        ]
        for name, (first, second) in (("true in all", (0, 1)), ("predicted true in all", (0, 2))):
            flat = found.reshape(-1, 4)
            lines.append(
                (
                    name,
                    np.array(printed).ravel()[[first, second]].sum(),
                    right.ravel()[[first, second]].sum(),
                    expected.ravel()[[first, second]].sum(),
                    flat[:, first] + flat[:, second],
                )
            )
        errors = np.array([error_rate(cells) for cells in found])
        lines.append(("error rate", PRINTED_ERRORS[of], error_rate(right), error_rate(expected), errors))
        for name, said, exchanged, mean, each in lines:
            deviations = (exchanged - each.mean()) / each.std(ddof=1)
            yield [
                f"{of}: {name}",
                f"{said:.1f}",
                f"{exchanged:.1f}",
                f"{mean:.1f}",
                f"{each[0]:.1f}",
                f"{each.mean():.1f} ± {each.std(ddof=1):.1f}",
                f"{deviations:+.1f}",
            ]


def wealth_rows(examples: list[Example]) -> Iterator[list[str]]:
    """What the source reads off its charts, in numbers."""
    found = np.array([example.wealth.log_wealth for example in examples])
    size = len(examples[0].truth)
    yield [
        "nats a case",
        f"{expected_growth():.4f}",
        f"{found[0] / size:.4f}",
        f"{found.mean() / size:.4f} ± {found.std(ddof=1) / size:.4f}",
    ]
    yield ["log wealth", f"{expected_growth() * size:.0f}", f"{found[0]:.0f}", f"{found.mean():.0f}"]
    for name in ("the model's forecasts", "the true probabilities"):
        moments = [
            example.hoped(example.forecasts if "model" in name else example.chances) for example in examples
        ]
        away = [(log - mean) / deviation for log, (mean, deviation) in zip(found, moments, strict=True)]
        inside = float((np.abs(away) < 1.96).mean())
        yield [
            f"expected log wealth by {name}",
            "",
            f"{moments[0][0]:.0f} ± {moments[0][1]:.0f}",
            f"{np.mean([mean for mean, _ in moments]):.0f}",
        ]
        yield [
            f"deviations from it ({inside:.0%} within 1.96)",
            "0 ± 1",
            f"{away[0]:+.2f}",
            f"{np.mean(away):+.2f} ± {np.std(away, ddof=1):.2f}",
        ]


def claim_rows(examples: list[Example]) -> Iterator[list[str]]:
    """Claim, what was found, whether it holds."""
    p, odds = (part.ravel() for part in np.meshgrid(np.linspace(0.05, 0.95, 91), np.linspace(1.3, 4, 109)))
    step = 1e-4
    stakes = bet.kelly_game(p, odds)
    by_p, by_odds = bet.kelly_game(p + step, odds) - stakes, bet.kelly_game(p, odds + step) - stakes
    yield [
        "f grows with p, with O, and so with p − 1/O",
        f"least slopes {by_p.min() / step:.3f}, {by_odds.min() / step:.4f}",
        "holds",
    ]
    yield ["f = 0 at O = 1/p", f"largest {np.abs(bet.kelly_game(p, 1 / p)).max():.1e}", "holds"]
    best = optimize.minimize_scalar(
        lambda f: -float(bet.growth(0.6, 2.0, f)),
        bounds=(0, 0.99),
        method="bounded",
        options={"xatol": 1e-10},
    ).x
    other = optimize.minimize_scalar(
        lambda f: -printed_growth(0.6, 2.0, f), bounds=(0, 0.99), method="bounded", options={"xatol": 1e-10}
    ).x
    yield [
        "f maximises E log S (p = .6, O = 2: f = .2)",
        f"as printed with 1 + fO {other:.4f}; with 1 + f(O−1) {best:.4f}",
        "holds put right",
    ]
    yield [
        "Var X (p = .6, O = 3)",
        f"as printed {0.4 * (9 * 0.6 - 1):.2f}; p(1−p)O² {0.24 * 9:.2f}; "
        f"two outcomes {0.6 * 4 + 0.4 - 0.8**2:.2f}",
        "holds put right",
    ]
    yield [
        "f maximises the median of wealth (p = .6, O = 2)",
        f"after 1 game {best_median_stake(1):.3f}, 100 games {best_median_stake(100):.3f}",
        "holds of W_n, not of one game's S",
    ]
    times = {share: games_until(1000, share) for share in (0.5, 1.0, 1.5)}
    yield [
        "f is the quickest to a goal (wealth 1000)",
        "; ".join(f"{share:g} of f: {taken:.0f} games" for share, taken in times.items()),
        "holds",
    ]
    least = float(log_factors(examples[0]).min())
    yield ["never ruined", f"least log factor of the example {least:.2f}", "holds, 0 < p < 1"]
    some = Outcomes.of(*games(12))
    growth = np.cumsum(np.log(expected_factors(*games(12))))
    to_t, to_n = some.mean_wealth() / np.exp(growth), some.mean_wealth() / np.exp(growth[-1])
    yield [
        "M_t is a martingale (12 games, all outcomes)",
        f"E M_t: product to n {to_n[0]:.3f} … {to_n[-1]:.3f}; to t {to_t.min():.12f} … {to_t.max():.12f}",
        "holds put right",
    ]
    example = examples[0]
    order = np.random.default_rng(3).permutation(len(example.truth))
    mixed = Wealth.from_probabilities(
        example.truth[order], example.forecasts[order], against=example.prices[order]
    )
    yield [
        "order changes the path, not its end",
        f"ends differ by {abs(mixed.log_wealth - example.wealth.log_wealth):.0e}, "
        f"paths by up to {np.abs(mixed.path - example.wealth.path).max():.1f}",
        "holds",
    ]
    logs, mean, deviation = simulated_log_wealth(1000, 4000)
    far = stats.kstest(logs, "norm", (mean, deviation)).statistic
    exact = {number: Outcomes.of(*games(number)).distance_from_normal() for number in (2, 6, 14)}
    yield [
        "wealth is log-normal for large n",
        "distance "
        + ", ".join(f"{value:.3f} (n = {n})" for n, value in exact.items())
        + f", {far:.3f} (1000)",
        "holds",
    ]
    yield from bookmaker_rows(example)
    yield from birth_rows()


def bookmaker_rows(example: Example) -> Iterator[list[str]]:
    """Many drunken bookmakers."""
    for low, high in ((LOW, HIGH), (0.0, 1.0)):
        drunken = bet.Drunken(low, high, seed=5)
        logs = drunken.log_wealth(example.truth, example.forecasts, bookmakers=400)
        expected = drunken.expected_log_wealth(example.truth, example.forecasts)
        yield [
            f"many drunken bookmakers on ({low:g}, {high:g}) show how well the model forecasts",
            f"log wealth {logs.mean():.1f} ± {logs.std(ddof=1):.1f}, least {logs.min():.0f}; "
            f"expected {expected:.1f}",
            "holds",
        ]
    score = ForecastScores.from_probabilities(example.truth, example.forecasts).mean("log")
    per_case = expected / len(example.truth)
    yield ["(0, 1): log score + 1 nat a case", f"{per_case:.6f} = 1 − {score:.6f}", "holds (MATH C3)"]


def birth_rows() -> Iterator[list[str]]:
    """Error rates and wealth of the real data; leave-one-out, from the sample that is shipped."""
    for name, printed in PRINTED_BIRTHS.items():
        yield [
            f"births, {name} model: error {PRINTED_ERRORS[name]:g}%",
            f"rows put right {error_rate(put_right(printed)):.1f}%",
            "does not hold",
        ]
    with sample_file() as path:
        low, _, smaller, _, larger = np.loadtxt(path, delimiter=",", skiprows=1).T
    wealth = Wealth.from_probabilities(low.astype(int), larger, against=smaller)
    wrong = [int(((chances > 0.5) != low).sum()) for chances in (smaller, larger)]
    yield [
        "births: error rates prefer the smaller model, wealth the larger",
        f"leave-one-out {wrong[0]} and {wrong[1]} wrong of 189; log wealth {wealth.log_wealth:.6f}",
        "wealth yes; error rates prefer the larger too",
    ]


def expected_factors(p: Floats, q: Floats) -> Floats:
    """1 + f E X of each game."""
    odds = 1 / q
    return np.asarray(1 + (odds * p - 1) / (odds - 1) * (odds * p - 1))


def log_factors(example: Example) -> Floats:
    """The log factors of both outcomes of each game."""
    p, q = example.forecasts, example.prices
    return np.log(np.stack([p / q, (1 - p) / (1 - q)]))


def main() -> None:
    examples = [regenerated(seed) for seed in range(RUNS)]
    head = ["%", "printed", "rows put right", "expected", "seed 0", f"{RUNS} seeds", "printed is off by (sd)"]
    table(head, example_rows(examples))
    table(["the model against the bookmaker", "expected", "seed 0", f"{RUNS} seeds"], wealth_rows(examples))
    table(["claim", "found", "verdict"], claim_rows(examples))


if __name__ == "__main__":
    main()
