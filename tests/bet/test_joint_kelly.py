"""Stakes on games of one round: against enumeration, a convex solver and closed forms."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from edgeworth.bet.joint_kelly import Rounds, expected_growth, joint_stakes, shortfall


def races(rng: np.random.Generator, games: int, outcomes: int, edge: float) -> tuple[Any, Any]:
    """Forecasts and returns of backs, at odds that differ from the forecasts by some of their logarithm."""
    chances = rng.dirichlet(np.full(outcomes, 4.0), size=games)
    prices = chances * np.exp(rng.normal(0, edge, chances.shape))
    odds = 1 / (1.04 * prices / prices.sum(axis=1, keepdims=True))
    return chances, np.eye(outcomes) * odds[:, None, :]


def enumerated(chances: Any, returns: Any) -> tuple[Any, Any]:
    """The probability of each joint outcome, and what a unit on each bet returns after it."""
    number = chances.shape[1]
    probabilities, rows = [], []
    for outcome in product(range(number), repeat=len(chances)):
        probabilities.append(math.prod(chances[game, k] for game, k in enumerate(outcome)))
        rows.append(np.concatenate([returns[game, k] for game, k in enumerate(outcome)]))
    return np.array(probabilities), np.array(rows)


def solved(chances: Any, returns: Any) -> Any:
    """The same programme, all joint outcomes listed, by sequential least squares."""
    probabilities, pays = enumerated(chances, returns)
    gains = pays - 1
    optimum = minimize(
        lambda f: -(probabilities @ np.log(np.maximum(1 + gains @ f, 1e-300))),
        np.full(gains.shape[1], 0.01 / gains.shape[1]),
        jac=lambda f: -((probabilities / (1 + gains @ f)) @ gains),
        bounds=[(0, 1)] * gains.shape[1],
        constraints=[
            {"type": "ineq", "fun": lambda f: 1 - 1e-9 - f.sum(), "jac": lambda f: -np.ones(len(f))}
        ],
        method="SLSQP",
        options={"ftol": 1e-16, "maxiter": 2000},
    )
    return optimum.x.reshape(len(chances), -1)


@pytest.mark.parametrize(("games", "outcomes"), [(1, 3), (2, 2), (3, 3), (4, 2), (5, 3)])
@pytest.mark.parametrize("edge", [0.05, 0.2])
def test_stakes_equal_those_of_a_convex_solver(games: int, outcomes: int, edge: float) -> None:
    chances, returns = races(np.random.default_rng([games, outcomes]), games, outcomes, edge)
    stakes, _ = joint_stakes(chances, returns, np.zeros(games, dtype=np.intp))
    np.testing.assert_allclose(stakes, solved(chances, returns), atol=1e-6)
    assert stakes.sum() <= 1


@pytest.mark.slow
def test_eight_games_equal_those_of_a_convex_solver() -> None:
    for seed, outcomes in ((1, 2), (2, 2), (3, 3)):
        chances, returns = races(np.random.default_rng(seed), 8, outcomes, 0.15)
        stakes, _ = joint_stakes(chances, returns, np.zeros(8, dtype=np.intp))
        np.testing.assert_allclose(stakes, solved(chances, returns), atol=1e-6)


def test_growth_equals_enumeration() -> None:
    chances, returns = races(np.random.default_rng(5), 6, 3, 0.15)
    stakes, growth = joint_stakes(chances, returns, np.zeros(6, dtype=np.intp))
    probabilities, pays = enumerated(chances, returns)
    exact = math.fsum(probabilities * np.log(1 + (pays - 1) @ stakes.ravel()))
    assert growth[0] == pytest.approx(exact, abs=1e-13)
    rounds = Rounds(chances[None], returns[None])
    assert expected_growth(rounds, stakes[None])[0] == pytest.approx(exact, abs=1e-13)
    assert shortfall(rounds, stakes[None])[0] <= 1e-10


@pytest.mark.parametrize(
    ("chances", "odds", "known"),
    [
        ([0.6, 0.6], [2.0, 2.0], [5 / 26, 5 / 26]),
        ([0.6, 0.6, 0.6], [2.0, 2.0, 2.0], [0.1841986] * 3),
        ([0.55, 0.4], [2.1, 3.0], [0.1384235, 0.0980704]),
    ],
)
def test_known_stakes(chances: list[float], odds: list[float], known: list[float]) -> None:
    p = np.array(chances)
    returns = np.stack([odds, np.zeros(len(odds))], axis=1)[..., None]
    stakes, _ = joint_stakes(np.stack([p, 1 - p], axis=1), returns, np.zeros(len(p), dtype=np.intp))
    np.testing.assert_allclose(stakes.ravel(), known, atol=1e-7)


def test_many_rounds_are_solved_as_one_by_one_and_never_exceed_the_bankroll() -> None:
    rng = np.random.default_rng(8)
    chances, returns = races(rng, 600, 3, 0.3)
    rounds = np.sort(rng.integers(0, 60, 600))
    stakes, growth = joint_stakes(chances, returns, rounds)
    for number in np.unique(rounds)[::7].tolist():
        here = rounds == number
        alone, _ = joint_stakes(chances[here], returns[here], np.zeros(int(here.sum()), dtype=np.intp))
        np.testing.assert_allclose(stakes[here], alone, atol=1e-8)
    totals = np.bincount(rounds, stakes.sum(axis=1))
    assert totals.max() <= 1
    assert totals.max() > 0.9
    assert min(growth.values()) > 0


def test_a_game_without_value_changes_nothing() -> None:
    chances, returns = races(np.random.default_rng(9), 3, 3, 0.2)
    without = np.concatenate([chances, [[0.3, 0.3, 0.4]]]), np.concatenate([returns, np.eye(3)[None] * 2.0])
    stakes, _ = joint_stakes(*without, np.zeros(4, dtype=np.intp))
    alone, _ = joint_stakes(chances, returns, np.zeros(3, dtype=np.intp))
    np.testing.assert_allclose(stakes[:3], alone, atol=1e-9)
    assert stakes[3].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("odds", [50.0, 1000.0, 1e6, 1e12])
@pytest.mark.parametrize("chance", [0.5, 0.9, 0.999999])
def test_stakes_at_extreme_odds_have_kellys_closed_form(odds: float, chance: float) -> None:
    """One game: the stake is (p O − 1)/(O − 1), also if wealth can grow a million times."""
    chances, returns = np.array([[chance, 1 - chance]]), np.array([[[odds], [0.0]]])
    stakes, growth = joint_stakes(chances, returns, np.zeros(1, dtype=np.intp))
    stake = (chance * odds - 1) / (odds - 1)
    assert stakes.item() == pytest.approx(stake, abs=1e-9)
    known = chance * math.log(1 - stake + stake * odds) + (1 - chance) * math.log(1 - stake)
    assert growth[0] == pytest.approx(known, abs=1e-10)


def test_growth_of_large_wealth_equals_enumeration() -> None:
    chances, returns = races(np.random.default_rng(6), 5, 3, 0.15)
    returns[::2] *= 300.0
    stakes = np.full((5, 3), 0.05)
    probabilities, pays = enumerated(chances, returns)
    exact = math.fsum(probabilities * np.log(1 + (pays - 1) @ stakes.ravel()))
    assert expected_growth(Rounds(chances[None], returns[None]), stakes[None])[0] == pytest.approx(
        exact, abs=1e-12
    )


def test_an_outcome_without_a_chance_may_return_anything() -> None:
    chances, returns = np.array([[1.0, 0.0]]), np.array([[[1e6], [0.0]]])
    stakes, growth = joint_stakes(chances, returns, np.zeros(1, dtype=np.intp))
    assert stakes.item() == pytest.approx(1.0)
    assert growth[0] == pytest.approx(math.log(1e6))
