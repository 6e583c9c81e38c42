"""Sampling laws: the uncertainty of an estimate, from which intervals and p-values are computed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats
from edgeworth.core.measures import Combination
from edgeworth.core.policy import MIN_DEGREES_OF_FREEDOM
from edgeworth.core.test_results import SMALLEST_FLOAT
from edgeworth.errors import OptionError


@dataclass(frozen=True)
class Scale:
    """A scale with its inverse and slope: logit between two ends, log above one end, else the identity."""

    low: float = -math.inf
    high: float = math.inf

    def forward(self, value: float) -> float:
        """Take a value to the scale."""
        if math.isinf(self.low):
            return value
        return math.log(value - self.low) - (math.log(self.high - value) if math.isfinite(self.high) else 0.0)

    def backward(self, value: float) -> float:
        """Take a value back from the scale."""
        if math.isinf(self.low):
            return min(value, self.high)
        if math.isinf(self.high):
            return self.low + math.exp(min(value, 709.0))
        share = 1 / (1 + math.exp(-value)) if value > -700 else 0.0
        return self.low + (self.high - self.low) * share

    def slope(self, value: float) -> float:
        """Compute the derivative of the scale at a value."""
        if math.isinf(self.low):
            return 1.0
        if math.isinf(self.high):
            return 1 / (value - self.low)
        return (self.high - self.low) / ((value - self.low) * (self.high - value))

    def inside(self, value: float) -> bool:
        """Return whether a value is finite on the scale."""
        return self.low < value < self.high


def natural_scale(low: float, high: float, value: float) -> Scale:
    """Choose logit for a bounded range, log for one bounded below, the identity for a value at an end."""
    scale = Scale(low, high)
    return scale if scale.inside(value) else Scale()


Alternative: TypeAlias = Literal["two-sided", "greater", "less"]


class SamplingLaw(Protocol):
    """The distribution of an estimate over repeated samples."""

    @property
    def standard_error(self) -> float:
        """Compute the standard deviation of the estimate."""

    def interval(self, level: float) -> tuple[float, float]:
        """Compute lower and upper bound at a confidence level."""

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Compute the p-value of the hypothesis that the true value is ``null``."""


@runtime_checkable
class HasFreedom(Protocol):
    """A law with the degrees of freedom of its standard error."""

    @property
    def freedom(self) -> float: ...


@runtime_checkable
class HasCaveat(Protocol):
    """A law that knows why its interval may cover less than its level."""

    @property
    def caveat(self) -> str | None: ...


@runtime_checkable
class HasClaimLimit(Protocol):
    """A law that knows why nothing can be concluded from it."""

    @property
    def no_claim(self) -> str | None: ...


def degrees_of_freedom(law: object) -> float:
    """Return the degrees of freedom of a law; infinity for a law without them, and for no law."""
    return float(law.freedom) if isinstance(law, HasFreedom) else math.inf


def caveat_of(law: object) -> str | None:
    """Return why the interval of a law may cover less than its level, or None."""
    return law.caveat if isinstance(law, HasCaveat) else None


def law_forbids_claim(law: object) -> str | None:
    """Return why a law knows too little for a claim, such as too few clusters, or None."""
    return law.no_claim if isinstance(law, HasClaimLimit) else None


CLOSEST_LEVEL = 1e-12
"""Nearer to 0 or 1, a confidence level has no quantile, and its significance level is rounded away."""


def check_level(level: float) -> None:
    """Raise an error unless a confidence level is between 0 and 1 and far enough from both."""
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        raise OptionError(f"a confidence level lies between 0 and 1 (0.95, not 95); saw {level!r}")
    if not CLOSEST_LEVEL <= level <= 1 - CLOSEST_LEVEL:
        raise OptionError(f"a confidence level differs from 0 and 1 by at least 1e-12; saw {level!r}")


def alpha_of(level: float) -> float:
    """Return the significance level of a confidence level: 0.05 for 0.95, where 1 − 0.95 is slightly more."""
    return round(1 - level, 12)


def is_significant(p_value: float, level: float) -> bool:
    """Return whether a test rejects at a level: p < 1 − level, strictly, and never if the p-value is unknown.

    >>> is_significant(0.049, 0.95), is_significant(0.05, 0.95), is_significant(math.nan, 0.95)
    (True, False, False)
    """
    return bool(p_value < alpha_of(level))


