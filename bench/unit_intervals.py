"""Coverage, width and cost of intervals for graded answers and for paired differences, beside the usual ones.

python bench/unit_intervals.py 500
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from coverage_records import Record, run_grids
from intervals import BOOTSTRAP_DRAWS, QUANTILE, TAILS, Bounds, Floats, Score, mean_bootstrap, mean_wald
from numpy.typing import NDArray
from scipy.stats import norm

import edgeworth as ew
from edgeworth.common.choices import Predictions

METHODS = ("Edgeworth", "Wald", "percentile bootstrap")
ANSWERS = 4
"""Answers per question, where questions are asked several times."""
CORRELATION = 0.5
"""Of what two systems get wrong, which is what makes pairing worthwhile."""
FIRST_SKILL, SECOND_SKILL = 1.5, 1.0
"""Standard deviations between targets and others, for two systems that score."""
SHRINKAGE = 0.6
"""How far the second forecaster goes from one half, in parts of the way that is right."""
Indices = NDArray[np.int64]
Answers = tuple[ew.Grades, Floats, Floats]
"""The tally, the mean of each question, and the single answers."""


def graded_answers(samples: int) -> Iterator[Record]:
    """Yield coverage for the mean of graded answers: repeats, a stated range, and a long tail without one."""
    settings: dict[str, tuple[float, Callable[[np.random.Generator, int], Answers]]] = {
        "right or wrong, four answers per question": (0.7, _repeats),
        "points from 0 to 10, range stated": (8.0, _points),
        "lognormal points (σ = 1), no range": (math.exp(0.5), _costs),
    }
    for index, (setting, (truth, draw)) in enumerate(settings.items()):
        for n in (20, 50, 100, 200, 500):
            rng = np.random.default_rng([60, index, n])
            scores = {method: Score() for method in METHODS}
            for _ in range(samples):
                grades, means, answers = draw(rng, n)
                scores["Edgeworth"].add(truth, _mean_interval, grades)
                # Wald takes the answers to one question as independent.
                scores["Wald"].add(truth, mean_wald, answers)
                scores["percentile bootstrap"].add(truth, mean_bootstrap, means, np.ones(n), rng)
            for method, score in scores.items():
                yield score.record(setting, method, n)


def _repeats(rng: np.random.Generator, n: int) -> Answers:
    right = (rng.random((n, ANSWERS)) < rng.beta(2.8, 1.2, n)[:, None]).astype(float)
    return (
        ew.Grades.from_grades(right.ravel(), ids=np.repeat(np.arange(n), ANSWERS)),
        right.mean(axis=1),
        right.ravel(),
    )


def _points(rng: np.random.Generator, n: int) -> Answers:
    points = 10 * rng.beta(4, 1, n)
    return ew.Grades.from_grades(points, grade_range=(0, 10)), points, points


def _costs(rng: np.random.Generator, n: int) -> Answers:
    points = rng.lognormal(0, 1, n)
    return ew.Grades.from_grades(points), points, points


def _mean_interval(grades: ew.Grades) -> Bounds:
    return ew.estimate(grades, "mean").interval()


def paired_informedness(samples: int) -> Iterator[Record]:
    """Yield coverage for paired differences of informedness."""
    yield from _paired(LABELS, samples)


def paired_areas(samples: int) -> Iterator[Record]:
    """Yield coverage for paired differences of ROC area."""
    yield from _paired(AREAS, samples)


def paired_brier(samples: int) -> Iterator[Record]:
    """Yield coverage for paired differences of Brier score."""
    yield from _paired(FORECASTS, samples)


def _paired(setting: str, samples: int) -> Iterator[Record]:
    truth, draw, find = DIFFERENCES[setting]
    for n in (50, 100, 200, 500):
        rng = np.random.default_rng([61, list(DIFFERENCES).index(setting), n])
        scores = {method: Score() for method in METHODS}
        for _ in range(samples):
            outcomes, first, second = draw(rng, n)
            if min(outcomes.sum(), n - outcomes.sum()) < 2:
                continue
            data = (outcomes, first, second)
            scores["Edgeworth"].add(truth, find, *data)
            scores["Wald"].add(truth, _wald, setting, *data)
            scores["percentile bootstrap"].add(truth, _bootstrap, setting, *data, rng)
        for method, score in scores.items():
            yield score.record(setting, method, n)


def _correlated(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Draw two standard normal values per case, correlated."""
    common, one, two = rng.normal(size=(3, n))
    kept, rest = math.sqrt(CORRELATION), math.sqrt(1 - CORRELATION)
    return kept * common + rest * one, kept * common + rest * two


def _labels(rng: np.random.Generator, n: int) -> tuple[Indices, Floats, Floats]:
    """Draw labels with recall 0.85 and 0.75, and fallout 0.25 and 0.3."""
    outcomes = (rng.random(n) < 0.4).astype(np.int64)
    first, second = _correlated(rng, n)
    rates = np.asarray(norm.ppf([[0.25, 0.85], [0.3, 0.75]]))
    return outcomes, (first < rates[0][outcomes]).astype(float), (second < rates[1][outcomes]).astype(float)


