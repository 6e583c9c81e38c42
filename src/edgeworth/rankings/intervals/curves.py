"""Curves of a ranking as they are drawn: few points whatever its length, and none of its corners lost."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Values
from edgeworth.core.threads import row_blocks
from edgeworth.rankings.chance.hits import hits as hits_law
from edgeworth.rankings.intervals.bands import bands, hit_curve
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.tie_groups import TieGroups, tie_groups_of_ranking

POINTS = 75
"""Depths at equal distances, and as many at equal ratios: a long list is looked at from its top."""
ROC_POINTS = 160
BLOCK = 1 << 14
"""Tie groups looked through at once."""
FEW = 20
"""So many times the points that are drawn are kept of a block."""
NOISE = 1e-12
"""What lies nearer to each other than this share of a picture is one point, one line, one height: sums of
weights differ in their last digits with the order of the rows."""
CORNERS = 100
"""Corners of the convex hull that are kept before any other point of a ROC curve."""


@dataclass(frozen=True)
class Span:
    """A lower and an upper bound at each depth."""

    low: Values
    high: Values


@dataclass(frozen=True)
class HitCurve:
    """Hits, recall and precision at depths; the spans are None where cases are weighted."""

    depth: Values
    hits: Values
    recall: Values
    precision: Values
    by_chance: Values
    """Recall of random selection on average, t/n."""
    recall_span: Span | None
    precision_span: Span | None
    chance_span: Span | None
    """Recall of random selection, at the level."""


def chart_depths(ranking: Ranking, *also: float) -> Values:
    """Depths to draw a ranking at: every one of a short list; of a long one, denser towards its top."""
    most = float(ranking.ranked_total)
    if ranking.is_counted and most <= 2 * POINTS:
        return np.arange(1.0, most + 1)
    least = 1.0 if ranking.is_counted else most / 10_000
    depths = np.concatenate([np.linspace(least, most, POINTS), np.geomspace(least, most, POINTS)])
    found = np.concatenate([np.round(depths) if ranking.is_counted else depths, also])
    inside = np.unique(found[(found > 0) & (found <= most)])
    return inside[np.concatenate([[True], np.diff(inside) > NOISE * most])]


def hit_curve_at(ranking: Ranking, depths: Values, level: float) -> HitCurve:
    """The hit curve h(t) at depths, with bands for new cases and the band of random selection."""
    items, targets = float(ranking.total), float(ranking.target_total)
    hits = hit_curve(tie_groups_of_ranking(ranking), depths)
    recall_span = precision_span = chance_span = None
    if ranking.is_counted:
        found = bands(ranking, depths=depths, level=level)
        recall_span = Span(found.recall_low, found.recall_high)
        precision_span = Span(found.precision_low, found.precision_high)
        low, high = chance_hits(int(items), int(targets), depths, level) / targets
        chance_span = Span(low, high)
    return HitCurve(
        depths, hits, hits / targets, hits / depths, depths / items, recall_span, precision_span, chance_span
    )


def chance_hits(items: int, targets: int, depths: Values, level: float) -> Values:
    """The fewest and the most hits of random selection at each depth, at the level."""
    limits = [hits_law(items, targets, int(depth)).interval(level) for depth in depths]
    return np.array(limits, dtype=np.float64).reshape(-1, 2).T


@dataclass(frozen=True)
class PrecisionBand:
    """Bounds of the precision at which a recall is reached."""

    recall: Values
    low: Values
    high: Values


def precision_at_recall(curve: HitCurve, targets: float) -> PrecisionBand | None:
    """The band of the precision–recall curve: ``r m/t`` over all depths t whose band of recall holds r.

    At one depth recall and precision rise and fall together, so the bounds at a depth are not the bounds at a
    recall; the depths at which a recall may be reached are. None where cases are weighted.
    """
    span = curve.recall_span
    if span is None or not curve.recall[-1]:
        return None
    recall = np.unique(np.linspace(1 / targets, float(curve.recall[-1]), int(min(targets, POINTS))))
    depth, rising = curve.depth, np.maximum.accumulate(span.high)
    soonest = _between(recall, depth, rising, np.searchsorted(rising, recall, side="left") - 1)
    rising = np.minimum.accumulate(span.low[::-1])[::-1]
    latest = _between(recall, depth, rising, np.searchsorted(rising, recall, side="right") - 1)
    return PrecisionBand(recall, recall * targets / latest, np.minimum(1.0, recall * targets / soonest))


def _between(recall: Values, depth: Values, bound: Values, place: NDArray[np.intp]) -> Values:
    """The depth at which a bound passes a recall: on the line from this place to the next."""
    here = np.clip(place, 0, len(depth) - 1)
    there = np.minimum(place + 1, len(depth) - 1)
    rise = bound[there] - bound[here]
    share = np.where(rise > 0, (recall - bound[here]) / np.where(rise > 0, rise, 1.0), 1.0)
    return np.asarray(depth[here] + share * (depth[there] - depth[here]))


@dataclass(frozen=True)
class RocCurve:
    """Points of the curve of recall over fallout, from (0, 0) to (1, 1)."""

    fallout: Values
    recall: Values
    depth: Values


def thin_roc_curve(ranking: Ranking, most: int = ROC_POINTS) -> RocCurve:
    """The ROC curve, thinned to so many points: corners of its convex hull first, then evenly along it.

    A tie is a slope, background between targets a level. Targets that were never ranked are found last.

    >>> curve = thin_roc_curve(Ranking.from_hits([1, 0, 1, 0]))
    >>> curve.fallout.tolist(), curve.recall.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    groups = tie_groups_of_ranking(ranking)
    ranked, items = float(ranking.ranked_total), float(ranking.total)
    found, targets = float(ranking.targets.total), float(ranking.target_total)
    parts = [_candidates(groups, rows, most) for rows in row_blocks(len(groups.hits), BLOCK)]
    seen = np.concatenate([[0.0], *(seen for seen, _ in parts), [ranked, items]])
    hits = np.concatenate([[0.0], *(hits for _, hits in parts), [found, targets]])
    fallout, recall = (seen - hits) / float(ranking.background.total), hits / targets
    # Sums of weights are rounded: the curve still rises, and ends in the corner.
    fallout, recall = (np.maximum.accumulate(np.clip(x, 0.0, 1.0)) for x in (fallout, recall))
    kept = _bends(fallout, recall)
    kept = kept[_thin(fallout[kept], recall[kept], most)]
    return RocCurve(fallout[kept], recall[kept], seen[kept])


