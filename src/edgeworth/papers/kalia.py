"""Kalia 2011, "Assessing classification performance by gambling strategies": what the paper computes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

import edgeworth as ew
from edgeworth.arrays import Floats
from edgeworth.papers.printed import Ours
from edgeworth.report.charts.chart import Chart
from edgeworth.sample import sample_file

Outcomes = NDArray[np.int64]
CASES, TRAINED, RUNS = 20_000, 10_000, 20
REACH, NOISE, LOWEST, HIGHEST = 1.09, 0.218, 0.15, 0.85
MOST_DEVIATIONS = 4
"""How far the printed run may be off, in standard deviations of a run."""
MODELS = {"small glm": ("smoke", "race"), "stepAIC": ("lwt", "race", "smoke", "ptd", "ht", "ui")}
DRAWN = {
    "figures_2_3_stakes": "births",
    "figure_4_wealth": "simulated",
    "figure_4_returns": "simulated",
    "figure_5_probabilities": "simulated",
    "figures_6_7_wealth": "births",
    "figures_6_7_orders": "births",
    "figures_6_7_returns": "births",
    "figure_8_probabilities": "births",
}
FIGURES = tuple(DRAWN)


def compute(seed: int = 0) -> Ours:
    """Everything, by place; the simulated experiment is drawn from the seed."""
    return {**_stakes(), **_moments(), **_simulated(seed), **_births()}


# -- stakes, moments, Figures 2 and 3 -----------------------------------------------------------------------


def _stakes() -> Ours:
    """What the stake has to do over the odds of the paper, and points of the surfaces it draws."""
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
    """Section 2.2 for one game by its two outcomes, and for three games by all eight."""
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
            "E[M_1]": sum(shares[truth] * math.exp(each.martingale[0]) for truth, each in played.items()),
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


def _likeliest(truth: Outcomes, chances: Floats) -> dict[str, float]:
    """The confusion table of the likeliest class, in shares."""
    table = ew.ContingencyTable.from_labels(truth, (chances > 0.5).astype(int), labels=[1, 0])
    (hits, alarms), (misses, rest) = table.counts / len(truth)
    return {
        "true, predicted true": hits,
        "true, predicted false": misses,
        "true in all": hits + misses,
        "false, predicted true": alarms,
        "false, predicted false": rest,
        "false in all": alarms + rest,
        "predicted true in all": hits + alarms,
        "predicted false in all": misses + rest,
        "MAP error rate": 1 - ew.measure(table, "accuracy"),
    }


# -- the simulated experiment -------------------------------------------------------------------------------


def experiment(seed: int) -> tuple[Outcomes, Floats, Floats]:
    """Draw the half that is bet on: outcomes, the model's forecasts, the bookmaker's prices."""
    rng = np.random.default_rng([2011, seed])
    x = rng.uniform(-REACH, REACH, CASES)
    chances = expit(-(x + rng.uniform(-NOISE, NOISE, CASES)))
    truth = (rng.random(CASES) < chances).astype(np.int64)
    columns = np.column_stack([np.ones(CASES), x])
    forecasts = expit(columns[TRAINED:] @ fit(columns[:TRAINED], truth[:TRAINED]))
    prices = ew.bet.Drunken(LOWEST, HIGHEST, seed=seed).prices((CASES - TRAINED,))
    return truth[TRAINED:], forecasts, prices


def _simulated(seed: int) -> Ours:
    """Means over runs of the design, and what one run may be off."""
    runs: dict[str, list[dict[str, float]]] = {"the model": [], "the drunken bookmaker": [], "wealth": []}
    for run in range(RUNS):
        truth, forecasts, prices = experiment(seed * RUNS + run)
        wealth = ew.Wealth.from_probabilities(truth, forecasts, against=prices)
        runs["the model"].append(_likeliest(truth, forecasts))
        runs["the drunken bookmaker"].append(_likeliest(truth, prices))
        growth = wealth.log_wealth / len(truth)
        runs["wealth"].append({"log wealth a game, the model against the bookmaker": growth})
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for name, each in runs.items():
        values = {what: [run[what] for run in each] for what in each[0]}
        means = {
            what: (float(np.mean(x)), MOST_DEVIATIONS * float(np.std(x, ddof=1)))
            for what, x in values.items()
        }
        ways = ("",) if name == "wealth" else (", as printed", ", rows exchanged")
        found |= {f"Simulated data: {name}{way}": means for way in ways}
    return found


# -- birth weights ------------------------------------------------------------------------------------------


@cache
def mothers() -> dict[str, Floats]:
    """The births by column."""
    with sample_file("mothers.csv") as path:
        heads = path.read_text(encoding="utf-8").splitlines()[0].split(",")
        return dict(zip(heads, np.loadtxt(path, delimiter=",", skiprows=1).T, strict=True))


@cache
def birth_forecasts(model: str, *, left_out: bool, in_classes: bool = False) -> Floats:
    """What a logistic regression says of each birth, having seen it or not."""
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
    """Both tables in sample and leave-one-out, race as a number and in classes; likelihoods and wealth."""
    truth = mothers()["low"].astype(int)
    found: dict[str, dict[str, float]] = {"Births": {"births": len(truth)}, "Births: wealth": {}}
    for left_out, in_classes in itertools.product((True, False), (False, True)):
        how = f"{'leave-one-out' if left_out else 'in sample'}{', race in classes' if in_classes else ''}"
        said = {model: birth_forecasts(model, left_out=left_out, in_classes=in_classes) for model in MODELS}
        for model, chances in said.items():
            table, scores = _likeliest(truth, chances), ew.ForecastScores.from_probabilities(truth, chances)
            found["Births: wealth"][f"log-likelihood of {model}, {how}"] = -len(truth) * scores.mean("log")
            found[f"Births: {model}, rows exchanged, {how}"] = table
            if left_out and not in_classes:
                found[f"Births: {model}, as printed"] = table
        wealth = ew.Wealth.from_probabilities(truth, said["stepAIC"], against=said["small glm"])
        found["Births: wealth"][f"log wealth of stepAIC against small glm, {how}"] = wealth.log_wealth
    return found


def figures(seed: int = 0) -> Iterable[Chart]:
    """The paper's figures 2 to 8, drawn from ours."""
    happened, forecasts, prices = experiment(seed * RUNS)
    low = mothers()["low"].astype(int)
    small, large = (birth_forecasts(model, left_out=True) for model in MODELS)
    drawn = {
        "simulated": ew.evaluate(truth=happened, probabilities=forecasts, against=prices).charts,
        "births": ew.evaluate(truth=low, probabilities=large, against=small, orders=400).charts,
    }
    for name, data in DRAWN.items():
        figure, chart = name.rsplit("_", 1)
        title = f"{figure.replace('_', ' ', 1).replace('_', ' and ').capitalize()}: {data}, {chart}"
        yield replace(drawn[data][chart], name=name, title=title)
