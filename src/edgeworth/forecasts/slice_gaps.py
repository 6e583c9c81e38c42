"""Gaps between the forecasts of a part of the cases and those of the rest."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from edgeworth.core.measures import Spelling
from edgeworth.core.slice_gaps import (
    STUDENT_TEST,
    Gap,
    MeanMoments,
    SkewedMeansLaw,
    Units,
    correlate_clusters,
    gap_between,
)
from edgeworth.core.test_results import TestResult
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.calibration import Calibration, Reliability
from edgeworth.forecasts.estimates import estimate_forecasts
from edgeworth.forecasts.measures import Forecast, resolve_forecast
from edgeworth.forecasts.policy import MAX_CLASSES_COMPARED_BY_SLICE, MIN_OUTCOMES_FOR_GAP
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.tally import ForecastTally


def default_gap_measures(tally: ForecastTally) -> tuple[str, ...]:
    """Choose measures that do not move with the shares of the classes.

    With more than two classes decisions and ROC areas move with the shares: a calibrated forecast of a class
    rises with its share, and what is not the class is a mixture of the others.
    """
    if len(tally.labels) == 2:
        return ("roc_auc", "forecast_bias")
    most_common = np.argsort(-tally.scores.classes, kind="stable")[:MAX_CLASSES_COMPARED_BY_SLICE]
    return tuple(str(Spelling("forecast_bias", str(tally.labels[index]))) for index in sorted(most_common))


def base_rates(tally: ForecastTally) -> dict[str, float]:
    """Compute the share of each class; for two classes, of the second only."""
    shares = dict(
        zip(map(str, tally.labels), (tally.scores.classes / tally.scores.total).tolist(), strict=True)
    )
    return shares if len(shares) != 2 else dict([list(shares.items())[1]])


def independent_units(tally: Forecast) -> Units:
    """Count the cases, the effective number of weighted ones, or the clusters that they are in."""
    if not isinstance(tally, Wealth) and tally.clusters is not None:
        return Units(float(tally.clusters.number), are_clusters=True)
    return Units(tally.effective_cases if isinstance(tally, ForecastScores) else float(tally.cases))


def gap_of_forecasts(part: Forecast, rest: Forecast, measure: str) -> Gap:
    """Compare a mean over the cases of a part with that of the rest.

    Nothing is claimed unless each side has enough cases of the rarer outcome: the errors that would move the
    mean may not have occurred yet.
    """
    estimates = [estimate_forecasts(tally, measure) for tally in (part, rest)]
    outcomes = [_rarer_outcome(tally, measure) for tally in (part, rest)]
    no_claim = None
    if min(outcomes) < MIN_OUTCOMES_FOR_GAP:
        no_claim = f"fewer than {MIN_OUTCOMES_FOR_GAP} cases of the rarer outcome in the slice or the rest"
    if not (isinstance(part, Calibration) and isinstance(rest, Calibration)) or part.needs_robust_laws:
        # A cluster with cases in both makes them dependent.
        correlation = correlate_clusters(_cluster_effects(part, measure), _cluster_effects(rest, measure))
        return gap_between(*estimates, correlation=correlation, no_claim=no_claim)
    law = SkewedMeansLaw.of(*(_bias_moments(tally, measure) for tally in (part, rest)))
    if law is None or any(estimate.law is None for estimate in estimates):
        return gap_between(*estimates, no_claim=no_claim)
    test = TestResult.approximate(law.p_value(0.0, "two-sided"), 0.0, STUDENT_TEST)
    return gap_between(*estimates, law=law, test=test, no_claim=no_claim)


def _cluster_effects(tally: Forecast, measure: str) -> dict[Hashable, float]:
    """Sum what the cases of each cluster add to a mean score or to the forecast bias; empty without them."""
    resolved = resolve_forecast(tally, measure)
    if isinstance(tally, ForecastScores) and tally.clusters is not None and resolved.measure.score:
        return tally.clusters.score_effects(resolved.measure.score, tally.index_of(resolved.system))
    if isinstance(tally, Calibration) and tally.clusters is not None and resolved.label is not None:
        return tally.clusters.bias_effects(tally.labels.index(resolved.label))
    return {}


def _rarer_outcome(tally: Forecast, measure: str) -> float:
    """Count the cases of the rarest outcome; weighted ones count as their share of the effective number."""
    if isinstance(tally, ForecastScores):
        return float(tally.classes.min()) * (tally.effective_cases / tally.total if tally.total else 1.0)
    if isinstance(tally, Calibration):
        label = resolve_forecast(tally, measure).label
        assert label is not None
        curve = tally.curve(label)
        if curve.squares is not None:
            return _rarer_weighted(curve)
        return float(min(curve.hits.sum(), (curve.cases - curve.hits).sum()))
    return math.inf


def _rarer_weighted(curve: Reliability) -> float:
    """Count the effective number of weighted cases of the rarer outcome."""
    assert curve.squares is not None
    totals = float(curve.hits.sum()), float((curve.cases - curve.hits).sum())
    squares = curve.squares.sum(axis=1).tolist()
    return min(total**2 / square if square else 0.0 for total, square in zip(totals, squares, strict=True))


def _bias_moments(tally: Calibration, measure: str) -> MeanMoments:
    """Compute the moments of forecast − outcome."""
    label = resolve_forecast(tally, measure).label
    assert label is not None
    curve = tally.curve(label)
    values = np.concatenate([curve.values - 1, curve.values])
    counts = np.concatenate([curve.hits, curve.cases - curve.hits]).astype(np.float64)
    return MeanMoments.of(values[counts > 0], counts[counts > 0])