def _candidates(groups: TieGroups, rows: slice, most: int) -> tuple[Values, Values]:
    """Choose points of some tie groups to draw: all corners of their hull, and some evenly along."""
    seen = np.stack([groups.seen_above[rows], groups.seen_below[rows]], axis=1).ravel()
    hits = np.stack([groups.hits_above[rows], groups.hits_below[rows]], axis=1).ravel()
    if len(seen) <= FEW * most:
        return seen, hits
    evenly = np.linspace(0, len(seen) - 1, FEW * most).round().astype(np.intp)
    kept = np.union1d(upper_hull(seen - hits, hits), evenly)
    return seen[kept], hits[kept]


def _bends(x: Values, y: Values) -> NDArray[np.intp]:
    """The points at which a curve changes its direction, and its ends; doubled points go."""
    moved = np.flatnonzero(np.concatenate([[True], (np.diff(x) > NOISE) | (np.diff(y) > NOISE)]))
    if len(moved) < 3:
        return moved
    turns = np.abs(_turning(x[moved], y[moved])) > 0
    return np.asarray(moved[np.concatenate([[True], turns, [True]])])


def _turning(x: Values, y: Values) -> Values:
    """How a rising curve turns at its inner points: above 0 to the right, below to the left, 0 straight on.

    The cross product of the ways to a point and from it; coordinates that are off by ``NOISE`` move it by
    that times the length of both ways.
    """
    width, height = float(x[-1] - x[0]) or 1.0, float(y[-1] - y[0]) or 1.0
    dx, dy = np.diff(x) / width, np.diff(y) / height
    cross = dy[:-1] * dx[1:] - dy[1:] * dx[:-1]
    way = np.abs(dx) + np.abs(dy)
    return np.where(np.abs(cross) > NOISE * (way[:-1] + way[1:]), cross, 0.0)


def _thin(x: Values, y: Values, most: int) -> NDArray[np.intp]:
    if len(x) <= most:
        return np.arange(len(x))
    corners = upper_hull(x, y)
    if len(corners) > CORNERS:
        corners = corners[np.unique(np.round(np.linspace(0, len(corners) - 1, CORNERS)).astype(np.intp))]
    # Along a rising curve x + y tells how far one is.
    way = x + y
    places = np.searchsorted(way, np.linspace(way[0], way[-1], most - len(corners)) - NOISE)
    return np.unique(np.concatenate([corners, np.minimum(places, len(x) - 1)]))


def upper_hull(x: Values, y: Values) -> NDArray[np.intp]:
    """Which points of a curve with rising x are corners of its upper convex hull, both ends included.

    A point on or below the line between two others is none, so all such points go at once, until none is
    left to go.

    >>> upper_hull(np.array([0.0, 0.0, 0.5, 0.5, 1.0]), np.array([0.0, 0.5, 0.5, 1.0, 1.0])).tolist()
    [0, 1, 3, 4]
    """
    kept = np.arange(len(x))
    while len(kept) > 2:
        is_corner = _turning(x[kept], y[kept]) > 0
        if is_corner.all():
            break
        kept = kept[np.concatenate([[True], is_corner, [True]])]
    return kept


@dataclass(frozen=True)
class ValueCurve:
    """What looking is worth at depths: ``gain · h(t) − cost · t``."""

    depth: Values
    value: Values
    by_chance: Values
    span: Span | None


def value_curve_at(
    ranking: Ranking, *, gain: float, cost: float, best_depth: float, depth: int, level: float
) -> ValueCurve:
    """The value of looking, down to where it is plain that looking further does not pay."""
    most = float(ranking.ranked_total)
    end = min(most, max(3 * best_depth, 2.0 * depth))
    inner = np.linspace(0.0, end, min(POINTS, math.ceil(end)) + 1)[1:]
    depths = np.round(inner) if ranking.is_counted else inner
    # The best depth of weighted cases may lie a rounding error beyond the list.
    depths = np.unique(np.append(depths, [x for x in (best_depth, float(depth)) if 0 < x <= end]))
    curve = hit_curve_at(ranking, depths, level)
    targets, paid = float(ranking.target_total), cost * depths
    span = None
    if curve.recall_span is not None:
        ends = [gain * targets * bound - paid for bound in (curve.recall_span.low, curve.recall_span.high)]
        # A gain below nothing turns the band over.
        span = Span(_from_zero(np.minimum(*ends)), _from_zero(np.maximum(*ends)))
    chance, value = gain * targets * curve.by_chance - paid, gain * curve.hits - paid
    return ValueCurve(_from_zero(depths), _from_zero(value), _from_zero(chance), span)


def _from_zero(values: Values) -> Values:
    """Who does not look gains and pays nothing."""
    return np.concatenate([[0.0], values])
