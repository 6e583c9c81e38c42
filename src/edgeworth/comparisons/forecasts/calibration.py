"""Differences of every other measure of probabilities: calibration, skill, perplexity and growth.

A measure that is a smooth function of means has an influence per case, and the difference of two systems'
influences on the same cases gives the paired standard error, over cases or clusters. Two kinds are not smooth
at calibration. The squared calibration error has a variance there, 2v² per bin, which is the least that its
difference is given. The expected calibration error combines the two systems' own bounds by square-and-add,
which is wide because both systems met the same outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.comparisons.difference import Difference, standardised_effect
from edgeworth.comparisons.forecasts.bets import CaseClusters
from edgeworth.comparisons.paired_values.paired_tests import mean_difference
from edgeworth.comparisons.policy import MAX_SYSTEMS_JUDGED, MIN_CASES_FOR_CALIBRATION
from edgeworth.core.estimates import Estimate, estimate, no_test
from edgeworth.core.registry import canonical_spelling, measures_by_name
from edgeworth.core.sampling_distributions import (
    Alternative,
    NormalLaw,
    SamplingLaw,
    Scale,
    invert_interval,
)
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError
from edgeworth.forecasts.calibration import Calibration, Reliability
from edgeworth.forecasts.calibration_error import BinnedGaps, bins_of
from edgeworth.forecasts.calibration_test import spiegelhalter_weights
from edgeworth.forecasts.corp_reliability import decompose, recalibrate
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.kind import SCORES
from edgeworth.forecasts.measures import SCOPES, Forecast, ResolvedForecast, climatology, resolve_forecast
from edgeworth.forecasts.recalibration import Recalibration, intercept_in_the_large
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import RULES, case_scores

ALONE = "alone"
BY_LOG_SCORE = ("growth", "log_wealth")
CALIBRATION_ERROR = "squared_calibration_error"
SQUARED_AND_ADDED = "square-and-add of each system's bounds"
PAIRED = "influence of each case on both systems"
NO_LAW = "isotonic regression also fits noise: compare squared_calibration_error instead"
FITTED = ("calibration_slope", "calibration_intercept")
FIT_TOLERANCE = 1e-8
"""Coefficients of a regression that was fitted step by step agree up to about this share of an influence."""
NO_WEALTH = "{name} belongs to bets against one opponent: compare growth or log_wealth instead"
MISLED = (
    "events happened less often at higher forecasts in some bins, as with leave-one-out predictions: bins "
    "may mislead"
)
SAME = "it depends on the outcomes alone, so it is the same for all systems"


def is_score(measure: str) -> bool:
    """Return whether a measure is the mean of a proper score, which is compared case by case."""
    return measure in RULES


def usual_calibration(systems: Sequence[Forecasts]) -> tuple[str, ...]:
    """Return the calibration error that a comparison shows by default: for two classes and enough cases.

    It is left out if bins mislead, which is judged for a few systems only.
    """
    first = systems[0]
    if (
        len(first.labels) != 2
        or not len(first) >= MIN_CASES_FOR_CALIBRATION
        or len(systems) > MAX_SYSTEMS_JUDGED
    ):
        return ()
    parts = [measured_part(system, CALIBRATION_ERROR) for system in systems]
    is_misled = any(_are_bins_misled(system, part) for system, part in zip(systems, parts, strict=True))
    return () if is_misled else (CALIBRATION_ERROR,)


def _are_bins_misled(forecasts: Forecasts, part: tuple[Forecast, ResolvedForecast]) -> bool:
    """Return whether bins find more error than the best recalibration that never falls could remove.

    Then events happened less often at higher forecasts. Leave-one-out predictions do this: a model that did
    not see an event forecasts it a little lower, and narrow bins separate the outcomes.
    """
    curve = _curve(forecasts, part[1])[2]
    return _gaps(forecasts, part).squared > decompose(curve, "brier").miscalibration


def measured_part(forecasts: Forecasts, measure: str) -> tuple[Forecast, ResolvedForecast]:
    """Return the tally that a measure is of, and the measure as it was looked up on it.

    Growth and log wealth are measured by log scores: against the same fair prices two bettors differ by them.
    """
    name = canonical_spelling(measure, SCORES).name
    entry = measures_by_name(SCORES, *SCOPES.values()).get(name)
    if entry is not None and entry.scope == "calibration":
        counted = Calibration.from_forecasts(forecasts)
        return counted, resolve_forecast(counted, measure)
    scores = ForecastScores.from_forecasts({ALONE: forecasts})
    if entry is None or entry.scope == "scores":
        return scores, resolve_forecast(scores, measure)
    if name not in BY_LOG_SCORE:
        raise OptionError(NO_WEALTH.format(name=name))
    return scores, replace(resolve_forecast(scores, "log"), spelling=name)


def estimate_alone(forecasts: Forecasts, measure: str) -> Estimate:
    """Estimate a measure of one system. It has no test against chance: calibration is another hypothesis."""
    part, resolved = measured_part(forecasts, measure)
    spelling = "log" if resolved.spelling in BY_LOG_SCORE else resolved.spelling
    result = estimate(part, spelling)
    return replace(
        result,
        chance=math.nan,
        chance_test=no_test,
        no_chance_test="calibration measures are not tested against chance",
    )


def measure_difference(
    forecasts: tuple[Forecasts, Forecasts],
    names: tuple[str, str],
    measure: str,
    clusters: CaseClusters | None = None,
) -> Difference:
    """Compare two systems by a measure of calibration, skill, perplexity or growth.

    >>> y, sharp, vague = [1, 0, 1, 0, 1], [0.9, 0.2, 0.8, 0.3, 0.6], [0.6, 0.5, 0.5, 0.4, 0.5]
    >>> both = (Forecasts.of(y, sharp), Forecasts.of(y, vague))
    >>> round(measure_difference(both, ("A", "B"), "perplexity").difference, 4)
    -0.5311
    """
    parts = [measured_part(system, measure) for system in forecasts]
    resolved = parts[0][1]
    units = len(forecasts[0]) if clusters is None else clusters.number
    scale = {"growth": -1.0, "log_wealth": -float(len(forecasts[0]))}.get(resolved.spelling, 1.0)
    first, second = (scale * own.value(part) for part, own in parts)
    direction = "higher" if scale < 0 else resolved.measure.direction
    bare = Difference(resolved.spelling, *names, (first, second), direction, cases=units)
    undefined = next((x for x in (own.undefined(part) for part, own in parts) if x is not None), None)
    if undefined is not None:
        return replace(bare, undefined=undefined)
    name = resolved.measure.name
    misled = None
    if name in ("ece", CALIBRATION_ERROR) and any(map(_are_bins_misled, forecasts, parts)):
        misled = MISLED
    if name == "ece":
        laws = tuple(own.law(part) for part, own in parts)
        assert laws[0] is not None
        assert laws[1] is not None
        added = SquareAndAddLaw(first, second, laws[0], laws[1])
        result = _with_law(bare, added, SQUARED_AND_ADDED, clusters)
        # The bounds are one-sided near 0, so no standard error describes them.
        return replace(result, no_winner=misled or result.no_winner, effect=None)
    if name not in INFLUENCES:
        return replace(bare, no_interval=SAME if name == "uncertainty" else NO_LAW)
    effects = [
        scale * INFLUENCES[name](system, own) for system, (_, own) in zip(forecasts, parts, strict=True)
    ]
    apart = effects[0] - effects[1]
    largest = float(max(map(_largest, effects)))
    if name in FITTED and _largest(apart) <= FIT_TOLERANCE * largest:
        # Forecasts whose log odds differ by a constant or a factor have the same fit, up to its last digits.
        bare, apart = replace(bare, values=(first, first)), np.zeros_like(apart)
    if not np.isfinite(apart).all():
        return replace(
            bare, no_interval="a score is infinite, because an outcome with probability 0 occurred"
        )
    codes = None if clusters is None else clusters.codes
    spread = mean_difference(apart, clusters=codes, size=largest)
    if spread.law is None:
        return replace(bare, no_interval=spread.no_law)
    error, freedom = spread.law.standard_error, spread.units - 1.0 if clusters is None else spread.freedom
    if name == CALIBRATION_ERROR:
        # Near calibration gaps are all luck: the errors of their squares are the least.
        least = [2 * float(gaps.weights**2 @ gaps.safe_variances**2) for gaps in map(_gaps, forecasts, parts)]
        error = max(error, math.sqrt(sum(least)))
    law = NormalLaw(bare.difference, error, Scale(), freedom)
    return replace(_with_law(bare, law, PAIRED, clusters), no_winner=misled or spread.caveat)


def _with_law(bare: Difference, law: SamplingLaw, method: str, clusters: CaseClusters | None) -> Difference:
    p_value = law.p_value(0.0, "two-sided")
    test = "t" if method == PAIRED else "bounds"
    tests = {test: TestResult.approximate(p_value, 0.0, method)}
    no_winner = "the bounds assume independent cases" if clusters is not None and method != PAIRED else None
    below = p_value / 2 if bare.difference > 0 else 1 - p_value / 2
    better = math.nan if bare.direction == "neither" else below if bare.direction == "lower" else 1 - below
    return replace(
        bare,
        law=law,
        tests=tests,
        interval_method=method,
        no_winner=no_winner,
        probability_better=better,
        effect=standardised_effect(bare.difference, law, bare.cases) if law.standard_error > 0 else None,
        probability_method="approximation: 1 − p/2",
    )


@dataclass(frozen=True)
class SquareAndAddLaw:
    """A difference of two estimates with bounds of their own: distances to the bounds, squared and added."""

    first: float
    second: float
    first_law: SamplingLaw
    second_law: SamplingLaw

    @property
    def standard_error(self) -> float:
        """Add the squared errors."""
        return math.hypot(self.first_law.standard_error, self.second_law.standard_error)

    def interval(self, level: float) -> tuple[float, float]:
        """Square and add."""
        (low, high), (other_low, other_high) = (
            self.first_law.interval(level),
            self.second_law.interval(level),
        )
        difference = self.first - self.second
        return (
            difference - math.hypot(self.first - low, other_high - self.second),
            difference + math.hypot(high - self.first, self.second - other_low),
        )

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Find the level at which the null just leaves the interval."""
        return invert_interval(self.interval, self.first - self.second, null, alternative)


