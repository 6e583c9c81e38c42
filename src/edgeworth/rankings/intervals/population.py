"""A new sample from the same population: laws of average precision and ROC area of one ranking."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgeworth.arrays import Values
from edgeworth.core.laws import Alternative, NormalLaw, SamplingLaw
from edgeworth.core.scales import Scale
from edgeworth.errors import OptionError
from edgeworth.rankings.along import ResolvedRanking
from edgeworth.rankings.formulas.ranking_steps import steps_of_ranking
from edgeworth.rankings.intervals.influence import (
    NO_VARIANCE,
    Places,
    average_precision_effects,
    doubtful,
    independent,
    roc_area_effects,
    separated_area_bound,
    separated_precision_bound,
)
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.runs import Run


@dataclass(frozen=True)
class InfluenceLaw:
    """Student's t on the logit scale, and why it may not cover as it says, if there is reason."""

    normal: NormalLaw
    bias: float
    doubt: str | None

    @property
    def standard_error(self) -> float:
        """The standard deviation of the estimate."""
        return self.normal.standard_error

    def interval(self, level: float) -> tuple[float, float]:
        """Value plus and minus a quantile of standard errors, on the logit scale."""
        return self.normal.interval(level)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Wald's test on the logit scale."""
        return self.normal.p_value(null, alternative)


@dataclass(frozen=True)
class SeparatedLaw:
    """Every target stands above all background (or below it): nothing varies, and the bound is binomial."""

    value: float
    targets: float
    background: float
    is_area: bool
    doubt: str | None = "targets and background are separated, so the interval is a binomial bound"

    @property
    def standard_error(self) -> float:
        """Nothing varies in the sample."""
        return 0.0

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
    places, units = Places.of(steps_of_ranking(ranking)), typical_weights(ranking)
    if is_area:
        effects = roc_area_effects(places, units)
    else:
        ties = resolved.ties
        effects = average_precision_effects(places, "threshold" if ties == "threshold" else "expected", units)
    sums = () if ranking.is_counted else weight_sums(ranking)
    spread = independent(effects, places.parts, *sums)
    if not spread.variance > NO_VARIANCE or not 0 < effects.value < 1:
        return _without_variance(ranking, effects.value, places, is_area=is_area)
    # Whatever the fourth moment says, a variance is learnt from one degree of freedom at least.
    freedom = max(spread.freedom, 1.0)
    normal = NormalLaw(effects.value, math.sqrt(spread.variance), Scale("logit", 0.0, 1.0), freedom)
    return InfluenceLaw(normal, effects.bias, doubtful(places, spread, units))


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
    scores = ranking.standing.scores[::-1]

    def sums(power: int) -> tuple[Values, ...]:
        targets, _ = _sums_between(ranking.targets, scores, power)
        tied, gaps = _sums_between(ranking.background, scores, power)
        return targets[::-1], tied[::-1], gaps[::-1], np.array([float(ranking.unranked)])

    return sums(2), sums(4)


def _sums_between(run: Run, scores: Values, power: int) -> tuple[Values, Values]:
    """Σw^power at each of ascending scores, and strictly between them."""
    counts = np.ones(len(run.scores)) if run.weight is None else run.weight
    powers = run.square if power == 2 else run.fourth
    sums = np.concatenate([[0.0], np.cumsum(counts if powers is None else powers)])
    below = sums[np.searchsorted(run.scores, scores, side="left")]
    through = sums[np.searchsorted(run.scores, scores, side="right")]
    gaps = np.concatenate([below, [sums[-1]]]) - np.concatenate([[0.0], through])
    return through - below, gaps
