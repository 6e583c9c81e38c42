"""Bands around the recall and the precision of a ranking at every depth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from edgeworth.common.arrays import Floats
from edgeworth.core.sampling_distributions import check_level, normal_quantile, wilson_bounds
from edgeworth.errors import OptionError
from edgeworth.rankings.chance.hits import hits as hits_law
from edgeworth.rankings.chance.law import (
    BINS_OF_DISTRIBUTION,
    MAX_TARGETS_OF_DENSITY,
    PROBABILITY_LEFT_OUT_AT_ENDS,
    Distribution,
    average_precision,
)
from edgeworth.rankings.policy import MAX_SKEWNESS_FOR_EDGEWORTH_DENSITY
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.tie_groups import TieGroups

BandMethod: TypeAlias = Literal["population", "survival"]


@dataclass(frozen=True)
class Bands:
    """Recall and precision at depths t, each with a lower and an upper bound."""

    depth: Floats
    recall: Floats
    recall_low: Floats
    recall_high: Floats
    targets: float
    level: float
    method: str
    of_precision: tuple[Floats, Floats] | None = None
    """Bounds of precision for a number of targets that varies; None keeps the number of targets."""

    @property
    def precision(self) -> Floats:
        """``p(t) = r(t) m/t``."""
        return self._as_precision(self.recall)

    @property
    def precision_low(self) -> Floats:
        """Return the lower bound of p(t)."""
        return self._as_precision(self.recall_low) if self.of_precision is None else self.of_precision[0]

    @property
    def precision_high(self) -> Floats:
        """Return the upper bound of p(t); precision is at most 1."""
        high = self._as_precision(self.recall_high) if self.of_precision is None else self.of_precision[1]
        return np.minimum(1.0, high)

    def _as_precision(self, recall: Floats) -> Floats:
        return recall * self.targets / self.depth


def bands(
    ranking: Ranking,
    *,
    depths: ArrayLike | None = None,
    level: float = 0.95,
    method: BandMethod = "population",
    simultaneous: bool = False,
) -> Bands:
    """Compute bands around the recall r(t) and the precision p(t) of a ranking.

    Parameters
    ----------
    ranking : Ranking
        Whole cases with at least one target.
    depths : array_like, optional
        Depths t between 1 and the number of items; left out, enough of them to draw a curve.
    level : float
        How often each band holds the true value.
    method : {"population", "survival"}
        How the width of the band is found.
    simultaneous : bool
        Make one band that holds for all depths at once instead of one for each depth by itself.

    Returns
    -------
    Bands
        Recall and precision at the depths, each with a lower and an upper bound.

    Notes
    -----
    "population" is for new cases at the same depth. The band of recall keeps the number of targets: Wilson's
    interval with the variance ``(1 − p)² m r(1 − r) + p² (n − m) f(1 − f)`` of the hits h, where f is the
    share of other cases above depth t and p the precision around it (between t/2 and 3t/2): the cut moves
    with the sample. Under random selection that is the hypergeometric variance. The band of precision lets
    the number of targets vary: it holds each q with ``(q − h/t)² ≤ z² v/t``, where
    ``v = q(1 − q) + (1 − t/n)(h/t − p)²``. Without the second term this is Wilson's interval.
    "survival" is Su & Zhang's: hits as events, ``r ± z √(r(1 − r)/m)``. A simultaneous band is Kolmogorov's,
    ``r ± k/√m``, from the covariance of the survival view; it holds for large m.

    Examples
    --------
    >>> result = bands(Ranking.from_hits([1, 1, 0, 1, 0, 0, 0, 0]), depths=[2, 4])
    >>> result.recall.round(3).tolist(), result.precision.tolist()
    ([0.667, 1.0], [1.0, 0.75])
    """
    check_level(level)
    if method not in ("population", "survival"):
        raise OptionError(f'method must be "population" or "survival"; saw {method!r}')
    if not isinstance(ranking, Ranking):
        raise OptionError(f"bands need a Ranking; saw {type(ranking).__name__}")
    if not ranking.is_counted or not ranking.target_total:
        raise OptionError("bands need whole cases and at least one target")
    if ranking.clusters is not None:
        raise OptionError("bands are not supported with clusters: estimate precision@100 or recall@100")
    groups = ranking.tie_groups
    items, targets = float(ranking.total), float(ranking.target_total)
    try:
        depth = chart_depths(ranking) if depths is None else np.asarray(depths, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"depths must be numbers between 1 and {items:,.0f}; saw {depths!r}") from None
    if depth.ndim != 1 or not np.all((depth >= 1) & (depth <= items)):
        raise OptionError(f"depths must lie between 1 and {items:,.0f}")
    hits = hit_curve(groups, depth)
    recall = hits / targets
    of_precision = None
    if simultaneous:
        reach = float(scipy.special.kolmogi(1 - level)) / math.sqrt(targets)
        low, high, method_name = recall - reach, recall + reach, "Kolmogorov, all depths at once"
    elif method == "survival":
        half_width = normal_quantile(level) * np.sqrt(recall * (1 - recall) / targets)
        low, high, method_name = recall - half_width, recall + half_width, "survival view, each depth"
    else:
        local = local_precision(groups, depth, items)
        low, high = _population_bounds(hits, local, depth, items, targets, level)
        of_precision = _precision_bounds(hits, local, depth, items, level)
        method_name = "population, each depth"
    # Recall is a share, so bounds are cut off at 0 and 1.
    low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
    return Bands(depth, recall, low, high, targets, level, method_name, of_precision)


def _precision_bounds(
    hits: Floats, local: Floats, depth: Floats, items: float, level: float
) -> tuple[Floats, Floats]:
    """Solve Wilson's equation for precision; the number of targets varies with the sample.

    The drop from the precision above the cut to that around it adds to the binomial variance, because the cut
    moves with the sample. The drop is what the sample shows, the rest of the variance that of the bound.
    """
    share = hits / depth
    drop = (1 - depth / items) * (share - local) ** 2
    factor = normal_quantile(level) ** 2 / depth
    middle = (share + factor / 2) / (1 + factor)
    reach = np.sqrt(np.maximum(middle**2 - (share**2 - factor * drop) / (1 + factor), 0.0))
    return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)


def _population_bounds(
    hits: Floats, local: Floats, depth: Floats, items: float, targets: float, level: float
) -> tuple[Floats, Floats]:
    """Return Wilson's bounds for recall, computed from precision at depths up to the number of targets.

    Hits are at most the items reviewed and at most the targets, and the variance of a share depends on its
    value. At a depth equal to the number of targets, both shares are the same.
    """
    above = depth - hits
    of_targets, of_others = hits * (1 - hits / targets), above * (1 - above / max(items - targets, 1.0))
    hits_variance = (1 - local) ** 2 * of_targets + local**2 * of_others
    number = np.minimum(depth, targets)
    share = hits / number
    binomial = share * (1 - share)
    # Where a share is 0 or 1 there is nothing to compare, and the formula tends to the plain binomial.
    usable = (binomial > 0) & (hits_variance > 0)
    trials = np.where(usable, number**2 * binomial / np.where(usable, hits_variance, 1.0), number)
    # The number of independent cases with this variance; near the end of a list an item counts for several.
    trials = np.minimum(trials, number / np.maximum(1 - number / items, 1 / items))
    low, high = wilson_bounds(share * trials, trials, normal_quantile(level))
    return low * number / targets, high * number / targets


def local_precision(groups: TieGroups, depth: Floats, items: float) -> Floats:
    """Compute the share of hits among the items around a depth: between half of it and one and a half."""
    half = np.ceil(depth / 2)
    start, end = np.maximum(0.0, depth - half), np.minimum(items, depth + half)
    return np.asarray((hit_curve(groups, end) - hit_curve(groups, start)) / (end - start))


def hit_curve(groups: TieGroups, depth: Floats) -> Floats:
    """h(t) of one list at many depths, ties in random order."""
    if not len(groups.hits):
        return np.zeros(len(depth))
    # The curve is linear inside a tie and flat between tie groups.
    corners = _by_turns(groups.seen_above, groups.seen_below)
    return np.interp(depth, corners, _by_turns(groups.hits_above, groups.hits_below))


def _by_turns(above: Floats, below: Floats) -> Floats:
    """Return where each tie group begins and ends, one after the other."""
    return np.stack([above, below], axis=1).ravel()


MAX_VALUES_DRAWN_SINGLY = 60
"""The most values that are drawn one by one."""


def can_bin_law(n: int, m: int) -> bool:
    """Return whether the law is found quickly."""
    return (
        m <= MAX_TARGETS_OF_DENSITY or average_precision(n, m).skewness <= MAX_SKEWNESS_FOR_EDGEWORTH_DENSITY
    )


def binned_law(n: int, m: int) -> Distribution:
    """Compute the law of average precision of m targets among n items, without its far ends.

    >>> law = binned_law(4, 1)
    >>> law.low.round(3).tolist(), law.probability.tolist()
    ([0.25, 0.333, 0.5, 1.0], [0.25, 0.25, 0.25, 0.25])
    """
    law = average_precision(n, m).distribution()
    if law.exact is None:
        return law
    through = np.cumsum(law.probability)
    shown = (through > PROBABILITY_LEFT_OUT_AT_ENDS) & (
        through - law.probability < 1 - PROBABILITY_LEFT_OUT_AT_ENDS
    )
    values, chances = law.low[shown], law.probability[shown]
    if len(values) <= MAX_VALUES_DRAWN_SINGLY:
        return Distribution(values, values, chances, law.method)
    heights, edges = np.histogram(values, bins=BINS_OF_DISTRIBUTION, weights=chances)
    return Distribution(edges[:-1], edges[1:], heights, law.method)


CURVE_POINTS = 75
"""Depths at equal distances, and as many at equal ratios: a long list is looked at from its top."""
ROC_POINTS = 160
RELATIVE_SUM_TOLERANCE = 1e-12
"""Points nearer to each other than this share of a picture are one point: sums of weights differ in their
last digits with the order of the rows."""
MAX_HULL_CORNERS = 100
"""Corners of the convex hull that are kept before any other point of a ROC curve."""


@dataclass(frozen=True)
class HitCurve:
    """Hits at depths, with the bands for new cases and the hits of random selection; None with weights."""

    depth: Floats
    hits: Floats
    by_chance: Floats
    """Recall of random selection on average, t/n."""
    targets: float
    bands: Bands | None
    chance_low: Floats | None
    chance_high: Floats | None

    @property
    def recall(self) -> Floats:
        """``h(t)/m``."""
        return self.hits / self.targets

    @property
    def items(self) -> float:
        """Return the number of items."""
        return float(self.depth[-1] / self.by_chance[-1])


def chart_depths(ranking: Ranking, *more: float) -> Floats:
    """Depths to draw a ranking at: every one of a short list; of a long one, denser towards its top."""
    most = float(ranking.ranked_total)
    if ranking.is_counted and most <= 2 * CURVE_POINTS:
        return np.arange(1.0, most + 1)
    least = 1.0 if ranking.is_counted else most / 10_000
    depths = np.concatenate([np.linspace(least, most, CURVE_POINTS), np.geomspace(least, most, CURVE_POINTS)])
    depths = np.concatenate([np.round(depths) if ranking.is_counted else depths, more])
    inside = np.unique(depths[(depths > 0) & (depths <= most)])
    return np.asarray(inside[np.concatenate([[True], np.diff(inside) > RELATIVE_SUM_TOLERANCE * most])])


def hit_curve_at(ranking: Ranking, depths: Floats, level: float) -> HitCurve:
    """Compute the hit curve h(t) at depths, with bands for new cases and the band of random selection."""
    items, targets = float(ranking.total), float(ranking.target_total)
    around = low = high = None
    if ranking.is_counted and ranking.clusters is None:
        around = bands(ranking, depths=depths, level=level)
        ends = [hits_law(int(items), int(targets), int(depth)).interval(level) for depth in depths]
        low, high = np.array(ends, dtype=np.float64).T
    hits = hit_curve(ranking.tie_groups, depths)
    return HitCurve(depths, hits, depths / items, targets, around, low, high)


def precision_at_recall(curve: HitCurve) -> dict[str, Floats] | None:
    """Compute the band of the precision–recall curve, ``r m/t`` at all depths t whose band of recall holds r.

    At one depth recall and precision rise and fall together, so the bounds at a depth are not the bounds at a
    recall; the depths at which a recall may be reached are. These keep the number of targets, so its own
    variance, that of the logit of their share, is added to the squared reaches on the logit scale. None if
    cases are weighted.
    """
    depth, targets, around = curve.depth, curve.targets, curve.bands
    if around is None or not curve.recall[-1]:
        return None
    recall = np.unique(np.linspace(1 / targets, float(curve.recall[-1]), int(min(targets, CURVE_POINTS))))
    # Bounds as rising curves; of the upper one, only up to where it is highest first.
    lower = np.minimum.accumulate(around.recall_low[::-1])[::-1]
    upper = np.maximum.accumulate(around.recall_high)
    first = slice(int(np.argmax(upper)) + 1)
    soonest, latest = np.interp(recall, upper[first], depth[first]), np.interp(recall, lower, depth)
    depths = np.interp(recall, *_first_at(curve.recall, depth))
    precision, low, high = (np.minimum(1.0, recall * targets / x) for x in (depths, latest, soonest))
    share_error = math.sqrt(1 / targets + 1 / max(curve.items - targets, 1.0))
    low, high = _widen(precision, low, high, normal_quantile(around.level) * share_error)
    return {"recall": recall, "low": low, "high": high}


def _first_at(recall: Floats, depth: Floats) -> tuple[Floats, Floats]:
    """Keep the first depth at which each recall is reached."""
    levels, first = np.unique(recall, return_index=True)
    return levels, depth[first]


def _widen(precision: Floats, low: Floats, high: Floats, share_reach: float) -> tuple[Floats, Floats]:
    """Add the reach of the share of targets to that of bounds, squared, on the logit scale."""
    logit, expit = scipy.special.logit, scipy.special.expit
    middle = logit(precision)
    with np.errstate(invalid="ignore"):
        down, up = (
            middle - np.hypot(middle - logit(low), share_reach),
            middle + np.hypot(logit(high) - middle, share_reach),
        )
    is_inside = np.isfinite(middle)
    return np.where(is_inside, expit(down), low), np.where(is_inside, expit(up), high)


def thin_roc_curve(ranking: Ranking, most: int = ROC_POINTS) -> tuple[Floats, Floats, Floats]:
    """Depth, fallout and recall along the ROC curve, thinned by ``thin_curve``.

    A tie is a slope, background between targets a level. Targets that were never ranked are found last.

    >>> _, fallout, recall = thin_roc_curve(Ranking.from_hits([1, 0, 1, 0]))
    >>> fallout.tolist(), recall.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    groups = ranking.tie_groups
    ranked, items = float(ranking.ranked_total), float(ranking.total)
    ranked_targets, targets = float(ranking.targets.total), float(ranking.target_total)
    depths = np.concatenate([[0.0], _by_turns(groups.seen_above, groups.seen_below), [ranked, items]])
    hits = np.concatenate([[0.0], _by_turns(groups.hits_above, groups.hits_below), [ranked_targets, targets]])
    fallout, recall = (depths - hits) / float(ranking.background.total), hits / targets
    # Sums of weights are rounded: the curve still rises, and ends in the corner.
    fallout, recall = (np.maximum.accumulate(np.clip(x, 0.0, 1.0)) for x in (fallout, recall))
    indices = _bends(fallout, recall)
    indices = indices[thin_curve(fallout[indices], recall[indices], most)]
    return depths[indices], fallout[indices], recall[indices]


