"""Backing and laying with two prices: a convex solver, arbitrage by name, unlimited stakes tamed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bet.convex_solver import best_growth
from edgeworth.bet import (
    BookError,
    arbitrage,
    clipped_prices,
    factors_by_outcome,
    growth,
    kelly,
    wealth_after,
)
from edgeworth.bet.exchange import tied_up
from edgeworth.errors import InputError, OptionError


def books(rng: np.random.Generator, count: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Books with Σ 1/L ≤ 1 ≤ Σ 1/B: some with ties, zeros, certainties and outcomes that cannot be laid."""
    drawn = []
    for number in range(count):
        outcomes = int(rng.integers(2, 6))
        middle = rng.dirichlet(np.full(outcomes, 4.0))
        p = rng.dirichlet(np.ones(outcomes))
        high = np.minimum(middle * rng.uniform(1, 1.15, outcomes), 0.97)
        low = middle * rng.uniform(0.85, 1, outcomes)
        if number % 5 == 1:
            p[: outcomes // 2] = 0
        if number % 5 == 2:
            p = np.eye(outcomes)[0]
        if number % 5 == 3:
            p, middle = np.full(outcomes, 1.0), np.full(outcomes, 1 / outcomes)
            high, low = np.minimum(middle * 1.05, 0.97), middle * 0.95
        if number % 5 == 4:
            low[0] = 0
        p = p / p.sum()
        if low.sum() <= 1 <= high.sum():
            with np.errstate(divide="ignore"):
                drawn.append((p, 1 / high, 1 / low))
    return drawn


def test_two_prices_grow_as_fast_as_a_convex_solver_finds() -> None:
    tried = books(np.random.default_rng(21), 80)
    assert len(tried) > 50
    for p, back, lay in tried:
        stakes = kelly(p, back, lay=lay)
        ours, theirs = float(growth(p, back, stakes, lay=lay)), best_growth(p, back, lay)
        assert ours >= theirs - 1e-9, (p, back, lay)
        assert ours == pytest.approx(theirs, abs=1e-4), (p, back, lay)


def test_stakes_prices_and_factors_tell_one_story() -> None:
    for p, back, lay in books(np.random.default_rng(22), 300):
        q = clipped_prices(p, back, lay)
        stakes, after = kelly(p, back, lay=lay), factors_by_outcome(p, back, lay=lay)
        assert q.sum() == pytest.approx(1, abs=1e-12)
        assert (q >= 1 / lay - 1e-15).all()
        assert (q <= 1 / back + 1e-15).all()
        np.testing.assert_allclose(wealth_after(back, stakes, lay=lay), after, atol=1e-9)
        np.testing.assert_allclose(after * q, p, atol=1e-12)
        assert q @ after == pytest.approx(1, abs=1e-12)
        # λ, the cash, is what is left of the wealth; p/q is above it where backed, below where laid
        cash = 1 - stakes.sum()
        assert (after[stakes > 0] > cash - 1e-9).all()
        assert (after[stakes < 0] < cash + 1e-9).all()


def test_many_rows_are_the_rows_one_by_one() -> None:
    rng = np.random.default_rng(23)
    middle = rng.dirichlet(np.full(4, 4.0), 40_000)
    p = rng.dirichlet(np.ones(4), 40_000)
    back, lay = 1 / np.minimum(middle * 1.03, 0.99), 1 / (middle * 0.97)
    stakes = kelly(p, back, lay=lay)
    for row in (0, 32_767, 32_768, 39_999):
        np.testing.assert_array_equal(stakes[row], kelly(p[row], back[row], lay=lay[row]))
    assert np.abs(clipped_prices(p, back, lay).sum(axis=1) - 1).max() < 1e-12


def test_nothing_to_lay_is_backing_only() -> None:
    rng = np.random.default_rng(24)
    p = rng.dirichlet(np.ones(5), 500)
    odds = 1 / np.minimum(rng.dirichlet(np.full(5, 3.0), 500) * 1.1, 0.97)
    odds = odds[(1 / odds).sum(axis=1) > 1]
    p = p[: len(odds)]
    never = np.full(5, math.inf)
    np.testing.assert_allclose(kelly(p, odds, lay=never), kelly(p, odds), atol=1e-12)
    np.testing.assert_allclose(
        factors_by_outcome(p, odds, lay=never), factors_by_outcome(p, odds), atol=1e-12
    )


def test_one_price_on_a_fair_book_stakes_the_difference() -> None:
    """Wealth is p/q; the stakes are not unique, and ours are p − q."""
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.25, 0.5, 0.25])
    np.testing.assert_allclose(kelly(p, 1 / q, lay=1 / q), p - q, atol=1e-15)
    np.testing.assert_allclose(factors_by_outcome(p, 1 / q, lay=1 / q), p / q, rtol=1e-15)
    np.testing.assert_allclose(clipped_prices(p, 1 / q, 1 / q), q, rtol=1e-15)
    backing = kelly(p, 1 / q)
    assert growth(p, 1 / q, backing) == pytest.approx(float(p @ np.log(p / q)), abs=1e-12)


