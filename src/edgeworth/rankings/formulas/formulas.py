"""Measures of rankings as functions of their steps. Each returns one value a list; nan where undefined.

Ties are taken in random order and the mean over all orders is given in closed form, unless a policy says
otherwise. In a strict order every tie group is one item and the same formulas hold."""

from __future__ import annotations

import numpy as np

from edgeworth.arrays import Values, ratio
from edgeworth.errors import OptionError
from edgeworth.rankings.formulas.tie_groups import TieGroups

HIGHEST_GRADE = 1000
"""Beyond it 2^grade is no float."""


def gain_of(grades: Values, form: str) -> Values:
    """The grade itself (Järvelin & Kekäläinen, trec_eval), or ``2^grade − 1`` (Burges et al.)."""
    if form != "exponential":
        return grades.astype(np.float64)
    if np.max(grades, initial=0) > HIGHEST_GRADE:
        raise OptionError(f"a grade of {np.max(grades):g} has no gain of 2^grade − 1: write gain=linear")
    return np.exp2(grades) - 1


def gains_of_groups(groups: TieGroups, form: str) -> Values:
    """The gain of all targets of each step; without grades every target has grade 1."""
    if groups.grades is None:
        return groups.hits
    gains = gain_of(groups.grades.grade, form)
    return np.bincount(groups.grades.group, weights=gains, minlength=len(groups.hits))


def discount_sum(start: Values, length: Values) -> Values:
    """``Σ_{j=1..length} 1/log₂(start + j + 1)``."""
    start, length = np.broadcast_arrays(start, length)
    if np.all(length <= 1):
        return np.where(length > 0, 1 / np.log2(start + 2), 0.0)
    ranks = np.arange(1, int((start + length).max()) + 1, dtype=np.float64)
    sums = np.concatenate([[0.0], np.cumsum(1 / np.log2(ranks + 1))])
    return sums[(start + length).astype(np.intp)] - sums[start.astype(np.intp)]


def ideal_gain(groups: TieGroups, depth: Values | None, form: str) -> Values:
    """The discounted gain of the best order: targets by falling grade, then everything else."""
    most = groups.targets if depth is None else np.minimum(groups.targets, depth)
    if groups.grades is None:
        return discount_sum(np.zeros(groups.number), most)
    lists = np.concatenate([groups.list_of[groups.grades.group], groups.grades.lost_list])
    gains = gain_of(np.concatenate([groups.grades.grade, groups.grades.lost_grade]), form)
    order = np.lexsort((-gains, lists))
    lists, gains = lists[order], gains[order]
    place = np.arange(len(lists)) - np.searchsorted(lists, lists)
    kept = place < most[lists]
    discounted = np.where(kept, gains / np.log2(place + 2), 0.0)
    return np.bincount(lists, weights=discounted, minlength=groups.number)


FEW = 20
"""Below this argument the asymptotic series is not accurate enough, and terms are added one by one."""


def reciprocal_sum(start: Values, length: Values) -> Values:
    """``Σ_{j=1..length} 1/(start + j)``, to rounding, for whole numbers of any size.

    >>> float(reciprocal_sum(np.array(0.0), np.array(3.0)))
    1.8333333333333333
    """
    start, length = np.broadcast_arrays(np.asarray(start, np.float64), np.asarray(length, np.float64))
    if np.all(length == 1):
        return np.asarray(1 / (start + 1))
    shape, start, length = start.shape, start.ravel(), length.ravel()
    total = np.zeros(len(start))
    # Differences of logarithms lose all digits when a short run stands far down: short runs are added up.
    single = np.where(length < FEW, length, np.clip(FEW - start, 0, length))
    active, step = np.flatnonzero(single > 0), 0
    while len(active):
        step += 1
        total[active] += 1 / (start[active] + step)
        active = active[single[active] > step]
    far = np.flatnonzero(length > single)
    low, high = start[far] + single[far], start[far] + length[far]
    total[far] += np.log1p((high - low) / low) + _correction(high) - _correction(low)
    return total.reshape(shape)


def _correction(x: Values) -> Values:
    """What the harmonic number of x has beyond ``log x`` and Euler's constant (Euler–Maclaurin)."""
    square = 1 / (x * x)
    return 0.5 / x - square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))


Depth = Values | None
RECALL_LEVELS = np.arange(11) / 10
NO_CHANCE = -50.0
"""A probability with this logarithm is nothing beside 1."""


def average_precision(groups: TieGroups, depth: Depth, ties: str, over: str) -> Values:
    """``(1/m) Σ_i i/T_i``, T_i the rank of the i-th hit; at a depth only hits down to it count."""
    reachable = groups.targets
    if depth is not None and over == "reachable":
        reachable = np.minimum(groups.targets, depth)
    return ratio(groups.summed(_precision_sums(groups, depth, ties)), reachable)


