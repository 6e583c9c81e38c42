"""Recompute the numbers in Kalia 2011, "Assessing classification performance by gambling strategies"."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

import edgeworth as ew
from edgeworth.common.arrays import Floats
from edgeworth.common.json_types import JsonObject
from edgeworth.core.sampling_distributions import normal_quantile
from edgeworth.papers.kalia_pictures import PICTURES, pictures
from edgeworth.papers.printed import Ours
from edgeworth.report.charts.chart import Chart
from edgeworth.report.report import Grid, Section, make_columns
from edgeworth.sample import sample_file

Outcomes = NDArray[np.int64]
CASES, TRAINED = 20_000, 10_000
"""Cases of the simulated experiment, and those that the model is fitted to."""
REACH, NOISE, LOWEST, HIGHEST = 1.09, 0.218, 0.15, 0.85
"""The ranges of x and of its noise, and the lowest and highest price of the bookmaker."""
PRINTED_SHARES = 18
"""Two tables of the simulated experiment with nine numbers each."""
MIN_AGREEMENT_PROBABILITY = 0.99
"""A run of the design has all of them within the tolerance at least this often."""
GRID = 20_000
"""Points at which the design is integrated over x."""
MODELS = {
    "small glm": ("smoke", "race"),
    "stepAIC": ("lwt", "race", "smoke", "ptd", "ht", "ui"),
    "stepAIC with ftv": ("lwt", "race", "smoke", "ptd", "ht", "ui", "ftv"),
}
WITH_FTV = "stepAIC with ftv"
DRAWN = {
    "figures_2_3_stakes": "births",
    "figure_4_wealth": "simulated",
    "figure_4_returns": "simulated",
    "figures_6_7_wealth": "births",
    "figures_6_7_orders": "births",
    "figures_6_7_returns": "births",
}
FIGURES = (*PICTURES, *DRAWN)


def compute(_seed: int = 0) -> Ours:
    """Compute every number, by section. The simulated experiment is integrated, not drawn."""
    return {**_stakes(), **_moments(), **_simulated(), **_births()}


# -- stakes, moments, Figures 2 and 3 -----------------------------------------------------------------------


def _stakes() -> Ours:
    """Return the slopes of the stake over the paper's odds, and points of the surfaces it draws."""
    step, which = 1e-6, ", the least for odds 1.3 to 4"
    p, odds = (x.ravel() for x in np.meshgrid(np.linspace(0.05, 0.95, 19), np.linspace(1.3, 4, 28)))
    by_p = (ew.bet.kelly_game(p + step, odds) - ew.bet.kelly_game(p - step, odds)) / (2 * step)
    by_odds = (ew.bet.kelly_game(p, odds + step) - ew.bet.kelly_game(p, odds - step)) / (2 * step)
    points = list(itertools.product((0.25, 0.5, 0.75), (1.3, 2, 4)))
    return {
        "Section 1: what a stake should do": {
            f"df/dp{which}": by_p.min(),
            f"df/dO{which}": by_odds.min(),
            f"df/d[p - 1/O], O moving{which}": (by_odds * odds**2).min(),
            "f(p, 1/p), the largest": np.abs(ew.bet.kelly_game(p, 1 / p)).max(),
        },
        **{
            figure: {f"f at p = {p:g}, O = {o:g}": float(ew.bet.kelly_game(p, o, lay=lay)) for p, o in points}
            for figure, lay in (("Figure 2: back and lay", None), ("Figure 3: back only", np.inf))
        },
    }


