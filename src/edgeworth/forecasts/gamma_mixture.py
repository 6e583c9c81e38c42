"""The gamma-exponential mixture: the wealth of all stakes at once, weighted by a gamma law, and its boundary.

For every stake λ in [0, 1/c) the process exp(λs − vψ(λ)), ψ(λ) = (−log(1−cλ) − cλ)/c², starts at 1 and does
not grow on average when s is a sum of differences minus their conditional means and v the sum of their
squared distances from centres known beforehand, differences and centres in an interval of length c. x = 1 −
cλ is given the gamma law of shape and rate r = ρ/c², cut off at 1; the average over it is

    m(s, v) = r^r / (Γ(r) P(r, r)) · Γ(a) P(a, b) / b^a · exp((cs + v)/c²),   a = (v+ρ)/c²,  b = (cs+v+ρ)/c²,

so by Ville's inequality P(m(s_t, v_t) ≥ 1/α at any time t) ≤ α (Howard, Ramdas, McAuliffe & Sekhon 2021,
Annals of Statistics 49, 1055–1080, Proposition 9; Choe & Ramdas 2024, Operations Research 72, 1368–1387)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike

from edgeworth.common.arrays import Floats
from edgeworth.errors import OptionError

FRACTION_STEPS = 120
"""Steps of the continued fraction: where it is used it has settled by then."""

HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


def log_scaled_integral(shape: Floats, excess: Floats) -> Floats:
    """log J(a, b) with a = ``shape`` > 0 and b = a + ``excess`` of any sign.

    Well below a (b ≤ max(a/2, a − 2√a), negative b among it) it is a continued fraction; for the rest
    Stirling's formula takes the large parts of log Γ(a), a log b and b away from each other before they are
    computed.

    >>> log_scaled_integral(np.array([1.0]), np.array([0.0])).round(12)  # exp(1) · (1 − exp(−1))
    array([0.54132485])
    """
    shape, excess = np.broadcast_arrays(np.asarray(shape, float), np.asarray(excess, float))
    below = excess <= -np.minimum(shape / 2, 2 * np.sqrt(shape))
    result = np.empty(shape.shape)
    result[below] = -np.log(_fraction(shape[below], excess[below]))
    result[~below] = log_above(shape[~below], excess[~below])
    return result


def log_above(shape: Floats, excess: Floats) -> Floats:
    """log J(a, a + excess) where P(a, b) is not small.

    log Γ(a) − a log b + b = ½ log(2π/a) + δ(a) + a (η − log(1+η)), with η = excess/a and δ the remainder of
    Stirling's formula.
    """
    large = HALF_LOG_TWO_PI - 0.5 * np.log(shape) + stirling_remainder(shape)
    with np.errstate(divide="ignore"):  # a probability of 0 has the logarithm −∞
        return np.asarray(
            large
            + shape * ratio_less_logarithm(excess / shape)
            + np.log(scipy.special.gammainc(shape, shape + excess))
        )


def _fraction(shape: Floats, excess: Floats) -> Floats:
    """Evaluate 1/J(a, b) = a − b + b/(a+1−b + 2b/(a+2−b + …)) from its far end.

    For b < 0 it is Charlier's: J is the mean of 1/(a+N) with N from Poisson's law of mean −b, and every
    denominator is positive. For 0 ≤ b ≤ a − 2√a it converges at least as fast as that of Mills' ratio at 2.
    """
    rate = shape + excess
    value = FRACTION_STEPS - excess
    for step in range(FRACTION_STEPS, 0, -1):
        value = (step - 1) - excess + step * rate / value
    return np.asarray(value)


def stirling_remainder(shape: Floats) -> Floats:
    """δ(a) = log Γ(a) − (a − ½) log a + a − ½ log 2π, about 1/(12a).

    >>> stirling_remainder(np.array([1.0, 1e6]))
    array([8.10614668e-02, 8.33333333e-08])
    """
    shape = np.asarray(shape, float)
    inverse = 1 / np.maximum(shape, 20.0)
    square = inverse * inverse
    series = inverse * (
        1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))
    )
    small = np.minimum(shape, 20.0)
    direct = scipy.special.gammaln(small) - (small - 0.5) * np.log(small) + small - HALF_LOG_TWO_PI
    return np.where(shape < 20, direct, series)


def ratio_less_logarithm(ratio: Floats) -> Floats:
    """η − log(1+η), also where η is so small that the difference would drown in rounding.

    >>> ratio_less_logarithm(np.array([1e-9, 1.0]))
    array([5.00000000e-19, 3.06852819e-01])
    """
    ratio = np.asarray(ratio, float)
    near = np.where(np.abs(ratio) < 0.02, ratio, 0.0)
    series = np.zeros_like(near)
    for order in range(11, 1, -1):
        series = 1 / order - near * series
    return np.where(np.abs(ratio) < 0.02, near * near * series, ratio - np.log1p(ratio))


NEWTON_TOLERANCE = 1e-7
"""A Newton step of less than this part of the boundary is the last: its error is about its square."""

MAX_NEWTON_STEPS = 60
"""Never reached: four or five are enough."""


@dataclass(frozen=True)
class GammaMixture:
    """The gamma-exponential mixture m(s, v) for differences in an interval of length c.

    ``rho`` is the parameter of the mixing law; ``tuned`` finds one.

    >>> mixture = GammaMixture.tuned(v_opt=10.0, alpha=0.05, c=2.0)
    >>> mixture.log_value([0.0, 12.0, -12.0], [0.0, 10.0, 10.0]).round(4)
    array([ 0.    ,  1.8136, -3.0984])
    >>> mixture.boundary([1.0, 10.0, 1000.0], 2 / 0.05).round(4)
    array([ 10.0863,  17.1946, 127.2135])
    """

    c: float
    rho: float

    def __post_init__(self) -> None:
        """Refuse what gives no mixture."""
        for name, value in (("c", self.c), ("rho", self.rho)):
            if not (math.isfinite(value) and value > 0):
                raise OptionError(f"{name} of a gamma-exponential mixture is a number above 0; saw {value!r}")

    @classmethod
    def tuned(cls, *, v_opt: float, alpha: float, c: float) -> GammaMixture:
        """Make the mixture whose boundary is nearly tightest at v = v_opt, a variance chosen beforehand.

        ``alpha`` is the probability of error of both sides together, and
        ρ = v_opt/(2 ln(1/α) + ln(1 + 2 ln(1/α))).
        """
        if not 0 < alpha < 1:
            raise OptionError(f"alpha is a probability of error between 0 and 1; saw {alpha!r}")
        twice = 2 * math.log(1 / alpha)
        return cls(c, v_opt / (twice + math.log1p(twice)))

    @cached_property
    def _log_constant(self) -> float:
        """Return log(r^r exp(−r)/(Γ(r) P(r, r))), the factor of J(a, b) in m."""
        rate = self.rho / self.c**2
        remainder = float(stirling_remainder(np.array(rate)))
        return (
            0.5 * math.log(rate)
            - HALF_LOG_TWO_PI
            - remainder
            - math.log(float(scipy.special.gammainc(rate, rate)))
        )

    def log_value(self, s: ArrayLike, v: ArrayLike) -> Floats:
        """Compute log m(s, v), element by element; s of any sign, v ≥ 0."""
        shape = (np.asarray(v, float) + self.rho) / self.c**2
        return self._log_constant + log_scaled_integral(shape, np.asarray(s, float) / self.c)

    def boundary(self, v: ArrayLike, threshold: float) -> Floats:
        """Find u(v) with m(u(v), v) = threshold: s ever reaches it with probability at most 1/threshold.

        log m is convex and rises in s, so Newton's steps come down to the root from above after the first and
        the result is not below it but for rounding.
        """
        if not (math.isfinite(threshold) and threshold > 1):
            raise OptionError(f"a boundary belongs to a threshold above 1, such as 2/0.05; saw {threshold!r}")
        variation = np.asarray(v, float)
        if not (np.isfinite(variation).all() and (variation >= 0).all()):
            raise OptionError("v must be finite and at least 0")
        shape = (variation.ravel() + self.rho) / self.c**2
        level = math.log(threshold) - self._log_constant
        excess = _newton(shape, _first_guess(shape, level), level)
        return np.asarray(self.c * excess).reshape(variation.shape)


def _first_guess(shape: Floats, level: float) -> Floats:
    """Guess the root as if P(a, b) were 1: a(η − log(1+η)) = y, η between √(2y) + ⅔y and √(2y) + y.

    (Chatzigeorgiou 2013, IEEE Communications Letters 17, 1505–1508.)
    """
    exponent = level - HALF_LOG_TWO_PI + 0.5 * np.log(shape) - stirling_remainder(shape)
    ratio = np.maximum(exponent, 1e-3) / shape
    return np.asarray(shape * (np.sqrt(2 * ratio) + 0.7 * ratio))


def _newton(shape: Floats, excess: Floats, level: float) -> Floats:
    """Solve log J(a, a + excess) = level, given a guess above 0 of each.

    The slope of log J is the mean of 1 − x under the weights x^(a−1) exp(−bx): 1 − (a − 1/J)/b.
    """
    excess = excess.copy()
    todo = np.arange(excess.size)
    for _ in range(MAX_NEWTON_STEPS):
        part, current = shape[todo], excess[todo]
        value = log_above(part, current)
        step = (value - level) / ((current + np.exp(-value)) / (part + current))
        # Convexity keeps every step above the root, which is above 0; half the way down is for rounding.
        excess[todo] = np.maximum(current - step, current / 2)
        todo = todo[np.abs(step) > NEWTON_TOLERANCE * current]
        if not todo.size:
            break
    return excess
