"""Which of two systems ranks better: the difference of a measure of two rankings of the same cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeGuard, Unpack

import numpy as np
import scipy

from edgeworth.comparisons.chance import RANDOM_SELECTION
from edgeworth.comparisons.difference import Difference, standardised_effect
from edgeworth.comparisons.findings import ComparisonFindings, PairsOptions, compare_pairs
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.comparisons.policy import MIN_CASES_FOR_STUDENT
from edgeworth.comparisons.scores.influence import (
    describe_few_cases,
    difference_law,
    resolve_measure,
    tie_groups_of_system,
)
from edgeworth.comparisons.scores.resampling import SwappedRanks, bootstrap_differences
from edgeworth.comparisons.scores.sampling_distributions import CalibratedLaw, ScoreDifferenceLaw
from edgeworth.core.estimates import Estimate, check_method, estimate, no_test
from edgeworth.core.measures import Measure
from edgeworth.core.sampling_distributions import BootstrapLaw, SamplingLaw
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.estimates import Bootstrap
from edgeworth.decisions.resampling import defined_draws
from edgeworth.errors import OptionError, check_whole
from edgeworth.rankings.estimates import class_split
from edgeworth.rankings.intervals.methods import (
    FOLDED_CLUSTERS,
    Influence,
    check_influence,
    has_influence,
)
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measure_lookup import ResolvedRanking

SWAPS_FOR_ONE_PAIR = 999
MIN_SWAPS_FOR_ONE_PAIR = 199
MIN_SWAPS = 99
"""Swaps that are drawn: for one pair, for one pair of long lists, and the fewest for one of many pairs."""
MAX_CASES_SWAPPED = 20_000_000
"""Cases that are swapped, or drawn again, within a second or so."""
MAX_CASES_SWAPPED_WITH_ERRORS = 2_000_000
"""The same where every swap has a standard error of its own."""
ALIKE = "both systems rank every case the same, so their variability cannot be estimated"
POSTERIOR = "approximation: 1 − p/2"


def score_difference(
    paired: PairedScores,
    first: str,
    second: str,
    measure: str | Measure,
    *,
    method: object = None,
    permutations: int | None = None,
    seed: int = 0,
) -> Difference:
    """Compare a measure of two systems' rankings of the same cases, first minus second.

    For ROC area and average precision the variance is that of each case's effects on both rankings
    (``Influence()``). Its critical values come from swaps of the two systems' ranks (``CalibratedLaw``), or
    from Student's t if there are no swaps or enough targets. The primary test is that of the interval, so
    that the two never disagree. For the ROC area, the normal test of DeLong, DeLong & Clarke-Pearson (1988)
    with the same variance is also reported. Other measures, and ``method=Bootstrap()``, draw the same cases
    again for both systems. The permutation test needs no sampling law. It draws ``permutations`` of them (0,
    or at least 99), by default none for long or weighted lists. The probability that the first is better is
    1 − p/2 of the primary test, on the side of the difference. Within folds
    (``PairedScores.within_folds``) values are means over folds, and cases vary in each.

    >>> paired = PairedScores.from_scores(
    ...     [1, 1, 1, 0, 0, 0, 0], {"a": [7, 6, 4, 5, 3, 2, 1], "b": [7, 3, 4, 5, 6, 2, 1]}
    ... )
    >>> round(score_difference(paired, "a", "b", "roc_auc").difference, 4)
    0.25
    """
    resolved, reason = resolve_measure(paired, measure)
    steps = [[tie_groups_of_system(part, name) for part in paired.parts] for name in (first, second)]
    values = [
        math.nan if reason else float(np.mean([resolved.values(x)[0] for x in tie_groups]))
        for tie_groups in steps
    ]
    result = Difference(
        measure=resolved.spelling,
        first=first,
        second=second,
        values=(values[0], values[1]),
        direction=resolved.measure.direction,
        cases=float(paired.units),
        undefined=reason or next(filter(None, (resolved.undefined(x)[0] for x in chain(*steps))), None),
    )
    chosen = _choose_method(paired, resolved, method, seed)
    if result.undefined is not None:
        return replace(result, no_interval=result.undefined)
    if all(np.array_equal(x.case_ranks(first).place, x.case_ranks(second).place) for x in paired.parts):
        same = TestResult(1.0, 1.0, 1.0, "exact: the two systems rank every case the same")
        names = ["influence", "delong"] if resolved.measure.is_area else ["influence"]
        return replace(
            result,
            tests=dict.fromkeys(["bootstrap"] if isinstance(chosen, Bootstrap) else names, same),
            probability_better=0.5,
            probability_method="the two systems rank every case the same",
            no_interval=ALIKE,
        )
    try:
        result = _infer(paired, result, resolved, chosen)
    except OptionError as error:
        if method is not None:
            raise
        result = replace(result, no_interval=str(error))
        if paired.clusters is not None:
            return replace(result, caveat=str(error))
    draws = _permutations(paired, permutations, result.law)
    if draws:
        result = _with_swaps(paired, result, resolved, draws, seed)
    law = result.law
    if law is None:
        return result
    how = "influence of each case on both systems" if isinstance(chosen, Influence) else str(chosen)
    if isinstance(law, CalibratedLaw):
        how += ", calibrated by swaps"
    result = replace(result, interval_method=how)
    if not result.standard_error > 0:
        return result
    tail = result.p_value() / 2
    return replace(
        result,
        probability_better=0.5 if result.better is None else 1 - tail if result.better == first else tail,
        probability_method=POSTERIOR,
        effect=standardised_effect(result.difference, law, result.cases),
    )


def shared_permutations(paired: PairedScores, pairs: int) -> int:
    """Find how many swaps each of many pairs can have: none where they are too few to calibrate."""
    draws = MAX_CASES_SWAPPED_WITH_ERRORS // max(1, int(paired.case_weights.sum()) * pairs)
    return _whole(min(draws, SWAPS_FOR_ONE_PAIR)) if can_swap(paired) and draws >= MIN_SWAPS else 0


def can_swap(paired: PairedScores) -> bool:
    """Return whether systems can be swapped in single cases, or in clusters that each are in one ranking."""
    return paired.is_counted and not (paired.folds and paired.clusters is not None)


def _whole(draws: int) -> int:
    """Round down to a multiple of 100 minus 1, so that 1, 5 and 10% are whole counts."""
    return (draws + 1) // 100 * 100 - 1


def _choose_method(
    paired: PairedScores, resolved: ResolvedRanking, method: object, seed: int
) -> Influence | Bootstrap:
    check_method(method)
    if method is None:
        if has_influence(resolved):
            return Influence()
        # Replicates of many cases differ less, so fewer draws are enough.
        return Bootstrap(draws=int(np.clip(MAX_CASES_SWAPPED // max(1, len(paired)), 200, 2000)), rng=seed)
    if isinstance(method, Bootstrap):
        return method
    if not isinstance(method, Influence):
        raise OptionError(f"{method} is not for differences of rankings: use Influence() or Bootstrap()")
    check_influence(resolved)
    return method


def _infer(
    paired: PairedScores, difference: Difference, resolved: ResolvedRanking, method: Influence | Bootstrap
) -> Difference:
    """Add the law, its tests and any caveat; the test of the interval is the first."""
    if isinstance(method, Bootstrap):
        if paired.folds and paired.clusters is not None:
            raise OptionError(FOLDED_CLUSTERS)
        rng = np.random.default_rng(method.seed)
        names = difference.first, difference.second
        draws = np.mean(
            [bootstrap_differences(part, *names, resolved, method.draws, rng) for part in paired.parts],
            axis=0,
        )
        replicates = BootstrapLaw(difference.difference, *defined_draws(draws, resolved.spelling))
        tests = {"bootstrap": _approximate(replicates, str(method))}
        return replace(difference, law=replicates, tests=tests, caveat=describe_few_cases(paired, math.inf))
    law, caveat = difference_law(paired, difference.first, difference.second, resolved)
    low, high = law.interval(0.95)
    if low == high:
        raise OptionError("no case changes the difference, so its variability cannot be estimated")
    how = f"influence of each case, Student's t with {law.freedom:.3g} degrees of freedom"
    tests = {"influence": _approximate(law, how)}
    if resolved.measure.is_area and law.standard_error > 0:
        # As published: the difference over its standard error, normal.
        p_value = 2 * float(scipy.special.ndtr(-abs(law.value) / law.standard_error))
        how = "approximation, normal with the variance of DeLong, DeLong & Clarke-Pearson"
        tests["delong"] = TestResult.approximate(p_value, 1.0, how)
    return replace(difference, law=law, tests=tests, caveat=caveat)


def _approximate(law: SamplingLaw, method: str) -> TestResult:
    return TestResult.approximate(law.p_value(0.0, "two-sided"), 1.0, f"approximation, {method}")


def _permutations(paired: PairedScores, requested: int | None, law: SamplingLaw | None) -> int:
    if requested is not None:
        check_whole(requested, "the number of permutations", 0)
        if 0 < requested < MIN_SWAPS:
            raise OptionError(
                f"{requested} permutations are too few for a p-value: use at least {MIN_SWAPS}, or 0 for none"
            )
        return requested
    cases = paired.case_weights.sum()
    if not can_swap(paired) or cases * SWAPS_FOR_ONE_PAIR > MAX_CASES_SWAPPED:
        return 0
    if _needs_swaps(law):
        return _whole(
            int(
                np.clip(
                    MAX_CASES_SWAPPED_WITH_ERRORS // max(1, cases), MIN_SWAPS_FOR_ONE_PAIR, SWAPS_FOR_ONE_PAIR
                )
            )
        )
    return SWAPS_FOR_ONE_PAIR


def _needs_swaps(law: SamplingLaw | None) -> TypeGuard[ScoreDifferenceLaw]:
    """Return whether Student's law needs calibration: few targets (or other cases), nothing separated."""
    if not isinstance(law, ScoreDifferenceLaw) or not law.standard_error > 0:
        return False
    sides = (law.first, law.second)
    few = min(min(side.targets, side.background) for side in sides) < MIN_CASES_FOR_STUDENT
    return few and not any(side.is_separated for side in sides)


