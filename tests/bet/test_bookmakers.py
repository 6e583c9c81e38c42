"""Bookmakers: a market, and a book with commission."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth.bet import (
    Commission,
    Drunken,
    Market,
    Quote,
    factors_by_outcome,
    game_factors,
    growth,
    kelly,
    kelly_game,
    wealth_after,
)
from edgeworth.errors import InputError, OptionError


def test_a_rival_pays_the_difference_of_log_scores() -> None:
    """C1: against a rival's fair odds W is the product of p_A(y)/p_B(y)."""
    rng = np.random.default_rng(41)
    ours, theirs = rng.uniform(0.05, 0.95, (2, 200))
    truth = rng.integers(0, 2, 200)
    quote = Market(1 / theirs).quote((200,))
    wealth = np.log(game_factors(ours, quote.back, lay=quote.lay, outcome=truth)).sum()
    scores = [np.where(truth == 1, p, 1 - p) for p in (ours, theirs)]
    assert wealth == pytest.approx(np.log(scores[0]).sum() - np.log(scores[1]).sum(), abs=1e-10)


def test_a_rival_in_races() -> None:
    rng = np.random.default_rng(42)
    ours, theirs = rng.dirichlet(np.ones(4), 100), rng.dirichlet(np.ones(4), 100)
    truth = rng.integers(0, 4, 100)
    quote = Market(1 / theirs, lay=1 / theirs).quote((100, 4))
    rows = np.arange(100)
    np.testing.assert_allclose(
        factors_by_outcome(ours, quote.back, lay=quote.lay)[rows, truth],
        ours[rows, truth] / theirs[rows, truth],
        rtol=1e-12,
    )


def test_the_numbers_of_three_games_against_a_half() -> None:
    """p = (.6, .3, .8) against ½; moments over all eight outcomes, under p and under ½."""
    p = np.array([0.6, 0.3, 0.8])
    quote = Market(2.0).quote((3,))
    logs = np.log([game_factors(p, quote.back, outcome=[y] * 3) for y in (0, 1)])
    for truth, mean, variance, expected in (
        (p, 0.2951631491, 0.4977082673, 1.640704),
        (np.full(3, 0.5), -0.3307312421, 0.7010319184, 1.0),
    ):
        assert (truth * logs[1] + (1 - truth) * logs[0]).sum() == pytest.approx(mean, abs=5e-11)
        assert (truth * (1 - truth) * (logs[1] - logs[0]) ** 2).sum() == pytest.approx(variance, abs=5e-11)
        assert np.prod(truth * np.exp(logs[1]) + (1 - truth) * np.exp(logs[0])) == pytest.approx(
            expected, abs=5e-7
        )


def test_a_market_quotes_what_it_was_given() -> None:
    one = Market([3.0, 1.5]).quote((7, 2))
    assert one.back.shape == (7, 2)
    assert one.lay is None
    two = Market([3.0, 1.5], lay=[3.1, 1.6]).quote((7, 2))
    assert two.lay is not None
    assert two.lay.shape == (7, 2)


@given(st.floats(0.01, 0.99), st.floats(1.05, 50), st.floats(0, 0.5))
def test_commission_pays_the_same_as_the_bet_it_is_taken_from(p: float, odds: float, rate: float) -> None:
    """Stake by stake: the winnings of the real bet less commission are those of the bet at effective odds."""
    quote = Commission(rate, Market([odds])).quote((1,))
    assert quote.lay is not None
    stake = float(kelly_game(p, quote.back, lay=quote.lay)[0])
    after = wealth_after(float(quote.back[0]), stake, lay=float(quote.lay[0]))
    if stake >= 0:
        real = [1 + stake * (odds - 1) * (1 - rate), 1 - stake]
    else:
        laid = -stake / (1 - rate)  # the stake taken from the backer, before commission on it
        real = [1 - laid * (odds - 1), 1 + laid * (1 - rate)]
    assert after.tolist() == pytest.approx(real, rel=1e-9, abs=1e-9)
    best = p * math.log(max(real[0], 1e-300)) + (1 - p) * math.log(max(real[1], 1e-300))
    for other in (0.9 * stake, 0.99 * stake):
        assert growth(p, float(quote.back[0]), other, lay=float(quote.lay[0])) <= best + 1e-12


def test_commission_in_races_and_without_laying() -> None:
    taken = Commission(0.05, Market([3.0, 3.0, 3.0])).quote((1, 3))
    assert taken.lay is None
    assert taken.back.tolist() == [pytest.approx([2.9] * 3)]
    assert Commission(0.05, Market([2.0])).quote((1,)).back.tolist() == pytest.approx([1.95])
    assert kelly([0.5, 0.25, 0.25], taken.back[0]).sum() < 0.25
    through = Commission(0.0, Drunken(rng=3)).quote((4,))
    np.testing.assert_allclose(through.back, Drunken(rng=3).quote((4,)).back)


