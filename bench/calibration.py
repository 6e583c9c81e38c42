"""Size and power of the test of calibration, and coverage of calibration measures, as a Markdown table.

    python bench/calibration.py 2000

Log odds are normal with the given mean and spread. Forecasts are `times` too extreme or shifted in log odds.
The combined test is what a report concludes from; CORP alone is what it concluded from before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from coverage_records import Record, rate, run_grids
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import norm

from edgeworth.comparisons.forecasts.calibration import measure_difference
from edgeworth.forecasts.calibration import Reliability
from edgeworth.forecasts.calibration_error import absolute_gap_law, bins_of, squared_gap_law
from edgeworth.forecasts.calibration_test import spiegelhalter_z
from edgeworth.forecasts.corp_reliability import reliability_bands
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.recalibration import Recalibration, is_separated

Floats = NDArray[np.float64]
DRAWS = 199
ALPHA = 0.05


@dataclass(frozen=True)
class Setting:
    """Forecasts of some cases and the truth behind them."""

    name: str
    cases: int
    mean: float = 0.0
    spread: float = 1.5
    times: float = 1.0
    shift: float = 0.0

    def draw(self, rng: np.random.Generator) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Draw forecasts, true probabilities and outcomes."""
        odds = rng.normal(self.mean, self.spread, self.cases)
        true = expit(odds)
        return expit(self.times * odds + self.shift), true, rng.random(self.cases) < true

    @property
    def share(self) -> float:
        """The expected share of events."""
        grid = norm.ppf((np.arange(2000) + 0.5) / 2000)
        return round(float(expit(self.mean + self.spread * grid).mean()), 3)


NULLS = (
    Setting("calibrated", 30),
    Setting("calibrated", 200),
    Setting("calibrated", 500),
    Setting("calibrated, rare events", 200, -4.0, 1.0),
    Setting("calibrated, rare events", 500, -4.0, 1.0),
    Setting("calibrated, forecasts near 0 and 1", 200, 0.0, 5.0),
)
ALTERNATIVES = (
    Setting("log odds 1.4 times too extreme", 200, times=1.4),
    Setting("log odds 1.4 times too extreme, wide", 200, spread=2.5, times=1.4),
    Setting("log odds 1.4 times too extreme", 500, times=1.4),
    Setting("log odds 1.4 times too extreme, rare events", 500, -3.0, 1.0, times=1.4),
    Setting("log odds 0.7 times as extreme", 200, times=0.7),
    Setting("log odds too high by 0.4", 200, shift=0.4),
)


def tests(samples: int) -> Iterator[Record]:
    """Yield how often each test rejects: its size for calibrated forecasts, its power for others."""
    for number, setting in enumerate((*NULLS, *ALTERNATIVES)):
        rng = np.random.default_rng([31, number])
        rejected = {"Edgeworth": 0, "CORP alone": 0, "Spiegelhalter, normal": 0}
        start = time.perf_counter()
        for seed in range(samples):
            forecasts, _, outcomes = setting.draw(rng)
            curve = Reliability.of(forecasts, outcomes)
            bands = reliability_bands(curve, draws=DRAWS, rng=seed)
            rejected["Edgeworth"] += bands.test.p_value <= ALPHA
            rejected["CORP alone"] += bands.p_value <= ALPHA
            rejected["Spiegelhalter, normal"] += 2 * norm.sf(abs(spiegelhalter_z(curve))) <= ALPHA
        seconds = (time.perf_counter() - start) / samples
        for method, count in rejected.items():
            share, error = rate(count, samples)
            yield Record(
                f"test of calibration: {setting.name}", method, setting.cases, setting.share,
                rejected=share, se=error, seconds=seconds if method == "Edgeworth" else None, samples=samples,
            )  # fmt: skip


