"""The method of an estimate can be passed on, for every kind and measure, and gives the same interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.core.registry import catalogue
from edgeworth.errors import EdgeworthError

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 2, 60)
GUESS = np.where(RNG.random(60) < 0.7, TRUTH, 1 - TRUTH)
THREE = RNG.integers(0, 3, 60)
GUESS_OF_THREE = np.where(RNG.random(60) < 0.7, THREE, RNG.integers(0, 3, 60))
SCORE = 0.3 * TRUTH + RNG.random(60)
CHANCES = np.clip(0.2 + 0.5 * TRUTH + 0.2 * RNG.normal(size=60), 0.05, 0.95)
GROUP = np.arange(60) // 4
FORECASTS = ew.tally(truth=TRUTH, probabilities=CHANCES, positive=1).final
TALLIES: dict[str, Any] = {
    "two classes": ew.ContingencyTable.from_labels(TRUTH, GUESS),
    "three classes": ew.ContingencyTable.from_labels(THREE, GUESS_OF_THREE),
    "all right": ew.ContingencyTable.from_labels(TRUTH, TRUTH),
    "clusters": ew.ContingencyTable.from_labels(THREE, GUESS_OF_THREE, clusters=GROUP),
    "one cluster": ew.ContingencyTable.from_labels(THREE, GUESS_OF_THREE, clusters=np.zeros(60)),
    "weights": ew.ContingencyTable.from_labels(THREE, GUESS_OF_THREE, weights=RNG.random(60) + 0.5),
    "ranking": ew.Ranking.from_scores(TRUTH, SCORE),
    "perfect ranking": ew.Ranking.from_scores(TRUTH, TRUTH.astype(float)),
    "lists": ew.RankedLists.from_scores(TRUTH, SCORE, groups=GROUP % 6),
    "scores": ew.ForecastScores.from_probabilities(TRUTH, CHANCES),
    "wealth": FORECASTS.wealth,
    "calibration": ew.Calibration.from_probabilities(TRUTH, CHANCES),
    "forecasts": FORECASTS,
    "right or wrong": ew.Grades.from_grades(GUESS),
    "repeats": ew.Grades.from_grades(GUESS, ids=GROUP),
    "clustered answers": ew.Grades.from_grades(GUESS, clusters=GROUP),
    "points": ew.Grades.from_grades(SCORE),
    "points in a range": ew.Grades.from_grades(np.clip(SCORE, 0, 1), grade_range=(0, 1)),
    "equal points": ew.Grades.from_grades([0.5] * 9),
}


@pytest.mark.parametrize("name", TALLIES)
def test_the_method_of_an_estimate_gives_the_same_interval_again(name: str) -> None:
    tally, number = TALLIES[name], 0
    spellings = (f"{measure.name}{more}" for measure in catalogue() for more in ("", "[1]", "@3", "[1]@3"))
    for spelling in spellings:
        try:
            estimate = ew.estimate(tally, spelling)
        except EdgeworthError:  # no measure of this tally
            continue
        number += 1
        again = ew.estimate(tally, spelling, method=estimate.method)
        assert tuple(again.interval()) == pytest.approx(tuple(estimate.interval()), nan_ok=True), spelling
        assert str(again.method) == str(estimate.method)
        assert (estimate.method is None) == (estimate.law is None), spelling
    assert number >= 4
