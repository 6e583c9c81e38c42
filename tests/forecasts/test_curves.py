"""Curves for charts: bounded, and true to what they are thinned from."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.curves import (
    LAW_POINTS,
    MAX_PATH_POINTS,
    WealthPath,
    final_law,
    returns,
    thin,
)


def long_path(number: int = 30_000) -> Wealth:
    rng = np.random.default_rng(0)
    p, q = rng.uniform(0.2, 0.8, number), rng.uniform(0.2, 0.8, number)
    truth = (rng.random(number) < p).astype(int)
    return Wealth.from_probabilities(truth, p, against=q)


@pytest.mark.parametrize("number", [0, 1, 2, 511, 512, 513, 4096, 10**6])
def test_thinned_places(number: int) -> None:
    places = thin(number, keep=(number // 3, number // 2) if number else ())
    assert len(places) <= MAX_PATH_POINTS
    assert len(places) == number or number > MAX_PATH_POINTS
    assert (np.diff(places) > 0).all()
    if number:
        assert (places[0], places[-1]) == (0, number - 1)
        assert {number // 3, number // 2} <= set(places.tolist())


@pytest.mark.parametrize("number", [40, 30_000])
def test_the_path_keeps_its_ends_and_extremes(number: int) -> None:
    wealth = long_path(number)
    path = WealthPath.of(wealth, 0.9)
    assert len(path.cases) <= MAX_PATH_POINTS
    assert path.cases[-1] == number
    assert path.log_wealth[-1] == pytest.approx(wealth.log_wealth, rel=1e-12)
    assert path.log_wealth.max() == wealth.path.max()
    assert path.log_wealth.min() == wealth.path.min()
    mean, deviation = wealth.sums("model_mean").sum(), math.sqrt(wealth.sums("model_variance").sum())
    assert path.expected[:, -1] == pytest.approx([mean, *stats.norm(mean, deviation).interval(0.9)], rel=1e-9)
    # If the prices are right log wealth falls on average.
    assert path.priced[0, -1] < 0 < path.expected[0, -1]


@pytest.mark.parametrize("number", [1, 40, 30_000])
def test_returns_add_up(number: int) -> None:
    wealth = long_path(number)
    cases, logs = returns(wealth)
    assert len(cases) == len(logs) <= MAX_PATH_POINTS
    assert cases[-1] == number
    assert logs.sum() == pytest.approx(wealth.log_wealth, rel=1e-9)
    if number <= 40:
        assert np.exp(logs) == pytest.approx(wealth.returns)


def test_returns_with_ruin() -> None:
    wealth = Wealth.from_probabilities([1, 1, 0], [0.9, 0.0, 0.5], against=[0.5] * 3)
    assert returns(wealth)[1].tolist() == pytest.approx([math.log(1.8), -math.inf, 0.0])


def test_the_law_of_final_wealth_against_all_outcomes() -> None:
    p, q, truth = [0.7, 0.3, 0.6, 0.9], [0.5, 0.4, 0.5, 0.6], [1, 0, 1, 1]
    law = final_law(Wealth.from_probabilities(truth, p, against=q))
    assert law is not None
    assert law.method == "exact"
    assert len(law.log_wealth) == LAW_POINTS

    def outcomes(chances: list[float]) -> Any:
        for came in itertools.product((0, 1), repeat=4):
            logs = [math.log(a / b if y else (1 - a) / (1 - b)) for y, a, b in zip(came, p, q, strict=True)]
            yield sum(logs), math.prod(c if y else 1 - c for y, c in zip(came, chances, strict=True))

    for result, chances in ((law.prices, q), (law.model, p)):
        for x, value in zip(law.log_wealth, result, strict=True):
            expected = sum(chance for log, chance in outcomes(chances) if log <= x)
            assert value == pytest.approx(expected, abs=1e-9)


def test_the_law_of_a_long_path_is_normal() -> None:
    wealth = long_path()
    law = final_law(wealth)
    assert law is not None
    assert "normal" in law.method
    assert law.log_wealth[0] <= wealth.log_wealth <= law.log_wealth[-1]
    mean, deviation = wealth.sums("price_mean").sum(), math.sqrt(wealth.sums("price_variance").sum())
    np.testing.assert_allclose(law.prices, stats.norm(mean, deviation).cdf(law.log_wealth), atol=1e-12)
    assert (np.diff(law.model) >= 0).all()


def test_no_law_where_nothing_varies() -> None:
    assert final_law(Wealth.from_probabilities([1, 0], [0.5, 0.5], against=[0.5, 0.5])) is None


def test_a_law_with_ruin() -> None:
    """Half of the outcomes are ruin, which lies below every finite wealth."""
    law = final_law(Wealth.from_probabilities([1, 1], [1.0, 0.6], against=[0.5, 0.5]))
    assert law is not None
    assert law.prices[0] >= 0.5
    assert law.prices[-1] == pytest.approx(1)
