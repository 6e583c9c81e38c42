"""Confidence sequences: intervals for a running mean that hold at all times at once.

The asymptotic sequence is the normal mixture of Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024, Annals
of Statistics 52, 2613–2640), for differences of scores without bounds.

The empirical Bernstein sequence is for bounded ones: differences δ_i lie in [−c/2, c/2] (Brier of two
classes: c = 2; of more, summed: c = 4). With the mean Δ_t and V_t = Σ (δ_i − Δ_{i−1})², Δ_0 = 0, the interval
is Δ_t ± u(max(1, V_t))/t, m(u(v), v) = 2/α and m the gamma-exponential mixture (Choe & Ramdas 2024, Theorem
2), as far as it lies within [−c/2, c/2]. Nothing is assumed of the dependence between cases: the estimand is
the average of the first t conditional mean differences, each given what came before.
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
from edgeworth.forecasts.sequential.evidence import Direction, Evidence, check_direction
from edgeworth.forecasts.sequential.gamma_mixture import GammaMixture

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
    differences: ArrayLike | BlockSums,
    *,
    level: float = 0.95,
    tuned_for: int = TUNED_FOR,
    burn_in: int = BURN_IN,
    deviation: float | None = None,
) -> AsymptoticSequence:
    """Bound the mean difference after every case or block of cases, from the end of the burn-in on.

    Parameters
    ----------
    differences : array-like, (n,), or BlockSums
        A finite difference of scores for each case, or the sums of blocks of them.
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
    >>> blocks = BlockSums.of(np.tile([0.3, -0.1], 300), size=200)
    >>> asymptotic_sequence(blocks, deviation=0.2).cases
    array([200, 400, 600])
    """
    check_level(level)
    if burn_in < 2:
        raise OptionError(f"a variance needs two cases, so a burn-in is at least 2; saw {burn_in!r}")
    shift = 0.0
    if isinstance(differences, BlockSums):
        parts = differences
    else:
        values = finite_differences(differences)
        # Around the first value, so that a large common level does not drown the variance.
        shift = float(values[0]) if len(values) else 0.0
        parts = BlockSums.of(values - shift, size=1)
    cases, sums, squares = np.cumsum(parts.counts), np.cumsum(parts.sums), np.cumsum(parts.squares)
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


NULLS = {
    "greater": "at no time is the average of the expected score differences above 0",
    "less": "at no time is the average of the expected score differences below 0",
}


@dataclass(frozen=True, eq=False)
class BernsteinSequence(ConfidenceSequence):
    """An empirical Bernstein confidence sequence with the mixture it is made of, and so its e-processes.

    >>> empirical_bernstein([0.3, -0.1]).says_nothing
    True
    """

    mixture: GammaMixture

    @property
    def says_nothing(self) -> bool:
        """Whether the last interval is all that is possible, [−c/2, c/2]."""
        reach = self.mixture.c / 2
        return bool(len(self) and (self.last.low, self.last.high) == (-reach, reach))

    def log_e_values(self, direction: Direction) -> Floats:
        """log m(±tΔ_t, V_t): "greater" grows when the mean is above 0, "less" when it is below.

        m rises with its first argument, so as long as Σ conditional means ≤ 0 it is at most the mixture of
        the centred sum, which is a supermartingale: at any stopping time its mean is at most 1.
        """
        check_direction(direction)
        total = self.cases * self.mean
        return self.mixture.log_value(total if direction == "greater" else -total, self.V)

    def evidence(self, direction: Direction, *, null: str | None = None, ordered: bool = True) -> Evidence:
        """Against "on average no better than the other, at any time", one-sided; ``better_of`` for both."""
        path = self.log_e_values(direction)
        return Evidence.from_path(path, null=null or NULLS[direction], direction=direction, ordered=ordered)


def empirical_bernstein(
    differences: ArrayLike | BlockSums,
    *,
    c: float = 2.0,
    level: float = 0.95,
    v_opt: float = 10.0,
    means: ArrayLike | None = None,
) -> BernsteinSequence:
    """Bound the mean of bounded differences after every case, or after every block of cases.

    Parameters
    ----------
    differences : array-like, (n,), or BlockSums
        A difference of scores in [−c/2, c/2] for each case, or the sums of blocks of them.
    c : float
        The length of the range of the differences.
    level : float
        The probability that all bounds hold at once.
    v_opt : float
        The V at which the bounds are nearly tightest, chosen before the data are seen.
    means : array-like, optional
        What the differences are centred on, each known before its case and in [−c/2, c/2]; by default the
        mean of the cases before.

    Returns
    -------
    BernsteinSequence

    Notes
    -----
    The bounds are Δ_t ± u(max(1, V_t))/t with m(u(v), v) = 2/α, m the gamma-exponential mixture (Choe &
    Ramdas 2024, Operations Research 72, 1368–1387, Theorem 2).

    V of blocks is centred on the mean g of all cases before the block (0 for the first), which is known
    before the cases it centres, so the sequence is as valid as case by case: it is Σd² − 2gΣd + n g².

    Examples
    --------
    >>> values = np.tile([0.3, 0.1], 200)
    >>> sequence = empirical_bernstein(values)
    >>> point = sequence.at(400)
    >>> round(point.mean, 3), round(point.low, 3), round(point.high, 3), round(point.V, 3)
    (0.2, 0.167, 0.233, 4.165)
    >>> sequence.evidence("greater").p_value <= 1e-6
    True
    >>> round(empirical_bernstein(BlockSums.of(values, size=100)).last.low, 3)
    0.16
    """
    check_level(level)
    if isinstance(differences, BlockSums):
        blocks, said = differences, "block by block"
        largest = blocks.counts * (c / 2) * (1 + 1e-9)
        if (np.abs(blocks.sums) > largest).any() or (blocks.squares > largest * (c / 2)).any():
            raise InputError(
                f"differences lie between {-c / 2:g} and {c / 2:g} at c = {c:g}; these sums are larger"
            )
    else:
        blocks = BlockSums.of(_within(finite_differences(differences), c, "difference"), size=1)
        said = "case by case"
    cases = np.cumsum(blocks.counts)
    mean = np.cumsum(blocks.sums) / cases
    if means is None:
        centres = np.append(0.0, mean[:-1])[: len(cases)]
    else:
        centres = _within(finite_differences(means), c, "centre")
        if len(centres) != len(cases):
            raise InputError(f"means are one a case; saw {len(centres)} for {len(cases)} cases")
    parts = blocks.squares - 2 * centres * blocks.sums + blocks.counts * centres**2
    # A sum of squares below 0 is rounding.
    variation = np.cumsum(np.maximum(parts, 0.0))
    mixture = GammaMixture.tuned(v_opt=v_opt, alpha=1 - level, c=c)
    reach = mixture.boundary(np.maximum(1.0, variation), 2 / (1 - level)) / cases
    # An average of differences within ±c/2 lies there too, whatever came out.
    low, high = np.maximum(mean - reach, -c / 2), np.minimum(mean + reach, c / 2)
    method = f"empirical Bernstein confidence sequence, V centred {said}, c = {c:g}, tuned for V = {v_opt:g}"
    return BernsteinSequence(cases, mean, low, high, variation, level, method, mixture)


def _within(values: Floats, c: float, what: str) -> Floats:
    if not (math.isfinite(c) and c > 0):
        raise OptionError(f"c is the length of the range of differences, above 0; saw {c!r}")
    outside = np.abs(values) > (c / 2) * (1 + 1e-12)
    if outside.any():
        place = int(outside.argmax())
        raise InputError(
            f"the {what} of case {place + 1:,} is {float(values[place])!r}, outside [{-c / 2:g}, {c / 2:g}]: "
            "give the length of the range as c, or use the asymptotic sequence for unbounded scores"
        )
    return values