def roc_band(ranking: Ranking, fallout: Floats, recall: Floats, level: float) -> tuple[Floats, Floats] | None:
    """Compute the band of recall at each fallout of the ROC curve; None with weights or clusters.

    Targets and other cases are independent samples, so Wilson's intervals for recall and for fallout, each at
    the level √level, hold together at the level. The band is the union of these rectangles along the curve:
    it contains the true recall at any one fallout with at least the level's probability.

    >>> ranking = Ranking.from_hits([1, 0, 1, 0])
    >>> low, high = roc_band(ranking, *thin_roc_curve(ranking)[1:], 0.95)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.0, 0.0, 0.0, 0.0, 0.29], [0.92, 0.92, 1.0, 1.0, 1.0])
    """
    if not ranking.is_counted or ranking.clusters is not None:
        return None
    quantile = normal_quantile(math.sqrt(level))
    targets, background = float(ranking.target_total), float(ranking.background.total)
    recall_low, recall_high = wilson_bounds(recall * targets, np.full_like(recall, targets), quantile)
    fallout_low, fallout_high = wilson_bounds(
        fallout * background, np.full_like(fallout, background), quantile
    )
    # Where several points of the curve have one fallout, the highest bounds the band above, the lowest below.
    return (
        _envelope(fallout, fallout_high[::-1], recall_low[::-1]),
        _envelope(fallout, fallout_low, recall_high),
    )


