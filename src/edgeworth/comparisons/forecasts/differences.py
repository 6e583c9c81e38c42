"""Probabilities of several systems on the same cases, compared by scores (lower is better) and by bets.

d_i is the first's score of case i minus the second's. The mean d̄ has variance s²/n for independent cases, and
Σ_g (Σ_{i in g} (d_i − d̄))² / (1 − n_g/n) / n² for independent clusters of n_g cases (CR2, and Satterthwaite's
degrees of freedom).

Forecasts h steps ahead have errors that overlap, so differences up to h − 1 apart go together. With
γ_k = Σ_{t>k} (d_t − d̄)(d_{t−k} − d̄)/n

    V = γ_0 + 2 Σ_{k<h} w_k γ_k,  w_k = 1 (rectangular) or 1 − k/h (Newey and West),  DM = d̄ / √(V/n)

(Diebold & Mariano 1995, Journal of Business & Economic Statistics 13, 253–263). With few cases DM rejects too
often; times √((n + 1 − 2h + h(h − 1)/n)/n), and held against Student's t with n − 1 degrees of freedom, it
nearly keeps its level (Harvey, Leybourne & Newbold 1997, International Journal of Forecasting 13, 281–291).
For h = 1 that is the paired t test, to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Unpack

import numpy as np
import scipy

from edgeworth.common.arrays import Floats
from edgeworth.common.choices import PredictionsMade
from edgeworth.comparisons.chance import CLASS_SHARES
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings, PairsOptions, all_pairs, compare_pairs
from edgeworth.comparisons.forecasts.bets import (
    CaseClusters,
    Duel,
    WealthRace,
    forecast_duel,
    race_of_duels,
    race_of_sums,
    wealth_of_clusters,
)
from edgeworth.comparisons.forecasts.calibration import (
    estimate_alone,
    is_score,
    measure_difference,
    usual_calibration,
)
from edgeworth.comparisons.forecasts.scarce_outcomes import NO_TEST, bound_difference, too_little_happened
from edgeworth.comparisons.paired_values.paired_tests import MeanDifference, mean_difference
from edgeworth.comparisons.policy import MAX_PAIRS_FOLLOWED, MIN_UNITS_FOR_T_TEST
from edgeworth.core.estimates import Estimate, estimate
from edgeworth.core.formatting import plural
from edgeworth.core.sampling_distributions import Alternative, invert_interval
from edgeworth.core.test_results import TestResult
from edgeworth.errors import InputError, OptionError, check_whole
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.estimates import mean_sequence
from edgeworth.forecasts.forecasts import RESCALED, Forecasts
from edgeworth.forecasts.reading import CLIPPED
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import RULES, case_scores

MEASURES = tuple(name for name, rule in RULES.items() if not rule.is_ordered)
IN_SAMPLE = (
    "the predictions were made in sample, by models that had seen these outcomes, so e-values prove nothing"
)
OVERLAPPING = (
    "forecasts {horizon} steps ahead overlap: each bet is placed before the last one is settled, so e-values "
    "and confidence sequences do not hold"
)
NOT_OVERLAPPING = "the interval assumes independent cases, but forecasts several steps ahead overlap"
MIXED_UP = "The rows of a cluster are not adjacent, so only the final e-value is evidence, not its path."
NOTES: dict[str, tuple[str, ...]] = {
    "before": (),
    "cross-validated": (
        "The predictions are cross-validated: each model was trained on the outcomes of other cases, and "
        "e-values hold given those.",
    ),
    "in-sample": ("The predictions were made in sample: they favour the model that overfits more.",),
}


def compare_forecasts(
    forecasts: Mapping[str, Forecasts],
    *,
    measures: Sequence[str] | None = None,
    clusters: object = None,
    horizon: int = 1,
    ordered: bool = False,
    predictions_made: PredictionsMade = "before",
    clip: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    **pairs_options: Unpack[PairsOptions],
) -> ComparisonFindings:
    """Compare probabilities that several systems gave to the same cases, and let them bet with each other.

    With ``clusters`` a cluster is one bet: the geometric mean of its rows' factors. The wealth of forecasts
    several steps ahead (``horizon``), or made in sample, is no evidence; ``no_evidence`` is the reason.
    """
    first_system = next(iter(forecasts.values()))
    usual = usual_calibration(tuple(forecasts.values())) if horizon == 1 and not measures else ()
    wanted = tuple(measures or (*MEASURES, *usual))
    if any(
        first_system.labels != x.labels or not np.array_equal(first_system.codes, x.codes)
        for x in forecasts.values()
    ):
        raise InputError("the forecasts to score together are of the same cases and classes")
    notes = (*NOTES[predictions_made], *(() if clip is None else (CLIPPED.format(clip=clip),)))
    notes += (RESCALED,) if any(system.are_rescaled for system in forecasts.values()) else ()
    units = None if clusters is None else CaseClusters.of(clusters, len(first_system))
    if ordered and units is not None and not units.are_consecutive:
        notes = (*notes, MIXED_UP)
    rules = tuple(filter(is_score, wanted))
    scores = {name: dict(zip(rules, case_scores(x, rules), strict=True)) for name, x in forecasts.items()}

    def differences(first: str, second: str) -> dict[str, Difference]:
        pair = forecasts[first], forecasts[second]
        are_equal = np.array_equal(pair[0].probabilities, pair[1].probabilities)

        def reason(measure: str) -> str | None:
            score = measure if is_score(measure) else None
            return None if are_equal else too_little_happened(*pair, units, score=score)

        return {measure: difference(first, second, measure, reason(measure)) for measure in wanted}

    def difference(first: str, second: str, score: str, reason: str | None) -> Difference:
        if not is_score(score):
            systems = forecasts[first], forecasts[second]
            result = measure_difference(systems, (first, second), score, units)
            overlapping = None if horizon == 1 else NOT_OVERLAPPING
            result = replace(result, no_winner=overlapping or result.no_winner or reason)
            return result if reason is None else replace(result, no_test=NO_TEST, probability_better=math.nan)
        reach = RULES[score].highest(len(first_system.labels))
        both = (scores[name][score] for name in (first, second))
        result = mean_score_difference(
            *both,
            names=(first, second),
            score=score,
            reach=reach,
            clusters=units,
            horizon=horizon,
            ordered=ordered,
        )
        is_sequence = ordered and units is None and horizon == 1
        # A confidence sequence of bounded scores holds however little happened.
        if reason is None or result.undefined is not None or (is_sequence and math.isfinite(reach)):
            return result
        pair = forecasts[first], forecasts[second]
        return bound_difference(result, reason, *pair, clusters=units, horizon=horizon, ordered=is_sequence)

    no_evidence = None if horizon == 1 else OVERLAPPING.format(horizon=horizon)
    if predictions_made == "in-sample":
        no_evidence = IN_SAMPLE
    duels = _duels(forecasts, units, ordered, predictions_made, level)
    race = race_of_duels(duels) if duels else _race_at_the_end(forecasts, units)
    shares = np.bincount(first_system.codes, minlength=len(first_system.labels)) / max(len(first_system), 1)
    constant = replace(first_system, probabilities=np.broadcast_to(shares, first_system.probabilities.shape))

    def alone(name: str, score: str) -> Estimate:
        if not is_score(score):
            return estimate_alone(forecasts[name], score)
        both = (scores[name][score], case_scores(constant, (score,))[0])
        reach, names = RULES[score].highest(len(first_system.labels)), (name, CLASS_SHARES)
        # Shares counted on all cases were not known on the way, so no confidence sequence holds.
        paired = mean_score_difference(
            *both, names=names, score=score, reach=reach, clusters=units, horizon=horizon, ordered=False
        )
        alone = ForecastScores.from_forecasts({"alone": forecasts[name]}, scores=(score,))
        return replace(estimate(alone, score), chance_test=partial(_test_difference, paired))

    return compare_pairs(
        "probabilities",
        tuple(forecasts),
        differences,
        unit="case" if units is None else "cluster",
        level=level,
        **pairs_options,
        cases=float(len(first_system)),
        seed=seed,
        race=race if no_evidence is None else replace(race, evidence={}, no_evidence=no_evidence),
        duels=duels if no_evidence is None else (),
        notes=notes,
        alone=alone,
        is_alone_valid=units is None and horizon == 1,
        chance_null=CLASS_SHARES,
    )


def _test_difference(difference: Difference, alternative: Alternative) -> TestResult | None:
    """Test whether a difference is 0, by its law."""
    if difference.law is None:
        return None
    p_value = difference.law.p_value(0.0, alternative)
    return TestResult.approximate(p_value, 0.0, f"difference case by case, {difference.interval_method}")


def _duels(
    forecasts: Mapping[str, Forecasts],
    units: CaseClusters | None,
    ordered: bool,
    predictions_made: PredictionsMade,
    level: float,
) -> tuple[Duel, ...]:
    """Bet each system against each other, unless there are too many pairs or a bet cannot be settled."""
    pairs = all_pairs(tuple(forecasts))
    zeros = [system.of_truth(system.probabilities) == 0 for system in forecasts.values()]
    if len(pairs) > MAX_PAIRS_FOLLOWED or (np.sum(zeros, axis=0) > 1).any():
        return ()

    def duel(first: str, second: str) -> Duel:
        make = Wealth.from_forecasts if units is None else partial(wealth_of_clusters, clusters=units)
        wealth = make(
            forecasts[first],
            forecasts[second],
            against=second,
            ordered=ordered,
            predictions_made=predictions_made,
        )
        return forecast_duel(wealth, first, second, level=level, unit="case" if units is None else "cluster")

    return tuple(duel(first, second) for first, second in pairs)


def _race_at_the_end(forecasts: Mapping[str, Forecasts], units: CaseClusters | None) -> WealthRace:
    """Find the end of the race alone, from sums of log scores."""
    logs = np.stack([case_scores(system, ("log",))[0] for system in forecasts.values()], axis=1)
    if units is None:
        return race_of_sums(tuple(forecasts), logs.sum(axis=0), len(logs))
    return race_of_sums(tuple(forecasts), units.means(logs).sum(axis=0), units.number, "cluster")


POSTERIOR = "Student's t posterior of the mean score difference, flat prior on mean and logarithm of spread"


def mean_score_difference(
    first: Floats,
    second: Floats,
    *,
    names: tuple[str, str],
    score: str,
    clusters: CaseClusters | None = None,
    horizon: int = 1,
    ordered: bool = False,
    reach: float = math.inf,
) -> Difference:
    """Compare two means of scores, one number per case; lower is better.

    ``clusters`` are independent, cases within one need not be. ``horizon`` is how many steps ahead the
    forecasts were made, with cases in the order of time; above 1 Diebold and Mariano's test gives interval
    and p-value. Cases that are ``ordered``, looked at as they come, have the confidence sequence of
    differences within ±``reach``.

    >>> mine, its = np.array([0.04, 0.09, 0.25, 0.01]), np.array([0.16, 0.16, 0.25, 0.25])
    >>> result = mean_score_difference(mine, its, names=("A", "B"), score="brier")
    >>> round(result.difference, 4), result.better, round(result.p_value(), 4)
    (-0.1075, 'A', 0.1235)
    """
    check_whole(horizon, "the horizon", 1, Integral)
    if clusters is not None and horizon > 1:
        raise OptionError("clusters are independent and a horizon joins neighbours: give one of the two")
    cases = len(first)
    means = (float(first.mean()), float(second.mean())) if cases else (math.nan, math.nan)
    bare = Difference(score, *names, means, "lower", cases=cases if clusters is None else clusters.number)
    zeros = [int(np.isinf(scores).sum()) for scores in (first, second)]
    if any(zeros):
        counts = [
            f"{name} gave probability 0 to an outcome that occurred in {number:,} {plural(number, 'case')}"
            for name, number in zip(names, zeros, strict=True)
            if number
        ]
        return replace(bare, undefined=f"{', '.join(counts)}, so the mean {score} score is infinite")
    if not cases:
        return replace(bare, undefined="there are no cases")
    if horizon >= cases > 1:
        reason = f"forecasts {horizon} ahead need more than {horizon} cases; there are {cases:,}"
        return replace(bare, no_interval=reason)
    differences = first - second
    size = float(max(np.abs(first).max(), np.abs(second).max()))
    codes = None if clusters is None else clusters.codes
    mean = mean_difference(differences, clusters=codes, size=size, reach=reach)
    if horizon > 1 and mean.law is not None:
        return _with_diebold_mariano(bare, differences - differences.mean(), horizon)
    result = _with_t_test(bare, mean, clusters is not None)
    if ordered and clusters is None and mean.law is not None:
        return _with_sequence(result, differences, reach)
    return result


def _with_t_test(bare: Difference, mean: MeanDifference, is_clustered: bool) -> Difference:
    """Add the law and the tests of independent cases or clusters."""
    student = mean.test()
    tests = {} if math.isnan(student.p_value) else {"t": student, "wald": student}
    if mean.law is not None:
        wald = 2 * float(scipy.special.ndtr(-abs(mean.statistic)))
        tests["wald"] = TestResult.approximate(wald, 0.0, "normal approximation")
    if tests and not is_clustered:
        # At horizon 1, with the correction for few cases, Diebold and Mariano's test is the paired t test.
        method = f"Diebold–Mariano, corrected for few cases, {student.method}"
        tests["diebold-mariano"] = replace(student, method=method)
    return replace(
        bare,
        # Sums of the same numbers in another order may round otherwise.
        values=bare.values if mean.value else (bare.values[0], bare.values[0]),
        law=mean.law,
        tests=tests,
        interval_method="" if mean.law is None else "Student's t",
        no_interval=mean.no_law,
        # Lower is better.
        probability_better=1 - mean.probability_above,
        probability_method=POSTERIOR,
        effect=mean.effect(),
        no_winner=mean.caveat,
        caveat=_few(mean.units, "clusters" if is_clustered else "cases"),
    )


@dataclass(frozen=True, eq=False)
class SequenceLaw:
    """The confidence sequence of a mean of differences within ±reach, as it is after the last case."""

    differences: Floats
    reach: float
    standard_error: float

    def interval(self, level: float) -> tuple[float, float]:
        """Return the bounds that hold at all times at a level."""
        return mean_sequence(self.differences, level=level, reach=self.reach).last[1:]

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Find the level at which the null just leaves the interval."""
        return invert_interval(self.interval, float(self.differences.mean()), null, alternative)


