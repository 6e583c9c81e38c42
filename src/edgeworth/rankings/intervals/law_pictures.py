"""The law of average precision under random selection as it is drawn: few bins, and quickly found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgeworth.arrays import Values
from edgeworth.rankings.chance.counts import RandomOrder
from edgeworth.rankings.chance.law import AveragePrecisionLaw, average_precision
from edgeworth.rankings.intervals.resampling import random_orders

QUICK_RANKS, QUICK_CELLS = 2_000, 400_000
"""Lists whose law is counted or inverted in less than half a second."""
STRAIGHT = 0.5
"""Skewness up to which Edgeworth's density draws the law well."""
CROOKED = 3.0
"""Skewness beyond which bins as wide as the law's spread allows hide where most of it lies."""
STEPS_DRAWN, FEWEST_DRAWS, MOST_DRAWS = 2_000_000, 500, 20_000
MOST_TARGETS = 10_000
LEFT_OUT = 0.0005
"""Probability at either end that is not drawn: it would be lower than a line is thick."""
SINGLE = 60
"""So many values are drawn one by one."""
BINS = 50


@dataclass(frozen=True)
class PicturedLaw:
    """Bins with their probabilities; bins of no width are single values."""

    low: Values
    high: Values
    probability: Values
    method: str

    @property
    def is_single(self) -> bool:
        """Whether these are single values."""
        return bool(np.all(self.low == self.high))


def can_picture(n: int, m: int) -> bool:
    """Whether the law is found quickly."""
    return _is_counted(n, m) or m <= MOST_TARGETS or average_precision(n, m).skewness <= STRAIGHT


def pictured_law(n: int, m: int, seed: int = 0) -> PicturedLaw:
    """The law of average precision of m targets among n items in random order, at most 200 bins.

    >>> law = pictured_law(4, 1)
    >>> law.low.round(3).tolist(), law.probability.tolist()
    ([0.25, 0.333, 0.5, 1.0], [0.25, 0.25, 0.25, 0.25])
    """
    law = average_precision(n, m)
    if not _is_counted(n, m) and law.skewness > STRAIGHT:
        return _drawn(law, seed)
    found = law.distribution()
    if found.width is not None and law.skewness > CROOKED:
        return _drawn(law, seed)
    values, chances = _middle(found.values, found.probabilities)
    if found.width is not None:
        # Average precision is at most 1, and so is what is drawn of it.
        ends = np.clip([values - found.width / 2, values + found.width / 2], 0.0, 1.0)
        return PicturedLaw(ends[0], ends[1], chances, found.method)
    if len(values) <= SINGLE:
        return PicturedLaw(values, values, chances, found.method)
    return _binned(values, chances, found.method)


def _is_counted(n: int, m: int) -> bool:
    return n <= QUICK_RANKS and RandomOrder(n, m, n).cells <= QUICK_CELLS


def _drawn(law: AveragePrecisionLaw, seed: int) -> PicturedLaw:
    """A rare target makes the law too crooked for an expansion, and a long list too dear to invert."""
    draws = int(np.clip(STEPS_DRAWN // law.m, FEWEST_DRAWS, MOST_DRAWS))
    values = np.sort(
        np.concatenate(
            [
                steps.summed((steps.hits_above + 1) / (steps.seen_above + 1)) / law.m
                for steps in random_orders(law.n, law.m, draws, seed)
            ]
        )
    )
    middle, chances = _middle(values, np.full(len(values), 1 / len(values)))
    return _binned(middle, chances, f"{draws:,} random orders, seed {seed}")


def _middle(values: Values, chances: Values) -> tuple[Values, Values]:
    """What is left when the far ends are not drawn. Values are sorted."""
    through = np.cumsum(chances)
    shown = (through > LEFT_OUT) & (through - chances < 1 - LEFT_OUT)
    return values[shown], chances[shown]


def _binned(values: Values, chances: Values, method: str) -> PicturedLaw:
    edges = np.linspace(values[0], values[-1], BINS + 1)
    if edges[0] == edges[-1]:
        return PicturedLaw(values[:1], values[:1], np.array([chances.sum()]), method)
    heights, _ = np.histogram(values, bins=edges, weights=chances)
    return PicturedLaw(edges[:-1], edges[1:], heights, method)