def _envelope(at: Floats, x: Floats, y: Floats) -> Floats:
    """Interpolate a bound; of several values at one x the last is taken."""
    places, reverse_first = np.unique(x[::-1], return_index=True)
    return np.interp(at, places, y[::-1][reverse_first])


def _bends(x: Floats, y: Floats) -> NDArray[np.intp]:
    """Return the points at which a curve changes direction, and its ends, without duplicates."""
    moved = np.flatnonzero(
        np.concatenate(
            [[True], (np.diff(x) > RELATIVE_SUM_TOLERANCE) | (np.diff(y) > RELATIVE_SUM_TOLERANCE)]
        )
    )
    if len(moved) < 3:
        return moved
    turns = np.abs(_turning(x[moved], y[moved])) > 0
    return np.asarray(moved[np.concatenate([[True], turns, [True]])])


def _turning(x: Floats, y: Floats) -> Floats:
    """Return how a rising curve turns at its inner points: right above 0, left below 0, straight at 0.

    It is the cross product of the ways to a point and from it. Coordinates that are off by
    ``RELATIVE_SUM_TOLERANCE`` move it by that times the length of both ways.
    """
    width, height = float(x[-1] - x[0]) or 1.0, float(y[-1] - y[0]) or 1.0
    dx, dy = np.diff(x) / width, np.diff(y) / height
    cross = dy[:-1] * dx[1:] - dy[1:] * dx[:-1]
    lengths = np.abs(dx) + np.abs(dy)
    return np.where(np.abs(cross) > RELATIVE_SUM_TOLERANCE * (lengths[:-1] + lengths[1:]), cross, 0.0)