def normal_quantile(level: float) -> float:
    """Return the normal quantile of a two-sided interval at this level."""
    # Python's own (Wichura's AS 241, to the last digits), since SciPy takes a quarter second to load.
    return -NormalDist().inv_cdf((1 - level) / 2)


def student_quantile(level: float, freedom: float) -> float:
    """Return Student's t quantile of a two-sided interval at this level; the normal one if freedom is inf."""
    if math.isinf(freedom):
        return normal_quantile(level)
    from scipy.special import stdtrit

    return float(-stdtrit(freedom, (1 - level) / 2))


MAX_NORMAL_QUANTILE = 40.0
"""A tail is not followed beyond this many standard deviations."""


def bisect(is_enough: Callable[[float], bool], low: float, high: float, tolerance: float = 0.0) -> float:
    """Find the smallest value that is enough, given one that is not and one that is."""
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high or high - low <= tolerance:
            break
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def quantile_that_reaches(bounds: Callable[[float], tuple[float, float]], value: float, null: float) -> float:
    """Find the quantile at which the bounds around a value just reach a null."""
    side = 0 if null < value else 1
    return bisect(
        lambda reach: abs(bounds(reach)[side] - value) >= abs(null - value), 0.0, MAX_NORMAL_QUANTILE
    )


def invert_interval(
    interval: Callable[[float], tuple[float, float]], value: float, null: float, alternative: Alternative
) -> float:
    """Compute a p-value as the level at which the null just leaves the interval around a value."""
    is_above = null > value

    def is_kept(depth: float) -> bool:
        low, high = interval(-math.expm1(-depth))
        return not (null > high if is_above else null < low)

    # From a level next to 0 to one next to 1, twice as far from 1 as the nearest that intervals have.
    tail = math.exp(-bisect(is_kept, 1e-9, -math.log(2 * CLOSEST_LEVEL), tolerance=1e-10)) / 2
    return choose_tail(*((tail, 1 - tail) if is_above else (1 - tail, tail)), alternative)


def few_clusters_caveat(freedom: float) -> str | None:
    """Return a caveat if clusters leave too few degrees of freedom, or None."""
    if freedom >= MIN_DEGREES_OF_FREEDOM:
        return None
    return f"clusters leave {freedom:.1f} degrees of freedom, and {MIN_DEGREES_OF_FREEDOM:g} are needed"


def choose_tail(lower: float, upper: float, alternative: Alternative) -> float:
    """Return the tail of a one-sided alternative, or twice the smaller tail; a tiny one stays above 0.

    >>> choose_tail(1.0, 0.02, "two-sided"), choose_tail(1.0, 0.0, "greater")
    (0.04, 5e-324)
    """
    tails = {"greater": upper, "less": lower, "two-sided": 2 * min(lower, upper)}
    if alternative in tails:
        return min(1.0, max(tails[alternative], SMALLEST_FLOAT))
    raise OptionError(f'alternative is "two-sided", "greater" or "less"; saw {alternative!r}')


@dataclass(frozen=True)
class NormalLaw:
    """Normal on a scale that keeps the bounds inside the measure's range; Student's t with few clusters."""

    value: float
    standard_error: float
    scale: Scale
    freedom: float = np.inf

    def interval(self, level: float) -> tuple[float, float]:
        """Add and subtract a quantile of standard errors, on the scale."""
        quantile = student_quantile(level, self.freedom)
        reach = quantile * self.standard_error * self.scale.slope(self.value)
        middle = self.scale.forward(self.value)
        return self.scale.backward(middle - reach), self.scale.backward(middle + reach)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Test by Wald on the scale (on the plain one when the null is at the end of the range)."""
        if self.standard_error == 0:
            return choose_tail(float(self.value >= null), float(self.value <= null), alternative)
        scale = self.scale if self.scale.inside(null) else Scale()
        distance = (scale.forward(self.value) - scale.forward(null)) / (
            self.standard_error * scale.slope(self.value)
        )
        from scipy.special import stdtr

        lower, upper = stdtr(self.freedom, [distance, -distance])
        return choose_tail(float(lower), float(upper), alternative)


@dataclass(frozen=True)
class CautiousLaw(NormalLaw):
    """Normal or Student's t on a scale, and why it may cover less than its level, if there is reason."""

    caveat: str | None = None