def intervals(samples: int) -> Iterator[Record]:
    """Yield how often intervals of slope and calibration errors cover."""
    for number, setting in enumerate((*NULLS[1:], *ALTERNATIVES[:4])):
        if setting.shift:
            continue
        rng = np.random.default_rng([32, number])
        covered = {"calibration slope, profile": 0, "calibration slope, Wald": 0}
        covered |= {"ECE": 0, "squared calibration error": 0}
        widths = dict.fromkeys(covered, 0.0)
        done = 0
        for _ in range(samples):
            forecasts, true, outcomes = setting.draw(rng)
            curve = Reliability.of(forecasts, outcomes)
            if is_separated(curve):
                continue
            done += 1
            fit = Recalibration.fit(curve)
            reach = float(norm.ppf(0.975) * np.sqrt(fit.covariance[1, 1]))
            order = np.argsort(forecasts)
            groups = bins_of(curve, 10, "mass")
            gaps = np.bincount(groups, (true - forecasts)[order]) / np.bincount(groups)
            weights = np.bincount(groups) / setting.cases
            bounds: dict[str, tuple[tuple[float, float], float]] = {
                "calibration slope, profile": (fit.law("slope").interval(0.95), 1 / setting.times),
                "calibration slope, Wald": ((fit.slope - reach, fit.slope + reach), 1 / setting.times),
                "ECE": (
                    absolute_gap_law(curve, debias="yes", bins=10.0, binning="mass").interval(0.95),
                    float(weights @ abs(gaps)),
                ),
                "squared calibration error": (
                    squared_gap_law(curve, bins=10.0, binning="mass").interval(0.95),
                    float(weights @ gaps**2),
                ),
            }
            for method, ((low, high), truth) in bounds.items():
                covered[method] += low <= truth <= high
                widths[method] += high - low
        for method, count in covered.items():
            share, error = rate(count, done)
            yield Record(
                f"intervals of calibration: {setting.name}", method, setting.cases, setting.share,
                coverage=share, se=error, width=widths[method] / done, samples=done,
            )  # fmt: skip


def _equally_off(rng: np.random.Generator, cases: int) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Two systems that know different halves, both 1.6 times too extreme."""
    one, two = rng.normal(0, 1, (2, cases))
    return (rng.random(cases) < expit(one + two)).astype(np.int64), expit(1.6 * one), expit(1.6 * two)


def _both_calibrated(rng: np.random.Generator, cases: int) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Two calibrated systems, of which one knows more."""
    one, two = rng.normal(0, 1.2, (2, cases))
    grid = 1.2 * norm.ppf((np.arange(100) + 0.5) / 100)
    vague = expit(one[:, None] + grid).mean(axis=1)
    return (rng.random(cases) < expit(one + two)).astype(np.int64), expit(one + two), vague


def _one_off(rng: np.random.Generator, cases: int) -> tuple[NDArray[np.int64], Floats, Floats]:
    """One calibrated system, and the same 1.6 times too extreme."""
    odds = rng.normal(0, 1.5, cases)
    return (rng.random(cases) < expit(odds)).astype(np.int64), expit(odds), expit(1.6 * odds)


COMPARED: dict[str, Callable[..., tuple[NDArray[np.int64], Floats, Floats]]] = {
    "both calibrated, one knows more": _both_calibrated,
    "equally overconfident": _equally_off,
    "one 1.6 times too extreme": _one_off,
}


def comparisons(samples: int) -> Iterator[Record]:
    """Yield how often one of two systems is named better calibrated."""
    for number, (name, draw) in enumerate(COMPARED.items()):
        for cases in (200, 500, 1000):
            rng = np.random.default_rng([33, number, cases])
            named = {"squared_calibration_error": 0, "ece": 0}
            for _ in range(samples):
                truth, first, second = draw(rng, cases)
                both = Forecasts.of(truth, first), Forecasts.of(truth, second)
                for measure in named:
                    named[measure] += measure_difference(both, ("A", "B"), measure).is_shown(0.95)
            for measure, count in named.items():
                share, error = rate(count, samples)
                setting = f"better calibrated: {name}"
                yield Record(setting, measure, cases, 0.5, rejected=share, se=error, samples=samples)


GRIDS = {"calibration": tests, "calibration-intervals": intervals, "calibration-differences": comparisons}


if __name__ == "__main__":
    run_grids(GRIDS, __doc__)
