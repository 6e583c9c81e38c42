"""What each case adds to the difference of two rankings of the same cases.

A case moves both rankings, so its effect on the difference is that on the first minus that on the second, and
what the systems have in common cancels case by case. For the ROC area the squares sum to the variance of
DeLong, DeLong & Clarke-Pearson (1988), covariance included."""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np
import scipy

from edgeworth.common.arrays import Floats
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.comparisons.scores.sampling_distributions import ScoreDifferenceLaw, Side
from edgeworth.core.measures import Measure
from edgeworth.core.policy import MIN_DEGREES_OF_FREEDOM
from edgeworth.core.sampling_distributions import MAX_NORMAL_QUANTILE
from edgeworth.errors import OptionError
from edgeworth.rankings.intervals.clusters import NO_VARIANCE, ClusteredCases, Spread, spread_of_squares
from edgeworth.rankings.intervals.methods import Places, find_caveat, influence_of
from edgeworth.rankings.intervals.resampling import tie_groups_of_places
from edgeworth.rankings.measure_lookup import ResolvedRanking, needs_whole_cases, resolve_ranking
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.sorted_scores import SortedScores
from edgeworth.rankings.tie_groups import TieGroups


def resolve_measure(paired: PairedScores, measure: str | Measure) -> tuple[ResolvedRanking, str | None]:
    """Resolve a measure and its options, and explain why sampling weights rule it out, if they do."""
    # Only the kind of the weights matters, so nothing needs to be sorted for it.
    nothing = np.zeros(0)
    run = SortedScores.empty() if paired.is_counted else SortedScores(nothing, nothing, nothing)
    outline = Ranking(run, run, labels=paired.labels)
    resolved = resolve_ranking(outline, measure)
    return resolved, needs_whole_cases(outline, resolved)


def tie_groups_of_system(paired: PairedScores, name: str) -> TieGroups:
    """Find the tie groups of one system."""
    ranks = paired.case_ranks(name)
    counts = np.bincount(ranks.place, weights=paired.weights, minlength=ranks.places)
    return tie_groups_of_places(counts.astype(np.float64)[None, :], ranks.steps)


def difference_law(
    paired: PairedScores, first: str, second: str, resolved: ResolvedRanking
) -> tuple[ScoreDifferenceLaw, str | None]:
    """Find the law of the difference from every case's influence on both, and any reason to caveat it.

    The variance is Σ (effect on the first − effect on the second)², summed within clusters first where there
    are clusters; its degrees of freedom come from the fourth moments, and from the sizes of clusters. With
    fewer than four there is no law. On a mean over folds a case has less effect by the number of folds.
    """
    parts = paired.parts
    effects, spreads, sides = [], [], []
    for name in (first, second):
        places = [Places.of(tie_groups_of_system(part, name)) for part in parts]
        influences = [
            influence_of(x, resolved, typical_weights(part)) for x, part in zip(places, parts, strict=True)
        ]
        moved = [
            x.concatenate()[part.case_ranks(name).place] for x, part in zip(influences, parts, strict=True)
        ]
        effects.append(np.concatenate(moved) / len(parts))
        value = float(np.mean([influence.value for influence in influences]))
        spreads.append(spread_of(paired, effects[-1]).variance)
        is_area = resolved.measure.is_area
        sides.append(Side(value, _error(spreads[-1]), *independent_units(paired), is_area))
    spread = spread_of(paired, effects[0] - effects[1])
    if paired.clusters is not None and spread.freedom < MIN_DEGREES_OF_FREEDOM:
        raise OptionError(
            f"a few large clusters hold most cases, which leaves {spread.freedom:.1f} degrees of freedom: "
            "too few to name a winner"
        )
    product = sides[0].error * sides[1].error
    shared = (spreads[0] + spreads[1] - spread.variance) / (2 * product) if product > 0 else 0.0
    law = ScoreDifferenceLaw(
        sides[0], sides[1], min(max(shared, -1.0), 1.0), _error(spread.variance), spread.freedom
    )
    caveat = describe_few_cases(paired, spread.freedom)
    if caveat is None and any(side.is_separated for side in sides):
        caveat = (
            "one system separates targets from background, so its part of the interval is a binomial bound"
        )
    return law, caveat


def _error(variance: float) -> float:
    return math.sqrt(variance) if variance > NO_VARIANCE else 0.0


