"""Bands around the recall and the precision of a ranking at every depth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy

from edgeworth.arrays import Values
from edgeworth.core.laws import check_level, normal_quantile, wilson_bounds
from edgeworth.errors import OptionError
from edgeworth.rankings.chance.hits import RandomOrder
from edgeworth.rankings.chance.law import AveragePrecisionLaw, average_precision
from edgeworth.rankings.intervals.resampling import random_orders
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.tie_groups import TieGroups, tie_groups_of_ranking

BandMethod: TypeAlias = Literal["population", "survival"]
MOST_DEPTHS = 400


@dataclass(frozen=True)
class Bands:
    """Recall and precision at depths t, each with a lower and an upper bound."""

    depth: Values
    recall: Values
    recall_low: Values
    recall_high: Values
    targets: float
    level: float
    method: str

    @property
    def precision(self) -> Values:
        """``p(t) = r(t) m/t``."""
        return self._as_precision(self.recall)

    @property
    def precision_low(self) -> Values:
        """The lower bound of p(t)."""
        return self._as_precision(self.recall_low)

    @property
    def precision_high(self) -> Values:
        """The upper bound of p(t); precision is at most 1."""
        return np.minimum(1.0, self._as_precision(self.recall_high))

    def _as_precision(self, recall: Values) -> Values:
        return recall * self.targets / self.depth


def bands(
    ranking: Ranking,
    *,
    depths: Any = None,
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
    "population" is for a new sample of cases at the same depth: Wilson's interval with the variance
    ``r(1 − r)(1 − 2p)/m + p² n τ(1 − τ)/m²``, where τ = t/n and p is the precision around depth t (between
    t/2 and 3t/2): the cut moves with the sample. Under random selection that is the hypergeometric variance.
    "survival" is Su & Zhang's: hits as events, ``r ± z √(r(1 − r)/m)``. A simultaneous band is Kolmogorov's,
    ``r ± k/√m``, from the covariance of the survival view; it holds for large m.

    Examples
    --------
    >>> found = bands(Ranking.from_hits([1, 1, 0, 1, 0, 0, 0, 0]), depths=[2, 4])
    >>> found.recall.round(3).tolist(), found.precision.tolist()
    ([0.667, 1.0], [1.0, 0.75])
    """
    check_level(level)
    if method not in ("population", "survival"):
        raise OptionError(f'a band is "population" or "survival"; saw {method!r}')
    if not isinstance(ranking, Ranking):
        raise OptionError(f"bands are for one Ranking; saw {type(ranking).__name__}")
    if not ranking.is_counted or not ranking.target_total:
        raise OptionError("bands need whole cases and at least one target")
    groups = tie_groups_of_ranking(ranking)
    items, targets = float(ranking.total), float(ranking.target_total)
    try:
        depth = _spread(items) if depths is None else np.asarray(depths, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"depths are numbers between 1 and {items:,.0f}; saw {depths!r}") from None
    if depth.ndim != 1 or not np.all((depth >= 1) & (depth <= items)):
        raise OptionError(f"depths lie between 1 and {items:,.0f}")
    recall = hit_curve(groups, depth) / targets
    if simultaneous:
        reach = float(scipy.special.kolmogi(1 - level)) / math.sqrt(targets)
        low, high, said = recall - reach, recall + reach, "Kolmogorov, all depths at once"
    elif method == "survival":
        reach = normal_quantile(level) * np.sqrt(recall * (1 - recall) / targets)
        low, high, said = recall - reach, recall + reach, "survival view, each depth"
    else:
        local = local_precision(groups, depth, items)
        low, high = _population_bounds(recall, local, depth, items, targets, level)
        said = "population, each depth"
    # Recall is a share: a bound outside 0 to 1 says no more than 0 or 1.
    return Bands(depth, recall, np.maximum(low, 0.0), np.minimum(high, 1.0), targets, level, said)


def _population_bounds(
    recall: Values, local: Values, depth: Values, items: float, targets: float, level: float
) -> tuple[Values, Values]:
    """Wilson's bounds of recall; where most items looked at are hits, of precision.

    A variance depends on where a share lies. Far down the list that is recall; at its top it is precision,
    and recall would look certain there.
    """
    quantile = normal_quantile(level)
    trials = effective_targets(recall, local, depth, items, targets)
    by_recall = wilson_bounds(recall * trials, trials, quantile)
    precision = recall * targets / depth
    looks = effective_looks(recall, local, depth, items, targets)
    by_precision = wilson_bounds(precision * looks, looks, quantile)
    low, high = (
        np.where(precision > 0.5, near * depth / targets, far)
        for near, far in zip(by_precision, by_recall, strict=True)
    )
    return low, high


def effective_targets(recall: Values, local: Values, depth: Values, items: float, targets: float) -> Values:
    """How many targets cut at a fixed threshold would make recall vary as much as at this depth."""
    share = depth / items
    binomial = recall * (1 - recall)
    variance = binomial * (1 - 2 * local) / targets + local**2 * items * share * (1 - share) / targets**2
    # Where recall is 0 or 1 there is no variance to compare, and the formula tends to the plain binomial.
    usable = (binomial > 0) & (variance > 0)
    return np.where(usable, binomial / np.where(usable, variance, 1.0), targets)


