"""Gaps between the grades of a part of the items and those of the rest."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from edgeworth.common.arrays import Floats, finite_or_none
from edgeworth.common.json_types import JsonObject
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import format_number
from edgeworth.core.measures import Combination
from edgeworth.core.policy import (
    LOWEST_LEVEL_OF_CONCLUSIONS,
    MAX_UNSEEN_VALUE_IN_SEEN_RANGES,
    UNSEEN_ITEMS_TO_SURVIVE,
)
from edgeworth.core.slice_gaps import (
    STUDENT_TEST,
    Gap,
    MeanMoments,
    SkewedMeansLaw,
    Units,
    correlate_clusters,
    exchange_test,
    gap_between,
)
from edgeworth.core.test_results import TestResult
from edgeworth.grades.estimates import estimate_grades
from edgeworth.grades.grades import Grades
from edgeworth.grades.measures import ItemValues, resolve_grades
from edgeworth.grades.policy import MIN_ITEMS_FOR_GAP_WITHOUT_RANGE


def independent_units(grades: Grades) -> Units:
    """Count the items, or the clusters that they are in."""
    if grades.clusters is not None:
        return Units(float(len(set(grades.clusters))), are_clusters=True)
    return Units(float(grades.number))


def gap_of_grades(part: Grades, rest: Grades, measure: str) -> Gap:
    """Compare a mean over items of a part with that of the rest.

    Right or wrong answers have the exact test of a proportion. Grades with a known range have the bounds of
    both means squared and added, and no gap is claimed if three more items at an end of the range would
    reverse it: one side may lack rare bad grades that the other has. Grades without a range have a t test
    corrected for skewness, and nothing is claimed below a minimum number of items, or if three more items
    like the most extreme one would reverse the gap. A gap that is left has a caveat.
    """
    values = [resolve_grades(grades, measure) for grades in (part, rest)]
    estimates = [estimate_grades(grades, measure) for grades in (part, rest)]
    if any(estimate.law is None for estimate in estimates):
        return gap_between(*estimates)
    units = min(independent_units(grades).number for grades in (part, rest))
    no_claim = None
    if not _has_range(part) and units < MIN_ITEMS_FOR_GAP_WITHOUT_RANGE:
        no_claim = (
            f"grades without a known range need {MIN_ITEMS_FOR_GAP_WITHOUT_RANGE} items on both sides: a "
            "rare large grade could reverse a gap (--grade-range allows fewer)"
        )
    withheld = None
    if _has_range(part):
        if measure == "mean" and _ends_of_range_reverse(part, rest):
            withheld = f"{UNSEEN_ITEMS_TO_SURVIVE} more items at an end of the range would reverse the gap"
    elif _unseen_items_reverse(*values):
        withheld = f"{UNSEEN_ITEMS_TO_SURVIVE} more items like the most extreme one would reverse the gap"
    gap = _gap_between(estimates, values, no_claim)
    caveat = None
    if not _has_range(part) and no_claim is None and withheld is None:
        caveat = _warn_of_unseen(gap, values, units)
    return replace(gap, withheld=withheld, caveat=caveat)


def _warn_of_unseen(gap: Gap, values: Sequence[ItemValues], units: float) -> str | None:
    """Return how large three unseen grades must be to reverse a gap; None if that is absurd."""
    low, high = gap.interval(LOWEST_LEVEL_OF_CONCLUSIONS)
    grades = np.concatenate([side.values[~np.isnan(side.values)] for side in values])
    value = abs(gap.value) * units / UNSEEN_ITEMS_TO_SURVIVE
    if not (low > 0 or high < 0) or value > MAX_UNSEEN_VALUE_IN_SEEN_RANGES * float(np.ptp(grades)):
        return None
    unit = "items" if values[0].grades.clusters is None else "clusters"
    rare = "rare grades far outside those seen" if value > float(np.ptp(grades)) else "rare grades"
    example = f"{UNSEEN_ITEMS_TO_SURVIVE} more {unit} that are {format_number(value)} from the mean each"
    return f"{rare} could reverse the gap, for example {example} (state the grade range to rule that out)"


def _gap_between(estimates: Sequence[Estimate], values: Sequence[ItemValues], no_claim: str | None) -> Gap:
    """Choose the test and the interval of two means."""
    part, rest = estimates
    grades = values[0].grades
    correlation = correlate_clusters(*(_effects(side) for side in values))
    if grades.clusters is not None or correlation:
        return gap_between(part, rest, correlation=correlation, no_claim=no_claim)
    if all(_is_right_or_wrong(side) for side in values):
        return gap_between(part, rest, test=exchange_test(*map(_combination, values)), no_claim=no_claim)
    law = None if _has_range(grades) else SkewedMeansLaw.of(*map(_moments, values))
    if law is None:
        return gap_between(part, rest, no_claim=no_claim)
    test = TestResult.approximate(law.p_value(0.0, "two-sided"), 0.0, STUDENT_TEST)
    return gap_between(part, rest, law=law, test=test, no_claim=no_claim)


def _has_range(grades: Grades) -> bool:
    return grades.is_share or math.isfinite(grades.bounds[1] - grades.bounds[0])


def _ends_of_range_reverse(part: Grades, rest: Grades) -> bool:
    """Return whether three unseen items at the worst end of the range reverse the gap; clusters are items.

    They may be the worst of the side with the higher mean, or the best of the other one.

    >>> safe = Grades.from_grades([90.0, 92.0] * 20, grade_range=(0, 100))
    >>> rare = Grades.from_grades([95.0] * 38 + [0.0, 0.0], grade_range=(0, 100))
    >>> _ends_of_range_reverse(safe, rare)
    True
    """
    means = [resolve_grades(grades, "mean").mean for grades in (part, rest)]
    higher, lower = (part, rest) if means[0] > means[1] else (rest, part)
    return abs(means[0] - means[1]) <= max(unseen_shifts(higher)[0], unseen_shifts(lower)[1])


def _unseen_items_reverse(part: ItemValues, rest: ItemValues) -> bool:
    """Return whether three more items, each like the most extreme one on either side, reverse the gap.

    They may be missing from the side with the lower mean, or from the other one. Clusters count as items.

    >>> steady = Grades.from_grades([1.0, 2.0] * 100)
    >>> rare = Grades.from_grades([1.2, 2.2] * 99 + [1.7, 150.0])
    >>> _unseen_items_reverse(*(resolve_grades(grades, "mean") for grades in (steady, rare)))
    True
    """
    higher, lower = (part, rest) if part.mean > rest.mean else (rest, part)
    gap = higher.mean - lower.mean
    # What the side with the lower mean gains from its three items, and what the other one loses.
    reach = [
        max(float(sums.max(initial=0.0)) for sums in (_unit_sums(side, lower.mean) for side in (part, rest)))
        / _number(lower),
        max(
            float((-sums).max(initial=0.0))
            for sums in (_unit_sums(side, higher.mean) for side in (part, rest))
        )
        / _number(higher),
    ]
    return gap <= UNSEEN_ITEMS_TO_SURVIVE * max(reach)


def _unit_sums(resolved: ItemValues, centre: float) -> Floats:
    """Sum the distances from a centre over each cluster, or take that of each item."""
    distances = np.nan_to_num(resolved.values - centre)
    if resolved.grades.clusters is None:
        return distances
    codes = np.unique(resolved.grades.clusters, return_inverse=True)[1]
    return np.bincount(codes, distances * resolved.grades.items).astype(np.float64)


def unit_extremes(grades: Grades) -> JsonObject | None:
    """Return how far the lowest and the highest item lie from the mean, and how far apart grades may be.

    Clusters count as items of their mean size. Right or wrong answers have none.
    """
    if grades.is_share:
        return None
    resolved, units = resolve_grades(grades, "mean"), independent_units(grades)
    sums = _unit_sums(resolved, resolved.mean)
    if units.are_clusters:
        sums = sums * units.number / grades.number
    return {
        "units": units.number,
        "unit": "clusters" if units.are_clusters else "items",
        "reach": finite_or_none(grades.bounds[1] - grades.bounds[0]),
        "below": float((-sums).max(initial=0.0)),
        "above": float(sums.max(initial=0.0)),
    }


def _number(resolved: ItemValues) -> float:
    """Count the graded items."""
    return float(resolved.grades.items[~np.isnan(resolved.values)].sum())


def _is_right_or_wrong(resolved: ItemValues) -> bool:
    """Return whether every item has one answer, which is right or wrong."""
    grades = resolved.grades
    return grades.is_share and bool((grades.repeats == 1).all()) and resolved.depth == 1


def _combination(resolved: ItemValues) -> Combination:
    items = resolved.grades.items.astype(np.float64)
    return Combination(0.0, np.ones(1), np.array([items @ resolved.values]), np.array([items.sum()]))


def _moments(resolved: ItemValues) -> MeanMoments:
    graded = ~np.isnan(resolved.values)
    return MeanMoments.of(resolved.values[graded], resolved.grades.items[graded].astype(np.float64))


def _effects(resolved: ItemValues) -> dict[Hashable, float]:
    """Sum what the items of each cluster, or the item of each id, add to the mean."""
    names = resolved.grades.clusters or resolved.grades.ids or ()
    effects: dict[Hashable, float] = {}
    mean = resolved.mean
    for name, value, items in zip(
        names, resolved.values.tolist(), resolved.grades.items.tolist(), strict=False
    ):
        if not math.isnan(value):
            effects[name] = effects.get(name, 0.0) + items * (value - mean)
    return effects


def unseen_shifts(grades: Grades) -> tuple[float, float]:
    """Compute how far three unseen items at an end of the range could lower and raise the mean grade.

    Right-or-wrong grades have exact intervals, and grades without a range have no worst end.

    >>> unseen_shifts(Grades.from_grades([0.5, 1.0] * 12, grade_range=(0, 1)))
    (0.09375, 0.03125)
    """
    low, high = grades.bounds
    if grades.is_binary or not math.isfinite(high - low):
        return 0.0, 0.0
    mean = float(grades.means.mean())
    share = UNSEEN_ITEMS_TO_SURVIVE / independent_units(grades).number
    return share * (mean - low), share * (high - mean)
