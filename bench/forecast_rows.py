"""Coverage of scores and calibration for weighted rows and for clusters, and the size of their test.

    script/coverage forecast-rows -n 1000 --write
    python bench/forecast_rows.py 1000

Log odds of the forecasts are normal, and the forecasts are calibrated in the population. In "strata" 20% of
the rows have weight 16 and other forecasts than the rest. In "by outcome" every event is sampled and one in
ten of the other cases, with weight 10. Outcomes of a cluster are dependent (Gaussian copula, correlation ¼).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from coverage_records import Record, print_records, rate
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from edgeworth.forecasts.estimates import calibration_cells
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.parts import calibration_of, estimate_tally
from edgeworth.forecasts.robust_calibration import RobustCalibrationTest
from edgeworth.forecasts.tally import ForecastTally, Opponent
from edgeworth.sources.columns import Coded

Floats = NDArray[np.float64]

MEASURES = ("brier", "log", "roc_auc", "forecast_bias", "calibration_slope", "calibration_intercept")
CALIBRATED = {"forecast_bias": 0.0, "calibration_slope": 1.0, "calibration_intercept": 0.0}
POPULATION = 1_000_000
"""Cases behind the true Brier score, log score and ROC area."""


class Rows(NamedTuple):
    """Forecasts, outcomes, weights and clusters of the same rows."""

    forecasts: Floats
    outcomes: NDArray[np.bool_]
    weights: Floats | None = None
    clusters: NDArray[np.int64] | None = None


Draw = Callable[[np.random.Generator, int], Rows]


def _lognormal(sigma: float) -> Draw:
    def draw(rng: np.random.Generator, rows: int) -> Rows:
        weights = np.exp(rng.normal(0, sigma, rows))
        forecasts = expit(rng.normal(0, 1.5, rows))
        return Rows(forecasts, rng.random(rows) < forecasts, weights)

    return draw


def _strata(rng: np.random.Generator, rows: int) -> Rows:
    is_large = rng.random(rows) < 0.2
    odds = np.where(is_large, rng.normal(-0.5, 1.2, rows), rng.normal(1, 1.5, rows))
    return Rows(expit(odds), rng.random(rows) < expit(odds), np.where(is_large, 16.0, 1.0))


def _by_outcome(rng: np.random.Generator, rows: int) -> Rows:
    forecasts = expit(rng.normal(-2.2, 1.2, 8 * rows))
    outcomes = rng.random(8 * rows) < forecasts
    kept = np.flatnonzero(outcomes | (rng.random(8 * rows) < 0.1))[:rows]
    return Rows(forecasts[kept], outcomes[kept], np.where(outcomes[kept], 1.0, 10.0))


def _clustered(rng: np.random.Generator, rows: int) -> Rows:
    """Draw clusters of 20 rows on average."""
    number = rows // 20
    codes = np.repeat(np.arange(number), np.maximum(1, rng.poisson(20, number)))
    forecasts = expit(rng.normal(0, 1.2, len(codes)) + rng.normal(0, 0.8, number)[codes])
    shared, own = rng.normal(size=number)[codes], rng.normal(size=len(codes))
    return Rows(forecasts, ndtr(0.5 * shared + math.sqrt(0.75) * own) < forecasts, None, codes)


SETTINGS: dict[str, tuple[Draw, int]] = {
    "lognormal weights, σ = 0.5": (_lognormal(0.5), 200),
    "lognormal weights, σ = 1": (_lognormal(1.0), 200),
    "strata, weights 1 and 16": (_strata, 200),
    "by outcome, weights 1 and 10": (_by_outcome, 200),
    "20 clusters": (_clustered, 400),
    "40 clusters": (_clustered, 800),
}


def tally_rows(rows: Rows, *, weighted: bool = True) -> ForecastTally:
    """Tally drawn rows against their class shares."""
    model = Forecasts.of(rows.outcomes.astype(int), rows.forecasts)
    model = model.weigh(rows.weights if weighted else None)
    shares = model.class_totals / model.class_totals.sum()
    clusters = None
    if rows.clusters is not None:
        clusters = Coded(rows.clusters, tuple(range(int(rows.clusters.max()) + 1)))
    return ForecastTally.of(model, Opponent.class_shares(model, tuple(shares.tolist())), clusters=clusters)


def coverage(samples: int) -> Iterator[Record]:
    """Yield how often intervals of weighted rows and clusters cover, and how often the test rejects."""
    for number, (name, (draw, cases)) in enumerate(SETTINGS.items()):
        population = draw(np.random.default_rng([34, number]), POPULATION)._replace(clusters=None)
        # Lognormal weights have nothing to do with the case, and equal ones know the truth better.
        true = tally_rows(population, weighted=not name.startswith("lognormal"))
        truth = {measure: estimate_tally(true, measure).value for measure in MEASURES} | CALIBRATED
        rng = np.random.default_rng([35, number])
        covered, widths, rejected = dict.fromkeys(MEASURES, 0), dict.fromkeys(MEASURES, 0.0), 0
        for _ in range(samples):
            tally = tally_rows(draw(rng, cases))
            for measure in MEASURES:
                low, high = estimate_tally(tally, measure).interval(0.95)
                covered[measure] += low <= truth[measure] <= high
                widths[measure] += (high - low) / samples
            test = RobustCalibrationTest.of(calibration_cells(calibration_of(tally), 1))
            rejected += test.p_value <= 0.05
        clusters = cases // 20 if "clusters" in name else None
        for measure, count in covered.items():
            share, error = rate(count, samples)
            yield Record(
                name, measure, cases, clusters=clusters, coverage=share, se=error, width=widths[measure],
                samples=samples,
            )  # fmt: skip
        share, error = rate(rejected, samples)
        yield Record(
            name, "test of calibration", cases, clusters=clusters, rejected=share, se=error, samples=samples
        )


GRIDS = {"forecast-rows": coverage}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("samples", type=int, nargs="?", default=500)
    print_records(coverage(parser.parse_args().samples))


if __name__ == "__main__":
    main()
