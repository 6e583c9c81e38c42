"""Curves of bounded size for charts of forecasts: paths, returns, the law of final wealth, stakes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from edgeworth.bet.fractional import sums_from
from edgeworth.common.arrays import Floats
from edgeworth.core.sampling_distributions import normal_quantile
from edgeworth.errors import check_whole
from edgeworth.forecasts.betting.law import LogWealthLaw, Moments
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.corp_reliability import ReliabilityBands
from edgeworth.forecasts.sequential import ConfidenceSequence

Places = NDArray[np.intp]

MAX_PATH_POINTS = 512
"""Points of a path."""

PATH_QUANTILES = (0.05, 0.5, 0.95)
"""The quantiles that summarise many paths."""

LAW_POINTS = 51
"""Points of the law of final wealth."""

LAW_PADDING = 0.02
"""Width beyond the ends of a law, as a share of its own."""


def thin(number: int, keep: tuple[int, ...] = (), most: int = MAX_PATH_POINTS) -> Places:
    """Choose places of a path, evenly spread, with its ends and those to keep.

    >>> thin(4), len(thin(100_000, keep=(77,))), 77 in thin(100_000, keep=(77,))
    (array([0, 1, 2, 3]), 512, True)
    """
    if number <= most:
        return np.arange(number)
    spaced = np.linspace(0, number - 1, most - len(keep)).round().astype(np.intp)
    return np.union1d(spaced, np.array(keep, dtype=np.intp))


@dataclass(frozen=True)
class WealthPath:
    """Log wealth on its way, with the way to expect if the model is right, or if the prices are.

    ``expected`` and ``priced`` are rows: the mean, and the bounds between which log wealth lies with the
    level's probability at each point (each by itself), log wealth taken as normal; ``martingale`` is
    log wealth minus its expected growth.
    """

    cases: NDArray[np.int64]
    log_wealth: Floats
    expected: Floats
    deviation: Floats
    priced: Floats
    martingale: Floats

    @classmethod
    def of(cls, wealth: Wealth, level: float) -> WealthPath:
        """Thinned, the highest and the lowest point kept."""
        (expected, deviation), (priced, _) = (_band(wealth, truth, level) for truth in ("model", "price"))
        columns = (expected, deviation, priced, wealth.martingale)
        return cls(wealth.positions, wealth.path, *columns).drawn(MAX_PATH_POINTS)

    def drawn(self, most: int) -> WealthPath:
        """Thin its points, but keep the highest and the lowest."""
        keep = (int(self.log_wealth.argmax()), int(self.log_wealth.argmin()))
        indices = thin(len(self.cases), keep, most)
        return WealthPath(**{name: values[..., indices] for name, values in vars(self).items()})


@dataclass(frozen=True)
class Paths:
    """Log wealth on many paths, one per row: after each number of cases, and its extremes."""

    cases: NDArray[np.int64]
    log_wealth: Floats
    log_minimum: Floats
    log_maximum: Floats
    drawdown: Floats

    @classmethod
    def of(cls, wealth: Wealth, orders: Iterable[Wealth]) -> Paths:
        """Make the paths of several wealths through the same cases."""
        cases = wealth.positions[thin(wealth.blocks.number, most=MAX_POINTS_DRAWN)]
        summaries = [
            (order.path_at(cases), order.log_minimum, order.log_maximum, order.drawdown) for order in orders
        ]
        return cls(cases, *map(np.array, zip(*summaries, strict=True)))

    @classmethod
    def of_orders(cls, wealth: Wealth, orders: int, seed: int = 0) -> Paths:
        """Make paths of the same bets in random orders, block by block.

        >>> wealth = Wealth.from_probabilities([1, 0, 1], [0.6, 0.3, 0.8], against=[0.5] * 3)
        >>> Paths.of_orders(wealth, 400).spread("log_minimum").tolist()
        [0.0, 0.0, 0.0]
        """
        check_whole(orders, "orders", 1)
        blocks = wealth.blocks
        # A path needs no other columns of a block, and they are wide.
        none = np.zeros((blocks.number, 0))
        bets = replace(wealth, blocks=replace(blocks, logs=blocks.logs[:, :1], fractions=none, sums=none))
        return cls.of(bets, (bets.shuffle([seed, 1, order]) for order in range(orders)))

    def spread(self, name: str = "log_wealth") -> Floats:
        """Compute the quantiles of log wealth over the paths at each point: 5%, 50% and 95%, one row each."""
        # Between ruin, or wealth without bound, and a number nothing can be interpolated.
        return np.asarray(np.quantile(getattr(self, name), PATH_QUANTILES, axis=0, method="inverted_cdf"))


def _band(wealth: Wealth, truth: str, level: float) -> tuple[Floats, Floats]:
    mean = np.cumsum(wealth.sums(f"{truth}_mean"))
    deviation = np.sqrt(np.cumsum(wealth.sums(f"{truth}_variance")))
    with np.errstate(invalid="ignore"):
        reach = normal_quantile(level) * deviation
        return np.stack([mean, mean - reach, mean + reach]), deviation


def returns(wealth: Wealth) -> tuple[NDArray[np.int64], Floats]:
    """Log returns, and how many cases had been settled after each: of single cases while these are few.

    Of a longer path neighbours are merged, so that all but the last have equally many cases and
    the returns still add up to log wealth.

    >>> wealth = Wealth.from_probabilities([1, 0], [0.6, 0.3], against=[0.5, 0.5])
    >>> returns(wealth)[1].round(4).tolist()
    [0.1823, 0.3365]
    """
    number = wealth.blocks.number
    starts = np.arange(0, number, max(1, math.ceil(number / MAX_PATH_POINTS)))
    ends = np.append(starts[1:], number) - 1
    return wealth.positions[ends], sums_from(wealth.blocks.logs[:, 0], starts)


@dataclass(frozen=True)
class FinalLaw:
    """P(log wealth ≤ x) at the end, at some x, if the prices are right and if the model is.

    Ruin lies below every x, wealth without bound above.
    """

    log_wealth: Floats
    prices: Floats
    model: Floats
    method: str


def final_law(wealth: Wealth) -> FinalLaw | None:
    """Exact if the outcomes can be enumerated, else log wealth taken as normal; None without spread.

    The points reach four standard deviations about the means and beyond what was observed.
    """
    moments = [Moments.of(wealth, truth) for truth in ("price", "model")]
    finite = [(moment.mean, math.sqrt(moment.variance)) for moment in moments if moment.is_normal]
    if not finite:
        return None
    ends = [mean + side * 4 * deviation for mean, deviation in finite for side in (-1, 1)]
    ends += [wealth.log_wealth] if math.isfinite(wealth.log_wealth) else []
    # What was observed lies between two points, never on the first: its probability is then that of a cell.
    room = LAW_PADDING * (max(ends) - min(ends))
    points = np.linspace(min(ends) - room, max(ends) + room, LAW_POINTS)
    games, laws = wealth.games, []
    if games is not None:
        laws = [
            LogWealthLaw.of(games.log_factors, chances, games.counts).cumulative(points)
            for chances in (games.prices, games.probabilities)
        ]
    if laws and laws[0] is not None and laws[1] is not None:
        return FinalLaw(points, laws[0], laws[1], "exact")
    prices, model = (_normal(points, moment.mean, moment.variance) for moment in moments)
    off = max(moment.error for moment in moments if moment.is_normal)
    return FinalLaw(
        points,
        prices,
        model,
        f"approximated by a normal distribution of the logarithm, off by {off:.2g} at most",
    )


def _normal(points: Floats, mean: float, variance: float) -> Floats:
    if not math.isfinite(mean + variance):
        return np.full(len(points), np.nan)
    if variance <= 0:
        return (points >= mean).astype(np.float64)
    return np.asarray(scipy.special.ndtr((points - mean) / math.sqrt(variance)))


def sequence_path(sequence: ConfidenceSequence) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
    """Return the cases, mean, lower and upper bounds, thinned."""
    indices = thin(len(sequence))
    return sequence.cases[indices], sequence.mean[indices], sequence.low[indices], sequence.high[indices]


MAX_POINTS_DRAWN = 150
"""Points of a curve."""

MAX_BAND_POINTS_DRAWN = 50
"""The number of points of a band's edges and of a small path."""

