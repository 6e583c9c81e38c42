"""Kelly's stakes: published numbers, an independent convex solver, identities."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bet.convex_solver import best_growth
from edgeworth.bet import (
    BookError,
    arbitrage,
    clipped_prices,
    factors_by_outcome,
    growth,
    kelly,
    kelly_game,
    wealth_after,
)

FIVE_ODDS = [5.5, 2.625, 3.25, 6, 21]
FIVE_CHANCES = [0.2, 0.4, 0.3, 0.08, 0.02]


def random_races(rng: np.random.Generator, kind: str, races: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Books of 2 to 6 outcomes: over-round, fair or under-round, some with ties, zeros and certainties."""
    rounds = {"over": (1.02, 1.3), "fair": (1.0, 1.0), "under": (0.8, 0.98)}[kind]
    drawn = []
    for number in range(races):
        outcomes = int(rng.integers(2, 7))
        p = rng.dirichlet(np.ones(outcomes))
        prices = rng.dirichlet(np.full(outcomes, 3.0))
        if number % 4 == 1:
            p = np.full(outcomes, 1 / outcomes)
            prices = np.round(prices * 8 + 1)
        if number % 4 == 2:
            p[0] = 0.0
        if number % 4 == 3:
            p = np.eye(outcomes)[1] if number % 8 == 3 else np.round(p * 8)
        p = p / p.sum() if p.sum() else np.full(outcomes, 1 / outcomes)
        prices = prices / prices.sum() * rng.uniform(*rounds)
        drawn.append((p, 1 / np.minimum(prices, 0.97)))
    return drawn


def test_five_runners() -> None:
    stakes = kelly(FIVE_CHANCES, FIVE_ODDS)
    assert (100 * stakes).round(4).tolist() == [5.9640, 10.5913, 6.2468, 0, 0]
    assert 1 - stakes.sum() == pytest.approx(0.7719794, abs=5e-8)
    assert stakes[3] == stakes[4] == 0.0


def test_three_outcomes_at_3() -> None:
    """In floats ¼ · 3 is just above the reserve of ¾: a tie, which is not to be backed."""
    p, odds = [0.5, 0.25, 0.25], [3, 3, 3]
    stakes = kelly(p, odds)
    assert stakes.tolist() == pytest.approx([0.25, 0, 0], abs=1e-15)
    assert growth(p, odds, stakes) == pytest.approx(0.05889152, abs=5e-9)


@pytest.mark.parametrize("kind", ["over", "fair", "under"])
def test_backing_grows_as_fast_as_a_convex_solver_finds(kind: str) -> None:
    for p, odds in random_races(np.random.default_rng(11), kind, 60):
        stakes = kelly(p, odds)
        assert (stakes >= 0).all()
        assert stakes.sum() <= 1 + 1e-12
        ours, theirs = float(growth(p, odds, stakes)), best_growth(p, odds)
        assert ours >= theirs - 1e-9, (p, odds)
        assert ours == pytest.approx(theirs, abs=1e-5), (p, odds)


def exact_backing(p: list[Fraction], odds: list[Fraction]) -> list[Fraction]:
    """Kelly's conditions tried on every set of outcomes, in fractions: p − R/O on S, p O ≤ R elsewhere."""
    everything = range(len(p))
    for size in range(len(p)):
        for backed in combinations(everything, size):
            room = 1 - sum(1 / odds[k] for k in backed)
            if room <= 0:
                continue
            kept = (1 - sum(p[k] for k in backed)) / room
            inside = all(p[k] * odds[k] > kept for k in backed)
            if inside and all(p[k] * odds[k] <= kept for k in everything if k not in backed):
                return [p[k] - kept / odds[k] if k in backed else Fraction(0) for k in everything]
    return p


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(1, 12)), min_size=2, max_size=5), st.integers(9, 14)
)
def test_backing_equals_the_conditions_in_fractions(pairs: list[tuple[int, int]], tenths: int) -> None:
    total, book = sum(a for a, _ in pairs), sum(b for _, b in pairs)
    if total == 0 or any(10 * book <= tenths * b for _, b in pairs):
        return
    p = [Fraction(a, total) for a, _ in pairs]
    odds = [Fraction(10 * book, tenths * b) for _, b in pairs]
    wanted = exact_backing(p, odds)
    stakes = kelly([float(v) for v in p], [float(v) for v in odds])
    if tenths == 10:  # a fair book: stakes are not unique, growth is
        after = wealth_after([float(v) for v in odds], stakes)
        np.testing.assert_allclose(after, [float(a * b) for a, b in zip(p, odds, strict=True)], atol=1e-12)
    else:
        np.testing.assert_allclose(stakes, [float(v) for v in wanted], atol=1e-12)


