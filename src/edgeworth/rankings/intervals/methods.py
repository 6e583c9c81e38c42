"""Methods of estimation for rankings and for many lists, and what each case adds to AP and to the ROC area.

Background between two tie groups counts alike, so the effects of all cases cost one pass over the groups.

The recipe is the same for both measures: the jackknife's variance on the logit scale, with Student's quantile
whose degrees of freedom come from the fourth moment of the effects. Its measured coverage is in
the documentation (``bench/coverage.py``). A bias correction of average precision was tried: it moves misses
from one side of the interval to the other and covers less, so the bias is not subtracted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import Literal, Self, TypeAlias

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.core.estimates import Method
from edgeworth.core.sampling_distributions import (
    Alternative,
    CautiousLaw,
    ClusterLaw,
    NormalLaw,
    SamplingLaw,
    Scale,
    natural_scale,
)
from edgeworth.decisions.estimates import Bootstrap
from edgeworth.errors import OptionError
from edgeworth.rankings.intervals.clusters import (
    FREEDOM_FACTOR,
    NO_VARIANCE,
    CaseRanks,
    ClusteredCases,
    Spread,
)
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measure_lookup import ResolvedRanking, tie_groups_of
from edgeworth.rankings.policy import MIN_CASES_FOR_COVERAGE, MIN_FREEDOM_FOR_COVERAGE, MIN_LISTS_FOR_INTERVAL
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.clusters import ClusteredScores
from edgeworth.rankings.scores.sorted_scores import SortedScores
from edgeworth.rankings.tie_groups import TieGroups, reciprocal_sum

LOGIT = Scale(0.0, 1.0)
FOLDED_CLUSTERS = "it has no interval with folds and clusters"
"""Why measures other than average precision and ROC area lack an interval."""


class SurvivalLaw(NormalLaw):
    """Normal on the plain scale, cut off at 0 and 1."""

    @property
    def caveat(self) -> str | None:
        """Explain that the interval was cut off, or return None."""
        low, high = super().interval(0.95)
        beyond = "it is cut off at 0 or 1; more targets are needed"
        return beyond if low < 0 or high > 1 else None

    def interval(self, level: float) -> tuple[float, float]:
        """Cut the interval off at 0 and 1."""
        low, high = super().interval(level)
        return max(low, 0.0), min(high, 1.0)


@dataclass(frozen=True)
class SeparatedLaw:
    """Every target is above all background, or below it: nothing varies, and the bound is binomial."""

    value: float
    targets: float
    background: float
    is_area: bool
    standard_error: float = 0.0
    caveat: str | None = "targets and other items are fully separated, so it is a binomial bound"

    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval from the worst population that would still look separated."""
        bound = separated_area_bound if self.is_area else separated_precision_bound
        low = bound(self.targets, self.background, level)
        return (low, 1.0) if self.value > 0.5 else (0.0, 1 - low)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Compute 1 minus the largest level whose interval excludes the null; half of it for one side."""
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


def has_influence(resolved: ResolvedRanking) -> bool:
    """Return whether the influence of a case is known: ROC area, average precision of the whole list."""
    if resolved.measure.is_average_precision:
        return resolved.ties in ("expected", "threshold") and resolved.depth is None
    return resolved.measure.is_area


def check_influence(resolved: ResolvedRanking) -> None:
    """Refuse a measure whose cases' influence is not known."""
    if not has_influence(resolved):
        raise OptionError(
            "Influence() supports average_precision and roc_auc with ties=expected or ties=threshold, not "
            f"{resolved.spelling}: use Bootstrap()"
        )


def influence_law(ranking: Ranking, resolved: ResolvedRanking) -> SamplingLaw:
    """Compute the law of average precision or ROC area."""
    check_influence(resolved)
    places, units = Places.of(ranking.tie_groups), typical_weights(ranking)
    effects = influence_of(places, resolved, units)
    if ranking.clusters is not None:
        return _cluster_law(ranking, ranking.clusters, effects, units)
    spread, value = independent(effects, *weight_sums(ranking, places)), float(effects.value)
    if not spread.variance > NO_VARIANCE or not 0 < value < 1:
        return _without_variance(ranking, value, places, is_area=resolved.measure.is_area)
    # A variance has at least one degree of freedom.
    freedom = max(spread.freedom, 1.0)
    caveat = find_caveat(places.targets / units[0], places.background / units[1], spread.freedom)
    return CautiousLaw(value, math.sqrt(spread.variance), LOGIT, freedom, caveat)


