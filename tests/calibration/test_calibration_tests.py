"""Seeded: the test of calibration keeps its level and finds overconfidence; intervals cover."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from edgeworth.comparisons.forecasts.calibration import measure_difference
from edgeworth.forecasts.calibration import Reliability
from edgeworth.forecasts.calibration_error import absolute_gap_law, bins_of, squared_gap_law
from edgeworth.forecasts.corp_reliability import reliability_bands
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.recalibration import Recalibration, is_separated

Floats = NDArray[np.float64]
RUNS = 400
MOST = 0.07 + 2 * math.sqrt(0.05 * 0.95 / RUNS)
"""A null is rejected in at most 7% of samples, beyond two standard errors."""


def rejections(
    cases: int, mean: float, spread: float, *, times: float = 1.0, shift: float = 0.0
) -> tuple[float, float]:
    """How often the combined test and CORP alone reject forecasts whose log odds are off."""
    rng = np.random.default_rng([cases, round(10 * abs(mean)), round(10 * spread), round(10 * times)])
    combined = alone = 0
    for seed in range(RUNS):
        odds = rng.normal(mean, spread, cases)
        curve = Reliability.of(expit(times * odds + shift), rng.random(cases) < expit(odds))
        bands = reliability_bands(curve, draws=99, rng=seed)
        combined += bands.test.p_value <= 0.05
        alone += bands.p_value <= 0.05
    return combined / RUNS, alone / RUNS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cases", "mean", "spread"), [(30, 0.0, 1.5), (200, 0.0, 1.5), (300, -4.0, 1.0), (100, 0.0, 6.0)]
)
def test_calibrated_forecasts_are_rejected_at_the_level(cases: int, mean: float, spread: float) -> None:
    """Few cases, rare events, and forecasts near 0 and 1."""
    assert rejections(cases, mean, spread)[0] <= MOST


@pytest.mark.slow
def test_overconfidence_is_found_more_often_than_by_corp_alone() -> None:
    combined, alone = rejections(200, 0.0, 1.5, times=1.4)
    assert combined > 0.42
    assert combined > alone + 0.12
    combined, alone = rejections(200, 0.0, 1.5, shift=0.4)
    assert combined > alone - 0.02


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "mean", "times"), [(200, 0.0, 1.0), (200, 0.0, 1.4), (500, -4.0, 1.0)])
def test_intervals_of_slope_and_errors_cover(cases: int, mean: float, times: float) -> None:
    rng = np.random.default_rng([cases, round(10 * times)])
    covered = {"slope": 0, "ece": 0, "squared": 0}
    done = 0
    for _ in range(RUNS):
        odds = rng.normal(mean, 1.2, cases)
        true, forecasts = expit(odds), expit(times * odds)
        curve = Reliability.of(forecasts, rng.random(cases) < true)
        if is_separated(curve):
            continue
        done += 1
        groups = bins_of(curve, 10, "mass")
        sizes = np.bincount(groups)
        gaps = np.bincount(groups, (true - forecasts)[np.argsort(forecasts)]) / sizes
        options = {"bins": 10.0, "binning": "mass"}
        laws = {
            "slope": (Recalibration.fit(curve).law("slope"), 1 / times),
            "ece": (absolute_gap_law(curve, debias="yes", **options), float(sizes @ abs(gaps)) / cases),
            "squared": (squared_gap_law(curve, **options), float(sizes @ gaps**2) / cases),
        }
        for name, (law, truth) in laws.items():
            low, high = law.interval(0.95)
            covered[name] += low <= truth <= high
    least = 0.91 - 2 * math.sqrt(0.95 * 0.05 / done)
    assert all(count / done >= least for count in covered.values()), covered


@pytest.mark.slow
def test_two_systems_that_are_as_well_calibrated_are_seldom_told_apart() -> None:
    """Both as overconfident, and both calibrated with one of them knowing more."""
    rng = np.random.default_rng(77)
    named = {"overconfident": 0, "calibrated": 0}
    grid = np.random.default_rng(0).normal(0, 1, 200)
    for _ in range(RUNS):
        one, two = rng.normal(0, 1, (2, 400))
        truth = (rng.random(400) < expit(one + two)).astype(np.int64)
        vague = expit(one[:, None] + grid).mean(axis=1)
        pairs = {
            "overconfident": (expit(1.6 * one), expit(1.6 * two)),
            "calibrated": (expit(one + two), vague),
        }
        for name, systems in pairs.items():
            both = Forecasts.of(truth, systems[0]), Forecasts.of(truth, systems[1])
            difference = measure_difference(both, ("A", "B"), "squared_calibration_error")
            named[name] += difference.is_shown(0.95)
    assert all(count / RUNS <= MOST for count in named.values()), named
