"""Population intervals of average precision and ROC area: what each case adds, and how few cases decide it.

A ranking enters as steps: one for each distinct score that at least one target has, best first. Background
cases between two steps all count alike, so everything costs one pass over the steps.

The recipe is the same for both measures: Tukey's jackknife variance on the logit scale, with Student's
quantile whose degrees of freedom come from the fourth moment of the effects (``bench/coverage.py`` measures
its coverage). Subtracting the bias of average precision would cover less: it is reported only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, expit, logit, stdtrit

from edgeworth.errors import OptionError

Floats: TypeAlias = NDArray[np.float64]
Ties: TypeAlias = Literal["threshold", "expected"]

FREEDOM = 2.5
"""Degrees of freedom are FREEDOM·(Σ effect²)²/Σ effect⁴: 2 is Satterthwaite's, 3 would make n normal effects
worth n; 2.5 covers best for both measures (bench/coverage.py)."""

FEW = 50
LITTLE_FREEDOM = 12.0
"""Below either, 93.5 to 96.5% coverage at nominal 95% was not reached everywhere."""

NO_VARIANCE = 1e-24
TINY = 1e-300
"""A variance below the first is rounding; the second keeps 0/0 of a group emptied of its only case at 0."""


@dataclass(frozen=True)
class Steps:
    """A ranking's tie groups that hold targets, best first, as counts or as sums of weights.

    ``hits`` targets and ``size`` cases in the group, ``hits_above`` and ``seen_above`` strictly better.
    """

    hits: Floats
    size: Floats
    hits_above: Floats
    seen_above: Floats
    targets: float
    items: float

    @property
    def background(self) -> float:
        """All cases that are no target."""
        return self.items - self.targets

    @property
    def tied(self) -> Floats:
        """Background in each step's own tie group."""
        return self.size - self.hits

    @property
    def gaps(self) -> Floats:
        """Background strictly between steps: before each step, and after the last one."""
        below = np.append(0.0, self.seen_above + self.size)
        return np.asarray(np.append(self.seen_above, self.items) - below)

    def scaled(self, unit: float) -> Steps:
        """The same ranking counted in units."""
        above = self.hits_above / unit, self.seen_above / unit
        return Steps(self.hits / unit, self.size / unit, *above, self.targets / unit, self.items / unit)


@dataclass(frozen=True)
class Effects:
    """What one case adds to a measure, for each place a case can be; they sum to 0 over the cases.

    ``target`` and ``tied`` have one value for each step, ``gap`` one more, for the background after the last.
    ``bias`` is the jackknife's estimate of how much the value exceeds the population's.
    """

    value: float
    bias: float
    target: Floats
    tied: Floats
    gap: Floats

    def joined(self) -> Floats:
        """One row, in the order that ``groups`` uses."""
        return np.concatenate([self.target, self.tied, self.gap])


@dataclass(frozen=True)
class Spread:
    """A variance, and how many degrees of freedom it was learnt from."""

    variance: float
    freedom: float


def groups(steps: Steps) -> Floats:
    """How many cases each of the effects stands for: targets and background of the steps, then the gaps."""
    return np.concatenate([steps.hits, steps.tied, steps.gaps])


