"""The decisions that forecasts come to: the likeliest class of each case."""

from __future__ import annotations

import numpy as np

from edgeworth.tallies.decisions import ContingencyTable
from edgeworth.tallies.forecast_columns import Forecasts


def likeliest(forecasts: Forecasts) -> ContingencyTable:
    """The table of the label of highest probability against the truth; of equals the first is taken."""
    size = forecasts.size
    chosen = np.argmax(forecasts.probabilities, axis=1)
    counts = np.bincount(chosen * size + forecasts.codes, minlength=size * size).reshape(size, size)
    return ContingencyTable.from_matrix(counts, rows="predicted", labels=forecasts.labels)
