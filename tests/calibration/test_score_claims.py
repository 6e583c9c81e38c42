"""Seeded: how often a mean Brier score tells equal forecasters apart at and below the minimum of cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.estimates import score_difference
from edgeworth.forecasts.policy import MIN_CASES_FOR_SCORE_CLAIM

MOST = 0.07
RUNS = 2000

Floats: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = Callable[[np.random.Generator, int, float], tuple[NDArray[np.int64], Floats, Floats]]
"""Outcomes, the model's probabilities and the rival's."""


def constants(rng: np.random.Generator, cases: int, share: float) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Two nearly constant forecasts, equally far above and below the true share."""
    outcomes = (rng.random(cases) < share).astype(np.int64)
    low, high = (level * rng.uniform(0.9, 1.1, cases) for level in (0.8 * share, 1.2 * share))
    return outcomes, low, high


def confidence(
    rng: np.random.Generator, cases: int, share: float
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Forecasts that deviate from the share half as much again as they should, and half as much."""
    deviations = 0.6 * min(share, 1 - share) * rng.uniform(-1, 1, cases)
    outcomes = (rng.random(cases) < share + deviations).astype(np.int64)
    return outcomes, share + 1.5 * deviations, share + 0.5 * deviations


def rejection_rate(draw: Draw, cases: int, share: float) -> float:
    rng, rejected = np.random.default_rng(cases), 0
    for _ in range(RUNS):
        outcomes, model, rival = draw(rng, cases, share)
        wealth = Wealth.from_probabilities(outcomes, model, against=rival, labels=[0, 1])
        difference = score_difference(wealth, "brier", 0.95)
        assert difference is not None
        rejected += difference.low > 0 or difference.high < 0
    return rejected / RUNS


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 0.2])
@pytest.mark.parametrize("draw", [constants, confidence])
def test_equal_forecasters_are_seldom_told_apart_from_the_minimum_on(draw: Draw, share: float) -> None:
    allowed = MOST + 2 * math.sqrt(MOST * (1 - MOST) / RUNS)
    assert rejection_rate(draw, MIN_CASES_FOR_SCORE_CLAIM, share) <= allowed


@pytest.mark.slow
@pytest.mark.parametrize(("draw", "share"), [(constants, 0.2), (confidence, 0.5)])
@pytest.mark.parametrize("cases", [6, 8, 10])
def test_fewer_cases_would_claim_too_often(draw: Draw, share: float, cases: int) -> None:
    assert rejection_rate(draw, cases, share) > MOST + 2 * math.sqrt(MOST * (1 - MOST) / RUNS)
