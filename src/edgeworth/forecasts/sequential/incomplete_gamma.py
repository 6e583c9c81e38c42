"""The integral behind the gamma-exponential mixture, in logarithms and without overflow.

J(a, b) = exp(b) · ∫₀¹ x^(a−1) exp(−bx) dx = exp(b) Γ(a) P(a, b) / b^a, and for b ≤ 0 exp(b) ₁F₁(a; a+1;
−b)/a.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from edgeworth.arrays import Floats

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
    """1/J(a, b) as a − b + b/(a+1−b + 2b/(a+2−b + …)), from its far end.

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