def _scores(rng: np.random.Generator, n: int) -> tuple[Indices, Floats, Floats]:
    outcomes = (rng.random(n) < 0.4).astype(np.int64)
    first, second = _correlated(rng, n)
    return outcomes, first + FIRST_SKILL * outcomes, second + SECOND_SKILL * outcomes


def _forecasts(rng: np.random.Generator, n: int) -> tuple[Indices, Floats, Floats]:
    """Draw calibrated forecasts, and the same ones moved towards one half."""
    right = rng.beta(2, 2, n)
    return (rng.random(n) < right).astype(np.int64), right, 0.5 + SHRINKAGE * (right - 0.5)


def _difference(kind: Predictions, measure: str) -> Callable[[Indices, Floats, Floats], Bounds]:
    """Return a function that finds Edgeworth's interval."""

    def find(outcomes: Indices, first: Floats, second: Floats) -> Bounds:
        as_given = (first.astype(np.int64), second.astype(np.int64)) if kind == "labels" else (first, second)
        systems = dict(zip(("first", "second"), as_given, strict=True))
        comparison = ew.compare(truth=outcomes, systems=systems, kind=kind, measures=[measure])
        return comparison["first", "second"][measure].interval()

    return find


def _rates(outcomes: Indices, first: Floats, second: Floats) -> list[Floats]:
    """Split the difference of informedness into means over targets and over other cases."""
    gain = first - second
    return [gain[outcomes == 1], -gain[outcomes == 0]]


def _placements(outcomes: Indices, first: Floats, second: Floats) -> list[Floats]:
    """Split the difference of ROC areas into DeLong's placements, centred for the other cases."""
    is_target = outcomes == 1
    gains = [np.zeros(is_target.sum()), np.zeros((~is_target).sum())]
    for sign, scores in ((1, first), (-1, second)):
        targets, others = scores[is_target], scores[~is_target]
        gains[0] += sign * np.searchsorted(np.sort(others), targets) / len(others)
        gains[1] -= sign * np.searchsorted(np.sort(targets), others) / len(targets)
    return [gains[0], gains[1] - gains[1].mean()]


def _losses(outcomes: Indices, first: Floats, second: Floats) -> list[Floats]:
    return [(outcomes - first) ** 2 - (outcomes - second) ** 2]


def _wald(setting: str, outcomes: Indices, first: Floats, second: Floats) -> Bounds:
    """Return Wald's bounds for a sum of independent means; for ROC areas they are DeLong's."""
    parts = PARTS[setting](outcomes, first, second)
    value = sum(float(part.mean()) for part in parts)
    reach = QUANTILE * math.sqrt(sum(float(part.var()) / len(part) for part in parts))
    return value - reach, value + reach


def _bootstrap(
    setting: str, outcomes: Indices, first: Floats, second: Floats, rng: np.random.Generator
) -> Bounds:
    """Return percentiles over resampled cases, within each class where the measure is a sum over classes."""
    if setting == AREAS:
        targets, others = np.flatnonzero(outcomes == 1), np.flatnonzero(outcomes == 0)
        values = np.empty(BOOTSTRAP_DRAWS)
        for index in range(BOOTSTRAP_DRAWS):
            drawn = np.concatenate([rng.choice(targets, len(targets)), rng.choice(others, len(others))])
            values[index] = _placements(outcomes[drawn], first[drawn], second[drawn])[0].mean()
    else:
        values = np.zeros(BOOTSTRAP_DRAWS)
        for part in PARTS[setting](outcomes, first, second):
            values += part[rng.integers(0, len(part), (BOOTSTRAP_DRAWS, len(part)))].mean(axis=1)
    low, high = np.quantile(values, TAILS)
    return float(low), float(high)


LABELS, AREAS, FORECASTS = (
    "difference of two informedness values",
    "difference of two ROC areas",
    "difference of two Brier scores",
)
DIFFERENCES = {
    LABELS: (0.15, _labels, _difference("labels", "informedness")),
    AREAS: (
        float(norm.cdf(FIRST_SKILL / math.sqrt(2)) - norm.cdf(SECOND_SKILL / math.sqrt(2))),
        _scores,
        _difference("scores", "roc_auc"),
    ),
    # Moving calibrated forecasts costs the mean square of the way; the variance of Beta(2, 2) is 1/20.
    FORECASTS: (-((1 - SHRINKAGE) ** 2) / 20, _forecasts, _difference("probabilities", "brier")),
}
PARTS = {LABELS: _rates, AREAS: _placements, FORECASTS: _losses}
"""The parts of a difference: values of cases whose means add up to it."""
GRIDS = {
    "graded-answers": graded_answers,
    "paired-informedness": paired_informedness,
    "paired-areas": paired_areas,
    "paired-brier": paired_brier,
}


if __name__ == "__main__":
    run_grids(GRIDS, __doc__)