def _moments(p: float = 0.6, odds: float = 3.0) -> Ours:
    """Compute Section 2.2 by enumeration: one game with two outcomes, and three games with eight."""
    stake = float(ew.bet.kelly_game(p, odds))
    factors, chances = ew.bet.game_factors(p, odds, outcome=[1, 0]), np.array([p, 1 - p])
    payoff, growth = (factors - 1) / stake, float(ew.bet.growth(p, odds, stake))
    mean = float(chances @ payoff)
    games, even = [0.6, 0.3, 0.8], [0.5, 0.5, 0.5]
    played = {
        truth: ew.Wealth.from_probabilities(list(truth), games, against=even)
        for truth in itertools.product((0, 1), repeat=len(games))
    }
    shares = {t: math.prod(p if y else 1 - p for p, y in zip(games, t, strict=True)) for t in played}
    turned = ew.Wealth.from_probabilities([1, 1, 0], [0.8, 0.6, 0.3], against=even)
    law = ew.forecasts.wealth_law(played[1, 0, 1], truth="model")
    return {
        f"Section 2.2: one game, p = {p:g}, O = {odds:g}": {
            "f": stake,
            "E[X]": mean,
            "Var[X]": float(chances @ (payoff - mean) ** 2),
            "E[log S]": growth,
            "Var[log S]": float(chances @ (np.log(factors) - growth) ** 2),
        },
        "Sections 2.1 and 2.2: three games at even odds": {
            "E[M_1]": sum(shares[truth] * math.exp(wealth.martingale[0]) for truth, wealth in played.items()),
            "E[log W_n]": law.mean,
            "Var[log W_n]": law.variance,
            "log W_n after the games change places, less before": turned.log_wealth
            - played[1, 0, 1].log_wealth,
        },
    }


# -- models and tables --------------------------------------------------------------------------------------


def fit(columns: Floats, truth: Outcomes) -> Floats:
    """Fit a logistic regression by Newton's method."""
    coefficients = np.zeros(columns.shape[1])
    for _ in range(50):
        chances = expit(columns @ coefficients)
        information = columns.T @ (columns * (chances * (1 - chances))[:, None])
        step = np.linalg.solve(information, columns.T @ (truth - chances))
        coefficients = coefficients + step
        if np.abs(step).max() < 1e-12:
            break
    return coefficients


def _shares(hits: Floats, misses: Floats, alarms: Floats, rest: Floats) -> dict[str, Floats]:
    """Return the numbers of a printed confusion table from the shares of its four cells."""
    return {
        "true, predicted true": hits,
        "true, predicted false": misses,
        "true in all": hits + misses,
        "false, predicted true": alarms,
        "false, predicted false": rest,
        "false in all": alarms + rest,
        "predicted true in all": hits + alarms,
        "predicted false in all": misses + rest,
        "MAP error rate": misses + alarms,
    }


def _likeliest(truth: Outcomes, chances: Floats) -> dict[str, float]:
    """Return the confusion table of the likeliest class, in shares."""
    table = ew.ContingencyTable.from_labels(truth, (chances > 0.5).astype(int), labels=[1, 0])
    (hits, alarms), (misses, rest) = table.counts / len(truth)
    shares = {name: float(share) for name, share in _shares(hits, misses, alarms, rest).items()}
    return shares | {"MAP error rate": 1 - ew.measure(table, "accuracy")}


# -- the simulated experiment -------------------------------------------------------------------------------


def experiment(seed: int) -> tuple[Outcomes, Floats, Floats]:
    """Draw the test half: outcomes, the model's forecasts, the bookmaker's prices."""
    rng = np.random.default_rng([2011, seed])
    x = rng.uniform(-REACH, REACH, CASES)
    chances = expit(-(x + rng.uniform(-NOISE, NOISE, CASES)))
    truth = (rng.random(CASES) < chances).astype(np.int64)
    columns = np.column_stack([np.ones(CASES), x])
    forecasts = expit(columns[TRAINED:] @ fit(columns[:TRAINED], truth[:TRAINED]))
    prices = ew.bet.Drunken(LOWEST, HIGHEST, rng=seed).prices((CASES - TRAINED,))
    return truth[TRAINED:], forecasts, prices


def true_share(x: Floats) -> Floats:
    """Return P(true | x), with the noise integrated out."""
    upper, lower = (np.logaddexp(0, -(x + end)) for end in (NOISE, -NOISE))
    return np.asarray((lower - upper) / (2 * NOISE))


