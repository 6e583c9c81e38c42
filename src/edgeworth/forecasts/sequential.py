"""Inference that holds at any time: e-values and confidence sequences for forecasts and bets.

An e-value is the value of a stake of 1 after a game that is fair or worse if the null hypothesis is true, so
its mean is at most 1. By Markov's inequality, it reaches 1/α at a time fixed beforehand with probability at
most α. By Ville's inequality, it *ever* reaches 1/α with probability at most α, so you can watch it, stop at
any time, and use its maximum. Ville's needs the cases in the order in which they became known, or in an order
that was fixed without seeing the outcomes. ``Evidence`` holds such a process and what it shows.

Confidence sequences are intervals for a running mean that hold at all times at once, of a difference for each
case or of the sums of blocks of cases (``BlockSums``).

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
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from edgeworth.common.arrays import Floats
from edgeworth.core.sampling_distributions import check_level
from edgeworth.core.test_results import SMALLEST_FLOAT
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.gamma_mixture import GammaMixture

LOG_TWO = math.log(2)


@dataclass(frozen=True)
class Evidence:
    """Evidence against a null hypothesis, in natural logarithms.

    Attributes
    ----------
    log_e_value : float
        The logarithm of the e-value.
    log_maximum : float or None
        The largest log wealth so far, at least 0. None if the order of the cases does not allow Ville's
        inequality; then only the end counts.
    null : str
        The null hypothesis in words.

    Examples
    --------
    >>> evidence = Evidence.from_path([0.5, 3.2, 2.9], null="the rival's prices are the true probabilities")
    >>> round(evidence.e_value, 3), round(evidence.p_value, 4), evidence.ordered
    (18.174, 0.0408, True)
    """

    log_e_value: float
    log_maximum: float | None
    null: str

    def __post_init__(self) -> None:
        """Wealth is a number, and its maximum is no smaller than its end."""
        if math.isnan(self.log_e_value):
            raise InputError("evidence needs a log wealth that is a number; saw nan")
        if self.log_maximum is not None and not self.log_maximum >= max(self.log_e_value, 0.0):
            raise InputError(
                f"the largest log wealth is at least 0 and at least the last, {self.log_e_value!r}; "
                f"saw {self.log_maximum!r}"
            )

    @classmethod
    def from_path(cls, path: ArrayLike, *, null: str, ordered: bool = True) -> Evidence:
        """Make evidence from log wealth after each case.

        Parameters
        ----------
        path : array_like
            Log wealth after each case. Without cases the evidence is 1.
        null : str
            The null hypothesis in words.
        ordered : bool
            Whether the cases are in the order in which the outcomes were known.

        Returns
        -------
        Evidence
            The evidence.
        """
        log_wealth = np.asarray(path, float)
        end = float(log_wealth[-1]) if log_wealth.size else 0.0
        largest = max(0.0, float(log_wealth.max())) if log_wealth.size else 0.0
        return cls(end, largest if ordered else None, null)

    @property
    def ordered(self) -> bool:
        """Whether the maximum of the path may be used."""
        return self.log_maximum is not None

    @property
    def e_value(self) -> float:
        """The wealth at the end; inf beyond 1e308."""
        return math.exp(self.log_e_value) if self.log_e_value < 709.78 else math.inf

    @property
    def p_value(self) -> float:
        """The p-value: min(1, 1/largest wealth) by Ville's inequality, or min(1, 1/last wealth) without an
        order.

        It is 0 only if something happened that is impossible under the null hypothesis.
        """
        used = self.log_e_value if self.log_maximum is None else self.log_maximum
        if used == math.inf:
            return 0.0
        return 1.0 if used <= 0 else max(math.exp(-used), SMALLEST_FLOAT)


def better_of(first: Evidence, second: Evidence) -> Evidence:
    """Take the stronger of two directions, with half of the wealth and twice the p-value.

    Parameters
    ----------
    first, second : Evidence
        The evidence in each direction: both with an order, or both without.

    Returns
    -------
    Evidence
        The stronger one, corrected for the choice.

    Notes
    -----
    These are two games with half of the stake in each. Whichever null hypothesis is true, the chance that its
    game ever reaches 2/α is at most α/2.

    Examples
    --------
    >>> up = Evidence.from_path([1.0, 4.0], null="A is no better")
    >>> down = Evidence.from_path([-1.0, -4.0], null="B is no better")
    >>> better_of(up, down).null, round(better_of(up, down).p_value / up.p_value, 12)
    ('A is no better', 2.0)
    """
    if first.ordered != second.ordered:
        raise InputError("the better of two directions needs both with their order, or both without")

    def strength(evidence: Evidence) -> tuple[float, float]:
        return (evidence.log_maximum or 0.0, evidence.log_e_value)

    stronger = max(first, second, key=strength)
    # Half of the wealth has twice the p-value.
    largest = None if stronger.log_maximum is None else max(0.0, stronger.log_maximum - LOG_TWO)
    return replace(stronger, log_e_value=stronger.log_e_value - LOG_TWO, log_maximum=largest)


Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """A confidence sequence: bounds for a mean after every case, which hold all at once with the level.

    After t cases the bounded quantity is the average of the first t conditional means. Intervals at different
    times are about different quantities, so do not intersect them.

    Attributes
    ----------
    cases : array of int
        The numbers of cases.
    mean, low, high : array of float
        The mean and the bounds after each number of cases; nan if there are no bounds.
    V : array of float
        The intrinsic time that the width depends on.
    level : float
        The confidence level.
    method : str
        The method.
    undefined : str or None
        Why there are no bounds at all.

    Examples
    --------
    >>> sequence = asymptotic_sequence(np.tile([0.3, -0.1], 300))
    >>> [round(end, 4) for end in sequence.last], [round(end, 4) for end in sequence.mirror().last]
    ([0.1, 0.075, 0.125], [-0.1, -0.125, -0.075])
    """

    cases: Counts
    mean: Floats
    low: Floats
    high: Floats
    V: Floats
    level: float
    method: str
    undefined: str | None = field(default=None, kw_only=True)
    """Why there are no bounds at all, or None."""

    def __len__(self) -> int:
        return len(self.cases)

    def mirror(self) -> ConfidenceSequence:
        """Return the sequence of the opposite differences.

        Returns
        -------
        ConfidenceSequence
            The sequence.
        """
        return replace(self, mean=-self.mean, low=-self.high, high=-self.low)

    @property
    def last(self) -> tuple[float, float, float]:
        """The mean and the bounds after all cases."""
        if not len(self.cases):
            raise InputError("a sequence without cases has no last interval")
        return float(self.mean[-1]), float(self.low[-1]), float(self.high[-1])


@dataclass(frozen=True, eq=False)
class BlockSums:
    """The sums of blocks of cases in order, which join by appending.

    Attributes
    ----------
    counts : array of int
        The number of cases in each block.
    sums, squares : array of float
        Σd and Σd² of each block.

    Examples
    --------
    >>> BlockSums.of(np.array([0.5, -0.5, 1.0]), size=2)
    BlockSums(counts=array([2, 1]), sums=array([0., 1.]), squares=array([0.5, 1. ]))
    """

    counts: Counts
    sums: Floats
    squares: Floats

    def __post_init__(self) -> None:
        """Check that the three arrays have one length and no block is empty."""
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
        """Divide differences into blocks.

        Parameters
        ----------
        differences : array_like
            One number per case.
        size : int
            The number of cases per block. The last block may be shorter.

        Returns
        -------
        BlockSums
            The blocks.
        """
        values = finite_differences(differences)
        if size < 1:
            raise OptionError(f"a block has at least one case; saw a size of {size!r}")
        starts = np.arange(0, len(values), size)
        if not len(starts):
            return cls(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
        counts = np.diff(np.append(starts, len(values)))
        return cls(counts, np.add.reduceat(values, starts), np.add.reduceat(values**2, starts))


def finite_differences(differences: ArrayLike) -> Floats:
    """Return the differences as finite numbers, or raise an error.

    :meta private:
    """
    values = np.asarray(differences, float)
    if values.ndim != 1:
        raise InputError(
            f"score differences must be one number per case; saw an array of shape {values.shape}"
        )
    if not np.isfinite(values).all():
        index = int((~np.isfinite(values)).argmax())
        raise InputError(
            f"the score difference of case {index + 1:,} is {float(values[index])!r}: a mean needs finite "
            "scores; a log score is infinite if a forecast of probability 0 came true"
        )
    return values


BURN_IN = 100
"""Cases before which nothing is shown."""

CASES_OF_NARROWEST_INTERVAL = 1000
"""Cases at which the asymptotic interval is narrowest."""


def asymptotic_sequence(differences: ArrayLike | BlockSums, *, level: float = 0.95) -> ConfidenceSequence:
    """Bound the mean difference after every case or block of cases, after a burn-in.

    Parameters
    ----------
    differences : array_like or BlockSums
        One difference per case, in order, or their blocks.
    level : float
        The confidence level. All bounds hold at once with this probability.

    Returns
    -------
    ConfidenceSequence
        The bounds; nan during the burn-in. V is t times the running variance.

    Notes
    -----
    The bounds are mean ± √(2(tρ²σ²+1)/(t²ρ²) · ln(√(tρ²σ²+1)/α)) with the running variance σ². ρ makes them
    narrowest after ``CASES_OF_NARROWEST_INTERVAL`` cases with the variance at the end of the burn-in.

    Examples
    --------
    >>> sequence = asymptotic_sequence(np.tile([0.3, -0.1], 300))
    >>> [round(end, 4) for end in sequence.last], sequence.low[98]
    ([0.1, 0.075, 0.125], np.float64(nan))
    >>> asymptotic_sequence(BlockSums.of(np.tile([0.3, -0.1], 300), size=200)).cases
    array([200, 400, 600])
    """
    check_level(level)
    shift, parts = 0.0, differences
    if not isinstance(parts, BlockSums):
        values = finite_differences(parts)
        # Around the first value, so that a large common level does not drown the variance.
        shift = float(values[0]) if len(values) else 0.0
        parts = BlockSums.of(values - shift, size=1)
    cases, sums, squares = np.cumsum(parts.counts), np.cumsum(parts.sums), np.cumsum(parts.squares)
    mean = sums / cases
    spread = np.maximum(squares - cases * mean**2, 0.0)
    # Equal values leave a spread of rounding, not of data.
    spread = np.where(spread > 1e-13 * squares, spread, 0.0)
    variance = spread / np.maximum(cases - 1, 1)
    late = (cases >= BURN_IN) & (variance > 0)
    reach, undefined = np.full(len(cases), np.nan), None
    if late.any():
        tuned = tuned_square(1 - level, float(variance[late.argmax()]))
        reach[late] = radius(cases[late], variance[late], tuned, 1 - level)
    elif len(cases) and cases[-1] >= BURN_IN:
        undefined = "all differences are equal, so the variance cannot be estimated"
    else:
        undefined = f"fewer cases than the burn-in of {BURN_IN}"
    aim = f"tuned for {CASES_OF_NARROWEST_INTERVAL} cases"
    method = f"asymptotic confidence sequence from case {BURN_IN} on, {aim}"
    mean = mean + shift
    return ConfidenceSequence(
        cases, mean, mean - reach, mean + reach, cases * variance, level, method, undefined=undefined
    )


def tuned_square(alpha: float, variance: float) -> float:
    """Compute the ρ² that makes the interval narrowest after ``CASES_OF_NARROWEST_INTERVAL``.

    >>> round(tuned_square(0.05, 1.0), 8)
    0.00821197

    :meta private:
    """
    x = -float(scipy.special.lambertw(-(alpha**2) / math.e, -1).real) - 1
    return x / (CASES_OF_NARROWEST_INTERVAL * variance)


def radius(cases: ArrayLike, variance: ArrayLike, square: float, alpha: float) -> Floats:
    """Compute √( 2(tρ²σ²+1)/(t²ρ²) · ln(√(tρ²σ²+1)/α) ) with ``square`` = ρ².

    >>> float(radius(1000, 1.0, 0.0081, 0.05).round(6))
    0.095979

    :meta private:
    """
    t = np.asarray(cases, float)
    grown = t * square * np.asarray(variance, float)
    return np.asarray(np.sqrt(2 * (grown + 1) / (t**2 * square) * (0.5 * np.log1p(grown) - math.log(alpha))))


NULLS = {
    "greater": "at no time is the average of the expected score differences above 0",
    "less": "at no time is the average of the expected score differences below 0",
}


@dataclass(frozen=True, eq=False)
class BernsteinSequence(ConfidenceSequence):
    """An empirical Bernstein confidence sequence, with the mixture behind it and its e-processes.

    Attributes
    ----------
    cases, mean, low, high, V, level, method, undefined
        As in ``ConfidenceSequence``.
    mixture : GammaMixture
        The gamma-exponential mixture.

    Examples
    --------
    >>> sequence = empirical_bernstein(np.tile([0.3, 0.1], 200))
    >>> sequence.evidence("greater").p_value <= 1e-6
    True
    >>> round(sequence.last[0], 3), round(sequence.mirror().last[0], 3)
    (0.2, -0.2)
    """

    mixture: GammaMixture

    def evidence(self, direction: Literal["greater", "less"], *, ordered: bool = True) -> Evidence:
        """Return the evidence against "on average no better than the other, at any time".

        Parameters
        ----------
        direction : {"greater", "less"}
            The direction. Use ``better_of`` for both.
        ordered : bool
            Whether the cases are in the order in which the outcomes were known.

        Returns
        -------
        Evidence
            The e-value and the p-value.

        Notes
        -----
        The path is log m(±tΔ_t, V_t). m rises with its first argument. As long as the sum of conditional
        means is at most 0, it is at most the mixture of the centred sum, which is a supermartingale. Its mean
        is therefore at most 1 at any stopping time.
        """
        if direction not in NULLS:
            raise OptionError(f'a direction is "greater" or "less"; saw {direction!r}')
        total = self.cases * self.mean * (1 if direction == "greater" else -1)
        return Evidence.from_path(
            self.mixture.log_value(total, self.V), null=NULLS[direction], ordered=ordered
        )


def empirical_bernstein(
    differences: ArrayLike | BlockSums, *, c: float = 2.0, level: float = 0.95, v_opt: float = 10.0
) -> BernsteinSequence:
    """Bound the mean of differences in [−c/2, c/2] after every case, or after every block of cases.

    Parameters
    ----------
    differences : array_like or BlockSums
        One difference per case, in order, or their blocks.
    c : float
        The width of the range of differences.
    level : float
        The confidence level. All bounds hold at once with this probability.
    v_opt : float
        The V at which the bounds are nearly tightest. Choose it before you see the data.

    Returns
    -------
    BernsteinSequence
        The bounds.

    Notes
    -----
    The bounds are Δ_t ± u(max(1, V_t))/t with m(u(v), v) = 2/α, where m is the gamma-exponential mixture
    (Choe & Ramdas 2024, Operations Research 72, 1368–1387, Theorem 2). V of a block is centred on the mean g
    of all earlier cases (0 for the first block): Σd² − 2gΣd + n g². Because g is known before the block, the
    sequence is as valid as case by case.

    Examples
    --------
    >>> values = np.tile([0.3, 0.1], 200)
    >>> sequence = empirical_bernstein(values)
    >>> [round(end, 3) for end in sequence.last], round(sequence.V[-1], 3)
    ([0.2, 0.167, 0.233], np.float64(4.165))
    >>> sequence.evidence("greater").p_value <= 1e-6
    True
    >>> round(empirical_bernstein(BlockSums.of(values, size=100)).last[1], 3)
    0.16
    """
    check_level(level)
    if isinstance(differences, BlockSums):
        blocks, centring = differences, "block by block"
        largest = blocks.counts * (c / 2) * (1 + 1e-9)
        if (np.abs(blocks.sums) > largest).any() or (blocks.squares > largest * (c / 2)).any():
            raise InputError(
                f"differences lie between {-c / 2:g} and {c / 2:g} at c = {c:g}; these sums are larger"
            )
    else:
        blocks = BlockSums.of(_within(finite_differences(differences), c), size=1)
        centring = "case by case"
    cases = np.cumsum(blocks.counts)
    mean = np.cumsum(blocks.sums) / cases
    centres = np.append(0.0, mean[:-1])[: len(cases)]
    parts = blocks.squares - 2 * centres * blocks.sums + blocks.counts * centres**2
    # A sum of squares below 0 is rounding.
    variation = np.cumsum(np.maximum(parts, 0.0))
    mixture = GammaMixture.tuned(v_opt=v_opt, alpha=1 - level, c=c)
    reach = mixture.boundary(np.maximum(1.0, variation), 2 / (1 - level)) / cases
    # The average of differences within ±c/2 also lies within ±c/2.
    low, high = np.maximum(mean - reach, -c / 2), np.minimum(mean + reach, c / 2)
    method = (
        f"empirical Bernstein confidence sequence, V centred {centring}, c = {c:g}, tuned for V = {v_opt:g}"
    )
    return BernsteinSequence(cases, mean, low, high, variation, level, method, mixture)


def _within(values: Floats, c: float) -> Floats:
    if not (math.isfinite(c) and c > 0):
        raise OptionError(f"c is the length of the range of differences, above 0; saw {c!r}")
    outside = np.abs(values) > (c / 2) * (1 + 1e-12)
    if outside.any():
        index = int(outside.argmax())
        raise InputError(
            f"the difference of case {index + 1:,} is {float(values[index])!r}, outside [{-c / 2:g}, "
            f"{c / 2:g}]: pass the length of the range as c, or use the asymptotic sequence for unbounded "
            "scores"
        )
    return values