def test_under_round_books_take_everything_in_proportion() -> None:
    """Σ 1/O < 1: keeping cash is worse than backing all, and the best split is the forecast."""
    p, odds = [0.5, 0.3, 0.2], [3.0, 3.5, 4.0]
    assert arbitrage(odds) == "back every outcome"
    assert kelly(p, odds).tolist() == pytest.approx(p, abs=1e-15)
    assert growth(p, odds, p) > -math.log(sum(1 / o for o in odds)) > 0


@given(st.floats(0, 1), st.floats(1.001, 1000))
def test_one_game_at_one_price(p: float, odds: float) -> None:
    stake = float(kelly(p, odds))
    q = 1 / odds
    assert stake == pytest.approx((odds * p - 1) / (odds - 1), rel=1e-9, abs=1e-12)
    assert factors_by_outcome(p, odds).tolist() == pytest.approx([p / q, (1 - p) / (1 - q)], rel=1e-12)
    assert wealth_after(odds, stake).tolist() == pytest.approx([p / q, (1 - p) / (1 - q)], rel=1e-6, abs=1e-9)
    fair = factors_by_outcome(p, odds)
    assert q * fair[0] + (1 - q) * fair[1] == pytest.approx(1, abs=1e-12)


def test_one_game_grows_at_the_right_rate() -> None:
    """The growth has f(O − 1), not fO, in its first logarithm."""
    p, odds, stake = 0.6, 2.0, 0.2
    assert growth(p, odds, stake) == pytest.approx(0.6 * math.log(1.2) + 0.4 * math.log(0.8), abs=1e-15)
    around = [float(growth(p, odds, stake + step)) for step in (-0.01, 0.01)]
    assert max(around) < growth(p, odds, stake)


def test_the_edges_of_a_game() -> None:
    assert float(kelly(1, 3.0)) == 1.0
    assert float(kelly(0, 3.0)) == -0.5
    assert factors_by_outcome(1, 3.0).tolist() == [3.0, 0.0]
    assert factors_by_outcome(0, 3.0).tolist() == [0.0, 1.5]
    assert float(kelly(1 / 3, 3.0)) == 0.0
    assert growth(0.5, 3.0, 1.0) == -math.inf
    assert growth(1.0, 3.0, 1.0) == math.log(3)


def test_a_game_with_two_prices() -> None:
    assert kelly_game([0.6, 0.5, 0.4, 0.0], 1.95, lay=2.05).round(6).tolist() == [
        0.178947,
        0,
        -0.171429,
        -0.952381,
    ]
    assert kelly_game([0.6, 0.0], 1.95, lay=math.inf).round(6).tolist() == [0.178947, 0]
    assert factors_by_outcome(0.0, 1.95, lay=math.inf).tolist() == [1.0, 1.0]
    with pytest.raises(BookError, match=r"an arbitrage: 2\.1 is backed, 2 laid"):
        kelly(0.5, 2.1, lay=2.0)


def test_a_game_equals_a_race_of_two_on_a_fair_book() -> None:
    for p in (0.0, 0.1, 0.5, 0.9, 1.0):
        race = factors_by_outcome([p, 1 - p], [4.0, 4 / 3], lay=[4.0, 4 / 3])
        np.testing.assert_allclose(race, factors_by_outcome(p, 4.0), atol=1e-12)


