"""Wealth against fractions, plain loops, all outcomes of small games, and the published numbers."""

from __future__ import annotations

import functools
import itertools
import json
import math
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.bet import Drunken, Market
from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.forecasts.betting import path as wealth_blocks
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.sample import sample_file

HALF = [0.5, 0.5, 0.5]
FORECASTS = [0.6, 0.3, 0.8]

TWO = ["1/2", "1/4", "7/8", "2/3", "9/10", "1/10"]
TWO_RIVAL = ["1/3", "1/2", "3/4", "1/5", "1/2", "3/10"]
THREE = [("1/2", "1/4", "1/4"), ("1/10", "7/10", "1/5"), ("1/3", "1/3", "1/3"), ("1/20", "1/20", "9/10")]
THREE_RIVAL = [("1/3", "1/3", "1/3"), ("1/5", "2/5", "2/5"), ("1/2", "3/8", "1/8"), ("1/4", "1/4", "1/2")]
THREE_ODDS = [("3", "3", "3"), ("9/2", "3/2", "5"), ("2", "7/2", "4"), ("10", "4", "6/5")]
"""None of these books adds up to less than 1, so that backing is no arbitrage."""

Shares = list[list[Fraction]]


def pairs(column: Sequence[str]) -> Shares:
    return [[1 - Fraction(share), Fraction(share)] for share in column]


def rows(table: Sequence[Sequence[str]]) -> Shares:
    return [[Fraction(share) for share in row] for row in table]


def floats(shares: Shares) -> np.ndarray:
    return np.array([[float(share) for share in row] for row in shares])


def fair_factors(p: Shares, q: Shares) -> Shares:
    return [[a / b for a, b in zip(mine, its, strict=True)] for mine, its in zip(p, q, strict=True)]


def backing_factors(p: list[Fraction], odds: list[Fraction]) -> list[Fraction]:
    """Kelly's wealth after each outcome by trying every set of outcomes that may be backed."""
    best, result = -math.inf, [Fraction(1)] * len(p)
    for number in range(len(p)):
        for backed in itertools.combinations(range(len(p)), number):
            price = sum((1 / odds[k] for k in backed), Fraction(0))
            if price >= 1:
                continue
            kept = (1 - sum((p[k] for k in backed), Fraction(0))) / (1 - price)
            if any(p[k] < kept / odds[k] for k in backed) or (backed and kept < 0):
                continue
            factors = [p[k] * odds[k] if k in backed else kept for k in range(len(p))]
            growth = sum(
                float(a) * (math.log(b) if b else -math.inf) for a, b in zip(p, factors, strict=True) if a
            )
            if growth > best:
                best, result = growth, factors
    return result


def at_stake(factors: Shares, stake: Fraction) -> Shares:
    return [[1 - stake + stake * factor for factor in row] for row in factors]


def assert_wealth(wealth: Wealth, truth: Sequence[int], factors: Shares) -> None:
    exact = Fraction(1)
    for index, outcome in enumerate(truth):
        exact *= factors[index][outcome]
        assert math.exp(wealth.path[index]) == pytest.approx(float(exact), rel=1e-12)
    assert wealth.wealth == pytest.approx(float(exact), rel=1e-12)
    assert wealth.cases == len(truth)


def plain(logs: Sequence[float]) -> tuple[list[float], float, float, float]:
    """Path, highest, lowest and largest fall, one case after the other; nothing follows ruin."""
    now = top = bottom = fall = 0.0
    path = []
    for step in logs:
        if now > -math.inf:
            now = -math.inf if step == -math.inf else now + step
        path.append(now)
        top, bottom = max(top, now), min(bottom, now)
        fall = max(fall, 0.0 if top == now else top - now)
    return path, top, bottom, fall


def realised(truth: Any, p: np.ndarray, q: np.ndarray) -> list[float]:
    with np.errstate(divide="ignore"):
        logs = np.log(np.where(truth, p, 1 - p)) - np.log(np.where(truth, q, 1 - q))
    return [float(x) for x in logs]


