"""P(S ≥ x) of a sum of many steps, enclosed from below and from above.

The law is tilted until its mean is near x, and the indicator of S ≥ x is put between Graham and Vaaler's two
functions, whose mean takes the characteristic function on a grid of frequencies only
(``rankings/chance/bracket.py``).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.forecasts.luck.log_returns import LogReturns
from edgeworth.rankings.chance.bracket import majorant_coefficients

WIDTHS = (1e-3, 1e-2, 1e-1)
"""Relative widths of a bracket where the law is smooth; the first that takes seconds only."""

TOLERANCE = 1e-7
"""What may lie outside the window, relative to what is to be found."""

ROUNDING, TINY = 1e-8, 1e-10
"""Relative and absolute allowances for rounding, far above what it comes to; more for many steps."""

MOST_WORK = 60_000_000
"""Exponentials, some 40 ns each."""


def enclose_tail(steps: LogReturns, x: float, slack: float) -> tuple[float, float, int] | None:
    """log P(x ≤ S < ∞) from below and from above, and the frequencies it took; None if they are too many.

    P(S > x) lies between the same ends.
    """
    tilt = tilt_towards(steps, x)
    base, _, variance = log_moment(steps, tilt)
    scale = 1 / (1 + 2.5 * tilt * math.sqrt(variance))
    tolerance = TOLERANCE * scale
    period = window(steps, x, tilt, tolerance)
    for width in WIDTHS:
        count = math.ceil(tilt * period / width) + 1
        j, ratio = np.arange(count, dtype=np.float64), tilt * period / count
        angles, enough = 2 * np.pi * j / period, 0.02 * ratio * scale * np.sqrt((j + 1) / count)
        found = characteristic_function(steps, tilt, angles, x, enough)
        if found is not None:
            break
    else:
        return None
    turned, left = found
    above, below = majorant_coefficients(ratio, j / count)
    weights, nudge = np.where(j > 0, 2.0, 1.0) / count, np.exp(1j * angles * slack)
    dropped = float((weights * np.maximum(abs(above), abs(below)) * left).sum())
    high = float((weights * (above * turned * nudge).real).sum()) + dropped
    low = float((weights * (below * turned / nudge).real).sum()) - dropped
    # Repetition only adds to the majorant; the minorant must give back what falls outside one period.
    more = 1e-15 * float(steps.counts @ (1 + tilt * abs(steps.finite_logs).max(axis=1)))
    low = low * -math.expm1(-tilt * period) - 3 * tolerance - TINY - more
    high = min(max(high, 0.0), 1.0) + TINY + more
    log_low = base - tilt * (x + slack) + math.log(low) - ROUNDING - more if low > 0 else -math.inf
    return log_low, base - tilt * (x - slack) + math.log(high) + ROUNDING + more, count


def log_moment(steps: LogReturns, tilt: float) -> tuple[float, float, float]:
    """log E[exp(θS); S finite], and the mean and variance of S under the law tilted by θ."""
    logs, _, mean, spread = _tilt(steps, tilt)
    return float(steps.counts @ logs), float(steps.counts @ mean), float(steps.counts @ spread)


def _tilt(steps: LogReturns, tilt: float) -> tuple[Floats, Floats, Floats, Floats]:
    """log E[exp(θ step)], the tilted probabilities, and the mean and variance of each step under them."""
    terms = steps.log_finite + tilt * steps.finite_logs
    top = terms.max(axis=1, keepdims=True)
    weights = np.exp(terms - top)
    sums = weights.sum(axis=1, keepdims=True)
    shares = weights / sums
    mean = (shares * steps.finite_logs).sum(axis=1)
    spread = (shares * (steps.finite_logs - mean[:, None]) ** 2).sum(axis=1)
    return (top + np.log(sums))[:, 0], shares, mean, spread


def tilt_towards(steps: LogReturns, x: float) -> float:
    """θ > 0 with tilted mean near x; any is right, this one is narrow."""
    from scipy.optimize import brentq

    _, mean, variance = log_moment(steps, 0.0)
    unit = 1 / math.sqrt(variance)
    if x <= mean + 0.5 / unit:
        return 0.5 * unit
    high = unit
    while (tilted := log_moment(steps, high))[1] < x:
        if tilted[2] < 1e-9 * variance:  # as good as at the upper end of all outcomes
            return high
        high *= 2
    return float(brentq(lambda tilt: log_moment(steps, tilt)[1] - x, 0.0, high, rtol=1e-3))


def window(steps: LogReturns, x: float, tilt: float, tolerance: float) -> float:
    """Outside one period the tilted law and exp(−θ(S − x)) have less than the tolerance (Chernoff)."""
    start, _, variance = log_moment(steps, tilt)

    def reach(sign: float) -> float:
        shifts = [sign * size / math.sqrt(variance) for size in (2.0, 4.0, 6.0)]
        logs = [log_moment(steps, tilt + s)[0] - start - s * x - math.log(tolerance) for s in shifts]
        return max(0.0, min(log / abs(s) for log, s in zip(logs, shifts, strict=True)))

    low, high = steps.extremes
    before, after = min(reach(-1.0), x - low), min(reach(1.0), high - x)
    return max(after, before - math.log(tolerance) / tilt)


def characteristic_function(
    steps: LogReturns, tilt: float, angles: Floats, x: float, enough: Floats
) -> tuple[NDArray[np.complex128], Floats] | None:
    """E_θ[exp(i·angle·(S − x))], and by how much it may be off: what is below ``enough`` is dropped."""
    _, shares, means, each = _tilt(steps, tilt)
    spread = steps.counts * each
    order = np.argsort(-spread, kind="stable")[: np.count_nonzero(spread)]
    # Steps are centred, so that no angle is large; what that moves is put back at the end.
    away = float(steps.counts @ means) - x
    offsets = steps.finite_logs[order] - means[order, None]
    shares, counts = shares[order], steps.counts[order]
    values, left = np.exp(1j * angles * away), np.zeros(len(angles))
    alive, work, start, at_once = np.arange(len(angles)), 0, 0, 8
    while start < len(order) and len(alive):
        part = slice(start, start + at_once)
        work += len(alive) * offsets[part].size
        if work > MOST_WORK:
            return None
        for some in np.array_split(alive, max(1, len(alive) * at_once * offsets.shape[1] // 300_000)):
            turns = np.exp(1j * offsets[part, :, None] * angles[some])
            factors = (shares[part, :, None] * turns).sum(axis=1) ** counts[part, None]
            values[some] *= factors.prod(axis=0)
        size = abs(values[alive])
        small = size <= enough[alive]
        left[alive[small]] = size[small]
        values[alive[small]] = 0.0
        alive, start = alive[~small], start + at_once
        at_once = min(256, at_once * 2) if len(alive) < 4096 else 8
    return values, left