def thin_curve(x: Floats, y: Floats, most: int) -> NDArray[np.intp]:
    """Choose points of a rising curve: corners of its convex hull first, then evenly along it."""
    if len(x) <= most:
        return np.arange(len(x))
    corners = upper_hull(x, y)
    if len(corners) > MAX_HULL_CORNERS:
        corners = corners[
            np.unique(np.round(np.linspace(0, len(corners) - 1, MAX_HULL_CORNERS)).astype(np.intp))
        ]
    # On a rising curve, x + y measures the distance along it.
    distance = x + y
    places = np.searchsorted(
        distance, np.linspace(distance[0], distance[-1], most - len(corners)) - RELATIVE_SUM_TOLERANCE
    )
    return np.unique(np.concatenate([corners, np.minimum(places, len(x) - 1)]))


def upper_hull(x: Floats, y: Floats) -> NDArray[np.intp]:
    """Find the points of a curve with rising x that are corners of its upper convex hull, ends included.

    A point on or below the line between two others is none, so all such points go at once, until none is
    left to go.

    >>> upper_hull(np.array([0.0, 0.0, 0.5, 0.5, 1.0]), np.array([0.0, 0.5, 0.5, 1.0, 1.0])).tolist()
    [0, 1, 3, 4]
    """
    corners = np.arange(len(x))
    while len(corners) > 2:
        is_corner = _turning(x[corners], y[corners]) > 0
        if is_corner.all():
            break
        corners = corners[np.concatenate([[True], is_corner, [True]])]
    return corners