# -- what a stake becomes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("stake", ["1", "1/2", "1/4", "0"])
@pytest.mark.parametrize(
    ("p", "q", "classes"), [(pairs(TWO), pairs(TWO_RIVAL), 2), (rows(THREE), rows(THREE_RIVAL), 3)]
)
def test_wealth_against_a_rival_is_the_product_of_fractions(
    p: Shares, q: Shares, classes: int, stake: str
) -> None:
    factors = at_stake(fair_factors(p, q), Fraction(stake))
    for truth in itertools.islice(itertools.product(range(classes), repeat=len(p)), 0, None, 5):
        wealth = Wealth.from_probabilities(
            list(truth), floats(p), against=floats(q), fraction=float(Fraction(stake)), labels=range(classes)
        )
        assert_wealth(wealth, truth, factors)


@pytest.mark.parametrize("stake", ["1", "1/2", "0"])
def test_wealth_at_odds_that_are_only_backed(stake: str) -> None:
    p, odds = rows(THREE), rows(THREE_ODDS)
    factors = at_stake([backing_factors(*race) for race in zip(p, odds, strict=True)], Fraction(stake))
    for truth in itertools.product(range(3), repeat=len(p)):
        wealth = Wealth.from_probabilities(
            list(truth), floats(p), odds=floats(odds), fraction=float(Fraction(stake)), labels=range(3)
        )
        assert_wealth(wealth, truth, factors)
        assert wealth.book == "backing"


def test_wealth_at_two_odds_with_a_margin() -> None:
    p = pairs(TWO)
    odds = [[Fraction(19, 10), Fraction(19, 10)], [Fraction(6, 5), Fraction(4)]] * 3
    factors = [backing_factors(*race) for race in zip(p, odds, strict=True)]
    truth = [1, 0, 0, 1, 1, 0]
    wealth = Wealth.from_probabilities(truth, floats(p)[:, 1], odds=floats(odds))
    assert_wealth(wealth, truth, factors)


