"""What each case adds to the difference of two rankings of the same cases.

A case moves both rankings, so its effect on the difference is that on the first less that on the second, and
what the systems have in common cancels case by case. For the ROC area the squares sum to the variance of
DeLong, DeLong & Clarke-Pearson (1988), covariance included.
"""

from __future__ import annotations

import math

import numpy as np

from edgeworth.arrays import Values
from edgeworth.comparing.paired_scores import PairedScores
from edgeworth.comparing.scores.score_laws import ScoreDifferenceLaw, Side
from edgeworth.core.definition import Measure
from edgeworth.errors import OptionError
from edgeworth.rankings.along import ResolvedRanking, needs_whole_cases, resolve_ranking
from edgeworth.rankings.formulas.steps import Steps
from edgeworth.rankings.intervals.influence import (
    FEW,
    FREEDOM,
    NO_VARIANCE,
    Effects,
    Places,
    Spread,
    average_precision_effects,
    doubtful,
    roc_area_effects,
)
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.runs import Run


def has_effects(resolved: ResolvedRanking) -> bool:
    """Whether single cases' effects are known: ROC area, and average precision of the whole list."""
    smooth = resolved.measure.name == "average_precision" and resolved.ties in ("expected", "threshold")
    return resolved.measure.name == "roc_auc" or (smooth and resolved.depth is None)


def resolved_for(paired: PairedScores, measure: str | Measure) -> tuple[ResolvedRanking, str | None]:
    """The measure with its options settled, and why sampling weights rule it out, if they do."""
    # Only the kind of the weights matters, so nothing needs to be sorted for it.
    nothing = np.zeros(0)
    run = Run.empty() if paired.is_counted else Run(nothing, nothing, nothing)
    outline = Ranking(run, run, labels=paired.labels)
    resolved = resolve_ranking(outline, measure)
    return resolved, needs_whole_cases(outline, resolved)


def steps_of_places(counts: Values, steps: int) -> Steps:
    """The steps of lists whose cases are counted by place (``CaseStanding``), one list a row."""
    hits, tied, gaps = counts[:, :steps], counts[:, steps : 2 * steps], counts[:, 2 * steps : -1]
    hits_above = np.cumsum(hits, axis=1) - hits
    seen_above = hits_above + np.cumsum(gaps + tied, axis=1) - tied
    kept = hits > 0
    total = counts.sum(axis=1)
    return Steps(
        list_of=np.broadcast_to(np.arange(len(counts))[:, None], hits.shape)[kept],
        hits_above=hits_above[kept],
        seen_above=seen_above[kept],
        hits=hits[kept],
        size=(hits + tied)[kept],
        targets=hits.sum(axis=1),
        ranked=total,
        items=total,
    )


def steps_of_system(paired: PairedScores, name: str) -> Steps:
    """One system's steps."""
    standing = paired.standing(name)
    counts = np.bincount(standing.place, weights=paired.weights, minlength=standing.places)
    return steps_of_places(counts.astype(np.float64)[None, :], standing.steps)


def difference_law(
    paired: PairedScores, first: str, second: str, resolved: ResolvedRanking
) -> tuple[ScoreDifferenceLaw, str | None]:
    """The law of the difference from every case's effect on both, and why it may not cover as it says.

    The variance is Σ (effect on the first − effect on the second)², summed within groups first where there
    are groups; its degrees of freedom come from the fourth moments.
    """
    effects, spreads, sides = [], [], []
    for name in (first, second):
        places = Places.of(steps_of_system(paired, name))
        found = _effects(places, resolved, typical_weights(paired))
        # No target is without a score, so the place of those never ranked has nobody in it.
        effects.append(found.joined()[paired.standing(name).place])
        spreads.append(spread_of(paired, effects[-1]).variance)
        is_area = resolved.measure.name == "roc_auc"
        sides.append(Side(found.value, _error(spreads[-1]), *_counted(paired, places), is_area))
    spread = spread_of(paired, effects[0] - effects[1])
    product = sides[0].error * sides[1].error
    shared = (spreads[0] + spreads[1] - spread.variance) / (2 * product) if product > 0 else 0.0
    law = ScoreDifferenceLaw(
        sides[0], sides[1], min(max(shared, -1.0), 1.0), _error(spread.variance), spread.freedom
    )
    doubt = reason_to_doubt(paired, places, spread)
    if doubt is None and any(side.is_separated for side in sides):
        doubt = (
            "one of them separates targets and background, so its part of the interval is a binomial bound"
        )
    return law, doubt


def _error(variance: float) -> float:
    return math.sqrt(variance) if variance > NO_VARIANCE else 0.0


def _counted(paired: PairedScores, places: Places) -> tuple[float, float]:
    """Targets and background as independent units: cases, typical weights, or groups that hold some."""
    if paired.groups is None:
        units = typical_weights(paired)
        return places.targets / units[0], places.background / units[1]
    parts = [np.unique(paired.groups.codes[of]) for of in (paired.targets, ~paired.targets)]
    return float(len(parts[0])), float(len(parts[1]))


def spread_of(paired: PairedScores, effects: Values) -> Spread:
    """Σ effect² over independent cases or groups, and the degrees of freedom of that sum.

    Effects already carry a correction for as many cases as there are; with G groups of n cases it is replaced
    by the one for groups, (G/(G − 1))/(n/(n − 1)), so that groups of one case each change nothing.
    """
    weights = paired.weights
    if paired.groups is not None:
        number = paired.units
        if number < 2:
            raise OptionError("all cases are in one group: nothing tells how much groups vary")
        sums = np.bincount(paired.groups.codes, weights=effects if weights is None else weights * effects)
        cases = len(paired) if weights is None or not paired.is_counted else float(weights.sum())
        squares = sums**2 * (number / (number - 1)) / (cases / (cases - 1))
        return _spread(squares, np.ones(number), number - 1.0)
    if weights is not None and not paired.is_counted:
        return _spread((weights * effects) ** 2, np.ones(len(paired)), math.inf)
    return _spread(effects**2, np.ones(len(paired)) if weights is None else weights, math.inf)


def _spread(squares: Values, counts: Values, most: float) -> Spread:
    second, fourth = float(counts @ squares), float(counts @ squares**2)
    # Whatever the fourth moment says, a variance is learnt from one degree of freedom at least.
    freedom = min(max(FREEDOM * second**2 / fourth, 1.0), most) if second > NO_VARIANCE else math.inf
    return Spread(second, freedom)


def typical_weights(paired: PairedScores) -> tuple[float, float]:
    """Σw²/Σw of the targets and of the background: 1 for whole cases."""
    if paired.is_counted or paired.weights is None:
        return 1.0, 1.0
    parts = [paired.weights[paired.targets], paired.weights[~paired.targets]]
    targets, background = (float(part @ part / part.sum()) if len(part) else 1.0 for part in parts)
    return targets, background


def _effects(places: Places, resolved: ResolvedRanking, units: tuple[float, float]) -> Effects:
    if resolved.measure.name == "roc_auc":
        return roc_area_effects(places, units)
    return average_precision_effects(
        places, "threshold" if resolved.ties == "threshold" else "expected", units
    )


def reason_to_doubt(paired: PairedScores, places: Places, spread: Spread) -> str | None:
    """Why the interval may not cover as it says, if there is reason."""
    if paired.groups is not None:
        with_targets, with_background = _counted(paired, places)
        if (fewest := min(with_targets, with_background)) < FEW:
            which = "targets" if with_targets <= with_background else "background cases"
            return f"only {fewest:,.0f} groups with {which}: below {FEW}, coverage may fall short"
    return doubtful(places, spread, typical_weights(paired))
