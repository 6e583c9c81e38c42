"""From estimates and differences to pass, fail or undecided."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import mul
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import scipy

from edgeworth.common.arrays import plain_values
from edgeworth.comparisons.labels.proportions import PairedProportions
from edgeworth.comparisons.paired_values.paired_tests import LawWithinReach
from edgeworth.core.estimates import Estimate, Interval
from edgeworth.core.formatting import format_count, plural
from edgeworth.core.kinds import kind_of
from edgeworth.core.sampling_distributions import (
    NewcombeLaw,
    NormalLaw,
    SamplingLaw,
    alpha_of,
    normal_quantile,
    student_quantile,
)
from edgeworth.gates.anytime import BettingSequence, items_needed
from edgeworth.gates.error_rates import (
    ErrorRate,
    Levels,
    NormalModel,
    OutcomeModel,
    ProportionModel,
    combine_rates,
    error_rate,
    rates_to_dicts,
    scenarios_of,
)
from edgeworth.gates.policy import MAX_TIMES_MORE_CASES, MIN_UNITS_FOR_RATES
from edgeworth.gates.requirements import Region, Requirement

Outcome: TypeAlias = Literal["pass", "fail", "undecided"]


# An evidence is pickled with its functions, so its defaults are functions of the module and not lambdas.


def no_interval(_level: float) -> Interval:
    """Return the interval of evidence that has none."""
    return Interval(math.nan, math.nan)


def needs_no_test(_level: float) -> bool:
    """Let the interval decide by itself."""
    return True


def _can_pass(_level: float) -> str | None:
    """Give no reason why no result could pass."""
    return None


def _no_plan(_level: float, _power: float) -> float:
    """Return no number of cases."""
    return math.nan


class ConfirmingTest(NamedTuple):
    """The test that must agree with the interval before anything is decided."""

    name: str
    p_value: float
    is_two_sided: bool = True

    def limit(self, level: float) -> float:
        """Compute the p-value that the test must stay below at a level."""
        return alpha_of(level) / (1 if self.is_two_sided else 2)

    def confirms(self, level: float) -> bool:
        """Return whether the p-value is small enough; an interval with one side may equal its limit."""
        limit = self.limit(level)
        return self.p_value < limit if self.is_two_sided else self.p_value <= limit


@dataclass(frozen=True)
class Evidence:
    """What is known about one requirement in all cases or in one part of them."""

    requirement: Requirement
    region: Region
    """The allowed values of ``quantity``."""
    value: float
    quantity: float
    """The measure itself, or its difference from the baseline: what the region is about."""
    interval: Callable[[float], Interval] = field(repr=False)
    part: str = ""
    column: str = ""
    """The column of the slice, or of the task: parts of one column have different items."""
    slice_name: str = ""
    """The value of that column in this part."""
    baseline_value: float = math.nan
    cases: float = math.nan
    unit: str = "case"
    method: str = ""
    model: OutcomeModel | None = field(default=None, repr=False)
    is_confirmed: Callable[[float], bool] = field(default=needs_no_test, repr=False)
    """Whether the test that goes with the interval shows it too, at a level."""
    test: ConfirmingTest | None = None
    """The test of "no difference" or of chance; None for other bounds."""
    reason: str | None = None
    """Why nothing can be decided, also if the interval would decide it."""
    caveat: str | None = None
    """A caveat about the numbers, which reports show."""
    cannot_pass: Callable[[float], str | None] = field(default=_can_pass, repr=False)
    """Why no result could pass with so few cases, at a level."""
    unseen_shifts: tuple[float, float] = (0.0, 0.0)
    """How far a few unseen units could lower and raise the quantity: a decision must survive that."""
    needed: Callable[[float, float], float] = field(default=_no_plan, repr=False)
    """How many cases would decide at a level with a power, if the truth is as observed."""

    def passes(self, level: float) -> bool:
        """Return whether the interval lies inside the region, and the test shows it too."""
        low, high = self._reach(level)
        is_closed = self.requirement.relation in (">=", "<=")
        inside = low >= self.region.low if is_closed else low > self.region.low
        inside &= high <= self.region.high if is_closed else high < self.region.high
        return self.reason is None and inside and self.is_confirmed(level)

    def fails(self, level: float) -> bool:
        """Return whether the interval lies entirely outside the region.

        Worse than the baseline also needs the two-sided test.
        """
        low, high = self._reach(level)
        is_outside = high < self.region.low or low > self.region.high
        is_confirmed = self.test is None or not self.test.is_two_sided or self.test.confirms(level)
        return self.reason is None and is_outside and is_confirmed

    @property
    def likely_outcome(self) -> Literal["pass", "fail"]:
        """What enough cases would decide if the truth is as observed."""
        return "pass" if self.region.low <= self.quantity <= self.region.high else "fail"

    def _reach(self, level: float) -> Interval:
        """Widen the interval, if a few unseen units could move the quantity beyond it."""
        (low, high), (lower, upper) = self.interval(level), self.unseen_shifts
        return Interval(min(low, self.quantity - lower), max(high, self.quantity + upper))


@dataclass(frozen=True)
class RequirementResult:
    """One requirement in all cases or in one part of them: what was decided, and how often that is wrong."""

    evidence: Evidence = field(repr=False)
    outcome: Outcome
    level: float
    more: float
    """How many more cases would decide, if the truth is as observed; 0 if it is decided, nan if unknown."""
    rates: tuple[ErrorRate, ...] = ()
    failing_level: float = math.nan
    """The level of the interval by which it would fail: higher with several checks (Holm)."""
    power: float = 0.8
    """The probability with which ``more`` cases would decide."""

    @property
    def requirement(self) -> Requirement:
        """The requirement."""
        return self.evidence.requirement

    @property
    def part(self) -> str:
        """The slice or task; empty for all cases."""
        return self.evidence.part

    @property
    def interval(self) -> Interval:
        """The interval of the measure, or of its difference from the baseline."""
        return self.evidence.interval(self.level)

    @property
    def cannot_pass(self) -> str | None:
        """Why no result could pass with so few cases."""
        return self.evidence.cannot_pass(self.level)

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        evidence = self.evidence
        values = {
            "requirement": evidence.requirement.text,
            "measure": evidence.requirement.measure,
            "part": evidence.part or None,
            "outcome": self.outcome,
            "value": evidence.value,
            "baseline_value": evidence.baseline_value,
            "quantity": evidence.quantity,
            "low": self.interval.low,
            "high": self.interval.high,
            "allowed_low": evidence.region.low,
            "allowed_high": evidence.region.high,
            "level": self.level,
            "method": evidence.method,
            "cases": evidence.cases,
            "unit": evidence.unit,
            "more_cases": self.more,
            "more_cases_would": evidence.likely_outcome if math.isfinite(self.more) and self.more else None,
            "p_value": math.nan if evidence.test is None else evidence.test.p_value,
            "reason": evidence.reason,
            "cannot_pass": self.cannot_pass,
            "error_rates": rates_to_dicts(self.rates),
        }
        return {name: plain_values(value) for name, value in values.items()}


def decide(
    evidence: Sequence[Evidence], *, level: float = 0.95, power: float = 0.8
) -> tuple[RequirementResult, ...]:
    """Decide every requirement: passing by its own interval, failing by Holm's method over all of them.

    Holm's step-down method with intervals: of k undecided requirements, those fail whose interval at the
    level ``1 − (1 − level)/k`` lies outside. The rest is tried again, until none fails.

    Parameters
    ----------
    evidence : sequence of Evidence
        One entry per requirement and part.
    level : float
        The level of the two-sided intervals.
    power : float
        The power for which the number of cases is planned.

    Returns
    -------
    tuple of RequirementResult
        In the order of the evidence.
    """
    not_failed, strict = set(range(len(evidence))), level
    while not_failed:
        strict = Levels.of(level, len(not_failed)).failing
        failing = {index for index in not_failed if evidence[index].fails(strict)}
        if not failing:
            break
        not_failed -= failing
    results = []
    for index, part in enumerate(evidence):
        outcome: Outcome = "fail"
        if index in not_failed:
            outcome = "pass" if part.passes(level) else "undecided"
        more = 0.0 if outcome != "undecided" else _more(part, Levels(level, strict), power)
        rates = error_rates_of(part, level, power, len(evidence))
        results.append(RequirementResult(part, outcome, level, more, rates, strict, power))
    return tuple(results)


def _more(evidence: Evidence, levels: Levels, power: float) -> float:
    """Compute how many more cases would decide; infinite if no reasonable number would, nan if unknown."""
    is_pass = evidence.likely_outcome == "pass"
    more = evidence.needed(levels.passing if is_pass else levels.failing, power) - evidence.cases
    # A plan for fewer cases than there are does not fit: this sample is undecided.
    if not more > 0:
        return math.nan
    return math.inf if more > MAX_TIMES_MORE_CASES * evidence.cases else math.ceil(more)


def error_rates_of(evidence: Evidence, level: float, power: float, tests: int) -> tuple[ErrorRate, ...]:
    """Compute how often the requirement passes and fails for systems of assumed quality."""
    model = evidence.model
    if model is None or evidence.reason is not None or has_too_few_units(model):
        return ()
    requirement, levels = evidence.requirement, Levels.of(level, tests)
    possible = requirement.possible_quantities
    truths = scenarios_of(evidence.region, requirement.reference, model, possible, levels, power=power)
    return tuple(error_rate(model, name, x, evidence.region, levels) for name, x in truths.items())


def combine_results(results: Sequence[RequirementResult]) -> list[ErrorRate]:
    """Combine error rates: of several requirements, or of one in several parts.

    Parts of one column have different items, so they are independent. All others share items.
    """
    is_one = len({result.requirement.text for result in results}) <= 1
    is_one_column = len({result.evidence.column for result in results}) <= 1
    return combine_rates([result.rates for result in results], are_independent=is_one and is_one_column)


def has_too_few_units(model: OutcomeModel | None) -> bool:
    """Return whether the rates of a mean would rest on too few units."""
    return isinstance(model, NormalModel) and model.units < MIN_UNITS_FOR_RATES


# -- from an estimate, or a difference, to evidence ------------------------------------------------------


def level_evidence(
    requirement: Requirement,
    estimate: Estimate,
    *,
    part: str = "",
    unit: str = "case",
    is_anytime: bool = False,
) -> Evidence:
    """Gather what an estimate shows about a requirement on the level of a measure."""
    if requirement.reference == "chance" and math.isnan(estimate.chance):
        requirement.refuse(f"{requirement.measure} has no known chance level here")
    region = requirement.region("higher", estimate.chance)
    law, reason = estimate.law, estimate.undefined or estimate.caveat
    if law is None and reason is None:
        reason = f"there is no interval: {estimate.no_interval}"
    method = "" if estimate.method is None else str(estimate.method)
    trials = _single_trials(law, estimate)
    if is_anytime and reason is None:
        if trials is None:
            requirement.refuse(
                f"--anytime needs right-or-wrong answers, and {requirement.measure} is something else"
            )
        law = BettingSequence(estimate.value * trials, 0.0, trials, 0.0)
        method = str(law)
    needed = _cases_needed(estimate, nearest_end(region, estimate.value), law)
    shifts = kind_of(estimate.tally).unseen_shifts(estimate.tally, estimate.measure)
    model = _level_model(law, trials, estimate.size, is_anytime=is_anytime)
    evidence = Evidence(
        requirement,
        region,
        estimate.value,
        estimate.value,
        interval_of(law),
        part,
        cases=estimate.size,
        unit=unit,
        method=method,
        model=replace(model, shifts=shifts) if isinstance(model, NormalModel) else model,
        reason=reason,
        unseen_shifts=shifts,
        needed=needed,
        cannot_pass=partial(_no_level_passes, region, law, estimate.size, unit),
    )
    if requirement.reference == "chance" and not is_anytime:
        alternative: Literal["greater", "less"] = "greater" if math.isfinite(region.low) else "less"
        # The interval is two-sided, so its test against one side has half of 1 − level.
        test = ConfirmingTest(
            "the test against chance", estimate.p_value(alternative=alternative), is_two_sided=False
        )
        evidence = replace(evidence, is_confirmed=test.confirms, test=test)
    return evidence


def _cases_needed(
    estimate: Estimate, bound: float, law: SamplingLaw | None
) -> Callable[[float, float], float]:
    """Plan for the observed value: how many cases would put its interval on one side of the bound."""
    if isinstance(law, BettingSequence):
        return partial(items_needed, law, bound)
    return partial(_cases_for_estimate, estimate, bound)


def _cases_for_estimate(estimate: Estimate, bound: float, level: float, power: float) -> float:
    return estimate.cases_needed(null=bound, level=level, power=power).needed


def interval_of(law: SamplingLaw | None) -> Callable[[float], Interval]:
    """Return the interval of a law as a function of the level."""
    return no_interval if law is None else partial(_law_interval, law)


def _law_interval(law: SamplingLaw, level: float) -> Interval:
    return Interval(*law.interval(level))


def nearest_end(region: Region, value: float) -> float:
    """Find the end of a region that a value is nearest to."""
    return min((end for end in region if math.isfinite(end)), key=lambda end: abs(end - value))


def _single_trials(law: SamplingLaw | None, estimate: Estimate) -> float | None:
    """Find the trials of a single proportion of whole cases; None for anything else."""
    if not isinstance(law, NewcombeLaw):
        return None
    parts = law.combination
    is_single = len(parts.trials) == 1 and parts.coefficients[0] == 1 and parts.constant == 0
    if not is_single or parts.freedoms is not None or not math.isfinite(estimate.value):
        return None
    return float(parts.trials[0])


def _level_model(
    law: SamplingLaw | None, trials: float | None, size: float, *, is_anytime: bool
) -> OutcomeModel | None:
    if law is None:
        return None
    if trials is not None:
        return ProportionModel(trials, is_anytime)
    return normal_model(law, size)


def normal_model(law: SamplingLaw, units: float) -> NormalModel:
    """Model an estimate by its standard error, the width of its interval, and the skewness of its units."""
    freedom = law.freedom if isinstance(law, (NormalLaw, NewcombeLaw, PairedProportions)) else math.inf
    skewness = law.skewness if isinstance(law, LawWithinReach) else 0.0
    low, high = law.interval(0.95)
    reach = (high - low) / 2
    # At the end of a range the standard error is 0 and the interval is not.
    error = law.standard_error or reach / normal_quantile(0.95)
    width = reach / (student_quantile(0.95, freedom) * error) if error > 0 else 1.0
    return NormalModel(error, freedom, units, width, skewness)


def _no_level_passes(
    region: Region, law: SamplingLaw | None, cases: float, unit: str, level: float
) -> str | None:
    """Explain that not even perfect predictions would pass, and how many cases would be needed."""
    if not isinstance(law, NewcombeLaw) or law.combination.freedoms is not None:
        return None
    parts, is_least = law.combination, math.isfinite(region.low)
    bound, sign = (region.low, 1) if is_least else (region.high, -1)
    successes = np.where(sign * parts.coefficients > 0, parts.trials, 0.0)
    best = NewcombeLaw(replace(parts, successes=successes))
    end = best.interval(level)[0 if is_least else 1]
    if sign * (end - bound) >= 0:
        return None
    if sign * (best.value - bound) <= 0:
        return "no result could pass: the interval of a sample never reaches the end of the range"
    number, trials = f"{format_count(cases)} {plural(cases, unit)}", float(parts.trials[0])
    if len(parts.trials) > 1:
        return f"no result could pass with {number}: the interval of perfect predictions reaches to {end:.2g}"
    square, share = normal_quantile(level) ** 2, bound if is_least else 1 - bound
    least = format_count(math.ceil(square * share / (1 - share)))
    if trials < cases:
        counted = f"only {format_count(trials)} of {number} count for this measure"
        return (
            f"no result could pass: {counted}, and even if all were right, at least {least} would be needed"
        )
    return f"no result could pass with {number}: even if all were right, at least {least} would be needed"


def overall_outcome(results: Sequence[RequirementResult], failures: Sequence[str]) -> Outcome:
    """Decide the gate: it fails if anything fails, and passes only if everything passes."""
    outcomes = [result.outcome for result in results]
    if failures or "fail" in outcomes:
        return "fail"
    return "pass" if outcomes and set(outcomes) == {"pass"} else "undecided"


# -- pooled tasks ----------------------------------------------------------------------------------------


def pool_evidence(parts: Sequence[tuple[float, Evidence]], *, is_anytime: bool = False) -> Evidence:
    """Pool a requirement over tasks or slices with stated weights, which add up to 1.

    The parts are independent: distances to the bounds of their intervals are squared and added
    (Zou & Donner 2008). That does not hold for several looks. There, k intervals are added, each at the level
    1 − (1 − level)/k (Bonferroni).
    """
    first = parts[0][1]
    kept = [(weight, part) for weight, part in parts if weight > 0]
    reason = next((f"{part.part}: {part.reason}" for _, part in kept if part.reason), None)

    pooled = _pool_strict_intervals if is_anytime else _pool_intervals
    interval = no_interval if reason is not None else partial(pooled, kept)
    quantity = math.fsum(weight * part.quantity for weight, part in kept)
    value = math.fsum(weight * part.value for weight, part in kept)
    baseline = math.fsum(weight * part.baseline_value for weight, part in kept)
    model: NormalModel | None = None
    if reason is None and all(part.model is not None for _, part in kept):
        spread, *errors = _pool_spreads(kept)
        low, high = interval(0.95)
        reach = (high - low) / (2 * normal_quantile(0.95))
        spread = spread or reach
        units = math.fsum(part.cases for _, part in kept)
        ends = tuple(x or reach for x in errors)
        model = NormalModel(spread, units=units, width=reach / spread, errors=ends)
    cases = math.fsum(part.cases for _, part in kept)
    names = ", ".join(f"{part.slice_name} {weight:.3g}" for weight, part in kept)
    return Evidence(
        first.requirement,
        first.region,
        value,
        quantity,
        interval,
        f"pooled ({names})",
        first.column,
        baseline_value=baseline,
        cases=cases,
        unit=first.unit,
        method=f"intervals of the parts, {'' if is_anytime else 'squared and '}added",
        model=model,
        reason=reason,
        needed=_no_plan if model is None else partial(_pooled_cases, model, first.region, quantity, cases),
    )


def _pool_intervals(parts: Sequence[tuple[float, Evidence]], level: float) -> Interval:
    """Square and add the distances to the ends of the intervals of the parts."""
    quantity = math.fsum(weight * part.quantity for weight, part in parts)
    down = up = 0.0
    for weight, part in parts:
        low, high = part.interval(level)
        down += (weight * (part.quantity - low)) ** 2
        up += (weight * (high - part.quantity)) ** 2
    return Interval(quantity - math.sqrt(down), quantity + math.sqrt(up))


def _pool_strict_intervals(parts: Sequence[tuple[float, Evidence]], level: float) -> Interval:
    """Add the intervals of the parts, at a level that allows for their number."""
    strict = Levels.of(level, len(parts)).failing
    lows, highs = zip(*(part.interval(strict) for _, part in parts), strict=True)
    weights = [weight for weight, _ in parts]
    return Interval(*(math.fsum(map(mul, weights, ends)) for ends in (lows, highs)))


def _pooled_cases(
    model: NormalModel, region: Region, quantity: float, cases: float, level: float, power: float
) -> float:
    """Plan for the observed value: how many cases would put the pooled interval on one side of its bound."""
    distance = abs(quantity - nearest_end(region, quantity))
    if distance == 0:
        return math.inf
    reach = model.width * normal_quantile(level) + float(scipy.special.ndtri(power))
    return cases * (reach * model.spread(quantity) / distance) ** 2


def _pool_spreads(parts: Sequence[tuple[float, Evidence]]) -> tuple[float, float, float]:
    """Pool the standard errors of independent parts, and the ends of their intervals.

    The distances of the variances to the ends of their intervals are squared and added (Zou & Donner 2008).
    """
    total = down = up = 0.0
    for weight, part in parts:
        if part.model is None:
            continue
        models = [part.model, *part.model.variants()]
        variance, *others = ((weight * model.spread(part.quantity)) ** 2 for model in models)
        total += variance
        down += (variance - min([variance, *others])) ** 2
        up += (max([variance, *others]) - variance) ** 2
    least = max(total - math.sqrt(down), 0.0)
    return math.sqrt(total), math.sqrt(least), math.sqrt(total + math.sqrt(up))