class ClusterCaveats:
    """A law with a caveat if clusters or weights are too few or too unequal for it."""

    coverage_caveat: str | None
    """Why the interval may cover less than its level, although conclusions may be drawn from it."""

    @property
    def no_claim(self) -> str | None:
        """Return why nothing can be concluded, or None: clusters leave too few degrees of freedom."""
        return few_clusters_caveat(degrees_of_freedom(self))

    @property
    def caveat(self) -> str | None:
        """Return why the interval may cover less than its level, or None."""
        return self.no_claim or self.coverage_caveat


@dataclass(frozen=True)
class ClusterLaw(NormalLaw, ClusterCaveats):
    """Student's t with the degrees of freedom that clusters leave."""

    coverage_caveat: str | None = None


def wilson_bounds(successes: Floats, trials: Floats, quantile: float) -> tuple[Floats, Floats]:
    """Compute Wilson's bounds; at 0 and at all successes the outer one is exactly 0 and 1."""
    share, square = successes / trials, quantile**2
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    reach = (
        quantile * np.sqrt(share * (1 - share) / trials + square / (4 * trials**2)) / (1 + square / trials)
    )
    low = np.where(successes == 0, 0.0, middle - reach)
    high = np.where(successes == trials, 1.0, middle + reach)
    return low, high


def binomial_bounds(
    successes: Floats | float, trials: Floats | float, tail: Floats | float
) -> tuple[Floats, Floats]:
    """Compute exact binomial bounds that leave at most ``tail`` on each side (Clopper & Pearson 1934)."""
    from scipy.special import betainccinv, betaincinv

    successes, misses = np.asarray(successes), np.asarray(trials - successes)
    # The parameters of a beta distribution are positive; the bounds at 0 and at all successes are the ends.
    low = betaincinv(np.where(successes > 0, successes, 1.0), misses + 1, tail)
    high = betainccinv(successes + 1, np.where(misses > 0, misses, 1.0), tail)
    return np.where(successes > 0, low, 0.0), np.where(misses > 0, high, 1.0)


