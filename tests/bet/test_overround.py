"""The overround of odds: published numbers, and each method in its own model."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from scipy.optimize import brentq

from edgeworth.bet.overround import remove_overround
from edgeworth.common.choices import OverroundMethod

PUBLISHED: tuple[tuple[list[float], OverroundMethod, list[float], float], ...] = (
    ([2.6, 2.4, 4.3], "multiplicative", [0.372026, 0.403028, 0.224946], 5e-7),
    ([2.6, 2.4, 4.3], "power", [0.372984, 0.405107, 0.221908], 5e-7),
    # The README of the Python package shin (M. Berk), for three outcomes and for two.
    ([2.6, 2.4, 4.3], "shin", [0.37299406033208965, 0.4047794109200184, 0.2222265287474275], 1e-9),
    ([1.5, 2.74], "shin", [0.6508515815085157, 0.3491484184914841], 1e-12),
    # The page on implied odds in the documentation of the Python package penaltyblog (M. Eastwood).
    ([2.7, 2.3, 4.4], "multiplicative", [0.35873804, 0.42112726, 0.2201347], 5e-9),
    ([2.7, 2.3, 4.4], "power", [0.3591711, 0.42373075, 0.21709815], 5e-9),
    ([2.7, 2.3, 4.4], "shin", [0.35934392, 0.42324385, 0.21741223], 5e-9),
)
"""Odds, method, published probabilities, and how far their last digit reaches."""


@pytest.mark.parametrize(("odds", "method", "expected", "digits"), PUBLISHED)
def test_published_probabilities(
    odds: list[float], method: OverroundMethod, expected: list[float], digits: float
) -> None:
    np.testing.assert_allclose(remove_overround(odds, method), expected, rtol=0, atol=digits)


def shin_prices(probabilities: np.ndarray, share: float) -> np.ndarray:
    """Shin's model the other way: π = √(z p + (1 − z) p²) Σ √(z p + (1 − z) p²)."""
    roots = np.sqrt(share * probabilities + (1 - share) * probabilities**2)
    return roots * roots.sum()


@pytest.mark.parametrize("outcomes", [2, 3, 8])
def test_each_method_recovers_probabilities_in_its_own_model(outcomes: int) -> None:
    rng = np.random.default_rng(outcomes)
    true = rng.dirichlet(np.full(outcomes, 2.0), size=50)
    true = np.clip(true, 0.02, None)
    true /= true.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(remove_overround(1 / (1.05 * true)), true, atol=1e-12)
    for row in true:
        exponent = brentq(lambda k, row=row: (row**k).sum() - 1.05, 0.3, 1.0)
        np.testing.assert_allclose(remove_overround(1 / row**exponent, "power"), row, atol=1e-10)
        prices = shin_prices(row, 0.03)
        assert prices.sum() > 1
        np.testing.assert_allclose(remove_overround(1 / prices, "shin"), row, atol=1e-9)


@pytest.mark.parametrize("method", get_args(OverroundMethod))
def test_fair_odds_are_their_own_probabilities(method: OverroundMethod) -> None:
    fair = np.array([[0.5, 0.3, 0.2], [0.98, 0.01, 0.01]])
    np.testing.assert_allclose(remove_overround(1 / fair, method), fair, atol=1e-9)


@pytest.mark.parametrize("method", get_args(OverroundMethod))
def test_best_odds_of_several_books_still_add_up_to_one(method: OverroundMethod) -> None:
    under = remove_overround([2.1, 3.8, 4.4], method)
    assert under.sum() == pytest.approx(1, abs=1e-12)


def test_odds_near_one_have_large_exponents() -> None:
    """Prices of 0.998 and 0.999, say: an exponent of hundreds makes them add up to 1."""
    odds = np.array([1.001, 1.002])
    exponent = brentq(lambda k: (odds**-k).sum() - 1, 1, 1e4)
    np.testing.assert_allclose(remove_overround(odds, "power"), odds**-exponent, atol=1e-10)
    uneven = np.array([1.0001, 1.0001, 5000.0])
    exponent = brentq(lambda k: (uneven**-k).sum() - 1, 1, 1e5)
    np.testing.assert_allclose(remove_overround(uneven, "power"), uneven**-exponent, atol=1e-10)
