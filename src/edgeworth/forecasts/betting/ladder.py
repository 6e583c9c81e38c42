"""Ordered classes as a ladder of two-way games: is the outcome at most this class?"""

from __future__ import annotations

import numpy as np

from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.sources.columns import Label


def rungs(forecasts: Forecasts) -> dict[Label, Forecasts]:
    """For each class but the last, the forecasts of "at most this class", classes in the order of columns.

    The Brier scores of the rungs add up to the ranked probability score.
    """
    below = np.cumsum(forecasts.probabilities, axis=1)
    found: dict[Label, Forecasts] = {}
    for place, label in enumerate(forecasts.labels[:-1]):
        # Sums of probabilities may round past 1.
        share = np.minimum(below[:, place], 1.0)
        codes = (forecasts.codes <= place).astype(np.intp)
        names = (f"above {label}", f"at most {label}")
        found[label] = Forecasts(codes, np.stack([1 - share, share], axis=1), names)
    return found
