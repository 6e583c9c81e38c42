"""Henzi and Ziegel's factors: κ by root finding, and no bet that gains on average while the null holds."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np
import pytest
from scipy.optimize import brentq

from edgeworth.bet.fractional import Score, kappa, score_log_factors

EXTREMES = [0.0, 1e-300, 1e-12, 0.001, 0.03, 0.2, 0.35, 0.5, 0.5 + 1e-15, 0.5 + 1e-9, 0.7, 0.9, 0.999]
FORECASTS = np.array([*EXTREMES, 1 - 1e-12, 1.0])
TRUTHS = np.concatenate([[0.0, 1e-305, 1e-15, 1e-6], np.linspace(0.001, 0.999, 103), [1 - 1e-9, 1.0]])


@lru_cache
def brier(forecast: float, outcome: int) -> Fraction:
    return (Fraction(forecast) - outcome) ** 2


def log_score(forecast: float, outcome: int) -> float:
    given = forecast if outcome else 1 - forecast
    return math.inf if given == 0 else -math.log(given)


@cache
def expected_score(score: str, forecast: float, truth: float) -> float | Fraction:
    """The mean score, Brier's exactly; what cannot happen does not count."""
    if score == "brier":
        return Fraction(truth) * brier(forecast, 1) + (1 - Fraction(truth)) * brier(forecast, 0)
    happens = truth * log_score(forecast, 1) if truth else 0.0
    return happens + ((1 - truth) * log_score(forecast, 0) if truth < 1 else 0.0)


def factor(outcome: int, p: float, q: float, score: Score) -> float:
    return math.exp(float(score_log_factors([outcome], [p], [q], score=score)[0]))


def test_brier_by_hand() -> None:
    assert float(brier(0.271, 0)) == pytest.approx(0.073441, abs=1e-15)
    # q = .4, p = .8: κ = .6, π = .7.
    assert factor(1, 0.8, 0.4, "brier") == pytest.approx(7 / 6, rel=1e-14)
    assert factor(0, 0.8, 0.4, "brier") == pytest.approx(3 / 4, rel=1e-14)
    assert factor(1, 0.4, 0.8, "brier") == pytest.approx(0.5 / 0.6, rel=1e-14)


@pytest.mark.parametrize("score", ["brier", "log"])
def test_both_would_score_alike_at_kappa(score: Score) -> None:
    inner = FORECASTS[(FORECASTS > 1e-13) & (FORECASTS < 1 - 1e-13)]
    for p in inner:
        for q in inner:
            if abs(p - q) < 1e-4:
                continue

            def gap(truth: float, p: float = p, q: float = q) -> float:
                return float(expected_score(score, p, truth) - expected_score(score, q, truth))

            price, complement = (float(part[0]) for part in kappa([p], [q], score=score))
            root = brentq(gap, min(p, q), max(p, q), xtol=1e-15, rtol=1e-14)
            assert price == pytest.approx(root, rel=1e-9), (p, q)
            assert price + complement == pytest.approx(1, abs=1e-15)
            assert min(p, q) < price < max(p, q)


@pytest.mark.parametrize("score", ["brier", "log"])
def test_no_factor_gains_on_average_while_the_null_holds(score: Score) -> None:
    held = 0
    for p in FORECASTS:
        for q in FORECASTS:
            yes, no = factor(1, p, q, score), factor(0, p, q, score)
            for truth in TRUTHS:
                model, rival = expected_score(score, p, truth), expected_score(score, q, truth)
                if rival <= model:
                    held += 1
                    mean = (truth * yes if truth else 0.0) + ((1 - truth) * no if truth < 1 else 0.0)
                    assert mean <= 1 + 1e-12, (p, q, truth)
    assert held > 10_000


@pytest.mark.parametrize("score", ["brier", "log"])
def test_the_factor_gains_where_the_model_is_better(score: Score) -> None:
    for p, q in [(0.8, 0.4), (0.001, 0.5), (0.97, 0.95), (0.02, 0.6)]:
        assert p * factor(1, p, q, score) + (1 - p) * factor(0, p, q, score) > 1


def test_three_quarters_and_a_quarter_would_be_no_bet_for_the_log_score() -> None:
    p, q = 0.001, 0.5
    price = float(kappa([p], [q], score="log")[0][0])
    wrong = 0.75 * p + 0.25 * q
    truth = 0.3
    assert expected_score("log", q, truth) < expected_score("log", p, truth)
    assert truth * wrong / price + (1 - truth) * (1 - wrong) / (1 - price) > 1
    assert truth * factor(1, p, q, "log") + (1 - truth) * factor(0, p, q, "log") < 1


def test_certainty_under_the_log_score() -> None:
    assert score_log_factors([1, 0], [0.4, 0.4], [0.0, 0.0], score="log") == pytest.approx(
        [math.inf, math.log(0.8)]
    )
    assert score_log_factors([1, 0], [0.4, 0.4], [1.0, 1.0], score="log") == pytest.approx(
        [math.log(0.7), math.inf]
    )
    assert score_log_factors([1, 0], [0.0, 0.0], [0.4, 0.4], score="log") == pytest.approx(
        [math.log(0.5), 0.0]
    )
    assert score_log_factors([1, 0], [1.0, 1.0], [0.4, 0.4], score="log") == pytest.approx(
        [0.0, math.log(0.5)]
    )
    assert (score_log_factors([1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0], score="log") == 0).all()
    assert (score_log_factors([1, 0, 1, 0], [0, 0, 1, 1], [0, 0, 1, 1], score="log") == 0).all()
    # The model's certainty is the limit of what comes near it, slowly: p/κ falls like p·log(1/p).
    assert score_log_factors([1, 0], [1e-300] * 2, [0.4] * 2, score="log") == pytest.approx(
        [-math.log(2), 0], abs=1e-2
    )


def test_certainty_under_the_brier_score_is_nothing_special() -> None:
    assert np.exp(score_log_factors([1, 0], [0, 0], [1, 1], score="brier")) == pytest.approx([0.5, 1.5])
    assert np.exp(score_log_factors([1, 0], [1, 1], [0.5, 0.5], score="brier")) == pytest.approx([7 / 6, 0.5])


@pytest.mark.parametrize("score", ["brier", "log"])
def test_forecasts_that_differ_by_rounding_bet_next_to_nothing(score: Score) -> None:
    p = np.linspace(0.01, 0.99, 981)
    for q in (np.nextafter(p, 1), np.nextafter(p, 0), p + 3e-15):
        for outcome in (0, 1):
            logs = score_log_factors(np.full(len(p), outcome), p, q, score=score)
            assert np.abs(logs).max() < 1e-12


def test_events_and_their_opposites_are_the_same_game() -> None:
    rng = np.random.default_rng(3)
    p, q, y = rng.random(500), rng.random(500), rng.integers(0, 2, 500)
    for score in ("brier", "log"):
        mirrored = score_log_factors(1 - y, 1 - p, 1 - q, score=score)
        np.testing.assert_allclose(score_log_factors(y, p, q, score=score), mirrored, atol=1e-12)
