"""A confidence sequence for the mean of unbounded scores (the log score), valid in the limit only.

Normal mixture: Δ_t ± √( 2(tρ²σ²+1)/(t²ρ²) · ln(√(tρ²σ²+1)/α) ), σ² the running variance (Waudby-Smith,
Arbour, Sinha, Kennedy & Ramdas 2024, Annals of Statistics 52, 2613–2640). With normal cases of known
variance it would hold from the first case on. With an estimated variance it does not: from the second case
on it misses 17% (normal) to 40% (lognormal) when tuned for 100 cases, 7 to 23% when tuned for 1000, where
5% was said. So nothing is shown before a burn-in.

After 100 cases, tuned for 1000, it misses 3% (normal), 3% (exponential), 2% (log scores of two
forecasters), but 7% of lognormal cases and 11% where all variance comes from one case in 100: skewed scores
need a longer burn-in, rare events one with dozens of events in it (``bench/sequences.py``). Bounded scores
have a sequence that needs none.

ρ is tuned to t* cases of standard deviation σ*: x = t*ρ²σ*² with x − ln(1+x) = 2 ln(1/α), that is
ρ² = (−W₋₁(−α²/e) − 1)/(t*σ*²), makes the interval narrowest at t*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from edgeworth.arrays import Floats
from edgeworth.core.laws import check_level
from edgeworth.errors import OptionError
from edgeworth.forecasts.sequential.sequences import BlockSums, ConfidenceSequence, finite_differences

BURN_IN = 100
"""Cases before which nothing is shown, unless asked for otherwise."""

TUNED_FOR = 1000
"""Cases at which the interval is narrowest, unless asked for otherwise."""


@dataclass(frozen=True, eq=False)
class AsymptoticSequence(ConfidenceSequence):
    """An asymptotic confidence sequence; V is t times the running variance, nan is before the burn-in's end.

    ``undefined`` is the reason why nothing is shown at all, None when something is.
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
    """Bounds of the mean difference after every case from the burn-in's end on.

    ``deviation`` is the standard deviation to tune for, fixed beforehand; by default that of the burn-in. One
    that is k times too large tunes for k² times as many cases.

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
    """The same after every block, from the blocks' sums alone: equal to the case-by-case one tuned there.

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