def value_curve_at(
    ranking: Ranking, *, gain: float, cost: float, best_depth: float, depth: int, level: float
) -> dict[str, Floats | None]:
    """``gain · h(t) − cost · t`` at depths, down to where it is plain that looking further does not pay."""
    most = float(ranking.ranked_total)
    end = min(most, max(3 * best_depth, 2.0 * depth))
    inner = np.linspace(0.0, end, min(CURVE_POINTS, math.ceil(end)) + 1)[1:]
    depths = np.round(inner) if ranking.is_counted else inner
    # The best depth of weighted cases may lie a rounding error beyond the list.
    depths = np.unique(np.append(depths, [x for x in (best_depth, float(depth)) if 0 < x <= end]))
    curve = hit_curve_at(ranking, depths, level)
    targets, paid = float(ranking.target_total), cost * depths
    low = high = None
    if curve.bands is not None:
        ends = [gain * targets * bound - paid for bound in (curve.bands.recall_low, curve.bands.recall_high)]
        # A gain below nothing turns the band over.
        low, high = np.minimum(*ends), np.maximum(*ends)
    by_chance = gain * targets * curve.by_chance - paid
    columns = {"depth": depths, "value": gain * curve.hits - paid, "low": low, "high": high}
    # Who does not look gains and pays nothing.
    return {
        name: None if column is None else np.append(0.0, column)
        for name, column in (columns | {"by chance": by_chance}).items()
    }
