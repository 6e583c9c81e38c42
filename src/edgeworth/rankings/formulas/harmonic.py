"""Sums along the ranks of a tie group, without walking through it."""

from __future__ import annotations

import numpy as np

from edgeworth.arrays import Values

FEW = 20
"""Below this argument the asymptotic series is not accurate enough, and terms are added one by one."""


def reciprocal_sum(start: Values, length: Values) -> Values:
    """``Σ_{j=1..length} 1/(start + j)``, to rounding, for whole numbers of any size.

    >>> float(reciprocal_sum(np.array(0.0), np.array(3.0)))
    1.8333333333333333
    """
    start, length = np.broadcast_arrays(np.asarray(start, np.float64), np.asarray(length, np.float64))
    if np.all(length == 1):
        return np.asarray(1 / (start + 1))
    shape, start, length = start.shape, start.ravel(), length.ravel()
    total = np.zeros(len(start))
    # Differences of logarithms lose all digits when a short run stands far down: short runs are added up.
    single = np.where(length < FEW, length, np.clip(FEW - start, 0, length))
    active, step = np.flatnonzero(single > 0), 0
    while len(active):
        step += 1
        total[active] += 1 / (start[active] + step)
        active = active[single[active] > step]
    far = np.flatnonzero(length > single)
    low, high = start[far] + single[far], start[far] + length[far]
    total[far] += np.log1p((high - low) / low) + _correction(high) - _correction(low)
    return total.reshape(shape)


def _correction(x: Values) -> Values:
    """What the harmonic number of x has beyond ``log x`` and Euler's constant (Euler–Maclaurin)."""
    square = 1 / (x * x)
    return 0.5 / x - square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