@given(data=st.data(), classes=st.integers(2, 4), cases=st.integers(1, 12))
def test_against_fair_odds_on_both_sides_wealth_is_the_likelihood_ratio(
    data: st.DataObject, classes: int, cases: int
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    p, q = (rng.dirichlet(np.ones(classes), cases) for _ in range(2))
    truth = rng.integers(0, classes, cases)
    ratio = sum(math.log(p[i, k]) - math.log(q[i, k]) for i, k in enumerate(truth))
    named: dict[str, Any] = {"labels": range(classes)}
    market = Market(1 / q, lay=1 / q)
    results = [
        Wealth.from_probabilities(truth, p, **book, **named)
        for book in ({"bookmaker": market}, {"against": q})
    ]
    for wealth in results:
        assert wealth.log_wealth == pytest.approx(ratio, rel=1e-12, abs=1e-12)
        assert wealth.book == "fair"


def test_one_column_is_the_positive_class() -> None:
    one = Wealth.from_probabilities(["no", "yes"], [0.2, 0.7], against=[0.5, 0.5])
    two = Wealth.from_probabilities(
        ["no", "yes"], [[0.8, 0.2], [0.3, 0.7]], against=np.full((2, 2), 0.5), labels=["no", "yes"]
    )
    assert one.wealth == pytest.approx(0.8 * 0.7 * 4, rel=1e-15)
    assert one.path.tolist() == two.path.tolist()
    other = Wealth.from_probabilities(["no", "yes"], [0.2, 0.7], against=[0.5, 0.5], positive="no")
    assert other.wealth == pytest.approx(0.2 * 0.3 * 4, rel=1e-15)


# -- what it proves, by all outcomes -----------------------------------------------------------------------


def every_path(p: Shares, true: Shares, classes: int, **options: Any) -> list[tuple[Fraction, Wealth]]:
    """The probability of every sequence of outcomes, and the wealth it makes."""
    results = []
    for truth in itertools.product(range(classes), repeat=len(p)):
        chance = math.prod((true[i][k] for i, k in enumerate(truth)), start=Fraction(1))
        options |= {"labels": range(classes), "ordered": True}
        results.append((chance, Wealth.from_probabilities(list(truth), floats(p), **options)))
    assert sum(chance for chance, _ in results) == 1
    return results


def assert_ville(maxima: list[tuple[Fraction, float]]) -> None:
    """P(max W >= 1/alpha) <= alpha, for every alpha at which the left side jumps."""
    for _, level in maxima:
        reached = sum((chance for chance, top in maxima if top >= level - 1e-12), Fraction(0))
        assert float(reached) <= math.exp(-level) * (1 + 1e-9)


@pytest.mark.parametrize("stake", [1.0, 0.5])
@pytest.mark.parametrize(
    ("p", "q", "classes"), [(pairs(TWO), pairs(TWO_RIVAL), 2), (rows(THREE), rows(THREE_RIVAL), 3)]
)
def test_a_fair_game_has_mean_one_and_ville_holds(p: Shares, q: Shares, classes: int, stake: float) -> None:
    result = every_path(p, q, classes, against=floats(q), fraction=stake)
    assert sum(float(chance) * wealth.wealth for chance, wealth in result) == pytest.approx(1, rel=1e-12)
    mixed = sum(float(chance) * math.exp(wealth.mixture_path[-1]) for chance, wealth in result)
    assert mixed == pytest.approx(1, rel=1e-12)
    assert_ville([(chance, wealth.log_maximum) for chance, wealth in result])
    assert_ville([(chance, max(0.0, float(wealth.mixture_path.max()))) for chance, wealth in result])


def test_the_reverse_game_is_fair_if_the_model_is_right() -> None:
    p, q = pairs(TWO), pairs(TWO_RIVAL)
    result = every_path(p, p, 2, against=floats(q))
    assert sum(float(chance) / wealth.wealth for chance, wealth in result) == pytest.approx(1, rel=1e-12)
    assert_ville([(chance, -wealth.log_minimum) for chance, wealth in result])


def test_wealth_over_its_expected_growth_is_a_martingale_if_the_model_is_right() -> None:
    p, q = pairs(TWO), pairs(TWO_RIVAL)
    result = every_path(p, p, 2, against=floats(q))
    mean = sum(float(chance) * np.exp(wealth.martingale) for chance, wealth in result)
    np.testing.assert_allclose(mean, np.ones(6), rtol=1e-12)
    assert_ville([(chance, max(0.0, float(wealth.martingale.max()))) for chance, wealth in result])


@pytest.mark.parametrize("bet", ["henzi_brier", "henzi_log"])
@pytest.mark.parametrize("true", ["the rival's", "as good"])
def test_bets_on_scores_are_no_better_than_fair(bet: str, true: str) -> None:
    p, q = pairs(TWO), pairs(TWO_RIVAL)
    # With the mean of the two as the truth their Brier scores are alike.
    between = [[(a + b) / 2 for a, b in zip(*pair, strict=True)] for pair in zip(p, q, strict=True)]
    pi = q if true == "the rival's" or bet == "henzi_log" else between
    result = every_path(p, pi, 2, against=floats(q))
    mean = sum(float(chance) * math.exp(wealth.bet_path(bet)[-1]) for chance, wealth in result)
    assert mean <= 1 + 1e-12
    if pi is between:
        assert mean == pytest.approx(1, rel=1e-12)
    assert_ville([(chance, max(0.0, float(wealth.bet_path(bet).max()))) for chance, wealth in result])


@pytest.mark.parametrize("rule", ["in proportion", "the last takes the margin"])
def test_backing_gains_nothing_if_no_outcome_is_likelier_than_its_price(rule: str) -> None:
    p, odds = rows(THREE), rows(THREE_ODDS)
    true = []
    for race in odds:
        prices = [1 / price for price in race]
        over = sum(prices) - 1
        shares = [price / (1 + over) for price in prices]
        if rule != "in proportion" and prices[-1] >= over:
            shares = [*prices[:-1], prices[-1] - over]
        assert all(share <= price for share, price in zip(shares, prices, strict=True))
        true.append(shares)
    result = every_path(p, true, 3, odds=floats(odds))
    assert sum(float(chance) * wealth.wealth for chance, wealth in result) <= 1 + 1e-12
    assert_ville([(chance, wealth.log_maximum) for chance, wealth in result])


def test_the_prices_of_an_exchange_with_a_spread_are_ones_at_which_nothing_is_gained() -> None:
    """Back prices divided by their sum can fall below what is laid, and then the game is no longer fair."""
    p = rows([("1/2", "1/2"), ("2/5", "3/5")])
    back, lay = [[1.5, 2.5]] * 2, [[1.55, 3.5]] * 2
    options: dict[str, Any] = {"bookmaker": Market(back, lay=lay), "labels": range(2)}
    results = [
        (truth, Wealth.from_probabilities(list(truth), floats(p), **options))
        for truth in itertools.product(range(2), repeat=2)
    ]
    games = results[0][1].games
    assert games is not None
    # Both races have the same prices, so the order of the games does not matter.
    prices = games.prices[0].tolist()
    mean = sum(math.prod(prices[k] for k in truth) * wealth.wealth for truth, wealth in results)
    assert mean <= 1 + 1e-12


# -- published numbers -------------------------------------------------------------------------------------


def test_three_games_at_even_odds() -> None:
    wealth = Wealth.from_probabilities([1, 0, 1], FORECASTS, against=HALF)
    assert wealth.wealth == pytest.approx(0.6 * 0.7 * 0.8 * 8, rel=1e-14)
    assert wealth.sums("model_mean").sum() == pytest.approx(0.2951631491, abs=5e-11)
    assert wealth.sums("model_variance").sum() == pytest.approx(0.4977082673, abs=5e-11)
    assert math.exp(wealth.sums("model_log_growth").sum()) == pytest.approx(1.640704, abs=5e-7)
    assert wealth.sums("price_mean").sum() == pytest.approx(-0.3307312421, abs=5e-11)
    assert wealth.sums("price_variance").sum() == pytest.approx(0.7010319184, abs=5e-11)


def test_wealth_is_the_product_of_ratios() -> None:
    for classes in (2, 3):
        rng = np.random.default_rng(classes)
        p, q = (rng.dirichlet(np.ones(classes), 500) for _ in range(2))
        truth = rng.integers(0, classes, 500)
        wealth = Wealth.from_probabilities(truth, p, against=q, labels=range(classes))
        ratios = p[range(500), truth] / q[range(500), truth]
        assert wealth.log_wealth == pytest.approx(np.log(ratios).sum(), rel=1e-12)
        np.testing.assert_allclose(wealth.returns, ratios, rtol=1e-12)


def test_moments_depend_on_the_forecasts_and_not_on_what_happened() -> None:
    p, q = floats(pairs(TWO))[:, 1], floats(pairs(TWO_RIVAL))[:, 1]
    logits = np.log(p / (1 - p)) - np.log(q / (1 - q))
    for truth in ([0] * 6, [1] * 6, [0, 1, 1, 0, 1, 0]):
        wealth = Wealth.from_probabilities(truth, p, against=q)
        np.testing.assert_allclose(wealth.sums("model_variance"), p * (1 - p) * logits**2, rtol=1e-9)
        np.testing.assert_allclose(wealth.sums("price_variance"), q * (1 - q) * logits**2, rtol=1e-9)


def test_birth_weights_leave_one_out() -> None:
    with sample_file() as path:
        table = np.genfromtxt(path, delimiter=",", names=True)
    options: dict[str, Any] = {"predictions_made": "cross-validated"}
    wealth = Wealth.from_probabilities(
        table["low"].astype(int), table["larger_probability"], against=table["smaller_probability"], **options
    )
    assert wealth.cases == 189
    assert wealth.log_wealth == pytest.approx(5.323494, abs=1e-6)
    assert wealth.sums("log").sum() == pytest.approx(113.740246 - 108.416752, abs=2e-6)


# -- the edges ---------------------------------------------------------------------------------------------


def test_ruin_absorbs() -> None:
    wealth = Wealth.from_probabilities([1, 1, 1, 0], [0.9, 0.0, 0.9, 0.5], against=[0.5, 0.5, 0.5, 1.0])
    assert wealth.path.tolist() == [pytest.approx(math.log(1.8)), -math.inf, -math.inf, -math.inf]
    assert (wealth.log_wealth, wealth.wealth) == (-math.inf, 0.0)
    assert wealth.log_maximum == pytest.approx(math.log(1.8))
    assert (wealth.log_minimum, wealth.drawdown) == (-math.inf, math.inf)


def test_what_the_rival_ruled_out_pays_without_bound() -> None:
    wealth = Wealth.from_probabilities([1, 1, 0], [0.5, 0.4, 0.4], against=[0.5, 0.0, 0.2])
    assert wealth.path.tolist() == [0.0, math.inf, math.inf]
    assert (wealth.wealth, wealth.log_maximum, wealth.log_minimum) == (math.inf, math.inf, 0.0)
    ruined = Wealth.from_probabilities([1, 1], [0.5, 0.0], against=[0.0, 0.5])
    assert (ruined.log_wealth, ruined.log_maximum) == (-math.inf, math.inf)


def test_a_fraction_of_the_stake_is_never_ruined() -> None:
    wealth = Wealth.from_probabilities([1, 1], [0.9, 0.0], against=[0.5, 0.5], fraction=0.5)
    assert wealth.wealth == pytest.approx(1.4 * 0.5, rel=1e-14)


@pytest.mark.parametrize("stake", [1.0, 0.5])
def test_what_both_ruled_out_cannot_be_settled(stake: float) -> None:
    with pytest.raises(InputError, match="row 2"):
        Wealth.from_probabilities([1, 1, 0], [0.5, 0.0, 0.5], against=[0.5, 0.0, 0.5], fraction=stake)
    with pytest.raises(InputError, match="row 3"):
        Wealth.from_probabilities(
            [0, 1, 2], [[0.5, 0.5, 0.0]] * 3, against=[[0.4, 0.6, 0.0]] * 3, fraction=stake
        )


def test_what_both_ruled_out_and_did_not_happen_changes_nothing() -> None:
    with_it = Wealth.from_probabilities(
        [0, 1], [[0.5, 0.5, 0.0]] * 2, against=[[0.4, 0.6, 0.0]] * 2, labels=[0, 1, 2]
    )
    without = Wealth.from_probabilities([0, 1], [[0.5, 0.5]] * 2, against=[[0.4, 0.6]] * 2)
    assert with_it.path.tolist() == without.path.tolist()
    for name in ("model_mean", "model_variance", "price_mean", "price_variance"):
        np.testing.assert_allclose(with_it.sums(name), without.sums(name), rtol=1e-12)


@pytest.mark.parametrize(
    "options",
    [{}, {"against": HALF, "odds": [2.0, 2.0]}, {"against": HALF, "bookmaker": Drunken()}],
)
def test_one_must_bet_against_someone(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="pass one of against="):
        Wealth.from_probabilities([1, 0, 1], FORECASTS, **options)


@pytest.mark.parametrize(
    ("p", "options", "message"),
    [
        ([0.5, 1.5, 0.5], {"against": HALF}, "row 2"),
        ([0.5, 0.5, -0.1], {"against": HALF}, "row 3"),
        ([0.5, math.nan, 0.5], {"against": HALF}, "row 2"),
        (FORECASTS, {"against": [0.5, 0.5, 2.0]}, "the rival's probabilities.*row 3"),
        (FORECASTS, {"against": [0.5, 0.5]}, "rows"),
        (FORECASTS, {"odds": [[2.0, 2.0], [1.0, 3.0], [2.0, 2.0]]}, "above 1"),
        (FORECASTS, {"odds": [[2.0, 2.0, 2.0]] * 3}, "odds need a column"),
        (FORECASTS, {"against": np.full((3, 3), 1 / 3)}, "."),
        ([[0.5, 0.5], [0.5, 0.4], [0.5, 0.5]], {"against": np.full((3, 2), 0.5)}, "row 2 add up to 0.9"),
    ],
)
def test_bad_numbers_are_refused(p: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Wealth.from_probabilities([1, 0, 1], p, **options)


@pytest.mark.parametrize(
    "options", [{"fraction": 1.5}, {"fraction": -0.1}, {"fraction": math.nan}, {"predictions_made": "after"}]
)
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises((OptionError, InputError)):
        Wealth.from_probabilities([1, 0, 1], FORECASTS, against=HALF, **options)


# -- the way, and shards of it -----------------------------------------------------------------------------


def shards_of(truth: Any, p: Any, q: Any, cuts: list[tuple[int, int]]) -> list[Wealth]:
    return [
        Wealth.from_probabilities(truth[a:b], p[a:b], against=q[a:b], labels=[0, 1], first=a, ordered=True)
        for a, b in cuts
        if b > a
    ]


def assert_same(left: Wealth, right: Wealth) -> None:
    assert left._terms == right._terms
    assert left.blocks.starts.tolist() == right.blocks.starts.tolist()
    assert left.blocks.ends.tolist() == right.blocks.ends.tolist()
    for name in ("logs", "fractions", "sums", "top", "bottom", "drawdown"):
        mine, its = getattr(left.blocks, name), getattr(right.blocks, name)
        np.testing.assert_allclose(mine, its, rtol=1e-12, atol=1e-12, err_msg=name)
    assert (left.games is None) == (right.games is None)
    if left.games is not None and right.games is not None:
        for name in ("probabilities", "prices", "log_factors", "counts"):
            np.testing.assert_array_equal(getattr(left.games, name), getattr(right.games, name))


@given(
    cases=st.lists(
        st.tuples(
            st.integers(0, 1),
            st.sampled_from([0.0, 0.1, 0.5, 0.75, 1.0]),
            st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]),
        ).filter(lambda case: not (case[1] == case[2] == 1 - case[0])),
        min_size=1,
        max_size=30,
    ),
    most=st.sampled_from([1, 3, 4096]),
    places=st.lists(st.integers(0, 30), max_size=5),
    random=st.randoms(use_true_random=False),
)
def test_shards_in_any_order_equal_the_whole_and_the_loop(
    cases: list[tuple[int, float, float]], most: int, places: list[int], random: Any
) -> None:
    truth, p, q = (np.array(column) for column in zip(*cases, strict=True))
    edges = [0, *sorted(index % (len(cases) + 1) for index in places), len(cases)]
    cuts = list(itertools.pairwise(edges))
    random.shuffle(cuts)
    with mock.patch.object(wealth_blocks, "MAX_BLOCKS", most):
        whole = Wealth.from_probabilities(truth, p, against=q, labels=[0, 1], ordered=True)
        merged = functools.reduce(operator.add, shards_of(truth, p, q, cuts), Wealth.empty())
    assert_same(merged, whole)
    path, top, bottom, fall = plain(realised(truth, p, q))
    assert whole.positions.tolist() == whole.blocks.ends.tolist()
    np.testing.assert_allclose(whole.path, np.array(path)[whole.positions - 1], rtol=1e-12, atol=1e-12)
    results = [whole.log_maximum, whole.log_minimum, whole.drawdown]
    np.testing.assert_allclose(results, [top, bottom, fall], rtol=1e-12, atol=1e-12)