def average_precision_effects(steps: Steps, ties: Ties = "threshold", unit: float = 1.0) -> Effects:
    """AP with a case minus AP without it, exactly, for every case at once (Tukey's jackknife).

    With C(a, s, h, t) what a group of a targets among s cases adds below h targets among t cases: a target of
    step k adds (Δ - AP)/(m-1), Δ = C_k - C(a-1, s-1, h, t)_k + Σ_{g>k} [C_g - C(a, s, h-1, t-1)_g];
    a background case tied with step k adds (C_k - C(a, s-1, h, t)_k + Σ_{g>k} [C_g - C(a, s, h, t-1)_g])/m,
    one in the gap before it Σ_{g≥k} [C_g - C(a, s, h, t-1)_g]/m.
    To first order these are the infinitesimal jackknife's D. What D leaves out is that a target's precision
    counts the target itself, which inflates ΣD² of weak rankers by up to a half.

    With sampling weights, ties are "threshold" and ``unit`` is a typical case's weight, Σw²/Σw; effects are
    then those of a weight of 1.
    """
    if steps.targets < 2 * unit:
        raise OptionError(f"average precision needs two targets for an interval; saw {steps.targets:g}")
    counted = steps.scaled(unit)
    hits, size = counted.hits, counted.size
    whole = _precision(counted, ties, hits, size)
    fewer = np.maximum(hits - 1, 0.0)
    lost_target = whole - _precision(counted, ties, fewer, np.maximum(size - 1, fewer))
    lost_tied = whole - _precision(counted, ties, hits, np.maximum(size - 1, hits))
    below_target = _tails(whole - _precision(counted, ties, hits, size, gone=(1.0, 1.0)))
    below_background = _tails(whole - _precision(counted, ties, hits, size, gone=(0.0, 1.0)))
    value = float(whole.sum() / counted.targets)
    target = (lost_target + below_target[1:] - value) / (counted.targets - 1)
    tied = (lost_tied + below_background[1:]) / counted.targets
    gap = below_background / counted.targets
    # Centred, and scaled so that the squares sum to Tukey's (n-1)/n Σ(effect - mean)².
    mean = float((groups(steps) * np.concatenate([target, tied, gap])).sum() / steps.items)
    scale = math.sqrt(1 - 1 / counted.items) / unit
    parts = ((part - mean) * scale for part in (target, tied, gap))
    return Effects(value, -(counted.items - 1) * mean, *parts)


def roc_area_effects(steps: Steps, unit: float = 1.0) -> Effects:
    """Placements as effects: their squares sum to the variance of DeLong, DeLong & Clarke-Pearson (1988).

    A target adds (share of the background below it, ties half, - area)/sqrt(m(m-1)), a background case
    (share of the targets above it, ties half, - area)/sqrt(b(b-1)).
    """
    many, rest = steps.targets, steps.background
    if min(many, rest) < 2 * unit:
        raise OptionError(f"a ROC area's interval needs two cases of each kind; saw {many:g} and {rest:g}")
    beaten = (rest - (steps.seen_above - steps.hits_above) - steps.tied / 2) / rest
    value = float((steps.hits * beaten).sum() / many)
    of_targets, of_background = math.sqrt(many * (many - unit)), math.sqrt(rest * (rest - unit))
    return Effects(
        value=value,
        bias=0.0,
        target=(beaten - value) / of_targets,
        tied=((steps.hits_above + steps.hits / 2) / many - value) / of_background,
        gap=(np.append(steps.hits_above, many) / many - value) / of_background,
    )


def independent(
    effects: Effects, counts: Floats, squares: Floats | None = None, fourths: Floats | None = None
) -> Spread:
    """Σ effect² over independent cases, and the degrees of freedom of that sum.

    ``counts`` are ``groups(steps)``; for sampling weights give Σw² and Σw⁴ of the same groups as well.
    """
    squared = effects.joined() ** 2
    second = float((counts if squares is None else squares) @ squared)
    fourth = float((counts if fourths is None else fourths) @ squared**2)
    return Spread(second, FREEDOM * second**2 / fourth if second > NO_VARIANCE else 0.0)


def clustered(sums: Floats) -> Spread:
    """The same for clusters: one sum of weight·effect for each cluster, and at most clusters - 1 degrees."""
    if (many := len(sums)) < 2:
        raise OptionError("all cases are in one cluster: nothing tells how much clusters vary")
    second, fourth = float((sums**2).sum()), float((sums**4).sum())
    freedom = FREEDOM * second**2 / fourth if second > NO_VARIANCE else 0.0
    return Spread(many / (many - 1) * second, min(many - 1.0, freedom))