def independent_units(paired: PairedScores) -> tuple[float, float]:
    """Count targets and background in independent units: cases, typical weights or clusters."""
    classes = (paired.targets, ~paired.targets)
    if paired.clusters is not None:
        targets, background = (float(len(np.unique(paired.clusters.codes[of]))) for of in classes)
        return targets, background
    units, totals = typical_weights(paired), [float(paired.case_weights[of].sum()) for of in classes]
    return totals[0] / units[0], totals[1] / units[1]


def describe_few_cases(paired: PairedScores, freedom: float) -> str | None:
    """Explain why the interval may cover less than its level, or return None."""
    unit = "" if paired.clusters is None else "clusters with "
    return find_caveat(*independent_units(paired), freedom, unit)


def clustered_cases(paired: PairedScores) -> ClusteredCases:
    """Take the cases with their clusters."""
    assert paired.clusters is not None
    return ClusteredCases(
        paired.case_weights.astype(np.float64),
        paired.targets,
        paired.clusters.codes,
        paired.units,
        typical_weights(paired),
        starts=(0, *accumulate(len(part) for part in paired.parts[:-1])),
    )


def cluster_factors(paired: PairedScores) -> Floats:
    """Compute by how much each case's effect grows because its cluster pulls the value towards itself."""
    return clustered_cases(paired).factors()


def spread_of(paired: PairedScores, effects: Floats) -> Spread:
    """Sum squared influences over independent cases or clusters, with the degrees of freedom of the sum.

    For clusters these are at most Satterthwaite's for two means over clusters of these sizes. Degrees of
    freedom from the effects alone vary: a cluster with half of the cases may have a small effect by luck.
    """
    weights = paired.case_weights
    if paired.clusters is not None:
        return clustered_cases(paired).spread(effects)
    if paired.is_counted:
        return spread_of_squares(effects**2, weights, math.inf)
    return spread_of_squares((weights * effects) ** 2, np.ones(len(paired)), math.inf)


def typical_weights(paired: PairedScores) -> tuple[float, float]:
    """Compute Σw²/Σw of the targets and of the background: 1 for whole cases."""
    if paired.is_counted:
        return 1.0, 1.0
    parts = [paired.case_weights[paired.targets], paired.case_weights[~paired.targets]]
    targets, background = (float(part @ part / part.sum()) if len(part) else 1.0 for part in parts)
    return targets, background


HALVINGS = 24
"""Of a distance of at most MAX_NORMAL_QUANTILE: what is left is far below what swaps differ by."""


def distances(values: tuple[Floats, Floats], variances: Floats, bent: bool) -> Floats:
    """Compute how many standard errors each difference is from 0, as ``ScoreDifferenceLaw`` does.

    ``variances`` are those of the first, of the second and of the difference; ``bent`` intervals are those of
    both values on the logit scale, put together. 0 for no difference, however little is known; at most
    ``MAX_NORMAL_QUANTILE``.
    """
    first, second = values
    gap = np.abs(first - second)
    errors = [np.sqrt(np.where(variance > NO_VARIANCE, variance, 0.0)) for variance in variances]
    if not bent:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gap > 0, np.minimum(gap / errors[2], MAX_NORMAL_QUANTILE), 0.0)
    product = errors[0] * errors[1]
    shared = (variances[0] + variances[1] - variances[2]) / np.maximum(2 * product, NO_VARIANCE)
    correlation = np.where(product > 0, np.clip(shared, -1.0, 1.0), 0.0)
    # The bound that faces 0: of the higher value the lower one, and of the lower value the upper one.
    higher, lower = np.maximum(first, second), np.minimum(first, second)
    is_first = first >= second
    of_higher, of_lower = np.where(is_first, errors[:2], errors[1::-1])
    near, far = np.zeros(len(gap)), np.full(len(gap), MAX_NORMAL_QUANTILE)
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        down, up = _reach(higher, -middle * of_higher), _reach(lower, middle * of_lower)
        reached = down * down + up * up - 2 * correlation * down * up >= gap * gap
        near, far = np.where(reached, near, middle), np.where(reached, middle, far)
    return np.where(gap > 0, far, 0.0)


def _reach(value: Floats, errors: Floats) -> Floats:
    """Compute the distance of some signed errors from a value on the logit scale; 0 at values 0 and 1."""
    inside = (value > 0) & (value < 1)
    safe = np.where(inside, value, 0.5)
    moved = scipy.special.expit(scipy.special.logit(safe) + errors / (safe * (1 - safe)))
    return np.where(inside, np.abs(moved - safe), 0.0)
