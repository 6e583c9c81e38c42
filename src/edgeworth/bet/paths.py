"""Log wealth case by case, where ruin is for ever."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.arrays import Floats
from edgeworth.errors import InputError


def checked_logs(log_factors: ArrayLike) -> Floats:
    """Log factors of wealth as floats; −inf is ruin, +inf what the rival held impossible, nan is refused."""
    logs = np.asarray(log_factors, float)
    if np.isnan(logs).any():
        where = np.unravel_index(int(np.isnan(logs).argmax()), logs.shape)
        raise InputError(
            f"the wealth factor of case {int(where[0]) + 1:,} is not a number: both forecasts gave 0 to what "
            "happened, or a probability is missing; leave the case out or give it a probability above 0"
        )
    return logs


def running_sum(log_factors: ArrayLike) -> Floats:
    """Σ log factors up to each case (along the first axis). After ruin it stays −inf, whatever comes.

    >>> running_sum([0.5, -0.2, -np.inf, np.inf])
    array([ 0.5,  0.3, -inf, -inf])
    """
    logs = checked_logs(log_factors)
    if np.isfinite(logs).all():
        return np.asarray(np.cumsum(logs, axis=0))
    total = np.cumsum(np.where(np.isfinite(logs), logs, 0.0), axis=0)
    boundless = np.logical_or.accumulate(logs == np.inf, axis=0)
    ruined = np.logical_or.accumulate(logs == -np.inf, axis=0)
    return np.where(ruined, -np.inf, np.where(boundless, np.inf, total))


def whole_sum(log_factors: ArrayLike) -> Floats:
    """The last of ``running_sum``, without the way; adding −inf and +inf gives −inf."""
    logs = checked_logs(log_factors)
    with np.errstate(invalid="ignore"):  # −inf and +inf meet: ruin absorbs, below
        total = logs.sum(axis=0)
    return np.where((logs == -np.inf).any(axis=0), -np.inf, total)