def random_cases(number: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p, q = rng.uniform(0.05, 0.95, (2, number))
    return (rng.random(number) < (p + q) / 2).astype(int), p, q


def test_twenty_thousand_cases_are_coarse_and_exact() -> None:
    truth, p, q = random_cases(20_000, 5)
    whole = Wealth.from_probabilities(truth, p, against=q, labels=[0, 1], ordered=True)
    path, top, bottom, fall = plain(realised(truth, p, q))
    assert whole.positions.tolist() == list(range(8, 20_001, 8))
    np.testing.assert_allclose(whole.path, np.array(path)[7::8], rtol=0, atol=1e-9)
    # A maximum within a block is found as well.
    assert top > max(path[7::8])
    assert whole.log_maximum == pytest.approx(top, abs=1e-9)
    assert whole.log_minimum == pytest.approx(bottom, abs=1e-9)
    assert whole.drawdown == pytest.approx(fall, abs=1e-9)
    cuts = [(11_111, 20_000), (0, 1), (7, 11_111), (1, 7)]
    merged = functools.reduce(operator.add, shards_of(truth, p, q, cuts))
    np.testing.assert_allclose(merged.path, whole.path, rtol=0, atol=1e-9)
    assert merged.log_maximum == pytest.approx(top, abs=1e-9)
    assert merged.cases == 20_000


def test_a_million_cases_are_few_blocks() -> None:
    truth, p, q = random_cases(10**6, 6)
    whole = Wealth.from_probabilities(truth, p, against=q, labels=[0, 1])
    assert whole.blocks.number <= 4096
    assert whole.cases == 10**6
    assert whole.games is None
    assert whole.log_wealth == pytest.approx(math.fsum(realised(truth, p, q)), rel=1e-9, abs=1e-6)


def test_the_maximum_is_no_less_than_the_end() -> None:
    """Both are sums of floats; if they round differently the evidence contradicts itself."""
    rng = np.random.default_rng(0)
    for number in (9, 20, 100, 1000):
        for _ in range(20):
            truth = rng.integers(0, 2, number)
            p = np.where(truth == 1, rng.uniform(0.5, 1, number), rng.uniform(0, 0.5, number))
            gaining = Wealth.from_probabilities(truth, p, against=np.full(number, 0.5), labels=[0, 1])
            assert gaining.log_maximum >= gaining.log_wealth
            losing = Wealth.from_probabilities(truth, 1 - p, against=np.full(number, 0.5), labels=[0, 1])
            assert losing.log_minimum <= losing.log_wealth


def test_a_gap_is_kept_and_an_overlap_refused() -> None:
    truth, p, q = random_cases(10, 7)
    early, late, middle = shards_of(truth, p, q, [(0, 3), (6, 10), (3, 6)])
    apart = late + early
    assert apart.cases == 7
    assert apart.positions.tolist() == list(range(1, 8))
    assert apart.blocks.starts.tolist() == [0, 1, 2, 6, 7, 8, 9]
    assert (apart + middle).blocks.starts.tolist() == list(range(10))
    for one, two in ((apart, early), (early, early), (late, apart)):
        with pytest.raises(MergeError, match="position"):
            one + two


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"fraction": 0.5}, "fraction"),
        ({"ordered": True}, "ordered"),
        ({"predictions_made": "in-sample"}, "predictions_made"),
        ({"labels": [1, 0]}, "labels"),
        ({"against": None, "odds": [[2.0, 2.0]] * 3}, "against"),
    ],
)
def test_unequal_terms_are_refused(changed: dict[str, Any], message: str) -> None:
    terms: dict[str, Any] = {"against": HALF, "labels": [0, 1]}
    first = Wealth.from_probabilities([1, 0, 1], FORECASTS, **terms)
    second = Wealth.from_probabilities([1, 0, 1], FORECASTS, first=3, **(terms | changed))
    with pytest.raises(MergeError, match=message):
        first + second