def clustered_effects(
    ranking: Ranking, clusters: ClusteredScores, effects: CaseInfluence, units: tuple[float, float]
) -> tuple[ClusteredCases, Floats]:
    """Find the cases of a ranking with their clusters, and what each adds to the measure."""
    is_target = clusters.is_target
    ranks = CaseRanks.among(ranking.target_scores, clusters.scores, is_target)
    cases = ClusteredCases(
        clusters.weight.astype(np.float64), is_target, clusters.codes, clusters.number, units
    )
    return cases, effects.concatenate()[ranks.place]


def _cluster_law(
    ranking: Ranking, clusters: ClusteredScores, influence: CaseInfluence, units: tuple[float, float]
) -> SamplingLaw:
    """Make Student's t on the logit scale, with the variance and degrees of freedom that clusters leave."""
    cases, effects = clustered_effects(ranking, clusters, influence, units)
    return _law_of_clusters(cases, effects, float(influence.value))


def fold_influence_law(lists: RankedLists, resolved: ResolvedRanking) -> SamplingLaw:
    """Make the law of a mean over folds whose items come in clusters.

    A case adds to the mean over K folds a Kth of what it adds to the value of its fold. The effects of a
    cluster are summed over all folds, so repeated predictions for one row count as one unit.
    """
    if not has_influence(resolved):
        raise OptionError(FOLDED_CLUSTERS)
    has_both = (lists.targets > 0) & (lists.targets < lists.sizes)
    lists = lists.select(compress(lists.queries, has_both))
    assert lists.clusters is not None
    values, effects = [], []
    for start, end in pairwise(lists.starts.tolist()):
        scores, is_target = lists.scores[start:end], lists.is_target[start:end]
        ranks = CaseRanks.among(scores[is_target], scores, is_target)
        counts = np.bincount(ranks.place, minlength=ranks.places).astype(np.float64)
        influence = influence_of(Places.of_counts(counts[None, :], ranks.steps), resolved)
        values.append(float(influence.value[0]))
        effects.append(influence.concatenate()[0][ranks.place])
    cases = ClusteredCases(
        np.ones(len(lists.scores)),
        lists.is_target,
        lists.clusters.codes,
        len(lists.clusters.labels),
        starts=tuple(lists.starts[:-1].tolist()),
    )
    return _law_of_clusters(cases, np.concatenate(effects) / len(effects), float(np.mean(values)))


def _law_of_clusters(cases: ClusteredCases, effects: Floats, value: float) -> SamplingLaw:
    spread = cases.spread(effects)
    if not math.isfinite(spread.variance):
        of_fold = " of a fold" * (len(cases.starts) > 1)
        raise OptionError(f"one cluster holds a whole class{of_fold}, so the variance cannot be estimated")
    if not spread.variance > NO_VARIANCE or not 0 < value < 1:
        raise OptionError("no cluster changes the value, so the variance cannot be estimated")
    caveat = cases.caveat(effects)
    return ClusterLaw(value, math.sqrt(spread.variance), LOGIT, spread.freedom, caveat)


def _without_variance(ranking: Ranking, value: float, places: Places, *, is_area: bool) -> SamplingLaw:
    separated = value == 1 or (is_area and value == 0)
    if not separated or not ranking.is_counted or not places.background:
        raise OptionError("no case changes the value, so the variance cannot be estimated")
    return SeparatedLaw(value, places.targets, places.background, is_area)


def typical_weights(ranking: Ranking) -> tuple[float, float]:
    """Σw²/Σw of the targets and of the background: 1 for whole cases."""
    targets, background = (
        run.square_total / float(run.total) if run.total else 1.0
        for run in (ranking.targets, ranking.background)
    )
    return targets, background


