"""ROC area under random selection: the law of Mann and Whitney's statistic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import scipy

from edgeworth.core.laws import Alternative
from edgeworth.core.tails import SMALLEST, Tail
from edgeworth.rankings.formulas.ranking_steps import steps_of_ranking
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.runs import Run

MOST_PAIRS = 20_000
"""Pairs of a target and a background item up to which all orders are counted."""


def concordance_tail(ranking: Ranking, alternative: Alternative) -> Tail:
    """P(random selection has such a ROC area): all orders counted when few and without ties."""
    steps = steps_of_ranking(ranking)
    targets, background = int(ranking.target_total), int(ranking.background.total)
    tied = steps.size - steps.hits
    above = steps.seen_above - steps.hits_above
    unranked = int(ranking.unranked) * background
    # Twice the pairs in the wrong order, so that a tie is a whole number.
    lost = 2 * int((steps.hits * above).sum()) + int((steps.hits * tied).sum()) + 2 * unranked
    has_ties = bool(tied.any()) or ranking.unranked > 1
    if not has_ties and targets * background <= MOST_PAIRS:
        return _counted(targets, background, lost // 2, alternative)
    return _normal(ranking, targets, background, lost / 2, alternative)


def _counted(targets: int, background: int, lost: int, alternative: Alternative) -> Tail:
    counts = orders_by_inversions(targets, background)
    whole = math.comb(targets + background, targets)
    good = Fraction(sum(counts[: lost + 1]), whole)
    bad = Fraction(sum(counts[lost:]), whole)
    exact = {"greater": good, "less": bad, "two-sided": min(Fraction(1), 2 * min(good, bad))}[alternative]
    value = max(SMALLEST, float(exact))
    return Tail(value, value, value, "exact, all orders (Mann–Whitney)", exact)


def orders_by_inversions(targets: int, background: int) -> list[int]:
    """How many orders have u pairs with the background item above the target, for each u.

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


def _normal(ranking: Ranking, targets: int, background: int, lost: float, alternative: Alternative) -> Tail:
    """Normal with the exact mean and variance, ties included, and a continuity correction."""
    total = targets + background
    mean = targets * background / 2
    ties = _tie_sum(ranking)
    variance = targets * background / 12 * (total + 1 - ties / (total * (total - 1))) if total > 1 else 0.0
    if variance <= 0:
        return Tail(1.0, 1.0, 1.0, "exact: every item is tied")
    error = math.sqrt(variance)
    good = float(scipy.special.ndtr((lost + 0.5 - mean) / error))
    bad = float(scipy.special.ndtr((mean - lost + 0.5) / error))
    p_value = {"greater": good, "less": bad, "two-sided": min(1.0, 2 * min(good, bad))}[alternative]
    p_value = min(1.0, max(SMALLEST, p_value))
    known = "the variance of background without ties" if ranking.is_collapsed else "the exact variance"
    return Tail(0.0, 1.0, p_value, f"approximation, normal with {known}", kind="approximation")


def _tie_sum(ranking: Ranking) -> float:
    """Σ (t³ − t) over groups of t tied items.

    Background of a collapsed ranking that lies between targets is taken as untied, which makes the variance
    the largest it can be.
    """
    runs = [ranking.targets, ranking.background.single]
    both = (runs[0] + runs[1]).gathered() if all(len(run.scores) for run in runs) else _only(runs)
    sizes = np.zeros(0) if both.weight is None else np.asarray(both.weight, dtype=np.float64)
    if ranking.unranked:
        sizes = np.append(sizes, float(ranking.unranked))
    return float((sizes**3 - sizes).sum())


def _only(runs: list[Run]) -> Run:
    return (runs[0] if len(runs[0].scores) else runs[1]).gathered()