def test_arbitrage_has_a_name_and_a_row() -> None:
    p = [[0.5, 0.5]] * 2
    with pytest.raises(BookError, match=r"backing every outcome is an arbitrage in row 2: .* add up to 0\.8"):
        kelly(p, [[2, 2], [2.5, 2.5]], lay=[[2, 2], [3, 3]])
    with pytest.raises(BookError, match=r"laying every outcome is an arbitrage in row 1: .* add up to 1\.25"):
        clipped_prices(p, [[1.5, 1.5], [2, 2]], [[1.6, 1.6], [2, 2]])
    with pytest.raises(BookError, match=r"2\.2 in row 1, column 2 is backed, 2\.1 in row 1, column 2 laid"):
        kelly([0.5, 0.5], [2, 2.2], lay=[2, 2.1])
    with pytest.raises(BookError, match="laying every outcome"):  # 1 and 2 laid for nothing, 3 a gift
        kelly([0.4, 0.4, 0.2], [1.9, 1.9, 50], lay=[2, 2, math.inf])
    assert arbitrage([[2, 2], [2.5, 2.5]], lay=[[2, 2], [3, 3]]) == ["none", "back every outcome"]
    assert arbitrage([2, 2.2], lay=[2, 2.1]) == "back and lay"
    with pytest.raises(InputError, match="a book is"):
        arbitrage(2.0)
    assert issubclass(BookError, InputError)


def test_an_unbalanced_book_is_normalised_on_request() -> None:
    p, odds = np.array([0.5, 0.3, 0.2]), np.array([2.5, 2.2, 5.0])
    shares = (1 / odds) / (1 / odds).sum()
    with pytest.raises(BookError, match="unbalanced='normalise'"):
        kelly(p, odds, lay=odds)
    np.testing.assert_allclose(kelly(p, odds, lay=odds, unbalanced="normalise"), p - shares, atol=1e-14)
    np.testing.assert_allclose(
        factors_by_outcome(p, odds, lay=odds, unbalanced="normalise"), p / shares, rtol=1e-12
    )
    two = kelly(p, odds * 1.5, lay=odds * 1.7, unbalanced="normalise")
    assert np.isfinite(two).all()
    with pytest.raises(OptionError, match="unbalanced is one of refuse, normalise, cap; saw 'ignore'"):
        kelly(p, odds, lay=odds, unbalanced="ignore")


@pytest.mark.slow
@pytest.mark.parametrize("total", [0.8, 0.95, 1.0, 1.1, 1.4])
def test_capped_stakes_are_the_best_within_the_wealth(total: float) -> None:
    rng = np.random.default_rng(25)
    for number in range(20):
        outcomes = int(rng.integers(2, 6))
        p = rng.dirichlet(np.ones(outcomes))
        if number % 4 == 1:
            p[0] = 0
            p /= p.sum()
        if number % 4 == 2:
            p = np.full(outcomes, 1 / outcomes)
        odds = 1 / np.minimum(rng.dirichlet(np.full(outcomes, 5.0)) * total, 0.95)
        lay = odds * (1.0 if number % 2 else 1.03)
        stakes = kelly(p, odds, lay=lay, unbalanced="cap")
        assert float(tied_up(stakes[None], lay[None])[0]) <= 1 + 1e-9
        after = factors_by_outcome(p, odds, lay=lay, unbalanced="cap")
        np.testing.assert_allclose(wealth_after(odds, stakes, lay=lay), after, atol=1e-9)
        ours = float(growth(p, odds, stakes, lay=lay))
        theirs = best_growth(p, odds, lay, collateral=True)
        assert ours >= theirs - 1e-8, (p, odds, lay)
        assert ours == pytest.approx(theirs, abs=1e-5), (p, odds, lay)


def test_many_capped_races_are_the_races_one_by_one() -> None:
    rng = np.random.default_rng(26)
    p = rng.dirichlet(np.ones(4), 1500)
    p[::7, 0] = 0
    p /= p.sum(axis=1, keepdims=True)
    odds = 1 / np.minimum(rng.dirichlet(np.full(4, 5.0), 1500) * 1.1, 0.95)
    lay = np.where(rng.random(odds.shape) < 0.1, math.inf, odds * 1.01)
    stakes = kelly(p, odds, lay=lay, unbalanced="cap")
    for row in (0, 7, 500, 999, 1000, 1499):
        alone = kelly(p[row], odds[row], lay=lay[row], unbalanced="cap")
        np.testing.assert_allclose(stakes[row], alone, atol=1e-12)
    assert tied_up(stakes, lay).max() <= 1 + 1e-9
