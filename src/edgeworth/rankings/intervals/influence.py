"""What each case adds to average precision and to the ROC area of a ranking, and how few cases decide it.

Background between two steps all counts alike, so everything costs one pass over the steps.

The recipe is the same for both measures: the jackknife's variance on the logit scale, with Student's quantile
whose degrees of freedom come from the fourth moment of the effects. Its measured coverage is in
docs/rankings.md (``bench/coverage.py``). A bias correction of average precision was tried: it moves misses
from one side of the interval to the other and covers less, so the bias is not subtracted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

import numpy as np

from edgeworth.arrays import Values
from edgeworth.core.threads import row_blocks
from edgeworth.errors import OptionError
from edgeworth.rankings.tie_groups import TieGroups, reciprocal_sum

TiePolicy: TypeAlias = Literal["threshold", "expected"]

FREEDOM = 2.5
"""Degrees of freedom are FREEDOM·(Σ effect²)²/Σ effect⁴: 2 is Satterthwaite's, 3 would make n normal effects
worth n; 2.5 covers best for both measures on the binormal grid of bench/coverage.py."""

FEW = 50
LITTLE_FREEDOM = 12.0
"""Below either, coverage of 93.5 to 96.5% at nominal 95% was not reached everywhere."""

NO_VARIANCE = 1e-24
"""A variance below this is rounding."""

TINY = 1e-300

BLOCK = 1 << 16
"""Tie groups gone through at once, so that a long list needs little room beside its effects."""


@dataclass(frozen=True)
class Places:
    """Where a case of one ranking can stand, as counts or as sums of weights.

    Each tie group has ``hits`` targets and ``tied`` background, below ``hits_above`` targets among
    ``seen_above`` cases. ``gap`` is the background before each group, and after the last one; ``lost``
    targets were never ranked.
    """

    hits: Values
    tied: Values
    hits_above: Values
    seen_above: Values
    gap: Values
    lost: float

    @classmethod
    def of(cls, groups: TieGroups) -> Self:
        """The places of a view of one ranking."""
        tied = groups.size - groups.hits
        background = float(groups.ranked[0] - groups.hits.sum())
        below = np.concatenate([[0.0], groups.seen_below - groups.hits_below])
        gap = np.append(groups.seen_above - groups.hits_above, background) - below
        lost = float(groups.targets[0] - groups.hits.sum())
        return cls(groups.hits, tied, groups.hits_above, groups.seen_above, gap, lost)

    def select(self, rows: slice) -> Self:
        """Some of the tie groups; gaps and lost targets are not theirs."""
        return type(self)(
            self.hits[rows], self.tied[rows], self.hits_above[rows], self.seen_above[rows], np.zeros(0), 0.0
        )

    @property
    def targets(self) -> float:
        """All targets."""
        return float(self.hits.sum()) + self.lost

    @property
    def background(self) -> float:
        """All other cases."""
        return float(self.tied.sum() + self.gap.sum())

    @property
    def parts(self) -> tuple[Values, ...]:
        """The cases of each place, in the order of ``CaseInfluence.parts``."""
        return self.hits, self.tied, self.gap, np.array([self.lost])


@dataclass(frozen=True)
class CaseInfluence:
    """What one case adds to a measure, for each place a case can be; they sum to 0 over the cases."""

    value: float
    target: Values
    tied: Values
    gap: Values
    lost: float

    @property
    def parts(self) -> tuple[Values, ...]:
        """Targets and background of the tie groups, the gaps, the targets never ranked."""
        return self.target, self.tied, self.gap, np.array([self.lost])

    def concatenate(self) -> Values:
        """The same in one row."""
        return np.concatenate(self.parts)


@dataclass(frozen=True)
class Spread:
    """A variance, and how many degrees of freedom it was learnt from."""

    variance: float
    freedom: float


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
    number, targets = len(places.hits), places.targets
    target, tied, below, gap = np.empty(number), np.empty(number), np.zeros(number + 1), np.zeros(number + 1)
    total = 0.0
    for rows in row_blocks(number, BLOCK):
        part = places.select(rows)
        hits, size = part.hits, part.hits + part.tied
        whole = _precision(part, ties, hits, size)
        total += float(whole.sum())
        # Of a group that weighs less than a typical case, all that there is can go.
        own, own_tied = np.minimum(unit, hits), np.minimum(other, part.tied)
        target[rows] = (whole - _precision(part, ties, hits - own, size - own)) / own
        tied[rows] = (whole - _precision(part, ties, hits, size - own_tied)) / np.maximum(own_tied, TINY)
        below[rows] = (whole - _precision(part, ties, hits, size, gone=(unit, unit))) / unit
        gap[rows] = (whole - _precision(part, ties, hits, size, gone=(0.0, other))) / other
    for sums in (below, gap):
        # Of this tie group and all later ones; 0 after the last.
        np.cumsum(sums[::-1], out=sums[::-1])
    value = total / targets
    target += below[1:]
    target -= value
    target /= targets - unit
    tied += gap[1:]
    tied /= targets
    gap /= targets
    lost = -value / (targets - unit)
    # Centred, and scaled so that the squares sum to Tukey's (n−1)/n Σ(effect − mean)².
    whole_weight = targets + places.background
    cases = targets / unit + places.background / other
    effects = (target, tied, gap, np.array([lost]))
    mean = sum(float(many @ each) for many, each in zip(places.parts, effects, strict=True)) / whole_weight
    scale = math.sqrt(1 - 1 / cases)
    for each in effects:
        each -= mean
        each *= scale
    return CaseInfluence(value, target, tied, gap, float(effects[-1][0]))


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
    value = float((places.hits * beaten).sum() / targets)
    of_targets = math.sqrt(targets * (targets - unit))
    of_background = math.sqrt(background * (background - other))
    found = np.append(places.hits_above, places.hits.sum()) / targets
    return CaseInfluence(
        value=value,
        target=(beaten - value) / of_targets,
        tied=((places.hits_above + places.hits / 2) / targets - value) / of_background,
        gap=(found - value) / of_background,
        lost=-value / of_targets,
    )


def independent(
    effects: CaseInfluence,
    counts: Sequence[Values],
    squares: Sequence[Values] | None = None,
    fourths: Sequence[Values] | None = None,
) -> Spread:
    """Σ effect² over independent cases, and the degrees of freedom of that sum.

    ``counts`` are ``places.parts``; for sampling weights give Σw² and Σw⁴ of the same places as well.
    """
    second = fourth = 0.0
    # Part by part: as one row the effects of a long list would be copied several times.
    for each, square, fourth_power in zip(
        effects.parts,
        counts if squares is None else squares,
        counts if fourths is None else fourths,
        strict=True,
    ):
        squared = each**2
        second += float(square @ squared)
        squared *= squared
        fourth += float(fourth_power @ squared)
    return Spread(second, FREEDOM * second**2 / fourth if second > NO_VARIANCE else 0.0)


def separated_precision_bound(targets: float, background: float, level: float) -> float:
    """When every target is above all background (AP = 1, variance 0): how bad might the population be?

    A share f of background above all targets goes unseen with probability (1−f)^b, a share e of targets
    below all background with (1−e)^m. At probability (1−level)/2 the first leaves AP = 1 − c·ln(1 + 1/c),
    c = f·b/m, the second at least 1 − e; the lower is the bound. The same reasoning as Clopper & Pearson's,
    for two ways of going wrong that were thought of; no proof says that there is no worse one.
    """
    unseen = (1 - level) / 2
    odds = -math.expm1(math.log(unseen) / background) * background / targets
    return float(min(1 - odds * math.log1p(1 / odds), unseen ** (1 / targets)))


def separated_area_bound(targets: float, background: float, level: float) -> float:
    """The same for a ROC area of 1: Clopper & Pearson's bound of the smaller class. For 0, mirror it."""
    return float(((1 - level) / 2) ** (1 / min(targets, background)))


