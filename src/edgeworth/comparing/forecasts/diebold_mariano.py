"""Diebold and Mariano's test of equal expected loss, for forecasts some steps ahead.

d_t is the difference of losses, d̄ its mean, γ_k = Σ_{t>k} (d_t − d̄)(d_{t−k} − d̄)/n. Forecasts h steps ahead
have errors that overlap, so differences up to h − 1 apart go together:

    V = γ_0 + 2 Σ_{k<h} w_k γ_k,  w_k = 1 (rectangular) or 1 − k/h (Newey and West),  DM = d̄ / √(V/n)

(Diebold & Mariano 1995, Journal of Business & Economic Statistics 13, 253–263). With few cases DM rejects too
often; times √((n + 1 − 2h + h(h − 1)/n)/n), and held against Student's t with n − 1 degrees of freedom, it
nearly keeps its level (Harvey, Leybourne & Newbold 1997, International Journal of Forecasting 13, 281–291).
For h = 1 that is the paired t test, to the last digit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from edgeworth.core.tails import Tail
from edgeworth.errors import InputError, OptionError

Kernel: TypeAlias = Literal["rectangular", "newey-west"]

ALIKE = 1e-13
"""A spread of this share of the squares is rounding, not data."""


@dataclass(frozen=True)
class DieboldMariano:
    """The test's statistic and what it says; ``statistic`` is corrected for few cases, ``plain`` is not.

    ``standard_error`` is that of the mean difference, the correction included, so that the statistic is the
    mean over it. ``kernel`` is the one that was used; ``doubt`` says why if another one was asked for.
    """

    mean: float
    kernel: Kernel
    standard_error: float = math.nan
    statistic: float = math.nan
    plain: float = math.nan
    tail: Tail | None = None
    undefined: str | None = None
    doubt: str | None = None

    @property
    def p_value(self) -> float:
        """Two-sided; nan when undefined."""
        return math.nan if self.tail is None else self.tail.p_value


def diebold_mariano(
    first: ArrayLike, second: ArrayLike, *, horizon: int = 1, kernel: Kernel = "rectangular"
) -> DieboldMariano:
    """Test whether two forecasters' expected losses are equal, cases in the order of time.

    ``horizon`` is how many steps ahead the forecasts were made. The rectangular V may come out negative; then
    Newey and West's, which may not, is used.

    >>> found = diebold_mariano([0.5, 0.75, 0.25, 1.0], [0.25, 0.25, 0.5, 0.5])
    >>> round(found.statistic, 6), round(found.p_value, 6), found.tail.method
    (1.414214, 0.252215, "Diebold–Mariano, corrected for few cases, Student's t with 3 degrees of freedom")
    """
    one, two = check_losses(first, "first"), check_losses(second, "second")
    if len(one) != len(two):
        raise InputError(f"losses of the same cases are needed; saw {len(one):,} and {len(two):,} of them")
    cases = len(one)
    if kernel not in get_args(Kernel):
        raise OptionError(f"kernel is one of {', '.join(get_args(Kernel))}; saw {kernel!r}")
    if isinstance(horizon, bool) or not isinstance(horizon, (int, np.integer)) or horizon < 1:
        raise OptionError(f"the horizon is a whole number of steps, 1 or more; saw {horizon!r}")
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        infinite = [int((~np.isfinite(each)).sum()) for each in (one, two)]
        reason = f"losses are infinite: {infinite[0]:,} of the first and {infinite[1]:,} of the second"
        return DieboldMariano(math.nan, kernel, undefined=reason)
    if cases < 2 or horizon >= cases:
        mean = float((one - two).mean()) if cases else math.nan
        reason = f"forecasts {horizon} ahead need more than {horizon} cases; there are {cases:,}"
        return DieboldMariano(mean, kernel, undefined=reason)
    return _test_mean(one - two, int(horizon), kernel)


def _test_mean(differences: NDArray[np.float64], horizon: int, kernel: Kernel) -> DieboldMariano:
    cases, mean = len(differences), float(differences.mean())
    if not differences.any():
        return DieboldMariano(0.0, kernel, 0.0, 0.0, 0.0, Tail(1.0, 1.0, 1.0, "every difference is 0"))
    rest = differences - mean
    if (rest**2).sum() <= ALIKE * (differences**2).sum():
        reason = "the differences are all alike: they have no spread to judge their mean by"
        return DieboldMariano(mean, kernel, undefined=reason)
    variance, doubt = long_run_variance(rest, horizon, kernel), None
    if variance <= 0 and kernel == "rectangular":
        kernel, variance = "newey-west", long_run_variance(rest, horizon, "newey-west")
        doubt = "the rectangular variance is not above 0: Newey and West's weights were used"
    if variance <= 0:
        reason = "the variance of the mean is not above 0, whatever the weights"
        return DieboldMariano(mean, kernel, undefined=reason)
    plain_error = math.sqrt(variance / cases)
    # n + 1 − 2h + h(h − 1)/n = (n − h)(n − h + 1)/n
    error = plain_error / math.sqrt((cases - horizon) * (cases - horizon + 1) / cases**2)
    statistic = mean / error
    ahead = "" if horizon == 1 else f", {horizon} ahead ({kernel})"
    law = f"Student's t with {cases - 1:,} degrees of freedom"
    p_value = 2 * float(scipy.special.stdtr(cases - 1, -abs(statistic)))
    tail = Tail.approximated(p_value, 0.0, f"Diebold–Mariano{ahead}, corrected for few cases, {law}")
    return DieboldMariano(mean, kernel, error, statistic, mean / plain_error, tail, None, doubt)


def long_run_variance(rest: NDArray[np.float64], horizon: int, kernel: Kernel) -> float:
    """Compute γ_0 + 2 Σ_{k<h} w_k γ_k of differences less their mean.

    >>> [long_run_variance(np.array([1.0, 1.0, -2.0]), 2, kernel) for kernel in ("rectangular", "newey-west")]
    [1.3333333333333333, 1.6666666666666667]
    """
    total = float((rest**2).sum())
    for lag in range(1, horizon):
        weight = 1 - lag / horizon if kernel == "newey-west" else 1.0
        total += 2 * weight * float((rest[lag:] * rest[:-lag]).sum())
    return total / len(rest)


def check_losses(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Check that there is one number a case and none is missing; it may be infinite."""
    losses = np.asarray(values, dtype=np.float64)
    if losses.ndim != 1:
        raise InputError(f"the {name} losses are one number a case; saw an array of shape {losses.shape}")
    if np.isnan(losses).any():
        row = int(np.isnan(losses).argmax()) + 1
        raise InputError(f"the {name} losses: row {row:,} is missing (nan)")
    return losses
