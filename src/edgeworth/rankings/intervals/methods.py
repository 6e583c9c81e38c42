"""Methods of estimation for rankings and for many lists."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgeworth.arrays import Values
from edgeworth.core.estimates import Method
from edgeworth.core.laws import Alternative, NormalLaw, SamplingLaw, Scale, natural_scale
from edgeworth.decisions.estimates import Bootstrap
from edgeworth.errors import OptionError
from edgeworth.rankings.intervals.influence import (
    NO_VARIANCE,
    Places,
    TiePolicy,
    average_precision_influence,
    independent,
    reason_for_doubt,
    roc_area_influence,
    separated_area_bound,
    separated_precision_bound,
)
from edgeworth.rankings.intervals.resampling import ListValues
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.resolving import ResolvedRanking, tie_groups_of
from edgeworth.rankings.scores.sorted_scores import SortedScores
from edgeworth.rankings.tie_groups import TieGroups, tie_groups_of_ranking

LOGIT = Scale("logit", 0.0, 1.0)


@dataclass(frozen=True)
class InfluenceLaw(NormalLaw):
    """Student's t on the logit scale, and why it may not cover as it says, if there is reason."""

    doubt: str | None = None


@dataclass(frozen=True)
class SeparatedLaw:
    """Every target stands above all background (or below it): nothing varies, and the bound is binomial."""

    value: float
    targets: float
    background: float
    is_area: bool
    standard_error: float = 0.0
    doubt: str | None = "targets and background are separated, so the interval is a binomial bound"

    def interval(self, level: float) -> tuple[float, float]:
        """From the worst population that would still be seen as separated."""
        bound = separated_area_bound if self.is_area else separated_precision_bound
        low = bound(self.targets, self.background, level)
        return (low, 1.0) if self.value > 0.5 else (0.0, 1 - low)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """One minus the largest level whose interval leaves the null out, halved when one-sided."""
        high = self.value > 0.5
        outside = null < self.value if high else null > self.value
        if not outside or alternative == ("less" if high else "greater"):
            return 1.0
        small, large = 0.0, 1.0
        for _ in range(53):  # 1 − 2⁻⁵³ is the level next to 1
            middle = (small + large) / 2
            low, top = self.interval(1 - middle)
            small, large = (middle, large) if low <= null <= top else (small, middle)
        return large if alternative == "two-sided" else large / 2


def influence_law(ranking: Ranking, resolved: ResolvedRanking) -> SamplingLaw:
    """The law of average precision or ROC area."""
    is_area = resolved.measure.name == "roc_auc"
    if not is_area and (resolved.measure.name != "average_precision" or resolved.depth is not None):
        raise OptionError(f"Influence() is for average_precision and roc_auc; {resolved.spelling} is neither")
    if not is_area and resolved.ties not in ("expected", "threshold"):
        raise OptionError(f"Influence() takes ties as expected or threshold; {resolved.spelling} does not")
    places, units = Places.of(tie_groups_of_ranking(ranking)), typical_weights(ranking)
    ties: TiePolicy = "threshold" if resolved.ties == "threshold" else "expected"
    effects = (
        roc_area_influence(places, units) if is_area else average_precision_influence(places, ties, units)
    )
    sums = () if ranking.is_counted else weight_sums(ranking)
    spread = independent(effects, places.parts, *sums)
    if not spread.variance > NO_VARIANCE or not 0 < effects.value < 1:
        return _without_variance(ranking, effects.value, places, is_area=is_area)
    # Whatever the fourth moment says, a variance is learnt from one degree of freedom at least.
    freedom = max(spread.freedom, 1.0)
    doubt = reason_for_doubt(places, spread, units)
    return InfluenceLaw(effects.value, math.sqrt(spread.variance), LOGIT, freedom, doubt)


def _without_variance(ranking: Ranking, value: float, places: Places, *, is_area: bool) -> SamplingLaw:
    separated = value == 1 or (is_area and value == 0)
    if not separated or not ranking.is_counted or not places.background:
        raise OptionError("no case moves the value, so nothing tells how much it varies")
    return SeparatedLaw(value, places.targets, places.background, is_area)


def typical_weights(ranking: Ranking) -> tuple[float, float]:
    """Σw²/Σw of the targets and of the background: 1 for whole cases."""
    targets, background = (
        1.0 if run.square is None or not run.total else float(run.square.sum()) / float(run.total)
        for run in (ranking.targets, ranking.background)
    )
    return targets, background


def weight_sums(ranking: Ranking) -> tuple[tuple[Values, ...], tuple[Values, ...]]:
    """Σw² and Σw⁴ of the cases in each place, in the order of ``Places.parts``."""
    scores = ranking.target_ranks.scores[::-1]

    def sums(power: int) -> tuple[Values, ...]:
        targets, _ = _sums_between(ranking.targets, scores, power)
        tied, gaps = _sums_between(ranking.background, scores, power)
        return targets[::-1], tied[::-1], gaps[::-1], np.array([float(ranking.unranked)])

    return sums(2), sums(4)


def _sums_between(run: SortedScores, scores: Values, power: int) -> tuple[Values, Values]:
    """Σw^power at each of ascending scores, and strictly between them."""
    counts = np.ones(len(run.scores)) if run.weight is None else run.weight
    powers = run.square if power == 2 else run.fourth
    sums = np.concatenate([[0.0], np.cumsum(counts if powers is None else powers)])
    below = sums[np.searchsorted(run.scores, scores, side="left")]
    through = sums[np.searchsorted(run.scores, scores, side="right")]
    gaps = np.concatenate([below, [sums[-1]]]) - np.concatenate([[0.0], through])
    return through - below, gaps


