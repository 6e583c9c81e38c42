"""The band around a ROC curve holds the true recall at each fallout at least as often as it says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from edgeworth.rankings.intervals.bands import roc_band, thin_roc_curve
from edgeworth.rankings.ranking import Ranking

SIMULATIONS = 1000
FALLOUTS = np.array([0.05, 0.2, 0.5])


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 1.0, 2.0])
@pytest.mark.parametrize(("targets", "rest"), [(20, 60), (80, 80)])
def test_the_band_holds_the_true_recall(shift: float, targets: int, rest: int) -> None:
    """Scores are normal, the targets' higher by a shift: recall is Φ(shift + Φ⁻¹(fallout))."""
    rng = np.random.default_rng([int(shift), targets])
    truth = norm.cdf(shift + norm.ppf(FALLOUTS))
    held = np.zeros(len(FALLOUTS))
    classes = np.repeat([1, 0], [targets, rest])
    for _ in range(SIMULATIONS):
        ranking = Ranking.from_scores(classes, rng.normal(size=targets + rest) + shift * classes)
        _, fallout, recall = thin_roc_curve(ranking)
        band = roc_band(ranking, fallout, recall, 0.95)
        assert band is not None
        # Of several points with one fallout the first bounds the band below and the last above.
        low, high = np.interp(FALLOUTS, fallout, band[0]), np.interp(FALLOUTS, fallout, band[1])
        held += (low <= truth) & (truth <= high)
    error = math.sqrt(0.95 * 0.05 / SIMULATIONS)
    assert (held / SIMULATIONS >= 0.95 - 3 * error).all(), held / SIMULATIONS