def interval(value: float, spread: Spread, level: float = 0.95) -> tuple[float, float]:
    """expit(logit value ± t·standard error/(value(1-value))); nan where nothing varies."""
    if not (spread.variance > NO_VARIANCE and 0 < value < 1):
        return math.nan, math.nan
    # Whatever the fourth moment says, a variance is learnt from one degree of freedom at least.
    quantile = float(stdtrit(max(spread.freedom, 1.0), (1 + level) / 2))
    reach = quantile * math.sqrt(spread.variance) / (value * (1 - value))
    return float(expit(logit(value) - reach)), float(expit(logit(value) + reach))


def separated_precision_interval(
    targets: float, background: float, level: float = 0.95
) -> tuple[float, float]:
    """When every target is above all background (AP = 1, variance 0): how bad might the population be?

    A share f of background above all targets goes unseen with probability (1-f)^b, a share e of targets
    below all background with (1-e)^m. At probability (1-level)/2 the first leaves AP = 1 - c·ln(1 + 1/c),
    c = f·b/m, the second at least 1 - e; the lower is the bound. The same reasoning as Clopper & Pearson's.
    """
    unseen = (1 - level) / 2
    odds = -math.expm1(math.log(unseen) / background) * background / targets
    return min(1 - odds * math.log1p(1 / odds), unseen ** (1 / targets)), 1.0


def separated_area_interval(targets: float, background: float, level: float = 0.95) -> tuple[float, float]:
    """The same for a ROC area of 1: Clopper & Pearson's bound of the smaller class. For 0, mirror it."""
    return ((1 - level) / 2) ** (1 / min(targets, background)), 1.0


def doubtful(steps: Steps, spread: Spread, unit: float = 1.0) -> str | None:
    """Why the interval may not cover as it says, if there is reason."""
    fewest = min(steps.targets, steps.background) / unit
    if fewest < FEW:
        which = "targets" if steps.targets <= steps.background else "background cases"
        return f"only {fewest:.4g} {which}: below {FEW}, coverage may fall short"
    if spread.freedom < LITTLE_FREEDOM:
        return "a few cases make up most of the uncertainty, so it is itself uncertain"
    return None


def _precision(
    steps: Steps, ties: Ties, hits: Floats, size: Floats, gone: tuple[float, float] = (0.0, 0.0)
) -> Floats:
    """Each group's sum of precision over its targets, C, with targets and cases gone from above it."""
    hits_above = np.maximum(steps.hits_above - gone[0], 0.0)
    seen_above = np.maximum(steps.seen_above - gone[1], hits_above)
    if ties == "threshold":
        return np.asarray(hits * (hits_above + hits) / np.maximum(seen_above + size, TINY))
    # At place j of s, a target has (j-1)(a-1)/(s-1) others of its group above it, on average.
    slope = np.where(size > 1, (hits - 1) / np.maximum(size - 1, TINY), 0.0)
    inside = slope * size + (hits_above + 1 - slope * (1 + seen_above)) * _harmonic(seen_above, size)
    return np.asarray(hits / np.maximum(size, TINY) * inside)


def _harmonic(start: Floats, many: Floats) -> Floats:
    """Σ_{j=1..many} 1/(start + j), without the cancellation of two digammas far from 0."""
    low, high = start + 0.5, start + many + 0.5
    near = low < 60
    low_square, high_square = low**-2.0, high**-2.0
    sums = np.log1p(many / low) + (high_square - low_square) / 24 - (high_square**2 - low_square**2) * 7 / 960
    sums[near] = digamma(high[near] + 0.5) - digamma(low[near] + 0.5)
    return sums


def _tails(parts: Floats) -> Floats:
    """Sums of this one and all later ones; one more, 0, at the end."""
    return np.append(np.cumsum(parts[::-1])[::-1], 0.0)