@dataclass(frozen=True)
class ClopperPearsonLaw:
    """A proportion by exact binomial tails: never below its level, often above."""

    successes: float
    trials: float

    @property
    def standard_error(self) -> float:
        """Compute √(p(1−p)/n)."""
        share = self.successes / self.trials
        return math.sqrt(share * (1 - share) / self.trials)

    def interval(self, level: float) -> tuple[float, float]:
        """Find bounds that leave at most half of 1 − level in each tail."""
        low, high = binomial_bounds(self.successes, self.trials, (1 - level) / 2)
        return float(low), float(high)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Compute binomial tails, the smaller one doubled."""
        from scipy.special import betainc, betaincc

        hits, misses = self.successes, self.trials - self.successes
        upper = float(betainc(hits, misses + 1, null)) if hits else 1.0
        lower = float(betaincc(hits + 1, misses, null)) if misses else 1.0
        return choose_tail(lower, upper, alternative)


QUANTILE_SPLITS = 33
"""The ways in which two proportions share a quantile; nine give nearly the same bounds."""


@dataclass(frozen=True)
class NewcombeLaw(ClusterCaveats):
    """Square-and-add: Wilson's bounds of independent proportions combined (Newcombe 1998; MOVER).

    Of one proportion these are Wilson's bounds themselves, and the p-value is that of the score test.
    """

    combination: Combination

    @property
    def _shares(self) -> NDArray[np.float64]:
        # Sums of fractions can put a share a rounding error outside its range.
        return np.asarray(np.clip(self.combination.successes / self.combination.trials, 0.0, 1.0))

    @property
    def value(self) -> float:
        """Compute the combination at the observed proportions."""
        return float(self.combination.constant + self.combination.coefficients @ self._shares)

    @property
    def freedom(self) -> float:
        """Return the degrees of freedom that clusters leave."""
        return self.combination.freedom

    @property
    def coverage_caveat(self) -> str | None:  # type: ignore[override]  # that of the combination
        """Return why the interval may cover less than its level, or None."""
        return self.combination.caveat

    @property
    def standard_error(self) -> float:
        """Add the variances of the proportions, and their covariances."""
        spread = np.sqrt(self._shares * (1 - self._shares) / self.combination.trials)
        return self._length(self.combination.coefficients * spread)

    def interval(self, level: float) -> tuple[float, float]:
        """Square and add at this level."""
        return self._bounds(normal_quantile(level))

    def _bounds(self, quantile: float) -> tuple[float, float]:
        trials = self._trials_at(quantile)
        down, up = self._reaches(*wilson_bounds(self._shares * trials, trials, quantile))
        return self.value - self._length(down), self.value + self._length(up)

    def _reaches(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Compute how far bounds of the proportions move the combination down and up, with signs."""
        share = self._shares
        weight = self.combination.coefficients
        # With its sign, so that proportions that go together are added with theirs.
        down = weight * np.where(weight > 0, share - low, high - share)
        up = weight * np.where(weight > 0, high - share, share - low)
        return down, up

    def outer_interval(self, level: float) -> tuple[float, float]:
        """Combine exact binomial bounds, which hold at levels near 1 too, where Wilson's, squared, do not.

        Two proportions share the quantile z as z cos θ and z sin θ, and the widest sum of their exact bounds
        over θ counts. In the middle of the range that is square-and-add. More than two proportions, which
        are far from all being at their ends, are squared and added.
        """
        number = len(self.combination.trials)
        if number > 2:
            return self.exact_interval(level)
        from scipy.special import ndtr

        quantile = normal_quantile(level)
        trials = self._trials_at(quantile)
        angles = np.linspace(0, math.pi / 2, QUANTILE_SPLITS if number == 2 else 1)
        parts = np.stack([np.cos(angles), np.sin(angles)], axis=-1)[:, :number]
        tails = ndtr(-quantile * self._joint_stretch() * parts)
        down, up = self._reaches(*binomial_bounds(self._shares * trials, trials, tails))
        return self.value - float(abs(down).sum(-1).max()), self.value + float(abs(up).sum(-1).max())

    def _joint_stretch(self) -> float:
        """Return by how much parts of two correlated proportions that go together add up to more, at most."""
        correlation = self.combination.correlation
        if correlation is None or len(correlation) != 2:
            return 1.0
        first, second = np.sign(self.combination.coefficients)
        return math.sqrt(1 + max(0.0, float(correlation[0, 1] * first * second)))

    def exact_interval(self, level: float) -> tuple[float, float]:
        """Square and add exact binomial bounds."""
        down, up = self._exact_reaches(level)
        return self.value - self._length(down), self.value + self._length(up)

    def _exact_reaches(self, level: float) -> tuple[Floats, Floats]:
        trials = self._trials_at(normal_quantile(level))
        proportions = zip(self._shares * trials, trials, strict=True)
        exact = [ClopperPearsonLaw(hits, number).interval(level) for hits, number in proportions]
        return self._reaches(*np.array(exact).T)

    def _trials_at(self, quantile: float) -> NDArray[np.float64]:
        """Reduce trials that are known with few degrees of freedom, by Student's t (Korn & Graubard 1998)."""
        combination = self.combination
        if combination.freedoms is None or quantile == 0:
            return np.asarray(combination.trials)
        from scipy.special import ndtr, stdtrit

        # Far out Student's quantile is not needed: trials never fall below ``fewest``.
        student = -stdtrit(combination.freedoms, max(float(ndtr(-quantile)), 1e-300))
        reduced = np.where(np.isfinite(student), combination.trials * (quantile / student) ** 2, 0.0)
        return np.asarray(np.clip(reduced, combination.fewest, combination.trials))

    def _length(self, parts: NDArray[np.float64]) -> float:
        correlation = self.combination.correlation
        square = parts @ parts if correlation is None else parts @ correlation @ parts
        return math.sqrt(max(0.0, float(square)))

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Find the level at which the null would just leave the interval."""
        if null == self.value:
            return choose_tail(0.5, 0.5, alternative)
        from scipy.special import ndtr

        tail = float(ndtr(-quantile_that_reaches(self._bounds, self.value, null)))
        return choose_tail(*((1 - tail, tail) if null < self.value else (tail, 1 - tail)), alternative)


@dataclass(frozen=True)
class PosteriorLaw:
    """Draws from a posterior: intervals are credible, a p-value is the posterior's tail beyond the null.

    At the end of its range (all right) the estimate lies beyond every draw; the interval then reaches to it.
    """

    value: float
    draws: Floats
    undefined_draws: int = 0
    caveat: str | None = None

    @cached_property
    def standard_error(self) -> float:
        """Compute the standard deviation of the draws."""
        return float(self.draws.std(ddof=1))

    def interval(self, level: float) -> tuple[float, float]:
        """Take the quantiles that leave equal tails."""
        low, high = np.quantile(self.draws, [(1 - level) / 2, (1 + level) / 2])
        return min(float(low), self.value), max(float(high), self.value)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Take P(measure ≤ null) against "greater"; the smaller tail doubled for two sides."""
        upper = float((self.draws <= null).mean())
        lower = float((self.draws >= null).mean())
        return choose_tail(lower, upper, alternative)