@dataclass(frozen=True)
class Design:
    """The law of one run of the simulated experiment.

    The fitted curve crosses one half at a point that depends on the training half. That point is normal with
    mean 0, because the design is symmetric. Given it, the cells of the test half are multinomial.
    """

    slope: float
    intercept_deviation: float
    growth: float

    @classmethod
    def integrate(cls) -> Design:
        """Compute the limit of the fit, its intercept's standard error, and the growth per game."""
        x = ((np.arange(GRID) + 0.5) / GRID * 2 - 1) * REACH
        chances = true_share(x)
        slope = brentq(lambda slope: float((x * (chances - expit(slope * x))).mean()), -2, 0)
        forecasts = expit(slope * x)
        moments = np.stack([np.ones(GRID), x**2])
        information = (moments * forecasts * (1 - forecasts)).mean(axis=1)
        squares = (moments * (chances * (1 - forecasts) ** 2 + (1 - chances) * forecasts**2)).mean(axis=1)
        # Odd moments vanish, so the matrices are diagonal.
        deviation = math.sqrt(squares[0] / information[0] ** 2 / TRAINED)
        score = float((chances * np.log(forecasts) + (1 - chances) * np.log1p(-forecasts)).mean())
        price = ew.bet.Drunken(LOWEST, HIGHEST).expected_of_games(1, 2) / 2
        lost_by_fitting = float((squares / information).sum()) / (2 * TRAINED)
        return cls(slope, deviation, score + price - lost_by_fitting)

    def model_table(self) -> dict[str, tuple[float, float]]:
        """Return the mean and standard deviation of each share for the model's likeliest class."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(41)
        crossings = nodes * self.intercept_deviation / abs(self.slope)
        # The integral of P(true | x) up to each crossing.
        steps = ((np.arange(GRID) + 0.5) / GRID)[:, None] * (crossings + REACH) - REACH
        below = (crossings + REACH) / (2 * REACH)
        hits = true_share(steps).mean(axis=0) * below
        return _moments_of_shares(_shares(hits, 0.5 - hits, below - hits, 0.5 - below + hits), weights)

    @staticmethod
    def bookmaker_table() -> dict[str, tuple[float, float]]:
        """Return the same for the bookmaker, whose prices are independent of the outcomes."""
        quarter = np.array([0.25])
        return _moments_of_shares(_shares(quarter, quarter, quarter, quarter), np.ones(1))


def _moments_of_shares(shares: dict[str, Floats], weights: Floats) -> dict[str, tuple[float, float]]:
    """Return mean and deviation of shares among test cases: binomial, mixed with the weights."""
    tested = CASES - TRAINED
    moments = {}
    for name, share in shares.items():
        mean, square = (float(np.average(power, weights=weights)) for power in (share, share**2))
        moments[name] = mean, math.sqrt((mean - square) / tested + max(square - mean**2, 0.0))
    return moments


def _simulated() -> Ours:
    """Return the means of the design, and the tolerances for one run (Bonferroni)."""
    design = Design.integrate()
    reach = normal_quantile(1 - (1 - MIN_AGREEMENT_PROBABILITY) / PRINTED_SHARES)
    tables = {"the model": design.model_table(), "the drunken bookmaker": design.bookmaker_table()}
    sections: dict[str, dict[str, float | tuple[float, float]]] = {
        f"Simulated data: {name}{way}": {
            what: (mean, reach * spread) for what, (mean, spread) in table.items()
        }
        for way in (", as printed", ", rows exchanged")
        for name, table in tables.items()
    }
    growth = {"log wealth per game, the model against the bookmaker": design.growth}
    return {**sections, "Simulated data: wealth": growth}


# -- birth weights ------------------------------------------------------------------------------------------


@cache
def mothers() -> dict[str, Floats]:
    """Return the births by column."""
    with sample_file("mothers.csv") as path:
        heads = path.read_text(encoding="utf-8").splitlines()[0].split(",")
        return dict(zip(heads, np.loadtxt(path, delimiter=",", skiprows=1).T, strict=True))


@cache
def birth_forecasts(model: str, *, left_out: bool, in_classes: bool = False) -> Floats:
    """Return a logistic regression's probability for each birth, fitted with or without that birth."""
    births = mothers()
    races = {"race": [births["race"] == 2, births["race"] == 3]} if in_classes else {}
    columns = [np.ones(len(births["low"]))]
    for name in MODELS[model]:
        columns += races.get(name, [births[name]])
    design, truth = np.column_stack(columns).astype(float), births["low"].astype(int)
    if not left_out:
        return expit(design @ fit(design, truth))
    fits = [fit(np.delete(design, case, axis=0), np.delete(truth, case)) for case in range(len(truth))]
    return np.asarray(expit((design * np.array(fits)).sum(axis=1)))