def _precision_sums(groups: TieGroups, depth: Depth, ties: str) -> Values:
    """Σ of the precisions at the hits of each step."""
    above, seen, hits, size = groups.hits_above, groups.seen_above, groups.hits, groups.size
    if ties == "threshold":
        return hits * ratio(groups.hits_below, groups.seen_below)
    if ties == "best":
        return hits + (above - seen) * reciprocal_sum(seen, hits)
    if ties == "worst":
        before = seen + size - hits
        return hits + (above - before) * reciprocal_sum(before, hits)
    if depth is None and np.all(size == 1):
        return (above + 1) / (seen + 1)
    within = size if depth is None else groups.within(depth)
    # Position j of the tie holds a hit with probability a/s, and (j−1)(a−1)/(s−1) hits stand before it.
    reciprocals = reciprocal_sum(seen, within)
    others = np.where(size > 1, ratio(hits - 1, size - 1), 0.0)
    return hits / size * ((above + 1) * reciprocals + others * (within - (seen + 1) * reciprocals))


def hits(groups: TieGroups, depth: Values) -> Values:
    """The hit curve h(t)."""
    return groups.hits_at(depth)


def r_precision(groups: TieGroups) -> Values:
    """``h(m)/m``: precision, and recall, at a depth of as many items as there are targets."""
    return ratio(groups.hits_at(groups.targets), groups.targets)


def interpolated_precision(groups: TieGroups, recall: float) -> Values:
    """The best precision at any cut that reaches the recall."""
    # A share of the targets, whether they are cases or weights; rounding does not put it out of reach.
    needed = recall * groups.targets * (1 - 1e-12)
    reached = groups.hits_below >= needed[groups.list_of]
    precisions = np.where(reached, ratio(groups.hits_below, groups.seen_below), 0.0)
    return np.where(groups.targets > 0, groups.largest(precisions, 0.0), np.nan)


def eleven_point_precision(groups: TieGroups) -> Values:
    """The mean of the interpolated precisions at recall 0, 0.1, …, 1."""
    return np.mean([interpolated_precision(groups, level) for level in RECALL_LEVELS], axis=0)


def reciprocal_rank(groups: TieGroups, depth: Depth) -> Values:
    """``1/T_1``; 0 when no target was ranked (within the depth, if there is one)."""
    first = groups.is_first
    if depth is not None:
        first = first & (groups.within(depth) > 0)
    limit = groups.size if depth is None else groups.within(depth)
    values = np.where(first, ratio(np.ones(len(first)), groups.seen_above + 1), 0.0)
    for tied in np.flatnonzero(first & (groups.size > 1)):
        values[tied] = _mean_reciprocal(
            groups.seen_above[tied], groups.hits[tied], groups.size[tied], limit[tied]
        )
    return np.where(groups.targets > 0, groups.summed(values), np.nan)


def _mean_reciprocal(seen: float, hits: float, size: float, limit: float) -> float:
    """E[1/(seen + J)], J the place of the first of some hits in a tie in random order."""
    places = np.arange(1.0, min(limit, size - hits + 1) + 1)
    # P(J = j): no hit among the first j − 1, then one.
    none_before = np.concatenate([[1.0], np.cumprod(1 - hits / (size - places[:-1] + 1))])
    chances = none_before * hits / (size - places + 1)
    return float((chances / (seen + places)).sum())


def success(groups: TieGroups, depth: Values) -> Values:
    """Whether any of the first t items is a target; with ties, the probability."""
    first = groups.is_first
    size, found, within = groups.size[first], groups.hits[first], groups.within(depth)[first]
    result = np.where(groups.targets > 0, 0.0, np.nan)
    result[groups.list_of[first]] = -np.expm1(_log_missed(size, found, within))
    return result


def _log_missed(size: Values, found: Values, within: Values) -> Values:
    """log C(s − c, a)/C(s, a): no hit among c of s. Added up: logarithms of factorials lose digits."""
    few, many = np.minimum(found, within), np.maximum(found, within)
    possible = size - many >= few
    logs = np.where(possible, 0.0, -np.inf)
    active, step = np.flatnonzero(possible & (few > 0)), 0
    while len(active):
        logs[active] += np.log1p(-many[active] / (size[active] - step))
        step += 1
        active = active[(few[active] > step) & (logs[active] > NO_CHANCE)]
    return logs


