"""Many tests at once: p-values adjusted so that a level holds for the whole family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.errors import InputError


def holm(p_values: Sequence[float] | NDArray[Any]) -> Floats:
    """Holm's step-down: the chance of any false finding is at most the level, whatever the dependence.

    ``max_{j ≤ i} (m − j + 1) p_(j)``, at most 1 (Holm 1979). A test without a p-value (nan) is none of the m.

    >>> holm([0.01, 0.04, 0.03, float("nan")]).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    values, order = _family(p_values)
    steps = (len(order) - np.arange(len(order))) * values[order]
    return _placed(values, order, np.maximum.accumulate(steps))


def benjamini_hochberg(p_values: Sequence[float] | NDArray[Any]) -> Floats:
    """Benjamini and Hochberg's step-up: the expected share of false findings among all is at most the level.

    ``min_{j ≥ i} m p_(j)/j``, at most 1 (1995), for tests that are independent or positively dependent. A
    test without a p-value (nan) is none of the m.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(10).tolist()
    [0.03, 0.04, 0.04]
    """
    values, order = _family(p_values)
    steps = len(order) / np.arange(1.0, len(order) + 1) * values[order]
    return _placed(values, order, np.minimum.accumulate(steps[::-1])[::-1])


def _family(p_values: Sequence[float] | NDArray[Any]) -> tuple[Floats, NDArray[np.intp]]:
    """The p-values, and where those that are numbers stand in rising order."""
    values = np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1:
        raise InputError(f"p-values to adjust stand in one row; saw {values.ndim} dimensions")
    wrong = values[(values < 0) | (values > 1)]
    if len(wrong):
        raise InputError(f"p-values lie between 0 and 1; saw {wrong[0]:g}")
    return values, np.argsort(values, kind="stable")[: len(values) - int(np.isnan(values).sum())]


def _placed(values: Floats, order: NDArray[np.intp], adjusted: Floats) -> Floats:
    result = np.full(len(values), np.nan)
    result[order] = np.minimum(adjusted, 1.0)
    return result