def _with_swaps(
    paired: PairedScores, difference: Difference, resolved: ResolvedRanking, draws: int, seed: int
) -> Difference:
    """Add the test by swaps, and calibrate the law and its own test by them if it needs that."""
    law, tests, needed = difference.law, dict(difference.tests), _needs_swaps(difference.law)
    swapped = SwappedRanks.of(
        paired, difference.first, difference.second, resolved, draws, seed, studentised=needed
    )
    if _needs_swaps(law) and swapped.distances is not None:
        calibrated = CalibratedLaw(law, np.sort(swapped.distances))
        method = f"calibrated by {draws:,} swaps of ranks in random {swapped.unit}, seed {seed}"
        law, tests["influence"] = calibrated, _approximate(calibrated, f"influence of each case, {method}")
    return replace(difference, law=law, tests={**tests, "permutation": swapped.tail})


MEASURES = ("average_precision", "roc_auc")

CLUSTERS_STAY = (
    "cases in a cluster are not independent, so random orders of single cases are not a valid null"
)
"""Why scores in clusters are not tested against random selection."""

WITHIN_FOLDS = (
    "Scores were ranked within folds: values are means over folds. Intervals and tests are about these "
    "fitted models on new cases, not about models that are trained again."
)


def compare_scores(
    paired: PairedScores,
    *,
    measures: Sequence[str] | None = None,
    method: object = None,
    level: float = 0.95,
    seed: int = 0,
    in_folds: bool = False,
    **pairs_options: Unpack[PairsOptions],
) -> ComparisonFindings:
    """Compare the scores of several systems for the same cases, ``in_folds`` within the folds read."""
    paired = paired.within_folds() if in_folds else paired
    # Swapping two systems takes up to seconds a pair: many pairs share what is quick for two.
    pairs = math.comb(len(paired.names), 2)
    swaps = None if pairs == 1 else shared_permutations(paired, pairs)
    splits = {
        name: reason
        for part in paired.parts
        for name in paired.names
        if (reason := class_split(part.ranking(name))) is not None
    }
    notes = (f"{name}: {reason}" for name, reason in splits.items())

    def differences(first: str, second: str) -> dict[str, Difference]:
        results = (
            score_difference(paired, first, second, name, method=method, permutations=swaps, seed=seed)
            for name in measures or MEASURES
        )
        if splits.keys() & {first, second}:
            reason = "nearly equal scores are split by class, as in leave-one-out predictions"
            results = (replace(result, law=None, tests={}, no_interval=reason) for result in results)
        return {result.measure: result for result in results}

    def alone(name: str, measure: str) -> Estimate:
        if name in splits:
            raise OptionError(splits[name])
        if not in_folds:
            estimated = estimate(paired.ranking(name), measure, rng=seed)
            if paired.clusters is None:
                return estimated
            return replace(estimated, chance_test=no_test, no_chance_test=CLUSTERS_STAY)
        targets, scores = (
            np.concatenate([part.targets for part in paired.parts]),
            np.concatenate([part.row(name) for part in paired.parts]),
        )
        folds = np.repeat(np.arange(len(paired.parts)), [len(part) for part in paired.parts])
        if paired.clusters is not None:
            clusters = paired.clusters.codes
            lists = RankedLists.from_scores(targets.astype(int), scores, groups=folds, clusters=clusters)
            estimated = estimate(lists, measure, rng=seed)
            return replace(estimated, chance_test=no_test, no_chance_test=CLUSTERS_STAY)
        lists = RankedLists.from_scores(targets.astype(int), scores, groups=folds)
        # Few folds do not show how much a mean varies, so only the test by random orders is left.
        return replace(estimate(lists, measure, rng=seed), law=None)

    return compare_pairs(
        "scores",
        paired.names,
        differences,
        unit="case" if paired.clusters is None else "cluster",
        level=level,
        **pairs_options,
        cases=float(len(paired)),
        seed=seed,
        dropped=paired.dropped,
        notes=(*((WITHIN_FOLDS,) if in_folds else ()), *notes),
        alone=alone,
        is_alone_valid=paired.clusters is None,
        chance_null=RANDOM_SELECTION,
    )