FORECAST_CELLS = 20
"""Cells from 0 to 1 in which forecasts are counted."""

MIN_SHARE_OF_CASES_SHOWN = 0.1
"""Share of the cases after which a confidence sequence is no longer as wide as anything."""


def turns(wealth: Wealth) -> tuple[tuple[int, str], ...]:
    """Find the cases at which wealth became 0 ("ruin") or infinite ("without bound").

    >>> turns(Wealth.from_probabilities([1, 1, 0], [0.9, 0.0, 0.5], against=[0.5] * 3))
    ((2, 'ruin'),)
    """
    path = wealth.path
    turning_points = []
    for value, name in ((math.inf, "without bound"), (-math.inf, "ruin")):
        indices = np.flatnonzero(path == value)
        if len(indices):
            turning_points.append((int(wealth.positions[indices[0]]), name))
    return tuple(turning_points)


def pictured_reliability(bands: ReliabilityBands, most: int) -> dict[str, dict[str, Floats]]:
    """Thin the corners of the steps and the points of the band, and the forecasts in each cell."""
    corners = np.array([(end, step.recalibrated) for step in bands.levels for end in (step.first, step.last)])
    points = corners[thin(len(corners), most=most)]
    indices = thin(len(bands.forecast), most=min(most, MAX_BAND_POINTS_DRAWN))
    cell = np.minimum((bands.forecast * FORECAST_CELLS).astype(np.int64), FORECAST_CELLS - 1)
    counts = np.bincount(cell, weights=bands.cases, minlength=FORECAST_CELLS).astype(np.int64)
    cells = np.arange(FORECAST_CELLS) / FORECAST_CELLS
    return {
        "curve": {"forecast": points[:, 0], "calibrated": points[:, 1]},
        "band": {name: getattr(bands, name)[indices] for name in ("forecast", "low", "high")},
        "histogram": {"from": cells, "to": cells + cells[1], "cases": counts},
    }


def sequence_reach(sequence: ConfidenceSequence) -> tuple[float, float] | None:
    """Find the range of bounds and means after the first tenth of the cases, before which all is possible.

    None if there are no bounds.
    """
    late = sequence.cases >= MIN_SHARE_OF_CASES_SHOWN * sequence.cases[-1]
    values = np.concatenate([rows[late] for rows in (sequence.low, sequence.high, sequence.mean)])
    if not np.isfinite(sequence.low).any():
        return None
    return float(np.nanmin(values)), float(np.nanmax(values))
