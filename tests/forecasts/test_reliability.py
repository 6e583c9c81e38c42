"""Consistency bands and the test of calibration, against the law of calibrated forecasts."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import edgeworth
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts import corp_reliability
from edgeworth.forecasts.calibration import Calibration, Reliability
from edgeworth.forecasts.corp_reliability import MAX_VALUES_REFITTED, decompose, reliability_bands


def curve_of(values: Any, cases: Any, hits: Any) -> Reliability:
    return Reliability(np.array(values, dtype=float), np.array(cases), np.array(hits))


def test_one_value_is_a_binomial() -> None:
    """A single forecast value is not pooled with anything: its band is the binomial's quantiles."""
    result = reliability_bands(curve_of([0.3], [200], [75]), draws=20_000, level=0.9)
    law = stats.binom(200, 0.3)
    assert result.low[0] * 200 == pytest.approx(law.ppf(0.05), abs=1)
    assert result.high[0] * 200 == pytest.approx(law.ppf(0.95), abs=1)
    # Miscalibration is (0.3 − h/n)²: the test is two-sided around 60 hits.
    exact = law.sf(74) + law.cdf(45)
    assert result.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact / 20_000))
    assert result.recalibrated.tolist() == [0.375]
    assert result.miscalibration == pytest.approx(0.075**2)


def test_p_value_against_all_outcomes() -> None:
    values, cases, hits = [0.2, 0.5, 0.7], [3, 2, 4], [2, 1, 1]
    statistic = decompose(curve_of(values, cases, hits), "brier").miscalibration
    exact = 0.0
    for outcome in itertools.product(*(range(n + 1) for n in cases)):
        if decompose(curve_of(values, cases, outcome), "brier").miscalibration >= statistic - 1e-12:
            exact += math.prod(stats.binom.pmf(outcome, cases, values))
    p_value = reliability_bands(curve_of(values, cases, hits), draws=20_000).p_value
    assert p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))


@pytest.mark.slow
def test_calibrated_forecasts_stay_inside_and_are_seldom_refused() -> None:
    rng = np.random.default_rng(5)
    values, cases = np.linspace(0.05, 0.95, 10), np.full(10, 40)
    band = reliability_bands(curve_of(values, cases, rng.binomial(cases, values)), draws=2000)
    inside, p_values = [], []
    for seed in range(300):
        curve = curve_of(values, cases, rng.binomial(cases, values))
        result = reliability_bands(curve, draws=99, rng=seed)
        inside.append((result.recalibrated >= band.low) & (result.recalibrated <= band.high))
        p_values.append(result.p_value)
    # The band includes its ends, which are shares of whole cases: it covers a little more.
    assert 0.94 < np.mean(inside) < 0.98
    # A valid test: P(p ≤ a) is a, to four standard errors.
    for level in (0.05, 0.2, 0.5):
        share = np.mean(np.array(p_values) <= level + 1e-9)
        assert share == pytest.approx(level, abs=4 * math.sqrt(level * (1 - level) / 300))


def test_overconfident_forecasts_are_refused() -> None:
    rng = np.random.default_rng(2)
    forecast = rng.random(2000)
    truth = (rng.random(2000) < 0.25 + forecast / 2).astype(int)
    result = reliability_bands(Calibration.from_probabilities(truth, forecast).curve(1), draws=199)
    assert result.p_value == 1 / 200
    assert result.recalibrated[5] > result.high[5]
    assert result.recalibrated[-5] < result.low[-5]


def test_an_impossible_outcome_is_always_refused() -> None:
    for wrong in (curve_of([0.0, 0.5], [10, 10], [1, 5]), curve_of([0.5, 1.0], [10, 10], [5, 9])):
        result = reliability_bands(wrong, draws=99)
        assert result.p_value == 1 / 100
    assert (result.low[1], result.high[1]) == (1, 1)
    sure = reliability_bands(curve_of([0.0, 1.0], [10, 10], [0, 10]))
    assert sure.p_value == 1
    assert sure.high.tolist() == sure.low.tolist() == [0, 1]