def reason_for_doubt(places: Places, spread: Spread, units: tuple[float, float] = (1.0, 1.0)) -> str | None:
    """Why the interval may not cover as it says, if there is reason."""
    many, rest = places.targets / units[0], places.background / units[1]
    if (fewest := min(many, rest)) < FEW:
        which = "targets" if many <= rest else "background cases"
        return f"only {fewest:.4g} {which}: below {FEW}, coverage may fall short"
    if spread.freedom < LITTLE_FREEDOM:
        return "a few cases make up most of the uncertainty, so it is itself uncertain"
    return None


def _precision(
    places: Places, ties: TiePolicy, hits: Values, size: Values, gone: tuple[float, float] = (0.0, 0.0)
) -> Values:
    """Each group's sum of precision over its targets, C, with targets and cases gone from above it."""
    hits_above = np.maximum(places.hits_above - gone[0], 0.0)
    seen_above = np.maximum(places.seen_above - gone[1], hits_above)
    if ties == "threshold":
        return np.asarray(hits * (hits_above + hits) / np.maximum(seen_above + size, TINY))
    # At place j of s, a target has (j−1)(a−1)/(s−1) others of its group above it, on average.
    slope = np.where(size > 1, (hits - 1) / np.maximum(size - 1, TINY), 0.0)
    inside = slope * size + (hits_above + 1 - slope * (1 + seen_above)) * reciprocal_sum(seen_above, size)
    return np.asarray(hits / np.maximum(size, TINY) * inside)