def test_a_drunken_bookmaker_is_as_drunk_in_shards() -> None:
    """The prices of a case depend on the seed and on its position, not on how the cases were cut."""
    truth, p, _ = random_cases(8, 8)
    options: dict[str, Any] = {"bookmaker": Drunken(rng=1), "labels": [0, 1]}
    whole = Wealth.from_probabilities(truth, p, **options)
    one = Wealth.from_probabilities(truth[:3], p[:3], **options)
    two = Wealth.from_probabilities(truth[3:], p[3:], first=3, **options)
    np.testing.assert_allclose((one + two).path, whole.path, rtol=1e-12)


def test_nothing() -> None:
    nothing = Wealth.empty()
    assert (nothing.cases, nothing.wealth, nothing.log_maximum, nothing.drawdown) == (0, 1.0, 0.0, 0.0)
    some = Wealth.from_probabilities([1, 0, 1], FORECASTS, against=HALF)
    assert_same(nothing + some, some)
    assert_same(some + nothing, some)


@pytest.mark.parametrize("most", [1, 4096])
@pytest.mark.parametrize(
    ("truth", "p", "q"),
    [
        ([1, 0, 1], FORECASTS, HALF),
        ([1, 1, 1], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]),
        ([0, 1], [[0.5, 0.5, 0.0]] * 2, [[0.4, 0.6, 0.0]] * 2),
    ],
)
def test_plain_values_come_back_through_json(truth: Any, p: Any, q: Any, most: int) -> None:
    labels = range(3 if isinstance(p[0], list) else 2)
    with mock.patch.object(wealth_blocks, "MAX_BLOCKS", most):
        wealth = Wealth.from_probabilities(truth, p, against=q, labels=labels)
    assert_same(Wealth.from_dict(json.loads(json.dumps(wealth.to_dict(), allow_nan=False))), wealth)