@dataclass(frozen=True)
class WiderLaw(ClusterCaveats):
    """Two laws of one estimate, neither of which covers everywhere: outer bounds, larger p-value."""

    first: SamplingLaw
    second: SamplingLaw
    own_caveat: str | None = None
    """Why even the outer bounds may cover less than their level."""

    @property
    def standard_error(self) -> float:
        """Take the larger standard error."""
        return max(self.first.standard_error, self.second.standard_error)

    @property
    def freedom(self) -> float:
        """Return the degrees of freedom of the first law, or inf."""
        return degrees_of_freedom(self.first)

    @property
    def coverage_caveat(self) -> str | None:  # type: ignore[override]  # that of the first law
        """Return the caveat of the first law, or its own, or None."""
        return caveat_of(self.first) or self.own_caveat

    def interval(self, level: float) -> tuple[float, float]:
        """Take the outer bounds."""
        first = self.first.interval(level)
        second = self.second.interval(level)
        return min(first[0], second[0]), max(first[1], second[1])

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Take the larger p-value."""
        return max(law.p_value(null, alternative) for law in (self.first, self.second))


@dataclass(frozen=True)
class BootstrapLaw(PosteriorLaw):
    """Replicates of the estimate, and their percentiles."""

    def interval(self, level: float) -> tuple[float, float]:
        """Take the quantiles that leave equal tails."""
        low, high = np.quantile(self.draws, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Count the replicates beyond the null, the estimate itself as one of them."""
        upper = (1 + float((self.draws <= null).sum())) / (1 + len(self.draws))
        lower = (1 + float((self.draws >= null).sum())) / (1 + len(self.draws))
        return choose_tail(lower, upper, alternative)


SMALLEST_TAIL = 1e-15
"""A tail is not followed below this probability: a level next to 1 has no more digits."""

TAIL_DIGITS = 1e-6
"""The relative error of a tail that is found by bisection."""