def weight_sums(ranking: Ranking, places: Places) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Σw² and Σw⁴ of the cases in each place, in the order of ``CaseInfluence.parts``."""
    if ranking.is_counted:
        cases = (places.hits, places.tied, places.gap, np.array([places.lost]))
        return cases, cases
    scores = ranking.target_scores[::-1]

    def sums(power: int) -> tuple[Floats, ...]:
        targets, _ = _sums_between(ranking.targets, scores, power)
        tied, gaps = _sums_between(ranking.background, scores, power)
        return targets[::-1], tied[::-1], gaps[::-1], np.array([float(ranking.unranked)])

    return sums(2), sums(4)


def _sums_between(run: SortedScores, scores: Floats, power: int) -> tuple[Floats, Floats]:
    """Return Σw^power at each of ascending scores, and strictly between them."""
    sums = np.concatenate([[0.0], np.cumsum(run.power_sums(power))])
    below = sums[np.searchsorted(run.scores, scores, side="left")]
    through = sums[np.searchsorted(run.scores, scores, side="right")]
    gaps = np.concatenate([below, [sums[-1]]]) - np.concatenate([[0.0], through])
    return through - below, gaps


MAX_STEPS_RESAMPLED = 20_000_000
"""Steps that a bootstrap draws within a few seconds."""


@dataclass(frozen=True)
class Influence:
    """The interval from the influence of each case, for average precision and ROC area.

    The jackknife of average precision, and DeLong's variance of the ROC area, on the logit scale with
    Student's t. They describe a new sample from the same population. Sampling weights and clusters are taken
    into account.

    Examples
    --------
    >>> import edgeworth as ew
    >>> ranking = ew.Ranking.from_hits([1, 1, 0, 1, 0, 0, 1, 0, 0, 0] + [0] * 30)
    >>> estimate = ew.estimate(ranking, "roc_auc", method=ew.methods.Influence())
    >>> [round(bound, 2) for bound in estimate.interval()]
    [0.81, 1.0]
    """

    def law(self, tally: object, resolved: ResolvedRanking) -> SamplingLaw:
        """Return Student's t on the logit scale.

        :meta private:
        """
        return influence_law(_one_ranking(tally, self), resolved)

    def __str__(self) -> str:
        return "influence of each case"


@dataclass(frozen=True)
class ClusterInfluence(Influence):
    """How much each cluster moves average precision or ROC area, for rankings and folds with clusters."""

    def law(self, tally: object, resolved: ResolvedRanking) -> SamplingLaw:
        """Make the law of one ranking, or of a mean over folds."""
        if isinstance(tally, RankedLists) and tally.clusters is not None:
            return fold_influence_law(tally, resolved)
        return super().law(tally, resolved)

    def __str__(self) -> str:
        return "influence of each cluster"


@dataclass(frozen=True)
class Boyd:
    """Boyd, Eng & Page's interval for average precision: ``logit θ ± z/√(m θ(1 − θ))``.

    Only the number of targets enters, so the interval is wide for weak rankings and ignores the background.

    Examples
    --------
    >>> import edgeworth as ew
    >>> ranking = ew.Ranking.from_hits([1, 1, 0, 1, 0, 0, 1, 0, 0, 0] + [0] * 30)
    >>> print(ew.estimate(ranking, "average_precision", method=ew.methods.Boyd()))
    average_precision 0.83 (95% CI 0.26 to 0.99, Boyd, Eng & Page); chance level 0.176, p = 0.00026
    """

    def law(self, tally: object, resolved: ResolvedRanking) -> SamplingLaw:
        """Return a normal distribution on the logit scale.

        :meta private:
        """
        ranking = _one_ranking(tally, self)
        value = _average_precision(ranking, resolved, self)
        if not 0 < value < 1:
            raise OptionError(f"Boyd's interval is undefined for an average precision of {value:g}")
        error = math.sqrt(value * (1 - value) / float(ranking.target_total))
        return NormalLaw(value, error, LOGIT)

    def __str__(self) -> str:
        return "Boyd, Eng & Page"


@dataclass(frozen=True)
class Survival:
    """Su & Zhang's interval for average precision: hits are events, and their ranks are the times.

    It takes the ranks of the hits as fixed and varies only which of them are found. Its error is therefore
    not valid for every ranking: it can be several times too large for a strong one, and too small for few
    targets in a random one. ``Influence()`` is the default.

    Examples
    --------
    >>> import edgeworth as ew
    >>> ranking = ew.Ranking.from_hits([1, 1, 0, 1, 0, 0, 1, 0, 0, 0] + [0] * 30)
    >>> estimate = ew.estimate(ranking, "average_precision", method=ew.methods.Survival())
    >>> [round(bound, 2) for bound in estimate.interval()]
    [0.17, 1.0]
    """

    def law(self, tally: object, resolved: ResolvedRanking) -> SamplingLaw:
        """Return a normal distribution on the plain scale within 0 and 1, as in the source.

        :meta private:
        """
        ranking = _one_ranking(tally, self)
        value = _average_precision(ranking, resolved, self)
        variance = survival_variance(tie_groups_of(ranking, resolved))
        if not variance > 0:
            raise OptionError("the survival interval needs at least two targets, one of them ranked")
        return SurvivalLaw(value, math.sqrt(variance), Scale())

    def __str__(self) -> str:
        return "survival view (Su & Zhang)"


@dataclass(frozen=True)
class ListValues:
    """The values of lists that a mean is over: what its uncertainty rests on."""

    values: Floats

    def require_several(self) -> Floats:
        """Return the values, or raise an error if there are too few lists for an interval."""
        number = len(self.values)
        if number < 2:
            raise OptionError("there is only one list, so the variance cannot be estimated")
        if number < MIN_LISTS_FOR_INTERVAL:
            raise OptionError(f"{number} lists are too few for an interval")
        return self.values


@dataclass(frozen=True)
class AcrossLists:
    """Student's t interval over lists: the queries are the sample.

    Examples
    --------
    >>> import edgeworth as ew
    >>> lists = ew.RankedLists.from_scores(
    ...     [1, 0, 0, 1, 0, 1], [0.9, 0.5, 0.1, 0.8, 0.7, 0.2], groups=["a", "a", "b", "b", "c", "c"])
    >>> print(ew.estimate(lists, "average_precision", method=ew.methods.AcrossLists()))
    average_precision 0.833 (95% CI 0.028 to 0.999, Student's t over lists); chance level 0.750, p = 0.620
    """

    def law(self, tally: object, resolved: ResolvedRanking) -> SamplingLaw:
        """Return Student's t with lists − 1 degrees of freedom, on a scale that keeps the bounds in range.

        :meta private:
        """
        if not isinstance(tally, ListValues):
            raise OptionError("AcrossLists() needs several lists; for a single ranking use Influence()")
        values = tally.require_several()
        error = float(values.std(ddof=1) / math.sqrt(len(values)))
        if not error > 0:
            raise OptionError("every list has the same value, so the variance cannot be estimated")
        mean = float(values.mean())
        return NormalLaw(mean, error, natural_scale(*resolved.range, mean), len(values) - 1.0)

    def __str__(self) -> str:
        return "Student's t over lists"


def default_ranking_method(ranking: Ranking, resolved: ResolvedRanking, seed: int) -> Method:
    """Choose influence functions for measures that have them, and otherwise the bootstrap."""
    if has_influence(resolved):
        return Influence() if ranking.clusters is None else ClusterInfluence()
    # Replicates of a long list differ less, so fewer draws are enough.
    draws = int(np.clip(MAX_STEPS_RESAMPLED // max(1, len(ranking.targets.scores)), 200, 2000))
    return Bootstrap(draws=draws, rng=seed)


def survival_variance(groups: TieGroups) -> float:
    """``(1/m) Σ_i Σ_j min(i,j)/m (1 − max(i,j)/m)/(t_i t_j)``, with cumulative sums in O(m)."""
    targets = float(groups.targets[0])
    counts = groups.hits.astype(np.intp)
    position = np.arange(1, counts.sum() + 1) - np.repeat(groups.hits_above, counts)
    # The mean position of the j-th of a hits in a tie of s items is j (s + 1)/(a + 1).
    spread = np.repeat((groups.size + 1) / (groups.hits + 1), counts)
    ranks = np.repeat(groups.seen_above, counts) + position * spread
    index = np.arange(1.0, len(ranks) + 1)
    before = np.concatenate([[0.0], np.cumsum(index / ranks)[:-1]])
    remaining_share = (targets - index) / ranks
    return float((remaining_share * index / ranks + 2 * remaining_share * before).sum() / targets**3)


def _one_ranking(tally: object, method: object) -> Ranking:
    if not isinstance(tally, Ranking):
        raise OptionError(
            f"{method} needs a single ranking; for several lists use AcrossLists() or Bootstrap()"
        )
    return tally


def _average_precision(ranking: Ranking, resolved: ResolvedRanking, method: object) -> float:
    if not resolved.measure.is_average_precision or resolved.depth is not None:
        raise OptionError(f"{method} supports only average_precision, not {resolved.spelling}")
    if not ranking.is_counted:
        raise OptionError(f"{method} needs whole cases; with sampling weights use Influence()")
    return float(resolved.values(tie_groups_of(ranking, resolved))[0])


TiePolicy: TypeAlias = Literal["threshold", "expected"]

TINY_DIVISOR = 1e-300
"""Replaces a divisor of 0, so that 0/0 is 0."""


@dataclass(frozen=True)
class Places:
    """The positions that a case of one ranking can have, as counts or as sums of weights.

    Each tie group has ``hits`` targets and ``tied`` background, below ``hits_above`` targets among
    ``seen_above`` cases. ``gap`` is the background before each group, and after the last one; ``lost``
    targets were never ranked.
    """

    hits: Floats
    tied: Floats
    hits_above: Floats
    seen_above: Floats
    gap: Floats
    lost: float

    @classmethod
    def of(cls, groups: TieGroups) -> Self:
        """Find the places in a view of one ranking."""
        tied = groups.size - groups.hits
        background = float(groups.ranked[0] - groups.hits.sum())
        below = np.concatenate([[0.0], groups.seen_below - groups.hits_below])
        gap = np.append(groups.seen_above - groups.hits_above, background) - below
        lost = float(groups.targets[0] - groups.hits.sum())
        return cls(groups.hits, tied, groups.hits_above, groups.seen_above, gap, lost)

    @classmethod
    def of_counts(cls, counts: Floats, steps: int) -> Self:
        """Find the ranks of rankings of the same cases (``CaseRanks``), one ranking per row."""
        hits, tied, gap = np.split(counts, [steps, 2 * steps], axis=1)
        above = np.cumsum(hits, axis=1) - hits
        return cls(hits, tied, above, above + np.cumsum(gap[:, :-1] + tied, axis=1) - tied, gap, 0.0)

    @property
    def targets(self) -> float:
        return float(np.atleast_2d(self.hits)[0].sum()) + self.lost

    @property
    def background(self) -> float:
        return float(np.atleast_2d(self.tied)[0].sum() + np.atleast_2d(self.gap)[0].sum())


@dataclass(frozen=True)
class CaseInfluence:
    """What one case adds to a measure, for each place a case can be; they sum to 0 over the cases."""

    value: Floats
    target: Floats
    tied: Floats
    gap: Floats
    lost: Floats

    @property
    def parts(self) -> tuple[Floats, ...]:
        """Targets and background of the tie groups, the gaps, the targets never ranked."""
        return self.target, self.tied, self.gap, np.reshape(self.lost, 1)

    def concatenate(self) -> Floats:
        """Join the influences of all ranked cases in one row, by the places of ``CaseRanks``."""
        return np.concatenate((self.target, self.tied, self.gap), axis=-1)


def influence_of(
    places: Places, resolved: ResolvedRanking, units: tuple[float, float] = (1.0, 1.0)
) -> CaseInfluence:
    """Compute what each case adds to average precision or ROC area, for one ranking or for one per row."""
    if resolved.measure.is_area:
        return roc_area_influence(places, units)
    ties: TiePolicy = "threshold" if resolved.ties == "threshold" else "expected"
    return average_precision_influence(places, ties, units)


def average_precision_influence(
    places: Places, ties: TiePolicy = "threshold", units: tuple[float, float] = (1.0, 1.0)
) -> CaseInfluence:
    """AP with a case minus AP without it, exactly, for every case at once (Tukey's jackknife).

    With C(a, s, h, t) what a group of a targets among s cases adds below h targets among t cases: a target of
    group k adds (Δ − AP)/(m − 1), Δ = C_k − C(a−1, s−1, h, t)_k + Σ_{g>k} [C_g − C(a, s, h−1, t−1)_g];
    a background case tied with group k adds (C_k − C(a, s−1, h, t)_k + Σ_{g>k} [C_g − C(a, s, h, t−1)_g])/m,
    one in the gap before it Σ_{g≥k} [C_g − C(a, s, h, t−1)_g]/m, a target never ranked −AP/(m − 1).
    To first order these are the infinitesimal jackknife's D. What D leaves out is that a target's precision
    counts the target itself, which inflates ΣD² of weak rankers by up to a half.

    With sampling weights, ties are "threshold" and ``units`` are a typical target's and a typical background
    case's weight, Σw²/Σw of each; effects are then those of a weight of 1.
    """
    unit, other = units
    if places.targets < 2 * unit:
        raise OptionError(f"average precision needs two targets for an interval; saw {places.targets:g}")
    targets, hits, size = places.targets, places.hits, places.hits + places.tied
    precisions = _precision(places, ties, hits, size)
    value = np.asarray(precisions.sum(axis=-1) / targets)
    # Of a group that weighs less than a typical case, all that there is can go.
    own, own_tied = np.minimum(unit, hits), np.minimum(other, places.tied)
    below = _sums_from(precisions - _precision(places, ties, hits, size, gone=(unit, unit))) / unit
    gap = _sums_from(precisions - _precision(places, ties, hits, size, gone=(0.0, other))) / other
    target = (precisions - _precision(places, ties, hits - own, size - own)) / np.maximum(own, TINY_DIVISOR)
    target = (target + below[..., 1:] - value[..., None]) / (targets - unit)
    tied = (precisions - _precision(places, ties, hits, size - own_tied)) / np.maximum(own_tied, TINY_DIVISOR)
    tied, gap = (tied + gap[..., 1:]) / targets, gap / targets
    lost = -value / (targets - unit)
    # Centred, and scaled so that the squares sum to Tukey's (n−1)/n Σ(effect − mean)².
    whole_weight = targets + places.background
    cases = targets / unit + places.background / other
    mean = places.lost * lost
    for counts, effect in zip((places.hits, places.tied, places.gap), (target, tied, gap), strict=True):
        mean = mean + np.einsum("...i,...i->...", counts, effect)
    mean, scale = mean / whole_weight, math.sqrt(1 - 1 / cases)
    target, tied, gap = ((effect - mean[..., None]) * scale for effect in (target, tied, gap))
    return CaseInfluence(value, target, tied, gap, (lost - mean) * scale)


def _sums_from(values: Floats) -> Floats:
    """Return the sums over each tie group and all later ones, with 0 after the last."""
    sums = np.cumsum(values[..., ::-1], axis=-1)[..., ::-1]
    return np.concatenate([sums, np.zeros((*values.shape[:-1], 1))], axis=-1)


def roc_area_influence(places: Places, units: tuple[float, float] = (1.0, 1.0)) -> CaseInfluence:
    """Placements as effects: their squares sum to the variance of DeLong, DeLong & Clarke-Pearson (1988).

    A target adds (share of the background below it, ties half, − area)/√(m(m−1)), a background case
    (share of the targets above it, ties half, − area)/√(b(b−1)).
    """
    targets, background = places.targets, places.background
    unit, other = units
    if targets < 2 * unit or background < 2 * other:
        raise OptionError(
            f"a ROC area's interval needs two cases of each kind; saw {targets:g} and {background:g}"
        )
    above = places.seen_above - places.hits_above
    beaten = (background - above - places.tied / 2) / background
    value = np.asarray((places.hits * beaten).sum(axis=-1) / targets)
    of_targets = math.sqrt(targets * (targets - unit))
    of_background = math.sqrt(background * (background - other))
    ranked = places.hits.sum(axis=-1, keepdims=True)
    recall = np.concatenate([places.hits_above, ranked], axis=-1) / targets
    return CaseInfluence(
        value=value,
        target=(beaten - value[..., None]) / of_targets,
        tied=((places.hits_above + places.hits / 2) / targets - value[..., None]) / of_background,
        gap=(recall - value[..., None]) / of_background,
        lost=-value / of_targets,
    )


def independent(effects: CaseInfluence, squares: Sequence[Floats], fourths: Sequence[Floats]) -> Spread:
    """Σ effect² over independent cases, and the degrees of freedom of that sum.

    ``squares`` and ``fourths`` are Σw² and Σw⁴ of the cases in each place: of whole cases, their number.
    """
    squared = [effect**2 for effect in effects.parts]
    second = sum(float(counts @ effect) for counts, effect in zip(squares, squared, strict=True))
    fourth = sum(float(counts @ effect**2) for counts, effect in zip(fourths, squared, strict=True))
    return Spread(second, FREEDOM_FACTOR * second**2 / fourth if second > NO_VARIANCE else 0.0)


def separated_precision_bound(targets: float, background: float, level: float) -> float:
    """Bound the population value if every target is above all background (AP = 1, variance 0).

    A share f of background above all targets goes unseen with probability (1−f)^b, a share e of targets
    below all background with (1−e)^m. At probability (1−level)/2 the first leaves AP = 1 − c·ln(1 + 1/c),
    c = f·b/m, the second at least 1 − e; the lower is the bound. This is the reasoning of Clopper & Pearson
    for these two populations. It is not proved that no other population has a lower value.
    """
    unseen = (1 - level) / 2
    odds = -math.expm1(math.log(unseen) / background) * background / targets
    return float(min(1 - odds * math.log1p(1 / odds), unseen ** (1 / targets)))


def separated_area_bound(targets: float, background: float, level: float) -> float:
    """Bound the population value if the ROC area is 1, by Clopper & Pearson for the smaller class."""
    return float(((1 - level) / 2) ** (1 / min(targets, background)))


def find_caveat(targets: float, background: float, freedom: float, unit: str = "") -> str | None:
    """Explain why the interval may cover less than its level; None if it does not. ``unit`` was counted."""
    if (fewest := min(targets, background)) < MIN_CASES_FOR_COVERAGE:
        rarer = "targets" if targets <= background else "background cases"
        limit = f"with fewer than {MIN_CASES_FOR_COVERAGE} the interval can be too narrow"
        return f"only {fewest:.4g} {unit}{rarer}: {limit}"
    if freedom < MIN_FREEDOM_FOR_COVERAGE:
        return "a few cases dominate the uncertainty, so the interval can be too narrow"
    return None


def _precision(
    places: Places, ties: TiePolicy, hits: Floats, size: Floats, gone: tuple[float, float] = (0.0, 0.0)
) -> Floats:
    """Return each group's sum C of precision over its targets, with targets and cases removed above it."""
    hits_above = np.maximum(places.hits_above - gone[0], 0.0)
    seen_above = np.maximum(places.seen_above - gone[1], hits_above)
    if ties == "threshold":
        return np.asarray(hits * (hits_above + hits) / np.maximum(seen_above + size, TINY_DIVISOR))
    # At place j of s, a target has (j−1)(a−1)/(s−1) others of its group above it, on average.
    slope = np.where(size > 1, (hits - 1) / np.maximum(size - 1, TINY_DIVISOR), 0.0)
    inside = slope * size + (hits_above + 1 - slope * (1 + seen_above)) * reciprocal_sum(seen_above, size)
    return np.asarray(hits / np.maximum(size, TINY_DIVISOR) * inside)
