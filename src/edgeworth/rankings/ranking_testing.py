"""Testing a ranking's measure against random selection."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from edgeworth.arrays import Values
from edgeworth.core.laws import Alternative
from edgeworth.core.tails import Tail
from edgeworth.rankings.along import ResolvedRanking, steps_of
from edgeworth.rankings.chance.law import average_precision
from edgeworth.rankings.concordance import concordance_tail
from edgeworth.rankings.intervals.resampling import random_orders
from edgeworth.rankings.list_values import counted
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.ranking import Ranking

SAME = 1e-12
STEPS_DRAWN = 20_000_000
"""Steps of random orders that are drawn within a few seconds."""
ITEMS_TOGETHER = 500_000
FEWEST, MOST = 199, 99_999


def selection_tail(
    ranking: Ranking,
    resolved: ResolvedRanking,
    alternative: Alternative,
    seed: int,
    *,
    enough: float = 0.0,
) -> Tail | None:
    """P(random selection does as much); None where cases are weighted.

    A certified bound on average precision's tail below ``enough`` is taken without asking for more.
    """
    if not ranking.is_counted or resolved.measure.direction == "neither":
        return None
    items, targets = int(ranking.total), int(ranking.target_total)
    value = float(resolved.values(steps_of(ranking, resolved))[0])
    if resolved.measure.name == "average_precision":
        reachable = resolved.arguments["over"] == "reachable"
        law = average_precision(
            items, targets, depth=resolved.depth, over="reachable" if reachable else "targets"
        )
        if alternative == "greater" and enough > 0:
            bound = law.tail(value, method="bound")
            if bound.high < enough:
                return bound
        if alternative == "two-sided":
            return doubled(law.tail(value, seed=seed), law.lower_tail(value, seed=seed))
        return law.tail(value, seed=seed) if alternative == "greater" else law.lower_tail(value, seed=seed)
    if resolved.measure.name == "roc_auc":
        return concordance_tail(ranking, alternative)
    draws = _draws(targets)
    middle = float(resolved.at_random(steps_of(ranking, resolved))[0])
    sides: tuple[Alternative, ...] = (alternative,)
    if alternative == "two-sided" and math.isnan(middle):
        sides = ("greater", "less")  # without a mean to be far from: the smaller tail, doubled
    counts = [0] * len(sides)
    for steps in random_orders(items, targets, draws, seed):
        values = resolved.values(steps)
        counts = [n + _beyond(values, value, middle, side) for n, side in zip(counts, sides, strict=True)]
    found = [_drawn(count, draws, seed) for count in counts]
    return found[0] if len(found) == 1 else doubled(*found)


def lists_tail(
    lists: RankedLists, resolved: ResolvedRanking, value: float, alternative: Alternative, seed: int
) -> Tail | None:
    """P(random orders of every list have such a mean); None where the lists are not all there is."""
    if not lists.is_whole or resolved.measure.direction == "neither":
        return None
    draws = int(np.clip(STEPS_DRAWN // max(1, len(lists.scores)), FEWEST, 9_999))
    generator = np.random.default_rng(seed)
    together = int(np.clip(ITEMS_TOGETHER // max(1, len(lists.scores)), 1, draws))
    means = np.concatenate(
        [
            _random_means(lists, resolved, min(together, draws - start), generator)
            for start in range(0, draws, together)
        ]
    )
    return _drawn(_beyond(means, value, float(means.mean()), alternative), draws, seed)


def _random_means(
    lists: RankedLists, resolved: ResolvedRanking, draws: int, generator: np.random.Generator
) -> Values:
    """Means over lists in random order, several draws as one set of lists."""
    copies = RankedLists(
        tuple(range(draws * lists.number)),
        np.concatenate([lists.starts[:1], *(lists.starts[1:] + k * lists.starts[-1] for k in range(draws))]),
        generator.random(draws * len(lists.scores)),
        np.tile(lists.grades, draws),
        relevant_from=lists.relevant_from,
        empty_is_zero=lists.empty_is_zero,
    )
    # Random scores have no ties, so every policy gives the same order.
    loose = replace(resolved, ties="expected")
    values = loose.values(steps_of(copies, loose)).reshape(draws, lists.number)
    # Which lists have no value does not depend on their order.
    return np.array([counted(lists, row).mean() for row in values])


def doubled(upper: Tail, lower: Tail) -> Tail:
    """The two-sided tail: twice the smaller one."""
    smaller = upper if upper.p_value <= lower.p_value else lower
    exact = None if smaller.exact is None else min(smaller.exact * 2, type(smaller.exact)(1))
    low, high, p_value = (min(1.0, 2 * x) for x in (smaller.low, smaller.high, smaller.p_value))
    return replace(
        smaller, low=low, high=high, p_value=p_value, exact=exact, method=f"{smaller.method}, doubled"
    )


def _draws(targets: int) -> int:
    return int(np.clip(STEPS_DRAWN // max(1, targets), FEWEST, MOST))


def _beyond(values: Values, observed: float, middle: float, alternative: Alternative) -> int:
    """Draws at least as extreme. Rounding may make one count as extreme, never as harmless."""
    same = SAME * max(1.0, abs(observed))
    if alternative == "two-sided" and not math.isnan(middle):
        beyond = np.abs(values - middle) >= abs(observed - middle) - same
    elif alternative == "less":
        beyond = values <= observed + same
    else:
        beyond = values >= observed - same
    return int((beyond | np.isnan(values)).sum())


def _drawn(count: int, draws: int, seed: int) -> Tail:
    return replace(
        Tail.drawn(count, draws, seed), method=f"Monte Carlo, {draws:,} random orders, seed {seed}"
    )
