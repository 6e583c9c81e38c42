"""Scores of probabilities beside scikit-learn's log loss, and what reliability bands take."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import brier_score_loss, log_loss
from timing import line, memory_line, seconds, seconds_in_turns

from edgeworth.forecasts.calibration import Calibration
from edgeworth.forecasts.corp_reliability import reliability_bands
from edgeworth.forecasts.scores import ForecastScores


def scores() -> None:
    rng = np.random.default_rng(0)
    truth, probabilities = rng.integers(0, 5, 10**6), rng.dirichlet(np.ones(5), 10**6)

    def ours() -> ForecastScores:
        return ForecastScores.from_probabilities(truth, probabilities, scores=("log", "brier"))

    taken, theirs = seconds_in_turns([ours, lambda: log_loss(truth, probabilities)])
    line("log and Brier scores of 10⁶ × 5 probabilities, log_loss", taken, theirs, 12)
    theirs += seconds(lambda: brier_score_loss(truth, probabilities))
    line("  the same, log_loss and brier_score_loss", taken, theirs, 12)
    memory_line(ours, probabilities.nbytes)


def bands() -> None:
    rng = np.random.default_rng(1)
    forecast = rng.random(10**6)
    came_true = (rng.random(10**6) < forecast).astype(np.int64)
    taken = seconds(lambda: Calibration.from_probabilities(came_true, forecast), repeat=2)
    print(f"{'calibration of 10⁶ different forecasts':<58} {taken * 1e3:9.1f} ms")
    curve = Calibration.from_probabilities(came_true, forecast).curve(1)
    taken = seconds(lambda: reliability_bands(curve), repeat=2)
    print(f"{'reliability bands of these, 1,000 draws':<58} {taken * 1e3:9.1f} ms")


if __name__ == "__main__":
    scores()
    bands()
