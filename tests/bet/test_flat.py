"""Unit stakes: profit, return and interval beside scipy, ruin beside the gambler's and a simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from edgeworth.bet import flat_stakes, ruin_probability
from edgeworth.bet.flat import best_bets
from edgeworth.errors import InputError, OptionError


def test_profit_and_interval() -> None:
    rng = np.random.default_rng(1)
    odds, won = rng.uniform(1.2, 6, 200), rng.random(200) < 0.4
    net = np.where(won, odds - 1, -1.0)
    found = flat_stakes(won, odds)
    assert (found.bets, found.profit) == (200, pytest.approx(net.sum()))
    expected = stats.t.interval(0.9, 199, net.mean(), stats.sem(net))
    assert found.interval(0.9) == pytest.approx(expected, rel=1e-10)
    assert np.isnan(flat_stakes([True], [2.0]).interval()).all()
    assert np.isnan(flat_stakes(np.zeros(0, bool), []).rate)


def test_the_outcome_of_highest_expected_return_is_backed() -> None:
    p = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.4, 0.3, 0.3]])
    odds = np.array([[2.1, 3.0, 6.0], [4.0, 4.0, 1.5], [2.4, 3.0, 3.0]])
    # 0.2 · 6 = 1.2 is backed and lost; of the others nothing returns its stake.
    found = best_bets(p, odds, np.array([0, 2, 0]))
    assert (found.bets, found.profit, found.squares) == (1, -1.0, 1.0)


@pytest.mark.parametrize("bank", [1, 5, 20])
def test_ruin_is_the_gamblers(bank: int) -> None:
    """At even odds, ruin has probability ((1 − p)/p)^bank exactly."""
    found = ruin_probability([True] * 55 + [False] * 45, [2.0] * 100, bank=bank)
    assert found == pytest.approx((45 / 55) ** bank, rel=1e-6)


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
    with pytest.raises(InputError, match="one each"):
        flat_stakes([True], [2.0, 3.0])
    with pytest.raises(InputError, match="came true"):
        flat_stakes([2], [2.0])
