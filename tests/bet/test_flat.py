"""Unit stakes: profit, return and interval beside scipy, ruin beside the gambler's and a simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from edgeworth.bet import FlatStakes, flat_stakes, ruin_probability
from edgeworth.bet.flat import best_bets
from edgeworth.errors import InputError, OptionError


def test_profit_and_interval() -> None:
    rng = np.random.default_rng(1)
    odds, won = rng.uniform(1.2, 6, 200), rng.random(200) < 0.4
    net = np.where(won, odds - 1, -1.0)
    result = flat_stakes(won, odds)
    assert (result.bets, result.profit) == (200, pytest.approx(net.sum()))
    # At either end what was paid is as many standard deviations from its mean as the level says.
    for end, sign in zip(result.interval(0.9), (1, -1), strict=True):
        chances = (1 + end) / odds
        spread = np.sqrt((odds**2 * chances * (1 - chances)).sum())
        assert net.sum() - 200 * end == pytest.approx(sign * stats.norm.ppf(0.95) * spread)
    assert np.isnan(flat_stakes(np.zeros(0, bool), []).interval()).all()
    assert np.isnan(flat_stakes(np.zeros(0, bool), []).rate)


@pytest.mark.parametrize("won", [0, 1, 7, 40])
@pytest.mark.parametrize("odds", [1.5, 20.0])
def test_at_equal_odds_the_interval_is_wilsons(won: int, odds: float) -> None:
    low, high = flat_stakes(np.arange(40) < won, np.full(40, odds)).interval(0.95)
    wilson = stats.binomtest(won, 40).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((odds * wilson.low - 1, odds * wilson.high - 1), abs=1e-8)


@pytest.mark.parametrize("number", [30, 60])
def test_intervals_cover_at_short_and_long_odds(number: int) -> None:
    """Exact sums over wins at odds of 2 and of 20, half each: Student's t covers 61% of 30 there."""
    half, covered = number // 2, 0.0
    for short, long in product(range(half + 1), range(half + 1)):
        low, high = FlatStakes(number, 2 * short + 20 * long - number, 22.0 * half).interval()
        chance = stats.binom.pmf(short, half, 1 / 2) * stats.binom.pmf(long, half, 1 / 20)
        covered += chance * (low <= 0 <= high)
    assert covered >= 0.93


def test_the_outcome_of_highest_expected_return_is_backed() -> None:
    p = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.4, 0.3, 0.3]])
    odds = np.array([[2.1, 3.0, 6.0], [4.0, 4.0, 1.5], [2.4, 3.0, 3.0]])
    # 0.2 · 6 = 1.2 is backed and lost; of the others nothing returns its stake.
    result = best_bets(p, odds, np.array([0, 2, 0]))
    assert (result.bets, result.profit, result.odds) == (1, -1.0, 6.0)


@pytest.mark.parametrize("bank", [1, 5, 20])
def test_ruin_is_the_gamblers(bank: int) -> None:
    """At even odds, ruin has probability ((1 − p)/p)^bank exactly."""
    result = ruin_probability([True] * 55 + [False] * 45, [2.0] * 100, bank=bank)
    assert result == pytest.approx((45 / 55) ** bank, rel=1e-6)


def test_ruin_is_bounded() -> None:
    """At higher odds the bound holds, and is not far off: 4,000 banks of 10 units, p = 0.3 at odds of 4."""
    won = [True] * 30 + [False] * 70
    bound = ruin_probability(won, [4.0] * 100, bank=10)
    steps = np.where(np.random.default_rng(2).random((4000, 2000)) < 0.3, 3, -1).cumsum(axis=1)
    share = (steps.min(axis=1) <= -10).mean()
    error = np.sqrt(bound * (1 - bound) / 4000)
    assert bound - 0.05 - 4 * error < share < bound + 4 * error


def test_what_cannot_be_bet() -> None:
    assert ruin_probability([True, False], [1.5, 1.5], bank=10) == 1
    assert ruin_probability([True, True], [1.5, 1.5], bank=10) == 0
    with pytest.raises(OptionError, match="bank"):
        ruin_probability([True], [2.0], bank=0)
    with pytest.raises(InputError, match="pass one result per bet"):
        flat_stakes([True], [2.0, 3.0])
    with pytest.raises(InputError, match="True or False"):
        flat_stakes([2], [2.0])
