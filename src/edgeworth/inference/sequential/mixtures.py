"""The wealth of capital divided over stake fractions, on its way, and what it proves."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.bet.fractional import (
    CHUNK,
    FRACTIONS,
    checked_fractions,
    fraction_sums,
    fractional_logs,
    log_average,
)
from edgeworth.bet.paths import checked_logs, running_sum
from edgeworth.errors import InputError
from edgeworth.inference.sequential.evidence import Evidence

__all__ = [
    "FRACTIONS",
    "checked_fractions",
    "fraction_sums",
    "fractional_logs",
    "log_average",
    "mixture_block_path",
    "mixture_evidence",
    "mixture_path",
]

Floats = NDArray[np.float64]


def mixture_path(log_factors: ArrayLike, fractions: ArrayLike = FRACTIONS) -> Floats:
    """Log wealth of the mixture after each case.

    >>> mixture_path([np.log(2.0), np.log(0.5)], [0.0, 1.0]).round(6)  # (1+2)/2, (1+1)/2
    array([0.405465, 0.      ])
    """
    logs, grid = checked_logs(log_factors), checked_fractions(fractions)
    path, start = np.empty(logs.size), np.zeros((1, grid.size))
    for first in range(0, logs.size, CHUNK):
        block = fractional_logs(logs[first : first + CHUNK], grid)
        sums = running_sum(np.concatenate([start, block]))[1:]
        path[first : first + CHUNK] = log_average(sums)
        start = sums[-1:]
    return path


def mixture_block_path(block_sums: ArrayLike) -> Floats:
    """Log wealth of the mixture after each block, from the blocks' ``fraction_sums`` in order (blocks, K).

    Its maximum may be used like that of the whole path, of which it may miss a little.
    """
    sums = np.asarray(block_sums, float)
    if sums.ndim != 2:
        raise InputError(f"block sums are one row a block, one column a fraction; saw shape {sums.shape}")
    return log_average(running_sum(sums)) if len(sums) else np.zeros(0)


def mixture_evidence(
    log_factors: ArrayLike, *, null: str, fractions: ArrayLike = FRACTIONS, ordered: bool = True
) -> Evidence:
    """The mixture's e-value and its p-value at any time.

    >>> found = mixture_evidence(np.log([1.5] * 20), null="the prices are the true probabilities")
    >>> round(found.e_value, 1), round(found.p_value, 5)
    (535.9, 0.00187)
    """
    return Evidence.from_path(mixture_path(log_factors, fractions), null=null, ordered=ordered)
