"""Decide when the mean of grades that are not right or wrong may name a winner, and what to claim otherwise.

A system with a few time-outs beats an equal one in every sample that contains none of them. With a stated
range, the damage of unseen values is bounded: three unseen items at the worst end must not reverse the mean
(the rule of three). Without a range, fewer than 150 items support only a claim about the typical item, by the
sign test. With 150 items or more, five more items like the worst one seen must not reverse the mean. A caveat
is printed if a single item carries more than a tenth of the variance, or else if three unseen items could
reverse the mean with values that are not absurdly large.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.paired_values.exact_values import cluster_sums, scale_units
from edgeworth.comparisons.policy import MAX_VARIANCE_SHARE_OF_ONE_ITEM
from edgeworth.core.formatting import format_number, format_percent, plural
from edgeworth.core.on_demand import OnDemand
from edgeworth.core.policy import (
    LOWEST_LEVEL_OF_CONCLUSIONS,
    MAX_UNSEEN_VALUE_IN_SEEN_RANGES,
    MIN_ITEMS_WITHIN_RANGE,
    MIN_ITEMS_WITHOUT_RANGE,
    UNSEEN_ITEMS_TO_SURVIVE,
    WORST_ITEMS_TO_SURVIVE,
)


def guard_mean(
    difference: Difference,
    values: Floats,
    reach: float,
    clusters: Sequence[Hashable] | None = None,
    *,
    is_ordered: bool = False,
) -> Difference:
    """Withhold a winner by the mean if values that the sample lacks could reverse it.

    ``values`` has one column per system, and ``reach`` is how far apart two grades may be. Rows that are
    ``is_ordered`` in time may depend on their neighbours, so no sign test replaces the mean.
    """
    units = round(difference.cases)
    unit = "row" if is_ordered else "item" if clusters is None else "cluster"
    differences = values @ [1.0, -1.0]
    if math.isfinite(reach):
        if units < MIN_ITEMS_WITHIN_RANGE and not is_ordered:
            few = f"{units} {plural(units, unit)} are few: the interval assumes nearly normal differences"
            difference = _with_caveat(difference, few)
        which = f"{plural(2, unit)} at the other end of the range"
        return _withhold_reversible(difference, units, UNSEEN_ITEMS_TO_SURVIVE, (reach, reach), which)
    if units < MIN_ITEMS_WITHOUT_RANGE:
        reason = (
            f"a rare large value may be missing from {units} {plural(units, unit)}: state the grade range, "
            f"or compare at least {MIN_ITEMS_WITHOUT_RANGE} {plural(2, unit)}"
        )
        withheld = replace(difference, no_winner=difference.no_winner or reason)
        largest = float(np.abs(values).max(initial=0.0))
        return withheld if is_ordered else _claim_typical(withheld, differences, largest, clusters)
    sums, deviations = differences, differences - differences.mean()
    if clusters is not None:
        deviations = np.array(cluster_sums(deviations, clusters), dtype=np.float64)
        sums = np.array(cluster_sums(differences, clusters), dtype=np.float64) * units / len(differences)
    share = float((deviations**2).max() / max((deviations**2).sum(), np.finfo(np.float64).tiny))
    worst_seen = float(np.max(-sums, initial=0.0)), float(np.max(sums, initial=0.0))
    which = f"{plural(2, unit)} like the one most against it"
    guarded = _withhold_reversible(difference, units, WORST_ITEMS_TO_SURVIVE, worst_seen, which)
    if share > MAX_VARIANCE_SHARE_OF_ONE_ITEM:
        carried = f"one {unit} carries {format_percent(share)} of the variance"
        rare = f"a rare large value could reverse this: {carried}, so the interval may be too narrow"
        return _with_caveat(guarded, rare)
    return _warn_of_unseen(guarded, units, float(np.ptp(values)), unit)


def _warn_of_unseen(difference: Difference, units: int, seen_range: float, unit: str) -> Difference:
    """Add how large three unseen values must be to reverse a mean, unless they would have to be absurd.

    Nothing can be reversed if even a low level shows no system ahead.
    """
    size, better = abs(difference.difference), difference.better
    if better is None or not difference.is_shown(LOWEST_LEVEL_OF_CONCLUSIONS):
        return difference
    value = size * units / UNSEEN_ITEMS_TO_SURVIVE
    if value > MAX_UNSEEN_VALUE_IN_SEEN_RANGES * seen_range:
        return difference
    rare = "rare grades far outside those seen" if value > seen_range else "rare grades"
    which = f"{UNSEEN_ITEMS_TO_SURVIVE} more {plural(UNSEEN_ITEMS_TO_SURVIVE, unit)}"
    example = f"{which} on which {better} is worse by {format_number(value)} each"
    return _with_caveat(
        difference,
        f"{rare} could reverse this, for example {example} (state the grade range to rule that out)",
    )


def _with_caveat(difference: Difference, caveat: str) -> Difference:
    """Add a caveat to those that the difference has."""
    known = difference.caveat
    return replace(difference, caveat=caveat if known is None else f"{known}; {caveat}")


def _withhold_reversible(
    difference: Difference, units: int, number: int, reaches: tuple[float, float], which: str
) -> Difference:
    """Withhold a winner that a number of further units would reverse.

    ``reaches`` is how far one such unit may lie below 0, and above it. Nothing is withheld if even a low
    level shows no system ahead.
    """
    if difference.no_winner is not None:
        return difference
    lower, upper = (number * reach / units for reach in reaches)
    difference = replace(difference, unseen_shifts=(lower, upper))
    if not 0 < abs(difference.difference) <= (lower if difference.difference > 0 else upper):
        return difference
    if not difference.is_shown(LOWEST_LEVEL_OF_CONCLUSIONS):
        return difference
    return replace(difference, no_winner=f"{number} more {which} would reverse this")


def _claim_typical(
    difference: Difference, differences: Floats, largest: float, clusters: Sequence[Hashable] | None
) -> Difference:
    """Put the sign test first, and count on how many units each system did better."""
    signs = scale_units(differences, clusters=clusters, size=largest).signs
    ahead, behind = int((signs > 0).sum()), int((signs < 0).sum())
    known = difference.tests
    names = [name for name in ("sign", *known) if name in known]
    return replace(
        difference,
        tests=OnDemand(names, lambda name: known[name]),
        probability_better=math.nan,
        probability_method="",
        typical=(ahead, behind) if difference.is_higher_better else (behind, ahead),
    )
