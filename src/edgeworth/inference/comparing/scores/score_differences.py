"""Which of two systems ranks better: the difference of a measure of two rankings of the same cases."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import special

from edgeworth.errors import OptionError, check_seed
from edgeworth.inference.case_effects import Places, Spread
from edgeworth.inference.comparing.differences import Difference, Effect
from edgeworth.inference.comparing.scores.score_effects import (
    difference_law,
    has_effects,
    reason_to_doubt,
    resolved_for,
    steps_of_system,
)
from edgeworth.inference.comparing.scores.score_laws import ScoreDifferenceLaw
from edgeworth.inference.comparing.scores.score_resampling import bootstrap_differences, permutation_tail
from edgeworth.inference.estimates import check_method
from edgeworth.inference.laws import BootstrapLaw, SamplingLaw
from edgeworth.inference.methods import Bootstrap, Method
from edgeworth.inference.ranking_methods import Influence
from edgeworth.inference.resampling import defined_draws
from edgeworth.inference.tails import SMALLEST, Tail
from edgeworth.measures.along import ResolvedRanking
from edgeworth.measures.definition import Measure
from edgeworth.tallies.paired_scores import PairedScores

PERMUTATIONS = 999
QUICK = 20_000_000
"""Cases that are swapped, or drawn again, within a second or so."""

ALIKE = "the two rank every case alike, so nothing tells how much they might differ"
POSTERIOR = "normal approximation to the posterior, Φ(difference/standard error)"


@dataclass(frozen=True)
class _Learnt:
    """What a method says about a difference; of the tests the one of the interval is first."""

    law: SamplingLaw
    tests: dict[str, Tail]
    doubt: str | None


def score_difference(
    paired: PairedScores,
    first: str,
    second: str,
    measure: str | Measure,
    *,
    method: Method | None = None,
    permutations: int | None = None,
    seed: int = 0,
) -> Difference:
    """The first system's value less the second's, with what is known about it.

    ROC area and average precision: the effects of each case on both rankings (``Influence()``). The test to
    go by is that of the interval, so that the two never disagree; of the ROC area the one of DeLong, DeLong &
    Clarke-Pearson (1988), normal with the same variance, stands beside it. Anything else, or
    ``method=Bootstrap()``: the same cases drawn again for both. The test by permutation needs no sampling
    law; it makes so many ``permutations``, none of a long list or a weighted one unless a number is given.

    >>> paired = PairedScores.from_scores(
    ...     [1, 1, 1, 0, 0, 0, 0], {"a": [7, 6, 4, 5, 3, 2, 1], "b": [7, 3, 4, 5, 6, 2, 1]}
    ... )
    >>> round(score_difference(paired, "a", "b", "roc_auc").difference, 4)
    0.25
    """
    check_seed(seed)
    resolved, reason = resolved_for(paired, measure)
    steps = [steps_of_system(paired, name) for name in (first, second)]
    values = [math.nan if reason else float(resolved.values(each)[0]) for each in steps]
    found = Difference(
        measure=resolved.spelling,
        first=first,
        second=second,
        values=(values[0], values[1]),
        is_higher_better=resolved.measure.direction != "lower",
        cases=float(paired.units),
        undefined=reason or resolved.undefined(steps[0])[0] or resolved.undefined(steps[1])[0],
    )
    chosen = _chosen(paired, resolved, method, seed)
    if found.undefined is not None:
        return replace(found, no_interval=found.undefined)
    if np.array_equal(paired.standing(first).place, paired.standing(second).place):
        same = Tail(1.0, 1.0, 1.0, "exact: the two rank every case alike")
        return replace(
            found,
            tests=dict.fromkeys(_tests_of(resolved, chosen), same),
            probability_better=0.5,
            probability_method="the two rank every case alike",
            no_interval=ALIKE,
        )
    try:
        learnt, no_interval = _learnt(paired, found, resolved, chosen), None
    except OptionError as error:
        if method is not None:
            raise
        learnt, no_interval = None, str(error)
    tests = {} if learnt is None else dict(learnt.tests)
    draws = _permutations(paired, permutations)
    if draws:
        tests["permutation"] = permutation_tail(paired, first, second, resolved, draws, seed)
    if learnt is None:
        return replace(found, tests=tests, no_interval=no_interval)
    how = "effects of each case on both" if method is None else str(method)
    found = replace(found, law=learnt.law, tests=tests, doubt=learnt.doubt, interval_method=how)
    if not found.standard_error > 0:
        return found
    distance = found.difference / found.standard_error
    return replace(
        found,
        probability_better=float(special.ndtr(distance if found.is_higher_better else -distance)),
        probability_method=POSTERIOR,
        effect=_effect(found, learnt.law),
    )


def _chosen(
    paired: PairedScores, resolved: ResolvedRanking, method: Method | None, seed: int
) -> Influence | Bootstrap:
    check_method(method)
    if method is None:
        if has_effects(resolved):
            return Influence()
        # Fewer draws of many cases tell as much: their replicates differ less.
        return Bootstrap(draws=int(np.clip(QUICK // max(1, len(paired)), 200, 2000)), seed=seed)
    if isinstance(method, Bootstrap):
        if method.interval == "bca":
            raise OptionError("the BCa interval is for decisions: use percentile with rankings")
        return method
    if not isinstance(method, Influence):
        raise OptionError(f"{method} is not for differences of rankings: use Influence() or Bootstrap()")
    if not has_effects(resolved):
        raise OptionError(
            f"Influence() is for average_precision and roc_auc with ties as expected or threshold; "
            f"{resolved.spelling} is neither: use Bootstrap()"
        )
    return method


def _learnt(
    paired: PairedScores, found: Difference, resolved: ResolvedRanking, method: Influence | Bootstrap
) -> _Learnt:
    if isinstance(method, Bootstrap):
        return _by_bootstrap(paired, found, resolved, method)
    law, doubt = difference_law(paired, found.first, found.second, resolved)
    low, high = law.interval(0.95)
    if low == high:
        raise OptionError("no case moves the difference, so nothing tells how much it varies")
    said = f"approximation, effects of each case, Student's t with {law.freedom:.3g} degrees of freedom"
    tests = {"influence": _approximate(law, said)}
    if resolved.measure.name == "roc_auc" and law.standard_error > 0:
        tests["delong"] = _delong(law)
    return _Learnt(law, tests, doubt)


def _delong(law: ScoreDifferenceLaw) -> Tail:
    """The test as published: the difference over its standard error, normal."""
    p_value = 2 * float(special.ndtr(-abs(law.value) / law.standard_error))
    said = "approximation, normal with the variance of DeLong, DeLong & Clarke-Pearson"
    return Tail(0.0, 1.0, max(SMALLEST, p_value), said, kind="approximation")


def _by_bootstrap(
    paired: PairedScores, found: Difference, resolved: ResolvedRanking, method: Bootstrap
) -> _Learnt:
    draws = bootstrap_differences(paired, found.first, found.second, resolved, method.draws, method.seed)
    defined, lost = defined_draws(draws, resolved.spelling)
    if np.ptp(defined) <= 1e-12:
        raise OptionError("every replicate has the same value: resampling does not tell how much it varies")
    law = BootstrapLaw(found.difference, defined, "percentile", 0.0, lost)
    places = Places.of(steps_of_system(paired, found.first))
    doubt = reason_to_doubt(paired, places, Spread(0.0, math.inf))
    return _Learnt(law, {"bootstrap": _approximate(law, f"approximation, {method}")}, doubt)


def _approximate(law: SamplingLaw, said: str) -> Tail:
    p_value = min(1.0, max(SMALLEST, law.p_value(0.0, "two-sided")))
    return Tail(0.0, 1.0, p_value, said, kind="approximation")


def _tests_of(resolved: ResolvedRanking, method: Influence | Bootstrap) -> tuple[str, ...]:
    if isinstance(method, Bootstrap):
        return ("bootstrap",)
    return ("influence", "delong") if resolved.measure.name == "roc_auc" else ("influence",)


def _permutations(paired: PairedScores, asked: int | None) -> int:
    if asked is None:
        return PERMUTATIONS if paired.weights is None and len(paired) * PERMUTATIONS <= QUICK else 0
    if isinstance(asked, bool) or not isinstance(asked, int) or asked < 0:
        raise OptionError(f"the number of permutations is a whole number of at least 0; saw {asked!r}")
    return asked


def _effect(found: Difference, law: SamplingLaw) -> Effect:
    """The difference in standard deviations of what one case (or group) adds to it."""
    spread = law.standard_error * math.sqrt(found.cases)
    name = "difference in standard deviations of a case's effect"
    return Effect.of(name, found.difference / spread, partial(_bounds_over, law, spread))


def _bounds_over(law: SamplingLaw, spread: float, level: float) -> tuple[float, float]:
    low, high = law.interval(level)
    return low / spread, high / spread
