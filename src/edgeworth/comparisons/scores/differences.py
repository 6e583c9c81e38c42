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
from edgeworth.comparisons.scores.influence import (
    difference_law,
    find_doubt,
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
from edgeworth.errors import OptionError, check_seed, check_whole
from edgeworth.rankings.estimates import class_split
from edgeworth.rankings.intervals.methods import Influence, check_influence, has_influence
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measure_lookup import ResolvedRanking

PERMUTATIONS = 999
FEWEST = 199
SOME = 99
"""Swaps of one pair by itself, of a long list, and of many pairs: so many at least, or none."""
QUICK = 20_000_000
"""Cases that are swapped, or drawn again, within a second or so."""
STUDENTISED = 2_000_000
"""The same where every swap has a standard error of its own."""
ENOUGH = 1000
"""With as many targets, and as many other cases, Student's law needs no swaps to hold its level."""

ALIKE = "the two rank every case alike, so nothing tells how much they might differ"
POSTERIOR = "approximation, the law of the interval taken for the posterior: 1 − p/2 of its test"


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
    """Compare a measure of two systems' rankings of the same cases, first less second.

    ROC area and average precision: the effects of each case on both rankings (``Influence()``), and how many
    standard errors are a surprise from swaps of the two systems' ranks (``CalibratedLaw``; Student's t where
    there are no swaps, or targets enough). The test to go by is that of the interval, so that the two never
    disagree; of the ROC area the one of DeLong, DeLong & Clarke-Pearson (1988), normal with the same
    variance, stands beside it. Anything else, or ``method=Bootstrap()``: the same cases drawn again for both.
    The test by permutation needs no sampling law; it makes so many ``permutations`` (0, or 99 at least), none
    of a long list or a weighted one unless a number is given. The probability that the first is better is
    1 − p/2 of the test to go by, on the side of the difference. Within folds
    (``PairedScores.within_folds``) values are means over folds, and cases vary in each.

    >>> paired = PairedScores.from_scores(
    ...     [1, 1, 1, 0, 0, 0, 0], {"a": [7, 6, 4, 5, 3, 2, 1], "b": [7, 3, 4, 5, 6, 2, 1]}
    ... )
    >>> round(score_difference(paired, "a", "b", "roc_auc").difference, 4)
    0.25
    """
    check_seed(seed)
    resolved, reason = resolve_measure(paired, measure)
    steps = [[tie_groups_of_system(part, name) for part in paired.parts] for name in (first, second)]
    values = [math.nan if reason else float(np.mean([resolved.values(x)[0] for x in each])) for each in steps]
    found = Difference(
        measure=resolved.spelling,
        first=first,
        second=second,
        values=(values[0], values[1]),
        direction=resolved.measure.direction,
        cases=float(paired.units),
        undefined=reason or next((why for x in chain(*steps) if (why := resolved.undefined(x)[0])), None),
    )
    chosen = _choose_method(paired, resolved, method, seed)
    if found.undefined is not None:
        return replace(found, no_interval=found.undefined)
    if all(np.array_equal(x.case_ranks(first).place, x.case_ranks(second).place) for x in paired.parts):
        same = TestResult(1.0, 1.0, 1.0, "exact: the two rank every case alike")
        names = ["influence", "delong"] if resolved.measure.is_area else ["influence"]
        return replace(
            found,
            tests=dict.fromkeys(["bootstrap"] if isinstance(chosen, Bootstrap) else names, same),
            probability_better=0.5,
            probability_method="the two rank every case alike",
            no_interval=ALIKE,
        )
    try:
        found = _infer(paired, found, resolved, chosen)
    except OptionError as error:
        if method is not None:
            raise
        found = replace(found, no_interval=str(error))
        if paired.clusters is not None:
            return replace(found, doubt=str(error))
    draws = _permutations(paired, permutations, found.law)
    if draws:
        found = _with_swaps(paired, found, resolved, draws, seed)
    law = found.law
    if law is None:
        return found
    how = "effects of each case on both" if isinstance(chosen, Influence) else str(chosen)
    if isinstance(law, CalibratedLaw):
        how += ", distances as in swaps of the two"
    found = replace(found, interval_method=how)
    if not found.standard_error > 0:
        return found
    tail = found.p_value() / 2
    return replace(
        found,
        probability_better=0.5 if found.better is None else 1 - tail if found.better == first else tail,
        probability_method=POSTERIOR,
        effect=standardised_effect(found.difference, law, found.cases),
    )


def shared_permutations(paired: PairedScores, pairs: int) -> int:
    """Find how many swaps each of many pairs can have: none where they are too few to calibrate."""
    draws = STUDENTISED // max(1, int(paired.case_weights.sum()) * pairs)
    return _whole(min(draws, PERMUTATIONS)) if paired.is_counted and draws >= SOME else 0


def _whole(draws: int) -> int:
    """No more, and with the observed a whole hundred: 1, 5 and 10% are shares that can be counted."""
    return (draws + 1) // 100 * 100 - 1


def _choose_method(
    paired: PairedScores, resolved: ResolvedRanking, method: object, seed: int
) -> Influence | Bootstrap:
    check_method(method)
    if method is None:
        if has_influence(resolved):
            return Influence()
        # Fewer draws of many cases tell as much: their replicates differ less.
        return Bootstrap(draws=int(np.clip(QUICK // max(1, len(paired)), 200, 2000)), seed=seed)
    if isinstance(method, Bootstrap):
        return method
    if not isinstance(method, Influence):
        raise OptionError(f"{method} is not for differences of rankings: use Influence() or Bootstrap()")
    check_influence(resolved)
    return method


def _infer(
    paired: PairedScores, found: Difference, resolved: ResolvedRanking, method: Influence | Bootstrap
) -> Difference:
    """Add the law, its tests and any doubt; the test of the interval is the first."""
    if isinstance(method, Bootstrap):
        how = (found.first, found.second, resolved, method.draws, np.random.default_rng(method.seed))
        draws = np.mean([bootstrap_differences(part, *how) for part in paired.parts], axis=0)
        replicates = BootstrapLaw(found.difference, *defined_draws(draws, resolved.spelling))
        tests = {"bootstrap": _approximate(replicates, str(method))}
        return replace(found, law=replicates, tests=tests, doubt=find_doubt(paired, math.inf))
    law, doubt = difference_law(paired, found.first, found.second, resolved)
    low, high = law.interval(0.95)
    if low == high:
        raise OptionError("no case moves the difference, so nothing tells how much it varies")
    said = f"effects of each case, Student's t with {law.freedom:.3g} degrees of freedom"
    tests = {"influence": _approximate(law, said)}
    if resolved.measure.is_area and law.standard_error > 0:
        # As published: the difference over its standard error, normal.
        p_value = 2 * float(scipy.special.ndtr(-abs(law.value) / law.standard_error))
        said = "approximation, normal with the variance of DeLong, DeLong & Clarke-Pearson"
        tests["delong"] = TestResult.approximate(p_value, 1.0, said)
    return replace(found, law=law, tests=tests, doubt=doubt)


def _approximate(law: SamplingLaw, said: str) -> TestResult:
    return TestResult.approximate(law.p_value(0.0, "two-sided"), 1.0, f"approximation, {said}")


def _permutations(paired: PairedScores, asked: int | None, law: SamplingLaw | None) -> int:
    if asked is not None:
        check_whole(asked, "the number of permutations", 0)
        if 0 < asked < SOME:
            raise OptionError(
                f"{asked} permutations tell too little about a tail: use {SOME} at least, or 0 for none"
            )
        return asked
    cases = paired.case_weights.sum()
    if not paired.is_counted or cases * PERMUTATIONS > QUICK:
        return 0
    if _needs_swaps(law):
        return _whole(int(np.clip(STUDENTISED // max(1, cases), FEWEST, PERMUTATIONS)))
    return PERMUTATIONS


def _needs_swaps(law: SamplingLaw | None) -> TypeGuard[ScoreDifferenceLaw]:
    """Tell whether Student's law needs calibration: few targets (or other cases), nothing separated."""
    if not isinstance(law, ScoreDifferenceLaw) or not law.standard_error > 0:
        return False
    sides = (law.first, law.second)
    few = min(min(side.targets, side.background) for side in sides) < ENOUGH
    return few and not any(side.is_separated for side in sides)


def _with_swaps(
    paired: PairedScores, found: Difference, resolved: ResolvedRanking, draws: int, seed: int
) -> Difference:
    """Add the test by swaps, and calibrate the law and its own test by them where it needs that."""
    law, tests, needed = found.law, dict(found.tests), _needs_swaps(found.law)
    swapped = SwappedRanks.of(paired, found.first, found.second, resolved, draws, seed, studentised=needed)
    if _needs_swaps(law) and swapped.distances is not None:
        calibrated = CalibratedLaw(law, np.sort(swapped.distances))
        said = f"distances as in {draws:,} swaps of the two's ranks in random {swapped.unit}, seed {seed}"
        law, tests["influence"] = calibrated, _approximate(calibrated, f"effects of each case, {said}")
    return replace(found, law=law, tests={**tests, "permutation": swapped.tail})


MEASURES = ("average_precision", "roc_auc")

CLUSTERS_STAY = "the cases of a cluster belong together, so random orders of single cases are no null"
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
    """Compare the scores of several systems for the same cases, ``in_folds`` within what clusters name."""
    paired = paired.within_folds() if in_folds else paired
    # Swapping two systems takes up to seconds a pair: many pairs share what is quick for two.
    pairs = math.comb(len(paired.names), 2)
    swaps = None if pairs == 1 else shared_permutations(paired, pairs)
    splits = {
        name: said
        for part in paired.parts
        for name in paired.names
        if (said := class_split(part.ranking(name))) is not None
    }
    notes = (f"{name}: {said}" for name, said in splits.items())

    def differences(first: str, second: str) -> dict[str, Difference]:
        found = (
            score_difference(paired, first, second, name, method=method, permutations=swaps, seed=seed)
            for name in measures or MEASURES
        )
        if splits.keys() & {first, second}:
            said = "nearly equal scores are split by class, as in left-out predictions"
            found = (replace(each, law=None, tests={}, no_interval=said) for each in found)
        return {each.measure: each for each in found}

    def alone(name: str, measure: str) -> Estimate:
        if name in splits:
            raise OptionError(splits[name])
        if not in_folds:
            found = estimate(paired.ranking(name), measure, seed=seed)
            if paired.clusters is None:
                return found
            return replace(found, chance_test=no_test, no_chance_test=CLUSTERS_STAY)
        targets, scores = (
            np.concatenate([part.targets for part in paired.parts]),
            np.concatenate([part.row(name) for part in paired.parts]),
        )
        folds = np.repeat(np.arange(len(paired.parts)), [len(part) for part in paired.parts])
        lists = RankedLists.from_scores(targets.astype(int), scores, groups=folds)
        # Few folds do not tell how much a mean varies: the test by random orders is all there is.
        return replace(estimate(lists, measure, seed=seed), law=None)

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
        chance_null=RANDOM_SELECTION,
    )
