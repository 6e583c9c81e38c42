"""The whole law of average precision: every value when they are few, bins to draw when they are many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.rankings.chance.bracket import characteristic_function, checkpoints
from edgeworth.rankings.chance.counts import RandomOrder
from edgeworth.rankings.chance.enumeration import TooMany, value_counts
from edgeworth.rankings.chance.moments import Moments
from edgeworth.rankings.chance.tilting import tilted_chain

MOST_STATES = 1_000_000
MOST_CELLS = 2_000_000
MOST_RANKS = 20_000
BINS = 200


@dataclass(frozen=True, eq=False)
class Distribution:
    """Values and their probabilities. ``width`` is None for single values, otherwise the width of a bin."""

    values: Floats
    probabilities: Floats
    width: float | None
    method: str
    exact: tuple[tuple[Fraction, Fraction], ...] | None = None


def precision_distribution(order: RandomOrder, divisor: int, moments: Moments) -> Distribution:
    """Counted if possible, else from the characteristic function, else Edgeworth's density."""
    try:
        if order.cells > MOST_CELLS:
            raise TooMany
        return _counted(order, divisor)
    except TooMany:
        pass
    mean, deviation = float(moments.mean), math.sqrt(float(moments.variance))
    skewness = float(moments.third) / deviation**3 if deviation else 0.0
    low = max(0.0, mean - 5 * deviation)
    high = min(float(order.most_hits), mean + (6 + 4 * min(max(skewness, 0.0), 3.0)) * deviation)
    width = (high - low) / BINS
    middles = np.asarray(low + width * (np.arange(BINS) + 0.5), dtype=np.float64)
    if order.cells <= MOST_CELLS and order.depth <= MOST_RANKS:
        density = _inverted(order, middles, width)
        method = "binned from the characteristic function, smoothed by a normal as wide as a bin"
    else:
        z = (middles - mean) / deviation
        density = np.exp(-z * z / 2) * np.maximum(1 + skewness * (z**3 - 3 * z) / 6, 0.0)
        method = "binned, Edgeworth's density, an approximation"
    density = np.maximum(density, 0.0)
    return Distribution(middles / divisor, density / density.sum(), width / divisor, method)


def _counted(order: RandomOrder, divisor: int) -> Distribution:
    values, ways = value_counts(order, MOST_STATES)
    total = sum(ways)
    exact = tuple((value / divisor, Fraction(many, total)) for value, many in zip(values, ways, strict=True))
    return Distribution(
        np.array([float(value) for value, _ in exact]),
        np.array([float(probability) for _, probability in exact]),
        None,
        f"exact, {len(exact):,} values",
        exact,
    )


def _inverted(order: RandomOrder, middles: Floats, width: float) -> Floats:
    """The density of W plus a normal error of one bin's width, by Fourier's series over twice the range."""
    period = 2 * width * len(middles)
    count = math.ceil(6 * period / (2 * math.pi * width))
    angles = 2 * np.pi * np.arange(count, dtype=np.float64) / period
    chain = tilted_chain(order, 0.0)
    band = chain.band(frozenset(checkpoints(order.depth)))
    values, _ = characteristic_function(chain, band, angles, np.full(count, 1e-7))
    smooth = values * np.exp(-((angles * width) ** 2) / 2)
    smooth[1:] *= 2
    return np.asarray((smooth[None, :] * np.exp(-1j * np.outer(middles, angles))).real.sum(axis=1))