def _births() -> Ours:
    """Return all tables in sample and leave-one-out, with race as a number and as classes; and wealth."""
    truth = mothers()["low"].astype(int)
    sections: dict[str, dict[str, float]] = {"Births": {"births": len(truth)}, "Births: wealth": {}}
    wealth = sections["Births: wealth"]
    for left_out, in_classes in itertools.product((True, False), (False, True)):
        how = f"{'leave-one-out' if left_out else 'in sample'}{', race in classes' if in_classes else ''}"
        models = [model for model in MODELS if not in_classes or model != WITH_FTV]
        forecasts = {
            model: birth_forecasts(model, left_out=left_out, in_classes=in_classes) for model in models
        }
        for model, chances in forecasts.items():
            table, scores = _likeliest(truth, chances), ew.ForecastScores.from_probabilities(truth, chances)
            wealth[f"log-likelihood of {model}, {how}"] = -len(truth) * scores.mean("log")
            sections[f"Births: {model}, rows exchanged, {how}"] = table
            if left_out and not in_classes and model != WITH_FTV:
                sections[f"Births: {model}, as printed"] = table
            if model == "small glm":
                continue
            won = ew.Wealth.from_probabilities(truth, chances, against=forecasts["small glm"])
            wealth[f"log wealth of {model} against small glm, {how}"] = won.log_wealth
    return sections


def details() -> tuple[tuple[Section, ...], JsonObject]:
    """Compare the larger model with and without ftv, which the printed table cannot distinguish."""
    truth = mothers()["low"].astype(int)
    small = birth_forecasts("small glm", left_out=True)
    numbers: dict[str, JsonObject] = {}
    for model in ("stepAIC", WITH_FTV):
        seen, unseen = (birth_forecasts(model, left_out=left_out) for left_out in (False, True))
        wealth = ew.Wealth.from_probabilities(truth, unseen, against=small)
        numbers[model] = {
            "covariates": list(MODELS[model]),
            "in_sample_error": _likeliest(truth, seen)["MAP error rate"],
            "leave_one_out_error": _likeliest(truth, unseen)["MAP error rate"],
            "log_wealth": wealth.log_wealth,
            "wealth": wealth.wealth,
        }
    tables = [_likeliest(truth, birth_forecasts(model, left_out=False)) for model in numbers]
    is_decided = tables[0] != tables[1]
    without, with_ftv = numbers["stepAIC"], numbers[WITH_FTV]
    text = (
        "The text lists seven covariates for the stepAIC model. One of them is ftv, the number of physician "
        "visits in the first trimester. The printed table is in sample, and in sample both models put the "
        "same 23, 13, 36 and 117 births into its four cells. So the printed table cannot show whether ftv "
        "was in the model.",
        f"Leave-one-out, the model without ftv turns $1 into ${without['wealth']:,.0f} against the small "
        f"model (log wealth {without['log_wealth']:.4f}). With ftv it is ${with_ftv['wealth']:,.0f} (log "
        f"wealth {with_ftv['log_wealth']:.4f}). Edgeworth's sample data and the figures are without ftv. "
        "The variables were chosen on all births, which favours the larger model.",
    )
    grid = Grid(
        "",
        make_columns("model/text", "in-sample error", "leave-one-out error", default="percent")
        + make_columns("log wealth", "wealth/dollars"),
        tuple((name, *list(row.values())[1:]) for name, row in numbers.items()),
    )
    section = Section("Births: the larger model with and without ftv", text, (grid,))
    return (section,), {"larger_models": {"printed_table_decides": is_decided, **numbers}}


def figures(seed: int = 0) -> Iterable[Chart]:
    """Draw the paper's figures from our numbers, in the paper's form and as reports draw them."""
    happened, forecasts, prices = experiment(seed)
    low = mothers()["low"].astype(int)
    small, large = (birth_forecasts(model, left_out=True) for model in ("small glm", "stepAIC"))
    yield from pictures({"simulated": (happened, forecasts, prices), "births": (low, large, small)}, seed)
    drawn = {
        "simulated": ew.evaluate(truth=happened, probabilities=forecasts, against=prices).charts,
        "births": ew.evaluate(truth=low, probabilities=large, against=small, orders=400).charts,
    }
    for name, data in DRAWN.items():
        figure, chart = name.rsplit("_", 1)
        title = f"{figure.replace('_', ' ', 1).replace('_', ' and ').capitalize()}: {data}, {chart}"
        yield replace(drawn[data][chart], name=name, title=title)