@pytest.mark.parametrize("rate", [-0.1, 1.0, math.nan, "5%"])
def test_a_commission_leaves_something(rate: float) -> None:
    with pytest.raises(OptionError, match="from 0 to below 1"):
        Commission(rate, Market([2.0]))


def test_one_game_at_one_price_is_two_outcomes_of_a_race() -> None:
    """Backing and laying "true" gives what backing and laying either outcome gives, with commission too."""
    rng = np.random.default_rng(43)
    p, odds = rng.uniform(0.02, 0.98, 200), rng.uniform(1.02, 30, 200)
    for book in (Market(odds), Market(odds, lay=odds * 1.2), Commission(0.05, Market(odds))):
        quote = book.quote((200,))
        both = quote.two_way()
        races = np.stack([1 - p, p], axis=1)
        for outcome in (0, 1):
            np.testing.assert_allclose(
                factors_by_outcome(races, both.back, lay=both.lay)[:, outcome],
                game_factors(p, quote.back, lay=quote.lay, outcome=np.full(200, outcome)),
                rtol=1e-9,
            )


def test_a_game_that_cannot_be_laid_is_only_backed() -> None:
    for quote in (Quote(np.array([3.0]), np.array([math.inf])), Quote(np.array([3.0]), None)):
        both = quote.two_way()
        for p, expected in ((0.5, [0.75, 1.5]), (0.2, [1.0, 1.0])):
            wealth = factors_by_outcome([[1 - p, p]], both.back, lay=both.lay)[0]
            assert wealth == pytest.approx(expected, rel=1e-12)


def test_who_quotes_a_price_a_case() -> None:
    assert Market([2.0, 3.0, 4.0]).is_game(3)
    assert not Market([2.0, 2.0]).is_game(3)
    assert not Market([[2.0, 2.0]] * 3).is_game(3)
    assert Commission(0.02, Market([2.0, 2.0, 2.5])).is_game(3)
    assert Drunken().is_game(7)
    with pytest.raises(InputError, match="may be one per case or one per class"):
        Market([2.0, 2.0]).is_game(2)


def test_bookmakers_have_names_for_sentences() -> None:
    assert Commission(0.05, Market([2.0])).description == "the market's odds less 5% commission"
    assert Drunken().description == "a drunken bookmaker"
    assert Drunken(0.15, 0.85).description == "a drunken bookmaker (0.15 to 0.85)"


def test_refusals() -> None:
    with pytest.raises(InputError, match=r"have the shape \(2,\), the forecasts \(3,\)"):
        Market([2.0, 2.0]).quote((3,))
    with pytest.raises(
        InputError, match="odds must be decimal odds, finite and above 1; saw 1 in position 1"
    ):
        Market([1.0, 2.0])
    with pytest.raises(InputError, match="lay odds"):
        Market([2.0, 2.0], lay=[2.0, math.nan])


def test_a_commission_takes_odds_and_refuses_names_of_columns() -> None:
    odds = [[2.0, 3.0, 4.5], [1.5, 4.0, 7.0]]
    same = [Commission(0.05, x).quote((2, 3)).back for x in (odds, Market(odds), np.array(odds))]
    assert same[0].tolist() == same[1].tolist() == same[2].tolist()
    assert same[0][0, 0] == pytest.approx(1.95)
    with pytest.raises(OptionError, match=r"saw \['B365H', 'B365D'\].*Commission\(0.05, data\[\[…\]\]\)"):
        Commission(0.05, ["B365H", "B365D"])
    with pytest.raises(InputError, match="above 1"):
        Commission(0.05, [0.5, 2.0])


def test_a_bookmaker_may_be_given_by_name() -> None:
    truth, probabilities = [0, 1, 1, 0] * 10, [0.3, 0.7, 0.6, 0.2] * 10
    given = {"truth": truth, "probabilities": probabilities, "rng": 3}
    named = ew.evaluate(**given, bookmaker="drunken")
    assert named.numbers["wealth"] == ew.evaluate(**given, bookmaker=Drunken(rng=3)).numbers["wealth"]
    assert named.provenance["bookmaker"] == repr(Drunken(rng=3))
    other = ew.evaluate(**given, bookmaker=Drunken(rng=4))
    assert named.numbers["wealth"] != other.numbers["wealth"]
    for wrong in ("sober", 3, ["B365H", "B365A"]):
        with pytest.raises(OptionError, match=r"'drunken' or a bookmaker of ew\.bet.*odds=…"):
            ew.evaluate(**given, bookmaker=wrong)
        with pytest.raises(OptionError, match=r"'drunken' or a bookmaker of ew\.bet"):
            ew.tally(truth=truth, probabilities=probabilities, bookmaker=wrong)