def test_many_values_are_gathered() -> None:
    rng = np.random.default_rng(3)
    forecast = np.append(rng.random(20_000) ** 3, [0.0] * 7 + [1.0] * 9)
    truth = (rng.random(len(forecast)) < forecast).astype(int)
    curve = Calibration.from_probabilities(truth, forecast).curve(1)
    result = reliability_bands(curve, draws=99)
    assert result.is_grouped
    assert len(result.forecast) <= MAX_VALUES_REFITTED + 2
    assert result.cases.sum() == len(forecast)
    assert (result.forecast[0], result.cases[0]) == (0, 7)
    assert (result.forecast[-1], result.cases[-1]) == (1, 9)
    assert result.cases[1:-1].max() <= 2 * result.cases[1:-1].min()
    assert np.all(np.diff(result.forecast) > 0)
    assert result.forecast @ result.cases == pytest.approx(forecast.sum())
    assert np.all((result.low >= 0) & (result.low <= result.high) & (result.high <= 1))
    assert result.p_value > 0.01


def test_gathering_changes_little(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    forecast = rng.random(3000)
    truth = (rng.random(3000) < forecast).astype(int)
    curve = Calibration.from_probabilities(truth, forecast).curve(1)
    grouped = reliability_bands(curve, draws=400)
    monkeypatch.setattr(corp_reliability, "MAX_VALUES_REFITTED", 3000)
    whole = reliability_bands(curve, draws=400, rng=1)
    assert not whole.is_grouped
    inner = (grouped.forecast > 0.05) & (grouped.forecast < 0.95)
    for side in ("low", "high"):
        between = np.interp(grouped.forecast, whole.forecast, getattr(whole, side))
        assert np.abs(between - getattr(grouped, side))[inner].max() < 0.03
    assert whole.p_value == pytest.approx(grouped.p_value, abs=0.15)


def test_one_heavy_value_does_not_swallow_its_neighbours() -> None:
    values = np.linspace(0, 1, 2001)
    cases = np.ones(2001, dtype=np.int64)
    cases[1000] = 10**6
    hits = np.random.default_rng(6).binomial(cases, values)
    result = reliability_bands(curve_of(values, cases, hits), draws=19)
    assert result.cases.sum() == cases.sum()
    assert 200 < len(result.forecast) <= MAX_VALUES_REFITTED + 2
    assert np.sort(result.cases)[-2] < 20
    assert result.p_value > 0.05


def test_seeds_repeat_and_levels_widen() -> None:
    curve = curve_of([0.1, 0.4, 0.9], [30, 30, 30], [4, 10, 25])
    one, two, three = (reliability_bands(curve, draws=50, rng=seed) for seed in (1, 1, 2))
    assert one.low.tolist() == two.low.tolist()
    assert one.p_value == two.p_value
    assert one.low.tolist() != three.low.tolist()
    wide = reliability_bands(curve, draws=50, rng=1, level=0.99)
    assert np.all(wide.low <= one.low)
    assert np.all(wide.high >= one.high)


@pytest.mark.parametrize(
    "options", [{"level": 95}, {"level": 0}, {"draws": 0}, {"draws": 1.5}, {"draws": True}, {"rng": -1}]
)
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        reliability_bands(curve_of([0.5], [2], [1]), **options)


def test_nothing_to_judge() -> None:
    with pytest.raises(InputError, match="no forecasts"):
        reliability_bands(curve_of([], np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)))


def test_levels_are_the_steps_of_the_diagram() -> None:
    """Pools written out: 0.2 and 0.4 are out of order and become one; each keeps its cases."""
    result = reliability_bands(curve_of([0.1, 0.2, 0.4, 0.7], [10, 10, 30, 5], [0, 6, 9, 5]))
    first, pooled, last = result.levels
    assert (first.first, first.last, first.recalibrated, first.cases) == (0.1, 0.1, 0.0, 10)
    assert (pooled.first, pooled.last, pooled.cases) == (0.2, 0.4, 40)
    assert pooled.recalibrated == pytest.approx(15 / 40)
    assert pooled.mean == pytest.approx((0.2 * 10 + 0.4 * 30) / 40)
    assert (last.recalibrated, last.cases) == (1.0, 5)
    assert sum(level.cases for level in result.levels) == result.cases.sum()
    for level in result.levels:
        assert result.low.min() <= level.low <= level.high <= result.high.max()
        assert level.is_inside == (level.low <= level.recalibrated <= level.high)


def test_bands_are_public() -> None:
    counted = edgeworth.Calibration.from_probabilities([1, 0, 1, 1], [0.8, 0.3, 0.8, 0.3])
    assert edgeworth.forecasts.reliability_bands is reliability_bands
    assert edgeworth.forecasts.reliability_bands(counted.curve(1)).forecast.tolist() == [0.3, 0.8]
