"""Bands of curves of weighted or clustered cases, from the intervals of the decisions at each cut."""

from __future__ import annotations

import math

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.decisions.estimates import estimate_table
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.thresholds import MAX_THRESHOLDS_DRAWN, thin_cuts

ROUNDING_OF_SHARES = 1e-9
"""How far the ends of an interval that are 0 or 1 may be off."""


def cut_band(ranking: Ranking, across: str, along: str, at: Floats, level: float) -> tuple[Floats, Floats]:
    """Compute a band of ``along`` at values of ``across``, such as of recall at each fallout.

    At each cut, both measures have an interval at the level 1 − (1 − level)/2. Both hold together with at
    least the level's probability, however they depend on each other. The band is the union of these
    rectangles along the curve, so it covers ``along`` at any one value of ``across`` at least as often.

    >>> ranking = Ranking.from_scores([1, 0] * 20, range(40), clusters=[case // 2 for case in range(40)])
    >>> low, high = cut_band(ranking, "fallout", "recall", np.array([0.5]), 0.95)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.07], [0.93])
    """
    both = 1 - (1 - level) / 2
    names = [f"{name}[{ranking.target}]" for name in (across, along)]
    rows = []
    for threshold in reversed(thin_cuts(ranking, MAX_THRESHOLDS_DRAWN)):
        estimates = [estimate_table(ranking.at_threshold(threshold), name) for name in names]
        if all(math.isfinite(estimate.value) for estimate in estimates):
            rows.append([end for estimate in estimates for end in estimate.interval(both)])
    cuts = np.where(np.isnan(rows), [0.0, 1.0, 0.0, 1.0], rows)
    # The last cut takes all targets; what follows are false alarms.
    cuts[-1, 1] = np.inf
    # From one cut to the next the curve stays between both, so their rectangles are taken together.
    following = np.concatenate([cuts[1:], cuts[-1:]])
    left, _, low, _ = np.minimum(cuts, following).T[:, :, None]
    _, right, _, high = np.maximum(cuts, following).T[:, :, None]
    is_inside = (left - ROUNDING_OF_SHARES <= at) & (at <= right + ROUNDING_OF_SHARES)
    return np.where(is_inside, low, 1.0).min(axis=0), np.where(is_inside, high, 0.0).max(axis=0)
