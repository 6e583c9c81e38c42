"""Luck from sums of moments: the ends enclose what going through all outcomes, or the grid law, gives."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from edgeworth.bet import Market
from edgeworth.forecasts.betting.law import LogWealthLaw, Moments, luck_of_moments, wealth_law
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.findings import examine_bets


def rows(rng: np.random.Generator, number: int, classes: int, around: np.ndarray | None = None) -> np.ndarray:
    drawn = rng.dirichlet(np.full(classes, 2.0), number)
    return drawn if around is None else 0.7 * around + 0.3 * drawn


def every_truth(cases: int, classes: int) -> list[list[int]]:
    return [list(combination) for combination in itertools.product(range(classes), repeat=cases)]


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "classes"), [(8, 2), (5, 3)])
@pytest.mark.parametrize("kind", ["fair", "part", "backing", "exchange"])
def test_the_ends_enclose_the_law_of_all_outcomes(cases: int, classes: int, kind: str) -> None:
    rng = np.random.default_rng(cases)
    q = rows(rng, cases, classes)
    p = rows(rng, cases, classes, q)
    books: dict[str, dict[str, Any]] = {
        "fair": {"against": q},
        "part": {"against": q, "fraction": 0.5},
        "backing": {"odds": 1 / (1.04 * q)},
        "exchange": {"bookmaker": Market(1 / (1.04 * q), lay=1 / (0.97 * q))},
    }
    options = books[kind]
    for truth in every_truth(cases, classes):
        wealth = Wealth.from_probabilities(truth, p, labels=range(classes), **options)
        exact, result = wealth_law(wealth).tail(wealth.log_wealth), luck_of_moments(wealth)
        assert result.low <= exact.low * (1 + 1e-12)
        assert exact.high * (1 - 1e-12) <= result.high <= 1
        assert result.kind == ("bracket" if result.low > 0 else "bound")
        assert result.p_value == result.high
    if kind != "exchange":
        assert wealth.book == ("backing" if kind == "backing" else "fair")


def test_the_normal_law_is_off_by_no_more_than_it_says() -> None:
    """Berry and Esseen over all outcomes of ten games, at each jump and just before it."""
    rng = np.random.default_rng(5)
    q = rng.uniform(0.2, 0.8, 10)
    p = np.clip(q + rng.normal(0, 0.1, 10), 0.05, 0.95)
    wealth = Wealth.from_probabilities([1] * 10, p, against=q, labels=[0, 1])
    for name, chances in (("price", q), ("model", p)):
        moments = Moments.of(wealth, name)
        outcomes = np.array(every_truth(10, 2))
        logs = np.where(outcomes == 1, np.log(p / q), np.log((1 - p) / (1 - q))).sum(axis=1)
        weights = np.where(outcomes == 1, chances, 1 - chances).prod(axis=1)
        assert moments.mean == pytest.approx(float(weights @ logs), rel=1e-12)
        assert moments.variance == pytest.approx(float(weights @ (logs - moments.mean) ** 2), rel=1e-10)
        order = np.argsort(logs)
        above = np.cumsum(weights[order])
        normal = stats.norm.cdf(logs[order], moments.mean, math.sqrt(moments.variance))
        gap = max(abs(above - normal).max(), abs(above - weights[order] - normal).max())
        assert 0 < gap <= moments.error < 1


SHARES = st.lists(st.sampled_from([0.0, 0.1, 0.3, 1.0]), min_size=3, max_size=3).filter(lambda x: sum(x) > 0)


@given(SHARES, SHARES, st.sampled_from([1.0, 0.4]))
def test_moments_of_one_case_by_hand(p: list[float], q: list[float], stake: float) -> None:
    p, q = ([x / sum(row) for x in row] for row in (p, q))
    possible = [k for k in range(3) if p[k] or q[k]]
    wealth = Wealth.from_probabilities([possible[0]], [p], against=[q], labels=range(3), fraction=stake)
    for name, chances in (("price", q), ("model", p)):
        factors = [math.inf if not b else 1 - stake + stake * a / b for a, b in zip(p, q, strict=True)]
        steps = [(c, w) for c, w in zip(chances, factors, strict=True) if c > 0]
        third = wealth.sums(f"{name}_third")[0]
        if any(w in (0.0, math.inf) for _, w in steps):
            assert third == math.inf
            assert not Moments.of(wealth, name).is_normal
            continue
        mean = math.fsum(c * math.log(w) for c, w in steps)
        known = math.fsum(c * abs(math.log(w) - mean) ** 3 for c, w in steps)
        assert third == pytest.approx(known, rel=1e-9, abs=1e-15)
    root = math.fsum(b * math.sqrt(1 - stake + stake * a / b) for a, b in zip(p, q, strict=True) if b)
    assert wealth.sums("price_log_half")[0] == pytest.approx(math.log(root) if root else -math.inf, abs=1e-12)


@pytest.mark.parametrize("truth", ["price", "model", "between"])
def test_many_games_are_enclosed_around_the_grid_law(truth: str) -> None:
    rng = np.random.default_rng(11)
    q = rng.uniform(0.1, 0.9, 6000)
    p = np.clip(q + rng.normal(0, 0.02, 6000), 0.01, 0.99)
    right = {"price": q, "model": p, "between": (p + q) / 2}[truth]
    happened = (rng.random(6000) < right).astype(int)
    wealth = Wealth.from_probabilities(happened, p, against=q)
    assert wealth.games is None
    luck = examine_bets(wealth).luck
    assert luck is not None
    logs = np.log(np.stack([(1 - p) / (1 - q), p / q], axis=1))
    known = LogWealthLaw.of(logs, np.stack([1 - q, q], axis=1)).tail(wealth.log_wealth, method="bracket")
    assert luck.low <= known.low <= known.high <= luck.high
    # Each is as near as the bounds promise; Markov's alone would be far off.
    assert luck.high - luck.low <= 2 * Moments.of(wealth, "price").error
    assert luck.high <= min(1.0, math.exp(-wealth.log_wealth))


@pytest.mark.parametrize("ruinous", [False, True])
def test_improbable_wealth_is_enclosed_where_the_model_is_right(ruinous: bool) -> None:
    """Its own law tells, to a small factor; possible ruin takes only the law of the prices away."""
    rng = np.random.default_rng(3)
    q = rng.uniform(0.1, 0.9, 15_000)
    p = np.clip(q + rng.normal(0, 0.02, 15_000), 0.01, 0.99)
    p[:3] = 0.0 if ruinous else p[:3]
    wealth = Wealth.from_probabilities((rng.random(15_000) < p).astype(int), p, against=q, labels=[0, 1])
    result = luck_of_moments(wealth)
    with np.errstate(divide="ignore"):
        logs = np.log(np.stack([(1 - p) / (1 - q), p / q], axis=1))
    known = LogWealthLaw.of(logs, np.stack([1 - q, q], axis=1)).tail(wealth.log_wealth, method="bracket")
    assert result.kind == "bracket"
    assert "tilted" in result.method
    assert result.low <= known.low <= known.high <= result.high < 1e-4
    assert Moments.of(wealth, "price").is_normal != ruinous


def test_shards_say_what_the_whole_says() -> None:
    rng = np.random.default_rng(7)
    q, truth = rng.uniform(0.2, 0.8, 9000), rng.integers(0, 2, 9000)
    p = np.clip(q + 0.02, 0, 1)
    options: dict[str, Any] = {"labels": [0, 1]}
    whole = Wealth.from_probabilities(truth, p, against=q, **options)
    cut = [slice(0, 5000), slice(5000, 9000)]
    parts = [Wealth.from_probabilities(truth[c], p[c], against=q[c], first=c.start, **options) for c in cut]
    one, other = luck_of_moments(whole), luck_of_moments(parts[0] + parts[1])
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)
    assert luck_of_moments(Wealth.from_dict(whole.to_dict())) == one


def test_ruin_and_what_no_price_allows() -> None:
    ruined = luck_of_moments(Wealth.from_probabilities([1, 1], [0.9, 0.0], against=[0.5, 0.5]))
    assert (ruined.low, ruined.high) == (1, 1)
    boundless = luck_of_moments(Wealth.from_probabilities([1, 1], [0.9, 0.1], against=[0.5, 0.0]))
    assert (boundless.low, boundless.high) == (0, 0)
    assert boundless.exact == 0


def test_silence_has_a_reason() -> None:
    options: dict[str, Any] = {"against": [0.5] * 2, "predictions_made": "in-sample"}
    seen = examine_bets(Wealth.from_probabilities([1, 0], [0.6, 0.3], **options))
    assert (seen.luck, seen.luck_undefined_reason) == (None, "the model had seen these outcomes")
    before = examine_bets(Wealth.from_probabilities([1, 0], [0.6, 0.3], against=[0.5] * 2))
    assert before.luck is not None
    assert before.luck_undefined_reason is None