def ndcg(groups: TieGroups, depth: Depth, gain: str) -> Values:
    """Discounted cumulative gain, ``Σ gain/log₂(rank + 1)``, over that of the best order."""
    within = groups.size if depth is None else groups.within(depth)
    found = groups.summed(
        gains_of_groups(groups, gain) / groups.size * discount_sum(groups.seen_above, within)
    )
    return ratio(found, ideal_gain(groups, depth, gain))


def rbp(groups: TieGroups, depth: Depth, persistence: float) -> Values:
    """``(1 − p) Σ p^(rank − 1)`` over hits: a reader goes on to the next item with probability p."""
    within = groups.size if depth is None else groups.within(depth)
    # (1 − p) Σ_j p^(T + j − 1) over the tie is p^T (1 − p^c), spread evenly over its items.
    spread = persistence**groups.seen_above * -np.expm1(within * np.log(persistence))
    return np.where(groups.targets > 0, groups.summed(groups.hits / groups.size * spread), np.nan)


def bpref(groups: TieGroups) -> Values:
    """``(1/m) Σ (1 − judged background above / min(m, judged background))`` over hits, each at least 0."""
    judged = groups.judgements
    if judged is None:
        return np.full(groups.number, np.nan)
    targets, rejected = groups.targets[groups.list_of], judged.rejected[groups.list_of]
    fewer = np.minimum(targets, rejected)
    lost = np.where(judged.rejected_above > 0, ratio(np.minimum(judged.rejected_above, targets), fewer), 0.0)
    return ratio(groups.summed(1 - lost), groups.targets)


def roc_area(groups: TieGroups) -> Values:
    """The probability that a target stands above a background item, ties counting half."""
    above = groups.seen_above - groups.hits_above
    tied = groups.size - groups.hits
    ranked = groups.summed(groups.hits)
    background = groups.ranked - ranked
    # Targets never ranked stand below everything: all the background is above them.
    beaten = groups.summed(groups.hits * (above + tied / 2)) + (groups.targets - ranked) * background
    return 1 - ratio(beaten, groups.targets * background)


def pr_area(groups: TieGroups) -> Values:
    """The area under precision against recall, along the curve that random thresholds inside a step give.

    Between two cuts hits and false alarms grow in proportion, which is no straight line in precision and
    recall (Davis & Goadrich 2006): the integral is in closed form.
    """
    above, seen, hits, size = groups.hits_above, groups.seen_above, groups.hits, groups.size
    share = hits / size
    # ∫ (H + x)/(T + x/share) dx over the hits x of the step.
    logs = np.where(seen > 0, np.log1p(ratio(size, seen)), 0.0)
    areas = share * (hits + np.where(seen > 0, (above - share * seen) * logs, 0.0))
    return ratio(groups.summed(areas), groups.targets)


def enrichment_factor(groups: TieGroups, fraction: float) -> Values:
    """Precision in the first part of the list over the share of targets in all of it."""
    looked = np.ceil(fraction * groups.items - 1e-9)
    return ratio(groups.hits_at(looked) * groups.items, looked * groups.targets)


def value(groups: TieGroups, depth: Values, gain: float, cost: float) -> Values:
    """``gain · h(t) − cost · t``: what looking at the first t items is worth."""
    return gain * groups.hits_at(depth) - cost * np.minimum(depth, groups.ranked)


def best_value(groups: TieGroups, gain: float, cost: float) -> Values:
    """The value at the best depth; 0 when looking never pays. Only the end of a step can be best."""
    return groups.largest(gain * groups.hits_below - cost * groups.seen_below, 0.0)


def best_depth(groups: TieGroups, gain: float, cost: float) -> Values:
    """The shortest depth at which the value is best; 0 when looking never pays."""
    worth = gain * groups.hits_below - cost * groups.seen_below
    most = best_value(groups, gain, cost)[groups.list_of]
    scale = np.maximum(np.abs(gain * groups.hits_below), np.abs(cost * groups.seen_below))
    is_best = (worth >= most - 1e-12 * scale) & (most > 0)
    return 0.0 - groups.largest(np.where(is_best, -groups.seen_below, -np.inf), -np.inf, nothing=0.0)


def best_informedness(groups: TieGroups) -> Values:
    """The largest recall − fallout over all cuts: the greatest height of the ROC curve over the diagonal."""
    background = (groups.ranked - groups.summed(groups.hits))[groups.list_of]
    targets = groups.targets[groups.list_of]
    heights = ratio(groups.hits_below, targets) - ratio(groups.seen_below - groups.hits_below, background)
    defined = (groups.targets > 0) & (groups.ranked > groups.summed(groups.hits))
    return np.where(defined, groups.largest(heights, 0.0), np.nan)