def _with_sequence(student: Difference, differences: Floats, reach: float) -> Difference:
    """Replace a Student difference by that of the confidence sequence, valid as cases come in."""
    law = SequenceLaw(differences, reach, student.standard_error)
    method = mean_sequence(differences, reach=reach).method
    p_value = law.p_value(0.0, "two-sided")
    tests = {"sequence": TestResult.approximate(p_value, 0.0, f"valid at any time: {method}")} | dict(
        student.tests
    )
    return replace(student, law=law, tests=tests, interval_method=method)


def _few(number: int, unit: str) -> str | None:
    return (
        None
        if number >= MIN_UNITS_FOR_T_TEST
        else f"{number} {unit} are few: the test assumes nearly normal differences"
    )


def _with_diebold_mariano(bare: Difference, rest: Floats, horizon: int) -> Difference:
    """Add the law and Diebold and Mariano's test, given the differences minus their mean.

    The rectangular V may come out negative; then Newey and West's, which may not, is used.
    """
    cases, kernel, caveat = len(rest), "rectangular", _few(len(rest), "cases")
    variance = long_run_variance(rest, horizon)
    if variance <= 0:
        kernel, variance = "newey-west", long_run_variance(rest, horizon, newey_west=True)
        caveat = "the rectangular variance is not above 0: Newey and West's weights were used"
    if variance <= 0:
        return replace(bare, no_interval="the variance of the mean is not above 0, whatever the weights")
    # n + 1 − 2h + h(h − 1)/n = (n − h)(n − h + 1)/n
    error = math.sqrt(variance / cases / ((cases - horizon) * (cases - horizon + 1) / cases**2))
    mean = MeanDifference(bare.difference, error, cases, cases - 1.0)
    result, student = _with_t_test(bare, mean, False), mean.test()
    method = f"Diebold–Mariano, {horizon} ahead ({kernel}), corrected for few cases, {student.method}"
    tests = {"diebold-mariano": replace(student, method=method)}
    return replace(result, tests=tests, effect=None, caveat=caveat)


def long_run_variance(rest: Floats, horizon: int, *, newey_west: bool = False) -> float:
    """Compute γ_0 + 2 Σ_{k<h} w_k γ_k of differences minus their mean.

    >>> [long_run_variance(np.array([1.0, 1.0, -2.0]), 2, newey_west=each) for each in (False, True)]
    [1.3333333333333333, 1.6666666666666667]
    """
    total = float((rest**2).sum())
    for lag in range(1, horizon):
        weight = 1 - lag / horizon if newey_west else 1.0
        total += 2 * weight * float((rest[lag:] * rest[:-lag]).sum())
    return total / len(rest)