@dataclass(frozen=True)
class GapLaw:
    """The difference of two estimates on different cases, by squaring and adding their own bounds.

    The method of variance estimates recovery (MOVER; Zou & Donner 2008). For two proportions it is Newcombe's
    interval. Two laws of Student's t on the plain scale are combined as Welch's t. ``correlation`` is that of
    the estimates, which is not 0 if both have cases of the same clusters.
    """

    values: tuple[float, float]
    first: SamplingLaw
    second: SamplingLaw
    correlation: float = 0.0

    @property
    def value(self) -> float:
        """Compute the first value minus the second."""
        return self.values[0] - self.values[1]

    @property
    def standard_error(self) -> float:
        """Add the variances, and subtract twice the covariance."""
        return self._length(self.first.standard_error, self.second.standard_error)

    def interval(self, level: float) -> tuple[float, float]:
        """Square and add the distances to the bounds of both estimates."""
        welch = self._welch()
        if welch is not None:
            return welch.interval(level)
        return self._square_and_add(self.first.interval(level), self.second.interval(level))

    def outer_interval(self, level: float) -> tuple[float, float]:
        """Square and add with exact binomial bounds of proportions, which hold at levels near 1 too."""
        if self._welch() is not None:
            return self.interval(level)
        first, second = (
            law.exact_interval(level) if isinstance(law, NewcombeLaw) else law.interval(level)
            for law in (self.first, self.second)
        )
        return self._square_and_add(first, second)

    def _square_and_add(
        self, first_bounds: tuple[float, float], second_bounds: tuple[float, float]
    ) -> tuple[float, float]:
        (first_low, first_high), (second_low, second_high) = first_bounds, second_bounds
        first, second = self.values
        down = self._length(first - first_low, second_high - second)
        up = self._length(first_high - first, second - second_low)
        return self.value - down, self.value + up

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Find the level at which the null would just leave the interval."""
        welch = self._welch()
        if welch is not None:
            return welch.p_value(null, alternative)
        if null == self.value:
            return choose_tail(0.5, 0.5, alternative)
        side = 0 if null < self.value else 1

        def is_inside(log_tail: float) -> bool:
            bound = self.interval(1 - 2 * math.exp(log_tail))[side]
            return bound <= null if side == 0 else bound >= null

        least = max(SMALLEST_TAIL, *(_smallest_tail(law) for law in (self.first, self.second)))
        tail = math.exp(-bisect(lambda x: is_inside(-x), math.log(2), -math.log(least), TAIL_DIGITS))
        return choose_tail(*((1 - tail, tail) if side == 0 else (tail, 1 - tail)), alternative)

    def _welch(self) -> NormalLaw | None:
        """Combine two laws of Student's t on the plain scale; return None if the laws are others."""
        first, second = self.first, self.second
        if not (isinstance(first, NormalLaw) and isinstance(second, NormalLaw)):
            return None
        if not (math.isinf(first.scale.low) and math.isinf(second.scale.low)) or not self.standard_error:
            return None
        freedom = min(first.freedom, second.freedom)
        if not self.correlation:
            parts = (
                law.standard_error**4 / law.freedom for law in (first, second) if math.isfinite(law.freedom)
            )
            total = sum(parts)
            freedom = self.standard_error**4 / total if total else math.inf
        return NormalLaw(self.value, self.standard_error, Scale(), freedom)

    def _length(self, first: float, second: float) -> float:
        return math.sqrt(max(0.0, first**2 + second**2 - 2 * self.correlation * first * second))


def _smallest_tail(law: SamplingLaw) -> float:
    """Return the smallest tail that draws can show, or 0 for a law without draws."""
    return 1 / (1 + len(law.draws)) if isinstance(law, PosteriorLaw) else 0.0


@dataclass(frozen=True)
class MirroredLaw:
    """The law of minus a difference."""

    inner: SamplingLaw

    @property
    def standard_error(self) -> float:
        """Return that of the difference."""
        return self.inner.standard_error

    def interval(self, level: float) -> tuple[float, float]:
        """Return the bounds of minus the difference."""
        low, high = self.inner.interval(level)
        return -high, -low

    def outer_interval(self, level: float) -> tuple[float, float]:
        """Return bounds of minus the difference that hold at levels near 1 too."""
        low, high = outer_interval(self.inner, level)
        return -high, -low

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Return the p-value of minus the difference."""
        turned: dict[Alternative, Alternative] = {"greater": "less", "less": "greater"}
        return self.inner.p_value(-null, turned.get(alternative, alternative))


def mirror_law(law: SamplingLaw) -> SamplingLaw:
    """Make the law of minus a difference; a law that is mirrored twice is the law itself."""
    return law.inner if isinstance(law, MirroredLaw) else MirroredLaw(law)


def unmirror(law: SamplingLaw | None) -> tuple[SamplingLaw | None, bool]:
    """Return the law below a mirrored one, and whether it was mirrored."""
    return (law.inner, True) if isinstance(law, MirroredLaw) else (law, False)


def outer_interval(law: SamplingLaw | None, level: float) -> tuple[float, float]:
    """Compute bounds that hold at levels near 1 too, as one of several intervals needs; nan without a law."""
    if law is None:
        return math.nan, math.nan
    if isinstance(law, (NewcombeLaw, GapLaw, MirroredLaw)):
        return law.outer_interval(level)
    return law.interval(level)
