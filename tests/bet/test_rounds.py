"""Several games in one period: against single games, brute force and a general solver."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from edgeworth.bet import growth, kelly, kelly_payoff, kelly_together
from edgeworth.errors import InputError

Game = tuple[np.ndarray, np.ndarray]


def joint_growth(games: list[Game], stakes: list[np.ndarray]) -> float:
    """E log W by listing every joint outcome; a game of plain numbers pays on "true" alone."""
    lists = []
    for (p, odds), stake in zip(games, stakes, strict=True):
        if np.ndim(p) == 0:
            lists.append([(float(p), float(stake * odds)), (1 - float(p), 0.0)])
        else:
            lists.append([(float(p[k]), float(stake[k] * odds[k])) for k in range(len(p))])
    kept = 1 - sum(float(np.sum(stake)) for stake in stakes)
    total = 0.0
    for outcomes in product(*lists):
        chance = math.prod(part[0] for part in outcomes)
        left = kept + sum(part[1] for part in outcomes)
        if chance > 0:
            total += chance * math.log(left) if left > 0 else -math.inf
    return total


def solver_growth(games: list[Game]) -> float:
    """The same programme given to SciPy with differences for derivatives."""
    sizes = [np.size(odds) for _, odds in games]
    ends = np.cumsum([0, *sizes])

    def negative(flat: np.ndarray) -> float:
        stakes = [
            flat[a:b].reshape(np.shape(odds))
            for a, b, (_, odds) in zip(ends[:-1], ends[1:], games, strict=True)
        ]
        return -joint_growth(games, stakes) if flat.sum() < 1 else 1e3

    start = np.full(ends[-1], 0.05 / ends[-1])
    optimum = minimize(
        negative,
        start,
        method="SLSQP",
        bounds=[(0, 1)] * int(ends[-1]),
        constraints=[{"type": "ineq", "fun": lambda f: 0.9999999 - f.sum()}],
        options={"ftol": 1e-13, "maxiter": 400},
    )
    return -float(optimum.fun)


def random_games(rng: np.random.Generator) -> list[Game]:
    games: list[Game] = []
    for _ in range(int(rng.integers(1, 4))):
        if rng.random() < 0.5:
            games.append((np.float64(rng.choice([0.5, rng.random()])), np.float64(1.2 + rng.exponential(2))))
        else:
            outcomes = int(rng.integers(2, 4))
            p = rng.dirichlet(np.ones(outcomes))
            if rng.random() < 0.3:
                p = np.full(outcomes, 1 / outcomes)
            prices = rng.dirichlet(np.full(outcomes, 4.0)) * rng.choice([1.0, 1.05, 1.2])
            games.append((p, 1 / np.minimum(prices, 0.97)))
    return games


def test_two_coins_at_once() -> None:
    """Two bets of edge 0.2 at evens: each a little below the single bet's 0.2, known in closed form.

    With equal stakes f: 0.36 log(1+2f) + 0.16 log(1−2f), so f = ½ (0.36 − 0.16)/(0.36 + 0.16) = 5/26.
    """
    stakes = kelly_together([(0.6, 2.0), (0.6, 2.0)])
    assert [float(stake) for stake in stakes] == pytest.approx([5 / 26, 5 / 26], abs=1e-7)


def test_one_race_is_kelly() -> None:
    p, odds = [0.2, 0.4, 0.3, 0.08, 0.02], [5.5, 2.625, 3.25, 6, 21]
    np.testing.assert_allclose(kelly_together([(p, odds)])[0], kelly(p, odds), atol=1e-7)
    fair = ([0.5, 0.3, 0.2], [4.0, 2.0, 4.0])
    ours = growth(*fair, kelly_together([fair])[0])
    assert ours == pytest.approx(float(growth(*fair, kelly(*fair))), abs=1e-9)


def test_growth_equals_a_solver_that_differentiates_numerically() -> None:
    rng = np.random.default_rng(31)
    for _ in range(25):
        games = random_games(rng)
        ours = joint_growth(games, kelly_together(games))
        theirs = solver_growth(games)
        assert ours >= theirs - 1e-9, games
        assert ours == pytest.approx(theirs, abs=1e-5), games


def test_the_conditions_of_optimality_hold() -> None:
    """E[X/W] is 1 for what is held and at most 1 for what is not, cash included."""
    games = [([0.5, 0.3, 0.2], [2.3, 3.0, 4.6]), ([0.7, 0.3], [1.6, 2.9]), (0.3, 4.0)]
    stakes = kelly_together(games)
    kept = 1 - sum(float(np.sum(stake)) for stake in stakes)
    returns = np.zeros(6)
    first, second, third = (np.atleast_1d(stake) for stake in stakes)
    for i, j, k in product(range(3), range(2), range(2)):
        chance = games[0][0][i] * games[1][0][j] * (0.3, 0.7)[k]
        paid = first[i] * games[0][1][i] + second[j] * games[1][1][j] + third[0] * 4.0 * (k == 0)
        left = kept + paid
        returns[i] += chance * games[0][1][i] / left
        returns[3 + j] += chance * games[1][1][j] / left
        returns[5] += chance * 4.0 * (k == 0) / left
    held = np.concatenate([first, second, third])
    assert (returns <= 1 + 1e-8).all()
    assert np.abs(returns[held > 1e-6] - 1).max() < 1e-8


def test_no_edge_no_stake() -> None:
    assert [stake.tolist() for stake in kelly_together([(0.5, 1.9), ([0.5, 0.5], [1.9, 1.95])])] == [
        0.0,
        [0.0, 0.0],
    ]


def test_certainties_and_fractions() -> None:
    sure, other = kelly_together([(1.0, 1.5), (0.5, 2.5)])
    assert float(sure) + float(other) == pytest.approx(1, abs=1e-9)
    half = kelly_together([(0.6, 2.0), (0.6, 2.0)], fraction=0.5)
    assert float(half[0]) == pytest.approx(5 / 52, abs=1e-7)


def test_near_certain_games_are_solved_too() -> None:
    """Almost all is staked, and the little that is kept decides: no stake moved by a little does better."""
    rng = np.random.default_rng(33)
    for _ in range(15):
        chances = 1 - 10.0 ** -rng.uniform(2, 6, 3)
        games = [(float(p), float(odds)) for p, odds in zip(chances, rng.uniform(1.05, 1.9, 3), strict=True)]
        stakes = np.array(kelly_together(games))
        best = joint_growth(games, list(stakes))
        assert best >= max(float(growth(p, odds, kelly(p, odds))) for p, odds in games) - 1e-9
        for change in rng.normal(size=(40, 3)) * 10.0 ** -rng.uniform(1, 6, (40, 1)):
            moved = np.maximum(stakes + change, 0)
            moved /= max(1.0, moved.sum())
            assert joint_growth(games, list(moved)) <= best + 1e-9, games


def test_one_chance_in_many_millions_is_bet_on() -> None:
    assert float(kelly_together([(1e-10, 1e11)])[0]) == pytest.approx(float(kelly(1e-10, 1e11)), rel=1e-2)


def test_refusals_name_the_game() -> None:
    with pytest.raises(InputError, match="game 1: odds must be decimal odds"):
        kelly_together([(0.5, 2.1), (0.5, 0.9)])
    with pytest.raises(InputError, match="game 0: the probabilities of a race must add up to 1"):
        kelly_together([([0.5, 0.4], [2, 2])])
    with pytest.raises(InputError, match="game 0 has many rows"):
        kelly_together([([[0.5, 0.5]], [[2, 2]])])
    with pytest.raises(InputError, match="must be a pair"):
        kelly_together([0.5])
    with pytest.raises(InputError, match="no game"):
        kelly_together([])


@pytest.mark.parametrize(
    ("probabilities", "returns"),
    [([0.5, 0.3, 0.2], [1.5, 1.0, 0.2]), ([0.6, 0.4], [2.0, 0.0]), ([0.1, 0.2, 0.7], [9.0, 0.5, 0.4])],
)
def test_a_general_payoff_beside_a_search(probabilities: list[float], returns: list[float]) -> None:
    chances, pays = np.array(probabilities), np.array(returns)

    def loss(share: float) -> float:
        return -float((chances * np.log(1 - share + share * pays)).sum())

    best = minimize_scalar(loss, bounds=(0, 1 - 1e-9), method="bounded", options={"xatol": 1e-12}).x
    assert kelly_payoff(probabilities, returns) == pytest.approx(best, abs=1e-6)


def test_payoffs_that_are_never_or_always_worth_it() -> None:
    assert kelly_payoff([0.5, 0.5], [1.5, 0.2], back_only=True) == 0
    assert kelly_payoff([0.25, 0.25, 0.5], [3, 1, 0.0]) == 0
    assert kelly_payoff([0.9, 0.1], [1.5, 0.99]) == 1
    assert kelly_payoff([0.9, 0.1], [1.5, 1.0]) == 1
    with pytest.raises(InputError, match="finite return"):
        kelly_payoff([0.5, 0.5], [2.0])
    with pytest.raises(InputError, match="arbitrage"):
        kelly_payoff([0.5, 0.5, 0.0], [0.5, 1.0, 9.0])
    assert kelly_payoff([0.5, 0.5], [0.5, 1.0], back_only=True) == 0


@pytest.mark.parametrize("p", [0.05, 0.25, 0.4, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("odds", [1.05, 1.3, 2.0, 4.0, 21.0])
def test_a_position_with_two_payoffs_is_kalias_game(p: float, odds: float) -> None:
    """f = (Op − 1)/(O − 1), below 0 where the other side of the wager is taken."""
    assert kelly_payoff([p, 1 - p], [odds, 0]) == pytest.approx((odds * p - 1) / (odds - 1), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_selling_a_position_is_buying_its_reverse(seed: int) -> None:
    """The best negative stake, found by a search over 1 + f X > 0."""
    rng = np.random.default_rng(seed)
    chances, payoffs = rng.dirichlet(np.ones(4)), rng.uniform(-1, 1.5, 4)
    payoffs -= max(0.0, float(chances @ payoffs)) + 0.02
    payoffs = np.maximum(payoffs, -1)
    payoffs[0] = 0.7
    mean = float(chances @ payoffs)
    low, high = (-1 / payoffs.max(), 0.0) if mean < 0 else (0.0, 1.0)

    def loss(share: float) -> float:
        return -float(chances @ np.log(1 + share * payoffs))

    inside = 1e-12 * (high - low)
    best = minimize_scalar(
        loss, bounds=(low + inside, high - inside), method="bounded", options={"xatol": 1e-13}
    )
    result = kelly_payoff(chances, 1 + payoffs)
    assert result == pytest.approx(best.x, abs=1e-5)
    assert loss(result) <= best.fun + 1e-13
    assert (result < 0) == (mean < 0)