# -- the influence of each case, its mean being 0 -----------------------------------------------------------


def _largest(effects: Floats) -> float:
    return float(np.abs(effects).max(initial=0.0))


def _curve(forecasts: Forecasts, resolved: ResolvedForecast) -> tuple[Floats, Floats, Reliability]:
    """Return the probabilities of a class, whether it came true, and both counted."""
    index = forecasts.labels.index(resolved.label)
    values, came_true = forecasts.probabilities[:, index], forecasts.codes == index
    return values, came_true.astype(np.float64), Reliability.of(values.copy(), came_true)


def _gaps(forecasts: Forecasts, part: tuple[Forecast, ResolvedForecast]) -> BinnedGaps:
    bins, binning = (part[1].arguments[name] for name in ("bins", "binning"))
    return BinnedGaps.of(_curve(forecasts, part[1])[2], float(bins), str(binning))


def _squared_error(forecasts: Forecasts, resolved: ResolvedForecast) -> Floats:
    """Compute 2 g_b (y − p − g_b) for a case of bin b."""
    values, outcomes, curve = _curve(forecasts, resolved)
    bins, binning = (resolved.arguments[name] for name in ("bins", "binning"))
    groups = bins_of(curve, int(bins), str(binning))[np.searchsorted(curve.values, values)]
    sizes = np.bincount(groups)
    gaps = np.bincount(groups, outcomes - values) / np.maximum(sizes, 1)
    return np.asarray(2 * gaps[groups] * (outcomes - values - gaps[groups]))


