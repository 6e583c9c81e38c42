"""From a difference between candidate and baseline to evidence about a requirement."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import scipy

from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.labels.proportions import PairedProportions
from edgeworth.comparisons.margin_planning import margin_plan, raw_counts
from edgeworth.comparisons.margins import is_no_worse, reason_for_no_margin
from edgeworth.comparisons.policy import MIN_UNITS_FOR_NO_WORSE
from edgeworth.core.formatting import format_count, format_number, plural
from edgeworth.core.sampling_distributions import SamplingLaw, normal_quantile, unmirror
from edgeworth.gates.anytime import BettingSequence, items_needed
from edgeworth.gates.error_rates import NormalModel, OutcomeModel
from edgeworth.gates.evidence import (
    ConfirmingTest,
    Evidence,
    interval_of,
    nearest_end,
    needs_no_test,
    normal_model,
)
from edgeworth.gates.paired_rates import PairedModel
from edgeworth.gates.requirements import Region, Requirement


def difference_evidence(
    requirement: Requirement,
    difference: Difference,
    *,
    part: str = "",
    unit: str = "case",
    is_anytime: bool = False,
) -> Evidence:
    """Gather what a difference from the baseline (candidate less baseline) shows about a requirement."""
    region = requirement.region(difference.direction)
    reason = _reason(requirement, difference, unit)
    law, counts = difference.law, raw_counts(difference)
    method = difference.interval_method
    if is_anytime and reason is None:
        is_plain = counts is not None and math.isinf(counts.freedom)
        if not is_plain or counts is None:
            requirement.refuse(
                f"--anytime needs right-or-wrong answers, and {requirement.measure} is something else"
            )
        law = BettingSequence(counts.only_first, counts.only_second, counts.trials)
        method = str(law)
    model: OutcomeModel | None = None
    are_independent = counts is not None and math.isinf(counts.freedom)
    if law is not None and counts is not None and are_independent:
        model = PairedModel.of(counts.only_first + counts.only_second, counts.trials, is_anytime=is_anytime)
    elif law is not None:
        model = _mean_model(law, difference)
    evidence = Evidence(
        requirement,
        region,
        difference.values[0],
        difference.difference,
        interval_of(law),
        part,
        baseline_value=difference.values[1],
        cases=difference.cases,
        unit=unit,
        method=method,
        model=model,
        reason=reason,
        caveat=difference.caveat,
        unseen_shifts=difference.unseen_shifts,
        needed=partial(_cases_needed, difference, region, model),
        cannot_pass=partial(
            _no_difference_passes, region, difference, counts if are_independent else None, unit
        ),
    )
    if not is_anytime:
        test = _difference_test(difference) if region.ends_at_zero else None
        evidence = replace(evidence, is_confirmed=_confirmation(requirement, difference, test), test=test)
    elif isinstance(law, BettingSequence):
        bound = nearest_end(region, difference.difference)
        evidence = replace(evidence, needed=partial(items_needed, law, bound))
    return evidence


def _mean_model(law: SamplingLaw, difference: Difference) -> NormalModel:
    """Model the law of a difference that is no count of wins and losses."""
    plain, is_mirrored = unmirror(law)
    assert plain is not None
    model = normal_model(plain, difference.cases)
    skewness = -model.skewness if is_mirrored else model.skewness
    return replace(model, skewness=skewness, shifts=difference.unseen_shifts)


def _reason(requirement: Requirement, difference: Difference, unit: str) -> str | None:
    if difference.undefined is not None:
        return difference.undefined
    if requirement.relation == "within" and difference.direction == "neither":
        return None if difference.law is not None else f"there is no interval: {difference.no_interval}"
    if requirement.relation in ("no worse", "within"):
        return reason_for_no_margin(difference, unit)
    if difference.law is None:
        return f"there is no interval: {difference.no_interval}"
    return None if any(difference.unseen_shifts) else difference.no_winner


def _confirmation(
    requirement: Requirement, difference: Difference, test: ConfirmingTest | None
) -> Callable[[float], bool]:
    """Find the test that must show what the interval shows."""
    if requirement.relation == "no worse":
        return partial(_all_no_worse, (difference,), requirement.margin)
    if requirement.relation == "within" and difference.direction != "neither":
        return partial(_all_no_worse, (difference, difference.mirror()), requirement.margin)
    return needs_no_test if test is None else test.confirms


def _all_no_worse(differences: Sequence[Difference], margin: float, level: float) -> bool:
    return all(is_no_worse(difference, margin, level) for difference in differences)


def _difference_test(difference: Difference) -> ConfirmingTest:
    """Take the primary test of "no difference"."""
    name = next(iter(difference.tests), "")
    words = {"": "the test", "mcnemar": "the exact McNemar test"}
    return ConfirmingTest(words.get(name, f"the {name} test"), difference.p_value())


def _cases_needed(
    difference: Difference, region: Region, model: OutcomeModel | None, level: float, power: float
) -> float:
    """Plan for the observed difference: how many cases would put its interval on one side of the bound."""
    if model is None or math.isnan(difference.difference):
        return math.nan
    bound = nearest_end(region, difference.difference)
    distance = abs(difference.difference - bound)
    gain = difference.difference if difference.is_higher_better else -difference.difference
    is_margin = math.isfinite(region.low) != math.isfinite(region.high) and difference.direction != "neither"
    margin = -bound if difference.is_higher_better else bound
    if is_margin and margin > 0 and gain > -margin:
        return float(margin_plan(difference, margin, gain, level=level, power=power).needed)
    if math.isfinite(region.low) and math.isfinite(region.high) and region.low < 0 < region.high:
        inside = region.low < difference.difference < region.high
        if inside:
            return difference.cases * _within_ratio(region, difference.difference, model, level, power)
    reach = normal_quantile(level) + float(scipy.special.ndtri(power))
    ratio = reach * model.spread(difference.difference) / distance if distance > 0 else math.inf
    return difference.cases * ratio**2


def _within_ratio(region: Region, truth: float, model: OutcomeModel, level: float, power: float) -> float:
    """Find how many times the cases would put the interval between both ends of a region."""
    reach, spread = normal_quantile(level), model.spread(truth)
    distances = truth - region.low, region.high - truth

    def excess(log_ratio: float) -> float:
        error = spread * math.exp(-log_ratio / 2)
        chances = (float(scipy.special.ndtr(distance / error - reach)) for distance in distances)
        return sum(chances) - 1 - power

    return math.exp(scipy.optimize.brentq(excess, -40.0, 40.0)) if spread > 0 else 0.0


def _no_difference_passes(
    region: Region, difference: Difference, counts: PairedProportions | None, unit: str, level: float
) -> str | None:
    """Explain that no result, or none without a gain, would pass with this many cases."""
    units = plural(2, unit)
    if counts is None:
        return _no_difference_fits(region, difference, units, level)
    trials = format_count(counts.trials)
    margin = min((abs(end) for end in region if math.isfinite(end)), default=math.inf)
    if region.ends_at_zero:
        fewest = math.floor(1 - math.log2(1 - level)) + 1
        if counts.trials < fewest:
            return f"no result could pass with {trials} {units}: at least {fewest} are needed"
        return None
    if region.low > 0 or region.high < 0:
        return None
    if counts.trials < MIN_UNITS_FOR_NO_WORSE:
        return f"no result could pass with {trials} {units}: at least {MIN_UNITS_FOR_NO_WORSE} are needed"
    square = normal_quantile(level) ** 2
    least = math.floor(square * (1 - margin) / margin) + 1
    if counts.trials >= least:
        return None
    if math.isfinite(region.low) and math.isfinite(region.high):
        return f"no result could pass with {trials} {units}: at least {format_count(least)} are needed"
    return (
        f"with {trials} {units} only an observed gain can pass: systems with identical answers need at least "
        f"{format_count(least)}"
    )


def _no_difference_fits(region: Region, difference: Difference, units: str, level: float) -> str | None:
    """Explain that the interval is wider than what "within" allows, wherever it lies."""
    low, high = difference.interval(level)
    if not high - low >= region.high - region.low:
        return None
    reach, allowed = ((end - start) / 2 for start, end in ((low, high), region))
    return (
        f"no difference could pass with {format_count(difference.cases)} {units}: the interval reaches "
        f"{format_number(reach)} to each side, and only {format_number(allowed)} is allowed"
    )