def effective_looks(recall: Values, local: Values, depth: Values, items: float, targets: float) -> Values:
    """How many independent looks would make precision vary as much as at this depth."""
    hits = recall * targets
    share = hits / depth
    variance = hits * (1 - recall) * (1 - 2 * local) + local**2 * depth * (1 - depth / items)
    usable = (share < 1) & (share > 0) & (variance > 0)
    looks = depth**2 * share * (1 - share) / np.where(usable, variance, 1.0)
    # A cut in a list that ends soon varies less; otherwise a look tells no more than one case.
    most = depth / np.maximum(1 - depth / items, 1 / items)
    return np.where(usable, np.minimum(looks, most), depth)


def local_precision(groups: TieGroups, depth: Values, items: float) -> Values:
    """The share of hits among the items around a depth: between half of it and one and a half."""
    half = np.ceil(depth / 2)
    start, end = np.maximum(0.0, depth - half), np.minimum(items, depth + half)
    return (hit_curve(groups, end) - hit_curve(groups, start)) / (end - start)


def hit_curve(groups: TieGroups, depth: Values) -> Values:
    """h(t) of one list at many depths, ties in random order."""
    if not len(groups.hits):
        return np.zeros(len(depth))
    # The curve is linear inside a tie and flat between tie groups.
    corners = np.stack([groups.seen_above, groups.seen_below], axis=1).ravel()
    heights = np.stack([groups.hits_above, groups.hits_below], axis=1).ravel()
    return np.interp(depth, corners, heights)


def _spread(items: float) -> Values:
    """Depths to draw a curve at: every one of the first, then ever wider apart."""
    if items <= MOST_DEPTHS:
        return np.arange(1.0, items + 1)
    return np.unique(np.round(np.geomspace(1, items, MOST_DEPTHS)))


QUICK_RANKS, QUICK_CELLS = 2_000, 400_000
"""Lists whose law is counted or inverted in less than half a second."""
STRAIGHT = 0.5
"""Skewness up to which Edgeworth's density draws the law well."""
CROOKED = 3.0
"""Skewness beyond which bins as wide as the law's spread allows hide where most of it lies."""
MOST_DRAWN, FEWEST_DRAWS, MOST_DRAWS = 2_000_000, 500, 20_000
MOST_TARGETS = 10_000
LEFT_OUT = 0.0005
"""Probability at either end that is not drawn: it would be lower than a line is thick."""
SINGLE = 60
"""So many values are drawn one by one."""
BINS = 50


@dataclass(frozen=True)
class BinnedLaw:
    """Bins with their probabilities; bins of no width are single values."""

    low: Values
    high: Values
    probability: Values
    method: str

    @property
    def is_single(self) -> bool:
        """Whether these are single values."""
        return bool(np.all(self.low == self.high))


def can_bin_law(n: int, m: int) -> bool:
    """Whether the law is found quickly."""
    return _is_counted(n, m) or m <= MOST_TARGETS or average_precision(n, m).skewness <= STRAIGHT


def binned_law(n: int, m: int, seed: int = 0) -> BinnedLaw:
    """The law of average precision of m targets among n items in random order, at most 200 bins.

    >>> law = binned_law(4, 1)
    >>> law.low.round(3).tolist(), law.probability.tolist()
    ([0.25, 0.333, 0.5, 1.0], [0.25, 0.25, 0.25, 0.25])
    """
    law = average_precision(n, m)
    if not _is_counted(n, m) and law.skewness > STRAIGHT:
        return _draw_law(law, seed)
    found = law.distribution()
    if found.width is not None and law.skewness > CROOKED:
        return _draw_law(law, seed)
    values, chances = _middle(found.values, found.probabilities)
    if found.width is not None:
        # Average precision is at most 1, and so is what is drawn of it.
        ends = np.clip([values - found.width / 2, values + found.width / 2], 0.0, 1.0)
        return BinnedLaw(ends[0], ends[1], chances, found.method)
    if len(values) <= SINGLE:
        return BinnedLaw(values, values, chances, found.method)
    return _bin_values(values, chances, found.method)


def _is_counted(n: int, m: int) -> bool:
    return n <= QUICK_RANKS and RandomOrder(n, m, n).cells <= QUICK_CELLS


def _draw_law(law: AveragePrecisionLaw, seed: int) -> BinnedLaw:
    """A rare target makes the law too crooked for an expansion, and a long list too dear to invert."""
    draws = int(np.clip(MOST_DRAWN // law.m, FEWEST_DRAWS, MOST_DRAWS))
    values = np.sort(
        np.concatenate(
            [
                groups.sum_by_list((groups.hits_above + 1) / (groups.seen_above + 1)) / law.m
                for groups in random_orders(law.n, law.m, draws, seed)
            ]
        )
    )
    middle, chances = _middle(values, np.full(len(values), 1 / len(values)))
    return _bin_values(middle, chances, f"{draws:,} random orders, seed {seed}")


def _middle(values: Values, chances: Values) -> tuple[Values, Values]:
    """What is left when the far ends are not drawn. Values are sorted."""
    through = np.cumsum(chances)
    shown = (through > LEFT_OUT) & (through - chances < 1 - LEFT_OUT)
    return values[shown], chances[shown]


def _bin_values(values: Values, chances: Values, method: str) -> BinnedLaw:
    edges = np.linspace(values[0], values[-1], BINS + 1)
    if edges[0] == edges[-1]:
        return BinnedLaw(values[:1], values[:1], np.array([chances.sum()]), method)
    heights, _ = np.histogram(values, bins=edges, weights=chances)
    return BinnedLaw(edges[:-1], edges[1:], heights, method)
