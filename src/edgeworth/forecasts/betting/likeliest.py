"""The decisions that forecasts come to: the likeliest class of each case."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.core.threads import row_blocks
from edgeworth.forecasts.forecasts import Forecasts

BLOCK_ROWS = 1 << 16


def chosen_counts(forecasts: Forecasts) -> NDArray[Any]:
    """How often the label of highest probability (rows) met each truth (columns).

    Where m labels are equally likely, each counts as 1/m of a case: who has to choose chooses by lot. Without
    such ties the counts are whole numbers.

    >>> chosen_counts(Forecasts.of([1, 0, 1], [0.5, 0.2, 0.9])).tolist()
    [[1.0, 0.5], [0.0, 1.5]]
    """
    size = forecasts.size
    parts = [_counted(forecasts[rows], size) for rows in row_blocks(len(forecasts), BLOCK_ROWS)]
    counts = parts[0]
    for part in parts[1:]:
        counts = counts + part
    return counts


def _counted(forecasts: Forecasts, size: int) -> NDArray[Any]:
    rows = forecasts.probabilities
    chosen = np.argmax(rows, axis=1)
    best = rows == np.take_along_axis(rows, chosen[:, None], axis=1)
    number = np.count_nonzero(best, axis=1)
    alone = number == 1
    cells = (chosen * size + forecasts.codes)[alone]
    counts: NDArray[Any] = np.bincount(cells, minlength=size * size).reshape(size, size)
    if not alone.all():
        codes, shares = forecasts.codes[~alone], best[~alone] / number[~alone, None]
        parts = [np.bincount(codes, weights=column, minlength=size) for column in shares.T]
        counts = counts + np.stack(parts)
    return counts
