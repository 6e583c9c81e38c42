"""Sums along the ranks of a tie group, without walking through it."""

from __future__ import annotations

import numpy as np

from edgeworth.measures.views import Values

FEW = 20
"""Below this argument the asymptotic series is not accurate enough, and terms are added one by one."""


def reciprocal_sum(start: Values, length: Values) -> Values:
    """``Σ_{j=1..length} 1/(start + j)``, to rounding, for whole numbers of any size.

    >>> float(reciprocal_sum(np.array(0.0), np.array(3.0)))
    1.8333333333333333
    """
    start, length = np.broadcast_arrays(np.asarray(start, np.float64), np.asarray(length, np.float64))
    total = np.zeros(start.shape)
    base, rest = start.copy(), length.copy()
    # Differences of digammas lose all digits when a short run stands far down: short runs are added up.
    while True:
        todo = (rest > 0) & ((base < FEW) | (rest < FEW))
        if not todo.any():
            break
        base = np.where(todo, base + 1, base)
        total = np.where(todo, total + 1 / np.where(base > 0, base, 1), total)
        rest = np.where(todo, rest - 1, rest)
    low, high = np.maximum(base, FEW), np.maximum(base, FEW) + rest
    return total + np.log1p(rest / low) + _correction(high) - _correction(low)


def _correction(x: Values) -> Values:
    """What the harmonic number of x has beyond ``log x`` and Euler's constant (Euler–Maclaurin)."""
    square = 1 / (x * x)
    return 0.5 / x - square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
