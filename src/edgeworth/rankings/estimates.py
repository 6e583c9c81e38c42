"""Estimates of a ranking's measures, and of means over many lists."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import scipy

from edgeworth.common.arrays import Integers, Values
from edgeworth.common.choices import Over
from edgeworth.core.estimates import Estimate, Method, law_or_reason, undefined_estimate
from edgeworth.core.measures import Measure
from edgeworth.core.sampling_distributions import Alternative
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.estimates import ClopperPearson, Delta, Dirichlet, Newcombe, Wilson, estimate_table
from edgeworth.decisions.posteriors import BetaPosterior
from edgeworth.errors import OptionError
from edgeworth.rankings.chance.law import average_precision
from edgeworth.rankings.intervals.methods import (
    AcrossLists,
    ClusterInfluence,
    Influence,
    ListValues,
    default_ranking_method,
)
from edgeworth.rankings.intervals.resampling import random_orders, tied_orders
from edgeworth.rankings.list_tie_groups import order_lists, tie_groups_in_order
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measure_lookup import (
    ResolvedRanking,
    cut_of,
    needs_whole_cases,
    parse_measure,
    resolve_ranking,
    tie_groups_of,
    values_in_mean,
)
from edgeworth.rankings.policy import (
    MAX_P_VALUE_WITHOUT_TIES,
    MAX_PAIRS_COUNTED,
    MAX_Z_FOR_CLASS_SPLIT,
    MIN_CASES_FOR_COVERAGE,
    MIN_TIED_SHARE,
    NEARLY_EQUAL_SHARES,
)
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.tie_groups import STRICT_TIES, TieGroups


def concordance_tail(ranking: Ranking, *, upper: bool) -> TestResult:
    """P(random selection has such a ROC area): all orders counted when few and without ties."""
    groups = ranking.tie_groups
    targets, background = int(ranking.target_total), int(ranking.background.total)
    tied = groups.size - groups.hits
    above = groups.seen_above - groups.hits_above
    unranked = int(ranking.unranked) * background
    # Twice the pairs in the wrong order, so that a tie is a whole number.
    lost = 2 * int((groups.hits * above).sum()) + int((groups.hits * tied).sum()) + 2 * unranked
    has_ties = bool(tied.any()) or ranking.unranked > 1
    if has_ties or targets * background > MAX_PAIRS_COUNTED:
        return _normal(ranking, targets, background, lost / 2, upper=upper)
    counts = orders_by_inversions(targets, background)
    beyond = counts[: lost // 2 + 1] if upper else counts[lost // 2 :]
    return TestResult.from_fraction(
        Fraction(sum(beyond), math.comb(targets + background, targets)), "all orders (Mann–Whitney)"
    )


def orders_by_inversions(targets: int, background: int) -> list[int]:
    """Count, for each u, the orders with u pairs in which the background item is above the target.

    The coefficients of the Gaussian binomial: Π (1 − q^(background + i))/(1 − q^i), in whole numbers.
    """
    size = targets * background + 1
    counts = [1] + [0] * (size - 1)
    for step in range(1, targets + 1):
        shift = background + step
        for u in range(size - 1, shift - 1, -1):
            counts[u] -= counts[u - shift]
        for u in range(step, size):
            counts[u] += counts[u - step]
    return counts


def _normal(ranking: Ranking, targets: int, background: int, lost: float, *, upper: bool) -> TestResult:
    """Test with the normal law of the exact mean and variance, ties included, and a continuity correction."""
    total = targets + background
    ties = _tie_sum(ranking)
    variance = targets * background / 12 * (total + 1 - ties / (total * (total - 1))) if total > 1 else 0.0
    if variance <= 0:
        return TestResult(1.0, 1.0, 1.0, "exact: every item is tied")
    away = (lost - targets * background / 2) * (1 if upper else -1)
    p_value = float(scipy.special.ndtr((away + 0.5) / math.sqrt(variance)))
    variance_text = (
        "the variance of background without ties" if ranking.is_collapsed else "the exact variance"
    )
    return TestResult.approximate(p_value, 1.0, f"approximation, normal with {variance_text}")


def _tie_sum(ranking: Ranking) -> float:
    """Return Σ (t³ − t) over groups of t tied items.

    Background of a collapsed ranking that lies between targets is taken as untied, which makes the variance
    the largest it can be.
    """
    sizes = np.append(ranking.items_by_score[1], ranking.unranked).astype(np.float64)
    return float((sizes * (sizes**2 - 1)).sum())


def is_turned_round(area: float, targets: float, background: float) -> bool:
    """Return whether a ROC area is five standard deviations of random order below ½ (Mann & Whitney 1947)."""
    return (0.5 - area) * math.sqrt(12 * targets * background) > 5 * math.sqrt(targets + background + 1)


def class_split(ranking: Ranking) -> str | None:
    """Warn if nearly equal scores are split by class, targets below others, as leaving out one case does.

    A model fitted without a target expects a little less of it. Where cases share their features, that puts
    all targets just below all others of the kind, while across kinds the order is right.
    """
    is_plain = ranking.is_counted and ranking.clusters is None
    if not is_plain or ranking.is_collapsed or ranking.is_placed:
        return None
    scores, items = ranking.items_by_score
    width = float(scores[-1] - scores[0]) if len(scores) > 1 else 0.0
    if not 0 < width < math.inf:
        return None
    hits, (target_scores, targets) = np.zeros(len(scores)), ranking.targets.distinct()
    hits[np.searchsorted(scores, target_scores)] = targets
    sizes, gaps = items.astype(np.float64), np.diff(scores)
    # Leaving out a case gives a score to one class only. The leaves of a tree have cases of both classes.
    if sizes[(hits > 0) & (hits < sizes)].sum() > sizes.sum() / 2:
        return None
    starts = (np.append(0, 1 + np.flatnonzero(gaps > share * width)) for share in NEARLY_EQUAL_SHARES)
    z = min(_split_within(group_starts, hits, sizes) for group_starts in starts)
    if z > MAX_Z_FOR_CLASS_SPLIT:
        return None
    return (
        "These scores look like leave-one-out predictions: among nearly equal scores, targets rank below "
        f"other items (z = {z:.1f}). Ranking them together is misleading. Rank within folds (--fold), or "
        "round the scores."
    )


def _split_within(starts: Integers, hits: Values, sizes: Values) -> float:
    """Return the z-score of targets above others within kinds, or 0 unless they rank higher across kinds."""
    targets, items, ties = (
        np.add.reduceat(column, starts) for column in (hits, sizes, sizes * (sizes**2 - 1))
    )
    background, background_of_groups = items - targets, sizes - hits
    # Pairs of a target above one of the rest, half where they are equal: of all items, and of all kinds.
    pairs, above = (
        x @ (np.cumsum(y) - y / 2) for x, y in ((hits, background_of_groups), (targets, background))
    )
    within, across = float(pairs - above), float(above - targets.sum() * background.sum() / 2)
    ties = ties / np.maximum(items * (items - 1), 1.0)
    variance = float((targets * background / 12 * (items + 1 - ties)).sum())
    spread = math.sqrt(float(targets.sum() * background.sum() * (items.sum() + 1)) / 12)
    return within / math.sqrt(variance) if variance > 0 and across > 2 * spread else 0.0


RELATIVE_ROUNDING_ERROR = 1e-12
MAX_STEPS_DRAWN = 20_000_000
"""Steps of random orders that are drawn within a few seconds."""
MAX_ITEMS_AT_ONCE = 500_000
MIN_DRAWS = 199
MAX_DRAWS = 99_999
MAX_DRAWS_WITH_TIES = 9_999
"""Random orders that are drawn for a p-value."""


def selection_tail(
    ranking: Ranking, resolved: ResolvedRanking, alternative: Alternative, seed: int, *, enough: float = 0.0
) -> TestResult | None:
    """Compute P(random selection does at least as well); None if cases are weighted or come in clusters.

    A proven bound on average precision's tail below ``enough`` is returned without a closer computation.
    If many items are tied, targets are assigned at random to the given scores, because the law of orders
    without ties would give too small p-values.
    """
    is_independent = ranking.is_counted and ranking.clusters is None
    if not is_independent or resolved.measure.direction == "neither":
        return None
    middle = float(resolved.at_random(tie_groups_of(ranking, resolved))[0])
    if alternative == "two-sided" and (resolved.measure.has_chance_law or math.isnan(middle)):
        # Without a mean to be far from: the smaller tail, doubled.
        upper, lower = (_tail(ranking, resolved, side, seed, middle) for side in ("greater", "less"))
        return two_sided(upper, lower)
    return _tail(ranking, resolved, alternative, seed, middle, enough)


def _tail(
    ranking: Ranking,
    resolved: ResolvedRanking,
    alternative: Alternative,
    seed: int,
    middle: float,
    enough: float = 0.0,
) -> TestResult:
    """Compute the tail from the law of the measure if it has one, or else from draws."""
    items, targets = int(ranking.total), int(ranking.target_total)
    value = float(resolved.values(tie_groups_of(ranking, resolved))[0])
    is_tied, upper = _is_tied(ranking), alternative == "greater"
    if resolved.measure.is_average_precision:
        over: Over = "reachable" if resolved.arguments["over"] == "reachable" else "targets"
        law = average_precision(items, targets, depth=resolved.depth, over=over)
        strict = law.tail(value, method="bound") if upper and enough else None
        if strict is None or strict.high >= enough:
            strict = law.tail(value, rng=seed) if upper else law.lower_tail(value, rng=seed)
        if not is_tied:
            return strict
        if math.e * strict.p_value <= MAX_P_VALUE_WITHOUT_TIES:
            return _times_e(strict)
    if resolved.measure.is_area:
        area = concordance_tail(ranking, upper=upper)
        if (
            not is_tied
            or min(targets, items - targets) >= MIN_CASES_FOR_COVERAGE
            or math.e * area.p_value <= MAX_P_VALUE_WITHOUT_TIES
        ):
            return area
    draws = int(
        np.clip(MAX_STEPS_DRAWN // max(1, targets), MIN_DRAWS, MAX_DRAWS_WITH_TIES if is_tied else MAX_DRAWS)
    )
    orders = tied_orders(ranking, draws, seed) if is_tied else random_orders(items, targets, draws, seed)
    count = sum(_beyond(resolved.values(groups), value, middle, alternative) for groups in orders)
    return TestResult.from_draws(count, draws, seed, f"random orders{' with these ties' * is_tied}")


def _is_tied(ranking: Ranking) -> bool:
    """Return whether enough pairs of items are tied to matter; unknown for a collapsed ranking."""
    sizes, items = ranking.items_by_score[1].astype(np.float64), float(ranking.ranked_total)
    return not ranking.is_collapsed and float(sizes @ (sizes - 1)) > MIN_TIED_SHARE * items * max(
        items - 1, 1
    )


def _times_e(tail: TestResult) -> TestResult:
    """Multiply a tail by e to allow for ties.

    A value averaged over ties is less variable in the convex order, so P(≥ x) ≤ E[(W − c)₊]/(x − c). If the
    tail falls like exp(−x) or faster beyond c, this is at most e times the tail. This argument is no proof.
    """
    method = f"{tail.method}, multiplied by e to allow for ties"
    return replace(_times(tail, math.e), low=0.0, exact=None, kind="approximation", method=method)


def _times(tail: TestResult, factor: float) -> TestResult:
    low, high, p_value = (min(1.0, factor * x) for x in (tail.low, tail.high, tail.p_value))
    return replace(tail, low=low, high=high, p_value=p_value)


def lists_tail(
    lists: RankedLists, resolved: ResolvedRanking, value: float, alternative: Alternative, seed: int
) -> TestResult | None:
    """P(random orders of every list have such a mean); None for runs, and if items come in clusters."""
    if not lists.is_whole or lists.clusters is not None or resolved.measure.direction == "neither":
        return None
    draws = int(np.clip(MAX_STEPS_DRAWN // max(1, len(lists.scores)), MIN_DRAWS, MAX_DRAWS_WITH_TIES))
    means = _random_means(lists, resolved, draws, seed)
    count = _beyond(means, value, float(means.mean()), alternative)
    return TestResult.from_draws(count, draws, seed, "random orders")


def _random_means(lists: RankedLists, resolved: ResolvedRanking, draws: int, seed: int) -> Values:
    """Draw means over lists in random order, with several draws as one set of lists, sorted by size.

    Grades change places inside each list, scores do not: ties are kept.
    """
    # Of grades at random places every strict order is as good as another.
    ties = "input" if resolved.ties in STRICT_TIES else "expected"
    together = int(np.clip(MAX_ITEMS_AT_ONCE // max(1, len(lists.scores)), 1, draws))
    starts, rows = lists.items_of(np.repeat(np.argsort(lists.sizes, kind="stable"), together))
    is_new = (order_lists(lists.scores, lists.starts)[1] | (ties == "input"))[rows]
    copied = RankedLists(tuple(range(len(starts) - 1)), starts, lists.scores[rows], lists.grades[rows])
    copies = copied.with_threshold(lists.relevant_from)
    sizes, first, numbers = np.unique(copies.sizes, return_index=True, return_counts=True)
    parts = zip(np.split(copies.grades, starts[first[1:]]), numbers, sizes, strict=True)
    blocks = [part.reshape(number, size) for part, number, size in parts]
    generator, means = np.random.default_rng(seed), []
    for _ in range(0, draws, together):
        grades = np.concatenate([generator.permuted(block, axis=1).ravel() for block in blocks])
        groups = tie_groups_in_order(copies, grades, is_new, ties)
        values = resolved.values(groups)
        empty = np.where(np.isnan(values), 0.0, values) if lists.empty_is_zero else math.nan
        values = np.where(groups.targets == 0, empty, values)
        means.append(np.nanmean(values.reshape(lists.number, together), axis=0))
    return np.concatenate(means)[:draws]


def two_sided(upper: TestResult, lower: TestResult) -> TestResult:
    """Compute the two-sided tail: twice the smaller one."""
    smaller = min(upper, lower, key=lambda tail: tail.p_value)
    exact = None if smaller.exact is None else min(smaller.exact * 2, Fraction(1))
    return replace(_times(smaller, 2), exact=exact, method=f"{smaller.method}, doubled")


def _beyond(values: Values, observed: float, middle: float, alternative: Alternative) -> int:
    """Count draws that are at least as extreme, where rounding can only add draws."""
    tolerance = RELATIVE_ROUNDING_ERROR * max(1.0, abs(observed))
    if alternative == "two-sided" and not math.isnan(middle):
        beyond = np.abs(values - middle) >= abs(observed - middle) - tolerance
    elif alternative == "less":
        beyond = values <= observed + tolerance
    else:
        beyond = values >= observed - tolerance
    return int((beyond | np.isnan(values)).sum())


METHODS_OF_DECISIONS = (BetaPosterior, ClopperPearson, Delta, Dirichlet, Newcombe, Wilson)


def estimate_ranking(
    ranking: Ranking, measure: str | Measure, *, method: Method | None = None, seed: int = 0
) -> Estimate:
    """Estimate a measure of one ranking with its uncertainty; at a depth, of the decisions there."""
    cut = cut_of(ranking, measure)
    if cut is not None:
        written = str(parse_measure(measure))
        return replace(estimate_table(*cut, method=method, seed=seed), measure=written)
    resolved = resolve_ranking(ranking, measure)
    groups = tie_groups_of(ranking, resolved)
    reason = needs_whole_cases(ranking, resolved) or resolved.undefined(groups)[0]
    if reason is not None:
        return undefined_estimate(ranking, resolved.spelling, reason, float(ranking.total))
    _check_ranking_method(method)
    chosen = default_ranking_method(ranking, resolved, seed) if method is None else method
    law, no_interval = law_or_reason(chosen, ranking, resolved, required=method is not None)
    return Estimate(
        measure=resolved.spelling,
        value=float(resolved.values(groups)[0]),
        chance=float(resolved.at_random(groups)[0]),
        method=None if law is None else chosen,
        undefined=None,
        no_interval=no_interval,
        tally=ranking,
        law=law,
        chance_test=partial(selection_tail, ranking, resolved, seed=seed),
        size=float(ranking.total),
    )


def _check_ranking_method(method: Method | None) -> None:
    if isinstance(method, METHODS_OF_DECISIONS):
        raise OptionError(
            f"{method} is for decisions, such as precision@100. For a ranking use Influence(), Boyd(), "
            "Survival() or Bootstrap(). For several lists use AcrossLists() or Bootstrap()"
        )


def estimate_lists(
    lists: RankedLists,
    measure: str | Measure,
    *,
    method: Method | None = None,
    seed: int = 0,
    groups: TieGroups | None = None,
) -> Estimate:
    """Estimate a measure's mean over lists with its uncertainty; ``groups`` if they are in order by now."""
    resolved = resolve_ranking(lists, measure)
    groups = tie_groups_of(lists, resolved) if groups is None else groups
    counted = values_in_mean(lists, resolved, resolved.values(groups))
    chance = values_in_mean(lists, resolved, resolved.at_random(groups))
    lists = resolved.retarget(lists)
    values, chance = counted[~np.isnan(counted)], chance[~np.isnan(chance)]
    if not len(values):
        reasons = [reason for reason in resolved.undefined(groups) if reason is not None]
        reason = f"no list has a value: {reasons[0]}" if reasons else "there are no lists"
        return undefined_estimate(lists, resolved.spelling, reason, float(lists.number))
    value = float(values.mean())
    _check_ranking_method(method)
    chosen, basis = _lists_method(lists, method), ListValues(values)
    law, no_interval = law_or_reason(
        chosen, basis if lists.clusters is None else lists, resolved, required=method is not None
    )
    has_chance = len(chance) == len(values)
    return Estimate(
        measure=resolved.spelling,
        value=value,
        chance=float(chance.mean()) if has_chance else math.nan,
        method=None if law is None else chosen,
        undefined=None,
        no_interval=no_interval,
        tally=lists,
        law=law,
        chance_test=partial(lists_tail, lists, resolved, value, seed=seed),
        size=float(lists.number if lists.clusters is None else len(lists.scores)),
    )


def _lists_method(lists: RankedLists, method: Method | None) -> Method:
    """Return the requested method, or the one for these lists; clusters have only one."""
    if lists.clusters is None:
        return AcrossLists() if method is None else method
    if method is not None and not isinstance(method, Influence):
        raise OptionError(f"{method} is not supported with folds and clusters: omit method=")
    return ClusterInfluence()