def test_many_races_are_the_races_one_by_one() -> None:
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(4), 70_000)
    odds = 1 / np.minimum(rng.dirichlet(np.ones(4), 70_000) * 1.1, 0.95)
    stakes = kelly(p, odds)
    for row in (0, 1, 40_000, 69_999):
        np.testing.assert_array_equal(stakes[row], kelly(p[row], odds[row]))
    np.testing.assert_array_equal(kelly(p[:5], odds[0]), kelly(p[:5], np.tile(odds[0], (5, 1))))
    np.testing.assert_array_equal(kelly(p[0], odds[:5]), kelly(np.tile(p[0], (5, 1)), odds[:5]))
    np.testing.assert_allclose(wealth_after(odds, stakes), factors_by_outcome(p, odds), atol=1e-12)


@pytest.mark.parametrize("fraction", [0.0, 0.25, 0.5, 0.9])
def test_a_fraction_bets_as_if_the_forecast_were_a_mixture(fraction: float) -> None:
    """c of the stakes are the full stakes of c p + (1−c) q, and wealth stays above 1 − c."""
    rng = np.random.default_rng(6)
    back = 1 / (rng.dirichlet(np.full(3, 5.0), 50) * 1.06)
    back = np.maximum(back, 1.05)
    lay = back * 1.12
    p = rng.dirichlet(np.ones(3), 50)
    q = clipped_prices(p, back, lay)
    mixed = fraction * p + (1 - fraction) * q
    some = factors_by_outcome(p, back, lay=lay, fraction=fraction)
    np.testing.assert_allclose(some, factors_by_outcome(mixed, back, lay=lay), atol=1e-9)
    stakes = kelly(p, back, lay=lay, fraction=fraction)
    np.testing.assert_allclose(wealth_after(back, stakes, lay=lay), some, atol=1e-12)
    assert (some >= 1 - fraction - 1e-12).all()
    assert (factors_by_outcome(np.eye(3)[0], back, fraction=fraction) >= 1 - fraction - 1e-12).all()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30)), min_size=2, max_size=8))
def test_factors_average_to_one_under_fair_prices(pairs: list[tuple[int, int]]) -> None:
    """Σ q_k W_k = Σ p_k = 1: what makes wealth an e-value; backing only no more than 1 on any book."""
    total, book = sum(a for a, _ in pairs), sum(b for _, b in pairs)
    if total == 0:
        return
    p, q = np.array([a / total for a, _ in pairs]), np.array([b / book for _, b in pairs])
    odds = 1 / q
    assert q @ factors_by_outcome(p, odds, lay=odds) == pytest.approx(1, abs=1e-12)
    assert q @ factors_by_outcome(p, odds) == pytest.approx(1, abs=1e-11)
    over = 1 / np.minimum(q * 1.1, 0.99)
    assert q @ factors_by_outcome(p, over) <= 1 + 1e-12


def test_what_cannot_happen_ruins_when_it_does() -> None:
    odds = [2.0, 3.0, 6.0]
    assert factors_by_outcome([0.5, 0.5, 0.0], odds, lay=odds)[2] == 0.0
    assert factors_by_outcome([0.7, 0.3, 0.0], [1.7, 2.5, 90.0])[2] == 0.0
    assert growth([0.7, 0.3, 0.0], [1.7, 2.5, 90.0], [0.7, 0.3, 0.0]) > 0
    assert growth([0.6, 0.3, 0.1], [1.7, 2.5, 90.0], [0.7, 0.3, 0.0]) == -math.inf


def test_inputs_are_left_alone_and_the_shape_is_kept() -> None:
    p, odds = np.array([[0.5, 0.5]]), np.array([[2.5, 2.0]])
    assert kelly(p, odds).shape == (1, 2)
    assert kelly(p[0], odds[0]).shape == (2,)
    assert kelly(np.float64(0.5), np.array(2.5)).shape == ()
    assert kelly(np.empty((0, 2)), np.empty((0, 2))).shape == (0, 2)
    assert p.tolist() == [[0.5, 0.5]]
    assert odds.tolist() == [[2.5, 2.0]]