MOST_RESAMPLED = 20_000_000
"""Steps that a bootstrap draws within a few seconds."""


@dataclass(frozen=True)
class Influence:
    """A new sample from the same population: how much each case moves average precision or ROC area.

    The jackknife of average precision, and DeLong's variance of the ROC area, on the logit scale with
    Student's t. Sampling weights are taken into account.
    """

    def law(self, tally: Any, resolved: ResolvedRanking) -> SamplingLaw:
        """The law on the logit scale."""
        return influence_law(_one_ranking(tally, self), resolved)

    def __str__(self) -> str:
        return "influence of each case"


@dataclass(frozen=True)
class Boyd:
    """Boyd, Eng & Page's interval for average precision: ``logit θ ± z/√(m θ(1 − θ))``.

    Only the number of targets enters, so it is wide for weak rankings and says nothing about the background.
    """

    def law(self, tally: Any, resolved: ResolvedRanking) -> SamplingLaw:
        """Normal on the logit scale."""
        ranking = _one_ranking(tally, self)
        value = _average_precision(ranking, resolved, self)
        if not 0 < value < 1:
            raise OptionError(f"Boyd's interval has no logit for an average precision of {value:g}")
        error = math.sqrt(value * (1 - value) / float(ranking.target_total))
        return NormalLaw(value, error, LOGIT)

    def __str__(self) -> str:
        return "Boyd, Eng & Page"


@dataclass(frozen=True)
class Survival:
    """Su & Zhang's survival view of average precision: hits are events, their ranks the times.

    It takes the ranks of the hits as fixed and lets only which of them was found vary, so it is no valid
    error for every ranking: it can be several times too large for a strong one and too small for few targets
    in a random one. ``Influence()`` is the default.
    """

    def law(self, tally: Any, resolved: ResolvedRanking) -> SamplingLaw:
        """Normal on the plain scale, as the source has it."""
        ranking = _one_ranking(tally, self)
        value = _average_precision(ranking, resolved, self)
        variance = survival_variance(tie_groups_of(ranking, resolved))
        if not variance > 0:
            raise OptionError("the survival view needs two targets, one of them found, to vary at all")
        return NormalLaw(value, math.sqrt(variance), Scale("identity"))

    def __str__(self) -> str:
        return "survival view (Su & Zhang)"


@dataclass(frozen=True)
class AcrossLists:
    """Lists are the sample: mean and standard error over queries, with Student's t."""

    def law(self, tally: Any, resolved: ResolvedRanking) -> SamplingLaw:
        """Student's t with lists − 1 degrees of freedom, on a scale that keeps the bounds in range."""
        if not isinstance(tally, ListValues):
            raise OptionError("AcrossLists() is for many lists; a single ranking has Influence()")
        values = tally.require_two()
        error = float(values.std(ddof=1) / math.sqrt(len(values)))
        if not error > 0:
            raise OptionError("every list has the same value, so nothing tells how much they vary")
        mean = float(values.mean())
        return NormalLaw(mean, error, natural_scale(*resolved.measure.range, mean), len(values) - 1.0)

    def __str__(self) -> str:
        return "Student's t over lists"


def default_ranking_method(ranking: Ranking, resolved: ResolvedRanking, seed: int) -> Method:
    """Influence where there is one, a bootstrap elsewhere."""
    smooth = resolved.measure.name == "average_precision" and resolved.ties in ("expected", "threshold")
    if (smooth and resolved.depth is None) or resolved.measure.name == "roc_auc":
        return Influence()
    # Fewer draws of a long list tell as much: its replicates differ less.
    draws = int(np.clip(MOST_RESAMPLED // max(1, len(ranking.targets.scores)), 200, 2000))
    return Bootstrap(draws=draws, seed=seed)


def survival_variance(groups: TieGroups) -> float:
    """``(1/m) Σ_i Σ_j min(i,j)/m (1 − max(i,j)/m)/(t_i t_j)``, with cumulative sums in O(m)."""
    targets = float(groups.targets[0])
    counts = groups.hits.astype(np.intp)
    place = np.arange(1, counts.sum() + 1) - np.repeat(groups.hits_above, counts)
    # The j-th of a hits in a tie of s stands, on average, at place j (s + 1)/(a + 1) of it.
    spread = np.repeat((groups.size + 1) / (groups.hits + 1), counts)
    ranks = np.repeat(groups.seen_above, counts) + place * spread
    index = np.arange(1.0, len(ranks) + 1)
    before = np.concatenate([[0.0], np.cumsum(index / ranks)[:-1]])
    left = (targets - index) / ranks
    return float((left * index / ranks + 2 * left * before).sum() / targets**3)


def _one_ranking(tally: Any, method: object) -> Ranking:
    if not isinstance(tally, Ranking):
        raise OptionError(f"{method} is for one ranking; many lists have AcrossLists() and Bootstrap()")
    return tally


def _average_precision(ranking: Ranking, resolved: ResolvedRanking, method: object) -> float:
    if resolved.measure.name != "average_precision" or resolved.depth is not None:
        raise OptionError(f"{method} is for average_precision, which {resolved.spelling} is not")
    if not ranking.is_counted:
        raise OptionError(f"{method} needs whole cases; with sampling weights use Influence()")
    return float(resolved.values(tie_groups_of(ranking, resolved))[0])
