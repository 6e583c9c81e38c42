"""A new sample from the same population: laws of average precision and ROC area of one ranking."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgeworth.errors import OptionError
from edgeworth.inference import precision_intervals as effects_of
from edgeworth.inference.laws import Alternative, NormalLaw, SamplingLaw
from edgeworth.inference.precision_intervals import Spread
from edgeworth.inference.scales import Scale
from edgeworth.measures import ResolvedRanking
from edgeworth.measures.ranking_steps import step_scores, steps_of_ranking
from edgeworth.measures.views import Values
from edgeworth.tallies import Ranking
from edgeworth.tallies.runs import Run


@dataclass(frozen=True)
class InfluenceLaw:
    """Student's t on the logit scale, and why it may not cover as it says, if there is reason."""

    normal: NormalLaw
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
    doubt: str | None = "targets and background are separated: the interval is the binomial bound"

    @property
    def standard_error(self) -> float:
        """Nothing varies in the sample."""
        return 0.0

    def interval(self, level: float) -> tuple[float, float]:
        """From the worst population that would still be seen as separated."""
        bound = (
            effects_of.separated_area_interval if self.is_area else effects_of.separated_precision_interval
        )
        low, high = bound(self.targets, self.background, level)
        return (low, high) if self.value > 0.5 else (1 - high, 1 - low)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """The smallest level whose interval leaves the null out."""
        outside = null < self.value if self.value > 0.5 else null > self.value
        if not outside or alternative == ("less" if self.value > 0.5 else "greater"):
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            bounds = self.interval(1 - middle)
            inside = bounds[0] <= null <= bounds[1]
            low, high = (middle, high) if inside else (low, middle)
        return high if alternative == "two-sided" else high / 2


def influence_law(ranking: Ranking, resolved: ResolvedRanking) -> SamplingLaw:
    """The law of average precision or ROC area."""
    is_area = resolved.measure.name == "roc_auc"
    if not is_area and (resolved.measure.name != "average_precision" or resolved.depth is not None):
        raise OptionError(f"Influence() is for average_precision and roc_auc; {resolved.spelling} is neither")
    if not is_area and resolved.ties not in ("expected", "threshold"):
        raise OptionError(f"Influence() takes ties as expected or threshold; {resolved.spelling} does not")
    steps = _steps(ranking)
    unit = typical_weight(ranking)
    if is_area:
        effects = effects_of.roc_area_effects(steps, unit)
    else:
        ties = "threshold" if resolved.ties == "threshold" else "expected"
        effects = effects_of.average_precision_effects(steps, ties, unit)  # type: ignore[arg-type]  # one of two
    squares = None if ranking.is_counted else group_squares(ranking)
    counts = effects_of.groups(steps)
    spread = effects_of.independent(effects, counts, squares, None if squares is None else squares**2)
    if not spread.variance > effects_of.NO_VARIANCE or not 0 < effects.value < 1:
        return _without_variance(ranking, effects.value, steps, is_area=is_area)
    normal = NormalLaw(
        effects.value, math.sqrt(spread.variance), Scale("logit", 0.0, 1.0), max(spread.freedom, 1.0)
    )
    return InfluenceLaw(normal, effects_of.doubtful(steps, Spread(spread.variance, spread.freedom)))


def _without_variance(
    ranking: Ranking, value: float, steps: effects_of.Steps, *, is_area: bool
) -> SamplingLaw:
    separated = value == 1 or (is_area and value == 0)
    if not separated or not ranking.is_counted or not steps.background:
        raise OptionError("no case moves the value, so nothing tells how much it varies")
    return SeparatedLaw(value, steps.targets, steps.background, is_area)


def _steps(ranking: Ranking) -> effects_of.Steps:
    seen = steps_of_ranking(ranking)
    return effects_of.Steps(
        seen.hits, seen.size, seen.hits_above, seen.seen_above, float(seen.targets[0]), float(seen.items[0])
    )


def typical_weight(ranking: Ranking) -> float:
    """Σw²/Σw: 1 for whole cases."""
    if ranking.is_counted:
        return 1.0
    runs = (ranking.targets, ranking.background)
    squares = sum(float(run.total if run.square is None else run.square.sum()) for run in runs)
    return squares / float(ranking.ranked_total)


def group_squares(ranking: Ranking) -> Values:
    """Σw² of each group of cases that move a measure alike: targets, background tied with them, the gaps."""
    scores = step_scores(ranking)[::-1]
    targets = _squares_between(ranking.targets, scores)[0]
    tied, gaps = _squares_between(ranking.background, scores)
    return np.concatenate([targets[::-1], tied[::-1], gaps[::-1]])


def _squares_between(run: Run, scores: Values) -> tuple[Values, Values]:
    """Σw² at each of ascending scores, and strictly between them."""
    squares = np.ones(len(run.scores)) if run.square is None else run.square
    sums = np.concatenate([[0.0], np.cumsum(squares)])
    below = sums[np.searchsorted(run.scores, scores, side="left")]
    through = sums[np.searchsorted(run.scores, scores, side="right")]
    gaps = np.concatenate([below, [sums[-1]]]) - np.concatenate([[0.0], through])
    return through - below, gaps
