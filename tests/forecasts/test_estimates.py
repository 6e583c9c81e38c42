"""Scores with their uncertainty: against SciPy's t, and covering what they should."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.errors import OptionError
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import case_scores
from edgeworth.methods import AcrossCases, Bootstrap


def made(number: int = 80, classes: int = 3, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(classes), number)
    return np.array([rng.choice(classes, p=row) for row in p]), p


@pytest.mark.parametrize("name", ["log", "brier", "ranked", "spherical"])
def test_the_plain_interval_is_students(name: str) -> None:
    truth, p = made()
    values = case_scores(Forecasts.of(truth, p), [name])[0]
    scores = ew.ForecastScores.from_probabilities(truth, p)
    estimate = ew.estimate(scores, name, method=AcrossCases(scale="identity"))
    test = stats.ttest_1samp(values, 0.4)
    for level in (0.8, 0.95, 0.99):
        known = test.confidence_interval(level)
        assert tuple(estimate.interval(level)) == pytest.approx((known.low, known.high), rel=1e-9)
    assert estimate.value == pytest.approx(values.mean(), rel=1e-12)
    assert estimate.standard_error == pytest.approx(stats.sem(values), rel=1e-9)
    assert estimate.p_value(null=0.4) == pytest.approx(test.pvalue, rel=1e-7)


def test_the_default_interval_stays_inside_the_range() -> None:
    scores = ew.ForecastScores.from_probabilities([1, 0, 1, 0], [0.98, 0.03, 0.97, 0.6])
    plain = ew.estimate(scores, "brier", method=AcrossCases(scale="identity")).interval(0.99)
    kept = ew.estimate(scores, "brier").interval(0.99)
    assert plain.low < 0
    assert 0 < kept.low < ew.measure(scores, "brier") < kept.high < 1
    assert ew.estimate(scores, "log").interval(0.999).low > 0


@pytest.mark.parametrize("name", ["brier", "log"])
def test_the_interval_covers(name: str) -> None:
    """Overconfident forecasts: the expected score is known, and 95% of intervals hold it."""
    rng = np.random.default_rng(4)
    p = np.array([0.1, 0.4, 0.9])
    true = np.array([0.2, 0.4, 0.7])
    losses = {"brier": ((1 - p) ** 2, p**2), "log": (-np.log(p), -np.log(1 - p))}[name]
    expected = float((true * losses[0] + (1 - true) * losses[1]).mean())
    inside = 0
    for _ in range(600):
        kind = rng.integers(0, 3, 120)
        truth = (rng.random(120) < true[kind]).astype(int)
        scores = ew.ForecastScores.from_probabilities(truth, p[kind], labels=[0, 1], scores=[name])
        inside += expected in ew.estimate(scores, name).interval()
    # Three standard errors of 600 draws at 95%.
    assert inside / 600 == pytest.approx(0.95, abs=0.027)


def test_growth_and_log_wealth() -> None:
    rng = np.random.default_rng(5)
    p, q = rng.uniform(0.1, 0.9, 60), rng.uniform(0.1, 0.9, 60)
    truth = (rng.random(60) < p).astype(int)
    logs = np.log(np.where(truth == 1, p / q, (1 - p) / (1 - q)))
    wealth = ew.Wealth.from_probabilities(truth, p, against=q)
    known = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    assert tuple(ew.estimate(wealth, "growth").interval()) == pytest.approx((known.low, known.high))
    whole = ew.estimate(wealth, "log_wealth")
    assert tuple(whole.interval()) == pytest.approx((60 * known.low, 60 * known.high))
    assert whole.value == pytest.approx(logs.sum())
    half = ew.Wealth.from_probabilities(truth, p, against=q, fraction=0.5)
    known = stats.ttest_1samp(np.log(0.5 + 0.5 * np.exp(logs)), 0).confidence_interval(0.95)
    assert tuple(ew.estimate(half, "growth").interval()) == pytest.approx((known.low, known.high))


def test_growth_of_a_path_in_blocks() -> None:
    rng = np.random.default_rng(6)
    p, q = rng.uniform(0.2, 0.8, 10_000), rng.uniform(0.2, 0.8, 10_000)
    truth = (rng.random(10_000) < p).astype(int)
    logs = np.log(np.where(truth == 1, p / q, (1 - p) / (1 - q)))
    wealth = ew.Wealth.from_probabilities(truth, p, against=q)
    assert wealth.blocks.number < 10_000
    assert ew.estimate(wealth, "growth").standard_error == pytest.approx(stats.sem(logs), rel=1e-9)
    half = ew.estimate(ew.Wealth.from_probabilities(truth, p, against=q, fraction=0.5), "growth")
    assert math.isfinite(half.value)
    assert "stored in blocks" in (half.no_interval or "")
    assert math.isnan(half.standard_error)


@pytest.mark.parametrize(
    ("truth", "p", "name", "message"),
    [
        ([1, 0], [0.0, 0.3], "log", "forecast of probability 0 came true"),
        ([1], [0.6], "brier", "one case"),
        ([1, 1, 0], [0.6, 0.6, 0.4], "brier", "same value"),
        ([1, 0], [0.6, 0.3], "brier_skill", "it is a ratio"),
    ],
)
def test_a_value_without_an_interval_says_why(truth: Any, p: Any, name: str, message: str) -> None:
    estimate = ew.estimate(ew.ForecastScores.from_probabilities(truth, p, labels=[0, 1]), name)
    assert not math.isnan(estimate.value)
    assert estimate.undefined is None
    assert message in (estimate.no_interval or "")
    assert math.isnan(estimate.interval().low)
    assert message in str(estimate.to_dict()["no_interval"])


def test_methods_that_do_not_apply_are_refused() -> None:
    truth, p = made()
    scores = ew.ForecastScores.from_probabilities(truth, p)
    with pytest.raises(OptionError, match=r"AcrossCases\(\)"):
        ew.estimate(scores, "brier", method=Bootstrap())
    with pytest.raises(OptionError, match="natural"):
        AcrossCases(scale="log")  # type: ignore[arg-type]  # what a user may write
    with pytest.raises(OptionError, match="means over cases"):
        ew.estimate(scores, "brier_skill", method=AcrossCases())


def test_merged_shards_have_the_same_interval() -> None:
    truth, p = made(200)
    whole = ew.ForecastScores.from_probabilities(truth, p)
    parts = [ew.ForecastScores.from_probabilities(truth[s], p[s]) for s in (slice(0, 70), slice(70, 200))]
    merged = ew.estimate(parts[0] + parts[1], "brier").interval()
    assert tuple(merged) == pytest.approx(tuple(ew.estimate(whole, "brier").interval()), rel=1e-9)


def test_how_many_cases_would_tell_a_score_from_a_number() -> None:
    truth, p = made(100)
    estimate = ew.estimate(ew.ForecastScores.from_probabilities(truth, p), "brier")
    plan = estimate.cases_needed(null=0.9)
    assert plan.cases == 100
    low, high = estimate.interval()
    error = max(estimate.standard_error, (high - low) / (2 * stats.norm.ppf(0.975)))
    reach = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * error / (0.9 - estimate.value)
    assert plan.needed == math.ceil(100 * reach**2)


def test_one_mean_score_is_not_tested_against_that_of_the_class_shares_as_if_it_did_not_vary() -> None:
    truth, p = made(100)
    estimate = ew.estimate(ew.ForecastScores.from_probabilities(truth, p), "brier")
    assert math.isfinite(estimate.chance)
    assert math.isnan(estimate.p_value())
    assert math.isnan(estimate.cases_needed().needed)
    assert "p =" not in str(estimate)
    assert 0 < estimate.p_value(null=estimate.chance) < 1
