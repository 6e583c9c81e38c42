"""Estimates of grades: means over items with intervals, and the test against a guess rate."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy

from edgeworth.core.clusters import (
    ClusterSpread,
    cluster_variance_of_ratios,
    kurtosis_degrees_of_freedom,
)
from edgeworth.core.estimates import Estimate, Method, undefined_estimate
from edgeworth.core.measures import Combination, Measure
from edgeworth.core.policy import MIN_DEGREES_OF_FREEDOM, MIN_ITEMS_WITHIN_RANGE, MIN_ITEMS_WITHOUT_RANGE
from edgeworth.core.sampling_distributions import (
    Alternative,
    BootstrapLaw,
    CautiousLaw,
    ClopperPearsonLaw,
    ClusterLaw,
    NewcombeLaw,
    SamplingLaw,
    Scale,
    alpha_of,
)
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.estimates import Bootstrap, ClopperPearson, Wilson, bootstrap_law
from edgeworth.decisions.resampling import defined_draws
from edgeworth.errors import OptionError
from edgeworth.grades.grades import Grades
from edgeworth.grades.measures import ItemValues, resolve_grades
from edgeworth.grades.policy import MAX_ITEMS_PLANNED_EXACTLY

MIN_RELATIVE_VARIANCE = 1e-24
"""A variance, relative to the square of the range or of the mean, below which items are all the same."""


@dataclass(frozen=True)
class OverItems:
    """The interval of a mean over items: items, or clusters of them, are what varies.

    Right or wrong answers have Wilson's. Where grades are bounded, it is taken at as many right or wrong
    answers as have the variance that items or clusters show; otherwise it is Student's t.
    """

    words: str = "over items"

    def law(self, tally: Grades, resolved: ItemValues) -> SamplingLaw:  # noqa: ARG002  # one signature for all
        """Make the law of the mean."""
        return law_of_mean(resolved)[1]

    def __str__(self) -> str:
        return self.words


def law_of_mean(resolved: ItemValues) -> tuple[str, SamplingLaw]:
    """Choose the law of a mean over items, and name it."""
    grades, graded = resolved.grades, np.flatnonzero(~np.isnan(resolved.values))
    values, items = resolved.values[graded], grades.items[graded]
    number, mean = float(items.sum()), resolved.mean
    residuals = values - mean
    variance = float(items @ residuals**2) / (number * (number - 1)) if number > 1 else math.nan
    spread = item_spread = ClusterSpread(
        variance, number - 1, number, kurtosis_degrees_of_freedom(residuals, items.astype(np.float64))
    )
    units = "items" if grades.clusters is None else "clusters (CR2)"
    if grades.clusters is not None:
        cluster_numbers: dict[str, int] = {}
        cluster_index = [
            cluster_numbers.setdefault(grades.clusters[index], len(cluster_numbers)) for index in graded
        ]
        if len(cluster_numbers) < 2:
            raise OptionError(
                "all items are in one cluster, so the variability between clusters cannot be estimated"
            )
        sums, sizes = (
            np.bincount(cluster_index, weights=x).astype(np.float64) for x in (items * residuals, items)
        )
        spread = cluster_variance_of_ratios(sums, sizes)
    low, high = (0.0, 1.0) if grades.is_share else grades.bounds
    if not math.isfinite(high - low):
        if not spread.variance > MIN_RELATIVE_VARIANCE * mean**2:
            raise OptionError(f"the mean is the same in all {units}, so its variability cannot be estimated")
        error = math.sqrt(spread.variance)
        caveat = rare_grades_caveat(resolved)
        law: SamplingLaw = CautiousLaw(mean, error, Scale(), spread.least, caveat)
        if grades.clusters is not None:
            law = CautiousLaw(mean, error, Scale(), spread.least, _join_caveats(spread.caveat, caveat))
            if spread.freedom < MIN_DEGREES_OF_FREEDOM:
                law = ClusterLaw(mean, error, Scale(), spread.freedom)
        return f"Student's t over {units}", law
    width, share = high - low, min(max((mean - low) / (high - low), 0.0), 1.0)
    is_zero_one = bool(((values == low) | (values == high)).all())
    # A sample may hold none of the few items that are never solved, and then pass@k hardly varies in it.
    most_trials = number if is_zero_one or resolved.depth > 1 else _trials(share, item_spread, width, number)
    effective_trials = np.clip(
        _trials(share, spread, width, spread.effective), spread.effective, max(most_trials, spread.effective)
    )
    unit, is_unclustered = np.ones(1), grades.clusters is None
    combination = Combination(
        low,
        width * unit,
        share * effective_trials * unit,
        effective_trials * unit,
        fewest=spread.effective * unit,
        freedoms=None if is_zero_one and is_unclustered else spread.least * unit,
        freedom=math.inf if is_unclustered or spread.effective == number else spread.freedom,
        caveat=_join_caveats(
            None if is_unclustered else spread.caveat, None if is_zero_one else rare_grades_caveat(resolved)
        ),
    )
    words = "Wilson" if is_zero_one and is_unclustered else f"Wilson at the variance between {units}"
    return words, NewcombeLaw(combination)


def rare_grades_caveat(resolved: ItemValues) -> str | None:
    """Return why a grade that the sample lacks could change the mean.

    Return None for right or wrong answers and for large samples.
    """
    grades = resolved.grades
    if grades.is_share:
        return None
    graded = np.flatnonzero(~np.isnan(resolved.values))
    units, unit = float(grades.items[graded].sum()), "items"
    if grades.clusters is not None:
        units, unit = float(len({grades.clusters[index] for index in graded})), "clusters"
    if not math.isfinite(grades.bounds[1] - grades.bounds[0]):
        limit, rare = MIN_ITEMS_WITHOUT_RANGE, "a rare large value"
    else:
        limit, rare = MIN_ITEMS_WITHIN_RANGE, "a rare grade at the end of the range"
    return f"fewer than {limit} {unit}: {rare} could change it" if units < limit else None


def _join_caveats(*caveats: str | None) -> str | None:
    """Join the caveats that apply, or return None."""
    return ", and ".join(caveat for caveat in caveats if caveat is not None) or None


def _trials(share: float, spread: ClusterSpread, width: float, otherwise: float) -> float:
    """Compute the number of right or wrong answers whose share has that variance."""
    is_known = spread.variance > MIN_RELATIVE_VARIANCE * width**2 and 0 < share < 1
    return share * (1 - share) * width**2 / spread.variance if is_known else otherwise


def _law_by(method: Method, resolved: ItemValues) -> SamplingLaw:
    """Make the law by the requested method, or raise an error that explains why it does not apply."""
    grades = resolved.grades
    if isinstance(method, Wilson):
        if not math.isfinite(grades.bounds[1] - grades.bounds[0]) and not grades.is_binary:
            raise OptionError(f"{method} is for shares of right answers: these grades have no range")
        return law_of_mean(resolved)[1]
    if isinstance(method, ClopperPearson):
        is_independent = grades.clusters is None and not (grades.repeats > 1).any()
        if not (grades.is_binary and is_independent):
            raise OptionError(f"{method} is for independent items that are right or wrong once: use Wilson()")
        number = round(float(grades.items.sum()))
        return ClopperPearsonLaw(round(resolved.mean * number), number)
    is_ours = type(method).__module__.partition(".")[0] == __name__.partition(".")[0]
    if is_ours and not isinstance(method, (OverItems, Bootstrap)):
        raise OptionError(
            f"{method} does not apply to grades: use Wilson(), ClopperPearson() or Bootstrap(), or none"
        )
    return method.law(grades, resolved)


MAX_COUNTS_AT_ONCE = 1 << 22
"""The most counts that are drawn at once."""


@bootstrap_law.register
def _(tally: Grades, resolved: ItemValues, bootstrap: Bootstrap) -> SamplingLaw:
    """Resample items, or whole clusters of them."""
    graded = np.flatnonzero(~np.isnan(resolved.values))
    items = tally.items[graded].astype(np.float64)
    groups = resolved.values[graded]
    if tally.clusters is not None:
        groups = np.array([tally.clusters[index] for index in graded])
    _, group_index = np.unique(groups, return_inverse=True)
    sums = np.bincount(group_index, weights=items * resolved.values[graded])
    sizes = np.bincount(group_index, weights=items)
    sample_size, shares = round(sizes.sum()), sizes / sizes.sum()
    if tally.clusters is not None:
        sample_size, shares = len(sizes), np.full(len(sizes), 1 / len(sizes))
    generator = np.random.default_rng(bootstrap.seed)
    draws_at_once = max(1, MAX_COUNTS_AT_ONCE // len(sizes))
    means = []
    for start in range(0, bootstrap.draws, draws_at_once):
        counts = generator.multinomial(sample_size, shares, size=min(draws_at_once, bootstrap.draws - start))
        if tally.clusters is None:
            means.append(counts @ (sums / sizes) / sample_size)
        else:
            means.append(counts @ sums / (counts @ sizes))
    law = BootstrapLaw(resolved.mean, *defined_draws(np.concatenate(means), resolved.spelling))
    return replace(law, caveat=_join_caveats(law.caveat, rare_grades_caveat(resolved)))


def estimate_grades(
    tally: Grades,
    measure: str | Measure,
    *,
    method: Method | None = None,
    seed: int = 0,  # noqa: ARG001  # nothing is drawn unless a method with a seed of its own is given
    guess_rate: float | None = None,
) -> Estimate:
    """Estimate a measure of grades with its uncertainty, and test it against a guess rate.

    ``method`` is ``Wilson()``, ``ClopperPearson()``, ``Bootstrap()``, the method of another estimate,
    or an object of your own with ``law(tally, resolved)``, which gets the ``Grades`` and the ``ItemValues``.
    """
    resolved = resolve_grades(tally, measure)
    number = float(tally.items[~np.isnan(resolved.values)].sum())
    if resolved.undefined is not None:
        return undefined_estimate(tally, resolved.spelling, resolved.undefined, number)
    method_name, law, reason = "", None, None
    try:
        method_name, law = law_of_mean(resolved)
    except OptionError as error:
        reason = str(error)
    chosen: Method | None = OverItems(method_name) if method_name else None
    if method is not None:
        chosen, law, reason = method, _law_by(method, resolved), None
    chance = math.nan
    if guess_rate is not None and tally.is_binary:
        chance = resolved.level_of_guesses(guess_rate)
    fields = (resolved.spelling, resolved.mean, chance, chosen, None, reason, tally, law)
    if method_name != "Wilson" or (tally.repeats > 1).any() or math.isnan(chance):
        return Estimate(*fields, size=number)
    test = partial(_binomial_test, resolved.mean, number, chance)
    return Estimate(*fields, test, size=number, planner=partial(_items_for_power, resolved.mean, chance))


def _binomial_test(mean: float, number: float, chance: float, alternative: Alternative) -> TestResult:
    """Test a share of right answers against guessing."""
    p_value = ClopperPearsonLaw(round(mean * number), number).p_value(chance, alternative)
    return TestResult(p_value, p_value, p_value, "exact binomial test")


def _items_for_power(
    mean: float, chance: float, level: float, power: float, rough: int, error: float
) -> int | None:
    """Find how many items the exact binomial test needs for a power, or None if these are many."""
    del error
    if rough > MAX_ITEMS_PLANNED_EXACTLY:
        return None
    bdtr, bdtrc = scipy.special.bdtr, scipy.special.bdtrc
    for items in range(2, 4 * MAX_ITEMS_PLANNED_EXACTLY):
        right = np.arange(items + 1)
        below, above = bdtr(right, items, chance), bdtrc(right - 1, items, chance)
        least = np.minimum(below, np.where(right, above, 1.0))
        law_of_seen = np.diff(bdtr(right, items, mean), prepend=0.0)
        if law_of_seen[2 * least < alpha_of(level)].sum() >= power:
            return items
    return None