def _recalibrated(values: Floats, outcomes: Floats, intercept: float, slope: float) -> tuple[Floats, Floats]:
    """Return the log odds of forecasts between 0 and 1 (others 0), and the errors of the refitted ones."""
    from scipy.special import expit, logit

    inner = (values > 0) & (values < 1)
    log_odds = logit(np.where(inner, values, 0.5))
    return log_odds, np.where(inner, outcomes - expit(intercept + slope * log_odds), 0.0)


def _slope(forecasts: Forecasts, resolved: ResolvedForecast) -> Floats:
    values, outcomes, curve = _curve(forecasts, resolved)
    fit = Recalibration.fit(curve)
    log_odds, errors = _recalibrated(values, outcomes, fit.intercept, fit.slope)
    effects = fit.covariance @ np.stack([errors, errors * log_odds])
    return np.asarray(len(values) * effects[1])


def _intercept(forecasts: Forecasts, resolved: ResolvedForecast) -> Floats:
    values, outcomes, curve = _curve(forecasts, resolved)
    if resolved.arguments["slope"] == "fitted":
        fit = Recalibration.fit(curve)
        log_odds, errors = _recalibrated(values, outcomes, fit.intercept, fit.slope)
        return np.asarray(len(values) * (fit.covariance @ np.stack([errors, errors * log_odds]))[0])
    log_odds, errors = _recalibrated(values, outcomes, intercept_in_the_large(curve), 1.0)
    fitted = np.abs(outcomes - errors)
    information = float((fitted * (1 - fitted))[(values > 0) & (values < 1)].sum())
    return np.asarray(len(values) * errors / information)


