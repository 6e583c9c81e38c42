"""The measures of rankings: each formula beside everything that reports state about it.

A formula is a function of tie groups that returns one value per list, nan if it is undefined. By default it
returns the mean over all orders of tied items, in closed form. In a strict order every tie group is one item.
A new measure is one decorated function here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar, Unpack

import numpy as np

from edgeworth.common.arrays import Values, ratio
from edgeworth.core.measures import Measure, MeasureFields, MeasureFormula, Parameter, Requirement
from edgeworth.errors import OptionError
from edgeworth.rankings import guidance
from edgeworth.rankings.tie_groups import (
    IN_SOME_ORDER,
    POLICIES,
    STRICT_TIES,
    TieGroups,
    discount_sum,
    gains_of_groups,
    ideal_gain,
    reciprocal_sum,
)

SU_ZHANG = "Su & Zhang, Statistical Inference for Recall, Precision and Average Precision"
TREC = "Buckley & Voorhees, trec_eval"

Depth = Values | None
Formula = TypeVar("Formula", bound=MeasureFormula)

TARGETS = Requirement(lambda groups: groups.targets > 0, "there are no targets")
BACKGROUND = Requirement(
    lambda groups: groups.ranked - groups.sum_by_list(groups.hits) > 0, "every ranked item is a target"
)
ITEMS = Requirement(lambda groups: groups.items > 0, "the number of items is unknown")
JUDGED = Requirement(
    lambda groups: np.full(groups.number, groups.judgements is not None),
    "it needs judged lists in a strict order: RankedLists, with ties=trec or ties=input",
)

RECALL_LEVELS = np.arange(11) / 10
NO_CHANCE = -50.0
"""A probability with this logarithm is nothing beside 1."""

_entries: list[Measure] = []


def _ties(*choices: str) -> Parameter:
    return Parameter(choices[0], choices=choices)


WHOLE_GROUPS = {"ties": _ties("threshold", *STRICT_TIES)}


USUAL_FIELDS: MeasureFields = {
    "scope": "ranking",
    "kind": "rankings",
    "low": 0.0,
    "high": 1.0,
    "direction": "higher",
    "source": TREC,
    "needs": (TARGETS,),
}


def _enter(
    formula: str, *, synonyms: tuple[str, ...] = (), **own: Unpack[MeasureFields]
) -> Callable[[Formula], Formula]:
    """Register a function in the catalogue, under its own name."""
    options = dict(own.get("options", {}))
    options.setdefault("ties", _ties(*IN_SOME_ORDER))
    fields: MeasureFields = {**USUAL_FIELDS, **own, "options": options}

    def enter(compute: Formula) -> Formula:
        _entries.append(
            Measure(name=compute.__name__, formula=formula, compute=compute, synonyms=synonyms, **fields)
        )
        return compute

    return enter


_of_weights = partial(_enter, allows_weights=True)
_interpolated = partial(_of_weights, chance="above m/n", has_mean_chance=False)
_worth = partial(
    _of_weights,
    source=SU_ZHANG,
    high=np.inf,
    options={"gain": Parameter(1.0), "cost": Parameter(0.1, 0.0)},
    needs=(),
)


@_of_weights(
    "(1/m) Σ_i i/T_i, T_i the rank of the i-th of m targets",
    chance="m/n + (n − m)(H_n − 1)/(n(n − 1)), H_n = Σ 1/k",
    source=SU_ZHANG,
    synonyms=("AP", "MAP", "mean average precision", "map_cut", "AUPRC"),
    options={"ties": _ties(*POLICIES), "over": Parameter("targets", choices=("targets", "reachable"))},
    depth="optional",
    ranking_theory="average precision",
    guidance=guidance.AVERAGE_PRECISION,
)
def average_precision(groups: TieGroups, depth: Depth, over: str) -> Values:
    """``(1/m) Σ_i i/T_i``, T_i the rank of the i-th hit; at a depth only hits down to it count."""
    reachable = groups.targets
    if depth is not None and over == "reachable":
        reachable = np.minimum(groups.targets, depth)
    return ratio(groups.sum_by_list(_precision_sums(groups, depth)), reachable)


def _precision_sums(groups: TieGroups, depth: Depth) -> Values:
    """Sum the precisions at the hits of each tie group."""
    above, items_above, hits, size = groups.hits_above, groups.seen_above, groups.hits, groups.size
    if groups.ties == "threshold":
        return hits * ratio(groups.hits_below, groups.seen_below)
    if groups.ties == "best":
        return hits + (above - items_above) * reciprocal_sum(items_above, hits)
    if groups.ties == "worst":
        before = items_above + size - hits
        return hits + (above - before) * reciprocal_sum(before, hits)
    if depth is None and np.all(size == 1):
        return (above + 1) / (items_above + 1)
    reachable = size if depth is None else groups.within(depth)
    # Position j of the tie holds a hit with probability a/s, with (j−1)(a−1)/(s−1) hits before it on average.
    reciprocals = reciprocal_sum(items_above, reachable)
    share_of_others = np.where(size > 1, ratio(hits - 1, size - 1), 0.0)
    return (
        hits
        / size
        * ((above + 1) * reciprocals + share_of_others * (reachable - (items_above + 1) * reciprocals))
    )


@_of_weights(
    "P(a target's score > a background score) + ½ P(they are equal)",
    chance="½",
    title="ROC area",
    source="Hanley & McNeil 1982; DeLong et al. 1988",
    synonyms=("ROC area", "area under the curve", "AUC", "AUROC", "C statistic", "concordance"),
    needs=(TARGETS, BACKGROUND),
    ranking_theory="ROC area",
    ignores_prevalence="always",
    guidance=guidance.ROC_AUC,
)
def roc_auc(groups: TieGroups) -> Values:
    """Compute the probability that a target ranks above a background item; ties count half."""
    above = groups.seen_above - groups.hits_above
    tied = groups.size - groups.hits
    ranked = groups.sum_by_list(groups.hits)
    background = groups.ranked - ranked
    # Targets never ranked stand below everything: all the background is above them.
    beaten = groups.sum_by_list(groups.hits * (above + tied / 2)) + (groups.targets - ranked) * background
    return 1 - ratio(beaten, groups.targets * background)


@_of_weights(
    "∫ precision d recall, hits and false alarms growing in proportion between cuts",
    chance="about m/n",
    title="PR area",
    source="Davis & Goadrich 2006",
    synonyms=("PR area", "precision-recall area", "recall-precision curve"),
    has_mean_chance=False,
    guidance=guidance.PR_AUC,
)
def pr_auc(groups: TieGroups) -> Values:
    """Compute the area under precision and recall, along the curve that random thresholds inside a tie give.

    Between two cuts hits and false alarms grow in proportion, which is no straight line in precision and
    recall (Davis & Goadrich 2006): the integral is in closed form.
    """
    above, items_above, hits, size = groups.hits_above, groups.seen_above, groups.hits, groups.size
    share = hits / size
    # ∫ (H + x)/(T + x/share) dx over the hits x of the tie.
    logs = np.where(items_above > 0, np.log1p(ratio(size, items_above)), 0.0)
    areas = share * (hits + np.where(items_above > 0, (above - share * items_above) * logs, 0.0))
    return ratio(groups.sum_by_list(areas), groups.targets)


@_of_weights(
    "h(t), the targets among the first t items",
    chance="t m/n",
    source=SU_ZHANG,
    high=np.inf,
    synonyms=("hit curve", "hit function", "true positives at k"),
    depth="required",
    needs=(),
    bounds=lambda depth: (0.0, depth),
)
def hits(groups: TieGroups, depth: Values) -> Values:
    """Compute the hit curve h(t)."""
    return groups.hits_at(depth)


@_of_weights("h(m)/m", chance="m/n", title="R-precision", synonyms=("rprec", "R precision"))
def r_precision(groups: TieGroups) -> Values:
    """``h(m)/m``: precision, and recall, at a depth of as many items as there are targets."""
    return ratio(groups.hits_at(groups.targets), groups.targets)


@_interpolated(
    "the largest precision at any cut with at least the recall (ties=trec: with round(recall · m) targets)",
    synonyms=("iprec_at_recall",),
    options={"recall": Parameter(0.5, 0.0, 1.0)} | WHOLE_GROUPS,
)
def interpolated_precision(groups: TieGroups, recall: float) -> Values:
    """Find the best precision at any cut that reaches the recall."""
    if groups.ties == "trec":
        # As trec_eval 10 has it: the nearest number of targets, a half rounded up.
        needed = np.floor(recall * groups.targets + 0.5)
    else:
        # A share of the targets, whether they are cases or weights; rounding does not put it out of reach.
        needed = recall * groups.targets * (1 - 1e-12)
    reached = groups.hits_below >= needed[groups.list_of]
    precisions = np.where(reached, ratio(groups.hits_below, groups.seen_below), 0.0)
    return np.where(groups.targets > 0, groups.largest(precisions, 0.0), np.nan)


@_interpolated(
    "mean of interpolated precision at recall 0, 0.1, …, 1",
    title="eleven-point precision",
    synonyms=("11pt_avg", "11-point average"),
    options=WHOLE_GROUPS,
)
def eleven_point_precision(groups: TieGroups) -> Values:
    """Average the interpolated precisions at recall 0, 0.1, …, 1."""
    return np.mean([interpolated_precision(groups, level) for level in RECALL_LEVELS], axis=0)


@_enter(
    "1/T_1, or 0 when no target is found",
    chance="E[1/T_1] of a random order",
    synonyms=("rr", "MRR", "recip_rank"),
    depth="optional",
    guidance=guidance.RECIPROCAL_RANK,
)
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
    return np.where(groups.targets > 0, groups.sum_by_list(values), np.nan)


def _mean_reciprocal(items_above: float, hits: float, size: float, limit: float) -> float:
    """Return E[1/(items_above + J)], J the place of the first hit in a tie in random order."""
    places = np.arange(1.0, min(limit, size - hits + 1) + 1)
    # P(J = j): no hit among the first j − 1, then one.
    none_before = np.concatenate([[1.0], np.cumprod(1 - hits / (size - places[:-1] + 1))])
    chances = none_before * hits / (size - places + 1)
    return float((chances / (items_above + places)).sum())


@_enter(
    "1 when a target is among the first t items, else 0",
    chance="1 − C(n − t, m)/C(n, m)",
    synonyms=("hit rate at k", "success at k"),
    depth="required",
    guidance=guidance.SUCCESS,
)
def success(groups: TieGroups, depth: Values) -> Values:
    """Return whether any of the first t items is a target; with ties, the probability."""
    first = groups.is_first
    size, hits, reachable = groups.size[first], groups.hits[first], groups.within(depth)[first]
    result = np.where(groups.targets > 0, 0.0, np.nan)
    result[groups.list_of[first]] = -np.expm1(_log_missed(size, hits, reachable))
    return result


def _log_missed(size: Values, hits: Values, reachable: Values) -> Values:
    """Return log C(s − c, a)/C(s, a) (no hit among c of s), summed because factorials would lose digits."""
    smaller, larger = np.minimum(hits, reachable), np.maximum(hits, reachable)
    possible = size - larger >= smaller
    logs = np.where(possible, 0.0, -np.inf)
    active, step = np.flatnonzero(possible & (smaller > 0)), 0
    while len(active):
        logs[active] += np.log1p(-larger[active] / (size[active] - step))
        step += 1
        active = active[(smaller[active] > step) & (logs[active] > NO_CHANCE)]
    return logs


@_enter(
    "Σ gain/log₂(rank + 1), over the same of the best order",
    chance="mean gain times Σ 1/log₂(rank + 1), over that of the best order",
    title="NDCG",
    source="Järvelin & Kekäläinen 2002; Burges et al. 2005 (exponential gain)",
    synonyms=("normalized discounted cumulative gain", "ndcg_cut", "normalised DCG"),
    options={"gain": Parameter("linear", choices=("linear", "exponential"))},
    depth="optional",
    relevant_from=1,
    guidance=guidance.NDCG,
)
def ndcg(groups: TieGroups, depth: Depth, gain: str) -> Values:
    """Discounted cumulative gain, ``Σ gain/log₂(rank + 1)``, over that of the best order."""
    reachable = groups.size if depth is None else groups.within(depth)
    gains = groups.sum_by_list(
        gains_of_groups(groups, gain) / groups.size * discount_sum(groups.seen_above, reachable)
    )
    return ratio(gains, ideal_gain(groups, depth, gain))


@_enter(
    "(1/m) Σ over hits of 1 − min(judged background above, m)/min(m, judged background)",
    chance="depends on what was judged",
    source="Buckley & Voorhees 2004",
    synonyms=("binary preference",),
    options={"ties": _ties(*STRICT_TIES)},
    needs=(TARGETS, JUDGED),
    has_mean_chance=False,
)
def bpref(groups: TieGroups) -> Values:
    """``(1/m) Σ (1 − judged background above / min(m, judged background))`` over hits, each at least 0."""
    judged = groups.judgements
    if judged is None:
        return np.full(groups.number, np.nan)
    targets, rejected = groups.targets[groups.list_of], judged.rejected[groups.list_of]
    fewer = np.minimum(targets, rejected)
    lost = np.where(judged.rejected_above > 0, ratio(np.minimum(judged.rejected_above, targets), fewer), 0.0)
    return ratio(groups.sum_by_list(1 - lost), groups.targets)


@_enter(
    "Σ_r (1/r) s_r Π_{i<r} (1 − s_i), s = (2^grade − 1)/2^max_grade at each rank",
    chance="depends on the grades",
    title="ERR",
    source="Chapelle et al. 2009",
    synonyms=("expected reciprocal rank",),
    options={"max_grade": Parameter(4.0, 1.0, 50.0), "ties": _ties(*STRICT_TIES)},
    depth="optional",
    needs=(TARGETS, JUDGED),
    relevant_from=1,
    has_mean_chance=False,
)
def err(groups: TieGroups, depth: Depth, max_grade: float) -> Values:
    """Average 1/rank over where a reader stops, who is satisfied by each item with probability s."""
    if groups.grades is None or groups.judgements is None:
        return np.full(groups.number, np.nan)
    highest = np.max(groups.grades.grade, initial=0.0)
    if highest > max_grade:
        raise OptionError(f"a grade is {highest:g}, above the largest: write err(max_grade={highest:g})")
    stops = gains_of_groups(groups, "exponential") / 2.0**max_grade
    # Long doubles: the sum runs over all lists.
    log_reached = np.concatenate([[0.0], np.cumsum(np.log1p(-stops), dtype=np.longdouble)])
    start = np.flatnonzero(groups.is_first)[np.cumsum(groups.is_first) - 1]
    reached = np.exp(log_reached[:-1] - log_reached[start]).astype(np.float64)
    reachable = np.ones_like(stops) if depth is None else groups.within(depth)
    values = groups.sum_by_list(reached * stops * reachable / (groups.seen_above + 1))
    return np.where(groups.targets > 0, values, np.nan)


@_enter(
    "the share of the first t items that were judged",
    chance="depends on what was judged",
    direction="neither",
    source="MacAvaney et al. 2022, ir-measures",
    synonyms=("judgement rate", "judgment rate"),
    depth="required",
    needs=(
        Requirement(lambda groups: groups.ranked > 0, "nothing was ranked"),
        Requirement(lambda groups: np.full(groups.number, groups.grades is not None), "it needs RankedLists"),
    ),
    relevant_from=0,
    has_mean_chance=False,
)
def judged(groups: TieGroups, depth: Values) -> Values:
    """Compute the share of the first t items that were judged, with any grade."""
    shares = ratio(groups.hits_at(depth), np.minimum(depth, groups.ranked))
    return shares if groups.grades is not None else np.full(groups.number, np.nan)


@_enter(
    "(1 − p) Σ over hits of p^(rank − 1)",
    chance="m/n (1 − p^n)",
    title="RBP",
    source="Moffat & Zobel 2008",
    synonyms=("rank-biased precision",),
    options={"persistence": Parameter(0.8, 1e-6, 1 - 1e-9)},
    depth="optional",
)
def rbp(groups: TieGroups, depth: Depth, persistence: float) -> Values:
    """``(1 − p) Σ p^(rank − 1)`` over hits: a reader goes on to the next item with probability p."""
    reachable = groups.size if depth is None else groups.within(depth)
    # (1 − p) Σ_j p^(T + j − 1) over the tie is p^T (1 − p^c), spread evenly over its items.
    spread = persistence**groups.seen_above * -np.expm1(reachable * np.log(persistence))
    return np.where(groups.targets > 0, groups.sum_by_list(groups.hits / groups.size * spread), np.nan)


@_enter(
    "precision in the first ⌈fraction · n⌉ items, over m/n",
    chance="1",
    source="Truchon & Bayly 2007",
    high=np.inf,
    synonyms=("ef", "early enrichment"),
    options={"fraction": Parameter(0.01, 1e-9, 1.0)},
    needs=(TARGETS, ITEMS),
    bounds=lambda fraction: (0.0, 1 / fraction),
)
def enrichment_factor(groups: TieGroups, fraction: float) -> Values:
    """Precision in the first part of the list over the share of targets in all of it."""
    looked = np.ceil(fraction * groups.items - 1e-9)
    return ratio(groups.hits_at(looked) * groups.items, looked * groups.targets)


@_worth(
    "gain · h(t) − cost · t",
    chance="t (gain · m/n − cost)",
    low=-np.inf,
    synonyms=("value at depth", "profit"),
    depth="required",
    bounds=lambda depth, gain, cost: (depth * (min(gain, 0.0) - cost), depth * max(gain - cost, 0.0)),
)
def value(groups: TieGroups, depth: Values, gain: float, cost: float) -> Values:
    """``gain · h(t) − cost · t``: what looking at the first t items is worth."""
    return gain * groups.hits_at(depth) - cost * np.minimum(depth, groups.ranked)


@_worth(
    "the largest gain · h(t) − cost · t over all t, at least 0",
    chance="above the value of a random order at any one depth",
    has_mean_chance=False,
)
def best_value(groups: TieGroups, gain: float, cost: float) -> Values:
    """Find the value at the best depth; 0 if reviewing never pays. Only the end of a tie can be best."""
    return groups.largest(gain * groups.hits_below - cost * groups.seen_below, 0.0)


@_worth(
    "the smallest t with the best value; 0 when looking never pays",
    chance="depends on gain and cost",
    direction="neither",
    has_mean_chance=False,
)
def best_depth(groups: TieGroups, gain: float, cost: float) -> Values:
    """Find the shortest depth at which the value is best; 0 if reviewing never pays."""
    worth = gain * groups.hits_below - cost * groups.seen_below
    most = best_value(groups, gain, cost)[groups.list_of]
    scale = np.maximum(np.abs(gain * groups.hits_below), np.abs(cost * groups.seen_below))
    is_best = (worth >= most - 1e-12 * scale) & (most > 0)
    shortest = -groups.largest(np.where(is_best, -groups.seen_below, -np.inf), -np.inf)
    return np.where(np.isinf(shortest), 0.0, shortest)


@_of_weights(
    "max over cuts of recall − fallout",
    chance="above 0: the best of many cuts is partly luck",
    source="Youden 1950; Kolmogorov & Smirnov",
    synonyms=("Kolmogorov-Smirnov", "KS statistic", "maximal Youden index"),
    needs=(TARGETS, BACKGROUND),
    has_mean_chance=False,
)
def best_informedness(groups: TieGroups) -> Values:
    """Find the largest recall − fallout over all cuts: the ROC curve's greatest height over the diagonal."""
    background = (groups.ranked - groups.sum_by_list(groups.hits))[groups.list_of]
    targets = groups.targets[groups.list_of]
    heights = ratio(groups.hits_below, targets) - ratio(groups.seen_below - groups.hits_below, background)
    defined = (groups.targets > 0) & (groups.ranked > groups.sum_by_list(groups.hits))
    return np.where(defined, groups.largest(heights, 0.0), np.nan)


MEASURES = tuple(_entries)


def _at(name: str, trec_name: str, depths: tuple[int, ...]) -> dict[str, str]:
    return {f"{trec_name}_{depth}": f"{name}@{depth}" for depth in depths}


DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

TREC_NAMES = {
    "map": "average_precision",
    "Rprec": "r_precision",
    "bpref": "bpref",
    "recip_rank": "reciprocal_rank",
    "11pt_avg": "eleven_point_precision",
    "ndcg": "ndcg",
    **_at("precision", "P", DEPTHS),
    **_at("recall", "recall", DEPTHS),
    **_at("ndcg", "ndcg_cut", DEPTHS),
    **_at("average_precision", "map_cut", DEPTHS),
    **_at("success", "success", (1, 5, 10)),
    **{
        f"iprec_at_recall_{level / 10:.2f}": f"interpolated_precision(recall={level / 10:g})"
        for level in range(11)
    },
}
"""trec_eval's names, and ours."""
