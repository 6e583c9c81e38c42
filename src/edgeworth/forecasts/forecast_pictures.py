"""What charts of forecasts draw: cells and points few enough to look at."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.forecasts.betting.forecast_pairs import CELLS, ForecastPairs
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.forecast_curves import thinned
from edgeworth.forecasts.reliability import ReliabilityBands
from edgeworth.forecasts.sequential.sequences import ConfidenceSequence

Counts = NDArray[np.int64]

MOST_DRAWN = 150
"""Points of a curve."""

BAND_DRAWN = 50
"""Points of the edges of a band, which nobody reads one by one, and of a path in the small."""

PAIR_CELLS = 20
"""Cells from 0 to 1 on either side of the plot of two forecasters."""

LAW_CELLS = 50
"""Cells of the law of final wealth."""

SEEN = 1e-4
"""Probability at either end of a law that nobody would see."""

FORECAST_CELLS = 20
"""Cells from 0 to 1 in which forecasts are counted."""

SETTLED = 0.1
"""Share of the cases after which a confidence sequence is no longer as wide as anything."""


def turns(wealth: Wealth) -> tuple[tuple[int, str], ...]:
    """When wealth left all numbers: after so many cases "ruin", or "without bound" (which ruin may follow).

    >>> turns(Wealth.from_probabilities([1, 1, 0], [0.9, 0.0, 0.5], against=[0.5] * 3))
    ((2, 'ruin'),)
    """
    path = wealth.path
    found = []
    for value, what in ((math.inf, "without bound"), (-math.inf, "ruin")):
        there = np.flatnonzero(path == value)
        if len(there):
            found.append((int(wealth.positions[there[0]]), what))
    return tuple(found)


@dataclass(frozen=True)
class PairCells:
    """Pairs of probabilities in cells: where they begin, how many cases, and how many of these came true."""

    first: Floats
    other: Floats
    width: float
    cases: Counts
    hits: Counts


def pair_cells(pairs: ForecastPairs) -> PairCells:
    """The cells that hold a case, those of most cases first.

    >>> from edgeworth.forecasts.forecasts import Forecasts
    >>> one = Forecasts.of([1, 0, 0], np.array([[0.21, 0.79], [0.22, 0.78], [0.9, 0.1]]))
    >>> found = pair_cells(ForecastPairs.from_forecasts(one, one))
    >>> found.first.tolist(), found.cases.tolist(), found.hits.tolist()
    ([0.75, 0.1], [2, 1], [1, 0])
    """
    together = CELLS // PAIR_CELLS
    counts, hits = (
        table.reshape(PAIR_CELLS, together, PAIR_CELLS, together).sum(axis=(1, 3))
        for table in (pairs.counts, pairs.hits)
    )
    mine, its = np.nonzero(counts)
    order = np.argsort(-counts[mine, its], kind="stable")
    mine, its = mine[order], its[order]
    return PairCells(mine / PAIR_CELLS, its / PAIR_CELLS, 1 / PAIR_CELLS, counts[mine, its], hits[mine, its])


@dataclass(frozen=True)
class LawCells:
    """Laws of final log wealth in cells of one width: the probability of each cell, and of all beyond them.

    Ruin and wealth without bound are beyond.
    """

    low: Floats
    high: Floats
    laws: dict[str, Floats]
    beyond: dict[str, float]


def law_cells(points: Floats, cumulative: dict[str, Floats], observed: float) -> LawCells:
    """Cells where these laws lie, and where wealth was observed, at most ``LAW_CELLS`` of them.

    >>> points = np.linspace(-10, 10, 201)
    >>> found = law_cells(points, {"coin": np.where(points < 1.99, 0.25, 1.0)}, 3.01)
    >>> float(found.low[0].round(1)), float(found.high[-1].round(1)), found.beyond, len(found.low)
    (1.9, 3.2, {'coin': 0.25}, 13)
    """
    # Where they begin and cease to rise; what lies below the first point does not count as rising.
    first = min(int((each > each[0] + SEEN).argmax()) for each in cumulative.values()) - 1
    last = max(int((each >= each[-1] - SEEN).argmax()) for each in cumulative.values())
    if math.isfinite(observed):
        here = int(np.searchsorted(points, observed))
        first, last = min(first, here - 1), max(last, here + 1)
    first, last = max(first, 0), min(max(last, first + 1), len(points) - 1)
    together = math.ceil((last - first) / LAW_CELLS)
    # Whole cells: what is missing is added to the right, and where there is no room to the left.
    last = first + together * math.ceil((last - first) / together)
    ends = np.arange(first, last + 1, together) - max(0, last - (len(points) - 1))
    edges = points[ends]
    return LawCells(
        edges[:-1],
        edges[1:],
        {name: np.diff(each[ends]) for name, each in cumulative.items()},
        {name: float(each[ends[0]] + 1 - each[ends[-1]]) for name, each in cumulative.items()},
    )


@dataclass(frozen=True)
class PicturedReliability:
    """A reliability diagram: the corners of its steps, its band, and how many forecasts lie in each cell."""

    curve: tuple[Floats, Floats]
    band: tuple[Floats, Floats, Floats]
    cells: Floats
    counts: Counts


def pictured_reliability(bands: ReliabilityBands, most: int) -> PicturedReliability:
    """With at most so many points of the band and corners of the curve."""
    steps = bands.levels
    corners = np.array([(end, step.recalibrated) for step in steps for end in (step.first, step.last)])
    kept = corners[thinned(len(corners), most=most)]
    places = thinned(len(bands.forecast), most=min(most, BAND_DRAWN))
    cell = np.minimum((bands.forecast * FORECAST_CELLS).astype(np.int64), FORECAST_CELLS - 1)
    counts = np.bincount(cell, weights=bands.cases, minlength=FORECAST_CELLS).astype(np.int64)
    return PicturedReliability(
        (kept[:, 0], kept[:, 1]),
        (bands.forecast[places], bands.low[places], bands.high[places]),
        np.arange(FORECAST_CELLS) / FORECAST_CELLS,
        counts,
    )


def sequence_reach(sequence: ConfidenceSequence) -> tuple[float, float] | None:
    """Between what bounds and means lie once a tenth of the cases is in: before, all is possible.

    None where there are no bounds.
    """
    late = sequence.cases >= SETTLED * sequence.cases[-1]
    seen = np.concatenate([rows[late] for rows in (sequence.low, sequence.high, sequence.mean)])
    if not np.isfinite(sequence.low).any():
        return None
    return float(np.nanmin(seen)), float(np.nanmax(seen))
