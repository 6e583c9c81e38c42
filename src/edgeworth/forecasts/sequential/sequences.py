"""Confidence sequences: intervals for a running mean that hold at all times at once.

The asymptotic sequence is the normal mixture of Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024, Annals
of Statistics 52, 2613–2640), for differences of scores without bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from edgeworth.arrays import Floats
from edgeworth.core.laws import check_level
from edgeworth.errors import InputError, OptionError

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class SequencePoint:
    """The interval of a confidence sequence after some cases.

    >>> SequencePoint(cases=2, mean=0.0, low=-1.0, high=1.0, V=1.0).high
    1.0
    """

    cases: int
    mean: float
    low: float
    high: float
    V: float


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """Mean and bounds after ``cases`` cases, an array each; with the level's probability all hold at once.

    The estimand moves: after t cases it is the average of the first t conditional means. Intervals of
    different times are about different numbers, so they are not to be intersected. nan is where nothing is
    said.
    """

    cases: Counts
    mean: Floats
    low: Floats
    high: Floats
    V: Floats
    level: float
    method: str

    def __len__(self) -> int:
        return len(self.cases)

    def at(self, cases: int) -> SequencePoint:
        """Find the interval after this many cases.

        >>> sequence = ConfidenceSequence(
        ...     np.array([1, 2]), np.zeros(2), -np.ones(2), np.ones(2), np.ones(2), 0.95, "made up"
        ... )
        >>> sequence.at(2)
        SequencePoint(cases=2, mean=0.0, low=-1.0, high=1.0, V=1.0)
        """
        place = int(np.searchsorted(self.cases, cases))
        if place == len(self.cases) or self.cases[place] != cases:
            ends = "none" if not len(self.cases) else f"{int(self.cases[0])} to {int(self.cases[-1])}"
            raise OptionError(
                f"the sequence says nothing after {cases!r} cases; it has {len(self.cases)} times, {ends}"
            )
        columns = (self.cases, self.mean, self.low, self.high, self.V)
        return SequencePoint(*(column[place].item() for column in columns))

    @property
    def last(self) -> SequencePoint:
        """The interval after all cases."""
        if not len(self.cases):
            raise InputError("a sequence without cases has no last interval")
        return self.at(int(self.cases[-1]))


@dataclass(frozen=True, eq=False)
class BlockSums:
    """Cases in order, cut into blocks: how many, Σd and Σd² of each. Blocks of two sets join by appending.

    >>> BlockSums.of(np.array([0.5, -0.5, 1.0]), size=2)
    BlockSums(counts=array([2, 1]), sums=array([0., 1.]), squares=array([0.5, 1. ]))
    """

    counts: Counts
    sums: Floats
    squares: Floats

    def __post_init__(self) -> None:
        """Three arrays of one length, no block empty."""
        for name, kind in (("counts", np.int64), ("sums", np.float64), ("squares", np.float64)):
            object.__setattr__(self, name, np.asarray(getattr(self, name), kind))
        if not self.counts.shape == self.sums.shape == self.squares.shape or self.counts.ndim != 1:
            raise InputError(
                "blocks are given by three lists of one length: counts, sums and sums of squares"
            )
        if (self.counts < 1).any():
            raise InputError("a block has at least one case; leave empty blocks out")
        if not (np.isfinite(self.sums).all() and np.isfinite(self.squares).all()):
            raise InputError("sums of differences are finite numbers; an infinite score has no mean")

    @classmethod
    def of(cls, differences: ArrayLike, *, size: int) -> BlockSums:
        """Cut into blocks of a size; the last may be shorter."""
        values = finite_differences(differences)
        if size < 1:
            raise OptionError(f"a block has at least one case; saw a size of {size!r}")
        starts = np.arange(0, len(values), size)
        if not len(starts):
            return cls(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
        counts = np.diff(np.append(starts, len(values)))
        return cls(counts, np.add.reduceat(values, starts), np.add.reduceat(values**2, starts))


def finite_differences(differences: ArrayLike) -> Floats:
    """One finite number a case."""
    values = np.asarray(differences, float)
    if values.ndim != 1:
        raise InputError(f"score differences are one number a case; saw an array of shape {values.shape}")
    if not np.isfinite(values).all():
        place = int((~np.isfinite(values)).argmax())
        raise InputError(
            f"the score difference of case {place + 1:,} is {float(values[place])!r}: a mean needs finite "
            "scores; a log score is infinite where a forecast gave 0 to what happened"
        )
    return values


BURN_IN = 100
"""Cases before which nothing is shown, unless asked for otherwise."""

TUNED_FOR = 1000
"""Cases at which the interval is narrowest, unless asked for otherwise."""


@dataclass(frozen=True, eq=False)
class AsymptoticSequence(ConfidenceSequence):
    """An asymptotic confidence sequence; V is t times the running variance, nan is before the burn-in's end.

    ``undefined`` is the reason why nothing is shown at all, None when something is.

    >>> asymptotic_sequence([0.3, -0.1]).undefined is None
    False
    """

    rho: float
    burn_in: int
    undefined: str | None


def tuned_rho_squared(alpha: float, *, cases: int, deviation: float) -> float:
    """ρ² that makes the interval narrowest after so many cases of this standard deviation.

    >>> round(tuned_rho_squared(0.05, cases=1000, deviation=1.0), 8)
    0.00821197
    """
    if not cases >= 1:
        raise OptionError(f"the sequence is tuned for at least one case; saw {cases!r}")
    if not (math.isfinite(deviation) and deviation > 0):
        raise OptionError(f"the standard deviation to tune for is above 0; saw {deviation!r}")
    x = -float(scipy.special.lambertw(-(alpha**2) / math.e, -1).real) - 1
    return x / (cases * deviation**2)


def radius(cases: ArrayLike, variance: ArrayLike, *, rho: float, alpha: float) -> Floats:
    """√( 2(tρ²σ²+1)/(t²ρ²) · ln(√(tρ²σ²+1)/α) ).

    >>> float(radius(1000, 1.0, rho=0.09, alpha=0.05).round(6))
    0.095979
    """
    t, square = np.asarray(cases, float), rho**2
    grown = t * square * np.asarray(variance, float)
    return np.asarray(np.sqrt(2 * (grown + 1) / (t**2 * square) * (0.5 * np.log1p(grown) - math.log(alpha))))


def asymptotic_sequence(
    differences: ArrayLike,
    *,
    level: float = 0.95,
    tuned_for: int = TUNED_FOR,
    burn_in: int = BURN_IN,
    deviation: float | None = None,
) -> AsymptoticSequence:
    """Bound the mean difference after every case, from the end of the burn-in on.

    Parameters
    ----------
    differences : array-like, (n,)
        A finite difference of scores for each case.
    level : float
        The probability that all bounds hold at once.
    tuned_for : int
        The number of cases at which the bounds are narrowest.
    burn_in : int
        The number of cases before which nothing is said.
    deviation : float, optional
        The standard deviation to tune for, fixed beforehand; by default that of the burn-in. One that is k
        times too large tunes for k² times as many cases.

    Returns
    -------
    AsymptoticSequence

    Notes
    -----
    The bounds are mean ± √(2(tρ²σ²+1)/(t²ρ²) · ln(√(tρ²σ²+1)/α)), σ² the running variance.

    Examples
    --------
    >>> sequence = asymptotic_sequence(np.tile([0.3, -0.1], 300))
    >>> point = sequence.at(600)
    >>> round(point.mean, 3), round(point.low, 4), round(point.high, 4), sequence.at(99).low
    (0.1, 0.075, 0.125, nan)
    """
    values = finite_differences(differences)
    cases = np.arange(1, len(values) + 1)
    # Around the first value, so that a large common level does not drown the variance.
    shift = float(values[0]) if len(values) else 0.0
    moved = values - shift
    return _sequence(
        cases, np.cumsum(moved), np.cumsum(moved**2), shift, level, tuned_for, burn_in, deviation
    )


def block_asymptotic_sequence(
    blocks: BlockSums,
    *,
    level: float = 0.95,
    tuned_for: int = TUNED_FOR,
    burn_in: int = BURN_IN,
    deviation: float | None = None,
) -> AsymptoticSequence:
    """Bound the mean difference after every block, from the sums of the blocks alone.

    Parameters
    ----------
    blocks : BlockSums
        Counts, sums and sums of squares of the differences.
    level, tuned_for, burn_in, deviation
        As in ``asymptotic_sequence``.

    Returns
    -------
    AsymptoticSequence

    Examples
    --------
    >>> blocks = BlockSums.of(np.tile([0.3, -0.1], 300), size=200)
    >>> block_asymptotic_sequence(blocks, deviation=0.2).cases
    array([200, 400, 600])
    """
    cases, sums, squares = np.cumsum(blocks.counts), np.cumsum(blocks.sums), np.cumsum(blocks.squares)
    return _sequence(cases, sums, squares, 0.0, level, tuned_for, burn_in, deviation)


def _sequence(
    cases: NDArray[np.int64],
    sums: Floats,
    squares: Floats,
    shift: float,
    level: float,
    tuned_for: int,
    burn_in: int,
    deviation: float | None,
) -> AsymptoticSequence:
    check_level(level)
    if burn_in < 2:
        raise OptionError(f"a variance needs two cases, so a burn-in is at least 2; saw {burn_in!r}")
    mean = sums / cases
    spread = np.maximum(squares - cases * mean**2, 0.0)
    # Equal values leave a spread of rounding, not of data.
    spread = np.where(spread > 1e-13 * squares, spread, 0.0)
    variance = spread / np.maximum(cases - 1, 1)
    late = (cases >= burn_in) & (variance > 0)
    low, high = np.full(len(cases), np.nan), np.full(len(cases), np.nan)
    rho, undefined = math.nan, None
    if late.any():
        alpha = 1 - level
        chosen = math.sqrt(variance[int(late.argmax())]) if deviation is None else deviation
        rho = math.sqrt(tuned_rho_squared(alpha, cases=tuned_for, deviation=chosen))
        reach = radius(cases[late], variance[late], rho=rho, alpha=alpha)
        low[late], high[late] = mean[late] + shift - reach, mean[late] + shift + reach
    elif len(cases) and cases[-1] >= burn_in:
        undefined = "the differences are all alike: they have no variance to judge the mean by"
    else:
        undefined = f"fewer cases than the burn-in of {burn_in}"
    method = f"asymptotic confidence sequence from case {burn_in} on, tuned for {tuned_for} cases"
    return AsymptoticSequence(
        cases, mean + shift, low, high, cases * variance, level, method, rho, burn_in, undefined
    )