def _spiegelhalter(forecasts: Forecasts, resolved: ResolvedForecast) -> Floats:
    values, outcomes, _ = _curve(forecasts, resolved)
    weights = spiegelhalter_weights(values)
    terms = (outcomes - values) * weights / math.sqrt(float((values * (1 - values)) @ weights**2))
    return np.asarray(len(values) * (terms - terms.mean()))


def _discrimination(forecasts: Forecasts, resolved: ResolvedForecast) -> Floats:
    """Compute the score of the class's share minus that of the recalibrated forecast, centred."""
    values, outcomes, curve = _curve(forecasts, resolved)
    fitted = recalibrate(curve)[np.searchsorted(curve.values, values)]
    base = np.full_like(values, outcomes.mean())
    both = []
    for probabilities in (base, fitted):
        happened = np.where(outcomes == 1, probabilities, 1 - probabilities)
        both.append(-np.log(happened) if resolved.arguments["score"] == "log" else (1 - happened) ** 2)
    effects = both[0] - both[1]
    return np.asarray(effects - effects.mean())


def _perplexity(forecasts: Forecasts, resolved: ResolvedForecast) -> Floats:
    del resolved
    logs = case_scores(forecasts, ("log",))[0]
    return np.asarray(math.exp(logs.mean()) * (logs - logs.mean()))


def _log_score(forecasts: Forecasts, resolved: ResolvedForecast) -> Floats:
    del resolved
    logs = case_scores(forecasts, ("log",))[0]
    return np.asarray(logs - logs.mean())


def _skill(forecasts: Forecasts, resolved: ResolvedForecast) -> Floats:
    """Differentiate 1 − S/C: shares fitted to the cases minimise C, so fitting them has no effect on it."""
    score = resolved.measure.name.removesuffix("_skill")
    shares = np.bincount(forecasts.codes, minlength=len(forecasts.labels)) / len(forecasts)
    constant = replace(forecasts, probabilities=np.broadcast_to(shares, forecasts.probabilities.shape))
    own, base = (case_scores(x, (score,))[0] for x in (forecasts, constant))
    level = climatology(ForecastScores.from_forecasts({ALONE: forecasts}), score)
    return np.asarray(-(own - own.mean()) / level + own.mean() / level**2 * (base - base.mean()))


INFLUENCES: dict[str, Callable[[Forecasts, ResolvedForecast], Floats]] = {
    "calibration_slope": _slope,
    "calibration_intercept": _intercept,
    "squared_calibration_error": _squared_error,
    "spiegelhalter_z": _spiegelhalter,
    "discrimination": _discrimination,
    "perplexity": _perplexity,
    "log": _log_score,
    **{f"{name}_skill": _skill for name in RULES},
}
